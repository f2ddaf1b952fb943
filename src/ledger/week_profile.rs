//! A sensor's usual week, hour by hour.

use std::ops::Range;

use super::stretch::Flow;
use crate::domain::time::MS_PER_HOUR;
use crate::domain::{Calendar, Interval, LocalDate, MicroWh, Timestamp, Zone};

const HOURS_A_DAY: usize = 24;
const HOURS_A_WEEK: usize = 7 * HOURS_A_DAY;

/// The usual energy of each hour of the week, by the clocks of a zone: the mean of its known
/// energy.
pub struct WeekProfile {
    zone: Zone,
    is_fed_back: bool,
    hours: [HourMean; HOURS_A_WEEK],
}

#[derive(Clone, Copy, Default)]
struct HourMean {
    energy: MicroWh,
    count: i64,
}

impl HourMean {
    fn and(self, other: Self) -> Self {
        Self {
            energy: self.energy + other.energy,
            count: self.count + other.count,
        }
    }

    /// `None` if nothing is known.
    fn mean(self) -> Option<MicroWh> {
        (self.count > 0).then(|| self.energy.part(1, self.count))
    }
}

impl WeekProfile {
    /// A profile of import or export, without any hour yet.
    #[must_use]
    pub const fn new(zone: Zone, is_fed_back: bool) -> Self {
        let nothing = HourMean {
            energy: MicroWh::ZERO,
            count: 0,
        };
        Self {
            zone,
            is_fed_back,
            hours: [nothing; HOURS_A_WEEK],
        }
    }

    /// Adds the energy of the hour that begins at `start`.
    pub fn add(&mut self, start: Timestamp, flow: Flow) {
        let energy = if self.is_fed_back {
            flow.exported
        } else {
            flow.imported
        };
        let nth = self.nth(start);
        if let Some(hour) = self.hours.get_mut(nth) {
            *hour = hour.and(HourMean { energy, count: 1 });
        }
    }

    /// The hours of `range`, cut at its ends: the end of each, and its usual energy. An unknown
    /// hour has the mean of those that are known.
    pub(super) fn hours(
        &self,
        range: &Range<Timestamp>,
    ) -> impl Iterator<Item = (Timestamp, MicroWh)> {
        let known = self.hours.iter().copied();
        let all = known.fold(HourMean::default(), HourMean::and);
        let mean = all.mean().unwrap_or_default();
        let mut calendar = Calendar::new(self.zone.clone(), Interval::Hour);
        let Range {
            start: mut from,
            end,
        } = *range;
        std::iter::from_fn(move || {
            if from >= end {
                return None;
            }
            let next = calendar.bucket(from).end().saturating_add_millis(1);
            let to = next.min(end);
            let usual = self.hours.get(self.nth(from)).and_then(|hour| hour.mean());
            // Of a cut hour, its part.
            let energy = usual
                .unwrap_or(mean)
                .part(to.millis() - from.millis(), MS_PER_HOUR);
            from = to;
            Some((to, energy))
        })
    }

    /// The hour of the week in local time.
    fn nth(&self, time: Timestamp) -> usize {
        let shown = self.zone.shown_at(time);
        let day = usize::from(LocalDate::of_shown(shown).weekday().days_after_monday());
        let hour = usize::try_from(shown.millis_of_day() / MS_PER_HOUR).unwrap_or(0);
        day * HOURS_A_DAY + hour
    }
}
