//! The highest mean powers of each period, as the utility's meter measures them.

use std::collections::VecDeque;
use std::ops::Range;

use super::conditions::Conditions;
use super::day::DayKind;
use super::days::DayLists;
use super::demand_terms::DemandMeasure;
use super::holidays::Holidays;
use super::period::{Billing, Period, Periods};
use super::wall::Wall;
use crate::domain::{Calendar, Decimal, Interval, MicroWh, Timestamp, Zone};

/// A mean power, as the energy of an hour at that power, in 2520ths of a millionth of a watt-hour.
/// So the mean of up to ten is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Peak(i128);

/// How peaks are measured. Demand charges that measure alike share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PeakMeasure {
    pub(super) of: DemandMeasure,
    pub(super) billing: Option<Billing>,
    /// The holidays that the conditions look at.
    holidays: Holidays,
}

/// Measures the peaks of each period.
#[derive(Clone, Debug)]
pub(super) struct PeakMeter {
    measure: PeakMeasure,
    spans: Calendar,
    days: Calendar,
    periods: Periods,
    wall: Wall,
    lists: DayLists,
    /// The energy of the span so far; `None` if a part is unknown.
    span: Option<MicroWh>,
    /// The newest period: its start and its end.
    period: (Timestamp, Timestamp),
    /// The first known span of the period.
    first: Option<Timestamp>,
    /// The highest spans of the period: the day of each, and its mean power.
    highest: Vec<(Timestamp, MicroWh)>,
    /// The peaks of earlier periods with the starts of those periods, up to [`Self::MOST_PERIODS`].
    earlier: VecDeque<(Timestamp, Peak)>,
}

impl Peak {
    /// Divisible by all numbers up to ten.
    pub(super) const PARTS: i128 = 2_520;

    pub(super) fn of(power: MicroWh) -> Self {
        Self(i128::from(power.millionths()) * Self::PARTS)
    }

    pub(super) const fn parts(self) -> i128 {
        self.0
    }

    /// This mean power, rounded to a millionth of a watt, half up.
    pub(super) fn power(self) -> MicroWh {
        let rounded = (self.0 + Self::PARTS / 2).div_euclid(Self::PARTS);
        i64::try_from(rounded).map_or(MicroWh::MAX, MicroWh::new)
    }

    /// This mean power with so much more.
    pub(super) fn plus(self, power: MicroWh) -> Self {
        Self(self.0.saturating_add(Self::of(power).0))
    }
}

impl PeakMeasure {
    /// The measure of a contract with these holidays and billing periods.
    pub(super) fn new(
        measure: &DemandMeasure,
        holidays: &Holidays,
        billing: Option<Billing>,
    ) -> Self {
        let needs_holidays = measure.conditions().any(|when| when.holidays.is_some());
        Self {
            of: measure.clone(),
            billing: billing.filter(|_| measure.period == Period::Billing),
            holidays: if needs_holidays {
                holidays.clone()
            } else {
                Holidays::default()
            },
        }
    }

    pub(super) fn periods(&self, zone: &Zone) -> Periods {
        Periods::new(self.of.period, self.billing, zone)
    }
}

impl PeakMeter {
    /// The maximum number of periods whose peaks are kept: those of ten years, and two years before.
    pub(super) const MOST_PERIODS: u8 = 150;

    pub(super) fn new(
        measure: PeakMeasure,
        zone: &Zone,
        lists: &DayLists,
        time: Timestamp,
    ) -> Self {
        Self {
            spans: Calendar::new(zone.clone(), measure.of.per.interval()),
            days: Calendar::new(zone.clone(), Interval::Day),
            periods: measure.periods(zone),
            wall: Wall::new(zone.clone(), time),
            lists: lists.clone(),
            span: None,
            period: (Timestamp::MIN, Timestamp::MIN),
            first: None,
            highest: Vec::new(),
            earlier: VecDeque::new(),
            measure,
        }
    }

    pub(super) const fn measure(&self) -> &PeakMeasure {
        &self.measure
    }

    /// The start of its newest period.
    pub(super) const fn period(&self) -> Timestamp {
        self.period.0
    }

    /// The end of its newest period.
    pub(super) const fn period_end(&self) -> Timestamp {
        self.period.1
    }

    /// The first known span of its newest period.
    pub(super) const fn first(&self) -> Option<Timestamp> {
        self.first
    }

    /// The span that contains a time: its start and its end, exclusive.
    pub(super) fn span_at(&mut self, time: Timestamp) -> Range<Timestamp> {
        let span = self.spans.bucket(time);
        span.start()..span.end().saturating_add_millis(1)
    }

