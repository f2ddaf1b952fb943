//! The highest mean powers of each period, as the utility's meter measures them.

use std::collections::VecDeque;

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
        if self.period.1 <= from {
            let ended = self.peak().map(|peak| (self.period.0, peak));
            self.earlier.extend(ended);
            if self.earlier.len() > usize::from(Self::MOST_PERIODS) {
                self.earlier.pop_front();
            }
            self.period = self.periods.containing(from);
            self.highest.clear();
        }
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
        self.keep(span.start(), mean);
        true
    }

    /// The part of a span's power that counts; `None` if the span does not count.
    fn factor(&mut self, start: Timestamp) -> Option<Decimal> {
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
