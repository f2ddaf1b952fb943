//! Notices about unusual consumption of the house.

use super::kind::{DayUse, Notice, NoticeKind, NoticeSubject};
use crate::domain::{MicroWh, SensorId, Timestamp};

/// The most and the fewest of the same weekdays that are compared.
const MOST_WEEKS: usize = 8;
const LEAST_WEEKS: usize = 4;
/// A smaller difference is never unusual: 1 kWh.
const USUAL_DIFFERENCE: MicroWh = MicroWh::new(1_000_000_000);
/// The nights that are compared, and how many of them must be known.
const NEW_NIGHTS: usize = 7;
const OLD_NIGHTS: usize = 28;
const LEAST_NEW_NIGHTS: usize = 5;
const LEAST_OLD_NIGHTS: usize = 14;
/// A smaller rise of the base load says little: 25 W, as the energy of an hour.
const LEAST_RISE: MicroWh = MicroWh::new(25_000_000);
/// The base load is the mean of so many hours.
const BASE_HOURS: usize = 4;

/// The consumption of a house on a day that is over and completely known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedDay {
    /// When the day began.
    pub start: Timestamp,
    /// The consumption.
    pub used: MicroWh,
}

/// Opens if a day is outside the usual range of the same weekdays before it, and closes when the
/// next day is judged.
///
/// `before` has the same weekdays of the last eight weeks, the newest first, as far as they are
/// known as a whole; four are needed. Likely is their median, more or less the largest of: 4.5
/// times the median of their distances from it (three standard deviations if they are spread
/// normally), a fifth of it, and 1 kWh.
#[must_use]
pub fn unusual_day(day: UsedDay, before: &[MicroWh]) -> Option<Notice> {
    let before: Vec<MicroWh> = before.iter().copied().take(MOST_WEEKS).collect();
    if before.len() < LEAST_WEEKS {
        return None;
    }
    let usual = median(before.clone())?;
    let distances = before.iter().map(|&used| distance(used, usual)).collect();
    let spread = median(distances)?.millionths().saturating_mul(9) / 2;
    let fifth = distance(usual, MicroWh::ZERO).millionths() / 5;
    let likely = MicroWh::new(spread.max(fifth)).max(USUAL_DIFFERENCE);
    let [least, most] = [(usual - likely).max(MicroWh::ZERO), usual + likely];
    (distance(day.used, usual) > likely).then(|| Notice {
        kind: NoticeKind::UnusualDay,
        subject: NoticeSubject::Day(DayUse {
            used: day.used,
            likely: [least, most],
        }),
        since: day.start,
        happened: format!(
            "The house used {:.1} kWh in a day, where {:.1} to {:.1} kWh are likely.",
            kwh(day.used),
            kwh(least),
            kwh(most),
        ),
    })
}

/// The base load of a night: the least mean power of four hours that follow each other, as the
/// energy of an hour; `None` if there are no four such hours. `hours` are those of the night, each
/// with its energy if that is known.
#[must_use]
pub fn base_load(hours: &[Option<MicroWh>]) -> Option<MicroWh> {
    let sums = hours
        .windows(BASE_HOURS)
        .filter_map(|hours| hours.iter().copied().sum::<Option<MicroWh>>());
    Some(sums.min()?.part(1, 4))
}

/// The usual base load of some nights: the median of those that are known; `None` if none is.
#[must_use]
pub fn usual_base_load(nights: &[Option<MicroWh>]) -> Option<MicroWh> {
    median(nights.iter().copied().flatten().collect())
}

/// Opens if the base load of the last seven nights is higher than that of the 28 before by 15 %,
/// and by 25 W; closes when it is higher by less than half of that.
///
/// `nights` has the base load of each of the last 35 nights, the newest first. The medians are
/// compared; five of the seven and 14 of the 28 must be known. `week_start` is when the first of
/// the seven began.
#[must_use]
pub fn base_load_rose(
    nights: &[Option<MicroWh>],
    week_start: Timestamp,
    open_since: Option<Timestamp>,
) -> Option<Notice> {
    let (new, old) = nights.split_at_checked(NEW_NIGHTS)?;
    let new: Vec<MicroWh> = new.iter().copied().flatten().collect();
    let old: Vec<MicroWh> = old.iter().copied().take(OLD_NIGHTS).flatten().collect();
    if new.len() < LEAST_NEW_NIGHTS || old.len() < LEAST_OLD_NIGHTS {
        return None;
    }
    let (new, old) = (median(new)?, median(old)?);
    let least = LEAST_RISE.max(MicroWh::new(old.millionths().saturating_mul(3) / 20));
    let parts = if open_since.is_some() { 2 } else { 1 };
    (new - old >= least.part(1, parts)).then(|| Notice {
        kind: NoticeKind::BaseLoadRose,
        subject: NoticeSubject::House,
        since: open_since.unwrap_or(week_start),
        happened: "The house uses more at night than in the four weeks before.".to_owned(),
    })
}

impl Notice {
    /// The same of a house, with the sensor that most of it comes from.
    #[must_use]
    pub fn most_of_it(self, sensor: &SensorId) -> Self {
        let happened = self.happened.trim_end_matches('.');
        Self {
            happened: format!("{happened}, most of it {sensor}."),
            subject: NoticeSubject::HouseMost(sensor.clone()),
            ..self
        }
    }
}

/// The middle one; of an even number, the mean of the two in the middle.
fn median(mut energies: Vec<MicroWh>) -> Option<MicroWh> {
    energies.sort_unstable();
    let half = energies.len() / 2;
    let upper = *energies.get(half)?;
    if energies.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = *energies.get(half.checked_sub(1)?)?;
    Some(MicroWh::new(
        lower.millionths().midpoint(upper.millionths()),
    ))
}

