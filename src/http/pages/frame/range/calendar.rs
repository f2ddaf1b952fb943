//! The range that a choice selects, and the ranges around it.

use std::ops::Range;

use super::choice::{RangeChoice, RangeWord, count_of_days, days_of, end_of, whole_days};
use crate::chart::Wording;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, Calendar, Interval, LocalDate, SoFar, TimeRange, Timestamp, Zone};
use crate::http::pages::frame::Visit;
use crate::ledger::contract::Contract;
use crate::texts::Language;

/// A range, and the ranges around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownRange {
    /// From its start until before its end.
    pub(crate) range: Range<Timestamp>,
    /// The range of the same length before it.
    pub(crate) before: Range<Timestamp>,
    /// The compared ranges: for the current range its part so far, and an equal part of the
    /// previous one.
    pub(crate) so_far: SoFar,
    /// The length of a bar.
    pub(crate) interval: Interval,
    /// Its name.
    pub(crate) title: String,
    pub(crate) earlier: Option<RangeChoice>,
    /// `None` if it would be in the future.
    pub(crate) later: Option<RangeChoice>,
    /// Whether its first and last bars are parts of a month.
    pub(crate) is_cut: bool,
}

/// An account's calendar, with everything that ranges depend on.
#[derive(Clone, Debug)]
pub(crate) struct RangeCalendar {
    zone: Zone,
    language: &'static Language,
    now: Timestamp,
    /// The first days of the contracts, ascending.
    contracts: Vec<LocalDate>,
    /// The time of the first reading, which is the start of the range "all".
    pub(crate) first: Option<Timestamp>,
}

