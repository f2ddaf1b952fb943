//! Facts: what people enter, credentials, settings, and deletions of readings. All of them are in memory; the files `a` and `b`
//! of the folder `facts` have each change, so damage to one is mended from the other. Nothing here knows a reading.
//!
//! | file | content |
//! | --- | --- |
//! | `change` | changes of facts, and their bytes |
//! | `stored` | the facts in memory, as others read them |
//! | `load` | reading both files, and comparing them |
//! | `files` | appending to both, and compaction |
//! | `deletion` | deletions of readings |
//! | `repair` | leaving out records of which parts are lost |

pub(crate) mod change;
pub(crate) mod deletion;
pub(crate) mod files;
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
