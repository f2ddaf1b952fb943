//! Tables with a row for each day, and a column for each hour, half-hour or quarter of an hour.
//!
//! Names of columns are clocks (`00:30`, `0-1`, `1:00 AM`) or numbers (`1`, `H01`, `Hour 1`). Days
//! of 23 and 25 hours are written in several ways. Numbers may count the hours that passed, so that
//! the last columns of a short day are empty. Otherwise the skipped hour is empty or zero. A
//! repeated hour has columns of its own, beside the first pass or last. Without them, the columns
//! of that hour contain both passes.

use super::number::{Cell, NotationSeen};
use super::wishes::TimesAre;
use crate::domain::{LocalDate, LocalTime, Timestamp, Zone};

const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: u32 = 1_440;
/// All steps, and all changes of clocks, are a multiple of this.
const PART_MS: i64 = 5 * MINUTE_MS;
/// The maximum number of columns that are examined.
const COLUMNS: usize = 1_000;
/// The lengths of intervals, in minutes.
const STEPS: [u32; 5] = [60, 30, 15, 10, 5];

/// The columns of a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DayColumns {
    /// A column for each interval of a day of 24 hours.
    columns: Vec<usize>,
    /// The columns of a repeated hour.
    repeated: Vec<usize>,
    /// The number of `columns` before `repeated` on a day of 25 hours.
    repeated_at: usize,
    /// Whether names are numbers.
    is_numbered: bool,
    /// The length of an interval in minutes, and the clock of the first name.
    step: u32,
    first: u32,
    /// Whether the user said what the names are.
    pub(crate) asked: Option<TimesAre>,
}

/// An interval of a day, and its column.
pub(crate) type DayInterval = (Timestamp, Timestamp, usize);

impl DayColumns {
    /// All groups of columns that make up a day.
    pub(crate) fn all(names: &[String]) -> Vec<Self> {
        let (mut all, mut at) = (Vec::new(), 0);
        let names = names.get(..COLUMNS).unwrap_or(names);
        while at < names.len() {
            let found = Self::at(names, at);
            at = found.as_ref().map_or(at, Self::last) + 1;
            all.extend(found);
        }
        all
    }

    /// The group with that name.
    pub(crate) fn named(names: &[String], wish: &str) -> Option<Self> {
        wish.contains("..")
            .then(|| Self::all(names).into_iter())?
            .find(|days| days.wish(names) == wish)
    }

    /// The name of the group: its first column, and its last one.
    pub(crate) fn wish(&self, names: &[String]) -> String {
        let name = |column: usize| names.get(column).map_or("", String::as_str);
        format!("{}..{}", name(self.column()), name(self.last()))
    }

    /// The first column.
    pub(crate) fn column(&self) -> usize {
        self.columns.first().copied().unwrap_or_default()
    }

    fn last(&self) -> usize {
        let all = self.columns.iter().chain(&self.repeated);
        all.copied().max().unwrap_or_default()
    }

    /// Whether a column is one of the group.
    pub(crate) fn uses(&self, column: usize) -> bool {
        (self.column()..=self.last()).contains(&column)
    }

    fn at(names: &[String], first: usize) -> Option<Self> {
        let rest = names.get(first..)?;
        [NameForm::Clock, NameForm::Hours, NameForm::Compact]
            .into_iter()
            .find_map(|form| Self::of_clocks(rest, first, form))
            .or_else(|| Self::of_numbers(rest, first))
    }

