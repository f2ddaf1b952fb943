//! Costs of the energy of one sensor.

use super::prices::HousePrices;
use super::sensors::{HouseSensor, HouseSensors};
use crate::domain::{MicroWh, Role, SensorId};
use crate::ledger::Flow;
use crate::ledger::contract::{Amount, MarginalPrice, SlotCost};

/// The cost of a sensor's flow at marginal prices, with taxes and without fixed charges. Each price
/// applies until the house has drawn that much energy. Panels and batteries cost nothing.
pub(super) fn sensor_cost(role: Role, flow: Flow, prices: &[(MicroWh, MarginalPrice)]) -> SlotCost {
    let (mut sum, mut before) = (SlotCost::default(), Flow::default());
    let drawn = prices.last().map_or(MicroWh::ZERO, |(until, _)| *until);
    for &(until, price) in prices {
        let share = |energy: MicroWh| match until {
            _ if until == drawn => energy,
            _ => energy.part(until.millionths(), drawn.millionths()),
        };
        let so_far = Flow {
            imported: share(flow.imported),
            exported: share(flow.exported),
        };
        let part = Flow {
            imported: so_far.imported - before.imported,
            exported: so_far.exported - before.exported,
        };
        sum = sum + at_price(role, part, price);
        before = so_far;
    }
    sum
}

fn at_price(role: Role, flow: Flow, price: MarginalPrice) -> SlotCost {
    let (drawn, fed) = match role {
        Role::Grid => (flow.imported, flow.exported),
        Role::GridImport | Role::SubMeter => (flow.net(), MicroWh::ZERO),
        Role::GridExport => (MicroWh::ZERO, flow.net()),
        Role::Solar | Role::Battery | Role::BatteryCharge | Role::BatteryDischarge => {
            return SlotCost::default();
        }
    };
    let amount = |price, energy| match price {
        Some(price) => (Amount::of(price, energy), MicroWh::ZERO),
        None => (Amount::ZERO, energy),
    };
    let (cost, imported) = amount(price.import, drawn);
    let (credit, exported) = amount(price.export, fed);
    SlotCost {
        cost,
        credit,
        unpriced: Flow { imported, exported },
    }
}

