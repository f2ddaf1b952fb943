//! The traits of a storage backend, which is where a store is kept, such as the files of a
//! household. The rest of the crate knows nothing else about it. A call goes through a trait, a
//! single reading never does. The blocks of one sensor are a
//! [`BlockSource`](crate::store::blocks::BlockSource), in the room `blocks`, because sealing plans
//! with it there; records alone are a [`RecordsView`](crate::store::records::RecordsView).
//! docs/ARCHITECTURE.md lists all of it ("The seam").
//!
//! | file | content |
//! | --- | --- |
//! | `sensor` | the readings of one sensor: reading and changing |
//! | `readings` | the readings of all sensors |
//! | `uploads` | uploads, and the activity of sensors |
//! | `placing` | turns an upload into rows and an arrival |
//! | `registry` | the registry |
//! | `life` | `Backend`: all of it, checking and closing |
//! | `commit_metrics` | duration and size of commits |
//! | `findings` | results of a check |
//! | `wait` | waiting for a backend |
//! | `memory` | readings in memory, for tests |

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
pub(crate) use self::life::{Backend, DiskUse};
pub(crate) use self::readings::{ReadingsBackend, ReadingsWriter, SensorJob};
pub(crate) use self::registry::{EditJob, RegistryBackend, SensorEdit};
pub(crate) use self::sensor::{ReadingsChange, ReadingsView, RowsTurn, SensorTurn};
pub(crate) use self::uploads::{Append, UploadsBackend};
pub(crate) use self::wait::wait;
