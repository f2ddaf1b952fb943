//! The store's access to the disk and to the system. It knows neither readings nor blocks.
//!
//! | file | content |
//! | --- | --- |
//! | `record` | the record, the unit of all files but the journal |
//! | `file_head` | the head of a file of facts: the format of the store, and its mark |
//! | `positions` | how far the files of a store know each other to be durable |
//! | `sync` | syncs |
//! | `open` | opens a store, for one process only |
//! | `access`, `modes` | rights to the files, of this process and of others |
//! | `replace` | puts a new store in the place of the present one |
//! | `reserve` | space for a full disk |
//! | `failure`, `panics` | the first failure of a store, and panics |

mod access;
pub(crate) mod failure;
pub(crate) mod file_head;
pub(crate) mod modes;
pub(crate) mod open;
pub(crate) mod panics;
pub(crate) mod positions;
pub(crate) mod record;
pub(crate) mod replace;
pub(crate) mod reserve;
pub(crate) mod sync;

pub(crate) use self::access::explain_closed;
pub use self::access::{explain_denied, user_name};
pub(crate) use self::failure::{Failure, is_full, says_full};
pub use self::open::DataDirHold;
pub(crate) use self::positions::Positions;
pub(crate) use self::record::Mark;
