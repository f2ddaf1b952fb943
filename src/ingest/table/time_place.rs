//! The columns that say when a value was measured.

use super::header::{Header, Unclear};
use super::layout::{CellKind, TableLayout};
use super::times::TimeReader;
use super::wishes::{TimesAre, Wishes};
use super::words::{Meaning, means, says_utc};

/// Columns of times in exports of programs, always with a single time.
const POINTS: [&str; 3] = ["time", "_time", "last_changed"];

/// The cells of a time: one, or a date and a time of day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeCells {
    pub(crate) date: usize,
    pub(crate) clock: Option<usize>,
}

/// The columns of times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TimePlace {
    pub(crate) cells: TimeCells,
    /// The end of the interval; then `cells` is its start.
    pub(crate) end: Option<TimeCells>,
    /// The column with the interval's length, and the unit of a plain number there, in
    /// milliseconds.
    pub(crate) length: Option<(usize, i64)>,
    /// `None` if neither the file nor the user decides.
    pub(crate) are: Option<TimesAre>,
    /// Whether a cell has both the start and the end.
    pub(crate) has_ranges: bool,
    /// Whether times are ends because the user or their column says so.
    pub(crate) names_ends: bool,
    /// Whether dates are in rows of their own.
    pub(crate) has_date_rows: bool,
}

impl TimePlace {
    /// Finds the columns of times.
    ///
    /// # Errors
    /// The question, if the columns are unclear.
    pub(crate) fn find(
        header: &Header,
        wishes: &Wishes,
        layout: &TableLayout,
    ) -> Result<Self, Unclear> {
        let columns = Candidates::of(header, layout);
        let mut place = match wishes.time.as_deref() {
            Some(wish) => {
                let column = header.column(wish).ok_or_else(|| header.no_column(wish))?;
                // A start that is named still has its end.
                let found = columns.find().filter(|place| {
                    place.cells.date == column || place.cells.clock == Some(column)
                });
                found.unwrap_or_else(|| columns.of_wish(column))
            }
            None => columns.find().ok_or_else(|| header.no_time())?,
        };
        place.are = wishes.times.or(place.are);
        if wishes.times == Some(TimesAre::Ends)
            && let Some(end) = place.end.take()
        {
            place.cells = end;
        }
        place.has_date_rows = layout.has_date_rows;
        place.length = columns.length(header);
        let clock = place.cells.clock.unwrap_or(place.cells.date);
        let is_end = |column: usize| {
            let name = header.names.get(column).map_or("", String::as_str);
            columns.means(name, Meaning::End)
        };
        place.names_ends = place.are == Some(TimesAre::Ends)
            && (wishes.times.is_some() || is_end(clock) || is_end(place.cells.date));
        place.has_ranges = place.end.is_none() && TimeReader::is_range(layout.sample(clock));
        match columns.unread_clocks(&place).as_slice() {
            unread @ [_, ..] if wishes.time.is_none() => Err(header.unread_clocks(unread)),
            _ => Ok(place),
        }
    }

    /// Whether the table says when intervals begin and end.
    pub(crate) const fn has_bounds(&self) -> bool {
        self.end.is_some() || self.length.is_some() || self.has_ranges
    }

    /// The columns of its times.
    pub(crate) fn columns(&self) -> impl Iterator<Item = usize> {
        let cells = [Some(self.cells), self.end].into_iter().flatten();
        cells.flat_map(|cells| [Some(cells.date), cells.clock].into_iter().flatten())
    }

    /// Whether a column is part of a time.
    pub(crate) fn uses(&self, column: usize) -> bool {
        self.columns().any(|it| it == column)
            || self.length.is_some_and(|(length, _)| length == column)
    }
}

/// The columns that may contain times.
struct Candidates<'a> {
    header: &'a Header<'a>,
    layout: &'a TableLayout,
}

impl<'a> Candidates<'a> {
    const fn of(header: &'a Header<'a>, layout: &'a TableLayout) -> Self {
        Self { header, layout }
    }

