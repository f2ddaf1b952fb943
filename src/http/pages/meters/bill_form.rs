//! The form of a bill.

use crate::admin::BillForm;
use crate::domain::LocalDate;
use crate::http::pages::frame::typed_number::Numbers;
use crate::http::pages::frame::{PageError, Visit};
use crate::ledger::utility::EnteredBill;
use crate::texts::Language;

/// The number of empty lines in a form.
const EMPTY_LINES: usize = 4;

/// A bill as typed.
#[derive(Default)]
pub(super) struct BillFields {
    /// The first and the last day, as in `2026-01-31`.
    pub(super) first: String,
    pub(super) last: String,
    pub(super) total: String,
    pub(super) kwh: String,
    /// Names and amounts.
    pub(super) lines: Vec<(String, String)>,
}

impl BillFields {
    /// The fields of a posted form; empty without one.
    pub(super) fn posted(visit: &Visit) -> Result<Self, PageError> {
        let field = |name: &str| visit.trimmed(name);
        let mut lines = Vec::new();
        for number in 1..=EnteredBill::MOST_LINES {
            let name = field(&format!("name-{number}"))?;
            let amount = field(&format!("amount-{number}"))?;
            if !name.is_empty() || !amount.is_empty() {
                lines.push((name, amount));
            }
        }
        Ok(Self {
            first: field("first")?,
            last: field("last")?,
            total: field("total")?,
            kwh: field("kwh")?,
            lines,
        })
    }

    /// Adds some empty lines to fill in, up to the most that a bill has.
    pub(super) fn with_empty_lines(mut self) -> Self {
        let wanted = self.lines.len() + EMPTY_LINES;
        let wanted = wanted.min(EnteredBill::MOST_LINES);
        self.lines.resize_with(wanted, Default::default);
        self
    }

    /// The bill, as commands take it.
    pub(super) fn bill(
        &self,
        numbers: &Numbers,
        language: &Language,
    ) -> Result<BillForm, PageError> {
        let date = |field, text: &str| {
            let date = LocalDate::typed(text);
            date.map_err(|_| PageError::mistake("bills-date-expected", field))
        };
        let (first, last) = (date("first", &self.first)?, date("last", &self.last)?);
        if last < first {
            return Err(PageError::mistake("bills-last-expected", "last"));
        }
        let too_late = || PageError::mistake("bills-date-expected", "last");
        let after = last.plus_days(1).ok_or_else(too_late)?;
        if numbers.decimal(&self.total).is_none() {
            return Err(PageError::mistake("bills-amount-expected", "total"));
        }
        if !self.kwh.is_empty() && numbers.decimal(&self.kwh).is_none() {
            return Err(PageError::mistake("meter-kwh-expected", "kwh"));
        }
        let is_wrong = |(name, amount): &(String, String)| {
            name.is_empty() || numbers.decimal(amount).is_none()
        };
        if let Some(place) = self.lines.iter().position(is_wrong) {
            let number = i64::try_from(place + 1).unwrap_or_default();
            let text = language.fill("bills-line-expected", [("number", number.into())]);
            return Err(PageError::form("lines", text));
        }
        let lines = self.lines.iter();
        Ok(BillForm {
            from: first.to_string(),
            to: after.to_string(),
            total: numbers.plain(&self.total),
            kwh: Some(numbers.plain(&self.kwh)).filter(|kwh| !kwh.is_empty()),
            lines: lines
                .map(|(name, amount)| (name.clone(), numbers.plain(amount)))
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(lines: &[(&str, &str)]) -> BillFields {
        let lines = lines.iter();
        BillFields {
            first: "2026-02-01".into(),
            last: "2026-02-28".into(),
            total: "1.073,50".into(),
            kwh: String::new(),
            lines: lines
                .map(|(name, amount)| ((*name).to_owned(), (*amount).to_owned()))
                .collect(),
        }
    }

    #[test]
    fn the_last_day_belongs_to_a_bill() {
        let bill = fields(&[("night", "12,5")])
            .bill(&Numbers::new(Language::english()), Language::english());
        let bill = bill.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((&*bill.from, &*bill.to), ("2026-02-01", "2026-03-01"));
        assert_eq!((&*bill.total, bill.kwh), ("1073.50", None));
        assert_eq!(bill.lines, [("night".into(), "12.5".into())]);
    }

    #[test]
    fn a_line_has_a_name_and_an_amount() {
        for line in [("night", ""), ("", "1"), ("night", "much")] {
            let refused = fields(&[("day", "1"), line])
                .bill(&Numbers::new(Language::english()), Language::english());
            let Err(PageError::Form(problem)) = refused else {
                panic!("{line:?} is taken");
            };
            assert_eq!(problem.field, "lines");
            let text = problem.text(Language::english());
            assert!(text.contains('2'), "{text}");
        }
    }
}
