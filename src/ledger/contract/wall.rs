//! Local time, for walking along time.

use super::sets::MINUTES_OF_DAY;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{LocalDate, OffsetPeriod, Timestamp, Zone};

const MS_PER_MINUTE: i64 = MS_PER_DAY / 1_440;

/// Finds local dates and times. Periods between changes of the clocks are looked up once.
#[derive(Clone, Debug)]
pub(super) struct Wall {
    zone: Zone,
    period: OffsetPeriod,
    piece: DayPiece,
}

/// A part of a local date without a change of the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DayPiece {
    pub(super) date: LocalDate,
    to: Timestamp,
    /// When the clocks would have shown its midnight.
    midnight: Timestamp,
}

impl Wall {
    pub(super) fn new(zone: Zone, time: Timestamp) -> Self {
        let period = zone.period_at(time);
        let piece = DayPiece::of(time, period);
        Self {
            zone,
            period,
            piece,
        }
    }

    /// The piece that a time lies in. Times must not descend.
    pub(super) fn piece(&mut self, time: Timestamp) -> DayPiece {
        if self.piece.to <= time {
            if self.period.last < time {
                self.period = self.zone.period_at(time);
            }
            self.piece = DayPiece::of(time, self.period);
        }
        self.piece
    }
}

impl DayPiece {
    fn of(time: Timestamp, period: OffsetPeriod) -> Self {
        let shown = time.saturating_add_millis(period.ahead_ms);
        let midnight = time.saturating_add_millis(-shown.millis_of_day());
        let next = midnight.saturating_add_millis(MS_PER_DAY);
        let end = period.last.saturating_add_millis(1);
        Self {
            date: LocalDate::of_shown(shown),
            to: next.min(end),
            midnight,
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
