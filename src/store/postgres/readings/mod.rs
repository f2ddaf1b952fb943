//! Readings in PostgreSQL. A writer locks a sensor's row of the table `activity` until its change
//! is committed; a reader sees one moment, and holds nobody up.
//!
//! | file | content |
//! | --- | --- |
//! | `transaction` | a transaction on a connection of its own |
//! | `activity_row`, `row_columns` | contents of tables, as columns |
//! | `view` | reading a sensor |
//! | `change` | changing a sensor |
//! | `append` | groups of uploads, each committed in one transaction |
//! | `lane` | queues of uploads |
//! | `seal` | moves rows into blocks |
//! | `uploads` | the activity of sensors |
//! | `backend` | `PostgresReadings`: the readings of all sensors |

mod activity_row;
mod append;
mod backend;
mod change;
mod lane;
mod row_columns;
mod seal;
mod transaction;
mod uploads;
mod view;

pub(crate) use self::backend::PostgresReadings;

#[cfg(test)]
mod tests;
