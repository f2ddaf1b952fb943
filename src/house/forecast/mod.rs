//! Where a house is heading: its energy and costs until the end of the month and of the year
//! (docs/DECIDE.md).
//!
//! - `periods`: the running periods of an account
//! - `days`: the days before now; `courses`: how energy is spread over a day; `flow`: the flows that
//!   are forecast
//! - `ahead`: the days that are not over, with their most likely energy
//! - `costs`: what the contracts charge for it; `assumed_prices`: prices that are not known yet
//! - `tested`: the last months, as they would have been forecast
//! - `answer`: the forecast as the API answers it

mod ahead;
mod answer;
mod assumed_prices;
mod costs;
mod courses;
mod days;
mod flow;
mod periods;
mod tested;

use std::ops::Range;

use self::ahead::DaysAhead;
use self::answer::TestedMonths;
pub use self::answer::{ForecastAnswer, ForecastPeriod, LikelyAmount, LikelyEnergy, TestedMonth};
use self::costs::{AskedPeriod, CostsAhead, PeriodCosts};
use self::days::{DaySpan, HouseDays};
use self::flow::HouseFlow;
use self::periods::{RunningPeriod, running_periods};
use super::prices::HousePrices;
use super::sensors::{HouseSensor, HouseSensors};
use crate::domain::{Account, Decimal, Role, Timestamp};
use crate::ledger::Flow;
use crate::ledger::contract::{Amount, SlotCost};
use crate::ledger::forecast::{
    BackTest, DailySums, DayBasis, DayForecast, ErrorBounds, LikelyRange,
};
use crate::store::{Store, StoreError};

/// The forecast of the running periods of `account` at `now`. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn forecast(
    store: &Store,
    account: &Account,
    now: Timestamp,
) -> Result<ForecastAnswer, StoreError> {
    let whole = HouseSensors::of(store, &account.name, now)?;
    let mut answer = ForecastAnswer {
        account: account.name.to_string(),
        ..ForecastAnswer::default()
    };
    let Some(span) = DaySpan::of(store, &whole, &account.zone, now)? else {
        let has_grid = whole.sensors.iter().any(HouseSensor::is_import);
        answer.reason = Some(if has_grid { FEW_DAYS } else { NO_GRID }.to_owned());
        return Ok(answer);
    };
    answer.known_until = Some(span.until.to_string());
    let contracts = store.registry().contracts(&account.name).cloned();
    let contracts = contracts.unwrap_or_default();
    let begin = span.first.start(&account.zone);
    let periods = running_periods(&contracts, &account.zone, now);
    let periods = periods.into_iter().map(|it| it.not_before(begin));
    let periods: Vec<RunningPeriod> = periods.collect();
    let prices = HousePrices::of(store, account, whole_of(&periods, now));
    let named = prices.pricer().sensors().to_vec();
    let is_device = |it: &HouseSensor| it.sensor.role == Role::SubMeter;
    let house = whole.only(|it| !is_device(it) || prices.need(it));
    let days = HouseDays::read(store, &house, (span, &named), &account.zone)?;
    let sums = HouseFlow::ALL.map(|flow| days.sums(flow));
    let months = days.months();
    let tests = sums
        .each_ref()
        .map(|sums| BackTest::of(sums, months.clone()));
    answer.describe_input(&days, &sums, prices.range().start);
    let [imported, ..] = &tests;
    answer.tested = TestedMonths::of(&days, imported);
    let forecasts = answer.choose(&days, &tests);
    if answer.method.is_none() {
        answer.reason = Some(FEW_DAYS.to_owned());
        return Ok(answer);
    }
    let ahead = DaysAhead::new(&days, &forecasts, prices.range().end);
    let outlook = Outlook {
        days: &days,
        forecasts: &forecasts,
        ahead: &ahead,
    };
    let asked: Vec<AskedPeriod> = periods.iter().map(|it| outlook.asked(it)).collect();
    let energies = asked.iter().zip(&periods);
    let energies = energies.map(|(asked, period)| outlook.period(asked, period, &house));
    answer.periods = energies.collect();
    if let Some(currency) = prices.currency() {
        answer.currency = Some(currency.as_str().to_owned());
        let costs = CostsAhead {
            store,
            account,
            prices: &prices,
            house: &house,
            days: &days,
            forecasts: &forecasts,
            ahead: &ahead,
        };
        let all = costs.of(&asked)?;
        let with_costs = asked.iter().zip(&all);
        for (found, (asked, costs)) in answer.periods.iter_mut().zip(with_costs) {
            let paid = contracts.advances(&asked.times, &account.zone);
            found.put_costs(costs, paid);
        }
    }
    Ok(answer)
}

