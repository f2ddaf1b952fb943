//! The open store as the committing thread and the readers share it. Nothing here changes a
//! reading.
//!
//! | file | content |
//! | --- | --- |
//! | `shared` | the shared state |
//! | `view` | the readings of a sensor, sealed and in memory |

pub(crate) mod shared;
pub(crate) mod view;

pub(crate) use self::shared::Shared;
