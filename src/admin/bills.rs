//! The form of a bill of the utility.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::error::{AdminError, wrong};
use crate::domain::{Decimal, MicroWh, TimeRange, Timestamp, Zone};
use crate::ledger::contract::Label;
use crate::ledger::utility::{EnteredBill, EnteredLine};

/// A bill as typed. Numbers are text, so that no digit is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BillForm {
    /// The start of its range: a time, or a date for its midnight in the account's time zone.
    pub from: String,
    /// The end of its range, exclusive.
    pub to: String,
    /// The amount to be paid.
    pub total: String,
    /// The imported energy in kilowatt-hours, if the bill states it.
    pub kwh: Option<String>,
    /// The names and amounts of any number of its lines.
    pub lines: Vec<(String, String)>,
}

impl BillForm {
    /// Parses the form into a bill, for an account in `zone`.
    ///
    /// # Errors
    /// [`AdminError::Field`].
    pub fn bill(&self, zone: &Zone) -> Result<EnteredBill, AdminError> {
        let time = |field: &'static str, text: &str| match Timestamp::parse_date(text) {
            Ok(midnight) => Ok(zone.start_of_day(midnight)),
            Err(_) => Timestamp::parse(text).map_err(|error| {
                wrong(
                    field,
                    format!("{error}; or a date such as 2026-01-01"),
                    None,
                )
            }),
        };
        let (from, to) = (time("from", &self.from)?, time("to", &self.to)?);
        let range = TimeRange::new(from, to).filter(|_| from < to);
        let later = |expected| wrong("to", expected, "2026-02-01");
        if range.is_some_and(|range| range.length_ms() > EnteredBill::LONGEST_MS) {
            return Err(later("expected a time at most 800 days after from"));
        }
        let (most, count) = (EnteredBill::MOST_LINES, self.lines.len());
        if count > most {
            let problem = format!("expected at most {most}, not {count}");
            return Err(wrong("lines", problem, None));
        }
        let line = |(index, (name, amount)): (usize, &(String, String))| {
            let unfit = |error| wrong(format!("lines[{index}].name"), error, "night");
            Ok(EnteredLine {
                name: Label::new(name).map_err(unfit)?,
                amount: decimal(format!("lines[{index}].amount"), amount)?,
            })
        };
        let energy = self.kwh.as_deref().map(|text| {
            let kwh = decimal("kwh", text)?;
            if kwh < Decimal::ZERO {
                let problem = "expected a number from 0 on";
                return Err(wrong("kwh", problem, "250.5"));
            }
            // A millionth of a kilowatt-hour is a thousand millionths of a watt-hour.
            Ok(MicroWh::new(kwh.millionths().saturating_mul(1_000)))
        });
        let lines = self.lines.iter().enumerate().map(line);
        Ok(EnteredBill {
            range: range.ok_or_else(|| later("expected a time after from"))?,
            energy: energy.transpose()?,
            total: decimal("total", &self.total)?,
            lines: lines.collect::<Result<_, AdminError>>()?,
        })
    }
}

fn decimal(field: impl Into<Cow<'static, str>>, text: &str) -> Result<Decimal, AdminError> {
    Decimal::parse(text).map_err(|error| wrong(field, error, None))
}
