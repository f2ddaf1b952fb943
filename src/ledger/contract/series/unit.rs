//! Units of prices, prices of a kilowatt-hour from prices in them, and which ones look like those of a
//! megawatt-hour.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::SeriesPrice;
use crate::domain::{Currency, Decimal};

/// The unit of prices, such as `EUR/MWh` or `ct/kWh`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceUnit {
    text: String,
    /// How many digits the point moves to the left, for the price of a kilowatt-hour.
    shift: u32,
    /// Whether it is an exchange rate, such as `SEK/EUR`: kronor for a euro.
    is_rate: bool,
}

/// Why a text is not a unit of prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected a unit such as EUR/kWh, ct/kWh or EUR/MWh, or of exchange rates, such as SEK/EUR"
)]
pub struct NotUnit;

/// Names of hundredths of a currency, with the currency where there is only one.
const HUNDREDTHS: [(&str, &str); 7] = [
    ("ct", ""),
    ("cent", ""),
    ("c", ""),
    ("p", "GBP"),
    ("öre", "SEK"),
    ("øre", ""),
    ("snt", "EUR"),
];
/// The place of a zone, in the unit of a source.
const ZONE: &str = "{zone}";
/// The most digits before the point, and after it.
const MOST_DIGITS: [usize; 2] = [9, 18];
/// Digits of a price after the point.
const PLACES: u32 = 6;

impl FromStr for PriceUnit {
    type Err = NotUnit;

    fn from_str(text: &str) -> Result<Self, NotUnit> {
        let (money, energy) = text.split_once('/').ok_or(NotUnit)?;
        let is_code =
            |text: &str| text.len() == 3 && text.bytes().all(|it| it.is_ascii_uppercase());
        let (of_energy, is_rate) = match energy {
            "kWh" => (0, false),
            "MWh" => (3, false),
            base if is_code(base) && (is_code(money) || money == ZONE) => (0, true),
            _ => return Err(NotUnit),
        };
        let is_name = (1..=8).contains(&money.len())
            && !money.contains(|c: char| c.is_control() || c.is_whitespace());
        let is_hundredth = HUNDREDTHS.iter().any(|(name, _)| *name == money);
        is_name
            .then(|| Self {
                text: text.to_owned(),
                shift: of_energy + if is_hundredth { 2 } else { 0 },
                is_rate,
            })
            .ok_or(NotUnit)
    }
}

impl fmt::Display for PriceUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PriceUnit {
    /// Whether it is an exchange rate. Its currency is both, such as `SEK/EUR`.
    #[must_use]
    pub const fn is_rate(&self) -> bool {
        self.is_rate
    }

    /// The currency of its prices, if it says which one that is.
    #[must_use]
    pub fn currency(&self) -> Option<Currency> {
        if self.is_rate {
            return Currency::new(&self.text).ok();
        }
        let (money, _) = self.text.split_once('/')?;
        let hundredth = HUNDREDTHS.iter().find(|(name, _)| *name == money);
        Currency::new(hundredth.map_or(money, |(_, currency)| currency)).ok()
    }

    /// The price of a kilowatt-hour, rounded to a millionth, halves away from zero. `None` if the
    /// text is not a decimal with a point, or too large.
    #[must_use]
    pub fn price(&self, text: &str) -> Option<Decimal> {
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, places) = digits.split_once('.').unwrap_or((digits, "0"));
        let [most_whole, most_places] = MOST_DIGITS;
        let is_number = |digits: &str, most| {
            (1..=most).contains(&digits.len()) && digits.bytes().all(|it| it.is_ascii_digit())
        };
        if !is_number(whole, most_whole) || !is_number(places, most_places) {
            return None;
        }
        // At most 27 digits, and 6 more: an i128 has 38.
        let number: i128 = format!("{whole}{places}").parse().ok()?;
        let divisor = 10_i128.pow(u32::try_from(places.len()).ok()? + self.shift);
        let millionths = (number * 10_i128.pow(PLACES) + divisor / 2) / divisor;
        let millionths = i64::try_from(millionths).ok()?;
        let price = Decimal::from_millionths(if is_negative { -millionths } else { millionths });
        price.is_price().then_some(price)
    }
}

/// Currencies with similar prices of a kilowatt-hour: prices above `most` are those of a megawatt-hour,
/// or of something else.
struct UsualPrices {
    most: i64,
    currencies: &'static [&'static str],
}

/// A few prices may all be of an hour of scarcity: they are judged by ten times as much.
const FEW: usize = 12;

/// Some ten times the retail prices of 2026, and a tenth of the wholesale prices of a megawatt-hour.
const USUAL: [UsualPrices; 3] = [
    UsualPrices {
        most: 3,
        currencies: &["EUR", "USD", "GBP", "CHF", "AUD", "CAD", "NZD", "SGD"],
    },
    UsualPrices {
        most: 30,
        currencies: &[
            "DKK", "SEK", "NOK", "PLN", "CZK", "RON", "TRY", "BRL", "MXN", "CNY", "HKD", "ZAR",
            "BGN",
        ],
    },
    UsualPrices {
        most: 300,
        currencies: &["HUF", "JPY", "INR", "ISK", "TWD", "PHP", "THB"],
    },
];

