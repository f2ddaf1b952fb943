//! The days of a house before a moment: their energy, and the course of the last ones.

use std::ops::Range;

use super::courses::{CourseWalk, Courses};
use super::flow::HouseFlow;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{LocalDate, MicroWh, SensorId, Timestamp, Zone};
use crate::house::flows::FlowSlot;
use crate::house::sensors::HouseSensors;
use crate::ledger::forecast::{DailySums, DayBasis, DaySum};
use crate::ledger::house::{HouseSum, HouseSums};
use crate::store::{Store, StoreError};

/// The days of a house, numbered from its first whole day, or as far back as forecasts look.
pub(super) struct HouseDays {
    /// Readings are known until then, or overdue.
    pub(super) until: Timestamp,
    /// The number of the day of that moment: a part of it is known.
    pub(super) today: usize,
    first: LocalDate,
    zone: Zone,
    /// The last one is that part of today.
    days: Vec<HouseDay>,
    pub(super) courses: Courses,
}

/// The energy of a day.
struct HouseDay {
    length_ms: i64,
    sums: HouseSums,
}

/// When the days of a house begin and end.
#[derive(Clone, Copy)]
pub(super) struct DaySpan {
    pub(super) until: Timestamp,
    pub(super) today: LocalDate,
    pub(super) first: LocalDate,
}

/// So many years back, and the eight weeks before them; each day has three numbers.
const MOST_DAYS: i32 = 4 * 364 + 56;
/// The same where each minute is read, because phases are netted.
const MOST_NETTED_DAYS: i32 = 2 * 364 + 56;
const QUARTER_MS: i64 = 15 * 60_000;
/// A day counts as known if at most this part of it is missing, and as measured if at most this part
/// of it is missing or estimated.
const UNKNOWN_PART: i64 = 100;

impl DaySpan {
    /// The days of a house at `now`; `None` if no sensor at the grid has readings. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn of(
        store: &Store,
        house: &HouseSensors,
        zone: &Zone,
        now: Timestamp,
    ) -> Result<Option<Self>, StoreError> {
        let at_grid = || {
            let all = house.sensors.iter();
            all.filter(|it| it.sensor.role.is_at_grid() && it.has_data())
        };
        // Not where readings are expected from: before the first meter, they always are.
        let begins = at_grid().filter(|it| it.is_import());
        let begins = begins.map(|it| it.begin(store));
        let begins: Vec<Option<Timestamp>> = begins.collect::<Result<_, _>>()?;
        let Some(begin) = begins.into_iter().flatten().min() else {
            return Ok(None);
        };
        let ends = at_grid().filter(|it| it.sensor.authorized);
        let until = ends.map(|it| it.expected.end).min();
        let until = until.unwrap_or(now).min(now).max(begin);
        let date = LocalDate::at(begin, zone);
        let is_whole = date.start(zone) == begin;
        let first = if is_whole {
            date
        } else {
            date.plus_days(1).unwrap_or(date)
        };
        let most = if house.nets_phases {
            MOST_NETTED_DAYS
        } else {
            MOST_DAYS
        };
        let today = LocalDate::at(until, zone);
        let oldest = today.plus_days(-most).unwrap_or(first);
        Ok(Some(Self {
            until,
            today,
            first: first.max(oldest).min(today),
        }))
    }
}

