//! Numbers as the pages show them; power and energy as in charts. The examples are English.

use crate::chart::{quantity, with_unit};
use crate::domain::{Currency, Decimal};
use crate::query::Units;
use crate::texts::Language;

/// A thin non-breaking space.
const THIN: char = '\u{202F}';
/// Stands for an unknown number.
pub(crate) const UNKNOWN: &str = "–";

/// Power: `234 W`, `1.23 kW`, `−512 W`.
pub(crate) fn power(watts: f64, language: &Language) -> String {
    quantity(watts, Units::Watts, language)
}

/// Energy: `42 Wh`, `0.42 kWh`, `1234 kWh`.
pub(crate) fn energy(watthours: f64, language: &Language) -> String {
    quantity(watthours, Units::Watthours, language)
}

/// Money: `1.25 €`.
pub(crate) fn money(amount: f64, currency: &str, language: &Language) -> String {
    with_unit(amount, 2, currency, language)
}

/// The price per kilowatt-hour: `0.3215 EUR / kWh`.
pub(crate) fn price(price: Decimal, currency: &Currency, language: &Language) -> String {
    let price = language.number(&price.to_string());
    format!("{price}{THIN}{}{THIN}/{THIN}kWh", currency.as_str())
}

/// The difference between two energies in watt-hours, in percent. `None` if it means nothing: `before` is about zero or negative,
/// `now` is negative, or more than ten times `before`.
pub(crate) fn percent(now: f64, before: f64, language: &Language) -> Option<PercentChange> {
    // Changes of less energy are mostly chance.
    percent_from(100.0, (now, before), language)
}

/// The same of two amounts of money.
pub(crate) fn percent_of_money(
    now: f64,
    before: f64,
    language: &Language,
) -> Option<PercentChange> {
    percent_from(0.1, (now, before), language)
}

/// The difference in percent from a `before` of at least this.
fn percent_from(
    least: f64,
    (now, before): (f64, f64),
    language: &Language,
) -> Option<PercentChange> {
    if before < least || now < 0.0 {
        return None;
    }
    let percent = (now / before - 1.0) * 100.0;
    (percent < 1_000.0).then(|| PercentChange {
        text: with_unit(percent.abs(), 0, "%", language),
        // By the rounded number: what is shown as 0 % is neither more nor less.
        is_more: percent.round() > 0.0,
        is_less: percent.round() < 0.0,
        word: match percent.round() {
            rounded if rounded > 0.0 => language.say("change-more"),
            rounded if rounded < 0.0 => language.say("change-less"),
            _ => language.say("change-none"),
        },
    })
}

/// A difference in percent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PercentChange {
    /// Without its sign.
    pub(crate) text: String,
    pub(crate) is_more: bool,
    pub(crate) is_less: bool,
    /// In which direction, for those who cannot see its arrow.
    pub(crate) word: String,
}

/// A share from 0 to 1 in percent: `64 %`, `4.2 %`. What is more than nothing is not shown as nothing.
pub(crate) fn share(share: f64, language: &Language) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 9.95 {
        with_unit(percent.max(0.1), 1, "%", language)
    } else {
        with_unit(percent, 0, "%", language)
    }
}

/// A count: `2 075 259`.
pub(crate) fn count(number: u64, language: &Language) -> String {
    language.number(&number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        text.replace(THIN, " ")
    }

    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1000"),
            (12_345, "12 345"),
            (2_075_259, "2 075 259"),
        ] {
            assert_eq!(plain(&count(number, Language::english())), text);
        }
    }

    #[test]
    fn prices_keep_their_digits() {
        let dear = Decimal::parse_price("0.3215").unwrap();
        let euro = Currency::new("EUR").unwrap();
        let shown = |language| plain(&price(dear, &euro, language));
        assert_eq!(shown(Language::english()), "0.3215 EUR / kWh");
        assert_eq!(shown(Language::of_tag("de").unwrap()), "0,3215 EUR / kWh");
    }

    #[test]
    fn changes_are_in_percent_or_none() {
        let change = |now, before| {
            let change = percent(now, before, Language::english());
            change.map(|it| (plain(&it.text), it.is_more, it.is_less))
        };
        assert_eq!(change(1_120.0, 1_000.0), Some(("12 %".into(), true, false)));
        assert_eq!(change(500.0, 1_000.0), Some(("50 %".into(), false, true)));
        assert_eq!(change(1_001.0, 1_000.0), Some(("0 %".into(), false, false)));
        for (now, before) in [
            (1.0, 0.0),
            (-1.0, 1_000.0),
            (1_000.0, -1_000.0),
            (1e9, 1_000.0),
        ] {
            assert_eq!(change(now, before), None);
        }
    }
}
