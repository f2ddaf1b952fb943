//! Day lists as text: lines of `date,type`, or JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

use super::Label;
use super::days::DayList;
use super::json::shortened;
use crate::domain::{FromObject, LocalDate};

/// Why a text is not a day list.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DayListError {
    /// Not a name.
    #[error(
        "expected 1 to {} bytes of text without colons and control characters, such as tempo",
        Label::MAX_BYTES
    )]
    Name,
    /// Not a line of the table.
    #[error(
        "line {line}: expected a date and the type of that day, of at most {} bytes, such as 2026-01-05,red",
        Label::MAX_BYTES
    )]
    Line {
        /// From 1.
        line: usize,
    },
    /// Not a list of days.
    #[error("expected a list such as [{{\"date\":\"2026-01-05\",\"type\":\"red\"}}]: {0}")]
    Json(String),
    /// Not a date and a type.
    #[error(
        "entry {entry}: expected a date such as 2026-01-05 and the type of that day, of at most {} bytes, such as red",
        Label::MAX_BYTES
    )]
    Entry {
        /// From 1.
        entry: usize,
    },
    /// Two types for one date.
    #[error("two types for {0}; expected one for each date")]
    Twice(LocalDate),
    /// More than an account may have.
    #[error("expected at most {} days at once", DayList::MOST_DAYS)]
    TooMany,
}

impl DayList {
    /// The maximum number of days in all lists of an account: 27 years of a list with every day.
    pub const MOST_DAYS: usize = 10_000;

    /// Parses the name of a list. It has no colon, because contracts write `list:type`.
    ///
    /// # Errors
    /// [`DayListError::Name`].
    pub fn parse_name(text: &str) -> Result<Label, DayListError> {
        let name = Label::new(text.trim()).map_err(|_| DayListError::Name)?;
        let is_one_part = !name.as_str().contains(':');
        is_one_part.then_some(name).ok_or(DayListError::Name)
    }

    /// Parses a table of lines `date,type`, with or without a header, or a JSON list of objects
    /// with `date` and `type`.
    ///
    /// # Errors
    /// [`DayListError`] names the wrong line or entry.
    pub fn parse(name: Label, text: &str) -> Result<Self, DayListError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut days = BTreeMap::new();
        // Each type is kept once, however many days have it.
        let mut types = BTreeMap::<String, Label>::new();
        let mut add = |date: &str, kind: &str, wrong: DayListError| {
            let (date, kind) = (LocalDate::parse(date.trim()), kind.trim());
            let (Ok(date), Ok(label)) = (date, Label::new(kind)) else {
                return Err(wrong);
            };
            let label = types.entry(kind.to_owned()).or_insert(label).clone();
            if days.insert(date, label).is_some() {
                return Err(DayListError::Twice(date));
            }
            let is_few = days.len() <= Self::MOST_DAYS;
            is_few.then_some(()).ok_or(DayListError::TooMany)
        };
        if text.trim_start().starts_with('[') {
            let entries: Vec<FromObject<JsonDay<'_>>> = serde_json::from_str(text)
                .map_err(|error| DayListError::Json(shortened(&error.to_string(), 200)))?;
            for (index, FromObject(day)) in entries.iter().enumerate() {
                let wrong = DayListError::Entry { entry: index + 1 };
                add(&day.date, &day.day_type, wrong)?;
            }
        } else {
            for (index, line) in text.lines().enumerate() {
                let line = line.trim();
                let is_header =
                    index == 0 && line.starts_with(|first: char| first.is_ascii_alphabetic());
                if !line.is_empty() && !is_header {
                    let (date, kind) = line.split_once(',').unwrap_or((line, ""));
                    add(date, kind, DayListError::Line { line: index + 1 })?;
                }
            }
        }
        Ok(Self::new(name, days))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonDay<'a> {
    #[serde(borrow)]
    date: Cow<'a, str>,
    #[serde(borrow, rename = "type")]
    day_type: Cow<'a, str>,
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn parse(text: &str) -> Result<DayList, DayListError> {
        DayList::parse(DayList::parse_name("tempo").unwrap(), text)
    }

