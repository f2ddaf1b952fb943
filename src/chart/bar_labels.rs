//! The labels of bars: each in the middle under the day, month or year that it names.

use super::dates::Wording;
use super::times::{TimeScale, TimeTick};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Calendar, Interval, TimeRange, Timestamp, Zone};

/// The unit that labels name, and the number of such units from one label to the next.
type LabelStep = (Interval, usize);

/// From fine to coarse.
const STEPS: [LabelStep; 13] = [
    (Interval::Day, 1),
    (Interval::Day, 2),
    (Interval::Day, 3),
    (Interval::Day, 5),
    (Interval::Day, 10),
    (Interval::Month, 1),
    (Interval::Month, 2),
    (Interval::Month, 3),
    (Interval::Month, 6),
    (Interval::Year, 1),
    (Interval::Year, 2),
    (Interval::Year, 5),
    (Interval::Year, 20),
];
/// The width of `Wed 11` and the space beside it, in pixels.
const WEEKDAY_PX: f64 = 48.0;
/// The width of `We 11` and the space beside it.
const SHORT_WEEKDAY_PX: f64 = 36.0;
/// The most days that are labelled by weekday.
const MAX_WEEKDAYS: i64 = 10;

impl TimeScale {
    /// The labels of bars of `interval`, as many as there is room for. Bars shorter than a day are
    /// labelled at their ends, as times are.
    pub(super) fn bar_ticks(&self, wording: Wording<'_>, interval: Interval) -> Vec<TimeTick> {
        let days = self.range.length_ms() / MS_PER_DAY;
        let is_short = interval.length_ms() < MS_PER_DAY;
        if is_short && days <= 3 {
            return self.ticks(wording);
        }
        let fits = |(of, every): &LabelStep| {
            #[expect(clippy::cast_precision_loss, reason = "only compared")]
            let [length, step] = [self.range.length_ms(), of.length_ms()].map(|ms| ms as f64);
            let every = f64::from(u32::try_from(*every).unwrap_or(u32::MAX));
            let labels = length / step / every;
            of.length_ms() >= interval.length_ms()
                && labels <= (self.plot.width / self.room(*of, days)).max(1.0)
        };
        let step = STEPS.into_iter().find(fits);
        self.labelled(wording, step.unwrap_or((Interval::Year, 1_000)), days)
    }

    /// The width of a label and the space beside it, in pixels.
    fn room(&self, of: Interval, days: i64) -> f64 {
        match of {
            Interval::Day if days <= MAX_WEEKDAYS => {
                if self.has_short_weekdays(days) {
                    SHORT_WEEKDAY_PX
                } else {
                    WEEKDAY_PX
                }
            }
            Interval::Day => 21.0,
            Interval::Month => 32.0,
            _ => 36.0,
        }
    }

    /// Whether there is no room for the names of weekdays as they are.
    fn has_short_weekdays(&self, days: i64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "only compared")]
        let days = days as f64;
        self.plot.width < days * WEEKDAY_PX
    }

    fn labelled(&self, wording: Wording<'_>, (of, every): LabelStep, days: i64) -> Vec<TimeTick> {
        let mut calendar = Calendar::new(wording.zone.clone(), of);
        let (first, last) = (self.range.start(), self.range.end());
        let mut ticks = Vec::new();
        let mut bucket = calendar.bucket(first);
        // The range ends with the first moment after its last bar.
        while bucket.start() < last {
            let seen = (bucket.start().max(first), bucket.end().min(last));
            let number = number(
                bucket,
                wording.zone,
                (of, days),
                ticks_before(first, bucket, of),
            );
            if number.is_multiple_of(every) {
                let is_short = self.has_short_weekdays(days);
                let (label, is_major) = match of {
                    Interval::Day if days <= MAX_WEEKDAYS => {
                        let start = bucket.start();
                        (wording.weekday(start, is_short), false)
                    }
                    _ => label(bucket.start(), wording, of, days),
                };
                ticks.push(TimeTick {
                    x: f64::midpoint(self.x(seen.0), self.x(seen.1)),
                    label,
                    is_major,
                    is_moment: false,
                });
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

/// The number of buckets of this length from the first one to this one.
fn ticks_before(first: Timestamp, bucket: TimeRange, of: Interval) -> usize {
    let before_ms = (bucket.start().millis() - first.millis()).max(0);
    // Half a bucket more, since a day may have 23 hours.
    let count = (before_ms + of.length_ms() / 2) / of.length_ms();
    usize::try_from(count).unwrap_or(0)
}

/// The number that selects buckets for a label: for days of about a month the bar's own, otherwise
/// the calendar's.
fn number(bucket: TimeRange, zone: &Zone, (of, days): (Interval, i64), nth: usize) -> usize {
    let (year, month, day) = zone.shown_at(bucket.start()).civil_date();
    match of {
        Interval::Day if days <= MAX_WEEKDAYS => nth,
        Interval::Day => usize::from(day) - 1,
        Interval::Month => usize::from(month) - 1,
        _ => usize::try_from(year).unwrap_or(0),
    }
}

/// The label of a bucket, and whether it begins a month or a year among many.
fn label(start: Timestamp, wording: Wording<'_>, of: Interval, days: i64) -> (String, bool) {
    /// A year has one January, and a month one first day.
    const LONGEST_MONTH: i64 = 31;
    const LONGEST_YEAR: i64 = 366;
    let (year, month, day) = wording.zone.shown_at(start).civil_date();
    let a_month = || wording.month(start);
    match of {
        Interval::Day if day == 1 && days > LONGEST_MONTH => (a_month(), true),
        Interval::Day => (day.to_string(), false),
        Interval::Month if month == 1 && days > LONGEST_YEAR => (year.to_string(), true),
        Interval::Month => (a_month(), false),
        _ => (year.to_string(), false),
    }
}
