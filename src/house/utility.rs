//! The utility's meter and its bills, compared with the ledger (docs/HOUSE.md).

use std::iter;
use std::ops::Range;
use std::vec;

use serde::{Deserialize, Serialize};

use super::flows::SensorFlows;
use super::line_words::words_of;
use super::sensors::{HouseSensor, HouseSensors, overlap_ms};
use super::statement::statement;
use crate::domain::{Account, Decimal, MicroWh, Role, Sensor, SensorId, Timestamp};
use crate::ledger::house::MeasuredSlot;
use crate::ledger::utility::{
    Calibration, ComparedAmount, ComparedBill, ComparedPeriod, Drift, EnteredBill, UtilityMeter,
    UtilityPeriod,
};
use crate::ledger::{FactKind, Facts, KnownEnergy};
use crate::store::{Store, StoreError};
use crate::texts::Language;

/// All utility data of an account, compared with the ledger. Energies are in watt-hours, amounts
/// exact decimals as text. Unknown known is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UtilityAnswer {
    /// The sensors with readings of the utility's meter.
    pub sensors: Vec<UtilitySensor>,
    /// The utility's bills, by number.
    pub bills: Vec<UtilityBill>,
}

/// The readings of the utility's meter beside a sensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UtilitySensor {
    /// The sensor.
    pub sensor_id: String,
    /// The time between each two readings that follow each other.
    pub periods: Vec<PeriodRow>,
    /// The ledger's energy less the utility's, of the periods known to both.
    pub drift: Option<f64>,
    /// The same in percent of the utility's.
    pub drift_percent: Option<String>,
    /// The factor that would make the ledger's energy the utility's, if the newest periods agree on
    /// one.
    pub calibration: Option<CalibrationRow>,
}

/// The time between two readings of the utility's meter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeriodRow {
    /// The earlier reading's time.
    pub from: String,
    /// The later reading's time.
    pub to: String,
    /// The energy of the utility's meter; null if its register fell, which means another meter.
    pub utility: Option<f64>,
    /// The ledger's energy.
    pub ledger: Option<f64>,
    /// The ledger's energy less the utility's.
    pub drift: Option<f64>,
    /// The same in percent of the utility's.
    pub drift_percent: Option<String>,
}

/// A factor that is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalibrationRow {
    /// The correction that accepts it, as `POST /corrections` takes it.
    pub correction: OfferedCorrection,
    /// The number of agreeing periods.
    pub periods: usize,
}

/// A correction that can be accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedCorrection {
    /// The sensor.
    pub sensor_id: String,
    /// Its content.
    pub kind: FactKind,
    /// The beginning of the first period that agrees.
    pub from: String,
    /// The factor for the energy of readings.
    pub factor: String,
}

/// A bill beside the statement of its range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UtilityBill {
    /// Its number in the account.
    pub number: u32,
    /// The start of its range.
    pub from: String,
    /// The end of its range, which does not belong to it.
    pub to: String,
    /// The lines of the bill, followed by the statement's other lines.
    pub lines: Vec<AmountRow>,
    /// The totals.
    pub total: AmountRow,
    /// The consumption on the bill, in watt-hours.
    pub energy: Option<f64>,
    /// The ledger's energy less the bill's.
    pub drift: Option<f64>,
    /// The same in percent of the bill's.
    pub drift_percent: Option<String>,
}

/// An amount of a bill beside the statement's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AmountRow {
    /// Its name.
    pub name: String,
    /// The amount on the bill.
    pub billed: Option<String>,
    /// The amount on the statement.
    pub computed: Option<String>,
    /// The statement's less the bill's.
    pub difference: Option<String>,
}

/// The utility's data of `account`, compared with the ledger at `now`. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn utility(
    store: &Store,
    account: &Account,
    now: Timestamp,
) -> Result<UtilityAnswer, StoreError> {
    let mut walk = UtilityWalk::new(store, account, now);
    let mut answer = UtilityAnswer::default();
    while let Some(part) = walk.next_part(store)? {
        match part {
            UtilityPart::Sensor(sensor) => answer.sensors.push(sensor),
            UtilityPart::Bill(bill) => answer.bills.push(bill),
        }
    }
    Ok(answer)
}

/// The utility's data of an account, part by part: each takes as long as a statement.
pub struct UtilityWalk {
    account: Account,
    now: Timestamp,
    sensors: vec::IntoIter<SensorId>,
    bills: vec::IntoIter<u32>,
}

