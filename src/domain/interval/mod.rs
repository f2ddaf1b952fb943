//! Intervals of the calendar: time cut into buckets by local time.
//!
//! Buckets follow each other without gap or overlap, however the clocks are changed.

use serde::{Deserialize, Serialize};
use time::{Date, SignedDuration};

use super::calendar::{OffsetPeriod, Zone};
use super::time::{MS_PER_DAY, TimeRange, Timestamp};
use super::words::words;

/// The length of a bucket by the clock or the calendar. The numbers are minutes: those of the
/// shortest month or year, and of a day without a change of the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interval {
    /// A minute.
    Minute = 1,
    /// Five minutes.
    FiveMinutes = 5,
    /// Ten minutes.
    TenMinutes = 10,
    /// A quarter of an hour.
    QuarterHour = 15,
    /// Half an hour.
    HalfHour = 30,
    /// An hour.
    Hour = 60,
    /// Two hours, from midnight on.
    TwoHours = 120,
    /// Three hours, from midnight on.
    ThreeHours = 180,
    /// Six hours, from midnight on.
    SixHours = 360,
    /// Twelve hours, from midnight or noon.
    HalfDay = 720,
    /// A day.
    Day = 1_440,
    /// A week, from Monday unless a calendar says otherwise.
    Week = 7 * 1_440,
    /// A month of the calendar.
    Month = 28 * 1_440,
    /// A year of the calendar.
    Year = 365 * 1_440,
}

// In ascending order of length.
words! {
    Interval: Minute "1m", FiveMinutes "5m", TenMinutes "10m", QuarterHour "15m", HalfHour "30m", Hour "1h", TwoHours "2h",
    ThreeHours "3h", SixHours "6h", HalfDay "12h", Day "1d", Week "1w", Month "1mo", Year "1y";
    "one of 1m, 5m, 10m, 15m, 30m, 1h, 2h, 3h, 6h, 12h, 1d, 1w, 1mo, 1y"
}

/// The buckets of an interval in a zone.
///
/// A bucket shorter than a day begins whenever the local time reaches a multiple of its length, or
/// jumps over one. So an hour that occurs twice is two buckets, and three hours, one of which
/// occurs twice, are one bucket of four hours.
///
/// A day begins when its date first appears in local time, and lasts until the next one begins. So
/// each date is one bucket, and a day that the clocks skip has none.
#[derive(Clone, Debug)]
pub struct Calendar {
    zone: Zone,
    interval: Interval,
    /// The first day of a week.
    week_start: WeekStart,
    /// The newest period, kept because most times are in the same one.
    period: OffsetPeriod,
    /// The newest bucket, kept because readings follow each other.
    bucket: Option<TimeRange>,
}

/// The first day of a week.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeekStart {
    /// As everywhere in the API.
    #[default]
    Monday,
    /// As in some regions.
    Sunday,
}

/// A bucket up to now, and the same part of the previous bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoFar {
    /// From the bucket's first millisecond until now.
    pub now: TimeRange,
    /// From the first millisecond of the previous bucket until the same point, at most until its
    /// end.
    pub before: TimeRange,
}

impl Calendar {
    /// The calendar of a zone, for this interval.
    #[must_use]
    pub fn new(zone: Zone, interval: Interval) -> Self {
        // Any period would do, because the first time outside it replaces it.
        let period = zone.period_at(Timestamp::MIN);
        Self {
            zone,
            interval,
            week_start: WeekStart::Monday,
            period,
            bucket: None,
        }
    }

    /// The same with weeks from this day.
    #[must_use]
    pub fn with_weeks_from(self, week_start: WeekStart) -> Self {
        Self {
            week_start,
            bucket: None,
            ..self
        }
    }

    /// The bucket that contains `time`, from its first millisecond to its last.
    #[must_use]
    pub fn bucket(&mut self, time: Timestamp) -> TimeRange {
        if let Some(bucket) = self.bucket.filter(|bucket| bucket.contains(time)) {
            return bucket;
        }
        let (start, last) = match self.interval.clock_length_ms() {
            Some(length_ms) => self.clock_bucket(time, length_ms),
            None => self.date_bucket(time),
        };
        // It always contains `time`. If it ever did not, a bucket of one moment would still let the
        // caller continue.
        let whole = TimeRange::new(start, last).filter(|bucket| bucket.contains(time));
        let bucket = whole.unwrap_or(TimeRange::at(time));
        self.bucket = Some(bucket);
        bucket
    }

    /// The current bucket up to `now`, and the previous one up to the same point.
    ///
    /// The same point has the same local time: at 14:05, yesterday counts up to 14:05, however long
    /// the night was. For a week it is the same weekday; for a month or year the same date, or the
    /// end if there is no such date (30 March and February); 28 February for the 29th of a year.
    #[must_use]
    pub fn so_far(&mut self, now: Timestamp) -> SoFar {
        let bucket = self.bucket(now);
        let before = self.bucket(bucket.start().saturating_add_millis(-1));
        let shown = self.zone.shown_at(now);
        // Energy counts up to and including the start of the next bucket. `max`, because `clamp`
        // panics if its ends are swapped.
        let end_of_before = bucket.start().max(before.start());
        let same = match self.interval.clock_length_ms() {
            Some(_) => {
                let passed_ms = now.millis() - bucket.start().millis();
                before.start().saturating_add_millis(passed_ms)
            }
            None => match self.interval.date_before(shown.date()) {
                Some(date) => {
                    let local =
                        Timestamp::midnight_of(date).saturating_add_millis(shown.millis_of_day());
                    self.zone.first_showing(local)
                }
                None => end_of_before,
            },
        };
        let until = same.clamp(before.start(), end_of_before);
        SoFar {
            now: TimeRange::new(bucket.start(), now).unwrap_or(TimeRange::at(now)),
            before: TimeRange::new(before.start(), until).unwrap_or(before),
        }
    }

