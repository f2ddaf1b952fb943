//! MSCONS: values of meters as grid operators in Germany and elsewhere send them.
//!
//! ```text
//! UNH+1+MSCONS:D:04B:UN:2.4c'BGM+7+NR+9'
//! NAD+DP'LOC+172+DE00..'LIN+1'PIA+5+1-1?:1.29.0:SRW'
//! QTY+220:0.25'DTM+163:202601050000?+00:303'DTM+164:202601050015?+00:303'
//! ```

use anyhow::{Result, bail};

use super::edifact::{EdiSegment, EdiSegments};
use super::message_kind::not_readings;
use super::metered::{MeteredRows, SeriesNames};
use crate::ingest::file::intake::FileIntake;
use crate::ingest::file::source::ImportSource;
use crate::ingest::table::{
    Cell, ClockLabel, ParsedRow, RowWhen, TimeFault, TimeReader, TimesAre, When, plain_number,
    shown,
};

const DAY_MS: i64 = 86_400_000;
const NO_PROFILE: &str = "it is an MSCONS message without a load profile or readings: none of its values has a time; ask the grid operator for the load profile as MSCONS, or as CSV";

/// A message that is being read.
struct MsconsReader<'a> {
    times: TimeReader,
    /// Whether a date without a time of day is its beginning or its end.
    are: Option<TimesAre>,
    rows: MeteredRows<'a>,
    /// The place in the message.
    names: SeriesNames,
    /// The number of the meter, if the place has no other name.
    meter: String,
    /// The unit of values that have none, and the offset of times that have none.
    unit: String,
    offset: String,
    /// The date of readings that have none of their own.
    read_at: Option<DtmText>,
    is_cancelled: bool,
    waiting: Option<MsconsValue>,
    timed: u64,
    forecasts: u64,
    cancelled: u64,
}

/// A value that waits for its times, which follow it.
struct MsconsValue {
    segment: u64,
    kind: String,
    number: String,
    unit: String,
    begins: Option<DtmText>,
    ends: Option<DtmText>,
    at: Option<DtmText>,
}

/// A time, and the code of its form.
#[derive(Clone, Debug)]
struct DtmText {
    text: String,
    form: String,
}

/// The kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QtyKind {
    Measured,
    Substitute,
    Missing,
    Forecast,
}

/// Reads the messages of `source`.
///
/// # Errors
/// If it cannot be read, has no readings, or a choice is missing.
pub(in crate::ingest::file) fn read_mscons(
    source: ImportSource,
    times: TimeReader,
    are: Option<TimesAre>,
    intake: &mut FileIntake,
) -> Result<()> {
    intake.place_word = "segment";
    intake.passes.set_zone(times.zone());
    let mut segments = EdiSegments::open(source);
    let mut reader = MsconsReader {
        times,
        are,
        rows: MeteredRows::new(intake),
        names: SeriesNames::default(),
        meter: String::new(),
        unit: String::new(),
        offset: String::new(),
        read_at: None,
        is_cancelled: false,
        waiting: None,
        timed: 0,
        forecasts: 0,
        cancelled: 0,
    };
    while let Some(segment) = segments.next()? {
        reader.see(&segment)?;
    }
    reader.flush()?;
    reader.end()
}

