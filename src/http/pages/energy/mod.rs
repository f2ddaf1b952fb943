//! `/energy`: the energy of a house in a range of time, and its uses. Sums come from the crate's
//! `house`; here they get words and a place.
//!
//! - `page`: `/energy` and `/energy.csv`
//! - `range_links`: the name of the range, and links to others
//! - `tiles`: sums as tiles, and sentences about their gaps
//! - `buckets`: the buckets of a range; `flow_words`: the flows in each, as bars; `bars`: their
//!   picture; `table`: the same values
//! - `hours`: `/energy/hours`, hours by days
//! - `paths`: sources, house and devices as a Sankey diagram
//! - `sources`: who used the sun, as a table of devices
//! - `uses`: the uses of energy, as a list; the dashboard shows it too

mod bars;
mod buckets;
pub(crate) mod flow_words;
pub(crate) mod hours;
pub(crate) mod page;
mod paths;
mod range_links;
mod sources;
mod table;
mod tiles;
pub(crate) mod uses;
