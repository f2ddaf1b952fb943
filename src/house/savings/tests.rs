//! Savings against statements, and against a plain model in decimals.

use proptest::prelude::*;

use super::*;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{LocalDate, MeterKind, MicroWh};
use crate::house::comparison::tests::{
    HOURS, Noise, TARIFFS, contract, fill, hour, price, put_contracts,
};
use crate::house::known_year::PaybackReason;
use crate::house::statement;
use crate::house::tests::{at, import, open};
use crate::ledger::scenario::HouseQuarter;
use crate::ledger::{Flow, Purchase, PurchaseKind, PurchaseTerms, bought};
use crate::store::AccountEntry;

const QUARTER_MS: i64 = HouseQuarter::LENGTH_MS;
const SENSORS: [(&str, Role, MeterKind); 6] = [
    ("in", Role::GridImport, MeterKind::Counter),
    ("out", Role::GridExport, MeterKind::Counter),
    ("sun", Role::Solar, MeterKind::Counter),
    ("charge", Role::BatteryCharge, MeterKind::Counter),
    ("discharge", Role::BatteryDischarge, MeterKind::Counter),
    ("heat", Role::SubMeter, MeterKind::Counter),
];

fn ids() -> [&'static str; 6] {
    SENSORS.map(|(id, ..)| id)
}

