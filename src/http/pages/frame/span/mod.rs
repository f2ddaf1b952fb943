//! The range of time that a page is about, as its address has it: `range` (`day`, `week`, `month`, `year`, `contract`) with `at`, a
//! date in it; or `from` and `to`, the first and the last day. Dates are those of the account's calendar.
//!
//! - `asked`: what a page takes, what is typed wrong in its form, and links to its ranges

use std::ops::Range;

use crate::domain::time::MS_PER_DAY;
use crate::domain::words::words;
use crate::domain::{Account, Calendar, Interval, LocalDate, SoFar, TimeRange, Timestamp, Zone};
use crate::http::pages::frame::Visit;
use crate::http::pages::frame::address::query_string;
use crate::ledger::contract::Contract;

mod asked;

pub(crate) use self::asked::SpanRules;

/// A choice of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanChoice {
    /// Part of the calendar: the one with this date in it, or today.
    Unit(SpanUnit, Option<LocalDate>),
    /// From the first until the last day.
    Days(LocalDate, LocalDate),
}

/// A part of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanUnit {
    Day,
    Week,
    Month,
    Year,
    /// The year that begins at month and day of the contract.
    Contract,
}

words! {
    SpanUnit: Day "day", Week "week", Month "month", Year "year", Contract "contract";
    "day, week, month, year or contract"
}

/// A range, and what lies around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownSpan {
    /// From its start until before its end.
    pub(crate) range: Range<Timestamp>,
    /// As long a range before it.
    pub(crate) before: Range<Timestamp>,
    /// What is compared: of the range that is running its part so far, and as much of the one before.
    pub(crate) so_far: SoFar,
    /// The length of a bar.
    pub(crate) interval: Interval,
    pub(crate) earlier: SpanChoice,
    /// `None` if that lies in the future.
    pub(crate) later: Option<SpanChoice>,
    /// Whether it was widened to whole bars.
    pub(crate) is_widened: bool,
    /// Whether its first and last bar are parts of a month.
    pub(crate) is_cut: bool,
}

/// The calendar of an account, as far as ranges depend on it.
#[derive(Clone, Debug)]
pub(crate) struct SpanCalendar {
    zone: Zone,
    now: Timestamp,
    /// The first days of the contracts, ascending.
    contracts: Vec<LocalDate>,
}

/// Days in a range of hours, of days and of months as bars.
const MOST_DAYS_BY_HOUR: i64 = 3;
const MOST_DAYS_BY_DAY: i64 = 100;
const MOST_DAYS_BY_MONTH: i64 = 1_100;

/// This month.
impl Default for SpanChoice {
    fn default() -> Self {
        Self::Unit(SpanUnit::Month, None)
    }
}

impl SpanChoice {
    /// Its parameters in an address.
    fn parameters(self) -> Vec<(&'static str, String)> {
        match self {
            Self::Unit(unit, at) => {
                let range = ("range", unit.as_str().to_owned());
                let at = at.map(|at| ("at", at.to_string()));
                [range].into_iter().chain(at).collect()
            }
            Self::Days(from, to) => vec![("from", from.to_string()), ("to", to.to_string())],
        }
    }

    /// The address of this range of an account, on the page at `path`.
    pub(crate) fn address(self, path: &str, account: Option<&str>) -> String {
        let account = account.map(|name| ("account", name.to_owned()));
        let all: Vec<_> = account.into_iter().chain(self.parameters()).collect();
        format!("{path}{}", query_string(&all))
    }

    /// The same date in another unit.
    pub(crate) fn with_unit(self, unit: SpanUnit) -> Self {
        match self {
            Self::Unit(_, at) => Self::Unit(unit, at),
            Self::Days(from, _) => Self::Unit(unit, Some(from)),
        }
    }