    /// Columns whose names are clocks.
    fn of_clocks(names: &[String], offset: usize, form: NameForm) -> Option<Self> {
        let mut firsts = form.values(names);
        let (first, second) = (firsts.next()?, firsts.next()?);
        let step = second.checked_sub(first)?;
        if !STEPS.contains(&step) || (first != 0 && first != step) {
            return None;
        }
        let (mut columns, mut repeated, mut repeated_at) = (Vec::new(), Vec::new(), 0);
        let mut expected = first;
        for (clock, column) in form.values(names).zip(offset..) {
            let is_midnight = clock == 0 && expected == DAY_MINUTES;
            let is_full = expected == first + DAY_MINUTES;
            if !is_full && (clock == expected || is_midnight) {
                columns.push(column);
                expected += step;
            } else if clock < expected && clock >= first && repeated.len() < (60 / step) as usize {
                repeated.push(column);
                repeated_at = repeated_at.max(((clock - first) / step + 1) as usize);
            } else if is_full && clock >= expected {
                repeated.push(column);
                repeated_at = columns.len();
            } else {
                break;
            }
        }
        let is_day = columns.len() == (DAY_MINUTES / step) as usize
            && (repeated.is_empty() || is_repetition(repeated.len(), step));
        is_day.then_some(Self {
            columns,
            repeated,
            repeated_at,
            is_numbered: false,
            step,
            first,
            asked: None,
        })
    }

    /// Columns whose names are numbers.
    fn of_numbers(names: &[String], offset: usize) -> Option<Self> {
        let mut numbers = NameForm::Number.values(names).peekable();
        let first = *numbers.peek().filter(|first| **first < 2)?;
        let (mut columns, mut repeated, mut repeated_at) = (Vec::new(), Vec::new(), 0);
        let mut expected = first;
        for (number, column) in numbers.zip(offset..) {
            if number == expected {
                columns.push(column);
                expected += 1;
            } else if number + 1 == expected && repeated.len() < 12 {
                repeated.push(column);
                repeated_at = columns.len();
            } else {
                break;
            }
        }
        let step = STEPS.into_iter().find(|step| {
            let day = (DAY_MINUTES / step) as usize;
            let more = columns.len().checked_sub(day);
            let is_repeated = is_repetition(repeated.len(), *step) && more == Some(0);
            let has_more = more.is_some_and(|more| more == 0 || is_repetition(more, *step));
            is_repeated || (repeated.is_empty() && has_more)
        })?;
        if repeated.is_empty() {
            repeated_at = (DAY_MINUTES / step) as usize;
            repeated = columns.split_off(repeated_at);
        }
        Some(Self {
            columns,
            repeated,
            repeated_at,
            is_numbered: true,
            step,
            first: 0,
            asked: None,
        })
    }