fn euros(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

/// The house as it was and without each of these, in a range.
fn sides(
    store: &Store,
    account: &Account,
    without: &[Option<HouseWithout>],
    (range, now): (Range<Timestamp>, Timestamp),
) -> Vec<PricedSide> {
    let house = HouseSensors::of(store, &account.name, now).unwrap();
    priced(store, account, (&house, without), &range).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_house_as_it_was_has_the_statement_of_the_range(
        seed: u64,
        (first, second) in (0..TARIFFS.len(), 0..TARIFFS.len()),
        change in 0..150_i32,
        (from, length) in (0..HOURS / 2, 1..HOURS / 2),
        now in HOURS / 2..HOURS + 100,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &SENSORS);
        let mut noise = Noise(seed);
        fill(&store, &ids(), &mut noise);
        price(&store, &account, &mut noise);
        let day = LocalDate::parse("2025-08-02").unwrap().plus_days(change).unwrap();
        put_contracts(&store, &account, vec![
            contract("2020-01-01", "first", TARIFFS[first]),
            contract(&day.to_string(), "second", TARIFFS[second]),
        ]);
        let (range, now) = (hour(from)..hour(from + length), hour(now));
        let found = savings(&store, &account, range.clone(), now).unwrap();
        prop_assert_eq!(found.priced.sides.len(), 4);
        let expected = statement(&store, &account, range.clone(), now).unwrap();
        let was = &found.was().unwrap().statement;
        prop_assert_eq!(&was.bill, &expected.bill);
        prop_assert_eq!(was.energy, expected.energy);
        prop_assert_eq!(was.total(), expected.total());
        prop_assert_eq!(was.is_complete(), expected.is_complete());
        for (without, side) in &found.priced.sides[1..] {
            let of = (without.unwrap(), range.clone());
            let alone = statement_without(&store, &account, of, now).unwrap();
            prop_assert_eq!(&side.statement.bill, &alone.bill);
            prop_assert_eq!(side.statement.energy, alone.energy);
            // The months add up.
            let saved = side.months.iter().filter_map(|month| month.more);
            let sum = saved.fold(Decimal::ZERO, Decimal::saturating_add);
            let is_whole = side.months.iter().all(|month| month.more.is_some());
            if let Some(saved) = found.saved(side).filter(|_| is_whole) {
                prop_assert!((sum.to_f64() - saved.to_f64()).abs() < 0.000_1, "{sum} {saved}");
            }
        }
    }

    #[test]
    fn a_house_without_panels_and_battery_loses_nothing(
        seed: u64,
        tariff in 0..TARIFFS.len(),
        (from, length) in (0..HOURS / 2, 1..HOURS / 2),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &SENSORS);
        let mut noise = Noise(seed);
        fill(&store, &["in", "out", "heat"], &mut noise);
        price(&store, &account, &mut noise);
        put_contracts(&store, &account, vec![contract("2020-01-01", "now", TARIFFS[tariff])]);
        let asked = (hour(from)..hour(from + length), hour(HOURS));
        let expected = statement(&store, &account, asked.0.clone(), asked.1).unwrap();
        let without = HouseWithout::ALL.map(Some);
        for side in sides(&store, &account, &without, asked) {
            prop_assert_eq!(&side.statement.bill, &expected.bill);
            prop_assert_eq!(side.statement.energy, expected.energy);
        }
    }

    #[test]
    fn a_plain_model_gives_the_same_amounts(seed: u64, from in 0..96_i64, length in 1..400_i64) {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &SENSORS[..5]);
        let zones = r#"{"energy":{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:00"}]}},{"export":{"price":0.08}}"#;
        put_contracts(&store, &account, vec![contract("2020-01-01", "now", zones)]);
        let mut noise = Noise(seed);
        let start = at("2025-10-24T22:00:00");
        let time = |quarter: i64| start.saturating_add_millis(quarter * QUARTER_MS);
        // In watt-hours: imported, exported, produced, charged, discharged. Across the change of the
        // clocks on 26 October.
        let quarters: Vec<[i64; 5]> = (0..500)
            .map(|_| [900, 700, 1_200, 500, 400].map(|most| (noise.below(most * 2) - most).max(0)))
            .collect();
        for (nth, sensor) in ids()[..5].iter().enumerate() {
            // Half a watt-hour more, so that no step looks like one of a coarse register.
            let mut shown = 0.5;
            let mut registers = vec![(time(0), shown)];
            for (energies, end) in quarters.iter().zip(1..) {
                shown += f64::from(i32::try_from(energies[nth]).unwrap());
                registers.push((time(end), shown));
            }
            import(&store, sensor, &registers);
        }
        let range = time(from)..time(from + length);
        let found = savings(&store, &account, range.clone(), time(500)).unwrap();
        // The cost in millionths: tenths of a cent per kilowatt-hour are so many per watt-hour.
        let mut expected = [0_i64; 4];
        let within = quarters.iter().zip(0..).filter(|(_, nth)| (from..from + length).contains(nth));
        for ([imported, exported, produced, charged, discharged], nth) in within {
            let local = account.zone.shown_at(time(nth)).to_string();
            let night = ["22", "23", "00", "01", "02", "03", "04", "05"].contains(&&local[11..13]);
            let per_wh = if night { 240 } else { 350 };
            let cost = |imported: i64, exported: i64| imported * per_wh - exported * 80;
            let without_panels = |imported: i64, exported: i64| {
                let rest = exported - produced;
                if rest >= 0 { cost(imported, rest) } else { cost(imported - rest, 0) }
            };
            // What the battery took came from the grid as far as the house drew, and so on.
            let from_grid = *charged.min(imported);
            let into_grid = *discharged.min(exported);
            let imported_alone = imported - from_grid + discharged - into_grid;
            let exported_alone = exported - into_grid + charged - from_grid;
            let costs = [
                cost(*imported, *exported),
                without_panels(*imported, *exported),
                cost(imported_alone, exported_alone),
                without_panels(imported_alone, exported_alone),
            ];
            for (sum, cost) in expected.iter_mut().zip(costs) {
                *sum += cost;
            }
        }
        let sides = || found.priced.sides.iter().map(|(_, side)| side);
        let totals = sides().map(|side| side.statement.total().unwrap().millionths());
        prop_assert_eq!(totals.collect::<Vec<_>>(), expected);
        let saved = sides().map(|side| found.saved(side).unwrap().millionths());
        let expected_saved = expected.map(|cost| cost - expected[0]);
        prop_assert_eq!(saved.collect::<Vec<_>>(), expected_saved);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_silence_never_adds_savings(from in 3..70_i64, length in 4..40_i64) {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = with_a_silent_export(dir.path(), from..from + length);
        let begin = at("2026-01-04T23:00:00");
        let end = begin.saturating_add_millis(3 * MS_PER_DAY);
        let found = savings(&store, &account, begin..end, end).unwrap();
        let without = &found.priced.sides[1].1;
        if let Some(saved) = found.saved(without) {
            prop_assert!(saved <= euros("6.3"), "{saved}");
            // No more is unknown than the energy that is named, at the dearest price.
            let named = without.left_out().imported + without.left_out().exported;
            let missing = euros("6.3").to_f64() - saved.to_f64();
            let unknown_hours = f64::from(i32::try_from(length + 1).unwrap());
            prop_assert!(missing <= 0.35 * unknown_hours + 1e-6, "{missing} {}", named.watthours());
        }
        let exported = without.at_grid().map(|flow| flow.exported);
        prop_assert!(exported.is_none_or(|exported| exported == MicroWh::ZERO), "{exported:?}");
    }
}

