//! Readings that live at an engine. Who changes a sensor holds its row of the table `activity` until that is committed; who reads
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
//! | `home` | `EngineReadings`: those of all sensors |

mod activity_row;
mod append;
mod change;
mod home;
mod lane;
mod row_columns;
mod seal;
mod transaction;
mod uploads;
mod view;

pub(crate) use self::home::EngineReadings;

#[cfg(test)]
mod tests;
