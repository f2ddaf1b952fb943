//! The journal: uploads that are durable, but not in the log yet.
//!
//! | file | content |
//! | --- | --- |
//! | `record` | the record of a commit |
//! | `file` | the ring of records |

pub(crate) mod file;
pub(crate) mod record;

pub(crate) use self::file::{BehindRing, FoundJournal, Journal, JournalError, JournalUse};