    /// The intervals of the day that contains `time`, in order. `cell` returns the cell of a
    /// column.
    ///
    /// # Errors
    /// If the day is shorter than its columns.
    pub(crate) fn intervals<'a>(
        &self,
        time: Timestamp,
        zone: &Zone,
        cell: impl Fn(usize) -> &'a [u8],
    ) -> Result<Vec<DayInterval>, String> {
        let date = LocalDate::at(time, zone);
        let start = date.start(zone);
        let Some(next) = date.plus_days(1) else {
            return Err("its day is out of range".to_owned());
        };
        let step_ms = i64::from(self.step) * MINUTE_MS;
        let length_ms = next.start(zone).millis() - start.millis();
        let count = usize::try_from(length_ms / step_ms).unwrap_or_default();
        let is_empty = |column: &usize| cell(*column).is_empty();
        let has_repeated = count == self.columns.len() + self.repeated.len()
            && !self.repeated.is_empty()
            && !self.repeated.iter().all(is_empty);
        let last = self.columns.get(count..).unwrap_or_default();
        let is_whole = length_ms % step_ms == 0;
        let counts_passed =
            self.is_numbered && is_whole && !last.is_empty() && last.iter().all(is_empty);
        let mut columns: Vec<(usize, i64)> = Vec::new();
        if has_repeated {
            let (before, after) = self
                .columns
                .split_at(self.repeated_at.min(self.columns.len()));
            let all = before.iter().chain(&self.repeated).chain(after);
            columns.extend(all.map(|column| (*column, step_ms)));
        } else {
            let hours = length_ms / (60 * MINUTE_MS);
            let used = self.by_clock(date, zone, counts_passed.then_some(count), &cell);
            columns = used.map_err(|column| {
                format!(
                    "the day has {hours} hours, but column {} has a value",
                    column + 1
                )
            })?;
        }
        let shift = match self.asked {
            Some(TimesAre::Ends) if self.first == 0 && !self.is_numbered => -step_ms,
            Some(TimesAre::Starts) if self.first > 0 => step_ms,
            _ => 0,
        };
        let mut at = start.saturating_add_millis(shift);
        let intervals = columns.into_iter().filter(|(_, ms)| *ms > 0);
        Ok(intervals
            .map(|(column, ms)| {
                let from = at;
                at = from.saturating_add_millis(ms);
                (from, at, column)
            })
            .collect())
    }

    /// The columns of the clocks of a day, or of the first `count`, each with the time in
    /// milliseconds that its clock takes: twice as long if it comes twice. The error is a column
    /// with a value that has no place in the day.
    fn by_clock<'a>(
        &self,
        date: LocalDate,
        zone: &Zone,
        count: Option<usize>,
        cell: &impl Fn(usize) -> &'a [u8],
    ) -> Result<Vec<(usize, i64)>, usize> {
        let is_unused = |column: usize| is_zero(cell(column));
        if let Some(column) = self.repeated.iter().find(|column| !is_unused(**column)) {
            return Err(*column);
        }
        let mut clock = date.midnight();
        let of_clock = |column: &usize| {
            let from = clock;
            let step_ms = i64::from(self.step) * MINUTE_MS;
            clock = clock.saturating_add_millis(step_ms);
            // Clocks may change by a part of a step.
            let parts = (0..step_ms / PART_MS).map(|part| {
                match zone.local(from.saturating_add_millis(part * PART_MS)) {
                    LocalTime::Twice(..) => 2 * PART_MS,
                    LocalTime::Skipped(_) => 0,
                    LocalTime::Once(_) => PART_MS,
                }
            });
            let ms = if count.is_none() {
                parts.sum()
            } else {
                step_ms
            };
            let is_right = ms > 0 || is_unused(*column);
            if is_right {
                Ok((*column, ms))
            } else {
                Err(*column)
            }
        };
        let columns = self.columns.iter().take(count.unwrap_or(usize::MAX));
        columns.map(of_clock).collect()
    }
}

/// Whether so many columns are those of a repeated hour, or half-hour as on Lord Howe Island.
const fn is_repetition(count: usize, step: u32) -> bool {
    count == (60 / step) as usize || (step <= 30 && count == (30 / step) as usize)
}

fn is_zero(cell: &[u8]) -> bool {
    match NotationSeen::default().read(cell) {
        Ok(read) => !matches!(read.cell, Cell::Value(value) if value != 0.0),
        Err(_) => false,
    }
}

/// A form of names.
#[derive(Clone, Copy)]
enum NameForm {
    /// `00:30`, `0.30`, `00h30`, `00:30-01:00`, `12:30 AM`
    Clock,
    /// `0-1`, `00 - 01`, `1 AM`
    Hours,
    /// `0030`, `30`
    Compact,
    /// `1`, `H01`, `Hour 1`, `2A`
    Number,
}

impl NameForm {
    /// The values of the first names: minutes of the day, or numbers. All begin with the same
    /// letters.
    fn values(self, names: &[String]) -> impl Iterator<Item = u32> {
        let prefix = |name: &str| {
            let letters = name.split(|c: char| c.is_ascii_digit()).next();
            letters.unwrap_or_default().trim().to_lowercase()
        };
        let first = names.first().map(|name| prefix(name)).unwrap_or_default();
        let names = names.iter().take_while(move |name| prefix(name) == first);
        // A day of 25 hours has 300 intervals of five minutes.
        names.map_while(move |name| self.value(name)).take(301)
    }

