//! Comparisons against statements of the same range, on random histories.

use proptest::prelude::*;

use super::*;
use crate::domain::time::MS_PER_HOUR;
use crate::domain::{MeterKind, MicroWh, Role};
use crate::house::tests::{at, import, open};
use crate::house::{offer_statement, statement};
use crate::ledger::contract::{ContractChange, PriceSeries, SeriesPrice};
use crate::store::AccountEntry;

/// The components of contracts of all kinds.
pub(in crate::house) const TARIFFS: [&str; 15] = [
    r#"{"energy":{"price":0.3215}},{"fixed":{"name":"standing","price":9.9,"per":"month"}},{"export":{"price":0.08}},{"tax":{"name":"VAT","percent":19}}"#,
    r#"{"energy":{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:00"},{"name":"sun","price":0.1,"weekdays":"sun","months":"3-10"}]}},{"export":{"series":"hours"}}"#,
    r#"{"energy":{"series":"quarters","factor":1.1,"surcharge":0.05}},{"energy":{"name":"network","series":"hours"}},{"minimum":{"name":"least","price":30,"per":"month"}}"#,
    r#"{"energy":{"period":"year","tiers":[{"up_to_kwh":400,"price":0.28},{"price":0.35}]}},{"tax":{"name":"VAT","percent":7,"of":"costs"}}"#,
    r#"{"energy":{"price":0.3,"netting":"month","surplus":{"price":0.05}}},{"fixed":{"name":"standing","price":0.3,"per":"day"}}"#,
    r#"{"energy":{"price":0.2}},{"demand":{"name":"capacity","price":4.5,"per":"quarter","months":3}}"#,
    r#"{"energy":{"name":"rest","price":0.3}},{"energy":{"name":"heat","of":["heat"],"zones":[{"name":"usual","price":0.25},{"name":"night","price":0.2,"hours":"01:30-05:15"}]}}"#,
    r#"{"energy":{"series":"hours","cap":{"price":0.3,"up_to_kwh":200,"period":"month"}}},{"export":{"price":0.07,"at_most":"energy"}}"#,
    r#"{"energy":{"period":"month","netting":"hour","tiers":[{"up_to_kwh":60,"price":0.2},{"price":0.4}]}},{"export":{"price":0.1}}"#,
    r#"{"energy":{"series":"hours","mean":"day","factor":1.25,"absolute_factor":0.03,"floor":-0.02,"ceiling":0.4}},{"export":{"price":0.08,"only_if":{"series":"hours","at_least":0.05}}}"#,
    r#"{"energy":{"series":"hours","mean":"month","zones":[{"name":"F1","surcharge":0.02},{"name":"F2","hours":"22:00-06:00"}]}},{"energy":{"name":"support","price":-0.1,"first":{"kwh":90,"period":"month"}}}"#,
    r#"{"energy":{"period":"month","tiers":[{"up_to_kwh":60,"price":0.2},{"price":0.4}],"seasons":[{"name":"autumn","months":"9-10","tiers":[{"up_to_kwh":100,"price":0.1},{"price":0.5}]}]}},{"fixed":{"name":"base","per":"month","steps":[{"up_to_kwh":150,"price":5},{"price":11}]}}"#,
    r#"{"energy":{"period":"month","bracket":true,"tiers":[{"up_to_kwh":120,"price":0.2},{"price":0.3}]}},{"export":{"name":"sold","price":0.1,"when":{"hours":"10:00-15:00"}}}"#,
    r#"{"energy":{"name":"e","price":0.3,"cap":{"price":0,"up_to_kwh":2,"period":"day","when":{"hours":"11:00-14:00"}}}},{"discount":{"name":"social","percent":25,"on":["e"]}},{"demand":{"name":"d","price":0.3,"price_per":"day","per":"half-hour","weights":[{"factor":0.5,"hours":"22:00-06:00"}]}},{"maximum":{"name":"most","price":0.04,"period":"month","on":["d"]}}"#,
    r#"{"energy":{"price":0.3,"netting":"month","netting_factor":0.8,"surplus":{"price":0.02}}},{"tax":{"name":"VAT","percent":7}}"#,
];
const SENSORS: [(&str, Role, MeterKind); 3] = [
    ("in", Role::GridImport, MeterKind::Counter),
    ("out", Role::GridExport, MeterKind::Counter),
    ("heat", Role::SubMeter, MeterKind::Counter),
];
const BEGIN: &str = "2025-08-01T00:00:00";
pub(in crate::house) const HOURS: i64 = 24 * 200;

