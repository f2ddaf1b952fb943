//! Maintenance of a store, with any backend. It uses the store through its handle; nothing of the
//! store uses it.
//!
//! | file | content |
//! | --- | --- |
//! | `backup` | backup and restore |

pub(crate) mod backup;
#[cfg(test)]
mod tests;
