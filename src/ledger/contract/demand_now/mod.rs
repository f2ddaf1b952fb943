//! A demand charge in force at one moment: its running span, and whether that makes a new peak
//! (docs/HOUSE.md).

use std::ops::Range;

use super::Label;
use super::amount::Amount;
use super::demand_charge::DemandCharge;
use super::peaks::Peak;
use super::period::DemandSpan;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE};
use crate::domain::{Decimal, MicroWh, Timestamp};

/// A demand charge in force at a time. Powers are energies of an hour.
#[derive(Clone, Debug)]
pub struct DemandNow {
    /// Its place among the components of its contract.
    place: usize,
    name: Option<Label>,
    /// As if the running period were its only one.
    charge: DemandCharge,
    /// The running span.
    span: Range<Timestamp>,
    /// The part of the power that counts in the running span; `None` if the span does not count.
    factor: Option<Decimal>,
    /// The energy of the running span so far, if it is known.
    energy: Option<MicroWh>,
    /// The lowest of the last three periods' peaks.
    usual: Option<Peak>,
    now: Timestamp,
}

/// The exact peak of a period: a mean of several powers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PeakPower(Peak);

/// How the running span goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanCourse {
    /// Its energy is known until here.
    pub known_until: Timestamp,
    /// The power just before.
    pub recent: MicroWh,
}

/// An alarm comes so long before the end of a span at the latest. It is looked for before that: in the
/// last third of the span, and for two minutes at least.
const AHEAD_MS: i64 = 5 * MS_PER_MINUTE;
const LOOKED_MS: i64 = 2 * MS_PER_MINUTE;
/// A new peak is higher than the level before by more than one part of so many.
const RISE_PARTS: i128 = 100;
/// Without any peak of earlier periods, the first days of a period only show what is usual.
const FIRST_MS: i64 = 7 * MS_PER_DAY;

impl DemandNow {
    /// The running period, and those whose peaks are usual.
    pub(super) const PERIODS: u8 = 4;

    /// A charge whose meter has measured until now, without any billed period.
    pub(super) fn new(
        (place, name): (usize, Option<Label>),
        charge: DemandCharge,
        now: Timestamp,
    ) -> Self {
        let mut meter = charge.meter().clone();
        meter.begin_period(now);
        let span = meter.span_at(now);
        let energy = meter.energy_until(now);
        let factor = meter.factor(span.start);
        let before = meter.before(meter.period(), Self::PERIODS - 1);
        Self {
            place,
            name,
            charge: charge.of_running_period(meter),
            span,
            factor,
            energy,
            usual: before.into_iter().min(),
            now,
        }
    }

    pub(super) const fn place(&self) -> usize {
        self.place
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> Option<&Label> {
        self.name.as_ref()
    }

    /// The length of its spans.
    #[must_use]
    pub const fn per(&self) -> DemandSpan {
        self.charge.measure().of.per
    }

    /// The running span.
    #[must_use]
    pub fn span(&self) -> Range<Timestamp> {
        self.span.clone()
    }

    /// The running period.
    #[must_use]
    pub const fn period(&self) -> Range<Timestamp> {
        let meter = self.charge.meter();
        meter.period()..meter.period_end()
    }

    /// Whether the running span counts.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.factor.is_some_and(|factor| factor > Decimal::ZERO)
    }

    /// The energy of the running span so far, if it is known.
    #[must_use]
    pub const fn energy(&self) -> Option<MicroWh> {
        self.energy
    }

    /// The peak of the running period so far; `None` if no span of it is known.
    #[must_use]
    pub fn peak(&self) -> Option<MicroWh> {
        self.charge.meter().peak().map(Peak::power)
    }

    /// The lowest peak that is billed, if there is one.
    #[must_use]
    pub fn least(&self) -> Option<MicroWh> {
        self.charge.least().map(Peak::power)
    }

    /// The lowest of the last three periods' peaks, if one is known.
    #[must_use]
    pub fn usual(&self) -> Option<MicroWh> {
        self.usual.map(Peak::power)
    }

    /// The peak that the period has or will have anyway: the highest of its peak so far, the lowest one
    /// that is billed, and the usual one.
    #[must_use]
    pub fn level(&self) -> PeakPower {
        let peak = self.charge.meter().peak().max(self.usual);
        PeakPower(self.charge.limited(peak.unwrap_or_default()))
    }