impl MsconsReader<'_> {
    fn see(&mut self, segment: &EdiSegment) -> Result<()> {
        match segment.part(0, 0) {
            "UNH" => {
                self.flush()?;
                let kind = segment.part(2, 0);
                if kind != "MSCONS" {
                    bail!(not_readings(kind));
                }
                self.begin_place();
                (self.unit, self.offset) = (String::new(), String::new());
                self.is_cancelled = false;
            }
            // The function of the message: 1 takes an earlier one back.
            "BGM" => self.is_cancelled = segment.part(3, 0) == "1",
            "NAD" if segment.part(1, 0) == "DP" => {
                self.flush()?;
                self.begin_place();
            }
            "LOC" if segment.part(1, 0) == "172" => {
                self.flush()?;
                self.begin_place();
                segment.part(2, 0).clone_into(&mut self.names.point);
            }
            "RFF" if segment.part(1, 0) == "MG" => segment.part(1, 1).clone_into(&mut self.meter),
            "MEA" => segment.part(3, 0).clone_into(&mut self.unit),
            "LIN" => {
                self.flush()?;
                self.begin_series(segment.part(3, 0));
            }
            "PIA" if segment.part(1, 0) == "5" => {
                self.flush()?;
                self.begin_series(segment.part(2, 0));
            }
            "QTY" => {
                self.flush()?;
                self.waiting = Some(MsconsValue {
                    segment: segment.number,
                    kind: segment.part(1, 0).to_owned(),
                    number: segment.part(1, 1).to_owned(),
                    unit: segment.part(1, 2).to_owned(),
                    begins: None,
                    ends: None,
                    at: None,
                });
            }
            "DTM" => self.see_time(segment),
            "UNT" => self.flush()?,
            _ => {}
        }
        Ok(())
    }

    fn begin_place(&mut self) {
        self.names.point.clear();
        self.meter.clear();
        self.read_at = None;
        self.begin_series("");
    }

    fn begin_series(&mut self, code: &str) {
        code.clone_into(&mut self.names.code);
    }

    fn see_time(&mut self, segment: &EdiSegment) {
        let time = DtmText {
            text: segment.part(1, 1).to_owned(),
            form: segment.part(1, 2).to_owned(),
        };
        match (segment.part(1, 0), &mut self.waiting) {
            ("163", Some(value)) => value.begins = Some(time),
            ("164", Some(value)) => value.ends = Some(time),
            ("7" | "9", Some(value)) => value.at = Some(time),
            // Both times of an interval, one after the other.
            ("324", Some(value)) if time.form == "719" => {
                let half = |text: Option<&str>| {
                    Some(DtmText {
                        text: text?.to_owned(),
                        form: "203".to_owned(),
                    })
                };
                value.begins = half(time.text.get(..12));
                value.ends = half(time.text.get(12..));
            }
            ("7" | "9", None) => self.read_at = Some(time),
            // The offset of all times that have none: hours, or hours and minutes.
            ("735" | "ZZZ", _) => self.offset = offset(&time.text).unwrap_or_default(),
            _ => {}
        }
    }

    /// Takes the value that waits.
    fn flush(&mut self) -> Result<()> {
        let Some(value) = self.waiting.take() else {
            return Ok(());
        };
        if self.is_cancelled {
            self.cancelled += 1;
            return Ok(());
        }
        let is_interval = value.begins.is_some() || value.ends.is_some();
        let has_time = is_interval || value.at.is_some() || self.read_at.is_some();
        self.timed += u64::from(has_time);
        let names = SeriesNames {
            code: self.names.code.clone(),
            point: match self.names.point.as_str() {
                "" => self.meter.clone(),
                point => point.to_owned(),
            },
            unit: match value.unit.as_str() {
                "" => self.unit.clone(),
                unit => unit.to_owned(),
            },
            is_interval,
        };
        if !has_time {
            let why = "its time is missing: expected DTM+163 and DTM+164 of an interval, or DTM+7 or DTM+9 of a reading";
            let row = ParsedRow::Bad(why.to_owned());
            return self.rows.intake.take(row, value.segment);
        }
        let kind = QtyKind::of(&value.kind);
        let read = match (self.when(&value)?, &kind) {
            (Err(fault), _) => Err(fault.into_text()),
            (_, Err(why)) => Err(why.clone()),
            (Ok(at), Ok(QtyKind::Missing | QtyKind::Forecast)) => Ok((at, Cell::NoValue)),
            (Ok(at), Ok(_)) => number(&value.number).map(|cell| (at, cell)),
        };
        let is_substitute = kind == Ok(QtyKind::Substitute);
        let is_taken = self
            .rows
            .take(&names, (read, is_substitute), value.segment)?;
        self.forecasts += u64::from(is_taken && kind == Ok(QtyKind::Forecast));
        Ok(())
    }

    /// The time of a value. The outer error is a choice that is missing.
    fn when(&mut self, value: &MsconsValue) -> Result<Result<RowWhen, TimeFault>> {
        if value.begins.is_none() && value.ends.is_none() {
            let at = value.at.clone().or_else(|| self.read_at.clone());
            let at = at.unwrap_or(DtmText {
                text: String::new(),
                form: String::new(),
            });
            let label = self.label(&at, true)?;
            return Ok(label.and_then(|label| self.times.start(label, When::At)));
        }
        let (Some(start), Some(end)) = (&value.begins, &value.ends) else {
            let why = "one end of its interval is missing: expected DTM+163 and DTM+164";
            return Ok(Err(why.to_owned().into()));
        };
        let (from, to) = (self.label(start, false)?, self.label(end, true)?);
        let span = |from, to| self.times.span(from, to, (false, None));
        Ok(from.and_then(|from| to.and_then(|to| span(from, to))))
    }

    /// The label of a time. A date without a time of day is its beginning or its end.
    fn label(&mut self, time: &DtmText, asks: bool) -> Result<Result<ClockLabel, TimeFault>> {
        let text = &time.text;
        let is_day = matches!(time.form.as_str(), "102") && text.len() == 8;
        // A list shows the day.
        if is_day && asks && self.are.is_none() && !self.rows.intake.lists() {
            bail!(
                "its time {text} is a date without a time of day: does it mean the beginning or the end of that day? Say --times start or --times end"
            );
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (clock, own) = text.split_at_checked(digits).unwrap_or((text, ""));
        let spaced = match (time.form.as_str(), clock.len()) {
            ("102", 8) | ("203" | "303", 12) | ("204" | "304", 14) => {
                let offset = match own {
                    "" if time.form.starts_with('3') => None,
                    "" => Some(self.offset.clone()),
                    own => offset(own),
                };
                offset.and_then(|offset| spaced(clock, &offset))
            }
            _ => None,
        };
        let Some(spaced) = spaced else {
            let form = &time.form;
            return Ok(Err(format!(
                "expected a time such as 202601051000 in the form 203, or 202601051000+01 in the form 303, got {} in the form {}",
                shown(text.as_bytes()),
                shown(form.as_bytes())
            )
            .into()));
        };
        let label = self.times.label(spaced.as_bytes()).map_err(TimeFault::from);
        let is_end = is_day && asks && self.are == Some(TimesAre::Ends);
        Ok(label.map(|label| if is_end { label.plus(DAY_MS) } else { label }))
    }

    fn end(mut self) -> Result<()> {
        if self.timed == 0 && self.cancelled == 0 {
            bail!(NO_PROFILE);
        }
        self.rows.tell_substitutes();
        let remarks = [
            (self.forecasts, "values are forecasts: they were left out"),
            (
                self.cancelled,
                "values are of messages that take earlier ones back: they were left out",
            ),
        ];
        for (count, what) in remarks.into_iter().filter(|(count, _)| *count > 0) {
            self.rows
                .intake
                .remarks
                .push(format!("{count} of its {what}"));
        }
        Ok(())
    }
}