/// A house that uses a kilowatt: half of it from the grid and, between these hours, half from its
/// panels.
fn steady(dir: &std::path::Path, hours: i64, sunny: Range<i64>) -> (Store, Account) {
    let (store, account) = open(dir, &SENSORS[..4]);
    let register = |hour_of: i64, begin: i64| {
        let count = u32::try_from(hour_of - begin).unwrap();
        (hour(hour_of), f64::from(count) * 500.0)
    };
    let grid: Vec<_> = (0..=hours).map(|nth| register(nth, 0)).collect();
    import(&store, "in", &grid);
    let sun = sunny.start..=sunny.end;
    let sun: Vec<_> = sun.map(|nth| register(nth, sunny.start)).collect();
    import(&store, "sun", &sun);
    (store, account)
}

#[test]
fn time_without_readings_of_the_panels_saves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    // The panels are measured from the second day on, and no more on the fourth.
    let (store, account) = steady(dir.path(), 96, 24..72);
    let found = savings(&store, &account, hour(0)..hour(96), hour(96)).unwrap();
    let [(None, was), (Some(HouseWithout::Panels), without)] = &found.priced.sides[..] else {
        panic!("{} sides", found.priced.sides.len());
    };
    assert_eq!(was.statement.total(), Some(euros("24")));
    assert!(was.statement.is_complete());
    // Two days of 12 kWh at half a euro.
    assert_eq!(without.statement.total(), Some(euros("36")));
    assert_eq!(found.saved(without), Some(euros("12")));
    assert_eq!(without.statement.missing_ms, MS_PER_DAY);
    assert!(!without.statement.is_complete());
    let energy = was.energy.unwrap();
    assert_eq!(energy.produced.unwrap().watthours(), 24_000.0);
    assert!(!found.measures_export);
}

/// Three equal days by the hour: half a kilowatt is used, and the panels give 3 kW from 10 to 16
/// o'clock. The register of the export is silent in some of them.
fn with_a_silent_export(dir: &std::path::Path, silent: Range<i64>) -> (Store, Account) {
    let (store, account) = open(dir, &SENSORS[..3]);
    let zones = r#"{"energy":{"price":0.3}},{"export":{"price":0.08}}"#;
    put_contracts(&store, &account, vec![contract("2020-01-01", "now", zones)]);
    let begin = at("2026-01-04T23:00:00");
    let (mut shown, mut registers) = ([0.5_f64; 3], [Vec::new(), Vec::new(), Vec::new()]);
    for nth in 0..=72 {
        let time = begin.saturating_add_millis(nth * MS_PER_HOUR);
        for (place, all) in registers.iter_mut().enumerate() {
            if place != 1 || !silent.contains(&nth) {
                all.push((time, shown[place]));
            }
        }
        let power = if (10..16).contains(&(nth % 24)) {
            3_000.0
        } else {
            0.0
        };
        let flows = [
            (500.0_f64 - power).max(0.0),
            (power - 500.0).max(0.0),
            power,
        ];
        for (sum, flow) in shown.iter_mut().zip(flows) {
            *sum += flow;
        }
    }
    for (sensor, all) in ["in", "out", "sun"].into_iter().zip(registers) {
        import(&store, sensor, &all);
    }
    (store, account)
}