    /// The columns of one of `kinds`, with a meaning or with any name.
    fn columns(&self, kinds: &[CellKind], meaning: Option<Meaning>) -> Vec<usize> {
        let named = self.header.names.iter().enumerate();
        let found = named.filter(|(column, name)| {
            let kind = self.layout.kind(*column);
            // In a table without rows, the name alone decides.
            // Seconds since 1970 look like any number.
            let is_epoch = || {
                kind == CellKind::Number && TimeReader::looks_like_one(self.layout.sample(*column))
            };
            let is_kind = kinds.contains(&kind)
                || (meaning.is_some() && (kind == CellKind::Unknown || is_epoch()));
            is_kind && meaning.is_none_or(|meaning| self.means(name, meaning))
        });
        found.map(|(column, _)| column).collect()
    }

    fn means(&self, name: &str, meaning: Meaning) -> bool {
        if self.header.headerless_time.is_some() {
            return false;
        }
        match meaning {
            Meaning::Start => means(name, Meaning::Start) && !means(name, Meaning::End),
            Meaning::End => means(name, Meaning::End) && !means(name, Meaning::Start),
            other => means(name, other),
        }
    }

    /// The column that the user named, beside a time of day if it is a date alone.
    fn of_wish(&self, column: usize) -> TimePlace {
        let cells = TimeCells {
            date: column,
            clock: None,
        };
        let place = TimePlace {
            cells,
            are: self.role(column),
            ..TimePlace::default()
        };
        match self.layout.kind(column) {
            _ if place.are == Some(TimesAre::Starts) && self.end_beside(column).is_some() => {
                let end = self.end_beside(column);
                TimePlace {
                    end: end.map(|date| TimeCells { date, clock: None }),
                    ..place
                }
            }
            CellKind::Date => self.with_clocks(column).unwrap_or(place),
            CellKind::Clock if !self.layout.has_date_rows => {
                match self.columns(&[CellKind::Date], None).as_slice() {
                    [date] => TimePlace {
                        cells: TimeCells {
                            date: *date,
                            clock: Some(column),
                        },
                        ..place
                    },
                    _ => place,
                }
            }
            _ => place,
        }
    }

    /// The end that belongs to a start, where several series are beside each other.
    fn end_beside(&self, start: usize) -> Option<usize> {
        let of = |meaning| self.columns(&[self.layout.kind(start)], Some(meaning));
        let ends = of(Meaning::End);
        let next = of(Meaning::Start).into_iter().find(|next| *next > start);
        let end = ends.iter().copied().find(|end| *end > start)?;
        (ends.len() > 1 && next.is_none_or(|next| end < next)).then_some(end)
    }

    /// The columns of times of day, if the times of `place` are dates alone.
    fn unread_clocks(&self, place: &TimePlace) -> Vec<usize> {
        let is_date = |cells: &TimeCells| {
            cells.clock.is_none() && self.layout.kind(cells.date) == CellKind::Date
        };
        let mut dates = [Some(place.cells), place.end].into_iter().flatten();
        // With a row for each day, they may be anything.
        let has_date = dates.any(|cells| is_date(&cells) && self.layout.repeats(cells.date));
        if place.has_date_rows || !has_date || self.header.headerless_time.is_some() {
            return Vec::new();
        }
        self.columns(&[CellKind::Clock], None)
    }

    /// Whether the name of a column means a start or an end.
    fn role(&self, column: usize) -> Option<TimesAre> {
        let name = self.header.names.get(column)?;
        if self.means(name, Meaning::Start) {
            Some(TimesAre::Starts)
        } else if self.means(name, Meaning::End) || POINTS.contains(&name.as_str()) {
            Some(TimesAre::Ends)
        } else {
            None
        }
    }

