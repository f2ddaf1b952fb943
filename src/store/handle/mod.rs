//! [`Store`](store::Store): opens, reads, changes and closes a store. Nothing here knows a format or writes a file.
//!
//! | file | content |
//! | --- | --- |
//! | `store` | opening, closing, and what can be read |
//! | `changes` | what can be changed |
//! | `corrections` | adding and revoking corrections |

mod changes;
mod corrections;
pub(crate) mod store;

pub use self::store::Store;