#[test]
fn what_is_estimated_saves_nothing_and_is_named() {
    let dir = tempfile::tempdir().unwrap();
    // From noon of the second day until one o'clock of the third one.
    let (store, account) = with_a_silent_export(dir.path(), 37..61);
    let day = |nth: i64| at("2026-01-04T23:00:00").saturating_add_millis(nth * MS_PER_DAY);
    let ask = |from: i64, to: i64| savings(&store, &account, day(from)..day(to), day(3)).unwrap();
    let (one, two) = (ask(0, 1), ask(1, 3));
    let [first, later] = [&one, &two].map(|found| found.saved(&found.priced.sides[1].1).unwrap());
    assert_eq!(first, euros("2.1"));
    // Two hours of the second day, and three of the third one.
    assert_eq!(later, euros("1.75"));
    let without = &two.priced.sides[1].1;
    assert_eq!(without.at_grid().unwrap().exported, MicroWh::ZERO);
    // All that was fed in from noon to one o'clock of the next day.
    let left_out = without.left_out().exported.watthours();
    assert_eq!(left_out, 17_500.0);
    // The energies of both rows are those of the same time.
    let was = two.was().unwrap();
    assert_eq!(was.left_out(), without.left_out());
    assert_eq!(one.was().unwrap().left_out(), Flow::default());
    let [imported, all] = [was.at_grid(), was.statement.energy].map(|it| it.unwrap().imported);
    // Known in five of the hours with sun, and in all of those before and after them.
    assert_eq!(imported + was.left_out().imported, all);
    assert!(was.left_out().imported > MicroWh::ZERO);
    // The same house, as it was, has the same total as ever.
    let of_range = statement(&store, &account, day(1)..day(3), day(3)).unwrap();
    assert_eq!(was.statement.total(), of_range.total());
    let days = ask(2, 3).priced.sides[1].1.months.clone();
    assert_eq!(days.iter().filter_map(|month| month.more).count(), 1);
}

#[test]
fn what_cannot_be_told_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (store, account) = steady(dir.path(), 48, 0..48);
    let ask = || savings(&store, &account, hour(0)..hour(48), hour(48));
    let of = |without| (without, hour(0)..hour(48));
    let refused = |without| {
        let found = statement_without(&store, &account, of(without), hour(48));
        found.err().map(|error| error.to_string())
    };
    assert_eq!(refused(HouseWithout::Panels), None);
    for without in [HouseWithout::Battery, HouseWithout::Both] {
        assert!(
            refused(without)
                .unwrap()
                .contains("expected a sensor with the role")
        );
    }
    put_contracts(&store, &account, Vec::new());
    assert!(matches!(ask(), Err(SavingsError::NoContract(None))));
    let later = contract("2026-01-01", "later", TARIFFS[0]);
    put_contracts(&store, &account, vec![later]);
    let error = ask().err().unwrap().to_string();
    assert!(error.contains("begins on 2026-01-01"), "{error}");
    let other = tempfile::tempdir().unwrap();
    let (store, account) = open(other.path(), &SENSORS[..2]);
    import(&store, "in", &[(hour(0), 0.0), (hour(48), 500.0)]);
    let error = savings(&store, &account, hour(0)..hour(48), hour(48));
    let error = error.err().unwrap().to_string();
    assert!(error.contains("neither panels nor a battery"), "{error}");
}

fn buy(store: &Store, account: &Account, terms: PurchaseTerms) {
    let (name, purchase) = (account.name.clone(), Purchase::new(terms).unwrap());
    store
        .edit(move |edit| edit.put_entry(&name, AccountEntry::Purchase(purchase), None))
        .unwrap();
}

/// The paybacks at midnight of a day in Berlin, so many days after the first reading.
fn payback(store: &Store, account: &Account, days: i64) -> Vec<Payback> {
    let now = at("2025-01-01T23:00:00").saturating_add_millis(days * MS_PER_DAY);
    paybacks(store, account, now).unwrap().1
}

/// A house with panels that save 6 euros a day from 2 January 2025 on, for so many days.
fn sunny(dir: &std::path::Path, days: i64) -> (Store, Account) {
    let (store, account) = open(dir, &SENSORS[..4]);
    let begin = at("2025-01-01T23:00:00");
    let registers = (0..=days * 24).map(|nth| {
        let time = begin.saturating_add_millis(nth * MS_PER_HOUR);
        (time, f64::from(u32::try_from(nth).unwrap()) * 500.0)
    });
    let registers: Vec<_> = registers.collect();
    for sensor in ["in", "sun"] {
        import(&store, sensor, &registers);
    }
    (store, account)
}

