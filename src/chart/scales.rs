//! Where on a picture a time or a value is, and the round ones that are written beside it.

use super::quantity::Unit;
use crate::domain::calendar::Zone;
use crate::domain::interval::{Calendar, Interval};
use crate::domain::time::{MS_PER_DAY, TimeRange, Timestamp};
use crate::query::Units;

/// The part of a picture that things are drawn on, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Times from left to right.
pub(super) struct TimeScale {
    range: TimeRange,
    plot: Plot,
}

/// A round time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TimeTick {
    pub(super) time: Timestamp,
    pub(super) label: String,
    /// Whether a day, or of longer intervals a year, begins.
    pub(super) is_major: bool,
}

impl TimeScale {
    pub(super) const fn new(range: TimeRange, plot: Plot) -> Self {
        Self { range, plot }
    }

    /// Where `time` is, the nearest place in the plot where it lies outside.
    pub(super) fn x(&self, time: Timestamp) -> f64 {
        let span_ms = (self.range.end().millis() - self.range.start().millis()).max(1);
        let into_ms = time.millis() - self.range.start().millis();
        #[expect(clippy::cast_precision_loss, reason = "a pixel is a tenth at the most")]
        let share = into_ms as f64 / span_ms as f64;
        self.plot.left + share.clamp(0.0, 1.0) * self.plot.width
    }

    /// Round times by the clocks of `zone`, each with room for its label.
    pub(super) fn ticks(&self, zone: &Zone) -> Vec<TimeTick> {
        /// A label of a day and the space beside it.
        const ROOM_PX: f64 = 60.0;
        /// The same of an hour: where the clocks go forward two of them are nearer to each other.
        const HOUR_ROOM_PX: f64 = 62.0;
        /// Each interval with its length in days, and of which of them there is one tick only.
        const STEPS: [(Interval, f64, i32); 17] = [
            (Interval::Minute, 1.0 / 1_440.0, 1),
            (Interval::FiveMinutes, 5.0 / 1_440.0, 1),
            (Interval::TenMinutes, 10.0 / 1_440.0, 1),
            (Interval::HalfHour, 30.0 / 1_440.0, 1),
            (Interval::Hour, 1.0 / 24.0, 1),
            (Interval::TwoHours, 2.0 / 24.0, 1),
            (Interval::ThreeHours, 3.0 / 24.0, 1),
            (Interval::SixHours, 6.0 / 24.0, 1),
            (Interval::HalfDay, 0.5, 1),
            (Interval::Day, 1.0, 1),
            (Interval::Week, 7.0, 1),
            (Interval::Month, 28.0, 1),
            (Interval::Month, 3.0 * 28.0, 3),
            (Interval::Year, 365.0, 1),
            (Interval::Year, 2.0 * 365.0, 2),
            (Interval::Year, 5.0 * 365.0, 5),
            (Interval::Year, 20.0 * 365.0, 20),
        ];
        let span_ms = self.range.end().millis() - self.range.start().millis();
        #[expect(clippy::cast_precision_loss, reason = "only compared")]
        let days = span_ms as f64 / MS_PER_DAY as f64;
        let fits = |(_, length, _): &(Interval, f64, i32)| {
            let room = if *length < 1.0 { HOUR_ROOM_PX } else { ROOM_PX };
            days / length <= (self.plot.width / room).max(1.0)
        };
        let (interval, _, every) =
            STEPS
                .into_iter()
                .find(fits)
                .unwrap_or((Interval::Year, 0.0, 1_000));
        let mut calendar = Calendar::new(zone.clone(), interval);
        let mut ticks = Vec::new();
        let mut bucket = calendar.bucket(self.range.start());
        while bucket.start() <= self.range.end() {
            let is_in = self.range.contains(bucket.start());
            if let Some(tick) = tick(bucket.start(), zone, (interval, every)).filter(|_| is_in) {
                ticks.push(tick);
            }
            if bucket.end() == Timestamp::MAX {
                break;
            }
            bucket = calendar.bucket(bucket.end().saturating_add_millis(1));
        }
        ticks
    }
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

fn month_name(month: u8) -> &'static str {
    MONTHS
        .get(usize::from(month).saturating_sub(1))
        .copied()
        .unwrap_or_default()
}

/// The tick at the beginning of a bucket; `None` where only some of them have one.
fn tick(time: Timestamp, zone: &Zone, (interval, every): (Interval, i32)) -> Option<TimeTick> {
    let shown = zone.shown_at(time);
    let (year, month, day) = shown.civil_date();
    let is_new_year = month == 1 && day == 1;
    let (label, is_major, is_wanted) = match interval {
        Interval::Year => (year.to_string(), false, year.rem_euclid(every) == 0),
        Interval::Month | Interval::Day | Interval::Week if is_new_year => {
            (year.to_string(), true, true)
        }
        Interval::Month => {
            let is_wanted = (i32::from(month) - 1).rem_euclid(every) == 0;
            (month_name(month).to_owned(), false, is_wanted)
        }
        Interval::Day | Interval::Week => (day_text(day, month), false, true),
        _ if shown.millis_of_day() == 0 => (day_text(day, month), true, true),
        _ => (time_of_day(shown), false, true),
    };
    is_wanted.then_some(TimeTick {
        time,
        label,
        is_major,
    })
}

