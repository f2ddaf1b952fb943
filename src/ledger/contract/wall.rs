//! Local time, for walking along time.

use super::sets::MINUTES_OF_DAY;
use crate::domain::time::MS_PER_DAY;
use crate::domain::words::words;
use crate::domain::{LocalDate, OffsetPeriod, Timestamp, Zone};

const MS_PER_MINUTE: i64 = MS_PER_DAY / 1_440;

/// The clock that conditions use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClockKind {
    /// The account's local time.
    #[default]
    Local,
    /// The account's standard time, also in summer.
    Standard,
    /// UTC.
    Utc,
}

words! { ClockKind: Local "local", Standard "standard", Utc "utc"; "\"local\", \"standard\" or \"utc\"" }

/// Finds local dates and times. Periods between changes of the clocks are looked up once.
#[derive(Clone, Debug)]
pub(super) struct Wall {
    zone: Zone,
    period: OffsetPeriod,
    /// Local time less standard time, in milliseconds, until the clocks next change.
    saved_ms: i64,
    piece: DayPiece,
}

/// A part of a local date without a change of the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DayPiece {
    pub(super) date: LocalDate,
    to: Timestamp,
    /// When the clocks would have shown its midnight.
    midnight: Timestamp,
    /// Local time less UTC, in minutes.
    ahead: i32,
    /// Local time less standard time, in minutes: more than 0 in summer time.
    saved: i32,
}

impl Wall {
    pub(super) fn new(zone: Zone, time: Timestamp) -> Self {
        let period = zone.period_at(time);
        let saved_ms = saved_ms(&zone, period);
        let piece = DayPiece::of(time, period, saved_ms);
        Self {
            zone,
            period,
            saved_ms,
            piece,
        }
    }

    /// The piece that a time lies in. Times must not descend.
    pub(super) fn piece(&mut self, time: Timestamp) -> DayPiece {
        if self.piece.to <= time {
            if self.period.last < time {
                self.period = self.zone.period_at(time);
                self.saved_ms = saved_ms(&self.zone, self.period);
            }
            self.piece = DayPiece::of(time, self.period, self.saved_ms);
        }
        self.piece
    }
}

/// Local time less standard time in a period, in milliseconds. Summer time is a period of some
/// months after which the clocks go back; a lasting change is not summer time.
fn saved_ms(zone: &Zone, period: OffsetPeriod) -> i64 {
    const MOST_MS: i64 = 300 * MS_PER_DAY;
    let length_ms = period.last.millis().saturating_sub(period.start.millis());
    if length_ms > MOST_MS {
        return 0;
    }
    let next = zone.period_at(period.last.saturating_add_millis(1));
    (period.ahead_ms - next.ahead_ms).max(0)
}

impl DayPiece {
    fn of(time: Timestamp, period: OffsetPeriod, saved_ms: i64) -> Self {
        let shown = time.saturating_add_millis(period.ahead_ms);
        let midnight = time.saturating_add_millis(-shown.millis_of_day());
        let next = midnight.saturating_add_millis(MS_PER_DAY);
        let end = period.last.saturating_add_millis(1);
        Self {
            date: LocalDate::of_shown(shown),
            to: next.min(end),
            midnight,
            ahead: minutes(period.ahead_ms),
            saved: minutes(saved_ms),
        }
    }

    /// Whether the clocks show summer time.
    pub(super) const fn is_summer(&self) -> bool {
        self.saved > 0
    }

    /// Local time less the time of another clock, in minutes.
    pub(super) const fn minutes_ahead_of(&self, clock: ClockKind) -> i32 {
        match clock {
            ClockKind::Local => 0,
            ClockKind::Standard => self.saved,
            ClockKind::Utc => self.ahead,
        }
    }

    /// The minutes after midnight that the clocks show at a time of it.
    pub(super) fn minute(self, time: Timestamp) -> u16 {
        let minutes = (time.millis() - self.midnight.millis()) / MS_PER_MINUTE;
        u16::try_from(minutes).unwrap_or(MINUTES_OF_DAY)
    }

    /// When the clocks come to show so many minutes after midnight, or its end if they never do.
    pub(super) fn at_minute(self, minute: u16) -> Timestamp {
        let time = self
            .midnight
            .saturating_add_millis(i64::from(minute) * MS_PER_MINUTE);
        time.min(self.to)
    }
}

fn minutes(ms: i64) -> i32 {
    i32::try_from(ms / MS_PER_MINUTE).unwrap_or(0)
}
