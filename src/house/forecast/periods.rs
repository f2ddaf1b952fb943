//! The running periods of an account: its month, its billing period and its year.

use std::ops::Range;

use crate::domain::time::MS_PER_DAY;
use crate::domain::{Calendar, Interval, Timestamp, Zone};
use crate::ledger::contract::Contracts;

/// A running period, from its beginning until before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunningPeriod {
    pub(super) kind: PeriodKind,
    pub(super) times: Range<Timestamp>,
    /// Whether a part before these times has no readings.
    pub(super) begins_late: bool,
}

/// Which of the periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PeriodKind {
    Month,
    Billing,
    Year,
}

/// The shortest billing period that takes the place of the year.
const LONG_MS: i64 = 364 * MS_PER_DAY;

impl PeriodKind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Billing => "billing",
            Self::Year => "year",
        }
    }
}

impl RunningPeriod {
    /// It without the part before `begin`.
    pub(super) fn not_before(self, begin: Timestamp) -> Self {
        Self {
            kind: self.kind,
            begins_late: self.times.start < begin,
            times: self.times.start.max(begin)..self.times.end,
        }
    }
}

/// The periods of an account at `now`. A billing period of a year replaces that of the calendar.
pub(super) fn running_periods(
    contracts: &Contracts,
    zone: &Zone,
    now: Timestamp,
) -> Vec<RunningPeriod> {
    let of_calendar = |interval| {
        let bucket = Calendar::new(zone.clone(), interval).bucket(now);
        bucket.start()..bucket.end().saturating_add_millis(1)
    };
    let billing = contracts.billing_period(now, zone);
    let is_long = |it: &Range<Timestamp>| it.end.millis() - it.start.millis() >= LONG_MS;
    let year = (!billing.as_ref().is_some_and(is_long)).then(|| of_calendar(Interval::Year));
    let month = of_calendar(Interval::Month);
    // A billing period from the first of a month is that month.
    let billing = billing.filter(|it| *it != month);
    let all = [
        (PeriodKind::Month, Some(month)),
        (PeriodKind::Billing, billing),
        (PeriodKind::Year, year),
    ];
    let known = all.into_iter();
    known
        .filter_map(|(kind, times)| {
            let times = times?;
            Some(RunningPeriod {
                kind,
                times,
                begins_late: false,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    fn periods(billing: &str) -> Vec<(&'static str, Timestamp, Timestamp)> {
        let contract = format!(
            r#"[{{"from":"2020-01-01","name":"c","currency":"EUR",{billing}"components":[{{"energy":{{"price":0.3}}}}]}}]"#
        );
        let contracts = Contracts::parse(&contract).unwrap();
        let found = running_periods(&contracts, &Zone::UTC, at("2026-02-20T12:00:00"));
        let parts = found.into_iter();
        parts
            .map(|it| (it.kind.as_str(), it.times.start, it.times.end))
            .collect()
    }

    #[test]
    fn a_billing_period_stands_beside_the_month() {
        let month = (
            "month",
            at("2026-02-01T00:00:00"),
            at("2026-03-01T00:00:00"),
        );
        let year = ("year", at("2026-01-01T00:00:00"), at("2027-01-01T00:00:00"));
        assert_eq!(periods(""), [month, year]);
        let monthly = r#""billing":{"from":"2026-01-01","months":1},"#;
        assert_eq!(periods(monthly), [month, year]);
        let yearly = r#""billing":{"from":"2025-06-15","months":12},"#;
        let billing = (
            "billing",
            at("2025-06-15T00:00:00"),
            at("2026-06-15T00:00:00"),
        );
        assert_eq!(periods(yearly), [month, billing]);
        let short = r#""billing":{"from":"2026-01-17","months":2},"#;
        let billing = (
            "billing",
            at("2026-01-17T00:00:00"),
            at("2026-03-17T00:00:00"),
        );
        assert_eq!(periods(short), [month, billing, year]);
    }
}
