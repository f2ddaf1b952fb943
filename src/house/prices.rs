//! The contracts of an account, with their prices, day lists and sensors, ready to price a range.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::exchange::SeriesCurrency;
use super::price_window::PriceWindow;
use super::sensors::HouseSensor;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, Currency, SensorId, TimeRange, Timestamp, Zone};
use crate::ledger::ConvertedSeries;
use crate::ledger::contract::{
    Announced, Contract, Contracts, DayList, DayLists, DemandNow, Label, PeakHistory, PriceSeries,
    Pricer,
};
use crate::store::Store;

/// The contracts of an account, and the sources of their prices in a range.
pub struct HousePrices {
    pub(super) contracts: Arc<Contracts>,
    /// The day lists that the contracts name.
    days: DayLists,
    /// The peaks of a longer range, if several ranges share them.
    peaks: Option<Arc<PeakHistory>>,
    /// The sensors that the contracts name, each with the sensors around it, innermost first.
    named: Vec<(SensorId, Vec<SensorId>)>,
    /// The price series that the contracts name, but that have another currency. They price nothing.
    other_currency: Vec<(Label, Currency)>,
    /// Those whose prices are converted.
    converted: Vec<ConvertedSeries>,
    pub(super) window: PriceWindow,
    zone: Zone,
    range: Range<Timestamp>,
}

/// Prices and days that are not stored yet, such as those of a source that is to be added.
#[derive(Clone, Debug, Default)]
pub struct ExtraPrices {
    /// Prices. Stored ones come first.
    pub series: Vec<PriceSeries>,
    /// Types of days, likewise.
    pub days: Vec<DayList>,
}

/// The maximum number of sensors around one: nesting is shallow, and a loop must not hang.
const MOST_OUTER: usize = 64;

impl HousePrices {
    /// The maximum number of days to price: a price may change each quarter of an hour.
    pub const MOST_DAYS: i64 = 3_660;

    /// The sensors that determine the prices of `account` from the start of `range` until before
    /// its end.
    #[must_use]
    pub fn of(store: &Store, account: &Account, range: Range<Timestamp>) -> Self {
        let contracts = store.registry().contracts(&account.name).cloned();
        Self::by(store, account, range, contracts.unwrap_or_default())
    }

    /// The same by other contracts.
    #[must_use]
    pub(super) fn by(
        store: &Store,
        account: &Account,
        range: Range<Timestamp>,
        contracts: Arc<Contracts>,
    ) -> Self {
        let registry = store.registry();
        let begins = |contract: &Contract| contract.from().start(&account.zone);
        // The time before the first contract does not count: it takes no work.
        let may_be_priced = |contracts: &Arc<Contracts>| {
            let first = contracts.all().first().map(begins);
            Self::may_be_priced(&(range.start.max(first.unwrap_or(range.start))..range.end))
        };
        let contracts = Some(contracts).filter(may_be_priced).unwrap_or_default();
        let asked = TimeRange::new(range.start, range.end);
        let asked = asked.unwrap_or(TimeRange::at(range.start));
        let holding = || contracts.concerning(asked, &account.zone).iter();
        let names: BTreeSet<&Label> = holding().flat_map(Contract::series).collect();
        let mut names: Vec<Label> = names.into_iter().cloned().collect();
        let (mut other_currency, mut converted) = (Vec::new(), Vec::new());
        names.retain(|name| {
            match SeriesCurrency::of(store, &account.name, (name, contracts.currency())) {
                SeriesCurrency::Same => true,
                SeriesCurrency::Converted(found, path) => {
                    let rates = path.series().cloned().collect();
                    converted.push(ConvertedSeries {
                        series: name.clone(),
                        currency: found,
                        rates,
                    });
                    true
                }
                SeriesCurrency::Other(found) => {
                    other_currency.push((name.clone(), found));
                    false
                }
            }
        });
        let mean = holding().filter_map(Contract::longest_mean).max();
        let sensors: BTreeSet<&SensorId> = holding().flat_map(Contract::sensors).collect();
        let next = |id: &SensorId| registry.sensor(id)?.part_of.clone();
        let with_outer = |id: &SensorId| {
            let outer = std::iter::successors(next(id), next);
            (id.clone(), outer.take(MOST_OUTER).collect())
        };
        let lists: BTreeSet<&Label> = holding().flat_map(Contract::day_lists).collect();
        Self {
            window: PriceWindow::new(account, (names, mean, contracts.currency()), range.end),
            named: sensors.into_iter().map(with_outer).collect(),
            peaks: None,
            other_currency,
            converted,
            days: registry.named_day_lists(&account.name, lists),
            contracts,
            zone: account.zone.clone(),
            range,
        }
    }