impl QtyKind {
    fn of(code: &str) -> Result<Self, String> {
        Ok(match code {
            "220" | "136" | "79" | "Z31" => Self::Measured,
            "67" | "99" | "201" | "Z18" | "Z47" => Self::Substitute,
            "20" | "Z30" => Self::Missing,
            "187" => Self::Forecast,
            _ => {
                return Err(format!(
                    "the kind of its value is unknown: expected 220 (measured), 67 (a substitute), 20 or Z30 (missing), got {}",
                    shown(code.as_bytes())
                ));
            }
        })
    }
}

/// A number whose decimals follow a point or a comma: EDIFACT has no other separators.
fn number(text: &str) -> Result<Cell, String> {
    let point = text.replacen(',', ".", 1);
    plain_number(point.as_bytes())
        .map_err(|expected| format!("{expected}, got {}", shown(text.as_bytes())))
}

/// An offset such as `+01`, `-0330`, `1`, `Z` or `CET` in the form `+01:00`; `None` if it is none.
fn offset(text: &str) -> Option<String> {
    let hours = match text {
        "Z" | "UTC" | "GMT" => "0",
        "CET" | "MEZ" => "1",
        "CES" | "CEST" | "MESZ" => "2",
        text => text,
    };
    let (sign, digits) = match hours.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', hours.strip_prefix('+').unwrap_or(hours)),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (hours, minutes) = match digits.len() {
        1 | 2 => (digits, "00"),
        4 => digits.split_at_checked(2)?,
        _ => return None,
    };
    is_number.then(|| format!("{sign}{hours:0>2}:{minutes}"))
}

/// Digits such as 202601051000 as a date and a time of day.
fn spaced(digits: &str, offset: &str) -> Option<String> {
    let part = |range: std::ops::Range<usize>| digits.get(range);
    let date = format!("{}-{}-{}", part(0..4)?, part(4..6)?, part(6..8)?);
    let Some((hour, minute)) = part(8..10).zip(part(10..12)) else {
        return Some(date);
    };
    let second = part(12..14).map(|second| format!(":{second}"));
    Some(format!(
        "{date} {hour}:{minute}{}{offset}",
        second.unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_digits() {
        for (text, expected) in [
            ("+01", Some("+01:00")),
            ("-0330", Some("-03:30")),
            ("1", Some("+01:00")),
            ("Z", Some("+00:00")),
            ("MESZ", Some("+02:00")),
            ("+", None),
            ("x1", None),
            ("+01:00", None),
        ] {
            assert_eq!(offset(text).as_deref(), expected, "{text}");
        }
        let whole = spaced("20260105103015", "+01:00");
        assert_eq!(whole.as_deref(), Some("2026-01-05 10:30:15+01:00"));
        assert_eq!(spaced("20260105", "").as_deref(), Some("2026-01-05"));
        assert_eq!(number("1.5"), number("1,5"));
        assert!(number("1,5.2").is_err());
    }

    #[test]
    fn kinds_of_values() {
        assert_eq!(QtyKind::of("220"), Ok(QtyKind::Measured));
        assert_eq!(QtyKind::of("Z18"), Ok(QtyKind::Substitute));
        assert_eq!(QtyKind::of("Z30"), Ok(QtyKind::Missing));
        let unknown = QtyKind::of("Z99").unwrap_err();
        assert!(unknown.contains("expected 220 (measured)"), "{unknown}");
    }
}
