//! A notice about a new peak ahead.

use super::kind::{Notice, NoticeKind, NoticeSubject, PeakAhead};
use crate::domain::{MicroWh, Timestamp};

/// Opens some minutes before the end of a span that is likely to make a new peak, and closes when the
/// span ends. The span began at `since`.
#[must_use]
pub fn peak_ahead(ahead: PeakAhead, since: Timestamp) -> Notice {
    let minutes = (ahead.until.millis() - since.millis()) / 60_000;
    let kilowatts = |power: MicroWh| power.watthours() / 1_000.0;
    Notice {
        kind: NoticeKind::PeakAhead,
        happened: format!(
            "The house is likely to draw {:.1} kW on average in these {minutes} minutes, more than the {:.1} kW that the period reaches anyway. That costs {:.2} {} more.",
            kilowatts(ahead.likely),
            kilowatts(ahead.level),
            ahead.rise.to_f64(),
            ahead.currency.as_str(),
        ),
        since,
        subject: NoticeSubject::Peak(ahead),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Currency, Decimal};

    #[test]
    fn a_peak_ahead_tells_how_much_and_what_it_costs() {
        let since = Timestamp::parse("2026-11-29T17:15:00").unwrap();
        let notice = peak_ahead(
            PeakAhead {
                until: Timestamp::parse("2026-11-29T17:30:00").unwrap(),
                likely: MicroWh::new(5_642_000_000),
                level: MicroWh::new(5_100_000_000),
                rise: Decimal::parse("2.4").unwrap(),
                currency: Currency::new("EUR").unwrap(),
            },
            since,
        );
        assert_eq!(
            notice.happened,
            "The house is likely to draw 5.6 kW on average in these 15 minutes, more than the 5.1 kW that the period reaches anyway. That costs 2.40 EUR more."
        );
        assert_eq!(notice.id(), "peak-ahead:2026-11-29T17:15:00.000Z");
    }
}
