//! Statements: the costs of a house in a range, and the events and corrections in it.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::prices::{ExtraPrices, HousePrices};
use super::sensors::{HouseSensor, HouseSensors};
use super::side_by_side::{AskedSide, SeriesWindow, SideBySide};
use crate::domain::{Account, Currency, Decimal, LocalDate, Timestamp};
use crate::ledger::contract::{Contract, Contracts};
use crate::ledger::{Corrections, CostStatement, Flow, STATEMENT_COLUMNS, StatementRow};
use crate::store::{Store, StoreError};

/// Why no contract is in force in a range, the first day of one that begins later; `none` is said
/// if there is none at all.
pub(super) fn no_contract(first: Option<&LocalDate>, none: &str) -> String {
    first.map_or_else(
        || none.to_owned(),
        |first| {
            format!(
                "no contract is in force in this range: the first one begins on {first}; expected a range that ends later"
            )
        },
    )
}

/// A statement as the API and the commands answer it. Amounts are in the currency, as exact
/// decimals in text; energies are in watt-hours, shares from 0 to 1. Unknown values are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatementAnswer {
    /// The account.
    pub account: String,
    /// Where it begins; in the API's form.
    pub from: String,
    /// Where it ends; the end does not belong to it.
    pub to: String,
    /// The currency of the amounts; null without contracts.
    pub currency: Option<String>,
    /// The lines of the bill.
    pub lines: Vec<StatementLine>,
    /// The sum of the lines of energy, demand, time and minimum charges.
    pub costs: Option<String>,
    /// The sum of the credits.
    pub credits: Option<String>,
    /// The sum of the taxes.
    pub taxes: Option<String>,
    /// Costs less credits, and taxes; null if nothing of it is known, or nothing has a price.
    pub total: Option<String>,
    /// The advances paid in the range; null if no contract has any.
    pub paid: Option<String>,
    /// The advances paid less the total; null without advances, or while the total is null.
    pub balance: Option<String>,
    /// Whether all energy is known and has a price. If not, the total is that of the rest.
    pub complete: bool,
    /// Drawn from the grid.
    pub imported: Option<f64>,
    /// Fed into the grid.
    pub exported: Option<f64>,
    /// Drawn without a price.
    pub unpriced_import: f64,
    /// Fed in without a price.
    pub unpriced_export: f64,
    /// The price series that have another currency than the contracts. Energy by them has no price.
    pub other_currency: Vec<OtherCurrency>,
    /// The price series whose prices were converted to the currency of the contracts.
    pub converted: Vec<ConvertedPrices>,
    /// The share of the time that is measured.
    pub measured: f64,
    /// The estimated share of the time, with a measured sum only.
    pub estimated: f64,
    /// The unknown share of the time.
    pub missing: f64,
    /// The number of events of the sensors at the grid in it.
    pub events: usize,
    /// The number of corrections in effect of these sensors that touch it.
    pub corrections: usize,
}

/// A price series that a contract names, in another currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherCurrency {
    /// Its name.
    pub series: String,
    /// Its currency.
    pub currency: String,
}

/// A price series whose prices were converted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConvertedPrices {
    /// Its name.
    pub series: String,
    /// Its currency.
    pub currency: String,
    /// The series of exchange rates.
    pub rates: Vec<String>,
}

/// A line of a statement. Absent values are empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementLine {
    /// Its kind: `energy`, `demand`, `fixed`, `minimum`, `export` or `tax`.
    pub kind: String,
    /// The contract's name.
    pub contract: String,
    /// The contract's first day.
    pub contract_from: String,
    /// The component's name.
    pub name: String,
    /// The zone, the tier or the month.
    pub part: String,
    /// How much, an exact decimal.
    pub quantity: String,
    /// Its unit: `kWh`, `kW`, `day`, `month`, `quarter`, `year`, `billing` or `%`.
    pub unit: String,
    /// The price of one; empty if it changed.
    pub price: String,
    /// The amount; of a credit it is negative.
    pub amount: String,
}

/// The statement of an account from the start of `range` until before its end, or until `now` if
/// that is sooner. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn statement(
    store: &Store,
    account: &Account,
    range: Range<Timestamp>,
    now: Timestamp,
) -> Result<CostStatement, StoreError> {
    let contracts = store.registry().contracts(&account.name).cloned();
    let none = ExtraPrices::default();
    let contracts = (contracts.unwrap_or_default(), &none);
    statement_by(store, account, contracts, (range, now))
}

/// The same by an offer instead of the contracts.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn offer_statement(
    store: &Store,
    account: &Account,
    (offer, range): (&Contract, Range<Timestamp>),
    now: Timestamp,
) -> Result<CostStatement, StoreError> {
    let none = ExtraPrices::default();
    offer_statement_by(store, account, (offer, &none), (range, now))
}

/// The same with further prices.
pub(super) fn offer_statement_by(
    store: &Store,
    account: &Account,
    (offer, extra): (&Contract, &ExtraPrices),
    (range, now): (Range<Timestamp>, Timestamp),
) -> Result<CostStatement, StoreError> {
    let contracts = as_if_begun(offer, account, range.start);
    statement_by(store, account, (contracts, extra), (range, now))
}

/// An offer as the only contract, begun by the day of `start`: it may begin later, or never.
pub(super) fn as_if_begun(offer: &Contract, account: &Account, start: Timestamp) -> Arc<Contracts> {
    let offer = offer.begun_by(LocalDate::at(start, &account.zone));
    // One contract conflicts with no other.
    Arc::new(Contracts::new(vec![offer]).unwrap_or_default())
}

