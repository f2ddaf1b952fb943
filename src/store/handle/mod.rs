//! [`Store`]: reads, changes and closes a store, with any backend. Nothing here knows a format or
//! writes a file.
//!
//! | file | content |
//! | --- | --- |
//! | `store` | reading and closing |
//! | `changes` | changes: of readings, of sensors, and of the rest of the registry through `RegistryEdit` |
//! | `prices` | reading price series, and changing them slice by slice |
//! | `import` | filling a new store |
//! | `counts` | the numbers of items in a store |

mod changes;
pub(crate) mod counts;
pub(crate) mod import;
mod prices;
pub(crate) mod store;

pub use self::prices::SeriesSummary;
pub use self::store::Store;
