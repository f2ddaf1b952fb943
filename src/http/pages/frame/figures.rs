//! Numbers as the pages show them; power and energy as in charts. The examples are English.

use bytesize::ByteSize;

use crate::chart::{quantity, with_unit};
use crate::domain::{Currency, Decimal, MicroWh};
use crate::house::Energy;
use crate::ledger::AmountGap;
use crate::ledger::contract::Percent;
use crate::query::Units;
use crate::texts::Language;

/// A thin non-breaking space.
const THIN: char = '\u{202F}';
/// Shown for an unknown number.
pub(crate) const UNKNOWN: &str = "–";

/// Power: `234 W`, `1.23 kW`, `−512 W`.
pub(crate) fn power(watts: f64, language: &Language) -> String {
    quantity(watts, Units::Watts, language)
}

/// Energy: `42 Wh`, `0.42 kWh`, `1234 kWh`.
pub(crate) fn energy(watthours: f64, language: &Language) -> String {
    quantity(watthours, Units::Watthours, language)
}

/// The gap of an amount, to be shown beside it: `without 14,272 kWh and 12 % of the time`.
pub(crate) fn without(gap: AmountGap, language: &Language) -> String {
    let kilowatthours = gap.unpriced.watthours() / 1_000.0;
    let unpriced = if kilowatthours < 1.0 {
        energy(gap.unpriced.watthours(), language)
    } else {
        let decimals = usize::from(kilowatthours < 100.0);
        with_unit(kilowatthours, decimals, "kWh", language)
    };
    let values = [
        ("energy", unpriced.into()),
        ("share", share(gap.missing, language).into()),
    ];
    let has_unpriced = gap.unpriced > MicroWh::ZERO;
    match (has_unpriced, gap.missing > 0.0) {
        (true, true) => language.fill("amount-without-both", values),
        (true, false) => language.fill("amount-without-energy", values),
        (false, _) => language.fill("amount-without-time", values),
    }
}

/// The cost of energy, with its gap beside it; `None` without a cost.
pub(crate) fn cost_of(energy: Energy, currency: &str, language: &Language) -> Option<String> {
    let cost = money(energy.cost?, currency, language);
    Some(match energy.gap {
        Some(gap) => format!("{cost} {}", without(gap, language)),
        None => cost,
    })
}

/// A currency as people write it behind an amount: `€` for `EUR`.
pub(crate) fn currency_sign(currency: &str) -> &str {
    match currency {
        "EUR" => "€",
        "GBP" => "£",
        other => other,
    }
}

/// The unit for prices of a kilowatt-hour, such as the cent, and the number of them in one of the
/// currency. That of the Swiss franc depends on the language: Rappen, centime.
pub(crate) fn minor_unit<'a>(currency: &'a str, language: &Language) -> (&'a str, f64) {
    match currency {
        "EUR" | "€" => ("ct", 100.0),
        "GBP" | "£" => ("p", 100.0),
        "USD" | "CAD" | "AUD" | "NZD" | "SGD" => ("¢", 100.0),
        "CHF" if language.tag() == "fr" => ("ct.", 100.0),
        "CHF" => ("Rp.", 100.0),
        "DKK" | "NOK" => ("øre", 100.0),
        "SEK" => ("öre", 100.0),
        "PLN" => ("gr", 100.0),
        other => (other, 1.0),
    }
}

/// The unit of a price per kilowatt-hour: `ct / kWh`.
pub(crate) fn per_kwh(unit: &str) -> String {
    format!("{unit}{THIN}/{THIN}kWh")
}

/// A price in such a unit, rounded: `35.4 ct / kWh`. So many units make one of the currency.
pub(crate) fn rounded_price(price: f64, (size, unit): (f64, &str), language: &Language) -> String {
    // Of a currency without a smaller unit, so much is about a tenth of a cent.
    let decimals = if size == 1.0 { 3 } else { 1 };
    with_unit(price, decimals, unit, language)
}

/// Money, rounded: `1.25 €`.
pub(crate) fn money(amount: f64, currency: &str, language: &Language) -> String {
    with_unit(amount, 2, currency_sign(currency), language)
}

/// Money with all its digits: `12.50`, `0.3215`.
pub(crate) fn exact_money(amount: Decimal, language: &Language) -> String {
    let mut plain = amount.to_string();
    let decimals = plain.rfind('.').map_or(0, |at| plain.len() - at - 1);
    if decimals < 2 {
        plain.push_str(if decimals == 0 { ".00" } else { "0" });
    }
    language.number(&plain.replace('-', "\u{2212}"))
}