    /// It with further prices and days.
    #[must_use]
    pub(super) fn with_extra(mut self, extra: &ExtraPrices) -> Self {
        self.window = self.window.with_extra(&extra.series);
        if !extra.days.is_empty() {
            self.days = self.days.with(&extra.days);
        }
        self
    }

    /// It with the peaks of a longer range.
    #[must_use]
    pub(super) fn with_peaks(mut self, peaks: Option<Arc<PeakHistory>>) -> Self {
        self.peaks = peaks;
        self
    }

    /// The history that the demand charges in force at a time need, with nothing measured; `None` if
    /// none is in force.
    pub(super) fn demand_history(&self, now: Timestamp) -> Option<PeakHistory> {
        PeakHistory::of_demands(&self.contracts, (&self.zone, &self.days), now)
    }

    /// The demand charges in force where a history has measured until.
    pub(super) fn demands(&self, history: &PeakHistory) -> Vec<DemandNow> {
        history.demands(&self.contracts, &self.zone)
    }

    /// Whether a range is no longer than [`Self::MOST_DAYS`].
    #[must_use]
    pub fn may_be_priced(range: &Range<Timestamp>) -> bool {
        // A day of 25 hours makes that many days longer.
        let longest_ms = (Self::MOST_DAYS + 1) * MS_PER_DAY;
        range.end.millis().saturating_sub(range.start.millis()) <= longest_ms
    }

    /// The currency of the amounts; `None` without contracts.
    #[must_use]
    pub fn currency(&self) -> Option<&Currency> {
        self.contracts.currency()
    }

    /// The range that has prices.
    pub(super) fn range(&self) -> Range<Timestamp> {
        self.range.clone()
    }

    /// A pricer of its range.
    pub(super) fn pricer(&self) -> Pricer {
        let range = TimeRange::new(self.range.start, self.range.end);
        let range = range.unwrap_or(TimeRange::at(self.range.start));
        let next = |(id, outer): &(SensorId, Vec<SensorId>)| {
            let named = outer.iter().find(|id| self.names(id))?;
            Some((id.clone(), named.clone()))
        };
        let announced = Announced {
            series: Vec::new(),
            days: self.days.clone(),
            inside: self.named.iter().filter_map(next).collect(),
        };
        let pricer = Pricer::new(&self.contracts, &self.zone, &announced, range);
        match &self.peaks {
            Some(peaks) => pricer.with_peaks(peaks),
            None => pricer,
        }
    }

    fn names(&self, id: &SensorId) -> bool {
        self.named.iter().any(|(named, _)| named == id)
    }

    /// The sensors that the contracts name, each with the sensors around it, innermost first.
    pub(super) fn named(&self) -> &[(SensorId, Vec<SensorId>)] {
        &self.named
    }

    /// The price series that the contracts name, but that have another currency.
    pub(super) fn other_currency(&self) -> &[(Label, Currency)] {
        &self.other_currency
    }

    /// The price series whose prices are converted.
    pub(super) fn converted(&self) -> &[ConvertedSeries] {
        &self.converted
    }

    /// Whether peaks have a price.
    pub(super) fn has_demand(&self) -> bool {
        let mut kinds = self.contracts.all().iter().flat_map(Contract::kinds);
        kinds.any(|kind| kind == "demand")
    }

    /// Whether contracts name sensors, whose energy counts besides that of the grid.
    #[must_use]
    pub fn has_named(&self) -> bool {
        !self.named.is_empty()
    }

    /// Whether the costs of a house need the energy of a sensor: one at the grid, or one that a
    /// contract names.
    #[must_use]
    pub fn need(&self, it: &HouseSensor) -> bool {
        it.sensor.role.is_at_grid() || self.names(&it.sensor.id)
    }
}
