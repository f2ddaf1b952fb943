//! The ranges that a page accepts, mistakes in its form, and links to its ranges.

use actix_web::http::StatusCode;

use super::calendar::RangeCalendar;
use super::choice::{RangeChoice, RangeWord, count_of_days, days_of, end_of};
use crate::domain::{LocalDate, Timestamp, Zone};
use crate::house::HousePrices;
use crate::http::pages::frame::{FormProblem, Layout, PageError, Visit};
use crate::http::wire::ApiError;
use crate::http::wire::params::{one_of, param, time};

/// The rules for ranges on a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RangeRules {
    words: &'static [RangeWord],
    /// The range of an address without one.
    default: RangeWord,
    /// If `from` and `to` are days: the maximum number of years, and the maximum number of days.
    /// Otherwise they are any times.
    most: Option<(i64, i64)>,
}

/// The range requested by an address.
pub(crate) struct AskedRange {
    /// The choice; the default if the days were refused.
    pub(crate) choice: RangeChoice,
    /// If the days were refused: the days as typed, the field at fault, and the maximum number of
    /// years.
    refused: Option<([String; 2], &'static str, i64)>,
}

impl RangeRules {
    /// For charts, which can show anything from a second to all readings.
    pub(crate) const CHART: Self = {
        use RangeWord::{All, Day, Hour, LastDay, Month, Week, Year};
        Self {
            words: &[LastDay, Hour, Day, Week, Month, Year, All],
            default: LastDay,
            most: None,
        }
    };
    /// All calendar units that contain bars, and up to a hundred years.
    pub(crate) const ENERGY: Self = {
        use RangeWord::{Contract, Day, Month, Week, Year};
        Self {
            words: &[Day, Week, Month, Year, Contract],
            default: Month,
            most: Some((100, 36_525)),
        }
    };
    /// Those with enough days for a picture of hours by days, and not too many.
    pub(crate) const HOURS: Self = {
        use RangeWord::{Month, Week, Year};
        Self {
            words: &[Week, Month, Year],
            default: Month,
            most: Some((1, 366)),
        }
    };
    /// The periods that people are billed for. Longer ones are refused, because each quarter of an
    /// hour may have its own price.
    pub(crate) const BILLED: Self = {
        use RangeWord::{Contract, Month, Year};
        Self {
            words: &[Month, Year, Contract],
            default: Month,
            most: Some((10, HousePrices::MOST_DAYS)),
        }
    };

    /// Those for comparing contracts: a year has all seasons.
    pub(crate) const COMPARED: Self = Self {
        default: RangeWord::Year,
        ..Self::BILLED
    };

    /// Reads the range that a query string requests; dates are in the account's `zone`.
    ///
    /// # Errors
    /// [`ApiError`] for the first invalid parameter.
    pub(crate) fn read(self, query: &str, zone: &Zone) -> Result<RangeChoice, ApiError> {
        let end = |name, of_date: fn(LocalDate, &Zone) -> Timestamp| {
            let Some(text) = param(query, name)? else {
                return Ok(None);
            };
            match LocalDate::typed(&text) {
                Ok(date) => Ok(Some(of_date(date, zone))),
                Err(error) if self.most.is_some() => Err(ApiError::invalid(name, error, &text)),
                Err(_) => time(name, &text, zone).map(Some),
            }
        };
        let (from, to) = (end("from", LocalDate::start)?, end("to", end_of)?);
        let at = param(query, "at")?;
        let at = at.map(|text| time("at", &text, zone)).transpose()?;
        let words = RangeWord::ALL.into_iter();
        let words = words.filter(|word| self.words.contains(word));
        let words: Vec<_> = words.map(|it| (it.as_str(), it)).collect();
        let word = one_of(query, "range", &words)?;
        let wrong = |name, problem: &str| Err(ApiError::unfit(name, problem));
        match (word, from, to) {
            (None, None, None) if at.is_some() && self.default.unit().is_none() => {
                wrong("at", "expected only together with range")
            }
            (word, None, None) => Ok(RangeChoice::named(word.unwrap_or(self.default), at)),
            (Some(_), ..) => wrong("range", "expected without from and to"),
            (None, Some(_), None) => wrong("to", "expected together with from"),
            (None, None, Some(_)) => wrong("from", "expected together with to"),
            (None, Some(from), Some(to)) => self.between(from, to, zone),
        }
    }

    fn between(self, from: Timestamp, to: Timestamp, zone: &Zone) -> Result<RangeChoice, ApiError> {
        let problem = match (RangeChoice::between(from, to), self.most) {
            (Some(_), Some((years, most))) if count_of_days(days_of(from, to, zone)) > most => {
                format!("expected a date at most {years} years after from")
            }
            (Some(choice), _) => return Ok(choice),
            (None, Some(_)) => "expected a date that is not before from".to_owned(),
            (None, None) => "expected a time at least a second after from".to_owned(),
        };
        Err(ApiError::unfit("to", problem))
    }

    /// The same for a page with a form for the days, which shows invalid days again.
    ///
    /// # Errors
    /// [`PageError::Api`] for any other invalid parameter.
    pub(crate) fn asked(self, visit: &Visit, zone: &Zone) -> Result<AskedRange, PageError> {
        let refused_at = |field| {
            let days = [visit.param("from")?, visit.param("to")?];
            let years = self.most.map_or(0, |(years, _)| years);
            Ok(AskedRange {
                choice: RangeChoice::Named(self.default, None),
                refused: Some((days, field, years)),
            })
        };
        match self.read(visit.query(), zone) {
            Ok(choice) => Ok(AskedRange {
                choice,
                refused: None,
            }),
            Err(ApiError::InvalidField { name, .. }) if name == "from" => refused_at("from"),
            Err(ApiError::InvalidField { name, .. }) if name == "to" => refused_at("to"),
            Err(error) => Err(error.into()),
        }
    }

    /// Name and address of each named range, and whether `choice` has that name, at any time.
    pub(crate) fn links(
        self,
        choice: RangeChoice,
        calendar: &RangeCalendar,
        to: impl Fn(RangeChoice) -> String,
    ) -> Vec<(String, String, bool)> {
        let words = self.words.iter().copied();
        let words = words.filter(|word| *word != RangeWord::Contract || calendar.has_contract());
        let link = |word: RangeWord| {
            let name = word.name(calendar.wording().language);
            let there = RangeChoice::named(word, choice.at());
            (name, to(there), choice.word() == Some(word))
        };
        words.map(link).collect()
    }
}

impl AskedRange {
    /// The status of the page. If the days were refused, its form shows them as they were `typed`,
    /// with the expected values at their field.
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
