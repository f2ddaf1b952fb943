//! A forecast as the API and the commands answer it.

use serde::{Deserialize, Serialize};

use crate::ledger::forecast::{ChoiceReason, ErrorSpread, ForecastMethod, MethodScore};

/// Where a house is heading. Times are in the API's form, energies in watt-hours, amounts in the
/// currency as decimals in text, shares from 0 to 1. Unknown values are null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForecastAnswer {
    /// The account.
    pub account: String,
    /// Readings are known until then; null without readings.
    pub known_until: Option<String>,
    /// Why there is no forecast: `no-grid` or `few-days`; null if there is one.
    pub reason: Option<String>,
    /// The method of the imported energy; null without a forecast.
    pub method: Option<ForecastMethod>,
    /// Why it is that one.
    pub method_reason: Option<ChoiceReason>,
    /// Whether the days of last year are known for it.
    pub has_last_year: bool,
    /// The method of the exported energy; null without a forecast of it.
    pub exported_method: Option<ForecastMethod>,
    /// The method of the used energy; null without a forecast of it.
    pub used_method: Option<ForecastMethod>,
    /// The measured days of the last eight weeks.
    pub known_days: u32,
    /// The share of the time since the eight weeks, or since the earliest period, with a measured sum
    /// only.
    pub estimated: f64,
    /// The share of that time without readings.
    pub missing: f64,
    /// The currency of the amounts; null without contracts.
    pub currency: Option<String>,
    /// The running periods.
    pub periods: Vec<ForecastPeriod>,
    /// The last months, as they would have been forecast.
    pub tested: TestedMonths,
}

/// The forecast of a running period.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForecastPeriod {
    /// `month`, `year`, or `billing` for a billing period of the contract.
    pub period: String,
    /// Where it begins: not before the first whole day of readings.
    pub from: String,
    /// Where it ends; the end does not belong to it.
    pub to: String,
    /// Whether readings begin after the period.
    pub begins_late: bool,
    /// Drawn from the grid.
    pub imported: Option<LikelyEnergy>,
    /// Fed into the grid.
    pub exported: Option<LikelyEnergy>,
    /// Used by the house, if it has more than the grid.
    pub used: Option<LikelyEnergy>,
    /// The costs.
    pub cost: Option<LikelyAmount>,
    /// The credits.
    pub credit: Option<LikelyAmount>,
    /// The costs less the credits.
    pub total: Option<LikelyAmount>,
    /// The advances of the whole period; null if no contract has any.
    pub paid: Option<String>,
    /// The advances less the total.
    pub balance: Option<LikelyAmount>,
    /// The likely energy without a price, in none of the amounts.
    pub unpriced: f64,
}

/// An energy with its range, which holds 8 times in 10.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LikelyEnergy {
    /// Known so far.
    pub so_far: f64,
    /// The lower end.
    pub low: f64,
    /// Most likely.
    pub likely: f64,
    /// The upper end.
    pub high: f64,
}

/// An amount with its range.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LikelyAmount {
    /// So far.
    pub so_far: String,
    /// The lower end.
    pub low: String,
    /// Most likely.
    pub likely: String,
    /// The upper end.
    pub high: String,
}

/// The last twelve months as they would have been forecast at the beginning of their 10th: the
/// imported energy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestedMonths {
    /// Those whose energy is known, the oldest first.
    pub months: Vec<TestedMonth>,
    /// How many ended within their range.
    pub within: u32,
    /// How far they were off; null without months.
    pub errors: Option<ErrorSpread>,
    /// The same months by each method that is known in one of them: they choose the method.
    pub methods: Vec<MethodScore>,
}

/// A month as it would have been forecast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestedMonth {
    /// Such as `2026-01`.
    pub month: String,
    /// The method that the months before it chose.
    pub method: ForecastMethod,
    /// The lower end of the forecast.
    pub low: f64,
    /// Most likely.
    pub likely: f64,
    /// The upper end.
    pub high: f64,
    /// The measured energy.
    pub actual: f64,
    /// Whether that is within the range.
    pub within: bool,
}