    fn value(self, name: &str) -> Option<u32> {
        let groups = digits(name);
        let half = half_of(name);
        let hour = |hour: u32| match half {
            Some(is_pm) => Some(hour % 12 + if is_pm { 12 } else { 0 }),
            None => Some(hour).filter(|hour| *hour <= 25),
        };
        match (self, groups.as_slice()) {
            (Self::Clock, [(_, hours, _), (between, minutes, 2), ..]) => {
                let is_clock = matches!(*between, ":" | "." | "h" | "_" | "H");
                let minutes = Some(*minutes).filter(|minutes| is_clock && *minutes < 60)?;
                Some(hour(*hours)? * 60 + minutes)
            }
            (Self::Hours, [(_, from, _), (_, to, _)]) => {
                (from + 1 == *to || (*from == 23 && *to == 0)).then_some(from * 60)
            }
            (Self::Hours, [(_, hours, _)]) => Some(hour(*hours).filter(|_| half.is_some())? * 60),
            (Self::Compact, [(_, number, _)]) => {
                (*number <= 2_500 && number % 100 < 60).then_some(number / 100 * 60 + number % 100)
            }
            (Self::Number, [(_, number, _)]) => Some(*number),
            _ => None,
        }
    }
}

/// The groups of digits in a name: the text before each, its number, and its length.
fn digits(name: &str) -> Vec<(&str, u32, usize)> {
    let (mut groups, mut rest) = (Vec::new(), name);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_ascii_digit());
        let (number, after) = from.split_at(end.unwrap_or(from.len()));
        let Some(value) = Some(number)
            .filter(|it| it.len() <= 6)
            .and_then(|it| it.parse().ok())
        else {
            return Vec::new();
        };
        groups.push((before.trim(), value, number.len()));
        rest = after;
    }
    groups
}