    /// The peak so far as it is billed, and the same with a kilowatt more.
    #[must_use]
    pub fn one_more(&self) -> [PeakPower; 2] {
        let peak = self.charge.meter().peak().unwrap_or_default();
        let billed = self.charge.limited(peak);
        let kilowatt = MicroWh::of_kilowatthours(Decimal::ONE);
        [billed, billed.plus(kilowatt)].map(PeakPower)
    }

    /// The peak of the running period if its running span ends with this mean power.
    #[must_use]
    pub fn peak_with(&self, mean: MicroWh) -> PeakPower {
        let [factor, one] =
            [self.factor.unwrap_or(Decimal::ZERO), Decimal::ONE].map(MicroWh::of_kilowatthours);
        let mean = mean.scaled(factor, one);
        let with = self.charge.meter().peak_with(self.span.start, mean);
        PeakPower(with.filter(|_| self.counts()).unwrap_or_default())
    }

    /// The likely mean power of the running span: the rest of it is drawn as just before. `None` if its
    /// energy is not known.
    #[must_use]
    pub fn likely(&self, course: SpanCourse) -> Option<MicroWh> {
        let known = course.known_until.max(self.span.start).min(self.span.end);
        let rest = course.recent.part_of_hour(known, self.span.end);
        Some(power_of(
            self.energy? + rest,
            self.span.start,
            self.span.end,
        ))
    }

    /// The power that is left until the end of the running span, so that the peak stays at the level;
    /// `None` if the energy of the span is not known, or it does not count.
    #[must_use]
    pub fn left(&self, course: SpanCourse) -> Option<MicroWh> {
        let factor = self.factor.filter(|factor| *factor > Decimal::ZERO)?;
        let mut meter = self.charge.meter().clone();
        let room = meter.room_below(self.span.start, self.level().0);
        let [factor, one] = [factor, Decimal::ONE].map(MicroWh::of_kilowatthours);
        let room = room.scaled(one, factor);
        let known = course.known_until.max(self.span.start).min(self.span.end);
        let whole = room.part_of_hour(self.span.start, self.span.end);
        let left = (whole - self.energy?).max(MicroWh::ZERO);
        Some(power_of(left, known, self.span.end))
    }

    /// Whether a mean power of the running span makes a new peak: it takes the period more than a
    /// hundredth above its level, and raises its price.
    #[must_use]
    pub fn is_new_peak(&self, mean: MicroWh) -> bool {
        let level = self.level();
        let with = self.peak_with(mean);
        let rise = with.0.parts().saturating_sub(level.0.parts());
        rise.saturating_mul(RISE_PARTS) > level.0.parts()
            && self.knows_usual()
            && self.price_of(level) < self.price_of(with)
    }

    /// Whether an alarm about the running span comes now, if at all.
    #[must_use]
    pub fn is_time(&self) -> bool {
        let left_ms = self.span.end.millis() - self.now.millis();
        let length_ms = self.span.end.millis() - self.span.start.millis();
        (AHEAD_MS..=(length_ms / 3).max(AHEAD_MS + LOOKED_MS)).contains(&left_ms)
    }

    /// Whether it is known what is usual: from earlier periods, or from a week of this one.
    fn knows_usual(&self) -> bool {
        let first = self.charge.meter().first();
        let is_old = |first: Timestamp| first.saturating_add_millis(FIRST_MS) <= self.span.start;
        self.usual.is_some() || first.is_some_and(is_old)
    }

    /// The price of the running period with this peak, without other components.
    fn price_of(&self, peak: PeakPower) -> Amount {
        let mut charge = self.charge.clone();
        charge.put_peak(&self.charge, peak.0);
        charge.amount()
    }

    /// Gives the same charge at work in a bill this peak.
    pub(super) fn put_peak(&self, charge: &mut DemandCharge, peak: PeakPower) {
        charge.put_peak(&self.charge, peak.0);
    }
}

impl PeakPower {
    /// Rounded to a millionth of a watt.
    #[must_use]
    pub fn power(self) -> MicroWh {
        self.0.power()
    }
}

impl MicroWh {
    /// The energy of this power between two times.
    fn part_of_hour(self, from: Timestamp, to: Timestamp) -> Self {
        self.scaled(length(from, to), Self::new(MS_PER_HOUR))
    }
}

/// The mean power of energy between two times; none if there is no time.
fn power_of(energy: MicroWh, from: Timestamp, to: Timestamp) -> MicroWh {
    energy.scaled(MicroWh::new(MS_PER_HOUR), length(from, to))
}

/// A length in milliseconds, as a number to scale by.
fn length(from: Timestamp, to: Timestamp) -> MicroWh {
    MicroWh::new(to.millis().saturating_sub(from.millis()))
}

#[cfg(test)]
mod tests;
