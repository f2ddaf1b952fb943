//! The values of a row, from the energy and its costs.

use super::flows::FlowSlot;
use super::row::{ColumnValues, EnergyColumn, EnergyRow};
use super::sensors::{HouseSensor, HouseSensors};
use crate::domain::number::to_millionth;
use crate::domain::{MeterKind, MicroWh, Role, Timestamp};
use crate::ledger::Flow;
use crate::ledger::contract::{Amount, SlotCost};
use crate::ledger::house::{HouseSum, HouseSums, MeasuredSlot, UsedSources};

impl EnergyRow {
    /// The sums of a house in a slot, with a part for each sub-meter. `cost` is there if there are
    /// contracts.
    pub(super) fn of_house(
        start: Timestamp,
        house: &HouseSensors,
        slot: &FlowSlot,
        cost: Option<SlotCost>,
    ) -> Self {
        let sums = house.sums(slot);
        let sensors = house.sensors.iter().zip(&sums.sensors).zip(&sums.others);
        let parts = sensors.filter(|((it, _), _)| it.sensor.role == Role::SubMeter);
        let parts = parts.map(|((it, own), other)| {
            let mut values = ColumnValues::new();
            put(&mut values, EnergyColumn::Energy, own.energy());
            let other = other.and_then(HouseSum::energy);
            put(&mut values, EnergyColumn::Other, other);
            put_coverage(&mut values, slot, (own.estimated_ms, own.missing_ms));
            (it.sensor.id.clone(), values)
        });
        Self {
            start,
            parts: parts.filter(|(_, values)| !values.is_empty()).collect(),
            values: house_values(slot, &sums, cost),
        }
    }

    /// The energy of the first of these sensors in a slot.
    pub(super) fn of_sensor(
        start: Timestamp,
        house: &HouseSensors,
        slot: &FlowSlot,
        cost: Option<&SlotCost>,
    ) -> Self {
        let sensor = house.sensors.first().zip(slot.measured.first());
        let values = sensor.map(|(it, measured)| sensor_values(it, measured, slot, cost));
        Self {
            start,
            values: values.unwrap_or_default(),
            parts: Vec::new(),
        }
    }
}

/// Adds the sources of a sub-meter's energy, if any of it is known. With a contract, also its cost.
pub(super) fn put_sources(values: &mut ColumnValues, sources: &UsedSources, has_contract: bool) {
    if !values.iter().any(|(of, _)| *of == EnergyColumn::Energy) {
        return;
    }
    let (known, unknown) = (sources.known(), sources.unknown);
    if known.energy != MicroWh::ZERO || unknown == MicroWh::ZERO {
        for (column, energy) in [
            (EnergyColumn::FromSolar, sources.solar.energy),
            (EnergyColumn::FromBattery, sources.battery.energy),
            (EnergyColumn::FromGrid, sources.grid_energy()),
        ] {
            put(values, column, Some(energy));
        }
    }
    let unknown = Some(unknown).filter(|unknown| *unknown != MicroWh::ZERO);
    put(values, EnergyColumn::FromUnknown, unknown);
    let share = sources.own_share();
    values.extend(share.map(|share| (EnergyColumn::OwnShare, share)));
    if has_contract {
        let cost = sources.real_cost().map(|cost| cost.rounded().to_f64());
        values.extend(cost.map(|cost| (EnergyColumn::RealCost, cost)));
        let all = known.energy + sources.unknown;
        let left_out = sources.left_out().watthours();
        put_share(
            values,
            EnergyColumn::RealUnpriced,
            left_out,
            all.watthours(),
        );
    }
}

