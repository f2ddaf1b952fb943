//! Maintenance of an embedded store.
//!
//! | file | content |
//! | --- | --- |
//! | `size` | disk use |
//! | `check`, `check_rows`, `check_prices` | reading everything to find damage |

mod check;
mod check_prices;
mod check_rows;
mod size;