/// The same numbers for each seed.
pub(in crate::house) struct Noise(pub(in crate::house) u64);

impl Noise {
    pub(in crate::house) fn below(&mut self, end: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap() % end
    }
}

pub(in crate::house) fn contract(from: &str, name: &str, components: &str) -> Contract {
    let text = format!(
        r#"{{"from":"{from}","name":"{name}","currency":"€","components":[{components}]}}"#
    );
    Contract::parse(&text).unwrap()
}

pub(in crate::house) fn hour(hour: i64) -> Timestamp {
    at(BEGIN).saturating_add_millis(hour * MS_PER_HOUR)
}

pub(in crate::house) fn put_contracts(store: &Store, account: &Account, all: Vec<Contract>) {
    let change = ContractChange::Replace(Contracts::new(all).unwrap());
    let name = account.name.clone();
    store
        .edit(move |edit| edit.change_contracts(&name, change))
        .unwrap();
}

fn add_offer(store: &Store, account: &Account, offer: Contract) {
    let name = account.name.clone();
    store
        .edit(move |edit| edit.put_entry(&name, AccountEntry::Offer(Box::new(offer)), None))
        .unwrap();
}

/// Registers of these sensors that rise by some energy, with gaps of hours and of days.
pub(in crate::house) fn fill(store: &Store, sensors: &[&str], noise: &mut Noise) {
    for sensor in sensors {
        let (mut time, mut shown, mut registers) = (hour(noise.below(40)), 0.0, Vec::new());
        while time < hour(HOURS) {
            registers.push((time, shown));
            let minutes = match noise.below(300) {
                0 => noise.below(60 * 24 * 9),
                1..8 => noise.below(60 * 9),
                _ => 7 + noise.below(100),
            };
            time = time.saturating_add_millis((minutes + 1) * 60_000 + noise.below(60_000));
            // Some tens of kilowatt-hours a day at most; often nothing.
            let watts = (noise.below(4_000) - 1_500).max(0);
            shown += f64::from(i32::try_from(watts * (minutes + 1) / 60).unwrap());
        }
        import(store, sensor, &registers);
    }
}

/// Prices of hours and quarters, with gaps.
pub(in crate::house) fn price(store: &Store, account: &Account, noise: &mut Noise) {
    for (name, per_hour) in [("hours", 1), ("quarters", 4)] {
        let length = MS_PER_HOUR / per_hour;
        let mut prices = Vec::new();
        let mut skipped = 0;
        for n in 0..HOURS * per_hour {
            if noise.below(700) == 0 {
                skipped = noise.below(300);
            }
            skipped -= 1;
            if skipped < 0 {
                let from = hour(0).saturating_add_millis(n * length);
                prices.push(SeriesPrice {
                    from,
                    to: from.saturating_add_millis(length),
                    price: Decimal::from_millionths(noise.below(500_000) - 60_000),
                });
            }
        }
        let series = PriceSeries::new(Label::new(name).unwrap(), prices).unwrap();
        store.put_prices_durably(&account.name, &series).unwrap();
    }
}

fn side<'a>(found: &'a ContractComparison, offer: Option<&str>) -> &'a PricedSide {
    let mut sides = found.priced.sides.iter();
    let found = sides.find(|(name, _)| name.as_ref().map(Label::as_str) == offer);
    &found.unwrap().1
}