impl RangeCalendar {
    /// The language of its words.
    pub(crate) const fn language(&self) -> &'static Language {
        self.language
    }

    /// The calendar of an account at the current time.
    pub(crate) fn of(visit: &Visit, account: &Account) -> Self {
        let registry = visit.app.store.registry();
        let contracts = registry.contracts(&account.name);
        let contracts = contracts.map(|all| all.all().iter().map(Contract::from).collect());
        Self {
            contracts: contracts.unwrap_or_default(),
            ..Self::new(&account.zone, visit.language(), visit.app.counted_now())
        }
    }

    /// The calendar of a zone at `now`, without contracts.
    pub(crate) fn new(zone: &Zone, language: &'static Language, now: Timestamp) -> Self {
        Self {
            zone: zone.clone(),
            language,
            now,
            contracts: Vec::new(),
            first: None,
        }
    }

    #[cfg(test)]
    pub(super) fn with_contracts(self, contracts: Vec<LocalDate>) -> Self {
        Self { contracts, ..self }
    }

    /// Whether there is a contract.
    pub(super) fn has_contract(&self) -> bool {
        !self.contracts.is_empty()
    }

    /// The wording of its times.
    pub(crate) const fn wording(&self) -> Wording<'_> {
        Wording::new(&self.zone, self.language)
    }

    /// The time that it was made for.
    pub(crate) const fn now(&self) -> Timestamp {
        self.now
    }

    /// The first and the last day of a range.
    pub(crate) fn dates(&self, range: &Range<Timestamp>) -> [LocalDate; 2] {
        days_of(range.start, range.end, &self.zone)
    }

    /// The range that a choice selects, exact to the day or the moment.
    pub(crate) fn shown(&self, choice: RangeChoice) -> ShownRange {
        let day_ago = self.now.saturating_add_millis(-MS_PER_DAY);
        match choice {
            RangeChoice::Named(RangeWord::LastDay, _) => ShownRange {
                title: self.language.say("chart-last-24-hours"),
                later: None,
                ..self.between(day_ago..self.now)
            },
            RangeChoice::Named(RangeWord::All, _) => {
                // At least a day, so that there is something to see from the first minute on.
                let from = self.first.unwrap_or(day_ago).min(day_ago);
                let since = [("date", self.wording().date(from).into())];
                ShownRange {
                    title: self.language.fill("chart-since", since),
                    earlier: None,
                    later: None,
                    ..self.between(from..self.now)
                }
            }
            RangeChoice::Named(RangeWord::Contract, at) => {
                self.contract_year(LocalDate::at(at.unwrap_or(self.now), &self.zone))
            }
            RangeChoice::Named(word, at) => self.unit(word, at.unwrap_or(self.now)),
            RangeChoice::Between(range) => self.between(range.start()..range.end()),
        }
    }

    /// The same, with many days widened to whole bars.
    pub(crate) fn in_bars(&self, choice: RangeChoice) -> ShownRange {
        let shown = self.shown(choice);
        match choice {
            RangeChoice::Named(..) => shown,
            RangeChoice::Between(_) => self.in_whole(choice, shown.interval),
        }
    }

    /// The range widened to whole buckets of `interval`, so that no bar is cut; its title reflects
    /// that.
    pub(crate) fn in_whole(&self, choice: RangeChoice, interval: Interval) -> ShownRange {
        let shown = self.shown(choice);
        let mut calendar = Calendar::new(self.zone.clone(), interval);
        let from = calendar.bucket(shown.range.start).start();
        let last = shown.range.end.saturating_add_millis(-1);
        let range = from..until_before(calendar.bucket(last)).end;
        if range == shown.range {
            return ShownRange { interval, ..shown };
        }
        let wide = match choice {
            RangeChoice::Between(_) => self.beside(range, interval),
            RangeChoice::Named(RangeWord::LastDay, _) => ShownRange {
                title: shown.title,
                ..self.beside(range, interval)
            },
            // The ranges beside it have the same name, independent of the width of the bars.
            RangeChoice::Named(..) => ShownRange {
                range,
                interval,
                ..shown
            },
        };
        let whole = match interval {
            Interval::QuarterHour => self.language.say("chart-whole-quarters"),
            Interval::Hour => self.language.say("chart-whole-hours"),
            Interval::Day => self.language.say("chart-whole-days"),
            Interval::Month => self.language.say("chart-whole-months"),
            _ => self.language.say("chart-whole-years"),
        };
        ShownRange {
            title: format!("{}, {whole}", wide.title),
            ..wide
        }
    }

    fn unit(&self, word: RangeWord, at: Timestamp) -> ShownRange {
        let unit = word.unit().unwrap_or(Interval::Day);
        let weeks = self.language.week_start();
        let mut calendar = Calendar::new(self.zone.clone(), unit).with_weeks_from(weeks);
        // Units have no common length, so their neighbours are found by the calendar.
        let range = until_before(calendar.bucket(at));
        let before = until_before(calendar.bucket(range.start.saturating_add_millis(-1)));
        let so_far = if range.contains(&self.now) {
            calendar.so_far(self.now)
        } else {
            whole(&range, &before)
        };
        let (wording, start) = (self.wording(), range.start);
        ShownRange {
            title: match unit {
                Interval::Week => {
                    let date = [("date", wording.date(start).into())];
                    self.language.fill("chart-week-of", date)
                }
                _ => wording.bucket_name(start, unit),
            },
            earlier: Some(RangeChoice::Named(word, Some(before.start))),
            later: self.is_over(&range).then(|| {
                let next = calendar.bucket(range.end);
                // Without a time, it remains the current one as time passes.
                let at = (!next.contains(self.now)).then_some(range.end);
                RangeChoice::Named(word, at)
            }),
            range,
            before,
            so_far,
            interval: match unit {
                Interval::Hour | Interval::Day => Interval::Hour,
                Interval::Week | Interval::Month => Interval::Day,
                _ => Interval::Month,
            },
            is_cut: false,
        }
    }

    /// The year containing `date` that begins at the month and day of the newest contract in force
    /// at that date.
    fn contract_year(&self, date: LocalDate) -> ShownRange {
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
        // A year that is cut off by an end of the calendar reaches up to that end.
        let start = |year, end| begins(year).map_or(end, |date| date.start(&self.zone));
        let range = start(year, Timestamp::MIN)..start(year.saturating_add(1), Timestamp::MAX);
        let before = start(year.saturating_sub(1), Timestamp::MIN)..range.start;
        let to = |start| RangeChoice::Named(RangeWord::Contract, Some(start));
        ShownRange {
            title: self.title(&range),
            earlier: Some(to(before.start)),
            later: self.is_over(&range).then(|| to(range.end)),
            so_far: self.so_far(&range, &before),
            range,
            before,
            interval: Interval::Month,
            is_cut: day != 1,
        }
    }

    fn between(&self, range: Range<Timestamp>) -> ShownRange {
        /// The longest ranges, in days, that are shown by hours, by days and by months.
        const MOST_BY_HOUR: i64 = 3;
        const MOST_BY_DAY: i64 = 100;
        const MOST_BY_MONTH: i64 = 1_100;
        let interval = match count_of_days(self.dates(&range)) {
            days if days <= MOST_BY_HOUR => Interval::Hour,
            days if days <= MOST_BY_DAY => Interval::Day,
            days if days <= MOST_BY_MONTH => Interval::Month,
            _ => Interval::Year,
        };
        ShownRange {
            interval,
            ..self.beside(range, Interval::Day)
        }
    }

    /// A range with ranges of equal length beside it: in whole bars of months or years, in days if
    /// it consists of days, or by its length.
    fn beside(&self, range: Range<Timestamp>, interval: Interval) -> ShownRange {
        let (before, after) = if matches!(interval, Interval::Month | Interval::Year) {
            let mut calendar = Calendar::new(self.zone.clone(), interval);
            let (mut before, mut after, mut at) = (range.start, range.end, range.start);
            while at < range.end {
                before = calendar.bucket(before.saturating_add_millis(-1)).start();
                after = until_before(calendar.bucket(after)).end;
                at = until_before(calendar.bucket(at)).end;
            }
            (before, after)
        } else if let Some(days) = whole_days(range.start, range.end, &self.zone) {
            let count = i32::try_from(count_of_days(days)).unwrap_or(i32::MAX);
            let [first, last] = days;
            let moved = |date: LocalDate, by| date.plus_days(by);
            (
                moved(first, -count).map_or(Timestamp::MIN, |date| date.start(&self.zone)),
                moved(last, count).map_or(Timestamp::MAX, |date| end_of(date, &self.zone)),
            )
        } else {
            let length_ms = range.end.millis() - range.start.millis();
            (
                range.start.saturating_add_millis(-length_ms),
                range.end.saturating_add_millis(length_ms),
            )
        };
        let before = before..range.start;
        let later = RangeChoice::between(range.end, after);
        ShownRange {
            title: self.title(&range),
            earlier: RangeChoice::between(before.start, before.end),
            later: later.filter(|_| self.is_over(&range)),
            so_far: self.so_far(&range, &before),
            range,
            before,
            interval,
            is_cut: false,
        }
    }

    /// The start and end of a range in words.
    fn title(&self, range: &Range<Timestamp>) -> String {
        let wording = self.wording();
        let ends = [range.start, range.end];
        let [from, to] = match whole_days(range.start, range.end, &self.zone) {
            Some([first, last]) if first == last => return wording.date(range.start),
            Some(_) => {
                [range.start, range.end.saturating_add_millis(-1)].map(|it| wording.date(it))
            }
            None => ends.map(|time| wording.moment(time)),
        };
        let ends = [("from", from.into()), ("to", to.into())];
        self.language.fill("span-from-to", ends)
    }

    fn is_over(&self, range: &Range<Timestamp>) -> bool {
        range.end <= self.now
    }

    /// The range up to now, and an equal part of the previous one.
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

impl ShownRange {
    /// The range for power, without its very end: a reading at the end belongs to the next range.
    pub(crate) fn of_power(&self) -> TimeRange {
        let last = self.range.end.saturating_add_millis(-1);
        TimeRange::new(self.range.start, last).unwrap_or(TimeRange::at(self.range.start))
    }

    /// The range for energy, including its very end: the register there counts the use up to then.
    pub(crate) fn of_energy(&self) -> TimeRange {
        with_end(&self.range)
    }
}

fn until_before(bucket: TimeRange) -> Range<Timestamp> {
    bucket.start()..bucket.end().saturating_add_millis(1)
}

fn with_end(range: &Range<Timestamp>) -> TimeRange {
    TimeRange::new(range.start, range.end).unwrap_or(TimeRange::at(range.start))
}

fn whole(range: &Range<Timestamp>, before: &Range<Timestamp>) -> SoFar {
    SoFar {
        now: with_end(range),
        before: with_end(before),
    }
}
