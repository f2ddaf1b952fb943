//! Changing the history of a sensor, with any backend.
//!
//! | file | content |
//! | --- | --- |
//! | `import` | history in bulk |
//! | `delete` | deleting a range of time, or given readings |
//! | `slices` | many readings, in slices |

pub(crate) mod delete;
pub(crate) mod import;
mod slices;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::delete::{delete, delete_equal};
pub(crate) use self::import::import;
