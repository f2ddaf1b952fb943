//! The days that are not over, each with its most likely energy.

use std::ops::Range;

use super::courses::DayCourse;
use super::days::HouseDays;
use super::flow::HouseFlow;
use crate::domain::{MicroWh, Timestamp};
use crate::ledger::Flow;
use crate::ledger::contract::MeteredEnergy;
use crate::ledger::forecast::DayForecast;

/// The days from today until the end of the last period.
pub(super) struct DaysAhead<'a> {
    /// Before that, readings are known.
    until: Timestamp,
    days: Vec<AheadDay<'a>>,
}

/// A day that is not over.
struct AheadDay<'a> {
    times: Range<Timestamp>,
    /// Its most likely energy, of all flows, in watt-hours.
    energies: [(HouseFlow, f64); 3],
    course: Option<&'a DayCourse>,
}

/// The most likely energy of a stretch of time, in watt-hours.
pub(super) struct AheadEnergy<'a> {
    imported: f64,
    exported: f64,
    /// The day's import, and the stretch as shares of its time.
    named: Option<(&'a DayCourse, f64, (f64, f64))>,
}

impl<'a> DaysAhead<'a> {
    /// The days until `end`. A flow without a forecast has no energy.
    pub(super) fn new(
        days: &'a HouseDays,
        forecasts: &[Option<DayForecast<'_>>; 3],
        end: Timestamp,
    ) -> Self {
        let mut ahead = Vec::new();
        let mut start = days.start(days.today);
        for number in days.today.. {
            if start >= end {
                break;
            }
            let next = days.start(number + 1);
            let energy = |forecast: &Option<DayForecast<'_>>| {
                forecast.as_ref().map_or(0.0, |it| it.day(number))
            };
            let [imported, exported, used] = forecasts.each_ref().map(energy);
            ahead.push(AheadDay {
                times: start..next,
                energies: [
                    (HouseFlow::Imported, imported),
                    (HouseFlow::Exported, exported),
                    (HouseFlow::Used, used),
                ],
                course: days.courses.of(number),
            });
            // Behind the last day of all there is none.
            if next == Timestamp::MAX {
                break;
            }
            start = next;
        }
        Self {
            until: days.until,
            days: ahead,
        }
    }

    /// The most likely energy of a flow in the part of a range that is not over, in watt-hours. Its
    /// ends are those of days.
    pub(super) fn rest(&self, flow: HouseFlow, range: &Range<Timestamp>) -> f64 {
        let from = range.start.max(self.until);
        let days = self.days.iter().filter(|day| {
            let (start, end) = (day.times.start, day.times.end);
            from < end && start < range.end
        });
        days.map(|day| day.energy(flow, &(from.max(day.times.start)..day.times.end)))
            .sum()
    }

    /// When the day of a time ends.
    pub(super) fn end_of_day(&self, time: Timestamp) -> Timestamp {
        self.day(time).map_or(Timestamp::MAX, |day| day.times.end)
    }

    /// The most likely energy between two times of a day.
    pub(super) fn between(&self, slot: &Range<Timestamp>) -> AheadEnergy<'a> {
        let day = self.day(slot.start);
        let energy = |flow: HouseFlow| day.map_or(0.0, |day| day.energy(flow, slot));
        let named =
            day.and_then(|day| Some((day.course?, day.of(HouseFlow::Imported), day.shares(slot))));
        AheadEnergy {
            imported: energy(HouseFlow::Imported),
            exported: energy(HouseFlow::Exported),
            named,
        }
    }

    fn day(&self, time: Timestamp) -> Option<&AheadDay<'a>> {
        let behind = self.days.partition_point(|day| day.times.end <= time);
        self.days.get(behind)
    }
}

impl AheadDay<'_> {
    fn of(&self, flow: HouseFlow) -> f64 {
        let found = self.energies.iter().find(|(of, _)| *of == flow);
        found.map_or(0.0, |(_, energy)| *energy)
    }

    fn energy(&self, flow: HouseFlow, slot: &Range<Timestamp>) -> f64 {
        let shares = self.shares(slot);
        let part = self.course.map(|course| course.part(flow, shares));
        self.of(flow) * part.unwrap_or(shares.1 - shares.0)
    }

    /// The ends of a stretch as shares of the day's time.
    fn shares(&self, slot: &Range<Timestamp>) -> (f64, f64) {
        let start = self.times.start.millis();
        let length = MicroWh::new((self.times.end.millis() - start).max(1)).watthours();
        let share = |time: Timestamp| MicroWh::new(time.millis() - start).watthours() / length;
        (share(slot.start), share(slot.end))
    }
}

impl AheadEnergy<'_> {
    /// It as contracts count it, if so much more or less is imported and exported.
    pub(super) fn scaled(&self, (import, export): (f64, f64)) -> MeteredEnergy {
        let named = self
            .named
            .as_ref()
            .map(|(course, imported, shares)| course.named(imported * import, *shares));
        MeteredEnergy {
            flow: Some(Flow {
                imported: MicroWh::from_watthours(self.imported * import),
                exported: MicroWh::from_watthours(self.exported * export),
            }),
            is_whole: true,
            named: named.unwrap_or_default(),
            are_named_whole: true,
        }
    }
}