impl HouseDays {
    /// Reads the energy of these days in one walk: by days, and by quarters of an hour in the last
    /// eight weeks. `named` are the sensors whose course matters, too. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn read(
        store: &Store,
        house: &HouseSensors,
        (span, named): (DaySpan, &[SensorId]),
        zone: &Zone,
    ) -> Result<Self, StoreError> {
        let today = days_between(span.first, span.today);
        let starts = (0..=today).map(|day| start_of(span.first, day, zone));
        let starts: Vec<Timestamp> = starts.collect();
        let courses_from = today.saturating_sub(DayBasis::RECENT);
        let mut walk = DayWalk {
            house,
            courses: CourseWalk::new(house, named),
            days: Vec::with_capacity(starts.len()),
        };
        let mut cuts = Vec::new();
        for (day, start) in starts.iter().enumerate() {
            let end = starts.get(day + 1).copied().unwrap_or(span.until);
            let has_course = courses_from <= day && day < today;
            cuts.push((*start..end.max(*start), has_course));
        }
        walk.read(store, &cuts)?;
        Ok(Self {
            until: span.until,
            today,
            first: span.first,
            zone: zone.clone(),
            courses: walk.courses.finish(courses_from),
            days: walk.days,
        })
    }

    /// When a day begins.
    pub(super) fn start(&self, day: usize) -> Timestamp {
        start_of(self.first, day, &self.zone)
    }

    /// The number of the day of a time; `None` before the first one.
    pub(super) fn number(&self, time: Timestamp) -> Option<usize> {
        let date = LocalDate::at(time, &self.zone);
        (date >= self.first).then(|| days_between(self.first, date))
    }

    /// The months before the running one, the oldest first, in days. The first one begins after the
    /// first day or with it.
    pub(super) fn months(&self) -> Vec<Range<usize>> {
        let begins = (0..=self.today).filter(|day| self.date(*day).day() == 1);
        let begins: Vec<usize> = begins.collect();
        let pairs = begins.iter().zip(begins.iter().skip(1));
        pairs.map(|(begin, next)| *begin..*next).collect()
    }

    /// The days of the month before today.
    pub(super) fn of_month(&self) -> usize {
        usize::from(self.date(self.today).day()).saturating_sub(1)
    }

    /// The date of a day.
    pub(super) fn date(&self, day: usize) -> LocalDate {
        date_of(self.first, day).unwrap_or(self.first)
    }

    /// The sums of the whole days before today, as the method takes them.
    pub(super) fn sums(&self, flow: HouseFlow) -> DailySums {
        let whole = self.days.iter().take(self.today);
        DailySums::new(whole.map(|day| day.sum(flow)).collect())
    }

    /// The known energy of a flow in these days, with today's so far.
    pub(super) fn known(&self, flow: HouseFlow, days: &Range<usize>) -> MicroWh {
        let known = self.within(days).map(|(_, day)| flow.of(&day.sums));
        let known = known.filter_map(HouseSum::energy);
        known.fold(MicroWh::ZERO, |sum, energy| sum + energy)
    }

    /// The days whose energy is missing in part, each with that share of a whole day.
    pub(super) fn missing(
        &self,
        flow: HouseFlow,
        days: &Range<usize>,
    ) -> impl Iterator<Item = (usize, f64)> {
        self.within(days).filter_map(move |(number, day)| {
            let missing_ms = flow.of(&day.sums).missing_ms;
            let share = self.share_of(number, missing_ms);
            (missing_ms > 0).then_some((number, share))
        })
    }

    /// A time as a share of the day with this number.
    pub(super) fn share_of(&self, day: usize, ms: i64) -> f64 {
        let length_ms = self.start(day + 1).millis() - self.start(day).millis();
        MicroWh::new(ms).watthours() / MicroWh::new(length_ms.max(1)).watthours()
    }

    /// The estimated and the missing share of the time of these days, so far.
    pub(super) fn coverage(&self, days: &Range<usize>) -> (f64, f64) {
        let (mut length_ms, mut estimated_ms, mut missing_ms) = (0, 0, 0);
        for (_, day) in self.within(days) {
            length_ms += day.length_ms;
            estimated_ms += day.sums.used.estimated_ms;
            missing_ms += day.sums.used.missing_ms;
        }
        let share =
            |ms: i64| MicroWh::new(ms).watthours() / MicroWh::new(length_ms.max(1)).watthours();
        (share(estimated_ms), share(missing_ms))
    }

    fn within(&self, days: &Range<usize>) -> impl Iterator<Item = (usize, &HouseDay)> {
        let days = days.clone();
        let all = self.days.iter().enumerate();
        all.filter(move |(number, _)| days.contains(number))
    }
}