/// A part of a [`UtilityAnswer`].
#[derive(Clone, Debug, PartialEq)]
pub enum UtilityPart {
    /// A sensor with readings of the utility's meter.
    Sensor(UtilitySensor),
    /// A bill.
    Bill(UtilityBill),
}

impl UtilityWalk {
    /// The utility's data of `account`, compared with the ledger at `now`.
    #[must_use]
    pub fn new(store: &Store, account: &Account, now: Timestamp) -> Self {
        let registry = store.registry();
        let corrections = registry.corrections(&account.name);
        let is_read = |id: &SensorId| {
            let meter = corrections.map(|all| all.utility_of(id));
            meter.is_some_and(|meter| meter.periods().next().is_some())
        };
        let own = registry.sensors().filter(|it| it.account == account.name);
        let sensors = own.map(|it| it.id.clone()).filter(is_read);
        let bills = registry.bills(&account.name).map(|(number, _)| number);
        Self {
            account: account.clone(),
            now,
            sensors: sensors.collect::<Vec<_>>().into_iter(),
            bills: bills.collect::<Vec<_>>().into_iter(),
        }
    }

    /// The next part: sensors, then bills by number; `None` after the last one. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn next_part(&mut self, store: &Store) -> Result<Option<UtilityPart>, StoreError> {
        let Self { account, now, .. } = self;
        for id in self.sensors.by_ref() {
            let house = HouseSensors::of(store, &account.name, *now)?;
            let found = house.sensors.into_iter().find(|it| it.sensor.id == id);
            let found = found.map(|it| compared(store, it)).transpose()?;
            if let Some(sensor) = found.flatten() {
                return Ok(Some(UtilityPart::Sensor(sensor)));
            }
        }
        for number in self.bills.by_ref() {
            // One may have been removed meanwhile.
            if let Some(bill) = utility_bill(store, account, (number, None), *now)? {
                return Ok(Some(UtilityPart::Bill(bill)));
            }
        }
        Ok(None)
    }
}

/// The utility's meter of `sensor`, compared with the ledger at `now`; `None` with less than two
/// readings. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn utility_of_sensor(
    store: &Store,
    sensor: &Sensor,
    now: Timestamp,
) -> Result<Option<UtilitySensor>, StoreError> {
    let its = |all: HouseSensors| {
        let mut all = all.sensors.into_iter();
        all.find(|it| it.sensor.id == sensor.id)
    };
    // Together with the others: energy of another meter before this one is not missing.
    let mut found = its(HouseSensors::of(store, &sensor.account, now)?);
    if found.is_none() {
        // A revoked sensor with others inside it is left out there.
        found = its(HouseSensors::these(store, iter::once(sensor), now)?);
    }
    found.map_or(Ok(None), |it| compared(store, it))
}

/// The bill with this number beside the statement of its range; `None` if there is none. Lines that
/// only the statement has are named in the language, if there is one. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn utility_bill(
    store: &Store,
    account: &Account,
    (number, language): (u32, Option<&Language>),
    now: Timestamp,
) -> Result<Option<UtilityBill>, StoreError> {
    let registry = store.registry();
    let mut bills = registry.bills(&account.name);
    let found = bills.find(|(known, _)| *known == number);
    found
        .map(|it| beside_statement(store, account, (it, language), now))
        .transpose()
}

fn beside_statement(
    store: &Store,
    account: &Account,
    ((number, bill), language): ((u32, &EnteredBill), Option<&Language>),
    now: Timestamp,
) -> Result<UtilityBill, StoreError> {
    let range = bill.range.start()..bill.range.end();
    let statement = statement(store, account, range, now)?;
    let beside = bill.compare(&statement, |line| words_of(line, language));
    Ok(UtilityBill::new(number, bill, &beside))
}

