//! [`Store`]: reads, changes and closes a store, whatever backend it lives in. Nothing here knows a format or writes
//! a file.
//!
//! | file | content |
//! | --- | --- |
//! | `store` | closing, and what can be read |
//! | `changes` | what can be changed: readings, sensors, and the rest of what is registered by `RegistryEdit` |
//! | `prices` | reading price series, and changing them slice by slice |
//! | `import` | filling a new store |
//! | `counts` | what a store holds, in numbers |

mod changes;
pub(crate) mod counts;
pub(crate) mod import;
mod prices;
pub(crate) mod store;

pub use self::prices::SeriesSummary;
pub use self::store::Store;
