//! What would have been, against statements of the same range and a plain slow model, on random
//! houses.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::domain::time::MS_PER_HOUR;
use crate::domain::{LocalDate, MeterKind, SensorId};
use crate::house::statement;
use crate::house::tests::{at, import, open};
use crate::ledger::contract::{
    Contract, ContractChange, Contracts, Label, PriceSeries, SeriesPrice,
};
use crate::ledger::scenario::HouseQuarter;

const SENSORS: [(&str, Role, MeterKind); 4] = [
    ("in", Role::GridImport, MeterKind::Counter),
    ("out", Role::GridExport, MeterKind::Counter),
    ("sun", Role::Solar, MeterKind::Counter),
    ("car", Role::SubMeter, MeterKind::Counter),
];
const STORED: [(&str, Role, MeterKind); 2] = [
    ("to", Role::BatteryCharge, MeterKind::Counter),
    ("back", Role::BatteryDischarge, MeterKind::Counter),
];
const FLAT: &str = r#"{"energy":{"price":0.3}},{"export":{"price":0.08}}"#;
/// Contracts of many kinds; some with prices that change within a quarter of an hour.
const TARIFFS: [&str; 9] = [
    r#"{"energy":{"price":0.3215}},{"fixed":{"name":"standing","price":9.9,"per":"month"}},{"export":{"price":0.08}},{"tax":{"name":"VAT","percent":19}}"#,
    r#"{"energy":{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:07-06:20"}]}},{"export":{"series":"spot"}}"#,
    r#"{"energy":{"series":"spot","factor":1.1,"surcharge":0.05}},{"minimum":{"name":"least","price":30,"per":"month"}}"#,
    r#"{"energy":{"period":"year","tiers":[{"up_to_kwh":40,"price":0.28},{"price":0.35}]}}"#,
    r#"{"energy":{"price":0.2}},{"demand":{"name":"capacity","price":4.5,"per":"quarter"}}"#,
    r#"{"energy":{"name":"rest","price":0.3}},{"energy":{"name":"car","of":["car"],"price":0.2}},{"export":{"price":0.07}}"#,
    r#"{"energy":{"period":"month","bracket":true,"tiers":[{"up_to_kwh":120,"price":0.2},{"price":0.3}]}},{"export":{"name":"sold","price":0.1,"when":{"hours":"10:00-15:00"}}}"#,
    r#"{"energy":{"name":"e","price":0.3,"cap":{"price":0,"up_to_kwh":2,"period":"day","when":{"hours":"11:00-14:00"}}}},{"discount":{"name":"social","percent":25,"on":["e"]}}"#,
    r#"{"energy":{"price":0.3,"first":{"kwh":90,"period":"month"}}},{"fixed":{"name":"base","per":"month","steps":[{"up_to_kwh":150,"price":5},{"price":11}]}}"#,
];
/// Midnight in Berlin, in winter.
const BEGIN: &str = "2026-01-04T23:00:00";
const DAYS: i64 = 4;
const QUARTERS: i64 = DAYS * 96;

/// The same numbers for each seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap() % end
    }
}

pub(super) fn quarter(number: i64) -> Timestamp {
    at(BEGIN).saturating_add_millis(number * HouseQuarter::LENGTH_MS)
}

pub(super) fn put_contract(store: &Store, account: &Account, components: &str) {
    let text = format!(
        r#"{{"from":"2020-01-01","name":"now","currency":"€","components":[{components}]}}"#
    );
    let contracts = Contracts::new(vec![Contract::parse(&text).unwrap()]).unwrap();
    let change = ContractChange::Replace(contracts);
    let name = account.name.clone();
    store
        .edit(move |edit| edit.change_contracts(&name, change))
        .unwrap();
}

