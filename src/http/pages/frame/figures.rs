//! Numbers and times as the pages show them; power and energy as in charts.

use crate::chart::{date, grouped, quantity, with_unit};
use crate::domain::{Price, Timestamp, Zone};
use crate::query::Units;

/// A thin non-breaking space.
const THIN: char = '\u{202F}';
/// Stands for an unknown number.
pub(crate) const UNKNOWN: &str = "–";

/// Power: `234 W`, `1.23 kW`, `−512 W`.
pub(crate) fn power(watts: f64) -> String {
    quantity(watts, Units::Watts)
}

/// Energy: `42 Wh`, `0.42 kWh`, `1234 kWh`.
pub(crate) fn energy(watthours: f64) -> String {
    quantity(watthours, Units::Watthours)
}

/// Money: `1.25 €`.
pub(crate) fn money(amount: f64, currency: &str) -> String {
    with_unit(amount, 2, currency)
}

/// The price per kilowatt-hour: `0.3215 EUR / kWh`.
pub(crate) fn price(price: &Price) -> String {
    format!(
        "{}{THIN}{}{THIN}/{THIN}kWh",
        price.amount(),
        price.currency()
    )
}

/// The difference between `now` and `before` in percent. `None` if it means nothing: `before` is about zero or negative, `now`
/// is negative, or more than ten times `before`.
pub(crate) fn percent(now: f64, before: f64) -> Option<PercentChange> {
    // In watt-hours. Changes of less energy are mostly chance.
    const LEAST: f64 = 100.0;
    if before < LEAST || now < 0.0 {
        return None;
    }
    let percent = (now / before - 1.0) * 100.0;
    (percent < 1_000.0).then(|| PercentChange {
        text: with_unit(percent.abs(), 0, "%"),
        // By the rounded number: what is shown as 0 % is neither more nor less.
        is_more: percent.round() > 0.0,
        is_less: percent.round() < 0.0,
    })
}

/// A difference in percent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PercentChange {
    /// Without its sign.
    pub(crate) text: String,
    pub(crate) is_more: bool,
    pub(crate) is_less: bool,
}

/// A past moment in `zone`: just the time of day if it is today.
pub(crate) fn when(time: Timestamp, now: Timestamp, zone: &Zone) -> String {
    if date(time, zone) == date(now, zone) {
        clock(time, zone)
    } else {
        date_and_clock(time, zone)
    }
}

/// Date and time in `zone`: `5 Jan 2026, 14:05`.
pub(crate) fn date_and_clock(time: Timestamp, zone: &Zone) -> String {
    format!("{}, {}", date(time, zone), clock(time, zone))
}

/// A count: `2 075 259`.
pub(crate) fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// The time of day in `zone`: `14:05`.
pub(crate) fn clock(time: Timestamp, zone: &Zone) -> String {
    zone.format(time, "%H:%M")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        text.replace(THIN, " ")
    }

    #[test]
    fn times_are_local() {
        let at = Timestamp::parse("2026-07-31T22:05:59").unwrap();
        assert_eq!(date_and_clock(at, &Zone::UTC), "31 Jul 2026, 22:05");
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        assert_eq!(date_and_clock(at, &berlin), "1 Aug 2026, 00:05");
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
            assert_eq!(plain(&count(number)), text);
        }
    }

    #[test]
    fn prices_keep_their_digits() {
        let dear = Price::parse("0.3215", "EUR").unwrap();
        assert_eq!(plain(&price(&dear)), "0.3215 EUR / kWh");
    }

    #[test]
    fn changes_are_in_percent_or_none() {
        let change =
            |now, before| percent(now, before).map(|it| (plain(&it.text), it.is_more, it.is_less));
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

    #[test]
    fn times_of_today_have_no_date() {
        let at = |text| Timestamp::parse(text).unwrap();
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let now = at("2026-07-08T22:30:00");
        assert_eq!(when(at("2026-07-08T22:05:00"), now, &berlin), "00:05");
        assert_eq!(
            when(at("2026-07-08T21:59:59"), now, &berlin),
            "8 Jul 2026, 23:59"
        );
    }
}
