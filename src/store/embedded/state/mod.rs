//! The open store as the committing thread and the readers share it: the trees, and what is kept in memory beside them.
//! Nothing here changes a reading.
//!
//! | file | content |
//! | --- | --- |
//! | `shared` | what both sides hold |
//! | `trees` | the trees of the database, by name |
//! | `record_trees` | the trees of records |
//! | `view` | the readings of a sensor, in the trees and in memory |

pub(crate) mod record_trees;
pub(crate) mod shared;
pub(crate) mod trees;
pub(crate) mod view;

pub(crate) use self::shared::Shared;
pub(crate) use self::trees::Trees;