    /// The range that it stands for, in whole bars.
    pub(crate) fn shown(self, calendar: &SpanCalendar) -> ShownSpan {
        match self {
            Self::Unit(SpanUnit::Contract, at) => {
                calendar.contract_year(at.unwrap_or_else(|| calendar.today()))
            }
            Self::Unit(unit, at) => {
                let at = at.map_or(calendar.now, |date| date.start(&calendar.zone));
                calendar.unit(unit, at)
            }
            Self::Days(from, to) => {
                let interval = match days(from, to) {
                    days if days <= MOST_DAYS_BY_HOUR => Interval::Hour,
                    days if days <= MOST_DAYS_BY_DAY => Interval::Day,
                    days if days <= MOST_DAYS_BY_MONTH => Interval::Month,
                    _ => Interval::Year,
                };
                calendar.days(from, to, interval)
            }
        }
    }

    /// The same to the day, however many these are: for a statement, which has no bars.
    pub(crate) fn to_the_day(self, calendar: &SpanCalendar) -> ShownSpan {
        match self {
            Self::Days(from, to) => calendar.days(from, to, Interval::Hour),
            unit @ Self::Unit(..) => unit.shown(calendar),
        }
    }
}

impl SpanCalendar {
    /// The calendar of an account now.
    pub(crate) fn of(visit: &Visit, account: &Account) -> Self {
        let registry = visit.app.store.registry();
        let contracts = registry.contracts(&account.name);
        let contracts = contracts.map(|all| all.all().iter().map(Contract::from).collect());
        Self::new(
            account,
            contracts.unwrap_or_default(),
            visit.app.counted_now(),
        )
    }

    /// The calendar of an account at `now`, with the first days of its contracts in ascending order.
    fn new(account: &Account, contracts: Vec<LocalDate>, now: Timestamp) -> Self {
        Self {
            zone: account.zone.clone(),
            now,
            contracts,
        }
    }

    /// Whether there is a contract.
    fn has_contract(&self) -> bool {
        !self.contracts.is_empty()
    }

    /// Its time zone.
    pub(crate) const fn zone(&self) -> &Zone {
        &self.zone
    }

    /// The time that it was made for.
    pub(crate) const fn now(&self) -> Timestamp {
        self.now
    }

    /// The first and the last day of a range.
    pub(crate) fn dates(&self, range: &Range<Timestamp>) -> [LocalDate; 2] {
        [self.date(range.start), self.last_date(range)]
    }

    fn today(&self) -> LocalDate {
        self.date(self.now)
    }

    /// The date of a time.
    fn date(&self, time: Timestamp) -> LocalDate {
        LocalDate::of_shown(self.zone.shown_at(time))
    }

    fn unit(&self, unit: SpanUnit, at: Timestamp) -> ShownSpan {
        let (by, interval) = match unit {
            SpanUnit::Day => (Interval::Day, Interval::Hour),
            SpanUnit::Week => (Interval::Week, Interval::Day),
            SpanUnit::Month => (Interval::Month, Interval::Day),
            SpanUnit::Year | SpanUnit::Contract => (Interval::Year, Interval::Month),
        };
        let mut calendar = Calendar::new(self.zone.clone(), by);
        let range = until_before(calendar.bucket(at));
        let before = until_before(calendar.bucket(range.start.saturating_add_millis(-1)));
        let to = |start| SpanChoice::Unit(unit, Some(self.date(start)));
        let so_far = if range.contains(&self.now) {
            calendar.so_far(self.now)
        } else {
            whole(&range, &before)
        };
        ShownSpan {
            earlier: to(before.start),
            later: self.is_over(&range).then(|| to(range.end)),
            range,
            before,
            so_far,
            interval,
            is_widened: false,
            is_cut: false,
        }
    }