    /// A date, with times of day from other columns.
    fn with_clocks(&self, date: usize) -> Option<TimePlace> {
        let clock = |meaning| match self.columns(&[CellKind::Clock], meaning).as_slice() {
            [clock] => Some(*clock),
            _ => None,
        };
        let cells = |clock| TimeCells {
            date,
            clock: Some(clock),
        };
        if let (Some(start), Some(end)) = (clock(Some(Meaning::Start)), clock(Some(Meaning::End)))
            && start != end
        {
            return Some(TimePlace {
                cells: cells(start),
                end: Some(cells(end)),
                are: Some(TimesAre::Starts),
                ..TimePlace::default()
            });
        }
        // The number of the hour works, too.
        let hours = || match self
            .columns(&[CellKind::Number], Some(Meaning::Clock))
            .as_slice()
        {
            [hour] => Some(*hour),
            _ => None,
        };
        let clock = clock(None).or_else(hours)?;
        Some(TimePlace {
            cells: cells(clock),
            are: self.role(clock).or_else(|| self.role(date)),
            ..TimePlace::default()
        })
    }

    fn find(&self) -> Option<TimePlace> {
        const TIMES: [CellKind; 2] = [CellKind::Time, CellKind::Date];
        let one = |date| TimeCells { date, clock: None };
        let usual = POINTS
            .into_iter()
            .find_map(|name| self.header.position(name));
        let usual = usual.filter(|column| self.layout.kind(*column) != CellKind::Clock);
        if let Some(column) = self.header.headerless_time.or(usual) {
            return Some(TimePlace {
                cells: one(column),
                are: self.role(column),
                ..TimePlace::default()
            });
        }
        let only = |columns: Vec<usize>| match columns.as_slice() {
            [column] => Some(*column),
            _ => None,
        };
        let start = only(self.columns(&TIMES, Some(Meaning::Start)));
        let end = only(self.columns(&TIMES, Some(Meaning::End)));
        let clocks = || {
            let clock = |meaning| only(self.columns(&[CellKind::Clock], Some(meaning)));
            (clock(Meaning::Start), clock(Meaning::End))
        };
        if let (Some(start), Some(end)) = (start, end)
            && start != end
        {
            // A start and an end, each as a date and a time of day.
            let are_dates = [start, end]
                .iter()
                .all(|it| self.layout.kind(*it) == CellKind::Date);
            // Two times of day belong to both dates, in the order of the columns, whatever their names.
            let clocks = match self.columns(&[CellKind::Clock], None).as_slice() {
                _ if !are_dates => (None, None),
                [one, other] if start < end => (Some(*one), Some(*other)),
                [one, other] => (Some(*other), Some(*one)),
                _ => clocks(),
            };
            let cells = |date, clock| TimeCells { date, clock };
            return Some(TimePlace {
                cells: cells(start, clocks.0),
                end: Some(cells(end, clocks.1)),
                are: Some(TimesAre::Starts),
                ..TimePlace::default()
            });
        }
        let named = |meaning| only(self.columns(&TIMES, Some(meaning)));
        let column = start
            .or(end)
            .or_else(|| named(Meaning::Time))
            .or_else(|| named(Meaning::Date))
            .or_else(|| only(self.columns(&[CellKind::Time], None)))
            .or_else(|| only(self.columns(&TIMES, None)))
            .or_else(|| {
                let times = self.columns(&TIMES, None).into_iter();
                let name = |column: usize| self.header.names.get(column).map_or("", String::as_str);
                only(times.filter(|column| says_utc(name(*column))).collect())
            })
            .or_else(|| self.header.position("timestamp"))
            .or_else(|| {
                self.layout
                    .has_date_rows
                    .then(|| only(self.columns(&[CellKind::Clock], None)))?
            })?;
        Some(self.of_wish(column))
    }

    fn length(&self, header: &Header) -> Option<(usize, i64)> {
        let column = match self
            .columns(&[CellKind::Number, CellKind::Text], Some(Meaning::Length))
            .as_slice()
        {
            [column] if self.layout.kind(*column) != CellKind::Unknown => *column,
            _ => return None,
        };
        let name = header.names.get(column)?.to_lowercase();
        let unit_ms = if name.contains("min") {
            60_000
        } else if name.contains("sec") || name.contains("sek") {
            1_000
        } else {
            0
        };
        Some((column, unit_ms))
    }
}