/// The middle one of prices in this currency, if it looks like the price of a megawatt-hour that is
/// taken for one of a kilowatt-hour. A currency that is not known is taken for euros, and nothing is
/// said about one of other prices.
#[must_use]
pub fn per_megawatt_hour(prices: &[SeriesPrice], currency: Option<&Currency>) -> Option<Decimal> {
    let is_in = |usual: &&UsualPrices| {
        let codes = usual.currencies.iter();
        let mut codes = codes.filter_map(|code| Currency::new(code).ok());
        currency.is_none_or(|it| codes.any(|code| code.may_be(it)))
    };
    // A sign such as `kr` has the prices of the dearest currency that it may be.
    let most = match currency {
        None => USUAL.iter().find(is_in)?.most,
        Some(_) => USUAL.iter().rfind(is_in)?.most,
    };
    let most = if prices.len() < FEW { most * 10 } else { most };
    let mut sizes: Vec<_> = prices.iter().map(|price| price.price).collect();
    let middle = sizes.len() / 2;
    if sizes.is_empty() {
        return None;
    }
    let (_, middle, _) = sizes.select_nth_unstable(middle);
    (*middle > Decimal::from_millionths(most * 1_000_000)).then_some(*middle)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::Timestamp;

    fn price(unit: &str, text: &str) -> Option<String> {
        let unit: PriceUnit = unit.parse().unwrap();
        unit.price(text).map(|price| price.to_string())
    }

    #[test]
    fn prices_are_those_of_a_kilowatt_hour() {
        for (unit, text, expected) in [
            ("EUR/MWh", "42.09", "0.04209"),
            ("EUR/MWh", "-5.12", "-0.00512"),
            ("EUR/kWh", "0.3215", "0.3215"),
            ("ct/kWh", "13.8915", "0.138915"),
            ("p/kWh", "-3", "-0.03"),
            ("öre/kWh", "007", "0.07"),
            ("ct/MWh", "100000", "1"),
            ("EUR/MWh", "0.0005", "0.000001"),
            ("EUR/MWh", "-0.0005", "-0.000001"),
            ("EUR/MWh", "0.000499999999999999", "0"),
            ("EUR/kWh", "999999.999999", "999999.999999"),
        ] {
            assert_eq!(
                price(unit, text).as_deref(),
                Some(expected),
                "{text} {unit}"
            );
        }
        for text in [
            "",
            "-",
            ".5",
            "5.",
            "1e3",
            "NaN",
            "n/a",
            "1,5",
            "+1",
            "1000000000",
            "- 1",
            "--1",
        ] {
            assert_eq!(price("EUR/kWh", text), None, "{text}");
        }
        assert_eq!(price("EUR/kWh", "999999.9999995"), None);
    }

    #[test]
    fn a_unit_may_name_its_currency() {
        for (unit, expected) in [
            ("EUR/MWh", Some("EUR")),
            ("p/kWh", Some("GBP")),
            ("öre/kWh", Some("SEK")),
            ("ct/kWh", None),
        ] {
            let unit: PriceUnit = unit.parse().unwrap();
            let found = unit.currency();
            assert_eq!(found.as_ref().map(Currency::as_str), expected, "{unit}");
        }
    }

    #[test]
    fn a_unit_is_money_and_energy() {
        for text in ["", "EUR", "EUR/Wh", "/kWh", "E R/kWh", "DANGEROUS/kWh"] {
            assert_eq!(text.parse::<PriceUnit>(), Err(NotUnit), "{text}");
        }
    }

    #[test]
    fn prices_of_a_megawatt_hour_are_seen_by_their_size() {
        let looks = |prices: &[i64], currency: Option<&str>| {
            let price = |whole: &i64| SeriesPrice {
                from: Timestamp::MIN,
                to: Timestamp::MAX,
                price: Decimal::from_millionths(whole * 1_000_000),
            };
            let prices: Vec<_> = prices.iter().map(price).collect();
            let currency = currency.map(|text| Currency::new(text).unwrap());
            per_megawatt_hour(&prices, currency.as_ref()).is_some()
        };
        assert!(looks(&[80, -5, 103], Some("EUR")) && looks(&[80, 90], None));
        // Prices of scarcity are few, or come in an upload of few.
        assert!(!looks(&[0, 1, 4], Some("€")) && !looks(&[15, 20], Some("AUD")));
        assert!(!looks(&[2; 24], None) && looks(&[9; 24], None));
        assert!(!looks(&[2, 3, 4], Some("SEK")) && looks(&[400, 500], Some("SEK")));
        assert!(!looks(&[35; 24], Some("JPY")) && !looks(&[20; 24], Some("kr")));
        assert!(!looks(&[150, 300], Some("KRW")) && !looks(&[], None));
    }

    proptest! {
        #[test]
        fn a_price_in_its_unit_comes_back(millionths in -999_999_999_i64..999_999_999) {
            let price = Decimal::from_millionths(millionths);
            let of_mwh = Decimal::from_millionths(millionths * 1_000);
            for (unit, text) in [("EUR/kWh", price.to_string()), ("EUR/MWh", of_mwh.to_string())] {
                let unit: PriceUnit = unit.parse().unwrap();
                prop_assert_eq!(unit.price(&text), Some(price));
            }
        }

        #[test]
        fn no_text_panics(text in "-?[0-9.]{0,40}|\\PC{0,12}") {
            let unit: PriceUnit = "ct/MWh".parse().unwrap();
            let _ = unit.price(&text);
        }
    }
}