/// A price for each hour, with some gaps.
fn put_prices(store: &Store, account: &Account, mut price: impl FnMut(i64) -> Option<i64>) {
    let hours = (0..DAYS * 24).map(|nth| (nth, nth + 1));
    let prices = hours.filter_map(|(from, to)| {
        Some(SeriesPrice {
            from: quarter(from * 4),
            to: quarter(to * 4),
            price: Decimal::from_millionths(price(from)?),
        })
    });
    let series = PriceSeries::new(Label::new("spot").unwrap(), prices.collect()).unwrap();
    store.put_prices_durably(&account.name, &series).unwrap();
}

/// Registers that show these watt-hours of each quarter. With half a watt-hour more, none looks like
/// a coarse one, whose steps are spread over the time before.
pub(super) fn fill(store: &Store, sensor: &str, energies: &[i64]) {
    let mut shown = 0;
    let mut registers = vec![(quarter(0), 0.5)];
    for (energy, number) in energies.iter().zip(1..) {
        shown += energy;
        let register = 0.5 + f64::from(i32::try_from(shown).unwrap());
        registers.push((quarter(number), register));
    }
    import(store, sensor, &registers);
}

/// The energy of a house in each quarter, in watt-hours.
#[derive(Debug)]
struct PlainHouse {
    imported: Vec<i64>,
    exported: Vec<i64>,
    produced: Vec<i64>,
    car: Vec<i64>,
    charged: Vec<i64>,
    discharged: Vec<i64>,
}

fn random_house(seed: u64) -> PlainHouse {
    let mut dice = Dice(seed);
    let mut all = [const { Vec::new() }; 6];
    for _ in 0..QUARTERS {
        let produced = (dice.below(900) - 300).max(0);
        let car = if dice.below(8) == 0 {
            dice.below(700)
        } else {
            0
        };
        let (charged, discharged) = match dice.below(4) {
            0 => (dice.below(300), 0),
            1 => (0, dice.below(300)),
            _ => (0, 0),
        };
        // The rest of the house.
        let used = 21 + dice.below(350) + car;
        let net = used + charged - discharged - produced;
        // A cloud: both directions in one quarter.
        let cloud = if dice.below(9) == 0 {
            dice.below(80)
        } else {
            0
        };
        let [imported, exported] = [net.max(0) + cloud, (-net).max(0) + cloud];
        let energies = [imported, exported, produced, car, charged, discharged];
        for (list, energy) in all.iter_mut().zip(energies) {
            list.push(energy);
        }
    }
    let [imported, exported, produced, car, charged, discharged] = all;
    PlainHouse {
        imported,
        exported,
        produced,
        car,
        charged,
        discharged,
    }
}

impl PlainHouse {
    fn store(&self, dir: &std::path::Path, has_battery: bool) -> (Store, Account) {
        let stored = if has_battery { &STORED[..] } else { &[] };
        let sensors = [&SENSORS[..], stored].concat();
        let (store, account) = open(dir, &sensors);
        let all = [
            ("in", &self.imported),
            ("out", &self.exported),
            ("sun", &self.produced),
            ("car", &self.car),
            ("to", &self.charged),
            ("back", &self.discharged),
        ];
        for (sensor, energies) in all.iter().take(sensors.len()) {
            fill(&store, sensor, energies);
        }
        (store, account)
    }
}

fn asked(fields: &[(&str, &str)]) -> WhatIfQuestion {
    let text = |field: WhatIfField| {
        let named = fields.iter().find(|(name, _)| *name == field.as_str());
        Ok::<_, ()>(named.map(|(_, text)| (*text).to_owned()))
    };
    WhatIfForm::read(text).unwrap().question().unwrap()
}

pub(super) fn ask(
    store: &Store,
    account: &Account,
    (from, to): (i64, i64),
    fields: &[(&str, &str)],
) -> WhatIf {
    let range = quarter(from)..quarter(to);
    what_if(store, account, (range, quarter(QUARTERS)), asked(fields)).unwrap()
}

fn millionths(energy: Option<MicroWh>) -> i128 {
    i128::from(energy.unwrap().millionths())
}