/// Whether the first clock in a name is after noon; `None` without AM and PM.
fn half_of(name: &str) -> Option<bool> {
    let name = name.to_lowercase().replace('.', "");
    let (am, pm) = (name.find("am"), name.find("pm"));
    match (am, pm) {
        (None, None) => None,
        (Some(am), Some(pm)) => Some(pm < am),
        (am, _) => Some(am.is_none()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    fn find(names: &[String]) -> Option<(usize, usize, u32)> {
        let all = DayColumns::all(names);
        let [days] = all.as_slice() else { return None };
        assert_eq!(
            DayColumns::named(names, &days.wish(names)).as_ref(),
            Some(days)
        );
        Some((days.columns.len(), days.repeated.len(), days.step))
    }

    #[test]
    fn names_of_intervals() {
        type Name = fn(u32) -> String;
        let forms: [(u32, Name, (usize, usize, u32)); 17] = [
            (24, |n| format!("{n:02}:00"), (24, 0, 60)),
            (24, |n| format!("{:02}:00", (n + 1) % 24), (24, 0, 60)),
            (24, |n| format!("{}:00", n + 1), (24, 0, 60)),
            (25, |n| format!("{}:00", n + 1), (24, 1, 60)),
            (
                48,
                |n| format!("{:02}:{:02}:00", n / 2, n % 2 * 30),
                (48, 0, 30),
            ),
            (
                96,
                |n| format!("{:02}.{:02}", n / 4, n % 4 * 15),
                (96, 0, 15),
            ),
            (24, |n| format!("{n:02}:00 - {:02}:00", n + 1), (24, 0, 60)),
            (24, |n| format!("{n}-{}", n + 1), (24, 0, 60)),
            (24, |n| format!("Hour {}", n + 1), (24, 0, 60)),
            (25, |n| format!("H{:02}", n + 1), (24, 1, 60)),
            (24, |n| format!("{n}"), (24, 0, 60)),
            (50, |n| format!("hh_{}", n + 1), (48, 2, 30)),
            (100, |n| format!("Wert {} (kWh)", n + 1), (96, 4, 15)),
            (
                48,
                |n| format!("{:02}{:02}", n / 2, n % 2 * 30),
                (48, 0, 30),
            ),
            (24, |n| format!("{}", n * 100), (24, 0, 60)),
            (
                24,
                |n| {
                    let hour = if n % 12 == 0 { 12 } else { n % 12 };
                    format!("{hour}:00 {}", if n < 12 { "AM" } else { "PM" })
                },
                (24, 0, 60),
            ),
            (
                288,
                |n| format!("{}h{:02}", n / 12, n % 12 * 5),
                (288, 0, 5),
            ),
        ];
        for (count, name, expected) in forms {
            let mut names = vec!["Date".to_owned()];
            names.extend((0..count).map(name));
            names.push("Total 2".to_owned());
            assert_eq!(find(&names), Some(expected), "{names:?}");
            names.remove(5);
            assert_eq!(find(&names), None, "{names:?}");
        }
        let beside = "Day 00:00 01:00 02:00 02:00 03:00 04:00 05:00 06:00 07:00 08:00 09:00 10:00 11:00 12:00 13:00 \
            14:00 15:00 16:00 17:00 18:00 19:00 20:00 21:00 22:00 23:00";
        let names: Vec<_> = beside.split(' ').map(str::to_owned).collect();
        assert_eq!(find(&names), Some((24, 1, 60)));
        assert_eq!(DayColumns::all(&names)[0].repeated_at, 3);
        let mut numbers: Vec<_> = (1..=24).map(|n| n.to_string()).collect();
        numbers.insert(2, "2A".to_owned());
        assert_eq!(find(&numbers), Some((24, 1, 60)));
        assert_eq!(DayColumns::all(&numbers)[0].repeated_at, 2);
        let months: Vec<_> = (1..=31).map(|n| n.to_string()).collect();
        assert_eq!(find(&months), None);
    }

    /// The offset of each value from the start of its day and its length in hours.
    fn hours(
        names: &[String],
        day: &str,
        cells: &[&str],
    ) -> Result<Vec<(i64, i64, String)>, String> {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        let all = DayColumns::all(names);
        let time = at(format!("{day}T12:00:00").as_str());
        let start = LocalDate::at(time, &zone).start(&zone).millis();
        let cell = |column: usize| cells.get(column).map_or(&b""[..], |it| it.as_bytes());
        let intervals = all[0].intervals(time, &zone, cell)?;
        let hour = |ms: i64| ms / (60 * MINUTE_MS);
        let text = |column: usize| cells.get(column).copied().unwrap_or_default().to_owned();
        Ok(intervals
            .into_iter()
            .map(|(from, to, column)| {
                (
                    hour(from.millis() - start),
                    hour(to.millis() - from.millis()),
                    text(column),
                )
            })
            .collect())
    }

    #[test]
    fn days_of_23_and_25_hours() {
        let (short, long) = ("2026-03-29", "2026-10-25");
        let numbers = |count: u32| (1..=count).map(|n| n.to_string()).collect::<Vec<_>>();
        let values: Vec<_> = (100..125).map(|n: u32| n.to_string()).collect();
        let values: Vec<_> = values.iter().map(String::as_str).collect();
        let one_each = |cells: &[&str]| {
            let cells = cells.iter().zip(0..);
            cells
                .map(|(cell, hour)| (hour, 1, (*cell).to_owned()))
                .collect::<Vec<_>>()
        };
        // The hours that passed.
        assert_eq!(
            hours(&numbers(24), short, &values[..23]),
            Ok(one_each(&values[..23]))
        );
        assert_eq!(hours(&numbers(25), long, &values), Ok(one_each(&values)));
        // The skipped hour is empty or zero.
        for nothing in ["", "0", "0,000"] {
            let mut cells = values[..24].to_vec();
            cells[2] = nothing;
            let mut expected = values[..24].to_vec();
            expected.remove(2);
            assert_eq!(hours(&numbers(24), short, &cells), Ok(one_each(&expected)));
        }
        assert!(
            hours(&numbers(24), short, &values[..24])
                .unwrap_err()
                .contains("has 23 hours, but column 3")
        );
        assert!(
            hours(&numbers(25), "2026-03-28", &values)
                .unwrap_err()
                .contains("column 25")
        );
        // A column that contains both passes of its hour.
        let both = hours(&numbers(24), long, &values[..24]).unwrap();
        assert_eq!(both[2], (2, 2, "102".to_owned()));
        assert_eq!(both[3], (4, 1, "103".to_owned()));
        assert_eq!(both[23], (24, 1, "123".to_owned()));
        // A column of its own for the second pass.
        let mut beside = numbers(24);
        beside.insert(3, "3".to_owned());
        assert_eq!(hours(&beside, long, &values), Ok(one_each(&values)));
    }
}