/// A percentage with all its digits: `5.11269632 %`.
pub(crate) fn exact_percent(percent: Percent, language: &Language) -> String {
    let number = language.number(&percent.to_string());
    format!("{number}{THIN}%")
}

/// The price per kilowatt-hour: `0.3215 € / kWh`.
pub(crate) fn price(price: Decimal, currency: &Currency, language: &Language) -> String {
    let (price, sign) = (
        exact_money(price, language),
        currency_sign(currency.as_str()),
    );
    format!("{price}{THIN}{sign}{THIN}/{THIN}kWh")
}

/// The difference between two energies in watt-hours, in percent. `None` if it would be
/// meaningless: `before` is about zero or negative, `now` is negative, or more than ten times
/// `before`.
pub(crate) fn percent(now: f64, before: f64, language: &Language) -> Option<PercentChange> {
    // Changes of less energy are mostly chance.
    percent_from(100.0, (now, before), language)
}

/// The same for two amounts of money.
pub(crate) fn percent_of_money(
    now: f64,
    before: f64,
    language: &Language,
) -> Option<PercentChange> {
    percent_from(0.1, (now, before), language)
}

/// The difference in percent, if `before` is at least this.
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
        text: match percent.round() {
            0.0 => language.say("change-none"),
            rounded => with_unit(rounded.abs(), 0, "%", language),
        },
        // By the rounded number: 0 % is neither more nor less.
        is_more: percent.round() > 0.0,
        is_less: percent.round() < 0.0,
        word: match percent.round() {
            rounded if rounded > 0.0 => language.say("change-more"),
            rounded if rounded < 0.0 => language.say("change-less"),
            _ => String::new(),
        },
    })
}

/// A difference in percent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PercentChange {
    /// The number, without its sign.
    pub(crate) text: String,
    pub(crate) is_more: bool,
    pub(crate) is_less: bool,
    /// The direction in words, for readers who cannot see the arrow.
    pub(crate) word: String,
}

/// A share from 0 to 1 in percent: `64 %`, `4.2 %`. A share above zero is never shown as zero.
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

/// A size in a decimal unit, like the sizes of disks: `4.8 MB`, in French `4,8 Mo`.
pub(crate) fn size(bytes: u64, language: &Language) -> String {
    let size = language.number(&ByteSize::b(bytes).display().si().to_string());
    if language.tag() == "fr" {
        size.replace('B', "o")
    } else {
        size
    }
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
            (1_000, "1 000"),
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
        assert_eq!(shown(Language::english()), "0.3215 € / kWh");
        assert_eq!(shown(Language::of_tag("de").unwrap()), "0,3215 € / kWh");
    }

    #[test]
    fn a_rappen_is_a_centime_in_french() {
        let unit = |currency, tag| minor_unit(currency, Language::of_tag(tag).unwrap());
        assert_eq!(unit("CHF", "de"), ("Rp.", 100.0));
        assert_eq!(unit("CHF", "fr"), ("ct.", 100.0));
        assert_eq!(unit("EUR", "fr"), ("ct", 100.0));
        assert_eq!(unit("JPY", "fr"), ("JPY", 1.0));
    }

    #[test]
    fn a_byte_is_an_octet_in_french() {
        let shown = |tag| size(4_800_000, Language::of_tag(tag).unwrap());
        assert_eq!(shown("de"), "4,8 MB");
        assert_eq!(shown("fr"), "4,8 Mo");
    }

    #[test]
    fn amounts_have_two_decimals_or_more() {
        let german = Language::of_tag("de").unwrap();
        for (amount, text) in [
            ("13.9", "13,90"),
            ("-7", "\u{2212}7,00"),
            ("0.12345", "0,12345"),
            ("2234.25", "2.234,25"),
        ] {
            let amount = Decimal::parse(amount).unwrap();
            assert_eq!(exact_money(amount, german), text);
        }
        assert_eq!(plain(&money(2234.25, "EUR", german)), "2.234,25 €");
        assert_eq!(plain(&money(13.9, "CHF", german)), "13,90 CHF");
    }

    #[test]
    fn changes_are_in_percent_or_none() {
        let change = |now, before| {
            let change = percent(now, before, Language::english());
            change.map(|it| (plain(&it.text), it.is_more, it.is_less))
        };
        assert_eq!(change(1_120.0, 1_000.0), Some(("12 %".into(), true, false)));
        assert_eq!(change(500.0, 1_000.0), Some(("50 %".into(), false, true)));
        assert_eq!(
            change(1_001.0, 1_000.0),
            Some(("no change".into(), false, false))
        );
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
