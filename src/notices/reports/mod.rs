//! Reports: the weekly message and the monthly statement, by the way of messages about notices. Off
//! until a person chooses them. Each goes out once: the store remembers its period.
//!
//! - `due`: which period's report is due when
//! - `pending`: the next report to send
//!
//! The pages write them, as they write statements: [`ReportWriter`].

mod due;
mod pending;

use std::ops::Range;
use std::str::FromStr;

use thiserror::Error;

pub(super) use self::pending::{DueReport, PendingReports};
use crate::domain::words::words;
use crate::domain::{Account, LocalDate, ReportKind, SensorId, Timestamp};
use crate::store::{Store, StoreError};
use crate::texts::Language;

/// When the weekly message goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeeklyReport {
    /// Never.
    #[default]
    Off,
    /// On Sunday evening, about the week so far.
    Sunday,
    /// On Monday morning, about the week that is over.
    Monday,
}

words! { WeeklyReport: Off "off", Sunday "sunday", Monday "monday"; "off, sunday or monday" }

/// What the monthly statement is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MonthlyStatement {
    /// Nothing: there is none.
    #[default]
    Off,
    /// The house of each account.
    House,
    /// A sub-meter.
    Sensor(SensorId),
}

/// The error for a text that does not say what a statement is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("off, house, or a sub-meter such as sensor:flat")]
pub struct NotMonthlyStatement;

impl MonthlyStatement {
    /// Before the id of a sub-meter.
    const SENSOR: &'static str = "sensor:";

    /// As it is typed.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Off => "off".to_owned(),
            Self::House => "house".to_owned(),
            Self::Sensor(id) => format!("{}{id}", Self::SENSOR),
        }
    }
}

impl FromStr for MonthlyStatement {
    type Err = NotMonthlyStatement;

    fn from_str(text: &str) -> Result<Self, NotMonthlyStatement> {
        match text {
            "off" => Ok(Self::Off),
            "house" => Ok(Self::House),
            _ => {
                let id = text.strip_prefix(Self::SENSOR).ok_or(NotMonthlyStatement)?;
                let id = SensorId::new(id).map_err(|_| NotMonthlyStatement)?;
                Ok(Self::Sensor(id))
            }
        }
    }
}

/// The chosen reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportChoices {
    /// The weekly message.
    pub weekly: WeeklyReport,
    /// The monthly statement.
    pub statement: MonthlyStatement,
}

/// A period with a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportPeriod {
    /// Its first day, by the clock of its account.
    pub first: LocalDate,
    /// From its start until before its end.
    pub range: Range<Timestamp>,
}

/// A report that is to be written.
pub struct AskedReport<'a> {
    /// Of whom.
    pub account: &'a Account,
    /// The kind.
    pub kind: ReportKind,
    /// A sub-meter, if it is not of the house.
    pub sensor: Option<&'a SensorId>,
    /// The period.
    pub period: &'a ReportPeriod,
    /// When it is written.
    pub now: Timestamp,
    /// The language of its reader.
    pub language: &'static Language,
}

/// A report in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenReport {
    /// One line.
    pub title: String,
    /// The same as plain text.
    pub text: String,
    /// A page by itself: it loads nothing, so that mail programs show all of it, and can be printed.
    pub html: String,
}

/// Writes a report; `None` if nothing is known of its period. May block on disk reads.
pub type ReportWriter = fn(&Store, &AskedReport<'_>) -> Result<Option<WrittenReport>, StoreError>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_statement_is_of_is_typed_in_a_word() {
        let flat = MonthlyStatement::Sensor(SensorId::new("house").unwrap());
        for (text, of) in [
            ("off", MonthlyStatement::Off),
            ("house", MonthlyStatement::House),
            ("sensor:house", flat),
        ] {
            assert_eq!(text.parse(), Ok(of.clone()));
            assert_eq!(of.text(), text);
        }
        for text in ["", "House", "flat", "sensor:"] {
            assert_eq!(
                text.parse::<MonthlyStatement>(),
                Err(NotMonthlyStatement),
                "{text}"
            );
        }
    }
}
