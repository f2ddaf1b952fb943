//! Prices that change by the hour or quarter of an hour, such as those of a day-ahead market.
//!
//! - `exchange`: prices in another currency
//! - `lines`: prices as lines of a table
//! - `mean`: means of prices over hours, days and months
//! - `spacing`: how long prices apply that only have a beginning
//! - `unit`: prices of other units, and such that look like it

mod exchange;
mod lines;
mod mean;
mod spacing;
mod unit;

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error;

pub use self::exchange::ExchangePath;
pub use self::lines::{PriceLine, PriceLines};
pub use self::mean::{MeanPeriod, MeanPeriods};
use self::spacing::with_ends;
pub use self::unit::{PriceUnit, per_megawatt_hour};
use super::Label;
use super::json::shortened;
use crate::domain::words::words;
use crate::domain::{Currency, Decimal, FromObject, Timestamp};

/// A price and the time that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesPrice {
    /// Its beginning.
    pub from: Timestamp,
    /// Its end, which does not belong to it; after `from`.
    pub to: Timestamp,
    /// The price of a kilowatt-hour; it can be negative.
    pub price: Decimal,
}

/// Prices in order of time, no two for one time. Where none is, nothing has a price. A copy shares
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceSeries {
    name: Label,
    /// The currency of its prices, if it is known.
    currency: Option<Currency>,
    prices: Arc<[SeriesPrice]>,
}

/// The holes between prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holes {
    /// Their number.
    pub count: usize,
    ms: i64,
}

/// How long an uploaded price applies: it always ends where the next one begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PriceLength {
    /// As long as prices usually are apart there: a longer step is a hole.
    #[default]
    Spacing,
    /// An hour, or less where prices come more often.
    Hour,
    /// A quarter of an hour.
    Quarter,
    /// Until the next one, at most a month: for prices that hold until they change, and for one price
    /// a day or a month. The last one of many a day is as long as the one before it.
    UntilNext,
}

words! {
    PriceLength: Spacing "spacing", Hour "hour", Quarter "quarter", UntilNext "until-next";
    "spacing, hour, quarter or until-next"
}

/// Why a text is not a table of prices.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SeriesError {
    /// Not a list of prices.
    #[error(
        "expected a list such as [{{\"time\":\"2026-01-05T10:00:00Z\",\"price\":0.0873}}]: {0}"
    )]
    Json(String),
    /// Not a time and a price.
    #[error(
        "entry {entry}: expected a time such as 2026-01-05T10:00:00Z and a price such as 0.0873 or -0.01"
    )]
    Entry {
        /// From 1.
        entry: usize,
    },
    /// Two prices for one time.
    #[error("two prices for {0}; expected one for each time")]
    Twice(Timestamp),
    /// A price too soon after the one before it.
    #[error(
        "the price for {0} begins less than a minute after the one before it; expected a minute or more between two"
    )]
    TooClose(Timestamp),
    /// A price that ends before it begins.
    #[error("the price from {0} ends before it begins; expected an end after that")]
    Backwards(Timestamp),
    /// More than are taken at once.
    #[error("expected at most {} prices at once", PriceSeries::MOST_PRICES)]
    TooMany,
}

impl PriceSeries {
    /// The most prices of one upload: 28 years of quarters of an hour.
    pub const MOST_PRICES: usize = 1_000_000;

    /// The series of such prices, given in any order.
    ///
    /// # Errors
    /// [`SeriesError`] if two prices are for one time, or one has no length.
    pub fn new(name: Label, mut prices: Vec<SeriesPrice>) -> Result<Self, SeriesError> {
        prices.sort_by_key(|price| price.from);
        if let Some(price) = prices.iter().find(|price| price.to <= price.from) {
            return Err(SeriesError::Backwards(price.from));
        }
        let mut pairs = prices.iter().zip(prices.iter().skip(1));
        if let Some((_, after)) = pairs.find(|(before, after)| after.from < before.to) {
            return Err(SeriesError::Twice(after.from));
        }
        Ok(Self {
            name,
            currency: None,
            prices: prices.into(),
        })
    }

    /// It under another name.
    #[must_use]
    pub fn named(self, name: Label) -> Self {
        Self { name, ..self }
    }

    /// It with the currency of its prices, if that is known.
    #[must_use]
    pub fn in_currency(self, currency: Option<Currency>) -> Self {
        Self { currency, ..self }
    }

    /// The currency of its prices, if it is known.
    #[must_use]
    pub const fn currency(&self) -> Option<&Currency> {
        self.currency.as_ref()
    }