/// The periods of a sensor's utility meter; `None` if there are none.
fn compared(store: &Store, it: HouseSensor) -> Result<Option<UtilitySensor>, StoreError> {
    let registry = store.registry();
    let corrections = registry.corrections(&it.sensor.account);
    let meter = corrections.map(|all| all.utility_of(&it.sensor.id));
    let periods: Vec<UtilityPeriod> = meter.iter().flat_map(UtilityMeter::periods).collect();
    if periods.is_empty() {
        return Ok(None);
    }
    let alone = HouseSensor {
        utility: None,
        ..it
    };
    let compared = beside_ledger(store, &alone, periods)?;
    let drift = Drift::overall(&compared);
    Ok(Some(UtilitySensor {
        sensor_id: alone.sensor.id.to_string(),
        periods: compared.iter().map(PeriodRow::new).collect(),
        drift: drift.map(|drift| drift.energy.watthours()),
        drift_percent: percent(drift),
        calibration: Calibration::offered(&compared)
            .map(|offered| CalibrationRow::new(&alone.sensor.id, &offered)),
    }))
}

/// Periods of the utility's meter beside the ledger of a sensor. Its own readings alone: without any,
/// the utility would be compared with itself.
pub(super) fn beside_ledger(
    store: &Store,
    alone: &HouseSensor,
    periods: Vec<UtilityPeriod>,
) -> Result<Vec<ComparedPeriod>, StoreError> {
    let Some(last) = periods.last() else {
        return Ok(Vec::new());
    };
    let starts = periods.iter().map(|period| period.from);
    let times: Vec<Timestamp> = starts.chain([last.to]).collect();
    let slots = SensorFlows::new(std::slice::from_ref(alone), |it| it.between(store, &times))?
        .all(|_| {})?;
    let compared = periods
        .into_iter()
        .map(|utility| {
            let slot = slots.iter().find(|slot| slot.start == utility.from);
            let length_ms = utility.to.millis() - utility.from.millis();
            let measured = slot.and_then(|slot| slot.measured.first().copied());
            let measured = measured.unwrap_or(MeasuredSlot::unknown(length_ms));
            let times = utility.from..utility.to;
            ComparedPeriod {
                utility,
                // The utility reads each direction by itself.
                ledger: measured.flow.map(|flow| match alone.sensor.role {
                    Role::Grid => flow.imported,
                    _ => flow.net(),
                }),
                // Energy that people entered says nothing about the meters, and no factor changes
                // it.
                missing_ms: measured.missing_ms + filled_in_ms(&alone.facts, &times),
                factor: alone.facts.calibrations.factor_in(&times),
            }
        })
        .collect();
    Ok(compared)
}

/// For how much of a range people filled in its energy, in milliseconds; more where that overlaps.
fn filled_in_ms(facts: &Facts, range: &Range<Timestamp>) -> i64 {
    let inside = |known: &KnownEnergy| overlap_ms(&known.range, range);
    facts.energies.iter().map(inside).sum()
}

fn percent(drift: Option<Drift>) -> Option<String> {
    Some(drift?.percent?.to_string())
}

impl CalibrationRow {
    fn new(sensor: &SensorId, offered: &Calibration) -> Self {
        Self {
            correction: OfferedCorrection {
                sensor_id: sensor.to_string(),
                kind: FactKind::Calibrate,
                from: offered.from.to_string(),
                factor: offered.factor.decimal().to_string(),
            },
            periods: offered.periods,
        }
    }
}

impl PeriodRow {
    fn new(period: &ComparedPeriod) -> Self {
        let drift = period.drift();
        Self {
            from: period.utility.from.to_string(),
            to: period.utility.to.to_string(),
            utility: period.utility.energy.map(MicroWh::watthours),
            ledger: period.ledger.map(MicroWh::watthours),
            drift: drift.map(|drift| drift.energy.watthours()),
            drift_percent: percent(drift),
        }
    }
}

impl UtilityBill {
    fn new(number: u32, bill: &EnteredBill, beside: &ComparedBill) -> Self {
        Self {
            number,
            from: bill.range.start().to_string(),
            to: bill.range.end().to_string(),
            lines: beside.lines.iter().map(AmountRow::new).collect(),
            total: AmountRow::new(&beside.total),
            energy: bill.energy.map(MicroWh::watthours),
            drift: beside.energy.map(|drift| drift.energy.watthours()),
            drift_percent: percent(beside.energy),
        }
    }
}

impl AmountRow {
    fn new(amount: &ComparedAmount) -> Self {
        let text = |amount: Option<Decimal>| amount.map(|amount| amount.to_string());
        Self {
            name: amount.name.clone(),
            billed: text(amount.billed),
            computed: text(amount.computed),
            difference: text(amount.difference()),
        }
    }
}
