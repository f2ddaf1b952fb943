//! Facts: data that people enter, credentials, settings, and deletions of readings. All of them are
//! in memory. Each change is in both files `a` and `b` of the folder `facts`, so damage to one is
//! repaired from the other. Nothing here knows a reading.
//!
//! | file | content |
//! | --- | --- |
//! | `change` | changes of facts, and their bytes |
//! | `stored` | the facts in memory, for readers |
//! | `load` | reads and compares both files |
//! | `found` | the content of one file |
//! | `files` | appends to both; compaction |
//! | `deletion` | deletions of readings |
//! | `repair` | removes records with lost parts |

pub(crate) mod change;
pub(crate) mod deletion;
pub(crate) mod files;
mod found;
pub(crate) mod load;
pub(crate) mod repair;
pub(crate) mod stored;
#[cfg(test)]
mod tests;

pub(crate) use self::change::FactChanges;
pub(crate) use self::deletion::{Deletion, Deletions};
pub(crate) use self::files::FactFiles;
pub(crate) use self::load::{FactDamage, LoadedFacts};
pub(crate) use self::stored::{ACCESS_IS_SUSPENDED, FactMap, StoredFacts};
