//! [`Store`](store::Store): reads, changes and closes a store, whatever home it lives in. Nothing here knows a format or writes
//! a file.
//!
//! | file | content |
//! | --- | --- |
//! | `store` | closing, and what can be read |
//! | `changes` | what can be changed |
//! | `corrections` | adding and revoking corrections |
//! | `bills` | adding and removing bills of the utility |
//! | `contracts` | changing contracts |
//! | `prices` | reading, changing and removing price series |
//! | `notices` | opening, ending, dismissing notices |
//! | `settings` | changing settings of the service |
//! | `people` | adding, changing, removing people and wall tablets |
//! | `import` | filling a new store |
//! | `counts` | what a store holds, in numbers |

mod bills;
mod changes;
mod contracts;
mod corrections;
pub(crate) mod counts;
pub(crate) mod import;
mod notices;
mod people;
mod prices;
mod settings;
pub(crate) mod store;

pub use self::prices::{PricePage, SeriesSummary};
pub use self::store::Store;
