//! The last months, as they would have been forecast.

use super::answer::{TestedMonth, TestedMonths};
use super::days::HouseDays;
use crate::ledger::forecast::{BackTest, ErrorSpread, TestedForecast};

impl TestedMonths {
    /// The last twelve months of the imported energy.
    pub(super) fn of(days: &HouseDays, imported: &BackTest<'_>) -> Self {
        let tested = imported.last_forecasts();
        let months = tested.iter().map(|tested| {
            let begin = days.date(tested.begin);
            TestedMonth {
                month: format!("{:04}-{:02}", begin.year(), begin.month()),
                method: tested.method,
                low: tested.predicted.low.round(),
                likely: tested.predicted.likely.round(),
                high: tested.predicted.high.round(),
                actual: tested.actual.round(),
                within: tested.is_within(),
            }
        });
        let months: Vec<TestedMonth> = months.collect();
        let within = months.iter().filter(|it| it.within).count();
        Self {
            within: u32::try_from(within).unwrap_or_default(),
            months,
            errors: ErrorSpread::of(tested.iter().map(TestedForecast::error)),
            methods: imported.scores(),
        }
    }
}