fn close(a: Decimal, b: Decimal) -> bool {
    (a.to_f64() - b.to_f64()).abs() < 0.000_1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn each_row_is_the_statement_of_the_range(
        seed: u64,
        (first, second) in (0..TARIFFS.len(), 0..TARIFFS.len()),
        change in 0..150_i32,
        (from, length) in (0..HOURS / 2, 1..HOURS / 2),
        now in HOURS / 2..HOURS + 100,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &SENSORS);
        let mut noise = Noise(seed);
        fill(&store, &SENSORS.map(|(id, ..)| id), &mut noise);
        price(&store, &account, &mut noise);
        let day = LocalDate::parse("2025-08-02").unwrap().plus_days(change).unwrap().to_string();
        let present = [
            contract("2020-01-01", "first", TARIFFS[first]),
            contract(&day, "second", TARIFFS[second]),
        ];
        put_contracts(&store, &account, present.to_vec());
        for (nth, components) in TARIFFS.iter().enumerate() {
            add_offer(&store, &account, contract("2026-01-01", &nth.to_string(), components));
        }
        let (range, now) = (hour(from)..hour(from + length), hour(now));

        let found = compare(&store, &account, range.clone(), now).unwrap();
        prop_assert_eq!(found.priced.sides.len(), TARIFFS.len() + 1);
        let registry = store.registry();
        for (offer, side) in &found.priced.sides {
            let statement = match offer {
                None => statement(&store, &account, range.clone(), now),
                Some(name) => {
                    let offer = registry.offer(&account.name, name.as_str()).unwrap();
                    offer_statement(&store, &account, (offer, range.clone()), now)
                }
            };
            let statement = statement.unwrap();
            let (bill, expected) = (&side.statement.bill, &statement.bill);
            if offer.is_none() {
                prop_assert_eq!(bill, expected);
            }
            prop_assert_eq!(&bill.lines, &expected.lines, "{:?}", offer);
            prop_assert_eq!((bill.total, bill.paid), (expected.total, expected.paid));
            prop_assert_eq!(bill.unpriced, expected.unpriced);
            prop_assert_eq!(side.statement.energy, statement.energy);
            prop_assert_eq!(side.statement.total(), statement.total());
            prop_assert_eq!(side.statement.is_complete(), statement.is_complete());
            prop_assert_eq!(found.energy, statement.energy);
            // The months add up.
            let months = side.months.iter().filter_map(|month| month.total);
            let sum = months.fold(Decimal::ZERO, Decimal::saturating_add);
            if side.is_priced() && side.months.iter().all(|month| month.total.is_some()) {
                prop_assert!(close(sum, statement.bill.total), "{sum} {}", statement.bill.total);
            }
        }
        // The parts of a row make up its total.
        for row in ComparisonAnswer::new(&account, &found).rows {
            let amount = |of: Option<Decimal>| of.unwrap_or(Decimal::ZERO).millionths();
            let found = &row.amounts;
            let parts = [found.energy, found.demand, found.standing, found.taxes].map(amount);
            let sum = parts.iter().sum::<i64>() - amount(found.credits);
            prop_assert_eq!(sum, amount(found.total), "{:?}", row);
        }
        // The cheapest first, the incomplete ones last.
        let sides = found.priced.sides.iter();
        let totals: Vec<_> = sides.map(|(_, side)| side.statement.whole_total()).collect();
        let known = totals.iter().flatten();
        prop_assert!(known.is_sorted());
        prop_assert!(totals.iter().map(Option::is_none).is_sorted());
    }

    #[test]
    fn an_offer_like_the_contract_costs_the_same(
        seed: u64,
        tariff in 0..TARIFFS.len(),
        (from, length) in (0..HOURS / 2, 1..HOURS / 2),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &SENSORS);
        let mut noise = Noise(seed);
        fill(&store, &SENSORS.map(|(id, ..)| id), &mut noise);
        price(&store, &account, &mut noise);
        let same = contract("2025-01-01", "same", TARIFFS[tariff]);
        put_contracts(&store, &account, vec![same.clone()]);
        add_offer(&store, &account, same);
        // Others beside it do not change it.
        add_offer(&store, &account, contract("2020-01-01", "other", TARIFFS[2]));
        let range = hour(from)..hour(from + length);
        let found = compare(&store, &account, range, hour(HOURS)).unwrap();
        let (present, offer) = (side(&found, None), side(&found, Some("same")));
        prop_assert_eq!(&present.statement, &offer.statement);
        prop_assert_eq!(&present.months, &offer.months);
        prop_assert_eq!(present.statement.mean_price(), offer.statement.mean_price());
        let nothing = present.statement.whole_total().map(|_| Decimal::ZERO);
        prop_assert_eq!(found.difference(offer), nothing);
        prop_assert_eq!(found.difference(present), nothing);
    }
}

