//! Care of a store, whatever home it lives in. It uses the store through its handle; nothing of the store uses it.
//!
//! | file | content |
//! | --- | --- |
//! | `backup` | backup and restore |
//! | `formats` | tests with what earlier versions wrote |

pub(crate) mod backup;
#[cfg(test)]
mod formats;