/// For each sensor, the named sensors inside it. The only import meter contains all sub-meters.
pub(super) fn named_inside(
    house: &HouseSensors,
    prices: &HousePrices,
    named: &[SensorId],
) -> Vec<Vec<usize>> {
    let role_of = |id: &SensorId| {
        let sensor = house.sensors.iter().find(|it| it.sensor.id == *id);
        sensor.map(|it| it.sensor.role)
    };
    let is_meter = |it: &&HouseSensor| {
        let draws = matches!(it.sensor.role, Role::Grid | Role::GridImport);
        draws && !named.contains(&it.sensor.id)
    };
    let mut meters = house.sensors.iter().filter(is_meter);
    let only = meters.next().filter(|_| meters.next().is_none());
    let is_inside = |id: &SensorId, it: &HouseSensor| {
        let all = prices.named().iter();
        let mut chains = all.filter(|(of, _)| of == id).map(|(_, around)| around);
        let is_only = only.is_some_and(|only| only.sensor.id == it.sensor.id);
        chains.any(|around| around.contains(&it.sensor.id))
            || is_only && role_of(id) == Some(Role::SubMeter)
    };
    let inside = |it: &HouseSensor| {
        let places = named.iter().enumerate();
        let named = places.filter(|(_, id)| is_inside(id, it));
        named.map(|(place, _)| place).collect()
    };
    house.sensors.iter().map(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::{MS_PER_HOUR, MS_PER_MINUTE};
    use crate::domain::{MeterKind, TimeRange, Timestamp};
    use crate::house::cost::{CostSums, HouseCosts};
    use crate::house::tests::{at, import, open};
    use crate::ledger::contract::{Contract, ContractChange, Contracts};
    use crate::store::Store;

    const TIERS: &str = r#"[{"from":"2020-01-01","name":"Tiers","currency":"€","components":[
        {"energy":{"period":"month","tiers":[{"up_to_kwh":47.3,"price":0.1},{"up_to_kwh":100,"price":0.3},{"price":0.2}]}},
        {"tax":{"name":"VAT","percent":19}}]}]"#;

    /// The costs of each sensor and of the house in a range, in steps of so many milliseconds.
    fn costs(
        store: &Store,
        (house, prices): (&HouseSensors, &HousePrices),
        range: TimeRange,
        step_ms: i64,
    ) -> (Vec<Amount>, Amount) {
        let mut costs = HouseCosts::new(house.only(|_| true), prices);
        let steps = range.start().millis() / step_ms + 1..;
        let inner = steps.map(|count| Timestamp::from_millis(count * step_ms).unwrap());
        let mut cuts: Vec<_> = inner.take_while(|cut| *cut < range.end()).collect();
        cuts.push(range.end());
        costs.cut_at(cuts.clone());
        let parts = cuts
            .into_iter()
            .map(|cut| costs.all_until(store, cut).unwrap());
        let parts: Vec<CostSums> = parts.collect();
        let sensors = (0..house.sensors.len())
            .map(|nth| parts.iter().map(|part| part.sensors[nth].cost).sum());
        (
            sensors.collect(),
            parts.iter().map(|part| part.house.cost).sum(),
        )
    }

    #[test]
    fn a_sensor_costs_the_same_by_whatever_interval() {
        let dir = tempfile::tempdir().unwrap();
        let (grid, car) = (
            ("grid", Role::GridImport, MeterKind::Counter),
            ("car", Role::SubMeter, MeterKind::Counter),
        );
        let (store, account) = open(dir.path(), &[grid, car]);
        let contracts = Contracts::parse(TIERS).unwrap();
        let flat = ContractChange::Put(Box::new(Contract::clone(&contracts.all()[0])));
        let name = account.name.clone();
        store
            .edit(move |edit| edit.change_contracts(&name, flat))
            .unwrap();
        let (start, end) = (at("2025-12-31T23:00:00"), at("2026-01-31T23:00:00"));
        // The house draws more and more; the car charges for some hours of each third day.
        let (mut house, mut charged) = (0.0, 0.0);
        let (mut of_house, mut of_car) = (Vec::new(), Vec::new());
        for nth in 0..=(end.millis() - start.millis()) / (13 * MS_PER_MINUTE) + 1 {
            let time = start.saturating_add_millis(nth * 13 * MS_PER_MINUTE);
            of_house.push((time, house));
            of_car.push((time, charged));
            let hour = nth * 13 / 60;
            let car = if hour % 72 < 5 { 1_337.0 } else { 0.0 };
            house += 20.0 + f64::from(i32::try_from(hour).unwrap()) / 10.0 + car;
            charged += car;
        }
        import(&store, "grid", &of_house);
        import(&store, "car", &of_car);
        let house = HouseSensors::of(&store, &account.name, at("2026-02-10T00:00:00")).unwrap();
        let prices = HousePrices::of(&store, &account, start..end);
        let range = TimeRange::new(start, end).unwrap();
        let of_grid = house
            .sensors
            .iter()
            .position(|it| it.sensor.role == Role::GridImport)
            .unwrap();
        let whole = costs(&store, (&house, &prices), range, 365 * 24 * MS_PER_HOUR);
        // The house pays the energy of the meter.
        assert_eq!(whole.0[of_grid].rounded(), whole.1.rounded());
        for step_ms in [
            24 * MS_PER_HOUR,
            7 * MS_PER_HOUR,
            MS_PER_HOUR,
            15 * MS_PER_MINUTE,
        ] {
            let found = costs(&store, (&house, &prices), range, step_ms);
            assert_eq!(found, whole, "{step_ms}");
        }
        // The price at the beginning of the month alone would give far less.
        let car = whole.0[1 - of_grid].rounded().to_string();
        assert!(
            car.parse::<f64>().unwrap() > 0.15 * charged / 1_000.0,
            "{car} {charged}"
        );
    }
}