/// What a greedy battery takes and gives, in plain numbers: what is drawn and fed in with it.
fn greedy(
    flows: &[(i128, i128)],
    (usable, a_quarter, percent): (i128, i128, i128),
) -> (i128, i128) {
    let (mut held, mut drawn, mut fed_in) = (0, 0, 0);
    for (imported, exported) in flows {
        let given = [*imported, a_quarter, held].into_iter().min().unwrap();
        held -= given;
        let fills = ((usable - held) * 100 + percent - 1) / percent;
        let taken = [*exported, a_quarter, fills].into_iter().min().unwrap();
        held += taken * percent / 100;
        assert!((0..=usable).contains(&held));
        drawn += imported - given;
        fed_in += exported - taken;
    }
    (drawn, fed_in)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn what_changes_nothing_costs_what_it_cost(
        seed: u64,
        tariff in 0..TARIFFS.len(),
        (from, length) in (0..QUARTERS / 2, 1..QUARTERS / 2),
        dispatch in prop::sample::select(vec!["greedy", "prices"]),
        cut_ms in 0..HouseQuarter::LENGTH_MS,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let house = random_house(seed);
        let (store, account) = house.store(dir.path(), false);
        let mut dice = Dice(seed ^ 1);
        put_prices(&store, &account, |_| (dice.below(9) > 0).then(|| dice.below(400_000) - 50_000));
        put_contract(&store, &account, TARIFFS[tariff]);
        let range = quarter(from).saturating_add_millis(cut_ms)..quarter(from + length);
        prop_assume!(!range.is_empty());
        let now = quarter(QUARTERS);
        let expected = statement(&store, &account, range.clone(), now).unwrap();
        let fields = [("battery", "0"), ("solar_factor", "1"), ("dispatch", dispatch)];
        let found = what_if(&store, &account, (range, now), asked(&fields)).unwrap();
        let changed = found.changed.unwrap();
        for side in [&found.present, &changed] {
            prop_assert_eq!(&side.statement.bill, &expected.bill);
            prop_assert_eq!(side.statement.energy, expected.energy);
            prop_assert_eq!(side.statement.missing_ms, expected.missing_ms);
            prop_assert_eq!(side.statement.estimated_ms, expected.estimated_ms);
            prop_assert_eq!(side.energy, found.present.energy);
        }
        let totals = |side: &PricedSide| side.months.iter().map(|month| month.total).collect::<Vec<_>>();
        prop_assert_eq!(totals(&changed), totals(&found.present));
    }

    #[test]
    fn batteries_of_all_sizes_are_those_of_a_plain_model(
        seed: u64,
        has_battery: bool,
        percent in 40..=100_i128,
        watts in 100..4_000_i128,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let house = random_house(seed);
        let (store, account) = house.store(dir.path(), has_battery);
        put_contract(&store, &account, FLAT);
        let power = format!("{}", Decimal::from_millionths(i64::try_from(watts).unwrap() * 1_000));
        let percents = percent.to_string();
        let fields = [
            ("sizes", "0.5,1,2.25,4,9"),
            ("charge_kw", power.as_str()),
            ("discharge_kw", power.as_str()),
            ("efficiency", percents.as_str()),
        ];
        let found = ask(&store, &account, (0, QUARTERS), &fields);
        prop_assert!(found.changed.is_none());
        let flows = (0..house.imported.len()).map(|nth| {
            let (mut imported, mut exported) = (house.imported[nth], house.exported[nth]);
            if has_battery {
                // What the battery took is fed in, as far as it was not drawn.
                let saved = house.charged[nth].min(imported);
                imported -= saved;
                exported += house.charged[nth] - saved;
                let kept = house.discharged[nth].min(exported);
                exported -= kept;
                imported += house.discharged[nth] - kept;
            }
            (i128::from(imported) * 1_000_000, i128::from(exported) * 1_000_000)
        });
        let flows: Vec<(i128, i128)> = flows.collect();
        let mut before = i128::MAX;
        for SizedHouse { size, side, .. } in &found.sizes {
            let terms = (millionths(Some(*size)), watts * 1_000_000 / 4, percent);
            let (drawn, fed_in) = greedy(&flows, terms);
            let energy = side.energy.unwrap();
            prop_assert_eq!(millionths(energy.imported), drawn, "{:?}", size);
            prop_assert_eq!(millionths(energy.exported), fed_in, "{:?}", size);
            // A larger battery never draws more.
            prop_assert!(drawn <= before);
            before = drawn;
            // The use stays.
            prop_assert_eq!(energy.used(), found.present.energy.unwrap().used());
            // 0.3 for a kilowatt-hour, and 0.08 back, each line rounded to a millionth.
            let line = |energy: i128, price: i128| (energy * price + 500_000_000) / 1_000_000_000;
            let total = line(drawn, 300_000) - line(fed_in, 80_000);
            prop_assert_eq!(side.statement.total().map(|it| i128::from(it.millionths())), Some(total));
        }
    }

    #[test]
    fn a_load_that_moves_keeps_its_energy_and_costs_no_more(seed: u64) {
        let dir = tempfile::tempdir().unwrap();
        let house = random_house(seed);
        let (store, account) = house.store(dir.path(), false);
        let mut dice = Dice(seed ^ 1);
        put_prices(&store, &account, |_| Some(dice.below(400_000)));
        let used = |found: &WhatIf| found.used(found.changed.as_ref().unwrap());
        put_contract(&store, &account, r#"{"energy":{"series":"spot"}},{"export":{"price":0}}"#);
        let car: i64 = house.car.iter().sum();
        let range = (0, QUARTERS);
        let of = |how| [("load", how), ("load_sensor", "car")];
        let moved = ask(&store, &account, range, &of("move"));
        prop_assert_eq!(used(&moved), moved.used(&moved.present));
        let more = |found: &WhatIf| millionths(used(found)) - millionths(found.used(&found.present));
        let added = ask(&store, &account, range, &of("add"));
        prop_assert_eq!(more(&added), i128::from(car) * 1_000_000);
        let cheap = ask(&store, &account, range, &of("add-cheapest"));
        prop_assert_eq!(more(&cheap), i128::from(car) * 1_000_000);
        let removed = ask(&store, &account, range, &of("remove"));
        prop_assert_eq!(more(&removed), -i128::from(car) * 1_000_000);
        // With one price at all times, nothing moves.
        put_contract(&store, &account, FLAT);
        let flat = ask(&store, &account, range, &of("move"));
        prop_assert_eq!(&flat.changed.unwrap().statement, &flat.present.statement);
    }
}

/// A house of one sensor at the grid that draws a steady kilowatt, by a tariff of day and night.
pub(super) fn steady() -> (tempfile::TempDir, Store, Account) {
    let dir = tempfile::tempdir().unwrap();
    let sensors = [SENSORS[0], SENSORS[3]];
    let (store, account) = open(dir.path(), &sensors);
    let count = usize::try_from(QUARTERS).unwrap();
    fill(&store, "in", &vec![250; count]);
    // The car draws half of it from 18 to 20 o'clock.
    let is_evening = |number: usize| (72..80).contains(&(number % 96));
    let car: Vec<i64> = (0..count)
        .map(|it| if is_evening(it) { 125 } else { 0 })
        .collect();
    fill(&store, "car", &car);
    put_contract(
        &store,
        &account,
        r#"{"energy":{"zones":[{"name":"day","price":0.4},{"name":"night","price":0.2,"hours":"22:00-06:00"}]}}"#,
    );
    (dir, store, account)
}

fn saved(found: &WhatIf) -> String {
    let changed = found.changed.as_ref().unwrap();
    found.present.more_than(changed).unwrap().to_string()
}

#[test]
fn loads_come_go_and_move() {
    let (_dir, store, account) = steady();
    let one_day = (96, 192);
    let car = |how| {
        ask(
            &store,
            &account,
            one_day,
            &[("load", how), ("load_sensor", "car")],
        )
    };
    // A kilowatt-hour at 0.4.
    assert_eq!(saved(&car("remove")), "0.4");
    assert_eq!(saved(&car("add")), "-0.4");
    assert_eq!(saved(&car("move")), "0.2");
    assert_eq!(saved(&car("add-cheapest")), "-0.2");
    let daily = |how, between, power| {
        let fields = [
            ("load", how),
            ("load_kwh", "8"),
            ("load_between", between),
            ("load_kw", power),
        ];
        saved(&ask(&store, &account, one_day, &fields))
    };
    // Evenly over 16 hours, half of them at night.
    assert_eq!(daily("add", "14:00-06:00", ""), "-2.4");
    // At 4 kW: 3 kWh of the night before from midnight on, 5 kWh from 14 o'clock on. In the cheapest
    // hours, all at night.
    assert_eq!(daily("add", "14:00-06:00", "4"), "-2.6");
    assert_eq!(daily("add-cheapest", "14:00-06:00", "4"), "-1.6");
    // The house never uses less than nothing.
    let fields = [
        ("load", "remove"),
        ("load_kwh", "80"),
        ("load_between", "10:00-12:00"),
    ];
    let found = ask(&store, &account, one_day, &fields);
    assert_eq!(saved(&found), "0.8");
    let energy = found.changed.unwrap().energy.unwrap();
    assert_eq!(energy.exported, Some(MicroWh::ZERO));
}

#[test]
fn a_load_with_a_price_of_its_own_changes_at_that_price() {
    let (_dir, store, account) = steady();
    put_contract(
        &store,
        &account,
        r#"{"energy":{"name":"rest","price":0.4}},{"energy":{"name":"car","of":["car"],"price":0.25}}"#,
    );
    let found = ask(
        &store,
        &account,
        (96, 192),
        &[("load", "add"), ("load_sensor", "car")],
    );
    assert_eq!(saved(&found), "-0.25");
    let found = ask(
        &store,
        &account,
        (96, 192),
        &[("load", "remove"), ("load_sensor", "car")],
    );
    assert_eq!(saved(&found), "0.25");
}

#[test]
fn a_battery_buys_at_night_by_the_prices_of_the_contract() {
    let (_dir, store, account) = steady();
    let ask = |dispatch| {
        let fields = [
            ("battery", "4"),
            ("efficiency", "80"),
            ("dispatch", dispatch),
        ];
        ask(&store, &account, (0, QUARTERS), &fields)
    };
    // The house feeds nothing in.
    assert_eq!(saved(&ask("greedy")), "0");
    // From the second day on it buys 5 kWh at 0.2 each night, and gives 4 kWh at 0.4.
    let found = ask("prices");
    assert_eq!(saved(&found), "1.8");
    let SizedHouse {
        size, side: house, ..
    } = found.sizes.last().unwrap();
    assert_eq!(*size, MicroWh::new(4_000_000_000));
    let energy = house.energy.unwrap();
    assert_eq!(energy.discharged, Some(MicroWh::new(12_000_000_000)));
    assert_eq!(energy.charged, Some(MicroWh::new(15_000_000_000)));
    // Four days say nothing about a year.
    assert_eq!(found.no_year, Some(PaybackReason::FewMonths));
    assert_eq!(found.cycles_a_year(*size, house), None);
    let saved = found.sizes[0].side.more_than(house).unwrap();
    assert_eq!(found.in_a_year(saved, house), None);
    assert_eq!(found.known_days(), 4.0);
}

/// A house whose panels give 2 kW for two hours a day, in which nothing else happens, for so many
/// days from 1 March 2025 on; without readings in some of them.
pub(super) fn house_of_days(days: i64, silent: Range<i64>) -> (tempfile::TempDir, Store, Account) {
    let dir = tempfile::tempdir().unwrap();
    let (store, account) = open(dir.path(), &SENSORS[..3]);
    put_contract(&store, &account, FLAT);
    let begin = at("2025-02-28T23:00:00");
    let (mut shown, mut registers) = ([0.5_f64; 3], [Vec::new(), Vec::new(), Vec::new()]);
    for nth in 0..=days * 24 {
        let time = begin.saturating_add_millis(nth * MS_PER_HOUR);
        if !silent.contains(&(nth / 24)) {
            for (all, shown) in registers.iter_mut().zip(shown) {
                all.push((time, shown));
            }
        }
        let power = if (10..12).contains(&(nth % 24)) {
            2_000.0
        } else {
            0.0
        };
        let flows = [
            (125.0_f64 - power).max(0.0),
            (power - 125.0).max(0.0),
            power,
        ];
        for (sum, flow) in shown.iter_mut().zip(flows) {
            *sum += flow;
        }
    }
    for (sensor, all) in ["in", "out", "sun"].into_iter().zip(registers) {
        import(&store, sensor, &all);
    }
    (dir, store, account)
}

#[test]
fn only_twelve_known_months_say_something_about_a_year() {
    let begin = at("2025-02-28T23:00:00");
    let day = |nth: i64| begin.saturating_add_millis(nth * crate::domain::time::MS_PER_DAY);
    let ask = |store: &Store, account: &Account, [from, to]: [i64; 2]| {
        let question = asked(&[("battery", "5"), ("price_per_kwh", "400")]);
        what_if(store, account, (day(from)..day(to), day(to)), question).unwrap()
    };
    let of_year = |found: &WhatIf| {
        let SizedHouse {
            size, side: house, ..
        } = found.sizes.last().unwrap();
        let saved = found.sizes[0].side.more_than(house);
        let a_year = saved.and_then(|saved| found.in_a_year(saved, house));
        let years = found.payback_years(*size, a_year);
        (
            a_year.is_some(),
            years.is_some(),
            found.cycles_a_year(*size, house).is_some(),
        )
    };
    let (few, none, all) = (
        Some(PaybackReason::FewMonths),
        (false, false, false),
        (true, true, true),
    );
    let (_dir, store, account) = house_of_days(366, 0..0);
    // A month, a year that begins before the first reading, and a year.
    for (range, reason, said) in [
        ([10, 40], few, none),
        ([-300, 66], few, none),
        ([0, 366], None, all),
        ([1, 366], None, all),
    ] {
        let found = ask(&store, &account, range);
        assert_eq!(
            (found.no_year, of_year(&found)),
            (reason, said),
            "{range:?}"
        );
    }
    // The saving of the known days is shown, with their months.
    let found = ask(&store, &account, [-300, 66]);
    assert_eq!(found.known_days(), 66.0);
    let months = &found.changed.as_ref().unwrap().months;
    assert_eq!(
        months.iter().filter(|month| month.more.is_some()).count(),
        3
    );
    // Nineteen days without readings are more than a twentieth of a year.
    let (_dir, store, account) = house_of_days(366, 100..119);
    let found = ask(&store, &account, [0, 366]);
    assert_eq!(
        (found.no_year, of_year(&found)),
        (Some(PaybackReason::Incomplete), none)
    );
    let left_out = found.told().left_out();
    assert!(left_out.imported.watthours() > 50_000.0, "{left_out:?}");
    // Ten are not: and only the known days count.
    let (_dir, store, account) = house_of_days(366, 100..110);
    let found = ask(&store, &account, [0, 366]);
    assert_eq!((found.no_year, of_year(&found)), (None, all));
    assert!(
        (355.0..356.5).contains(&found.known_days()),
        "{}",
        found.known_days()
    );
}

#[test]
fn new_panels_give_what_their_profile_says() {
    let (_dir, store, account) = steady();
    // Two kilowatts from 10 to 12 o'clock, UTC.
    let mut table = "time,P\n".to_owned();
    let mut day = LocalDate::parse("2019-01-01").unwrap();
    for _ in 0..365 {
        for hour in 0..24 {
            let power = if (10..12).contains(&hour) { 2_000 } else { 0 };
            writeln!(table, "{day} {hour:02}:10,{power}").unwrap();
        }
        day = day.plus_days(1).unwrap();
    }
    put_contract(&store, &account, FLAT);
    let fields = [("kwp", "1.5"), ("profile", table.as_str())];
    let found = ask(&store, &account, (96, 192), &fields);
    // Each day 6 kWh: 2 are used, 4 fed in.
    assert_eq!(saved(&found), "0.92");
    let changed = found.changed.as_ref().unwrap();
    assert_eq!(
        changed.energy.unwrap().produced,
        Some(MicroWh::new(6_000_000_000))
    );
    assert_eq!(found.used(changed), found.used(&found.present));
    assert_eq!(found.self_sufficiency(changed), Some(0.083_333));
    let assumed = found.assumptions();
    assert_eq!(
        assumed,
        [WhatIfAssumption::SameUse, WhatIfAssumption::Profile]
    );
}

#[test]
fn what_the_house_lacks_is_refused() {
    let (_dir, store, account) = steady();
    let refused = |fields: &[(&str, &str)], (from, to): (Timestamp, Timestamp)| {
        what_if(&store, &account, (from..to, to), asked(fields))
            .err()
            .unwrap()
    };
    let days = (quarter(0), quarter(QUARTERS));
    let error = refused(&[("solar_factor", "2")], days);
    assert_eq!(error.field(), Some(WhatIfField::SolarFactor));
    for sensor in ["in", "other"] {
        let error = refused(&[("load", "add"), ("load_sensor", sensor)], days);
        let expected = WhatIfError::NoSubMeter(SensorId::new(sensor).unwrap());
        assert_eq!(error, expected);
    }
    let many = (0..41)
        .map(|size| size.to_string())
        .collect::<Vec<_>>()
        .join(",");
    let years = (at("2015-01-01T00:00:00"), at("2025-01-01T00:00:00"));
    assert_eq!(refused(&[("sizes", &many)], years), WhatIfError::TooMany);
    let dir = tempfile::tempdir().unwrap();
    let (store, account) = open(dir.path(), &SENSORS[2..]);
    let range = quarter(0)..quarter(4);
    let found = what_if(
        &store,
        &account,
        (range, quarter(4)),
        asked(&[("battery", "5")]),
    );
    assert_eq!(found.err(), Some(WhatIfError::NoGrid));
}

#[test]
fn unknown_energy_stays_unknown() {
    let dir = tempfile::tempdir().unwrap();
    let (store, account) = open(dir.path(), &SENSORS);
    put_contract(&store, &account, FLAT);
    let count = usize::try_from(QUARTERS).unwrap();
    fill(&store, "in", &vec![251; count]);
    fill(&store, "out", &vec![3; count]);
    // The sun is known on the first day only.
    fill(&store, "sun", &[104; 96]);
    let found = ask(&store, &account, (0, QUARTERS), &[("solar_factor", "3")]);
    let changed = found.changed.unwrap();
    assert_eq!(found.present.statement.missing_ms, 0);
    assert_eq!(changed.statement.missing_ms, 72 * MS_PER_HOUR);
    // 208 Wh more in each quarter of the first day; the others are priced as they were.
    let drawn = (i128::from(QUARTERS) * 251 - 96 * 208) * 1_000_000;
    let imported = changed.statement.energy.unwrap().imported;
    assert_eq!(millionths(Some(imported)), drawn);
    assert!(!changed.statement.is_complete());
}