fn day_text(day: u8, month: u8) -> String {
    format!("{day} {}", month_name(month))
}

fn time_of_day(shown: Timestamp) -> String {
    let minutes = shown.millis_of_day() / 60_000;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// A time by the clocks of `zone`: `8 Jul 2026 14:05`.
#[must_use]
pub fn moment(time: Timestamp, zone: &Zone) -> String {
    format!("{} {}", date(time, zone), time_of_day(zone.shown_at(time)))
}

/// A date by the clocks of `zone`: `8 Jul 2026`.
#[must_use]
pub fn date(time: Timestamp, zone: &Zone) -> String {
    let (year, month, day) = zone.shown_at(time).civil_date();
    format!("{} {year}", day_text(day, month))
}

/// What a bucket of `interval` is called that begins at `time`: `8 Jul 2026 14:00`, `Jul 2026`.
#[must_use]
pub fn bucket_name(time: Timestamp, interval: Interval, zone: &Zone) -> String {
    let (year, month, _) = zone.shown_at(time).civil_date();
    match interval {
        Interval::Year => year.to_string(),
        Interval::Month => format!("{} {year}", month_name(month)),
        Interval::Week => format!("week of {}", date(time, zone)),
        Interval::Day => date(time, zone),
        _ => moment(time, zone),
    }
}

/// Values from bottom to top, zero always among them.
pub(super) struct ValueScale {
    low: f64,
    high: f64,
    step: f64,
    units: Units,
}

impl ValueScale {
    /// A scale for values from `least` to `greatest` that is `height` pixels high. It has one step more where that makes
    /// its ends round.
    pub(super) fn new(least: f64, greatest: f64, height: f64, units: Units) -> Self {
        /// A label and the space above it.
        const ROOM_PX: f64 = 34.0;
        /// Less than that is no difference: a thousandth of a watt.
        const LEAST_HALF: f64 = 0.0005;
        let (low, high) = (least.min(0.0), greatest.max(0.0));
        // Halves, because the whole may be more than a f64 can be.
        let half = (high / 2.0 - low / 2.0).max(LEAST_HALF);
        let steps = (height / ROOM_PX).max(1.0);
        let step = round_up(half / steps * 2.0_f64.min(steps)).max(2.0 * LEAST_HALF);
        let out = |end: f64| finite((end.abs() / step).ceil() * step).copysign(end);
        let (low, high) = (out(low), out(high));
        let is_empty = high == 0.0 && low == 0.0;
        Self {
            low: if low == 0.0 { 0.0 } else { low },
            high: if is_empty { step } else { high },
            step,
            units,
        }
    }

    /// The values at its bottom and at its top.
    pub(super) const fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Where `value` is in `plot`, the nearest place where it lies outside.
    pub(super) fn y(&self, value: f64, plot: Plot) -> f64 {
        let share = (self.high / 2.0 - value / 2.0) / (self.high / 2.0 - self.low / 2.0);
        plot.top + share.clamp(0.0, 1.0) * plot.height
    }

    /// Round values with their labels, ascending.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let unit = Unit::of(self.high.max(-self.low), self.units);
        let decimals = (0..3_i32)
            .find(|decimals| {
                let scaled = self.step / unit.size * 10_f64.powi(*decimals);
                (scaled - scaled.round()).abs() < 1e-6
            })
            .unwrap_or(3);
        let decimals = usize::try_from(decimals).unwrap_or_default();
        let count = |end: f64| (end / self.step).round().clamp(-50.0, 50.0);
        #[expect(clippy::cast_possible_truncation, reason = "at most 50")]
        let (first, last) = (count(self.low) as i32, count(self.high) as i32);
        (first..=last)
            .map(|nth| {
                let value = finite(f64::from(nth) * self.step);
                // Zero needs none.
                let decimals = if nth == 0 { 0 } else { decimals };
                (value, unit.text(value, decimals))
            })
            .collect()
    }
}

/// The least of 1, 2 and 5 with zeros that is not below `number`, a positive one.
fn round_up(number: f64) -> f64 {
    let power = 10_f64.powf(number.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let found = round
        .into_iter()
        .find(|round| number <= *round * (1.0 + 1e-9));
    finite(found.unwrap_or(number))
}

fn finite(number: f64) -> f64 {
    number.clamp(f64::MIN, f64::MAX)
}
