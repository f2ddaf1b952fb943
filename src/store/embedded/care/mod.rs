//! Maintenance of an embedded store.
//!
//! | file | content |
//! | --- | --- |
//! | `size` | disk use |
//! | `check`, `check_rows`, `check_prices` | reading everything to find damage |
//! | `build` | a new store, built aside and moved into place |
//! | `salvage` | copies the readable part of a damaged store into a new one |

pub(crate) mod build;
mod check;
mod check_prices;
mod check_rows;
pub(crate) mod salvage;
mod size;