const NO_GRID: &str = "no-grid";
const FEW_DAYS: &str = "few-days";

/// From the beginning of the first period until the end of the last one.
fn whole_of(periods: &[RunningPeriod], now: Timestamp) -> Range<Timestamp> {
    let starts = periods.iter().map(|it| it.times.start).min();
    let ends = periods.iter().map(|it| it.times.end).max();
    starts.unwrap_or(now)..ends.unwrap_or(now)
}

/// Whether the house uses other energy than that from the grid.
fn has_more(house: &HouseSensors) -> bool {
    let is_more = |role: Role| !role.is_at_grid() && role != Role::SubMeter;
    house.sensors.iter().any(|it| is_more(it.sensor.role))
}

/// The known and the likely energy of a house.
struct Outlook<'a> {
    days: &'a HouseDays,
    forecasts: &'a [Option<DayForecast<'a>>; 3],
    ahead: &'a DaysAhead<'a>,
}

impl Outlook<'_> {
    /// A period, with how far each flow may be off.
    fn asked(&self, period: &RunningPeriod) -> AskedPeriod {
        let number = |time: Timestamp| self.days.number(time).unwrap_or_default();
        let days = number(period.times.start)..number(period.times.end);
        let bounds = self.forecasts.each_ref().map(|forecast| {
            let forecast = forecast.as_ref();
            forecast.map_or(ErrorBounds::NONE, |it| it.bounds(days.end))
        });
        AskedPeriod {
            times: period.times.clone(),
            days,
            bounds,
        }
    }

    /// The energies of a period.
    fn period(
        &self,
        asked: &AskedPeriod,
        period: &RunningPeriod,
        house: &HouseSensors,
    ) -> ForecastPeriod {
        let energies = HouseFlow::ALL.into_iter().zip(asked.bounds);
        let mut energies = energies.map(|(flow, bounds)| self.energy(flow, asked, bounds));
        let mut next = || energies.next().flatten();
        ForecastPeriod {
            period: period.kind.as_str().to_owned(),
            from: period.times.start.to_string(),
            to: period.times.end.to_string(),
            begins_late: period.begins_late,
            imported: next(),
            exported: next(),
            used: next().filter(|_| has_more(house)),
            ..ForecastPeriod::default()
        }
    }

    fn energy(
        &self,
        flow: HouseFlow,
        asked: &AskedPeriod,
        bounds: ErrorBounds,
    ) -> Option<LikelyEnergy> {
        let forecast = self.of(flow)?;
        let missing = self.days.missing(flow, &asked.days);
        let missing: f64 = missing.map(|(day, share)| forecast.day(day) * share).sum();
        let rest = missing + self.ahead.rest(flow, &asked.times);
        let known = self.days.known(flow, &asked.days).watthours();
        let range = LikelyRange::within(rest, bounds).plus(known);
        Some(LikelyEnergy {
            so_far: known.round(),
            low: range.low.round(),
            likely: range.likely.round(),
            high: range.high.round(),
        })
    }

    /// The forecast of a flow; `None` if too little is known.
    fn of(&self, flow: HouseFlow) -> Option<&DayForecast<'_>> {
        let mut of_flows = HouseFlow::ALL.into_iter().zip(self.forecasts);
        of_flows.find(|(of, _)| *of == flow)?.1.as_ref()
    }
}

