//! Known energy of a range, which replaces that of the readings.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::replacement::Replacement;
use super::stretch::{Flow, Stretch};
use super::week_profile::WeekProfile;
use crate::domain::time::MS_PER_DAY;
use crate::domain::words::words;
use crate::domain::{MicroWh, Timestamp};

/// How the energy of a range is spread over it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// Evenly.
    #[default]
    Even,
    /// As the sensor's other days of the same weekday.
    LikeWeekday,
}

words! { Spread: Even "even", LikeWeekday "like-weekday"; "even or like-weekday" }

/// The known energy of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownEnergy {
    /// The range, which is not empty.
    pub range: Range<Timestamp>,
    /// Its energy, drawn less fed back.
    pub energy: MicroWh,
    /// How it is spread over the range.
    pub spread: Spread,
}

impl KnownEnergy {
    /// A longer range is spread evenly: in so many hours no day matters.
    const LONGEST_PROFILE_MS: i64 = 366 * MS_PER_DAY;

    /// The energy spread evenly, which replaces that of readings.
    #[must_use]
    pub fn evenly(&self) -> Option<Replacement> {
        let piece = self.piece(self.range.start, self.range.end, self.energy);
        Replacement::new(self.range.clone(), vec![piece])
    }

    /// The energy spread like `usual` weeks; evenly if these have none at those hours.
    #[must_use]
    pub fn like(&self, usual: &WeekProfile) -> Option<Replacement> {
        let length_ms = self.range.end.millis() - self.range.start.millis();
        if length_ms > Self::LONGEST_PROFILE_MS {
            return self.evenly();
        }
        let mut so_far = MicroWh::ZERO;
        let usual_until: Vec<(Timestamp, MicroWh)> = usual
            .hours(&self.range)
            .map(|(end, energy)| {
                so_far = so_far + energy;
                (end, so_far)
            })
            .collect();
        if so_far == MicroWh::ZERO {
            return self.evenly();
        }
        // Each hour's end is measured from the beginning, so that the hours add up to the whole.
        let (mut from, mut before) = (self.range.start, MicroWh::ZERO);
        let pieces = usual_until.into_iter().map(|(to, until)| {
            let until = self.energy.part(until.millionths(), so_far.millionths());
            let piece = self.piece(from, to, until - before);
            (from, before) = (to, until);
            piece
        });
        let pieces = pieces.collect();
        Replacement::new(self.range.clone(), pieces)
    }

    /// Whether it is energy that was fed back.
    #[must_use]
    pub fn is_fed_back(&self) -> bool {
        self.energy < MicroWh::ZERO
    }

    fn piece(&self, from: Timestamp, to: Timestamp, energy: MicroWh) -> Stretch {
        let flow = if self.is_fed_back() {
            Flow {
                exported: -energy,
                ..Flow::default()
            }
        } else {
            Flow {
                imported: energy,
                ..Flow::default()
            }
        };
        Stretch {
            from,
            to,
            flow,
            is_estimated: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Zone;
    use crate::domain::time::at;

    const HOUR: i64 = 3_600_000;

    fn known(from: i64, to: i64, millionths: i64) -> KnownEnergy {
        KnownEnergy {
            range: at(from)..at(to),
            energy: MicroWh::new(millionths),
            spread: Spread::LikeWeekday,
        }
    }

    /// The imported energy of each piece of a walk over this fact alone.
    fn pieces(replacement: Replacement) -> Vec<(i64, i64, i64)> {
        let mut all = Vec::new();
        let mut walk = super::super::ReplacementWalk::new([replacement]);
        walk.finish(&mut |piece| {
            assert!(piece.is_estimated);
            let [from, to] = [piece.from, piece.to].map(Timestamp::millis);
            all.push((from, to, piece.flow.net().millionths()));
        });
        all
    }

    /// 1970 began on a Thursday: at 0:00 nothing is usual, at 1:00 it is 10, at 2:00 it is 30.
    fn thursdays(is_fed_back: bool) -> WeekProfile {
        let mut usual = WeekProfile::new(Zone::UTC, is_fed_back);
        let of = |millionths| Flow {
            imported: MicroWh::new(millionths),
            exported: MicroWh::new(millionths * 2),
        };
        usual.add(at(0), of(0));
        usual.add(at(HOUR), of(10));
        usual.add(at(2 * HOUR), of(30));
        usual
    }

    #[test]
    fn energy_is_spread_like_the_weekday() {
        let week = 7 * 24 * HOUR;
        let (from, to) = (week, week + 3 * HOUR);
        assert_eq!(
            pieces(known(from, to, 80).like(&thursdays(false)).unwrap()),
            [
                (from, from + HOUR, 0),
                (from + HOUR, from + 2 * HOUR, 20),
                (from + 2 * HOUR, to, 60)
            ]
        );
        // Export, and half of the hour at each end.
        let half = HOUR / 2;
        let (from, to) = (from + HOUR + half, to - half);
        assert_eq!(
            pieces(known(from, to, -80).like(&thursdays(true)).unwrap()),
            [(from, from + half, -20), (from + half, to, -60)]
        );
    }

    #[test]
    fn an_hour_of_which_nothing_is_known_is_like_the_mean_of_the_others() {
        let week = 7 * 24 * HOUR;
        let (from, to) = (week + 2 * HOUR, week + 4 * HOUR);
        // The mean of 0, 10 and 30 is 13.
        assert_eq!(
            pieces(known(from, to, 43).like(&thursdays(false)).unwrap()),
            [(from, from + HOUR, 30), (from + HOUR, to, 13)]
        );
    }

    #[test]
    fn with_nothing_known_energy_is_spread_evenly() {
        let nothing = WeekProfile::new(Zone::UTC, false);
        let even = known(0, 3 * HOUR, 7);
        assert_eq!(pieces(even.like(&nothing).unwrap()), [(0, 3 * HOUR, 7)]);
        // Nothing is usual at that hour.
        let zero = known(0, HOUR, 7).like(&thursdays(false)).unwrap();
        assert_eq!(pieces(zero), [(0, HOUR, 7)]);
        let years = 367 * MS_PER_DAY;
        let long = known(0, years, 7).like(&thursdays(false)).unwrap();
        assert_eq!(pieces(long), [(0, years, 7)]);
    }

    #[test]
    fn the_hours_add_up_exactly() {
        let mut usual = WeekProfile::new(Zone::parse("Europe/Berlin").unwrap(), false);
        for hour in 0..1_000 {
            let energy = MicroWh::new(hour * hour % 977);
            let flow = Flow {
                imported: energy,
                ..Flow::default()
            };
            usual.add(at(hour * HOUR), flow);
        }
        for total in [1, 999, 123_456_789, i64::MAX, -5, -123_456_789] {
            let pieces = pieces(known(7, 99 * HOUR + 1, total).like(&usual).unwrap());
            assert!(pieces.len() >= 100);
            assert_eq!(pieces.iter().map(|piece| piece.2).sum::<i64>(), total);
            assert!(
                pieces
                    .iter()
                    .all(|piece| piece.2.signum() != -total.signum())
            );
        }
    }
}
