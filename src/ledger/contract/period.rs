//! Periods of contracts: days, months, quarters, years, and the billing periods of a utility.

use super::amount::Amount;
use super::json::{ContractError, Node, object, quoted};
use crate::domain::time::MS_PER_DAY;
use crate::domain::words::words;
use crate::domain::{Calendar, Decimal, Interval, LocalDate, TimeRange, Timestamp, Zone};

/// The period of a charge, of tiers, of a demand or of netting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// A day.
    Day,
    /// A month of the calendar.
    Month,
    /// A quarter of a year.
    Quarter,
    /// A year of the calendar.
    Year,
    /// A billing period of the contract.
    Billing,
}

words! {
    Period: Day "day", Month "month", Quarter "quarter", Year "year", Billing "billing";
    "\"day\", \"month\", \"quarter\", \"year\" or \"billing\""
}

/// The span over which a demand is averaged, or export is netted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemandSpan {
    /// An hour of the clock.
    Hour,
    /// Half an hour of the clock.
    HalfHour,
    /// A quarter of an hour of the clock.
    Quarter,
}

words! { DemandSpan: Hour "hour", HalfHour "half-hour", Quarter "quarter"; "\"hour\", \"half-hour\" or \"quarter\" (of an hour)" }

/// The billing periods of a contract: each lasts `months` months, and one begins on `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Billing {
    from: LocalDate,
    pub(super) months: u8,
}

/// Finds the period of a time.
#[derive(Clone, Debug)]
pub(super) enum Periods {
    Calendar(Calendar),
    Billing {
        billing: Billing,
        zone: Zone,
        /// The newest period: its start and its end, exclusive.
        newest: Option<(Timestamp, Timestamp)>,
    },
}

/// Shares of a price per period, by local days: each day has the same share, also one of 23 hours.
#[derive(Clone, Debug)]
pub(super) struct DayShares {
    periods: Periods,
    days: Calendar,
}

/// The months in a quarter of a year.
const QUARTERS: i64 = 3;
const EXAMPLE: &str = r#"{"from":"2026-01-17","months":1}"#;

impl DemandSpan {
    pub(super) const fn interval(self) -> Interval {
        match self {
            Self::Hour => Interval::Hour,
            Self::HalfHour => Interval::HalfHour,
            Self::Quarter => Interval::QuarterHour,
        }
    }
}

impl Billing {
    pub(super) fn read(node: &Node<'_>) -> Result<Self, ContractError> {
        let fields = node.fields(&["from", "months"], EXAMPLE)?;
        let from = fields.need("from", "\"2026-01-17\"")?;
        let date = LocalDate::parse(&from.text("\"2026-01-17\"")?);
        let months = match fields.get("months") {
            Some(node) => node.whole(1, 12)?,
            None => 1,
        };
        Ok(Self {
            from: date.map_err(|_| from.refused("a date such as \"2026-01-17\""))?,
            months,
        })
    }

    pub(super) fn write(self) -> String {
        object([
            ("from", Some(quoted(&self.from.to_string()))),
            ("months", Some(self.months.to_string())),
        ])
    }

    /// The period that contains a date: its first day, and the first day of the next one.
    fn containing(self, date: LocalDate) -> Option<(LocalDate, LocalDate)> {
        period_containing(self.from, i64::from(self.months), date)
    }
}

/// The period that contains `date`, if each lasts so many months and one begins on `from`.
fn period_containing(
    from: LocalDate,
    months: i64,
    date: LocalDate,
) -> Option<(LocalDate, LocalDate)> {
    let index = |date: LocalDate| i64::from(date.year()) * 12 + i64::from(date.month()) - 1;
    let start = |nth: i64| {
        let month = index(from) + nth * months;
        let year = i32::try_from(month.div_euclid(12)).ok()?;
        let month = u8::try_from(month.rem_euclid(12) + 1).ok()?;
        // A period from the 31st begins on the last day of shorter months.
        (28..=from.day().max(28))
            .rev()
            .chain([from.day()])
            .find_map(|day| {
                let day = day.min(from.day());
                LocalDate::new(year, month, day)
            })
    };
    let nth = (index(date) - index(from)).div_euclid(months);
    let nth = if start(nth)? <= date { nth } else { nth - 1 };
    Some((start(nth)?, start(nth + 1)?))
}

