//! Paybacks as the API and the commands answer them.

use serde::{Deserialize, Serialize};

use super::{HouseWithout, Payback};
use crate::domain::{Account, Currency, Decimal};
use crate::house::known_year::PaybackReason;

/// How far purchases have paid for themselves. Amounts are in the currency, as exact decimals in
/// text; shares are from 0 to 1 or more. Unknown values are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaybackAnswer {
    /// The account.
    pub account: String,
    /// The currency of all amounts.
    pub currency: String,
    /// Its assumption, in a sentence.
    pub assumes: String,
    /// The panels, the battery, and all purchases together.
    pub rows: Vec<PaybackRow>,
}

/// The assumption of each answer.
const ASSUMES: &str = "Each year to come, and the time before the first readings, saves as much as the last twelve months.";

/// Purchases that the same savings pay for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaybackRow {
    /// The savings that pay for them: of `panels`, of the `battery`, or of `both`.
    pub by: String,
    /// The names of the purchases.
    pub purchases: Vec<String>,
    /// Their amounts without subsidies.
    pub price: String,
    /// The day of the first purchase.
    pub since: String,
    /// Readings and prices are known from then on; in the API's form.
    pub known_from: Option<String>,
    /// The savings since then.
    pub saved: Option<String>,
    /// The likely savings before, by the last twelve months; null without these.
    pub assumed: Option<String>,
    /// The costs of the purchases since their dates, besides their prices.
    pub costs: String,
    /// The share of the price that is paid back.
    pub paid_back: Option<f64>,
    /// The savings of the last twelve months, less the costs of a year.
    pub per_year: Option<String>,
    /// The day when they will have paid for themselves.
    pub expected: Option<String>,
    /// Why there is no such day: `paid-back`, `no-sensor`, `few-months`, `incomplete` or
    /// `no-savings`.
    pub reason: Option<String>,
}

impl PaybackAnswer {
    /// The paybacks of an account.
    #[must_use]
    pub fn new(account: &Account, (currency, found): &(Currency, Vec<Payback>)) -> Self {
        Self {
            account: account.name.to_string(),
            currency: currency.as_str().to_owned(),
            assumes: ASSUMES.to_owned(),
            rows: found.iter().map(PaybackRow::new).collect(),
        }
    }
}

impl PaybackRow {
    pub(super) fn new(found: &Payback) -> Self {
        let text = |amount: Option<Decimal>| amount.map(|amount| amount.to_string());
        Self {
            by: HouseWithout::as_str(found.by).to_owned(),
            purchases: found.purchases.clone(),
            price: found.price.to_string(),
            since: found.since.to_string(),
            known_from: found.known_from.map(|time| time.to_string()),
            saved: text(found.saved),
            assumed: text(found.assumed),
            costs: found.costs.to_string(),
            paid_back: found.paid_back(),
            per_year: text(found.per_year),
            expected: found.expected.map(|day| day.to_string()),
            reason: found
                .reason
                .map(PaybackReason::as_str)
                .map(ToOwned::to_owned),
        }
    }
}
