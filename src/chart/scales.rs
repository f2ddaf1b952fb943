//! Where times and values are on a picture, and the round ones among them that label its axes.

use super::quantity::ScaledUnit;
use crate::domain::number::finite;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Calendar, Interval, TimeRange, Timestamp, Zone};
use crate::query::Units;

/// The part of a picture inside its axes, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Times from left to right.
pub(super) struct TimeScale {
    pub(super) range: TimeRange,
    pub(super) plot: Plot,
}

/// A round time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TimeTick {
    pub(super) time: Timestamp,
    pub(super) label: String,
    /// Whether a day begins; on an axis of days or more, whether a year does.
    pub(super) is_major: bool,
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

    /// Round times by the clocks of `zone`, as many as there is room for labels.
    pub(super) fn ticks(&self, zone: &Zone) -> Vec<TimeTick> {
        /// The width of a day's label and the space beside it.
        const ROOM_PX: f64 = 60.0;
        /// The same for an hour, with a reserve: where the clocks go forward, two labels are nearer to each other.
        const HOUR_ROOM_PX: f64 = 62.0;
        /// Intervals, and how many buckets of each have one tick.
        const STEPS: [(Interval, i16); 17] = [
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
        let fits = |(interval, every): &(Interval, i16)| {
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
        // A longer range, for which an address may ask, has a tick at each millennium.
        let (interval, every) = fitting.unwrap_or((Interval::Year, 1_000));
        let mut calendar = Calendar::new(zone.clone(), interval);
        let mut ticks = Vec::new();
        let mut bucket = calendar.bucket(self.range.start());
        while bucket.start() <= self.range.end() {
            let is_in = self.range.contains(bucket.start());
            if let Some(tick) = tick(bucket.start(), zone, (interval, every)).filter(|_| is_in) {
                ticks.push(tick);
            }
            // There is no later bucket.
            if bucket.end() == Timestamp::MAX {
                break;
            }
            bucket = calendar.bucket(bucket.end().saturating_add_millis(1));
        }
        ticks
    }
}

/// The tick at the beginning of a bucket; `None` if only some buckets have one, and this one has not.
fn tick(time: Timestamp, zone: &Zone, (interval, every): (Interval, i16)) -> Option<TimeTick> {
    let shown = zone.shown_at(time);
    let (year, month, day) = shown.civil_date();
    let is_new_year = month == 1 && day == 1;
    let (format, is_major, number) = match interval {
        Interval::Year => ("%-Y", false, year),
        Interval::Month | Interval::Day | Interval::Week if is_new_year => ("%-Y", true, 0),
        Interval::Month => ("%b", false, i16::from(month) - 1),
        Interval::Day | Interval::Week => ("%-d %b", false, 0),
        _ if shown.millis_of_day() == 0 => ("%-d %b", true, 0),
        _ => ("%H:%M", false, 0),
    };
    (number.rem_euclid(every) == 0).then(|| TimeTick {
        time,
        label: zone.format(time, format),
        is_major,
    })
}

/// Values from bottom to top; zero is always among them.
pub(super) struct ValueScale {
    low: f64,
    high: f64,
    step: f64,
    units: Units,
}

impl ValueScale {
    /// A scale for values from `least` to `greatest`, `height` pixels high. Its ends are widened to round values.
    pub(super) fn new(least: f64, greatest: f64, height: f64, units: Units) -> Self {
        /// The height of a label and the space above it.
        const ROOM_PX: f64 = 34.0;
        /// Half of a thousandth of a watt, the smallest difference that is shown.
        const LEAST_HALF: f64 = 0.0005;
        let (low, high) = (least.min(0.0), greatest.max(0.0));
        // Halves, because the whole difference may exceed what a f64 can hold.
        let half = (high / 2.0 - low / 2.0).max(LEAST_HALF);
        let steps = (height / ROOM_PX).max(1.0);
        // The difference by the number of steps, but at least two steps: so twice the half cannot overflow.
        let step = round_up(half / steps * 2.0_f64.min(steps)).max(2.0 * LEAST_HALF);
        let out = |end: f64| finite((end.abs() / step).ceil() * step).copysign(end);
        let (low, high) = (out(low), out(high));
        let is_empty = high == 0.0 && low == 0.0;
        Self {
            // Not -0.0, which `data-values` would show.
            low: if low == 0.0 { 0.0 } else { low },
            high: if is_empty { step } else { high },
            step,
            units,
        }
    }

    /// The values at its bottom and its top.
    pub(super) const fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Where `value` is in `plot`; the nearer edge if it lies outside the scale.
    pub(super) fn y(&self, value: f64, plot: Plot) -> f64 {
        // By halves, as in `new`: the difference may exceed what a f64 can hold.
        let share = (self.high / 2.0 - value / 2.0) / (self.high / 2.0 - self.low / 2.0);
        plot.top + share.clamp(0.0, 1.0) * plot.height
    }

    /// Round values with their labels, ascending.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let unit = ScaledUnit::of(self.high.max(-self.low), self.units);
        // By the step, so that all labels of an axis have as many decimals.
        let decimals = (0..3_i32)
            .find(|decimals| {
                let scaled = self.step / unit.size * 10_f64.powi(*decimals);
                (scaled - scaled.round()).abs() < 1e-6
            })
            .unwrap_or(3);
        let decimals = usize::try_from(decimals).unwrap_or_default();
        // A scale has a few steps; the limit is against what rounding may do to huge numbers.
        let count = |end: f64| (end / self.step).round().clamp(-50.0, 50.0);
        #[expect(clippy::cast_possible_truncation, reason = "at most 50")]
        let (first, last) = (count(self.low) as i32, count(self.high) as i32);
        (first..=last)
            .map(|nth| {
                let value = finite(f64::from(nth) * self.step);
                // Zero needs no decimals.
                let decimals = if nth == 0 { 0 } else { decimals };
                (value, unit.text(value, decimals))
            })
            .collect()
    }
}

/// The least of 1, 2 and 5 times a power of ten that is not below `number`, which is positive.
fn round_up(number: f64) -> f64 {
    let power = 10_f64.powf(number.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let found = round
        .into_iter()
        // With a tolerance, because powers of ten and quotients are rounded: 5.000000000001 is 5.
        .find(|round| number <= *round * (1.0 + 1e-9));
    finite(found.unwrap_or(number))
}
