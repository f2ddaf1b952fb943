//! What a home of the store must do: a home is where a store lives, such as the database of a household. What stands above
//! knows nothing else of it. A call goes through a trait, a reading never does. The blocks of a sensor alone are a
//! [`BlockSource`](crate::store::blocks::BlockSource), in the room `blocks`, because sealing plans over them there; records alone
//! are a [`RecordsView`](crate::store::records::RecordsView). docs/ARCHITECTURE.md lists all of it ("The seam").
//!
//! | file | content |
//! | --- | --- |
//! | `sensor` | the readings of one sensor, to be read or changed |
//! | `readings` | those of all sensors |
//! | `uploads` | uploads, and what is known of them |
//! | `placing` | what an upload becomes: rows, and an arrival |
//! | `registry` | who and what is registered |
//! | `life` | `Home`: all of it, and how a store is checked and closed |
//! | `commit_metrics` | how long commits took, and how many readings they had |
//! | `findings` | what a check found |
//! | `wait` | waiting for what a home does |
//! | `memory` | a home of readings in memory, for tests |

pub(crate) mod commit_metrics;
pub(crate) mod findings;
pub(crate) mod life;
#[cfg(test)]
pub(crate) mod memory;
pub(crate) mod placing;
pub(crate) mod readings;
pub(crate) mod registry;
pub(crate) mod sensor;
pub(crate) mod uploads;
pub(crate) mod wait;

pub(crate) use self::commit_metrics::CommitMetrics;
pub(crate) use self::findings::Findings;
pub(crate) use self::life::{DiskUse, Home};
pub(crate) use self::readings::{ReadingsHome, ReadingsWriter, SensorJob};
pub(crate) use self::registry::{EditJob, RegistryHome, SensorEdit};
pub(crate) use self::sensor::{ReadingsChange, ReadingsView, RowsTurn, SensorTurn};
pub(crate) use self::uploads::{Append, UploadsHome};
pub(crate) use self::wait::wait;
