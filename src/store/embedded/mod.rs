//! The home of one household: a store in a folder of this machine.
//!
//! | file | content |
//! | --- | --- |
//! | `home` | `Embedded`: the store, as what stands above knows it |
//! | `open` | opening it |
//! | `care` | check, disk use |

mod care;
pub(crate) mod home;
mod open;