    fn period_at(&mut self, time: Timestamp) -> OffsetPeriod {
        if time < self.period.start || self.period.last < time {
            self.period = self.zone.period_at(time);
        }
        self.period
    }

    fn clock_bucket(&mut self, time: Timestamp, length_ms: i64) -> (Timestamp, Timestamp) {
        let period = self.period_at(time);
        // Rounds down before 1970 too. A day is a multiple of each length, so midnight is always a
        // mark.
        let floor = |local_ms: i64| local_ms.div_euclid(length_ms) * length_ms;
        // The local time at which the bucket begins, unless the clocks jump over it.
        let mark_ms = floor(time.millis() + period.ahead_ms);

        // Back over changes of the clocks, as long as the local time before the change was in the
        // same bucket.
        let mut begun_in = period;
        let start_ms = loop {
            let start_ms = mark_ms - begun_in.ahead_ms;
            if start_ms >= begun_in.start.millis() || begun_in.start == Timestamp::MIN {
                break start_ms;
            }
            let before = self
                .zone
                .period_at(begun_in.start.saturating_add_millis(-1));
            if floor(before.last.millis() + before.ahead_ms) != mark_ms {
                break begun_in.start.millis();
            }
            begun_in = before;
        };

        // Forward over changes of the clocks, unless the local time is then in another bucket, or
        // at the beginning of this one again.
        let mut ended_in = period;
        let last_ms = loop {
            let last_ms = mark_ms + length_ms - 1 - ended_in.ahead_ms;
            if last_ms < ended_in.last.millis() || ended_in.last == Timestamp::MAX {
                break last_ms;
            }
            let after = self.zone.period_at(ended_in.last.saturating_add_millis(1));
            let shown_ms = after.start.millis() + after.ahead_ms;
            if floor(shown_ms) != mark_ms || shown_ms == mark_ms {
                break ended_in.last.millis();
            }
            ended_in = after;
        };
        (saturated(start_ms), saturated(last_ms))
    }

    fn date_bucket(&mut self, time: Timestamp) -> (Timestamp, Timestamp) {
        let local = time.saturating_add_millis(self.period_at(time).ahead_ms);
        let mut first_day = self.interval.first_day(local.date(), self.week_start);
        loop {
            let start = self.zone.start_of_day(Timestamp::midnight_of(first_day));
            if time < start {
                // By this zone's clocks it is still the year before 0000.
                return (Timestamp::MIN, start.saturating_add_millis(-1));
            }
            let Some(next_day) = self.interval.after(first_day) else {
                return (start, Timestamp::MAX);
            };
            let next = self.zone.start_of_day(Timestamp::midnight_of(next_day));
            if time < next {
                return (start, next.saturating_add_millis(-1));
            }
            // The clocks were set back over midnight, so the previous date appears once more.
            first_day = next_day;
        }
    }
}

impl Interval {
    /// The length of a bucket in milliseconds, by the numbers of the variants.
    #[must_use]
    pub const fn length_ms(self) -> i64 {
        self as i64 * (MS_PER_DAY / 1_440)
    }

    /// Its length in milliseconds if it is shorter than a day; a day is a multiple of each of
    /// these.
    const fn clock_length_ms(self) -> Option<i64> {
        match self {
            Self::Day | Self::Week | Self::Month | Self::Year => None,
            _ => Some(self.length_ms()),
        }
    }

    /// The first day of the week, month or year that contains `date`.
    fn first_day(self, date: Date, week_start: WeekStart) -> Date {
        let day_of = match self {
            Self::Week if week_start == WeekStart::Sunday => {
                date.weekday().number_days_from_sunday().into()
            }
            Self::Week => date.weekday().number_days_from_monday().into(),
            Self::Month => i64::from(date.day()) - 1,
            Self::Year => i64::from(date.ordinal()) - 1,
            _ => 0,
        };
        date.saturating_sub(SignedDuration::days(day_of))
    }

    /// The same date in the previous interval; `None` if there is none.
    fn date_before(self, date: Date) -> Option<Date> {
        match self {
            Self::Week => date.checked_sub(SignedDuration::WEEK),
            Self::Month => {
                let last = date.replace_day(1).ok()?.previous_day()?;
                last.replace_day(date.day()).ok()
            }
            Self::Year => {
                let year = date.year() - 1;
                // 29 February is compared with the 28th.
                let same = date.replace_year(year).ok();
                same.or_else(|| date.previous_day()?.replace_year(year).ok())
            }
            _ => date.previous_day(),
        }
    }

    /// The first day of the interval after the one that begins at `first_day`; `None` after the
    /// year 9999.
    fn after(self, first_day: Date) -> Option<Date> {
        let days = match self {
            Self::Week => 7,
            Self::Month => first_day.month().length(first_day.year()).into(),
            Self::Year => time::util::days_in_year(first_day.year()).into(),
            _ => 1,
        };
        first_day.checked_add(SignedDuration::days(days))
    }
}

fn saturated(ms: i64) -> Timestamp {
    // `from_millis` would refuse times outside the supported years; here a bucket is cut off there.
    Timestamp::MIN.saturating_add_millis(ms.saturating_sub(Timestamp::MIN.millis()))
}

#[cfg(test)]
mod tests;