    /// The energy of the span that contains a time, from its start to `measured`, if that is known.
    pub(super) fn energy_until(&mut self, measured: Timestamp) -> Option<MicroWh> {
        if self.span_at(measured).start < measured {
            self.span
        } else {
            Some(MicroWh::ZERO)
        }
    }

    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        self.spans.bucket(time).end().saturating_add_millis(1)
    }

    /// The peak of the newest period; `None` if no span of it is known.
    pub(super) fn peak(&self) -> Option<Peak> {
        let sum: i128 = self.highest.iter().map(|(_, mean)| Peak::of(*mean).0).sum();
        let count = i128::try_from(self.highest.len()).ok()?;
        sum.checked_div(count).map(Peak)
    }

    /// The known peaks of the `count` periods before the period that starts at `start`.
    pub(super) fn before(&self, start: Timestamp, count: u8) -> Vec<Peak> {
        let mut periods = self.periods.clone();
        let mut first = start;
        for _ in 0..count {
            first = periods.containing(first.saturating_add_millis(-1)).0;
        }
        let newest = self.peak().map(|peak| (self.period.0, peak));
        let known = self.earlier.iter().copied().chain(newest);
        let known = known.filter(|(of, _)| (first..start).contains(of));
        known.map(|(_, peak)| peak).collect()
    }

    /// Adds a part of a span, with its energy if known. Returns whether that completes a span that
    /// counts.
    pub(super) fn add(
        &mut self,
        from: Timestamp,
        to: Timestamp,
        imported: Option<MicroWh>,
    ) -> bool {
        self.begin_period(from);
        let span = self.spans.bucket(from);
        let before = if from == span.start() {
            Some(MicroWh::ZERO)
        } else {
            self.span
        };
        let energy = before.zip(imported).map(|(before, energy)| before + energy);
        self.span = energy;
        // A span counts once it is complete, and only if its energy is fully known.
        let end = span.end().saturating_add_millis(1);
        let energy = energy.filter(|_| to == end);
        let Some((energy, factor)) = energy.zip(self.factor(span.start())) else {
            return false;
        };
        let length_ms = i128::from(end.millis() - span.start().millis());
        let an_hour = (i128::from(energy.millionths()) * 3_600_000).checked_div(length_ms);
        let mean = an_hour
            .and_then(|mean| i64::try_from(mean).ok())
            .map_or(MicroWh::MAX, MicroWh::new);
        let [factor, one] = [factor, Decimal::ONE].map(MicroWh::of_kilowatthours);
        let mean = mean.scaled(factor, one);
        self.first.get_or_insert(span.start());
        self.keep(span.start(), mean);
        true
    }

    /// Goes on to the period that contains a time.
    pub(super) fn begin_period(&mut self, time: Timestamp) {
        if self.period.1 <= time {
            let ended = self.peak().map(|peak| (self.period.0, peak));
            self.earlier.extend(ended);
            if self.earlier.len() > usize::from(Self::MOST_PERIODS) {
                self.earlier.pop_front();
            }
            self.period = self.periods.containing(time);
            self.first = None;
            self.highest.clear();
        }
    }

    /// Its peak if a further span has a mean power, of which all counts.
    pub(super) fn peak_with(&self, start: Timestamp, mean: MicroWh) -> Option<Peak> {
        let mut with = self.clone();
        with.keep(start, mean);
        with.peak()
    }

    /// The highest mean power of a further span, of which all counts, that keeps the peak at or below
    /// this one.
    pub(super) fn room_below(&mut self, start: Timestamp, peak: Peak) -> MicroWh {
        let day = self.days.bucket(start).start();
        let distinct = self.measure.of.distinct_days;
        let of_day = self.highest.iter().find(|(of, _)| distinct && *of == day);
        let is_full = self.highest.len() >= usize::from(self.measure.of.peaks);
        // The span takes the place of this one, if it is higher.
        let replaced = of_day.or_else(|| self.highest.last().filter(|_| is_full));
        let count = self.highest.len() + usize::from(replaced.is_none());
        let all: i128 = self.highest.iter().map(|(_, mean)| Peak::of(*mean).0).sum();
        let rest = all - replaced.map_or(0, |(_, mean)| Peak::of(*mean).0);
        let count = i128::try_from(count).unwrap_or(1);
        let room = peak.0.saturating_mul(count).saturating_sub(rest) / Peak::PARTS;
        i64::try_from(room).map_or(MicroWh::MAX, MicroWh::new)
    }

    /// The part of a span's power that counts; `None` if the span does not count.
    pub(super) fn factor(&mut self, start: Timestamp) -> Option<Decimal> {
        let measure = &self.measure.of;
        if measure.when == Conditions::ALWAYS && measure.weights.is_empty() {
            return Some(Decimal::ONE);
        }
        let piece = self.wall.piece(start);
        let holidays = &self.measure.holidays;
        let kind = |date| DayKind::of(date, holidays, piece.is_summer());
        let holds =
            |when: &Conditions| when.contains(&piece, piece.minute(start), &self.lists, kind);
        let weight = measure.weights.iter().rfind(|weight| holds(&weight.when));
        let factor = weight.map_or(Decimal::ONE, |weight| weight.factor);
        holds(&measure.when).then_some(factor)
    }

    fn keep(&mut self, start: Timestamp, mean: MicroWh) {
        let day = self.days.bucket(start).start();
        let of_day = self.highest.iter_mut().find(|(of, _)| *of == day);
        match of_day.filter(|_| self.measure.of.distinct_days) {
            Some((_, highest)) => *highest = mean.max(*highest),
            None => self.highest.push((day, mean)),
        }
        self.highest
            .sort_by_key(|(_, mean)| std::cmp::Reverse(*mean));
        self.highest.truncate(usize::from(self.measure.of.peaks));
    }
}
