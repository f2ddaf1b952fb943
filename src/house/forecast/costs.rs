//! The costs of periods that are not over: the ledger prices the measured energy, then the likely
//! one.

use std::cmp::Reverse;
use std::ops::Range;

use super::ahead::DaysAhead;
use super::assumed_prices::AssumedPrices;
use super::days::HouseDays;
use super::flow::HouseFlow;
use crate::domain::{Account, MicroWh, Timestamp};
use crate::house::cost::HouseCosts;
use crate::house::flows::FlowSlot;
use crate::house::price_window::PriceWindow;
use crate::house::prices::HousePrices;
use crate::house::sensors::HouseSensors;
use crate::ledger::Flow;
use crate::ledger::contract::{MeteredEnergy, PriceSlot, Pricer, SlotCost};
use crate::ledger::forecast::{DayForecast, ErrorBounds};
use crate::store::{Store, StoreError};

/// A period that is asked for.
pub(super) struct AskedPeriod {
    pub(super) times: Range<Timestamp>,
    /// The numbers of its days.
    pub(super) days: Range<usize>,
    /// How far the rest of each flow may be off: import, export and use.
    pub(super) bounds: [ErrorBounds; 3],
}

/// The costs of a period.
#[derive(Clone, Copy, Default)]
pub(super) struct PeriodCosts {
    /// Of the measured energy.
    pub(super) so_far: SlotCost,
    /// Of all of the period: with the most likely energy; with little import and much export; with
    /// much import and little export.
    pub(super) likely: SlotCost,
    pub(super) cheap: SlotCost,
    pub(super) dear: SlotCost,
}

/// All that costs depend on.
pub(super) struct CostsAhead<'a> {
    pub(super) store: &'a Store,
    pub(super) account: &'a Account,
    pub(super) prices: &'a HousePrices,
    pub(super) house: &'a HouseSensors,
    pub(super) days: &'a HouseDays,
    pub(super) forecasts: &'a [Option<DayForecast<'a>>; 3],
    pub(super) ahead: &'a DaysAhead<'a>,
}

/// A pricing of the likely energy of a period.
struct CostRun {
    period: usize,
    times: Range<Timestamp>,
    /// The multiples of import and export.
    scale: (f64, f64),
    pricer: Pricer,
    sum: SlotCost,
}

