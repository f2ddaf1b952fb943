//! Units of prices, and prices of a kilowatt-hour from prices in them.

use std::fmt;
use std::str::FromStr;

use super::currency::Currency;
use super::decimal::Decimal;

/// The unit of prices, such as `EUR/MWh` or `ct/kWh`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceUnit {
    text: String,
    /// How many digits the point moves to the left, for the price of a kilowatt-hour.
    shift: u32,
}

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
/// The most digits before the point, and after it.
const MOST_DIGITS: [usize; 2] = [9, 18];
/// Digits of a price after the point.
const PLACES: u32 = 6;

impl FromStr for PriceUnit {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (money, energy) = text.split_once('/').ok_or(())?;
        let of_energy = match energy {
            "kWh" => 0,
            "MWh" => 3,
            _ => return Err(()),
        };
        let is_name = (1..=8).contains(&money.len())
            && !money.contains(|c: char| c.is_control() || c.is_whitespace());
        let is_hundredth = HUNDREDTHS.iter().any(|(name, _)| *name == money);
        is_name
            .then(|| Self {
                text: text.to_owned(),
                shift: of_energy + if is_hundredth { 2 } else { 0 },
            })
            .ok_or(())
    }
}

impl fmt::Display for PriceUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PriceUnit {
    /// The currency of its prices, if it says which one that is.
    #[must_use]
    pub fn currency(&self) -> Option<Currency> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
            assert_eq!(text.parse::<PriceUnit>(), Err(()), "{text}");
        }
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
