//! The course of energy over days: a day to come is assumed to run like one of the last eight weeks.

use std::mem;

use super::flow::HouseFlow;
use crate::domain::{MicroWh, SensorId};
use crate::house::flows::FlowSlot;
use crate::house::sensors::HouseSensors;

/// The courses of consecutive days before today.
pub(super) struct Courses {
    /// The number of the first of these days.
    first: usize,
    /// `None` for days with missing energy.
    days: Vec<Option<DayCourse>>,
}

/// The energy of a day from its beginning until the end of each quarter of an hour, in watt-hours.
#[derive(Default)]
pub(super) struct DayCourse {
    imported: Vec<f64>,
    exported: Vec<f64>,
    /// Of each sensor that a contract names.
    named: Vec<Vec<f64>>,
}

/// Reads courses, slot by slot.
pub(super) struct CourseWalk {
    /// The places of the named sensors among those of the house.
    named: Vec<Option<usize>>,
    running: DayCourse,
    days: Vec<Option<DayCourse>>,
}

const WEEK: usize = 7;

impl Courses {
    /// The course of a day that is not over: that of the same day of the week, of another week for
    /// each week to come. `None` if no day is known.
    pub(super) fn of(&self, day: usize) -> Option<&DayCourse> {
        let numbered = self.days.iter().zip(self.first..);
        let known = || {
            numbered
                .clone()
                .filter_map(|(it, number)| Some((it.as_ref()?, number)))
        };
        let alike = known().filter(|(_, number)| number % WEEK == day % WEEK);
        let mut alike: Vec<&DayCourse> = alike.map(|(it, _)| it).collect();
        if alike.is_empty() {
            alike.extend(known().map(|(it, _)| it));
        }
        let weeks = day.saturating_sub(self.first + self.days.len()) / WEEK;
        let place = weeks.checked_rem(alike.len())?;
        alike.into_iter().rev().nth(place)
    }
}

impl DayCourse {
    /// The part of the day's energy between two shares of its time.
    pub(super) fn part(&self, flow: HouseFlow, (from, to): (f64, f64)) -> f64 {
        let energy = match flow {
            HouseFlow::Imported => &self.imported,
            HouseFlow::Exported => &self.exported,
            HouseFlow::Used => return to - from,
        };
        let all = until(energy, 1.0);
        if all <= 0.0 {
            return to - from;
        }
        (until(energy, to) - until(energy, from)) / all
    }

    /// The energy that the named sensors draw between two shares of the day's time, where the house
    /// draws `imported` in all of the day; all in watt-hours.
    pub(super) fn named(&self, imported: f64, (from, to): (f64, f64)) -> Vec<MicroWh> {
        let all = until(&self.imported, 1.0);
        let scale = if all > 0.0 { imported / all } else { 0.0 };
        let each = self.named.iter();
        let each = each.map(|it| (until(it, to) - until(it, from)) * scale);
        each.map(MicroWh::from_watthours).collect()
    }
}

/// The energy until a share of the day's time, evenly within each quarter of an hour.
fn until(energy: &[f64], share: f64) -> f64 {
    // At most 100: a day of 25 hours.
    let quarters = f64::from(u32::try_from(energy.len()).unwrap_or(u32::MAX));
    let mut rest = share.clamp(0.0, 1.0) * quarters;
    let mut before = 0.0;
    for after in energy {
        if rest < 1.0 {
            return before + (after - before) * rest;
        }
        rest -= 1.0;
        before = *after;
    }
    before
}

impl CourseWalk {
    pub(super) fn new(house: &HouseSensors, named: &[SensorId]) -> Self {
        let place = |id: &SensorId| house.sensors.iter().position(|it| it.sensor.id == *id);
        let named: Vec<Option<usize>> = named.iter().map(place).collect();
        Self {
            running: DayCourse::of(named.len()),
            named,
            days: Vec::new(),
        }
    }

