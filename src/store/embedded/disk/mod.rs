//! What the store needs of the disk and of the system. It knows no reading and no block.
//!
//! | file | content |
//! | --- | --- |
//! | `record` | the record, of which all files but the journal consist |
//! | `file_head` | how a file of facts begins: the format of the store, and its mark |
//! | `sync` | syncs |
//! | `open` | opening a store: one process only |
//! | `access`, `modes` | whether its files may be opened, and by whom else |
//! | `reserve` | room on a full disk |
//! | `failure`, `panics` | the first failure of a store, and panics |

mod access;
pub(crate) mod failure;
pub(crate) mod file_head;
pub(crate) mod modes;
pub(crate) mod open;
pub(crate) mod panics;
pub(crate) mod record;
pub(crate) mod reserve;
pub(crate) mod sync;

pub(crate) use self::access::explain_closed;
pub use self::access::{explain_denied, user_name};
pub(crate) use self::failure::Failure;
pub use self::open::DataDirHold;
pub(crate) use self::record::Mark;