#[test]
fn panels_pay_for_themselves() {
    let dir = tempfile::tempdir().unwrap();
    let (store, account) = sunny(dir.path(), 400);
    let panels = PurchaseTerms {
        subsidy: euros("1000"),
        costs_per_year: euros("36.5"),
        ..bought(PurchaseKind::Panels, "roof", "2024-01-02", 10_000)
    };
    buy(&store, &account, panels.clone());
    let found = payback(&store, &account, 400);
    let [found] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(
        (found.by, found.price),
        (HouseWithout::Panels, euros("9000"))
    );
    assert_eq!(found.saved, Some(euros("2400")));
    // 366 days before the first reading, of 2,190 a year.
    assert_eq!(found.assumed, Some(euros("2196")));
    // 766 days of ten cents.
    assert_eq!(found.costs, euros("76.6"));
    assert_eq!(found.per_year, Some(euros("2153.5")));
    // 4,480.60 are left: 759.4 days at 5.90.
    assert!((found.paid_back().unwrap() - 4_519.4 / 9_000.0).abs() < 1e-9);
    let expected = LocalDate::parse("2026-02-06").unwrap().plus_days(760);
    assert_eq!((found.expected, found.reason), (expected, None));
    // The example of the document.
    let document = include_str!("../../../docs/DECIDE.md");
    let (_, section) = document.split_once("### When are they paid back?").unwrap();
    let (_, block) = section.split_once("```json\n").unwrap();
    let (documented, _) = block.split_once("\n```").unwrap();
    let row = PaybackRow::new(found);
    assert_eq!(serde_json::to_string(&row).unwrap(), documented);

    // A battery without a sensor, and something else.
    let battery = bought(PurchaseKind::Battery, "cellar", "2025-06-01", 5_000);
    buy(&store, &account, battery);
    buy(
        &store,
        &account,
        bought(PurchaseKind::Other, "meter", "2025-01-02", 100),
    );
    let found = payback(&store, &account, 400);
    let by: Vec<_> = found
        .iter()
        .map(|one| (one.by, one.purchases.len()))
        .collect();
    let expected = [
        (HouseWithout::Panels, 1),
        (HouseWithout::Battery, 1),
        (HouseWithout::Both, 3),
    ];
    assert_eq!(by, expected);
    assert_eq!(found[1].reason, Some(PaybackReason::NoSensor));
    assert_eq!((found[1].saved, found[1].paid_back()), (None, None));
    // The panels' savings are those of the house.
    assert_eq!(found[2].saved, Some(euros("2400")));
    assert_eq!(found[2].price, euros("14100"));
    assert!(found[2].expected.is_some());
}

#[test]
fn a_day_is_expected_only_where_it_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let (store, account) = sunny(dir.path(), 400);
    let reason = |terms: PurchaseTerms, days: i64| {
        buy(&store, &account, terms);
        let found = payback(&store, &account, days);
        assert_eq!(found[0].expected, None);
        found[0].reason
    };
    let panels = || bought(PurchaseKind::Panels, "roof", "2025-01-02", 9_000);
    assert_eq!(reason(panels(), 364), Some(PaybackReason::FewMonths));
    assert_eq!(payback(&store, &account, 365)[0].reason, None);
    let cheap = PurchaseTerms {
        amount: euros("2400"),
        ..panels()
    };
    assert_eq!(reason(cheap, 400), Some(PaybackReason::PaidBack));
    assert_eq!(payback(&store, &account, 400)[0].paid_back(), Some(1.0));
    let dear = PurchaseTerms {
        costs_per_year: euros("2190"),
        ..panels()
    };
    assert_eq!(reason(dear, 400), Some(PaybackReason::NoSavings));
    // More than a twentieth of the last year has no readings.
    assert_eq!(reason(panels(), 420), Some(PaybackReason::Incomplete));
    // Nothing is bought yet: what it will have saved counts from then on.
    let planned = bought(PurchaseKind::Panels, "roof", "2026-12-01", 2_190);
    buy(&store, &account, planned);
    let found = payback(&store, &account, 400);
    assert_eq!(
        (found[0].saved, found[0].assumed),
        (Some(Decimal::ZERO), Some(Decimal::ZERO))
    );
    assert_eq!(found[0].expected, LocalDate::parse("2027-12-01").ok());
}
