//! The two days of a year when clocks change, in every form of a table. The truth is a list of
//! intervals. A file is written from it; what is stored must be the truth, or the import must ask.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Line, Parser as _};
use crate::domain::{LocalDate, LocalTime, MeterKind, Role, Timestamp, Zone};
use crate::ingest::file::{ImportFile, ImportSource, ImportTarget, Purpose, Spool};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// An interval from a moment to another one, with its energy in thousandths of a kilowatt-hour.
pub(super) type TrueInterval = (i64, i64, i64);

pub(super) fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms).unwrap()
}

/// The intervals that an import into a sensor for intervals stores, and its remarks.
pub(super) fn stored(
    text: &str,
    options: &[&str],
) -> Result<(Vec<TrueInterval>, Vec<String>), String> {
    let words = |error: anyhow::Error| format!("{error:#}");
    let line = ["import", "-", "--sensor", "x"];
    let import = Line::parse_from(line.iter().chain(options)).import;
    let mut read = import.options(at(1_780_272_000_000)).map_err(words)?;
    read.sensor = Some(ImportTarget {
        sensor: "x".to_owned(),
        register: MeterKind::Interval,
        role: Role::GridImport,
        plausible: 100_000,
    });
    let source = ImportSource::of_bytes(text.as_bytes().to_vec()).map_err(words)?;
    let spool = Spool::new(&std::env::temp_dir());
    let intake = ImportFile::Stream(source).read(&read, Purpose::Take(spool));
    let intake = intake.map_err(words)?;
    let bad = intake.tally.shown.join("; ");
    let taken = intake
        .finish(false)
        .map_err(|error| format!("{error:#} {bad}"))?;
    let starts: BTreeSet<i64> = taken.values.starts.iter().map(|it| it.millis()).collect();
    let (mut found, mut before) = (Vec::new(), None);
    for reading in taken.values.readings().unwrap() {
        let reading = reading.unwrap();
        let end = reading.time.millis();
        let begins = starts.range(..end).next_back().copied();
        let from = begins.max(before).expect("an interval has a start");
        let energy = reading.measures.watthours().unwrap();
        #[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
        found.push((from, end, energy.round() as i64));
        before = Some(end);
    }
    Ok((found, taken.remarks))
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LabelForm {
    Start,
    End,
    /// Two columns, each with a date.
    FromTo,
    /// A date, and two times of day.
    DateFromTo,
    /// Both ends in a cell, with one date.
    Cell,
    DayColumns,
    Hours,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FileOrder {
    Time,
    /// By the label: both passes of a quarter are beside each other.
    Clock,
    NewestFirst,
}

/// One way to write a file.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a dimension of the test"
)]
pub(super) struct ImportWay {
    pub(super) form: LabelForm,
    pub(super) order: FileOrder,
    pub(super) minutes: i64,
    pub(super) is_equal: bool,
    pub(super) zone: Zone,
    pub(super) day: LocalDate,
    /// Whether midnights at ends are `24:00` of the day before.
    pub(super) is_24: bool,
    /// Whether an end is the start's label and the length, also where clocks change.
    pub(super) is_naive: bool,
    /// Whether the second pass of a repeated hour is missing.
    pub(super) is_once: bool,
}

impl ImportWay {
    fn local(&self, time: i64) -> i64 {
        self.zone.shown_at(at(time)).millis()
    }

    pub(super) fn truth(&self) -> Vec<TrueInterval> {
        let start = |days: i32| self.day.plus_days(days).unwrap().start(&self.zone).millis();
        let step = self.minutes * MINUTE;
        let mut time = start(-1);
        let end = start(2);
        let mut all = Vec::new();
        // Rows are written around the change and around midnight.
        let is_whole = matches!(self.form, LabelForm::DayColumns | LabelForm::Hours);
        let is_written = |time: i64| {
            let (after, next) = (time - start(0), time - start(1));
            match self.minutes {
                _ if is_whole => true,
                1 => {
                    (HOUR / 2..4 * HOUR).contains(&after)
                        || (-10 * MINUTE..10 * MINUTE).contains(&next)
                }
                _ => after >= -4 * HOUR && next < 4 * HOUR,
            }
        };
        let is_second = |time: i64| match self.zone.local(at(self.local(time))) {
            LocalTime::Twice(_, second) => second.millis() == time,
            _ => false,
        };
        while time + step <= end {
            if is_written(time) && !(self.is_once && is_second(time)) {
                let number = i64::try_from(all.len()).unwrap() + 1;
                let energy = if self.is_equal { 250 } else { number };
                all.push((time, time + step, energy));
            }
            time += step;
        }
        all
    }

    /// A label as date and clock; `is_end` allows 24:00.
    fn label(&self, local: i64, is_end: bool) -> (String, String) {
        let is_24 = is_end && self.is_24 && local % DAY == 0;
        let shown = at(if is_24 { local - DAY } else { local }).to_string();
        let clock = if is_24 { "24:00" } else { &shown[11..16] };
        (shown[..10].to_owned(), clock.to_owned())
    }

    /// The times that clocks show at both ends of an interval.
    pub(super) fn local_ends(&self, (from, to, _): TrueInterval) -> [i64; 2] {
        let start = self.local(from);
        let end = if self.is_naive {
            start + (to - from)
        } else {
            self.local(to)
        };
        [start, end]
    }

    fn labels(&self, interval: TrueInterval) -> [(String, String); 2] {
        let [start, end] = self.local_ends(interval);
        [self.label(start, false), self.label(end, true)]
    }

