//! Maintenance: backup, restore, salvage. It uses the store through its handle; nothing of the store uses it.
//!
//! | file | content |
//! | --- | --- |
//! | `build` | a new store, built aside and moved into place |
//! | `backup` | backup and restore |
//! | `salvage` | what can be read of a damaged store, as a new one |

pub(crate) mod backup;
pub(crate) mod build;
pub(crate) mod salvage;
