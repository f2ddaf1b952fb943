//! Changing the history of a sensor, with any backend.
//!
//! | file | content |
//! | --- | --- |
//! | `import` | history in bulk |
//! | `delete` | deleting a range of time |

pub(crate) mod delete;
pub(crate) mod import;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::delete::delete;
pub(crate) use self::import::import;
