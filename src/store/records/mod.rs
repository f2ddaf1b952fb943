//! Records, whatever keeps them: the bytes of their keys and values.
//!
//! | file | content |
//! | --- | --- |
//! | `record` | the bytes of a record |
//! | `keys` | the keys of readings and blocks, and times in keys |
//! | `pieces` | records that are longer than an entry may be |
//! | `locks` | locks that ignore poisoning |

pub(crate) mod keys;
pub(crate) mod locks;
pub(crate) mod pieces;
pub(crate) mod record;

pub(crate) use self::pieces::rows_of;
