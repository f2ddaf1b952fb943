//! The peak guard as the API and the commands answer it.

use serde::{Deserialize, Serialize};

use super::{PeakNow, PeaksNow};
use crate::domain::{Account, MicroWh, Timestamp};
use crate::ledger::contract::Label;

/// The demand charges of a house. Times are in the API's form, energies in watt-hours, powers in watts,
/// amounts decimals in text. Unknown values are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeakAnswer {
    /// The account.
    pub account: String,
    /// The moment that it is about.
    pub now: String,
    /// The currency of the amounts; null without a demand charge.
    pub currency: Option<String>,
    /// The demand charges in force.
    pub demands: Vec<DemandRow>,
}

/// A demand charge in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemandRow {
    /// The name of its component.
    pub name: Option<String>,
    /// The length of its spans: `hour`, `half-hour` or `quarter`.
    pub per: String,
    /// Where the running span begins.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// Whether it counts.
    pub counts: bool,
    /// Its energy is known until then.
    pub known_until: Option<String>,
    /// Its energy so far.
    pub energy: Option<f64>,
    /// Its likely mean power.
    pub likely: Option<f64>,
    /// The power that is left until its end, so that the peak stays at the level.
    pub left: Option<f64>,
    /// Whether its likely end is a new peak.
    pub new_peak: bool,
    /// What the likely end costs more than the level.
    pub rise: Option<String>,
    /// Where the running period begins.
    pub period_from: String,
    /// Where it ends.
    pub period_to: String,
    /// Its peak so far.
    pub peak: Option<f64>,
    /// The lowest of the last three periods' peaks.
    pub usual: Option<f64>,
    /// The lowest peak that is billed.
    pub least: Option<f64>,
    /// The peak that the period has or will have anyway.
    pub level: f64,
    /// What one kilowatt more than the peak so far adds to the statement of the period.
    pub kilowatt: String,
}

impl PeakAnswer {
    /// The answer about an account.
    #[must_use]
    pub fn new(account: &Account, found: Option<&PeaksNow>, now: Timestamp) -> Self {
        let demands = found.iter().flat_map(|found| &found.demands);
        Self {
            account: account.name.to_string(),
            now: now.to_string(),
            currency: found.map(|found| found.currency.as_str().to_owned()),
            demands: demands.map(DemandRow::of).collect(),
        }
    }
}

impl DemandRow {
    fn of(it: &PeakNow) -> Self {
        let demand = &it.demand;
        let (span, period) = (demand.span(), demand.period());
        Self {
            name: demand.name().map(Label::to_string),
            per: demand.per().as_str().to_owned(),
            from: span.start.to_string(),
            to: span.end.to_string(),
            counts: demand.counts(),
            known_until: it.course.map(|course| course.known_until.to_string()),
            energy: demand.energy().map(MicroWh::watthours),
            likely: it.likely().map(watts),
            left: it.left().map(watts),
            new_peak: it.is_new_peak(),
            rise: it.rise.map(|rise| rise.to_string()),
            period_from: period.start.to_string(),
            period_to: period.end.to_string(),
            peak: demand.peak().map(watts),
            usual: demand.usual().map(watts),
            least: demand.least().map(watts),
            level: watts(demand.level().power()),
            kilowatt: it.kilowatt.to_string(),
        }
    }
}

/// A power in whole watts.
fn watts(power: MicroWh) -> f64 {
    power.watthours().round()
}