fn distance(one: MicroWh, other: MicroWh) -> MicroWh {
    (one - other).max(other - one)
}

/// Kilowatt-hours to print.
fn kwh(energy: MicroWh) -> f64 {
    energy.watthours() / 1_000.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::time::at;

    fn wh(wh: i64) -> MicroWh {
        MicroWh::new(wh * 1_000_000)
    }

    fn told(used: i64, before: &[i64]) -> Option<String> {
        let day = UsedDay {
            start: at(0),
            used: wh(used),
        };
        let before: Vec<_> = before.iter().copied().map(wh).collect();
        unusual_day(day, &before).map(|notice| notice.happened)
    }

    #[test]
    fn a_day_is_unusual_beside_the_same_weekdays() {
        // The worked example of docs/HOUSE.md: the median is 10.5, that of the distances 1.
        let weeks = [10_000, 12_000, 9_000, 30_000, 10_000, 11_000];
        assert_eq!(told(15_000, &weeks), None);
        let much = told(20_000, &weeks).unwrap();
        assert_eq!(
            much,
            "The house used 20.0 kWh in a day, where 6.0 to 15.0 kWh are likely."
        );
        assert!(told(5_999, &weeks).is_some() && told(6_000, &weeks).is_none());
        // Three weeks are too few; of more than eight the oldest do not count.
        assert_eq!(told(90_000, &weeks[..3]), None);
        let long = [&[10_000; 8][..], &[90_000; 20]].concat();
        assert!(told(90_000, &long).is_some());
        // Always the same: a fifth, or 1 kWh.
        assert!(told(12_000, &[10_000; 4]).is_none() && told(12_001, &[10_000; 4]).is_some());
        assert!(told(1_100, &[100; 4]).is_none() && told(1_101, &[100; 4]).is_some());
    }

    #[test]
    fn the_base_load_is_the_least_of_four_hours() {
        let load = |hours: &[i64]| {
            let hours: Vec<_> = hours
                .iter()
                .map(|&hour| (hour >= 0).then(|| wh(hour)))
                .collect();
            base_load(&hours)
        };
        assert_eq!(load(&[500, 100, 120, 80, 100, 900]), Some(wh(100)));
        assert_eq!(load(&[500, 100, -1, 80, 100, 900, 100]), Some(wh(295)));
        assert_eq!(load(&[0, 0, 0]), None);
        assert_eq!(load(&[100, 100, 100, -1, 100, 100, 100]), None);
    }

    #[test]
    fn a_base_load_rises_for_good() {
        let is_open = |new: &[i64], old: &[i64], open: bool| {
            let nights: Vec<_> = new
                .iter()
                .chain(old)
                .map(|&night| (night >= 0).then(|| wh(night)))
                .collect();
            base_load_rose(&nights, at(7), open.then(|| at(0))).map(|notice| notice.since)
        };
        let old = [100; 28];
        for (new, opens, stays) in [
            ([125; 7], Some(at(7)), Some(at(0))),
            ([124; 7], None, Some(at(0))),
            ([112; 7], None, None),
            ([113; 7], None, Some(at(0))),
        ] {
            assert_eq!(
                (is_open(&new, &old, false), is_open(&new, &old, true)),
                (opens, stays),
                "{new:?}"
            );
        }
        // Of a large house 15 %.
        assert!(
            is_open(&[459; 7], &[400; 28], false).is_none()
                && is_open(&[460; 7], &[400; 28], false).is_some()
        );
        // Guests for three nights are no base load; two nights may be unknown.
        assert_eq!(
            is_open(&[100, 100, 300, 300, 300, 100, 100], &old, false),
            None
        );
        assert!(is_open(&[300, 300, 300, -1, -1, 300, 300], &old, false).is_some());
        assert_eq!(
            is_open(&[300, 300, -1, -1, -1, 300, 300], &old, false),
            None
        );
        assert_eq!(is_open(&[300; 7], &old[..13], false), None);
        assert!(is_open(&[300; 7], &old[..14], false).is_some());
        // Days of five weeks ago do not count.
        assert_eq!(
            is_open(&[100; 7], &[&[100; 28][..], &[0; 99]].concat(), false),
            None
        );
        assert_eq!(is_open(&[300; 6], &[], false), None);
    }

    proptest! {
        #[test]
        fn half_of_all_lie_on_each_side_of_a_median(energies in proptest::collection::vec(-1_000_i64..1_000, 1..20)) {
            let middle = median(energies.iter().map(|&energy| MicroWh::new(energy)).collect()).unwrap().millionths();
            let below = energies.iter().filter(|&&energy| energy < middle).count();
            let above = energies.iter().filter(|&&energy| energy > middle + 1).count();
            prop_assert!(below * 2 <= energies.len() && above * 2 <= energies.len());
        }

        #[test]
        fn a_day_within_the_weeks_is_usual(weeks in proptest::collection::vec(0_i64..50_000, 4..9), more in 0_i64..100_000) {
            let mut sorted = weeks.clone();
            sorted.sort_unstable();
            // The middle itself is never unusual, and an unusual value stays unusual further out.
            prop_assert_eq!(told(sorted[sorted.len() / 2], &[sorted[sorted.len() / 2]; 4]), None);
            let day = sorted[sorted.len() / 2] + more;
            if told(day, &weeks).is_some() {
                prop_assert!(told(day + 1_000, &weeks).is_some());
            }
        }
    }
}