impl Periods {
    /// The periods of a kind, by the clocks of `zone`. Without `billing`, billing periods are
    /// months.
    pub(super) fn new(period: Period, billing: Option<Billing>, zone: &Zone) -> Self {
        let calendar = |interval| Self::Calendar(Calendar::new(zone.clone(), interval));
        let of = |billing| Self::Billing {
            billing,
            zone: zone.clone(),
            newest: None,
        };
        match (period, billing) {
            (Period::Day, _) => calendar(Interval::Day),
            (Period::Year, _) => calendar(Interval::Year),
            (Period::Quarter, _) => {
                let from = LocalDate::new(2000, 1, 1);
                from.map_or_else(
                    || calendar(Interval::Month),
                    |from| {
                        let months = u8::try_from(QUARTERS).unwrap_or(1);
                        of(Billing { from, months })
                    },
                )
            }
            (Period::Billing, Some(billing)) => of(billing),
            (Period::Month | Period::Billing, _) => calendar(Interval::Month),
        }
    }

    /// Hours, or parts of an hour.
    pub(super) fn of_spans(span: DemandSpan, zone: &Zone) -> Self {
        Self::Calendar(Calendar::new(zone.clone(), span.interval()))
    }

    /// The period that contains a time, if it began before and is a period of these others, too.
    pub(super) fn going_on(
        &mut self,
        before: &Self,
        time: Timestamp,
    ) -> Option<(Timestamp, Timestamp)> {
        let period = self.containing(time);
        let is_same = period.0 < time && before.clone().containing(time) == period;
        is_same.then_some(period)
    }

    /// The period that contains a time: its start and its end, exclusive.
    pub(super) fn containing(&mut self, time: Timestamp) -> (Timestamp, Timestamp) {
        match self {
            Self::Calendar(calendar) => {
                let bucket = calendar.bucket(time);
                (bucket.start(), bucket.end().saturating_add_millis(1))
            }
            Self::Billing {
                billing,
                zone,
                newest,
            } => match newest {
                Some((start, end)) if *start <= time && time < *end => (*start, *end),
                _ => {
                    let found = billing.containing(LocalDate::at(time, zone));
                    let found = found.map(|(from, to)| (from.start(zone), to.start(zone)));
                    *newest.insert(found.unwrap_or((Timestamp::MIN, Timestamp::MAX)))
                }
            },
        }
    }
}

impl DayShares {
    /// Shares of these periods.
    pub(super) fn new(periods: Periods, zone: &Zone) -> Self {
        Self {
            periods,
            days: Calendar::new(zone.clone(), Interval::Day),
        }
    }

    /// The end of the period that contains a time.
    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        self.periods.containing(time).1
    }

    /// The share of a period's price between two times of one period.
    pub(super) fn between(&mut self, price: Decimal, from: Timestamp, to: Timestamp) -> Amount {
        let (start, end) = self.periods.containing(from);
        let days = days_between(start, end);
        let until = |day: TimeRange, time: Timestamp| {
            let day_ms = day.end().millis() - day.start().millis() + 1;
            let before = days_between(start, day.start()).saturating_mul(day_ms);
            let part_ms = before.saturating_add(time.millis() - day.start().millis());
            Amount::share(price, part_ms, days.saturating_mul(day_ms))
        };
        let first = self.days.bucket(from);
        // A day contains its end here, so that a slot up to midnight needs no other one.
        let last = self.days.bucket(to.saturating_add_millis(-1));
        // Both shares start at the period's beginning, so slots add up to the whole period exactly.
        until(last, to) - until(first, from)
    }
}

/// Formats a month, such as `2026-01`.
pub(super) fn month_told(zone: &Zone, month: Timestamp) -> String {
    let date = LocalDate::at(month, zone);
    format!("{:04}-{:02}", date.year(), date.month())
}