    /// Adds a quarter of an hour of the running day.
    pub(super) fn add(&mut self, house: &HouseSensors, slot: &FlowSlot) {
        let (measured, _) = house.measured_at_grid(slot);
        let flow = measured.flow.unwrap_or_default();
        append(&mut self.running.imported, flow.imported);
        append(&mut self.running.exported, flow.exported);
        for (energy, place) in self.running.named.iter_mut().zip(&self.named) {
            let measured = place.and_then(|place| slot.measured.get(place));
            let flow = measured.and_then(|measured| measured.flow);
            append(energy, flow.unwrap_or_default().imported);
        }
    }

    /// Ends the running day, if it has any course.
    pub(super) fn end_day(&mut self, is_known: bool) {
        let running = mem::replace(&mut self.running, DayCourse::of(self.named.len()));
        if !running.imported.is_empty() {
            self.days.push(is_known.then_some(running));
        }
    }

    /// The courses of consecutive days from this one on.
    pub(super) fn finish(self, first: usize) -> Courses {
        Courses {
            first,
            days: self.days,
        }
    }
}

impl DayCourse {
    fn of(named: usize) -> Self {
        Self {
            named: vec![Vec::new(); named],
            ..Self::default()
        }
    }
}

fn append(energy: &mut Vec<f64>, more: MicroWh) {
    let before = energy.last().copied().unwrap_or_default();
    energy.push(before + more.max(MicroWh::ZERO).watthours());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(imported: &[f64]) -> DayCourse {
        let mut course = DayCourse::of(1);
        for energy in imported {
            append(&mut course.imported, MicroWh::from_watthours(*energy));
            append(&mut course.named[0], MicroWh::from_watthours(energy / 2.0));
        }
        course
    }

    #[test]
    fn parts_add_up_to_a_day_of_any_length() {
        for quarters in [92_u32, 96, 100] {
            let energies: Vec<f64> = (0..quarters).map(|n| f64::from(n * n % 17)).collect();
            let course = course(&energies);
            let ends: Vec<f64> = (0..=100).map(|n| f64::from(n) / 100.0).collect();
            let parts = ends.windows(2).map(|pair| (pair[0], pair[1]));
            let whole: f64 = parts
                .clone()
                .map(|it| course.part(HouseFlow::Imported, it))
                .sum();
            assert!((whole - 1.0).abs() < 1e-9);
            // Half of the house's 20 kWh.
            let named: f64 = parts
                .map(|it| course.named(20_000.0, it)[0].watthours())
                .sum();
            assert!((named - 10_000.0).abs() < 1e-3, "{named}");
            // Nothing is known of the export: it is spread evenly.
            assert!((course.part(HouseFlow::Exported, (0.25, 0.5)) - 0.25).abs() < 1e-9);
        }
    }

    #[test]
    fn a_quarter_is_cut_evenly() {
        let course = course(&[0.0, 8.0, 0.0, 24.0]);
        let part = |from: f64, to: f64| course.part(HouseFlow::Imported, (from, to));
        assert_eq!(part(0.0, 0.25), 0.0);
        assert_eq!(part(0.25, 0.375), 0.125);
        assert_eq!(part(0.5, 1.0), 0.75);
    }

    #[test]
    fn a_day_runs_like_the_same_day_of_the_week() {
        // Three weeks; in the second one, the third day is missing.
        let day = |number: usize| {
            (number != 9).then(|| course(&[f64::from(u8::try_from(number).unwrap())]))
        };
        let courses = Courses {
            first: 0,
            days: (0..21).map(day).collect(),
        };
        let like = |day: usize| courses.of(day).map(|it| it.imported[0]);
        assert_eq!([21, 28, 35, 42].map(like), [14.0, 7.0, 0.0, 14.0].map(Some));
        assert_eq!([23, 30, 37].map(like), [16.0, 2.0, 16.0].map(Some));
        let nothing = Courses {
            first: 0,
            days: Vec::new(),
        };
        assert!(nothing.of(3).is_none());
    }
}