    /// The year with `date` in it that begins at month and day of the newest contract that holds then.
    fn contract_year(&self, date: LocalDate) -> ShownSpan {
        let known = self.contracts.partition_point(|from| *from <= date);
        let contract = self.contracts.get(known.saturating_sub(1));
        let (month, day) = contract.map_or((1, 1), |from| (from.month(), from.day()));
        let begins = |year: i32| {
            // 29 February is the 28th in most years.
            let date = LocalDate::new(year, month, day);
            date.or_else(|| LocalDate::new(year, month, day.saturating_sub(1)))
        };
        let year = date.year();
        let is_this = begins(year).is_some_and(|begin| begin <= date);
        let year = if is_this {
            year
        } else {
            year.saturating_sub(1)
        };
        // A year that is cut off by an end of the calendar reaches up to there.
        let start = |year, end| begins(year).map_or(end, |date| date.start(&self.zone));
        let range = start(year, Timestamp::MIN)..start(year.saturating_add(1), Timestamp::MAX);
        let before = start(year.saturating_sub(1), Timestamp::MIN)..range.start;
        let to = |start| SpanChoice::Unit(SpanUnit::Contract, Some(self.date(start)));
        ShownSpan {
            earlier: to(before.start),
            later: self.is_over(&range).then(|| to(range.end)),
            so_far: self.so_far(&range, &before),
            range,
            before,
            interval: Interval::Month,
            is_widened: false,
            is_cut: day != 1,
        }
    }

    fn days(&self, from: LocalDate, to: LocalDate, interval: Interval) -> ShownSpan {
        let asked = from.start(&self.zone)..self.end_of(to);
        let mut calendar = Calendar::new(self.zone.clone(), interval);
        let last = asked.end.saturating_add_millis(-1);
        let start = calendar.bucket(asked.start).start();
        let range = start..until_before(calendar.bucket(last)).end;
        let (first, last) = (self.date(range.start), self.last_date(&range));
        // By hours it is moved by days, else by whole bars.
        let (before, after) = if interval == Interval::Hour {
            let count = i32::try_from(days(first, last)).unwrap_or(1);
            let moved = |date: LocalDate, by| date.plus_days(by).unwrap_or(date);
            let start = |date: LocalDate| date.start(&self.zone);
            let after = self.end_of(moved(last, count));
            (start(moved(first, -count))..range.start, range.end..after)
        } else {
            let (mut before, mut after, mut at) = (range.start, range.end, range.start);
            while at < range.end {
                at = until_before(calendar.bucket(at)).end;
                before = calendar.bucket(before.saturating_add_millis(-1)).start();
            }
            at = range.start;
            while at < range.end {
                at = until_before(calendar.bucket(at)).end;
                after = until_before(calendar.bucket(after)).end;
            }
            (before..range.start, range.end..after)
        };
        let dates = |range: &Range<Timestamp>| {
            SpanChoice::Days(self.date(range.start), self.last_date(range))
        };
        ShownSpan {
            earlier: dates(&before),
            later: self.is_over(&range).then(|| dates(&after)),
            so_far: self.so_far(&range, &before),
            is_widened: range != asked,
            range,
            before,
            interval,
            is_cut: false,
        }
    }

    fn last_date(&self, range: &Range<Timestamp>) -> LocalDate {
        self.date(range.end.saturating_add_millis(-1))
    }

    fn end_of(&self, date: LocalDate) -> Timestamp {
        let next = date.plus_days(1).unwrap_or(date);
        next.start(&self.zone)
    }

    fn is_over(&self, range: &Range<Timestamp>) -> bool {
        range.end <= self.now
    }

    /// The range up to now, and as much of the one before.
    fn so_far(&self, range: &Range<Timestamp>, before: &Range<Timestamp>) -> SoFar {
        if !range.contains(&self.now) {
            return whole(range, before);
        }
        let passed_ms = self.now.millis() - range.start.millis();
        let until = before.start.saturating_add_millis(passed_ms);
        whole(
            &(range.start..self.now),
            &(before.start..until.min(before.end)),
        )
    }
}

/// The days from one date to another, both included.
fn days(from: LocalDate, to: LocalDate) -> i64 {
    (to.midnight().millis() - from.midnight().millis()) / MS_PER_DAY + 1
}

fn until_before(bucket: TimeRange) -> Range<Timestamp> {
    bucket.start()..bucket.end().saturating_add_millis(1)
}

fn whole(range: &Range<Timestamp>, before: &Range<Timestamp>) -> SoFar {
    let of = |range: &Range<Timestamp>| {
        TimeRange::new(range.start, range.end).unwrap_or(TimeRange::at(range.start))
    };
    SoFar {
        now: of(range),
        before: of(before),
    }
}

#[cfg(test)]
mod tests;
