//! Where times are on a picture, and the round ones among them that label its axis.

use super::dates::Wording;
use super::scales::Plot;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Calendar, Interval, TimeRange, Timestamp};

/// Times from left to right.
pub(super) struct TimeScale {
    pub(super) range: TimeRange,
    pub(super) plot: Plot,
}

/// A round time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TimeTick {
    /// Where it is, in pixels.
    pub(super) x: f64,
    pub(super) label: String,
    /// Whether a day begins; on an axis of days or more, whether a year does.
    pub(super) is_major: bool,
    /// Whether it marks its moment, not a whole bar.
    pub(super) is_moment: bool,
}

impl TimeScale {
    /// Where `time` is; the nearer edge of the plot if it lies outside the range.
    pub(super) fn x(&self, time: Timestamp) -> f64 {
        // A range may be a single millisecond, with a length of 0.
        let span_ms = self.range.length_ms().max(1);
        let into_ms = time.millis() - self.range.start().millis();
        #[expect(clippy::cast_precision_loss, reason = "a pixel is a tenth at the most")]
        let share = into_ms as f64 / span_ms as f64;
        self.plot.left + share.clamp(0.0, 1.0) * self.plot.width
    }

    /// Round times by the account's clock, as many as there is room for labels.
    pub(super) fn ticks(&self, wording: Wording<'_>) -> Vec<TimeTick> {
        /// The width of a day's label and the space beside it.
        const ROOM_PX: f64 = 60.0;
        /// The same for an hour, with a reserve: where the clocks go forward, two labels are nearer
        /// to each other.
        const HOUR_ROOM_PX: f64 = 62.0;
        /// Intervals, and how many buckets of each have one tick.
        const STEPS: [(Interval, i32); 17] = [
            (Interval::Minute, 1),
            (Interval::FiveMinutes, 1),
            (Interval::TenMinutes, 1),
            (Interval::HalfHour, 1),
            (Interval::Hour, 1),
            (Interval::TwoHours, 1),
            (Interval::ThreeHours, 1),
            (Interval::SixHours, 1),
            (Interval::HalfDay, 1),
            (Interval::Day, 1),
            (Interval::Week, 1),
            (Interval::Month, 1),
            (Interval::Month, 3),
            (Interval::Year, 1),
            (Interval::Year, 2),
            (Interval::Year, 5),
            (Interval::Year, 20),
        ];
        let fits = |(interval, every): &(Interval, i32)| {
            let step_ms = interval.length_ms() * i64::from(*every);
            let room = if step_ms < MS_PER_DAY {
                HOUR_ROOM_PX
            } else {
                ROOM_PX
            };
            #[expect(clippy::cast_precision_loss, reason = "only compared")]
            let ticks = self.range.length_ms() as f64 / step_ms as f64;
            // One tick at least, however narrow the plot is.
            ticks <= (self.plot.width / room).max(1.0)
        };
        let fitting = STEPS.into_iter().find(fits);
        // A longer range, such as one from an address, has a tick at each millennium.
        let (interval, every) = fitting.unwrap_or((Interval::Year, 1_000));
        let mut calendar = Calendar::new(wording.zone.clone(), interval);
        let mut ticks = Vec::new();
        let mut bucket = calendar.bucket(self.range.start());
        while bucket.start() <= self.range.end() {
            let is_in = self.range.contains(bucket.start());
            let tick = is_in.then(|| self.tick(bucket.start(), wording, (interval, every)));
            ticks.extend(tick.flatten());
            // There is no later bucket.
            if bucket.end() == Timestamp::MAX {
                break;
            }
            bucket = calendar.bucket(bucket.end().saturating_add_millis(1));
        }
        ticks
    }

    /// The tick at the beginning of a bucket; `None` if only some buckets have one, and this one
    /// has not.
    fn tick(
        &self,
        time: Timestamp,
        wording: Wording<'_>,
        (interval, every): (Interval, i32),
    ) -> Option<TimeTick> {
        let shown = wording.zone.shown_at(time);
        let (year, month, day) = shown.civil_date();
        let is_new_year = month == 1 && day == 1;
        let a_year = || year.to_string();
        let a_day = || wording.day_of_year(time);
        let a_month = || wording.month(time);
        let (label, is_major, number) = match interval {
            Interval::Year => (a_year(), false, year),
            Interval::Month | Interval::Day | Interval::Week if is_new_year => (a_year(), true, 0),
            Interval::Month => (a_month(), false, i32::from(month) - 1),
            Interval::Day | Interval::Week => (a_day(), false, 0),
            _ if shown.millis_of_day() == 0 => (a_day(), true, 0),
            _ => (wording.clock(time), false, 0),
        };
        (number.rem_euclid(every) == 0).then_some(TimeTick {
            x: self.x(time),
            label,
            is_major,
            is_moment: true,
        })
    }
}