    /// The truth in the order of the file.
    pub(super) fn rows(&self) -> Vec<TrueInterval> {
        let mut rows = self.truth();
        match self.order {
            FileOrder::Time => {}
            FileOrder::Clock => rows.sort_by_key(|row| {
                let [start, end] = self.local_ends(*row);
                if self.form == LabelForm::End {
                    end
                } else {
                    start
                }
            }),
            FileOrder::NewestFirst => rows.reverse(),
        }
        rows
    }

    pub(super) fn text(&self) -> String {
        match self.form {
            LabelForm::DayColumns => return self.day_columns(),
            LabelForm::Hours => return self.hours(),
            _ => {}
        }
        let header = match self.form {
            LabelForm::Start | LabelForm::End => "Timestamp;Consumption (kWh)",
            LabelForm::FromTo => "Start;End;Consumption (kWh)",
            LabelForm::DateFromTo => "Date;From;To;Consumption (kWh)",
            _ => "Period;Consumption (kWh)",
        };
        let mut text = format!("{header}\n");
        for row in self.rows() {
            let [(date, from), (end_date, to)] = self.labels(row);
            let time = match self.form {
                LabelForm::Start => format!("{date} {from}"),
                LabelForm::End => format!("{end_date} {to}"),
                LabelForm::FromTo => format!("{date} {from};{end_date} {to}"),
                LabelForm::DateFromTo => format!("{date};{from};{to}"),
                _ => format!("{date} {from} - {to}"),
            };
            writeln!(text, "{time};{}", kwh(row.2)).unwrap();
        }
        text
    }

    /// The days of the truth, in the order of the file.
    fn days(&self) -> Vec<Vec<TrueInterval>> {
        let truth = self.truth();
        let date = |row: &TrueInterval| self.local(row.0).div_euclid(DAY);
        let days = truth.chunk_by(|one, other| date(one) == date(other));
        let mut days: Vec<_> = days.map(<[_]>::to_vec).collect();
        if self.order == FileOrder::NewestFirst {
            days.reverse();
        }
        days
    }

    /// A column for each label of a day, and more for the second pass: beside the first one, or,
    /// in order of the clock, each beside its own.
    fn day_columns(&self) -> String {
        let step = self.minutes * MINUTE;
        let mut columns: Vec<(i64, bool)> = (0..DAY / step).map(|n| (n * step, false)).collect();
        let days = self.days();
        let mut repeated = Vec::new();
        for (from, ..) in days.iter().flatten() {
            if matches!(self.zone.local(at(self.local(*from))), LocalTime::Twice(..)) {
                let clock = self.local(*from).rem_euclid(DAY);
                if !repeated.contains(&(clock, true)) {
                    repeated.push((clock, true));
                }
            }
        }
        if let Some(last) = repeated.last() {
            let after = columns
                .iter()
                .position(|column| column.0 == last.0)
                .unwrap()
                + 1;
            columns.splice(after..after, repeated);
        }
        if self.order == FileOrder::Clock {
            columns.sort_unstable();
        }
        let mut text = "Date".to_owned();
        for (clock, _) in &columns {
            write!(text, ";{}", &at(*clock).to_string()[11..16]).unwrap();
        }
        text.push('\n');
        for day in days {
            text.push_str(&self.label(self.local(day[0].0), false).0);
            for (clock, is_second) in &columns {
                let found = day.iter().find(|(from, ..)| {
                    let is_later = match self.zone.local(at(self.local(*from))) {
                        LocalTime::Twice(_, second) => second.millis() == *from,
                        _ => false,
                    };
                    self.local(*from).rem_euclid(DAY) == *clock && is_later == *is_second
                });
                let cell = found.map_or(String::new(), |row| kwh(row.2));
                write!(text, ";{cell}").unwrap();
            }
            text.push('\n');
        }
        text
    }

    /// A row for each hour: numbers count the hours that passed, or follow the clock.
    fn hours(&self) -> String {
        let mut text = "Date;Hour;Consumption (kWh)\n".to_owned();
        for mut day in self.days() {
            let start = day[0].0;
            if self.order == FileOrder::NewestFirst {
                day.reverse();
            }
            for (from, _, energy) in day {
                let number = match self.order {
                    FileOrder::Clock => self.local(from).rem_euclid(DAY) / HOUR + 1,
                    _ => (from - start) / HOUR + 1,
                };
                let date = self.label(self.local(from), false).0;
                writeln!(text, "{date};{number};{}", kwh(energy)).unwrap();
            }
        }
        text
    }

    pub(super) fn options(&self) -> Vec<&str> {
        let mut options = vec!["--tz", self.zone.name()];
        match self.form {
            LabelForm::Start => options.extend(["--times", "start"]),
            LabelForm::End => options.extend(["--times", "end"]),
            LabelForm::DayColumns => options.extend(["--unit", "kWh"]),
            _ => {}
        }
        options
    }

    /// Whether clocks change by a part of an interval: then labels do not tell all.
    pub(super) fn is_uneven(&self) -> bool {
        self.zone.name() == "Australia/Lord_Howe" && self.minutes == 60
    }

    pub(super) fn is_possible(&self) -> bool {
        let is_dimension_of_ends = !matches!(
            self.form,
            LabelForm::Start | LabelForm::DayColumns | LabelForm::Hours
        );
        let has_ends = is_dimension_of_ends || (!self.is_24 && !self.is_naive);
        let fits = match self.form {
            LabelForm::DayColumns => self.minutes > 1 && !self.is_uneven(),
            LabelForm::Hours => self.minutes == 60 && !self.is_uneven(),
            _ => true,
        };
        has_ends && fits
    }
}

pub(super) fn kwh(thousandths: i64) -> String {
    format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
}