impl ForecastAnswer {
    /// Chooses the method of each flow.
    fn choose<'a>(
        &mut self,
        days: &HouseDays,
        tests: &[BackTest<'a>; 3],
    ) -> [Option<DayForecast<'a>>; 3] {
        let [imported, exported, used] = tests;
        let (today, month_days) = (days.today, days.of_month());
        let imported = imported.choose(today, month_days);
        self.method_reason = imported.as_ref().map(|(_, reason)| *reason);
        let of_import = imported.as_ref();
        self.has_last_year = of_import.is_some_and(|(it, _)| it.has_last_year());
        let chosen = [
            imported,
            exported.choose(today, month_days),
            used.choose(today, month_days),
        ];
        let forecasts = chosen.map(|it| it.map(|(forecast, _)| forecast));
        let [imported, exported, used] = forecasts
            .each_ref()
            .map(|it| it.as_ref().map(DayForecast::method));
        (self.method, self.exported_method, self.used_method) = (imported, exported, used);
        forecasts
    }

    /// How much of the input is known.
    fn describe_input(&mut self, days: &HouseDays, sums: &[DailySums; 3], from: Timestamp) {
        let [imported, ..] = sums;
        let recent = days.today.saturating_sub(DayBasis::RECENT)..days.today;
        let known = imported.measured(recent.clone()).count();
        self.known_days = u32::try_from(known).unwrap_or_default();
        let first = days.number(from).unwrap_or_default().min(recent.start);
        (self.estimated, self.missing) = days.coverage(&(first..days.today.saturating_add(1)));
    }
}

impl ForecastPeriod {
    /// Adds its costs, and the balance of these advances.
    fn put_costs(&mut self, costs: &PeriodCosts, paid: Option<Decimal>) {
        let amount = |of: &dyn Fn(&SlotCost) -> Amount| {
            let all = [&costs.so_far, &costs.likely, &costs.cheap, &costs.dear];
            let [so_far, likely, one, other] = all.map(|cost| of(cost).rounded());
            // Where energy is netted or prices are negative, more import may cost less.
            let low = likely.min(one).min(other);
            let high = likely.max(one).max(other);
            [so_far, low, likely, high]
        };
        let total = amount(&|it| it.cost - it.credit);
        self.cost = Some(LikelyAmount::of(amount(&|it| it.cost)));
        self.credit = Some(LikelyAmount::of(amount(&|it| it.credit)));
        self.total = Some(LikelyAmount::of(total));
        self.paid = paid.map(|it| cents(it).to_string());
        self.balance = paid.map(|paid| {
            let [so_far, low, likely, high] = total.map(|it| less(paid, it));
            LikelyAmount::of([so_far, high, likely, low])
        });
        let Flow { imported, exported } = costs.likely.unpriced;
        self.unpriced = (imported + exported).watthours().round();
    }
}

impl LikelyAmount {
    /// So far, the lower end, most likely, the upper end.
    fn of(amounts: [Decimal; 4]) -> Self {
        let [so_far, low, likely, high] = amounts.map(|it| cents(it).to_string());
        Self {
            so_far,
            low,
            likely,
            high,
        }
    }
}

fn less(one: Decimal, other: Decimal) -> Decimal {
    let other = Decimal::from_millionths(other.millionths().saturating_neg());
    one.saturating_add(other)
}

/// Rounded to a hundredth: a forecast has no more digits.
fn cents(amount: Decimal) -> Decimal {
    const CENT: i64 = 10_000;
    let millionths = amount.millionths();
    let half = if millionths < 0 { -CENT / 2 } else { CENT / 2 };
    Decimal::from_millionths(millionths.saturating_add(half) / CENT * CENT)
}

#[cfg(test)]
mod tests;
