//! Readings that live at PostgreSQL. Who changes a sensor holds its row of the table `activity` until that is committed; who reads
//! sees one moment, and holds nobody up.
//!
//! | file | content |
//! | --- | --- |
//! | `transaction` | a transaction on a connection of its own |
//! | `activity_row`, `row_columns` | what tables hold, as columns |
//! | `view` | the readings of a sensor, to be read |
//! | `change` | the same, to be changed |
//! | `append` | uploads that are committed together |
//! | `lane` | where they queue up |
//! | `seal` | rows become blocks |
//! | `uploads` | what is known of uploads |
//! | `backend` | `PostgresReadings`: those of all sensors |

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