fn house_values(slot: &FlowSlot, sums: &HouseSums, cost: Option<SlotCost>) -> ColumnValues {
    let mut values = ColumnValues::new();
    for (column, sum) in [
        (EnergyColumn::Imported, sums.imported),
        (EnergyColumn::Exported, sums.exported),
        (EnergyColumn::Produced, sums.produced),
        (EnergyColumn::Charged, sums.charged),
        (EnergyColumn::Discharged, sums.discharged),
        (EnergyColumn::Used, sums.used),
        (EnergyColumn::Other, sums.other.unwrap_or_default()),
    ] {
        put(&mut values, column, sum.energy());
    }
    put(
        &mut values,
        EnergyColumn::SelfConsumed,
        sums.self_consumed(),
    );
    let shares = [
        (EnergyColumn::SelfConsumption, sums.self_consumption()),
        (EnergyColumn::SelfSufficiency, sums.self_sufficiency()),
    ];
    values.extend(
        shares
            .iter()
            .filter_map(|&(column, share)| Some((column, share?))),
    );
    if let Some(cost) = cost {
        let known = |sum: HouseSum| sum.energy().unwrap_or_default();
        let flow = Flow {
            imported: known(sums.imported),
            exported: known(sums.exported),
        };
        put_cost(&mut values, (cost.cost, cost.credit), cost.unpriced, flow);
    }
    let parts = [
        sums.imported,
        sums.exported,
        sums.produced,
        sums.charged,
        sums.discharged,
    ];
    let longest = |ms: fn(&HouseSum) -> i64| parts.iter().map(ms).max().unwrap_or(0);
    let coverage = (
        longest(|sum| sum.estimated_ms),
        longest(|sum| sum.missing_ms),
    );
    put_coverage(&mut values, slot, coverage);
    values
}

fn sensor_values(
    it: &HouseSensor,
    measured: &MeasuredSlot,
    slot: &FlowSlot,
    cost: Option<&SlotCost>,
) -> ColumnValues {
    let mut values = ColumnValues::new();
    if let Some(flow) = measured.flow {
        put(&mut values, EnergyColumn::Energy, Some(flow.net()));
        if it.sensor.meter.kind != MeterKind::Counter {
            put(&mut values, EnergyColumn::Imported, Some(flow.imported));
            put(&mut values, EnergyColumn::Exported, Some(flow.exported));
        }
        if let Some(cost) = cost {
            put_cost(&mut values, (cost.cost, cost.credit), cost.unpriced, flow);
        }
    }
    put_coverage(
        &mut values,
        slot,
        (measured.estimated_ms, measured.missing_ms),
    );
    values
}

/// Adds an energy that is known.
fn put(values: &mut ColumnValues, column: EnergyColumn, energy: Option<MicroWh>) {
    values.extend(energy.map(|energy| (column, energy.watthours())));
}

/// Adds amounts, as far as there is a price.
fn put_cost(
    values: &mut ColumnValues,
    (cost, credit): (Amount, Amount),
    unpriced: Flow,
    flow: Flow,
) {
    let size = |flow: Flow| (flow.imported + flow.exported).watthours();
    let (unpriced, all) = (size(unpriced), size(flow));
    if unpriced < all || all == 0.0 {
        let amount = |amount: Amount| amount.rounded().to_f64();
        values.push((EnergyColumn::Cost, amount(cost)));
        values.push((EnergyColumn::Credit, amount(credit)));
    }
    put_share(values, EnergyColumn::Unpriced, unpriced, all);
}

fn put_coverage(
    values: &mut ColumnValues,
    slot: &FlowSlot,
    (estimated_ms, missing_ms): (i64, i64),
) {
    let ms = |ms: i64| MicroWh::new(ms).watthours();
    let length = ms(slot.length_ms());
    put_share(values, EnergyColumn::Estimated, ms(estimated_ms), length);
    put_share(values, EnergyColumn::Partial, ms(missing_ms), length);
}

/// Adds a share that is not 0.
fn put_share(values: &mut ColumnValues, column: EnergyColumn, part: f64, whole: f64) {
    if part > 0.0 && whole > 0.0 {
        values.push((column, to_millionth(part / whole).clamp(0.0, 1.0)));
    }
}