impl HouseDay {
    /// Its energy.
    fn sum(&self, flow: HouseFlow) -> DaySum {
        let sum = flow.of(&self.sums);
        let is_small = |ms: i64| ms * UNKNOWN_PART <= self.length_ms && self.length_ms > 0;
        let Some(energy) = sum.energy().filter(|_| is_small(sum.missing_ms)) else {
            return DaySum::Unknown;
        };
        let energy = energy.max(MicroWh::ZERO).watthours();
        if is_small(sum.missing_ms + sum.estimated_ms) {
            DaySum::Measured(energy)
        } else {
            DaySum::Estimated(energy)
        }
    }
}

/// A walk over days under way.
struct DayWalk<'a> {
    house: &'a HouseSensors,
    courses: CourseWalk,
    days: Vec<HouseDay>,
}

impl DayWalk<'_> {
    fn read(&mut self, store: &Store, days: &[(Range<Timestamp>, bool)]) -> Result<(), StoreError> {
        let mut times: Vec<Timestamp> = Vec::new();
        for (day, has_course) in days {
            times.push(day.start);
            let quarters = (1..).map(|nth| day.start.saturating_add_millis(nth * QUARTER_MS));
            let quarters = quarters.take_while(|time| *has_course && *time < day.end);
            times.extend(quarters);
        }
        times.extend(days.last().map(|(day, _)| day.end));
        times.dedup();
        let mut flows = self.house.between(store, &times)?;
        let (mut read, mut is_more) = (Vec::new(), true);
        let mut slots = times.iter().zip(times.iter().skip(1)).peekable();
        let mut days = days.iter().peekable();
        let mut day: Option<FlowSlot> = None;
        while is_more {
            is_more = flows.next_run(&mut read, |_| {})?;
            let mut known = read.drain(..).peekable();
            // Slots without known energy are left out: those behind the last known one may follow.
            while let Some((start, end)) = slots.peek().map(|(start, end)| (**start, **end)) {
                if is_more && known.peek().is_none() {
                    break;
                }
                slots.next();
                let slot = known.next_if(|slot| slot.start == start);
                let slot = slot.unwrap_or_else(|| self.house.nothing(start, end));
                while let Some((ended, _)) = days.next_if(|(day, _)| day.end <= start) {
                    self.end(day.take(), ended);
                }
                if days.peek().is_some_and(|(_, has_course)| *has_course) {
                    self.courses.add(self.house, &slot);
                }
                day = Some(match day.take() {
                    Some(day) => day.and_then(&slot),
                    None => slot,
                });
            }
        }
        for (ended, _) in days {
            self.end(day.take(), ended);
        }
        Ok(())
    }

    /// Ends a day, which may have no time at all.
    fn end(&mut self, day: Option<FlowSlot>, times: &Range<Timestamp>) {
        let slot = day.unwrap_or_else(|| self.house.nothing(times.start, times.end));
        let day = HouseDay {
            length_ms: times.end.millis() - times.start.millis(),
            sums: self.house.sums(&slot),
        };
        let imported = day.sum(HouseFlow::Imported);
        self.courses
            .end_day(matches!(imported, DaySum::Measured(_)));
        self.days.push(day);
    }
}

fn start_of(first: LocalDate, day: usize, zone: &Zone) -> Timestamp {
    date_of(first, day).map_or(Timestamp::MAX, |date| date.start(zone))
}

fn date_of(first: LocalDate, day: usize) -> Option<LocalDate> {
    first.plus_days(i32::try_from(day).ok()?)
}

/// The number of days from one date to a later one.
fn days_between(from: LocalDate, to: LocalDate) -> usize {
    let passed_ms = to.midnight().millis() - from.midnight().millis();
    usize::try_from(passed_ms / MS_PER_DAY).unwrap_or_default()
}
