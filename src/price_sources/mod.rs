//! Prices and day colours that the service fetches by itself (docs/PRICE-SOURCES.md). Off until a
//! section `[[price_source]]` or the page names one.
//!
//! Requests go to the addresses of these sources and nowhere else, unless one is in a private
//! network. Stored prices are never changed here: missing ones are added.
//!
//! - `form`: how a source is asked, and how its answers are read; `fields`: its fields, one by one
//! - `known`: the sources in the folder `price-sources`
//! - `address`: addresses with places to fill in; `body`: bodies with them
//! - `settings`: a source of an account
//! - `error`: why there are no prices
//! - `question`: the address, the header and the body of a request
//! - `get`: requests over HTTP
//! - `answer`: answers -> prices or days
//! - `plan`: which days to ask for, and when
//! - `keep`: compares an answer with the stored prices, and stores the missing ones
//! - `tally`: counts for the metrics, and the last outcome for the pages
//! - `lasting`: faults of a source that last, for notices
//! - `asking`: requests on threads of their own; `turn`: one source at work; `fetcher`: the thread for
//!   all of them
//! - `trial`: one request to a source, which stores nothing

mod address;
mod answer;
mod asking;
mod body;
mod error;
mod fetcher;
mod fields;
mod form;
mod get;
mod keep;
mod known;
mod lasting;
mod plan;
mod question;
mod settings;
mod tally;
mod trial;
mod turn;

pub use self::error::SourceError;
pub use self::fetcher::PriceFetcher;
pub use self::fields::FormError;
pub use self::form::SourceForm;
pub use self::known::KnownSource;
pub use self::settings::PriceSourceSettings;
pub use self::tally::{FetchOutcome, PriceSources, SourceTally};
pub use self::trial::{SourceTrial, check_source, try_source};

/// The entry points of the fuzz targets.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub use super::answer::fuzz as price_answer;
}