    fn shown(list: &DayList) -> String {
        let days = list.days().iter();
        let days: Vec<_> = days.map(|(date, kind)| format!("{date} {kind}")).collect();
        days.join("; ")
    }

    #[test]
    fn a_list_is_a_table_or_json() {
        for text in [
            "2026-01-05,red\n2026-01-04,white, or so\n",
            "\u{feff}date,type\r\n\r\n 2026-01-05 , red \r\n2026-01-04,white, or so",
            "\u{feff} [{\"date\":\"2026-01-05\",\"type\":\"red\"},{\"type\":\" white, or so\",\"date\":\"2026-01-04\"}]",
        ] {
            let list = parse(text).unwrap();
            assert_eq!(shown(&list), "2026-01-04 white, or so; 2026-01-05 red");
        }
        for none in ["", "date,type\n", "[]"] {
            assert_eq!(shown(&parse(none).unwrap()), "");
        }
    }

    #[test]
    fn a_refusal_names_its_place() {
        let line = |line| DayListError::Line { line };
        let long = format!("2026-01-05,{}", "x".repeat(65));
        for text in [
            "2026-02-30,red",
            "2026-01-05",
            "2026-01-05, ",
            "5.1.26,red",
            &long,
        ] {
            assert_eq!(parse(text), Err(line(1)), "{text}");
            assert_eq!(parse(&format!("date,type\n\n{text}")), Err(line(3)));
        }
        let entry = DayListError::Entry { entry: 2 };
        for second in [
            r#"{"date":"2026-02-30","type":"red"}"#,
            r#"{"date":"2026-02-03","type":""}"#,
            r#"{"date":"2026-02-03","type":"a\nb"}"#,
        ] {
            let text = format!(r#"[{{"date":"2026-01-05","type":"red"}},{second}]"#);
            assert_eq!(parse(&text), Err(entry.clone()), "{text}");
        }
        for text in ["[{", r#"[{"date":"2026-01-05"}]"#, r#"["2026-01-05"]"#] {
            assert!(matches!(parse(text), Err(DayListError::Json(_))), "{text}");
        }
        let twice = parse("2026-01-05,red\n2026-01-05,red").unwrap_err();
        assert_eq!(
            twice.to_string(),
            "two types for 2026-01-05; expected one for each date"
        );
        let mut date = LocalDate::parse("2000-01-01").unwrap();
        let mut many = String::new();
        for _ in 0..=DayList::MOST_DAYS {
            writeln!(many, "{date},red").unwrap();
            date = date.plus_days(1).unwrap();
        }
        assert_eq!(parse(&many), Err(DayListError::TooMany));
    }

    #[test]
    fn a_name_has_no_colon() {
        assert_eq!(DayList::parse_name(" tempo ").unwrap().as_str(), "tempo");
        for name in ["", " ", "tempo:red", "a\nb", &"x".repeat(65)] {
            assert_eq!(DayList::parse_name(name), Err(DayListError::Name), "{name}");
        }
    }

    #[test]
    fn a_part_of_a_list_ends_before_its_end() {
        let list = parse("2026-01-05,red\n2026-01-06,white\n2026-01-07,red").unwrap();
        let count = |from: Option<&str>, end: Option<&str>| {
            let date = |text: Option<&str>| text.map(|text| LocalDate::parse(text).unwrap());
            let (from, end) = (date(from), date(end));
            list.within(super::super::DateSpan { from, end }).count()
        };
        assert_eq!(count(None, None), 3);
        assert_eq!(count(Some("2026-01-06"), None), 2);
        assert_eq!(count(Some("2026-01-06"), Some("2026-01-07")), 1);
        assert_eq!(count(Some("2026-01-07"), Some("2026-01-05")), 0);
    }
}