/// The number of local days between the beginnings of two days. Clocks that change add or take some
/// hours; where they skip a day, it is none.
pub(super) fn days_between(from: Timestamp, to: Timestamp) -> i64 {
    (to.millis() - from.millis() + MS_PER_DAY / 2).div_euclid(MS_PER_DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn billing_periods_have_their_days() {
        let date = |text: &str| LocalDate::parse(text).unwrap();
        for (from, months, day, first, next) in [
            ("2026-01-17", 1, "2026-02-16", "2026-01-17", "2026-02-17"),
            ("2026-01-17", 1, "2026-02-17", "2026-02-17", "2026-03-17"),
            ("2026-01-31", 1, "2026-02-28", "2026-02-28", "2026-03-31"),
            ("2026-01-31", 1, "2026-03-30", "2026-02-28", "2026-03-31"),
            ("2026-01-31", 1, "2024-02-29", "2024-02-29", "2024-03-31"),
            ("2026-03-05", 2, "2026-01-01", "2025-11-05", "2026-01-05"),
            ("2000-01-01", 3, "2026-11-27", "2026-10-01", "2027-01-01"),
        ] {
            let found = period_containing(date(from), months, date(day));
            assert_eq!(found, Some((date(first), date(next))), "{from} {day}");
        }
    }

    #[test]
    fn days_are_counted_over_changes_of_the_clocks() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let start = |text: &str| LocalDate::parse(text).unwrap().start(&berlin);
        let march = days_between(start("2026-03-01"), start("2026-04-01"));
        assert_eq!(march, 31);
    }

    /// Hours, quarters, days and longer slots of a year add up to the price of each period, each day
    /// has the same share, and a slot has its part of the day: also where clocks change, and where
    /// Samoa skipped the 30th of December.
    #[test]
    fn days_share_a_price_of_their_period() {
        let price = Decimal::parse("310.17").unwrap();
        let billing = Billing {
            from: LocalDate::parse("2026-01-17").unwrap(),
            months: 2,
        };
        for (zone, year) in [
            ("Europe/Berlin", 2026),
            ("Pacific/Apia", 2011),
            ("Australia/Lord_Howe", 2026),
        ] {
            let zone = Zone::parse(zone).unwrap();
            let start = |year| LocalDate::new(year, 1, 1).unwrap().start(&zone);
            for period in Period::ALL {
                let periods = || Periods::new(period, Some(billing), &zone);
                for step in [1, 4, 24, 97].map(|hours| hours * 3_600_000) {
                    let mut shares = DayShares::new(periods(), &zone);
                    let mut days = Calendar::new(zone.clone(), Interval::Day);
                    let (mut at, mut whole) = (start(year), Amount::ZERO);
                    let mut of_days = std::collections::BTreeMap::new();
                    while at < start(year + 1) {
                        let to = at.saturating_add_millis(step).min(shares.until(at));
                        let share = shares.between(price, at, to);
                        let day = days.bucket(at);
                        if days.bucket(to.saturating_add_millis(-1)) == day {
                            let sum = of_days.entry(day.start()).or_insert((Amount::ZERO, 0));
                            let ms = to.millis() - at.millis();
                            *sum = (sum.0 + share, sum.1 + ms);
                        }
                        let (begin, end) = periods().containing(at);
                        whole = if at == begin { share } else { whole + share };
                        if to == end && begin >= start(year) {
                            assert_eq!(whole.rounded(), price, "{zone:?} {period:?} {at} {step}");
                        }
                        at = to;
                    }
                    // Equal shares of whole days in a period.
                    let mut first = std::collections::BTreeMap::new();
                    for (day, (sum, ms)) in of_days {
                        let bucket = days.bucket(day);
                        if ms == bucket.end().millis() - bucket.start().millis() + 1 {
                            let begin = periods().containing(day).0;
                            let expected = *first.entry(begin).or_insert(sum.rounded());
                            let off = expected.millionths() - sum.rounded().millionths();
                            assert!(off.abs() <= 1, "{zone:?} {period:?} {day} {step}");
                        }
                    }
                }
            }
        }
    }
}
