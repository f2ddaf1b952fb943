//! `/energy`: what a house did in a range of time, and where its energy went. Sums come from the crate's `house`; here they get
//! words and a place.
//!
//! - `page`: `/energy` and `/energy.csv`
//! - `range_links`: the name of the range, and links to others
//! - `tiles`: sums as tiles, and what they lack as sentences
//! - `buckets`: what flowed in each bucket; `bars`: the picture and its legend; `table`: the same numbers
//! - `uses`: where the energy went, as a list; the dashboard shows it, too

mod bars;
mod buckets;
pub(crate) mod page;
mod range_links;
mod table;
mod tiles;
pub(crate) mod uses;