    /// The series of prices given by their beginnings, in any order.
    ///
    /// # Errors
    /// [`SeriesError`] if two prices begin at one time or within a minute, or if there are too
    /// many.
    pub fn from_beginnings(
        name: Label,
        mut beginnings: Vec<PriceLine>,
        length: PriceLength,
    ) -> Result<Self, SeriesError> {
        if beginnings.len() > Self::MOST_PRICES {
            return Err(SeriesError::TooMany);
        }
        // Of one time, the end of a price comes before the next one.
        beginnings.sort_by_key(|(time, price)| (*time, price.is_some()));
        Self::new(name, with_ends(&beginnings, length)?)
    }

    /// The prices of a JSON list of objects with `time` and `price`, in `unit`, or of a kilowatt-hour.
    ///
    /// # Errors
    /// [`SeriesError`] says which entry is wrong, or as [`Self::from_beginnings`].
    pub fn parse_json(
        name: Label,
        text: &str,
        (unit, length): (Option<&PriceUnit>, PriceLength),
    ) -> Result<Self, SeriesError> {
        let entries: Vec<FromObject<JsonPrice<'_>>> = serde_json::from_str(text)
            .map_err(|error| SeriesError::Json(shortened(&error.to_string(), 200)))?;
        let beginnings = entries
            .iter()
            .enumerate()
            .map(|(index, FromObject(entry))| {
                let price = match entry.price.get() {
                    "null" => "",
                    price => price.trim_matches('"'),
                };
                beginning(&entry.time, price, unit).ok_or(SeriesError::Entry { entry: index + 1 })
            });
        Self::from_beginnings(name, beginnings.collect::<Result<_, _>>()?, length)
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &Label {
        &self.name
    }

    /// Its prices, the earliest first.
    #[must_use]
    pub fn prices(&self) -> &[SeriesPrice] {
        &self.prices
    }

    /// The times between its first and its last price that have none.
    #[must_use]
    pub fn holes(&self) -> Holes {
        let mut holes = Holes::default();
        for (before, after) in self.prices.iter().zip(self.prices.iter().skip(1)) {
            let ms = after.from.millis() - before.to.millis();
            holes.count += usize::from(ms > 0);
            holes.ms = holes.ms.saturating_add(ms);
        }
        holes
    }

    /// The price at a time, found by halving; `None` where there is none.
    #[must_use]
    pub fn at(&self, time: Timestamp) -> Option<&SeriesPrice> {
        self.not_over(time)
            .first()
            .filter(|price| price.from <= time)
    }

    /// When the price of a time ends, or the next one begins if there is none.
    pub(super) fn until(&self, time: Timestamp) -> Timestamp {
        self.not_over(time).first().map_or(Timestamp::MAX, |price| {
            if price.from <= time {
                price.to
            } else {
                price.from
            }
        })
    }

    /// Merges a later upload, whose prices replace earlier ones of the same times.
    #[must_use]
    pub fn merged(self, later: &Self) -> Self {
        let mut kept = later.prices.to_vec();
        for &old in &*self.prices {
            let mut from = old.from;
            for new in later
                .not_over(from)
                .iter()
                .take_while(|new| new.from < old.to)
            {
                if from < new.from {
                    kept.push(SeriesPrice {
                        from,
                        to: new.from,
                        ..old
                    });
                }
                from = new.to;
            }
            if from < old.to {
                kept.push(SeriesPrice { from, ..old });
            }
        }
        kept.sort_by_key(|price| price.from);
        Self {
            prices: kept.into(),
            ..self
        }
    }

    /// The prices that end after `time`.
    fn not_over(&self, time: Timestamp) -> &[SeriesPrice] {
        let first = self.prices.partition_point(|price| price.to <= time);
        self.prices.get(first..).unwrap_or_default()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonPrice<'a> {
    #[serde(borrow)]
    time: Cow<'a, str>,
    /// Its digits, since a binary number would not have all of them.
    #[serde(borrow)]
    price: &'a RawValue,
}

/// A line without a price ends the one before it.
fn beginning(time: &str, price: &str, unit: Option<&PriceUnit>) -> Option<PriceLine> {
    let read = || match unit {
        Some(unit) => unit.price(price),
        None => Decimal::parse_price(price).ok(),
    };
    let price = match price {
        "" => None,
        _ => Some(read()?),
    };
    Some((Timestamp::parse(time).ok()?, price))
}

impl Holes {
    /// The minutes of all of them; a part of one counts as one.
    #[must_use]
    pub const fn minutes(self) -> i64 {
        (self.ms / 60_000).saturating_add((self.ms % 60_000 > 0) as i64)
    }

    /// Their hours, in hundredths.
    #[must_use]
    pub const fn hours(self) -> Decimal {
        Decimal::from_millionths(self.minutes().saturating_mul(10) / 6 * 10_000)
    }
}

impl SeriesPrice {
    const fn length_ms(self) -> i64 {
        self.to.millis() - self.from.millis()
    }
}

#[cfg(test)]
mod tests;
