//! Prices in another currency, by exchange rates.

use super::{PriceSeries, SeriesPrice};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Currency, Decimal, Timestamp};
use crate::ledger::contract::Label;

/// The series of exchange rates that lead from one currency to another.
///
/// The currency of such a series is `SEK/EUR`: so many kronor for a euro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangePath {
    /// Prices are multiplied by these rates.
    times: Option<Label>,
    /// And divided by these.
    over: Option<Label>,
}

/// Exchange rates by time.
#[derive(Clone, Debug)]
pub struct ExchangeRates {
    times: Option<PriceSeries>,
    over: Option<PriceSeries>,
}

/// How long a rate holds where there is no later one: longer than any holidays of banks.
const LONGEST_MS: i64 = 10 * MS_PER_DAY;

/// The currencies of a rate: the first one for one of the second one.
fn pair(currency: &Currency) -> Option<(Currency, Currency)> {
    let (money, base) = currency.as_str().split_once('/')?;
    Some((Currency::new(money).ok()?, Currency::new(base).ok()?))
}

impl ExchangePath {
    /// The way from one currency to another by some of these series.
    pub fn find<'a>(
        series: impl Iterator<Item = (&'a Label, &'a Currency)>,
        from: &Currency,
        to: &Currency,
    ) -> Option<Self> {
        let known = series.filter_map(|(name, currency)| Some((name, pair(currency)?)));
        let known: Vec<(&Label, (Currency, Currency))> = known.collect();
        let direct = |money: &Currency, base: &Currency| {
            let mut known = known.iter();
            let found = known.find(|(_, (one, other))| one.may_be(money) && other.may_be(base));
            found.map(|(name, _)| (*name).clone())
        };
        if let Some(times) = direct(to, from) {
            return Some(Self {
                times: Some(times),
                over: None,
            });
        }
        if let Some(over) = direct(from, to) {
            return Some(Self {
                times: None,
                over: Some(over),
            });
        }
        known.iter().find_map(|(times, (money, base))| {
            let over = direct(from, base).filter(|_| money.may_be(to))?;
            Some(Self {
                times: Some((*times).clone()),
                over: Some(over),
            })
        })
    }

    /// Its series.
    pub fn series(&self) -> impl Iterator<Item = &Label> {
        self.times.iter().chain(&self.over)
    }

    /// The time whose rates are needed for a time.
    #[must_use]
    pub const fn first_needed(time: Timestamp) -> Timestamp {
        time.saturating_add_millis(-LONGEST_MS)
    }

    /// Its rates, of series that `read` reads.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn rates<E>(
        &self,
        read: impl Fn(&Label) -> Result<PriceSeries, E>,
    ) -> Result<ExchangeRates, E> {
        Ok(ExchangeRates {
            times: self.times.as_ref().map(&read).transpose()?,
            over: self.over.as_ref().map(&read).transpose()?,
        })
    }
}

impl ExchangeRates {
    /// Prices in the other currency, to a millionth, halves away from zero. A time without a rate has
    /// the one before it, of at most ten days ago; without any it has no price.
    #[must_use]
    pub fn convert(&self, prices: &[SeriesPrice]) -> Vec<SeriesPrice> {
        let mut converted = Vec::with_capacity(prices.len());
        for price in prices {
            let mut from = price.from;
            while from < price.to {
                let found = self.at(from, price.price);
                let to = self
                    .until(from)
                    .clamp(from.saturating_add_millis(1), price.to);
                converted.extend(found.map(|price| SeriesPrice { from, to, price }));
                from = to;
            }
        }
        converted
    }

    fn at(&self, time: Timestamp, price: Decimal) -> Option<Decimal> {
        let rate = |series: &Option<PriceSeries>| match series {
            Some(series) => last_rate(series, time),
            None => Some(Decimal::ONE),
        };
        let (times, over) = (rate(&self.times)?, rate(&self.over)?);
        let [price, times, over] = [price, times, over].map(|it| i128::from(it.millionths()));
        let product = price * times;
        let rounded = (product + product.signum() * over / 2).checked_div(over)?;
        let price = Decimal::from_millionths(i64::try_from(rounded).ok()?);
        price.is_price().then_some(price)
    }

    fn until(&self, time: Timestamp) -> Timestamp {
        let all = self.times.iter().chain(&self.over);
        all.map(|series| series.until(time))
            .fold(Timestamp::MAX, Timestamp::min)
    }
}

/// The rate of a time, or the last one before it.
fn last_rate(series: &PriceSeries, time: Timestamp) -> Option<Decimal> {
    let begun = series.prices().partition_point(|rate| rate.from <= time);
    let last = series.prices().get(begun.checked_sub(1)?)?;
    let is_recent = time.millis() - last.from.millis() <= LONGEST_MS;
    (is_recent && last.price > Decimal::ZERO).then_some(last.price)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = MS_PER_DAY / 24;

    fn currency(text: &str) -> Currency {
        Currency::new(text).unwrap()
    }

    fn label(text: &str) -> Label {
        Label::new(text).unwrap()
    }

    #[test]
    fn a_path_leads_there_directly_or_by_a_third_currency() {
        let known = [("nok", "NOK/EUR"), ("sek", "SEK/EUR"), ("spot", "EUR")];
        let known = known.map(|(name, text)| (label(name), currency(text)));
        let find = |from: &str, to: &str| {
            let known = known.iter().map(|(name, currency)| (name, currency));
            let path = ExchangePath::find(known, &currency(from), &currency(to))?;
            let told =
                |name: &Option<Label>| name.as_ref().map(ToString::to_string).unwrap_or_default();
            Some(format!("{}/{}", told(&path.times), told(&path.over)))
        };
        for (from, to, expected) in [
            ("EUR", "NOK", Some("nok/")),
            ("€", "kr", Some("nok/")),
            ("SEK", "EUR", Some("/sek")),
            ("NOK", "SEK", Some("sek/nok")),
            ("GBP", "EUR", None),
            ("EUR", "GBP", None),
        ] {
            assert_eq!(find(from, to).as_deref(), expected, "{from} {to}");
        }
    }

    #[test]
    fn prices_have_the_rate_of_their_day_or_the_one_before() {
        let at = |hour: i64| Timestamp::from_millis(hour * HOUR_MS).unwrap();
        let millionths = Decimal::from_millionths;
        let price = |from, to, price| SeriesPrice {
            from: at(from),
            to: at(to),
            price: millionths(price),
        };
        let rates = vec![price(0, 24, 11_500_000), price(24, 48, 12_000_000)];
        let rates = PriceSeries::new(label("ecb"), rates).unwrap();
        let of = |times: Option<&PriceSeries>, over: Option<&PriceSeries>| ExchangeRates {
            times: times.cloned(),
            over: over.cloned(),
        };
        let prices = [
            price(-1, 0, 1_000_000),
            price(23, 25, 100_000),
            price(72, 73, -1),
            price(400, 401, 1),
        ];
        let expected = [
            price(23, 24, 1_150_000),
            price(24, 25, 1_200_000),
            price(72, 73, -12),
        ];
        assert_eq!(of(Some(&rates), None).convert(&prices), expected);
        let back = of(None, Some(&rates)).convert(&expected[..2]);
        assert_eq!(back, [price(23, 24, 100_000), price(24, 25, 100_000)]);
    }
}