/// A kilowatt, drawn for 200 days.
fn steady() -> (tempfile::TempDir, Store, Account) {
    let dir = tempfile::tempdir().unwrap();
    let (store, account) = open(dir.path(), &SENSORS[..1]);
    let registers = (0..=200_u32).map(|day| (hour(i64::from(day) * 24), f64::from(day) * 24_000.0));
    import(&store, "in", &registers.collect::<Vec<_>>());
    (dir, store, account)
}

#[test]
fn an_offer_is_in_force_from_the_first_day_of_the_range_on() {
    let (_dir, store, account) = steady();
    put_contracts(
        &store,
        &account,
        vec![contract("2020-01-01", "now", r#"{"energy":{"price":0.3}}"#)],
    );
    let tiers =
        r#"{"energy":{"period":"year","tiers":[{"up_to_kwh":240,"price":0.1},{"price":0.5}]}}"#;
    add_offer(&store, &account, contract("2030-01-01", "later", tiers));
    add_offer(&store, &account, contract("2020-01-01", "always", tiers));
    // Twenty days of 24 kWh in September, after 31 days.
    let (start, end) = (at("2025-08-31T22:00:00"), at("2025-09-20T22:00:00"));
    let found = compare(&store, &account, start..end, hour(HOURS)).unwrap();
    let total = |offer| side(&found, offer).statement.total().unwrap().to_string();
    assert_eq!(total(None), "144");
    // Its first tier ends after ten days; the other one's ended in August.
    assert_eq!(total(Some("later")), "144");
    assert_eq!(total(Some("always")), "240");
    let difference = |offer| {
        found
            .difference(side(&found, offer))
            .map(|it| it.to_string())
    };
    assert_eq!(difference(Some("later")).as_deref(), Some("0"));
    assert_eq!(difference(Some("always")).as_deref(), Some("96"));
    assert_eq!(
        side(&found, Some("always")).statement.mean_price(),
        Some(Decimal::parse("0.5").unwrap())
    );
}

#[test]
fn a_gap_of_prices_makes_a_row_incomplete() {
    let (_dir, store, account) = steady();
    put_contracts(
        &store,
        &account,
        vec![contract("2020-01-01", "now", r#"{"energy":{"price":0.3}}"#)],
    );
    add_offer(
        &store,
        &account,
        contract("2020-01-01", "market", r#"{"energy":{"series":"free"}}"#),
    );
    add_offer(
        &store,
        &account,
        contract("2020-01-01", "unknown", r#"{"energy":{"series":"none"}}"#),
    );
    add_offer(
        &store,
        &account,
        contract("2020-01-01", "dear", r#"{"energy":{"price":0.9}}"#),
    );
    // Free energy, except in three hours without a price.
    let from = [(24, 100), (103, 300)];
    let prices = from.map(|(from, to)| SeriesPrice {
        from: hour(from),
        to: hour(to),
        price: Decimal::ZERO,
    });
    let series = PriceSeries::new(Label::new("free").unwrap(), prices.to_vec()).unwrap();
    store.put_prices_durably(&account.name, &series).unwrap();
    let found = compare(&store, &account, hour(24)..hour(240), hour(HOURS)).unwrap();
    let sides = found.priced.sides.iter();
    let names = sides.map(|(offer, _)| offer.as_ref().map(Label::as_str));
    assert_eq!(
        names.collect::<Vec<_>>(),
        [None, Some("dear"), Some("market"), Some("unknown")]
    );
    let market = side(&found, Some("market"));
    assert!(!market.is_priced());
    assert_eq!(market.statement.total(), Some(Decimal::ZERO));
    assert_eq!(market.statement.bill.unpriced.imported.watthours(), 3_000.0);
    assert_eq!(
        (found.difference(market), market.statement.mean_price()),
        (None, None)
    );
    assert_eq!(side(&found, Some("unknown")).statement.total(), None);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let (_dir, store, account) = steady();
    let compared =
        |from: i64, to: i64| compare(&store, &account, hour(from)..hour(to), hour(HOURS));
    put_contracts(&store, &account, Vec::new());
    add_offer(
        &store,
        &account,
        contract("2020-01-01", "offer", r#"{"energy":{"price":0.3}}"#),
    );
    let refused = compared(0, 24).err().unwrap().to_string();
    assert!(refused.contains("no contract to compare"), "{refused}");
    put_contracts(
        &store,
        &account,
        vec![contract("2025-09-01", "now", r#"{"energy":{"price":0.3}}"#)],
    );
    let refused = compared(0, 24).err().unwrap().to_string();
    assert!(refused.contains("begins on 2025-09-01"), "{refused}");
    assert!(compared(0, 24 * 40).is_ok());
    // The contracts got another currency since.
    let franc = contract("2020-01-01", "now", r#"{"energy":{"price":0.3}}"#).to_string();
    let franc = Contract::parse(&franc.replace('€', "CHF")).unwrap();
    put_contracts(&store, &account, vec![franc]);
    let found = compared(0, 24).unwrap();
    assert_eq!(found.priced.sides.len(), 1);
    assert_eq!(found.left_out, [Label::new("offer").unwrap()]);
}

#[test]
fn a_comparison_takes_so_many_prices_at_most() {
    let (_dir, store, account) = steady();
    let zones = r#"{"energy":{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:00"}]}}"#;
    put_contracts(&store, &account, vec![contract("2020-01-01", "now", zones)]);
    add_offer(&store, &account, contract("2020-01-01", "offer", zones));
    let compared = |most| {
        let asked = (hour(0)..hour(24 * 100), hour(HOURS));
        compare_within(&store, &account, asked, most)
    };
    // Each day has three parts.
    assert!(compared(700).is_ok());
    assert!(matches!(compared(500), Err(CompareError::TooMany)));
}

#[test]
fn slots_are_the_same_without_energy() {
    let (_dir, store, account) = steady();
    let mut noise = Noise(1);
    price(&store, &account, &mut noise);
    for tariff in TARIFFS {
        let contracts = vec![
            contract("2020-01-01", "now", tariff),
            contract("2025-08-20", "next", TARIFFS[0]),
        ];
        let contracts = Arc::new(Contracts::new(contracts).unwrap());
        let prices = HousePrices::by(&store, &account, hour(0)..hour(24 * 40), contracts);
        let mut window = SeriesWindow::new(prices.window.clone());
        window.load(&store, hour(0)).unwrap();
        let (mut skipped, mut added) = (prices.pricer(), prices.pricer());
        for pricer in [&mut skipped, &mut added] {
            pricer.set_series(window.series.clone());
        }
        let mut count = 0;
        while let Some(slot) = skipped.next_slot() {
            assert_eq!(added.next_slot(), Some(slot), "{tariff}");
            skipped.skip(slot);
            let imported = MicroWh::new(noise.below(5_000_000_000));
            let flow = Flow {
                imported,
                ..Flow::default()
            };
            added.add(slot, Some(flow));
            count += 1;
        }
        assert_eq!(added.next_slot(), None, "{tariff}");
        assert!(count > 1, "{tariff}");
    }
}

#[test]
fn months_are_those_of_the_account() {
    let (_dir, store, account) = steady();
    put_contracts(
        &store,
        &account,
        vec![contract("2020-01-01", "now", r#"{"energy":{"price":0.5}}"#)],
    );
    // The clocks of Berlin are two hours ahead in summer, one in winter.
    let (start, end) = (at("2025-09-29T22:00:00"), at("2025-11-01T23:00:00"));
    let found = compare(&store, &account, start..end, hour(HOURS)).unwrap();
    let months = side(&found, None).months.iter();
    let months = months.map(|month| (month.first.to_string(), month.total.unwrap().to_string()));
    // October has 745 hours.
    let expected = [
        ("2025-09-30", "12"),
        ("2025-10-01", "372.5"),
        ("2025-11-01", "12"),
    ];
    assert_eq!(
        months.collect::<Vec<_>>(),
        expected.map(|(first, total)| (first.to_owned(), total.to_owned()))
    );
    // Future time costs nothing yet.
    let found = compare(&store, &account, start..end, at("2025-09-30T22:00:00")).unwrap();
    assert_eq!(side(&found, None).months.len(), 1);
    let found = compare(&store, &account, start..end, at("2025-09-01T00:00:00")).unwrap();
    assert_eq!((found.priced.sides.len(), found.energy), (1, None));
}
