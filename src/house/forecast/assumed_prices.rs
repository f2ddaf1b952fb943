//! The prices that a series is assumed to have where it has none yet.

use std::ops::Range;

use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{AccountName, Currency, Decimal, TimeRange, Timestamp, Zone};
use crate::house::exchange::converted;
use crate::ledger::contract::{Label, PriceSeries, SeriesError, SeriesPrice};
use crate::store::{Store, StoreError};

/// For each series, the mean price of each hour of the day in the last eight weeks.
pub(super) struct AssumedPrices {
    zone: Zone,
    series: Vec<[Option<Decimal>; HOURS]>,
}

const HOURS: usize = 24;
const RECENT_MS: i64 = 56 * MS_PER_DAY;

impl AssumedPrices {
    /// Those of these series at a time. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn of(
        store: &Store,
        (account, names, currency): (&AccountName, &[Label], Option<&Currency>),
        time: Timestamp,
        zone: &Zone,
    ) -> Result<Self, StoreError> {
        let from = time.saturating_add_millis(-RECENT_MS);
        let range = TimeRange::new(from, time).unwrap_or(TimeRange::at(time));
        let each = names.iter().map(|name| {
            let known = store.prices(account, name, range)?;
            let known = converted(store, account, (known, currency))?;
            Ok(means(known.prices(), zone))
        });
        Ok(Self {
            zone: zone.clone(),
            series: each.collect::<Result<_, StoreError>>()?,
        })
    }

    /// These series with assumed prices in the gaps of a range. An hour without a price in eight
    /// weeks stays a gap.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if a stored price has no length.
    pub(super) fn fill(
        &self,
        known: Vec<PriceSeries>,
        range: &Range<Timestamp>,
    ) -> Result<Vec<PriceSeries>, StoreError> {
        let filled = known.into_iter().zip(&self.series).map(|(known, means)| {
            let mut all = known.prices().to_vec();
            let mut at = range.start;
            for price in known.prices() {
                self.fill_gap(means, at..price.from.min(range.end), &mut all);
                at = at.max(price.to);
            }
            self.fill_gap(means, at..range.end, &mut all);
            let damaged = |error: SeriesError| StoreError::Damaged(format!("prices: {error}"));
            PriceSeries::new(known.name().clone(), all).map_err(damaged)
        });
        filled.collect()
    }

    fn fill_gap(
        &self,
        means: &[Option<Decimal>; HOURS],
        gap: Range<Timestamp>,
        all: &mut Vec<SeriesPrice>,
    ) {
        for hour in hours(gap) {
            let mean = means.get(hour_of_day(hour.start, &self.zone));
            let assumed = mean.copied().flatten().map(|price| SeriesPrice {
                from: hour.start,
                to: hour.end,
                price,
            });
            all.extend(assumed);
        }
    }
}

/// The mean price of each hour of the day.
fn means(prices: &[SeriesPrice], zone: &Zone) -> [Option<Decimal>; HOURS] {
    let mut sums = [(0_i128, 0_i128); HOURS];
    for price in prices {
        for hour in hours(price.from..price.to) {
            let length_ms = i128::from(hour.end.millis() - hour.start.millis());
            if let Some((sum, known_ms)) = sums.get_mut(hour_of_day(hour.start, zone)) {
                *sum += i128::from(price.price.millionths()) * length_ms;
                *known_ms += length_ms;
            }
        }
    }
    sums.map(|(sum, known_ms)| {
        let mean = sum.checked_div(known_ms)?;
        i64::try_from(mean).ok().map(Decimal::from_millionths)
    })
}

/// A stretch of time in hours; the first and the last one may be shorter.
fn hours(stretch: Range<Timestamp>) -> impl Iterator<Item = Range<Timestamp>> {
    let Range { start, end } = stretch;
    let mut at = start;
    std::iter::from_fn(move || {
        let from = at;
        let next_ms = (from.millis().div_euclid(MS_PER_HOUR) + 1) * MS_PER_HOUR;
        at = from.saturating_add_millis(next_ms - from.millis()).min(end);
        (from < end && from < at).then_some(from..at)
    })
}

fn hour_of_day(time: Timestamp, zone: &Zone) -> usize {
    usize::try_from(zone.shown_at(time).millis_of_day() / MS_PER_HOUR).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    fn price(from: Timestamp, hours: i64, millionths: i64) -> SeriesPrice {
        SeriesPrice {
            from,
            to: from.saturating_add_millis(hours * MS_PER_HOUR),
            price: Decimal::from_millionths(millionths),
        }
    }

    #[test]
    fn gaps_have_the_mean_of_their_hour() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        // Noon in Berlin, in winter and on the first day of summer time; and the hours after it.
        let known = [
            price(at("2026-03-28T11:00:00"), 2, 100_000),
            price(at("2026-03-29T10:00:00"), 1, 200_000),
        ];
        let assumed = AssumedPrices {
            series: vec![means(&known, &berlin)],
            zone: berlin,
        };
        let name = Label::new("spot").unwrap();
        let next = price(at("2026-03-30T10:30:00"), 1, 900_000);
        let series = PriceSeries::new(name, vec![next]).unwrap();
        let day = at("2026-03-29T22:00:00")..at("2026-03-30T22:00:00");
        let filled = assumed.fill(vec![series], &day).unwrap();
        let half_an_hour = |from: &str, millionths: i64| SeriesPrice {
            to: at(from).saturating_add_millis(MS_PER_HOUR / 2),
            ..price(at(from), 1, millionths)
        };
        assert_eq!(
            filled[0].prices(),
            [
                half_an_hour("2026-03-30T10:00:00", 150_000),
                next,
                half_an_hour("2026-03-30T11:30:00", 100_000),
            ]
        );
    }
}
