//! The data around contracts.

use super::days::DayLists;
use super::series::PriceSeries;
use crate::domain::SensorId;

/// The data around contracts: published prices and days, and the nesting of the sensors that
/// contracts name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announced {
    /// The existing price series among [`super::Contract::series`].
    pub series: Vec<PriceSeries>,
    /// The existing day lists among [`super::Contract::day_lists`].
    pub days: DayLists,
    /// Named sensors inside other named sensors, each with the innermost one around it.
    pub inside: Vec<(SensorId, SensorId)>,
}

impl Announced {
    /// Price series without day lists.
    #[must_use]
    pub fn prices(series: Vec<PriceSeries>) -> Self {
        Self {
            series,
            ..Self::default()
        }
    }
}
