//! One request to a source, to test its settings before they are kept. It stores nothing.

use std::time::Duration;

use super::answer::read;
use super::error::SourceError;
use super::get::get;
use super::keep::{Compared, account, compare};
use super::plan::Known;
use super::settings::PriceSourceSettings;
use crate::domain::{TimeRange, Timestamp};
use crate::store::Store;

/// The prices that a source would store now.
#[derive(Clone, Debug)]
pub struct SourceTrial {
    /// The days that it was asked for, without the end.
    pub range: TimeRange,
    /// Its answer beside the stored prices.
    pub compared: Compared,
}

/// Asks a source for today and, if it is published, tomorrow. Blocks for up to a minute.
///
/// # Errors
/// The reason why it has no usable answer.
pub fn try_source(
    store: &Store,
    settings: &PriceSourceSettings,
    now: Timestamp,
) -> Result<SourceTrial, SourceError> {
    let account = account(&store.registry(), settings)?;
    let known = Known::at(&settings.form, now, Duration::ZERO);
    let range = TimeRange::new(known.today, known.end).unwrap_or(TimeRange::at(now));
    let body = get(settings, range)?;
    let answer = read(&settings.form, &body, range)?;
    let compared = compare(store, &account, settings, answer)?;
    Ok(SourceTrial { range, compared })
}
