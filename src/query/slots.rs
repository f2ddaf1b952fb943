//! How time is cut into slots: buckets of the calendar, columns of equal width, or the stretches
//! between given times.

use crate::domain::time::MS_PER_DAY;
use crate::domain::{Calendar, Interval, TimeRange, Timestamp, Zone};
use crate::store::Measure;

/// A way to cut time: each time belongs to one slot.
#[derive(Clone)]
pub(super) enum Slots {
    /// Buckets of the calendar. The readings of a bucket are those of its times plus `late_ms`.
    Calendar { calendar: Calendar, late_ms: i64 },
    /// Columns of equal width; the first one begins at `start_ms`.
    Columns { start_ms: i64, width_ms: i64 },
    /// The stretches that end at each of these ascending times, which belong to them. The last one
    /// that was asked for is at `nth`.
    Until { ends: Vec<Timestamp>, nth: usize },
}

/// A slot of time.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    /// When it begins.
    pub(super) start: Timestamp,
    /// From the first to the last time of readings that count in it.
    pub(super) times: TimeRange,
}

impl Slots {
    /// Buckets of the calendar. Power counts in the bucket that its time lies in. A difference of
    /// registers counts where the later register lies, without the bucket's start but with the next
    /// one's: this way the differences add up to the net.
    pub(super) fn calendar(zone: Zone, interval: Interval, measure: Measure) -> Self {
        Self::Calendar {
            calendar: Calendar::new(zone, interval),
            late_ms: match measure {
                Measure::Watts => 0,
                Measure::Watthours => 1,
            },
        }
    }

    /// Buckets of the calendar, each with the energy that flowed from its start until the next
    /// one's.
    pub(super) fn flows(zone: Zone, interval: Interval) -> Self {
        Self::calendar(zone, interval, Measure::Watts)
    }

    /// The stretches that begin at each of these ascending times, which belong to them, and end
    /// where the next one begins.
    pub(super) fn from_each(times: &[Timestamp]) -> Self {
        let before = times.iter().map(|time| time.saturating_add_millis(-1));
        Self::until(before.collect())
    }

    /// The stretches that end at each of these ascending times, which belong to them.
    pub(super) const fn until(ends: Vec<Timestamp>) -> Self {
        Self::Until { ends, nth: 0 }
    }

    /// At most so many columns of equal width; the last one may reach beyond the range.
    pub(super) fn columns(range: TimeRange, columns: u32) -> Self {
        /// From here on a column has whole days: otherwise columns of nights and of days alternate,
        /// which looks like noise.
        const WHOLE_DAYS_FROM_MS: i64 = MS_PER_DAY / 4;
        // Rounded up, so that there are never more columns than asked for.
        let up = |number: i64, step: i64| (number + step - 1).div_euclid(step);
        let width_ms = up(range.length_ms() + 1, i64::from(columns));
        let days_ms = up(width_ms, MS_PER_DAY) * MS_PER_DAY;
        Self::Columns {
            start_ms: range.start().millis(),
            width_ms: if width_ms < WHOLE_DAYS_FROM_MS {
                width_ms
            } else {
                days_ms
            },
        }
    }

    /// The slot of a reading at `time`.
    pub(super) fn slot(&mut self, time: Timestamp) -> Slot {
        match self {
            Self::Calendar { calendar, late_ms } => {
                // A register at the start of a bucket ends the bucket before: a millisecond
                // earlier, it lies there.
                let bucket = calendar.bucket(time.saturating_add_millis(-*late_ms));
                let late = |time: Timestamp| time.saturating_add_millis(*late_ms);
                let times = TimeRange::new(late(bucket.start()), late(bucket.end()));
                Slot {
                    start: bucket.start(),
                    times: times.unwrap_or(bucket),
                }
            }
            Self::Columns { start_ms, width_ms } => {
                let into_ms = (time.millis() - *start_ms).rem_euclid(*width_ms);
                let start = time.saturating_add_millis(-into_ms);
                Slot::new(start, time.saturating_add_millis(*width_ms - 1 - into_ms))
            }
            Self::Until { ends, nth } => {
                let end = |nth: usize| ends.get(nth).copied();
                let is_at = |nth: usize| {
                    let is_after = nth.checked_sub(1).and_then(end) < Some(time);
                    is_after && end(nth).is_none_or(|end| time <= end)
                };
                // Mostly time goes on slowly.
                let near = [*nth, nth.saturating_add(1)]
                    .into_iter()
                    .find(|nth| is_at(*nth));
                *nth = near.unwrap_or_else(|| ends.partition_point(|end| *end < time));
                let nth = *nth;
                let before = nth.checked_sub(1).and_then(|nth| ends.get(nth));
                // After the end before, which belongs to the earlier stretch.
                let start = before.map_or(Timestamp::MIN, |end| end.saturating_add_millis(1));
                Slot::new(start, ends.get(nth).copied().unwrap_or(Timestamp::MAX))
            }
        }
    }
}

impl Slot {
    fn new(start: Timestamp, last: Timestamp) -> Self {
        Self {
            start,
            times: TimeRange::new(start, last).unwrap_or(TimeRange::at(start)),
        }
    }
}
