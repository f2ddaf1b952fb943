//! Answers of sources -> prices or days.
//!
//! - `json`, `table`, `entsoe`: the formats -> entries, as texts
//! - `time`: times of entries
//! - `length`: how long prices without an end apply; `others`: the rates that are not taken
//! - `read`: entries -> prices or days

mod entsoe;
mod json;
mod length;
mod others;
mod read;
mod table;
mod time;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(super) use self::read::AnswerTerms;
pub(super) use self::read::{SourceAnswer, read};

/// The most entries of an answer: a year of quarters of an hour, and a few more.
const MOST_ENTRIES: usize = 40_000;

/// An entry of an answer, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct AnswerEntry {
    time: String,
    /// Its end, if the answer has one.
    end: Option<String>,
    /// The price or the type of day; `None` if the source says that there is none.
    value: Option<String>,
}

/// Checks that no answer panics, and that prices are in order.
///
/// # Panics
/// If two prices overlap.
#[cfg(any(test, fuzzing))]
pub fn fuzz(bytes: &[u8]) {
    use super::known::KnownSource;
    use crate::domain::TimeRange;
    use toml::Table;

    for known in KnownSource::all() {
        let Ok(form) = known.form_with(&Table::new()) else {
            continue;
        };
        if let Ok(SourceAnswer::Prices(prices, _)) = read(&form, bytes, TimeRange::ALL) {
            let mut pairs = prices.iter().zip(prices.iter().skip(1));
            assert!(pairs.all(|(before, after)| before.to <= after.from));
        }
    }
}