fn statement_by(
    store: &Store,
    account: &Account,
    (contracts, extra): (Arc<Contracts>, &ExtraPrices),
    (range, now): (Range<Timestamp>, Timestamp),
) -> Result<CostStatement, StoreError> {
    let so_far = so_far(&range, now);
    let house = HouseSensors::of(store, &account.name, now)?;
    let prices = HousePrices::by(store, account, so_far.clone(), contracts).with_extra(extra);
    let at_grid = house.only(|it| prices.need(it));
    let corrections = touching(store, account, (&at_grid, &so_far));
    let side = AskedSide {
        prices: &prices,
        window: 0,
        scenario: None,
    };
    let windows = vec![SeriesWindow::new(prices.window.clone())];
    let ends = vec![so_far.end];
    let walk = SideBySide::new(&at_grid, so_far, ends, (vec![side], windows));
    let found = walk.price(store)?.into_iter().next();
    let nothing = || StoreError::Damaged("the statement has no side".to_owned());
    let mut statement = found.ok_or_else(nothing)?.statement;
    statement.touched.corrections = corrections;
    Ok(statement)
}

/// The number of corrections in effect of these sensors that touch a range.
pub(super) fn touching(
    store: &Store,
    account: &Account,
    (house, range): (&HouseSensors, &Range<Timestamp>),
) -> usize {
    let registry = store.registry();
    let corrections = registry.corrections(&account.name);
    let touch = |it: &HouseSensor| {
        let all = corrections.into_iter().flat_map(Corrections::iter);
        let in_effect = all.filter(|one| *one.sensor() == it.sensor.id && one.revoked().is_none());
        in_effect.filter(|one| one.fact().touches(range)).count()
    };
    house.sensors.iter().map(touch).sum()
}

/// The part of a range until now: future time costs nothing yet.
pub(super) fn so_far(range: &Range<Timestamp>, now: Timestamp) -> Range<Timestamp> {
    range.start..range.end.min(now).max(range.start)
}

impl StatementAnswer {
    /// The statement of an account.
    #[must_use]
    pub fn new(account: &Account, statement: &CostStatement) -> Self {
        let total = statement.total();
        let amount = |amount: Decimal| total.map(|_| amount.to_string());
        let bill = &statement.bill;
        let coverage = statement.coverage();
        let energy = |of: fn(Flow) -> f64| statement.energy.map(of);
        let rows = statement.rows();
        Self {
            account: account.name.to_string(),
            from: statement.range.start().to_string(),
            to: statement.range.end().to_string(),
            currency: statement
                .currency
                .as_ref()
                .map(|it| Currency::as_str(it).to_owned()),
            // The first rows are those of the bill.
            lines: rows
                .into_iter()
                .take(bill.lines.len())
                .map(StatementLine::new)
                .collect(),
            costs: amount(bill.costs),
            credits: amount(bill.credits),
            taxes: amount(bill.taxes),
            total: amount(bill.total),
            paid: bill.paid.map(|paid| paid.to_string()),
            balance: bill.balance().and_then(amount),
            complete: statement.is_complete(),
            imported: energy(|flow| flow.imported.watthours()),
            exported: energy(|flow| flow.exported.watthours()),
            unpriced_import: bill.unpriced.imported.watthours(),
            unpriced_export: bill.unpriced.exported.watthours(),
            other_currency: statement
                .other_currency
                .iter()
                .map(|(series, currency)| OtherCurrency {
                    series: series.to_string(),
                    currency: currency.as_str().to_owned(),
                })
                .collect(),
            converted: statement
                .converted
                .iter()
                .map(|it| ConvertedPrices {
                    series: it.series.to_string(),
                    currency: it.currency.as_str().to_owned(),
                    rates: it.rates.iter().map(ToString::to_string).collect(),
                })
                .collect(),
            measured: coverage.measured,
            estimated: coverage.estimated,
            missing: coverage.missing,
            events: statement.touched.events,
            corrections: statement.touched.corrections,
        }
    }
}

impl StatementLine {
    pub(super) fn new(row: StatementRow) -> Self {
        // In the order of `STATEMENT_COLUMNS`.
        let [
            kind,
            contract,
            contract_from,
            name,
            part,
            quantity,
            unit,
            price,
            amount,
        ] = row;
        Self {
            kind,
            contract,
            contract_from,
            name,
            part,
            quantity,
            unit,
            price,
            amount,
        }
    }
}

/// A statement as a table of comma-separated values.
#[must_use]
pub fn statement_csv(statement: &CostStatement) -> Vec<u8> {
    csv_of(statement.rows())
}

pub(super) fn csv_of(rows: Vec<StatementRow>) -> Vec<u8> {
    let header = std::iter::once(STATEMENT_COLUMNS.map(str::to_owned));
    csv_of_rows(header.chain(rows))
}

/// These rows as comma-separated values.
pub(super) fn csv_of_rows<R: AsRef<[String]>>(rows: impl IntoIterator<Item = R>) -> Vec<u8> {
    let mut table = csv::Writer::from_writer(Vec::new());
    // Memory takes everything, and all rows have the same length.
    for row in rows {
        drop(table.write_record(row.as_ref()));
    }
    table.into_inner().unwrap_or_default()
}
