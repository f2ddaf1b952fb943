//! What a page takes as a range, what is typed wrong in its form, and links to its ranges.

use actix_web::http::StatusCode;

use super::{SpanCalendar, SpanChoice, SpanUnit, days};
use crate::domain::LocalDate;
use crate::house::HousePrices;
use crate::http::pages::frame::{FormProblem, Layout, PageError, Visit};
use crate::http::wire::ApiError;
use crate::http::wire::params::{one_of, param};
use crate::texts::Language;

/// The ranges that a page takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpanRules {
    units: &'static [SpanUnit],
    /// The most years, and how many days of a range are no more than that.
    most: (i64, i64),
}

/// What an address asks for.
pub(crate) struct AskedSpan {
    /// This month instead of days that are refused.
    pub(crate) span: SpanChoice,
    /// The days as they were typed, at which field they are wrong, and the most years.
    refused: Option<([String; 2], &'static str, i64)>,
}

impl SpanRules {
    /// All parts of the calendar, and up to a hundred years.
    pub(crate) const ANY: Self = Self {
        units: &SpanUnit::ALL,
        most: (100, 36_525),
    };
    /// For what time people get a bill. No longer ones: each quarter of an hour may have a price of its own.
    pub(crate) const BILLED: Self = Self {
        units: &[SpanUnit::Month, SpanUnit::Year, SpanUnit::Contract],
        most: (10, HousePrices::MOST_DAYS),
    };

    /// What a query string asks for; this month by default.
    ///
    /// # Errors
    /// [`ApiError`] for the first parameter that is wrong.
    pub(crate) fn read(self, query: &str) -> Result<SpanChoice, ApiError> {
        let date = |name| match param(query, name)? {
            Some(text) => LocalDate::parse(&text)
                .map(Some)
                .map_err(|error| ApiError::invalid(name, error, &text)),
            None => Ok(None),
        };
        let (from, to, at) = (date("from")?, date("to")?, date("at")?);
        let units: Vec<_> = self.units.iter().map(|it| (it.as_str(), *it)).collect();
        let unit = one_of(query, "range", &units)?;
        let (years, most_days) = self.most;
        match (unit, from, to) {
            (unit, None, None) => Ok(SpanChoice::Unit(unit.unwrap_or(SpanUnit::Month), at)),
            (Some(_), ..) => Err(ApiError::unfit("range", "expected without from and to")),
            (None, Some(_), None) => Err(ApiError::unfit("to", "expected together with from")),
            (None, None, Some(_)) => Err(ApiError::unfit("from", "expected together with to")),
            (None, Some(from), Some(to)) if to < from => {
                let problem = "expected a date that is not before from";
                Err(ApiError::unfit("to", problem))
            }
            (None, Some(from), Some(to)) if days(from, to) > most_days => {
                let problem = format!("expected a date at most {years} years after from");
                Err(ApiError::unfit("to", problem))
            }
            (None, Some(from), Some(to)) => Ok(SpanChoice::Days(from, to)),
        }
    }

    /// The same of a page with a form for the days, which shows them again if they are wrong.
    ///
    /// # Errors
    /// [`PageError::Api`] for any other parameter that is wrong.
    pub(crate) fn asked(self, visit: &Visit) -> Result<AskedSpan, PageError> {
        let refused_at = |field| {
            Ok(AskedSpan {
                span: SpanChoice::default(),
                refused: Some((
                    [visit.param("from")?, visit.param("to")?],
                    field,
                    self.most.0,
                )),
            })
        };
        match self.read(visit.query()) {
            Ok(span) => Ok(AskedSpan {
                span,
                refused: None,
            }),
            Err(ApiError::InvalidField { name, .. }) if name == "from" => refused_at("from"),
            Err(ApiError::InvalidField { name, .. }) if name == "to" => refused_at("to"),
            Err(error) => Err(error.into()),
        }
    }

    /// Name and address of each part of the calendar, and whether it is the one of `span`.
    pub(crate) fn links(
        self,
        span: SpanChoice,
        calendar: &SpanCalendar,
        (language, to): (&Language, impl Fn(SpanChoice) -> String),
    ) -> Vec<(String, String, bool)> {
        let units = self.units.iter().copied();
        let units = units.filter(|unit| *unit != SpanUnit::Contract || calendar.has_contract());
        let link = |unit| {
            let name = language.word("span-unit", SpanUnit::as_str(unit));
            let is_here = matches!(span, SpanChoice::Unit(here, _) if here == unit);
            (name, to(span.with_unit(unit)), is_here)
        };
        units.map(link).collect()
    }
}

impl AskedSpan {
    /// The status of the page. If the days were refused, its form shows them as they were `typed`, and what is
    /// expected at their field.
    pub(crate) fn show_again(self, typed: &mut [String; 2], layout: &mut Layout) -> StatusCode {
        let Some((days, field, years)) = self.refused else {
            return StatusCode::OK;
        };
        *typed = days;
        let problem = layout
            .language
            .fill("span-problem", [("years", years.into())]);
        layout.problem = Some(FormProblem::new(field, problem));
        StatusCode::UNPROCESSABLE_ENTITY
    }
}
