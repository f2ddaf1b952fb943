//! Maintenance: check, backup, restore, salvage, disk use. It uses the store through its handle; nothing of the store uses it.
//!
//! | file | content |
//! | --- | --- |
//! | `counts` | what a store holds, in numbers |
//! | `size` | disk use |
//! | `build` | a new store, built aside and moved into place |
//! | `check`, `check_rows`, `check_prices` | reading everything to find damage |
//! | `backup` | backup and restore |
//! | `salvage` | what can be read of a damaged store, as a new one |

pub(crate) mod backup;
pub(crate) mod build;
pub(crate) mod check;
mod check_prices;
mod check_rows;
pub(crate) mod counts;
pub(crate) mod salvage;
pub(crate) mod size;
