//! The last months, as they would have been forecast.

use super::answer::{TestedMonth, TestedMonths};
use super::days::HouseDays;
use crate::domain::LocalDate;
use crate::ledger::forecast::{DailySums, DayForecast, ForecastMethod, TestedForecast};

const MONTHS: i32 = 12;
/// The whole days of a month that are known when it is forecast.
const KNOWN_DAYS: usize = 9;

/// The twelve months before the running one, each as of the beginning of its 10th: their import.
pub(super) fn last_months(days: &HouseDays, imported: &DailySums) -> TestedMonths {
    let today = days.date(days.today);
    let begins = (1..=MONTHS).rev().map(|ago| first_of_month(today, ago));
    let begins: Vec<Option<LocalDate>> = begins.chain([first_of_month(today, 0)]).collect();
    let mut found = TestedMonths::default();
    let (mut both, mut last_year, mut recent) = (Vec::new(), Vec::new(), Vec::new());
    for pair in begins.windows(2) {
        let &[Some(begin), Some(next)] = pair else {
            continue;
        };
        let (Some(start), Some(end)) = (days.number_of(begin), days.number_of(next)) else {
            continue;
        };
        let on_tenth = start + KNOWN_DAYS;
        let of = |method| TestedForecast::of(imported, start..end, on_tenth, method);
        let Some(tested) = of(ForecastMethod::Both) else {
            continue;
        };
        both.push(tested);
        recent.extend(of(ForecastMethod::Recent));
        let forecast = DayForecast::new(imported, on_tenth, ForecastMethod::LastYear);
        if forecast.is_some_and(|it| it.has_last_year()) {
            last_year.extend(of(ForecastMethod::LastYear));
        }
        found.within += u32::from(tested.is_within());
        found.months.push(TestedMonth {
            month: format!("{:04}-{:02}", begin.year(), begin.month()),
            low: tested.predicted.low.round(),
            likely: tested.predicted.likely.round(),
            high: tested.predicted.high.round(),
            actual: tested.actual.round(),
            within: tested.is_within(),
        });
    }
    // Medians of other months cannot be compared.
    if last_year.len() < both.len() {
        last_year.clear();
    }
    let median = |all: Vec<TestedForecast>| TestedForecast::median_error(all.into_iter());
    found.median_error = median(both);
    found.median_error_of_last_year = median(last_year);
    found.median_error_of_recent = median(recent);
    found
}

/// The first day of the month so many months before that of a date.
fn first_of_month(date: LocalDate, ago: i32) -> Option<LocalDate> {
    let month = date.year() * MONTHS + i32::from(date.month()) - 1 - ago;
    let of_year = u8::try_from(month.rem_euclid(MONTHS) + 1).ok()?;
    LocalDate::new(month.div_euclid(MONTHS), of_year, 1)
}
