//! Which of several conditions holds at a time.

use super::announced::Announced;
use super::conditions::Conditions;
use super::day::{DayKind, DayPart, day_parts};
use super::days::DayLists;
use super::holidays::Holidays;
use super::wall::{DayPiece, Wall};
use crate::domain::{Timestamp, Zone};

/// Finds the last of some conditions that holds. Times must not descend.
#[derive(Clone, Debug)]
pub(super) struct ClockFinder {
    all: Vec<Conditions>,
    /// Whether each hour by the clock is a part of its own.
    by_hour: bool,
    holidays: Holidays,
    wall: Wall,
    days: DayLists,
    /// The newest piece of a day and its parts.
    day: Option<(DayPiece, Vec<DayPart>)>,
}

/// The surroundings of conditions: holidays, the zone, and the announced days.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'a> {
    pub(super) holidays: &'a Holidays,
    pub(super) zone: &'a Zone,
    pub(super) announced: &'a Announced,
}

/// The hours of a day, as parts of it.
const HOURS: usize = 24;
const MINUTES: usize = 60;

impl ClockFinder {
    /// A finder for times from `time` on.
    pub(super) fn new(all: Vec<Conditions>, around: Surroundings<'_>, time: Timestamp) -> Self {
        Self {
            all,
            by_hour: false,
            holidays: around.holidays.clone(),
            wall: Wall::new(around.zone.clone(), time),
            days: around.announced.days.clone(),
            day: None,
        }
    }

    /// It with a place for each hour by the clock: the place of the conditions times 24, plus the
    /// hour.
    pub(super) fn by_hour(self) -> Self {
        Self {
            by_hour: true,
            ..self
        }
    }

    /// The place of the last conditions that hold at a time, and when that ends.
    pub(super) fn at(&mut self, time: Timestamp) -> (Option<usize>, Timestamp) {
        let piece = self.wall.piece(time);
        if self.day.as_ref().is_none_or(|(of, _)| *of != piece) {
            self.day = Some((piece, self.parts(&piece)));
        }
        let parts = self.day.as_ref().map_or(&[][..], |(_, parts)| parts);
        let minute = piece.minute(time);
        let part = parts.get(parts.partition_point(|part| part.until <= minute));
        let until = part.map_or(u16::MAX, |part| part.until);
        (part.and_then(|part| part.winner), piece.at_minute(until))
    }

    /// Splits a piece of a day into parts, each with its winner.
    fn parts(&self, piece: &DayPiece) -> Vec<DayPart> {
        let kind = |date| DayKind::of(date, &self.holidays, piece.is_summer());
        let all = || self.all.iter().enumerate();
        let ends = all().flat_map(|(_, when)| when.ends(piece));
        let hours = (0..24_u16).filter(|_| self.by_hour).map(|hour| hour * 60);
        day_parts(ends.chain(hours), |minute| {
            let matching = all().filter(|(_, when)| when.contains(piece, minute, &self.days, kind));
            let last = matching.map(|(place, _)| place).next_back()?;
            let hour = usize::from(minute) / MINUTES;
            Some(if self.by_hour {
                last * HOURS + hour
            } else {
                last
            })
        })
    }
}