impl CostsAhead<'_> {
    /// The costs of these periods, which lie in the range of the prices. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn of(&self, periods: &[AskedPeriod]) -> Result<Vec<PeriodCosts>, StoreError> {
        let (filled, pricer) = self.so_far(periods, true)?;
        let measured = if periods.iter().any(|it| self.is_filled(it)) {
            self.so_far(periods, false)?.0
        } else {
            filled.clone()
        };
        let mut runs = Vec::new();
        for (period, asked) in periods.iter().enumerate() {
            let [import, export, _] = asked.bounds;
            let cheap = (1.0 + import.low, 1.0 + export.high);
            let dear = (1.0 + import.high, 1.0 + export.low);
            runs.extend([(1.0, 1.0), cheap, dear].map(|scale| CostRun {
                period,
                times: asked.times.clone(),
                scale,
                pricer: pricer.clone(),
                sum: SlotCost::default(),
            }));
        }
        self.price_rest(&mut runs)?;
        let before = measured.into_iter().zip(filled).enumerate();
        let costs = before.map(|(period, (so_far, filled))| {
            let own = runs.iter().filter(|run| run.period == period);
            let mut sums = own.map(|run| filled + run.sum);
            let mut next = || sums.next().unwrap_or(filled);
            PeriodCosts {
                so_far,
                likely: next(),
                cheap: next(),
                dear: next(),
            }
        });
        Ok(costs.collect())
    }

    /// Whether energy is missing in the past of a period.
    fn is_filled(&self, period: &AskedPeriod) -> bool {
        let flows = [HouseFlow::Imported, HouseFlow::Exported];
        let is_missing = |flow| self.days.missing(flow, &period.days).next().is_some();
        flows.into_iter().any(is_missing)
    }

    /// The costs so far, perhaps with the likely energy where it is missing, and the pricer as of now.
    fn so_far(
        &self,
        periods: &[AskedPeriod],
        is_filled: bool,
    ) -> Result<(Vec<SlotCost>, Pricer), StoreError> {
        let until = self.days.until;
        let at_grid = self.house.only(|it| self.prices.need(it));
        let mut costs = HouseCosts::new(at_grid, self.prices);
        costs.cut_at(self.cuts());
        let mut sums = vec![SlotCost::default(); periods.len()];
        while costs
            .pricer()
            .next_slot()
            .is_some_and(|slot| slot.from() < until)
        {
            let Some((slot, flows)) = costs.next_slot(self.store)? else {
                break;
            };
            let (_, mut energy) = costs.metered(&flows);
            if is_filled && slot.is_billed() {
                self.fill(costs.house(), &flows, &mut energy);
            }
            let cost = costs.pricer().add_known(slot, &energy);
            for (sum, period) in sums.iter_mut().zip(periods) {
                if period.times.contains(&slot.from()) {
                    *sum = *sum + cost;
                }
            }
        }
        Ok((sums, costs.pricer().clone()))
    }

    /// The ends of slots: those of days, and now.
    fn cuts(&self) -> Vec<Timestamp> {
        let from = self.prices.range().start;
        let first = self.days.number(from).unwrap_or_default();
        let days = (first..=self.days.today).map(|day| self.days.start(day));
        let mut cuts: Vec<Timestamp> = days.chain([self.days.until]).collect();
        cuts.dedup();
        cuts
    }

    /// Adds the likely energy where it is missing.
    fn fill(&self, house: &HouseSensors, flows: &FlowSlot, energy: &mut MeteredEnergy) {
        let sums = house.sums(flows);
        let missing = [sums.imported.missing_ms, sums.exported.missing_ms];
        if missing == [0, 0] {
            return;
        }
        let Some(day) = self.days.number(flows.start) else {
            return;
        };
        let [imported, exported, _] = self.forecasts;
        let likely = |forecast: &Option<DayForecast<'_>>, missing_ms: i64| {
            let of_day = forecast.as_ref().map_or(0.0, |it| it.day(day));
            MicroWh::from_watthours(of_day * self.days.share_of(day, missing_ms))
        };
        let [import_ms, export_ms] = missing;
        let known = energy.flow.unwrap_or_default();
        energy.flow = Some(Flow {
            imported: known.imported + likely(imported, import_ms),
            exported: known.exported + likely(exported, export_ms),
        });
    }

    /// Prices the likely energy from now on.
    fn price_rest(&self, runs: &mut [CostRun]) -> Result<(), StoreError> {
        // The ends of slots do not depend on energy: the longest run has those of all.
        runs.sort_by_key(|run| Reverse(run.times.end));
        let names = self.prices.window.names().to_vec();
        let account = &self.account.name;
        let asked = (account, names.as_slice(), self.prices.currency());
        let assumed = AssumedPrices::of(self.store, asked, self.days.until, &self.account.zone)?;
        let own = &self.prices.window;
        let names = (names, own.mean(), own.currency());
        let mut window = PriceWindow::new(self.account, names, self.prices.range().end);
        while let Some(slot) = self.next_slot(runs) {
            if let Some(series) = window.load(self.store, slot.from())? {
                let series = assumed.fill(series, &(slot.from()..window.until()))?;
                for run in &mut *runs {
                    run.pricer.set_series(series.clone());
                }
                // Prices change the ends of slots.
                continue;
            }
            let slot = slot.until(window.until());
            let energy = self.ahead.between(&(slot.from()..slot.to()));
            for run in runs.iter_mut().filter(|run| slot.from() < run.times.end) {
                let cost = run.pricer.add_known(slot, &energy.scaled(run.scale));
                if run.times.contains(&slot.from()) {
                    run.sum = run.sum + cost;
                }
            }
        }
        Ok(())
    }

    /// The next slot of the longest run, within a day.
    fn next_slot(&self, runs: &mut [CostRun]) -> Option<PriceSlot> {
        let run = runs.first_mut()?;
        let slot = run.pricer.next_slot()?;
        let is_asked = slot.from() < run.times.end;
        is_asked.then(|| slot.until(self.ahead.end_of_day(slot.from())))
    }
}
