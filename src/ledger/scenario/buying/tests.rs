use proptest::prelude::*;

use super::*;
use crate::domain::time::at;
use crate::ledger::scenario::Efficiency;

const KWH: i64 = 1_000_000_000;

fn terms(usable: i64, percent: &str) -> BatteryTerms {
    BatteryTerms {
        usable: MicroWh::new(usable),
        charge: MicroWh::new(4 * KWH),
        discharge: MicroWh::new(4 * KWH),
        efficiency: Efficiency::from_percent(Decimal::parse(percent).unwrap()).unwrap(),
    }
}

fn quarter(number: i64) -> HouseQuarter {
    let start = at(number * HouseQuarter::LENGTH_MS);
    HouseQuarter {
        start,
        end: start.saturating_add_millis(HouseQuarter::LENGTH_MS),
        imported: None,
        exported: None,
        produced: None,
        charged: None,
        discharged: None,
        is_coarse: false,
    }
}

fn drawing(imported: i64) -> Flow {
    Flow {
        imported: MicroWh::new(imported),
        exported: MicroWh::ZERO,
    }
}

/// Prices in hundredths, by the quarter of the day, known as those of a day ahead: from 13:00 on
/// until the end of the next day, before that until the end of this one.
fn known(days: i64, cents: impl Fn(i64) -> i64) -> PublishedPrices {
    let mut known = PublishedPrices::starting(0);
    for number in 0..days * DAY {
        let today = number / DAY;
        let days = if number % DAY < 13 * 4 { 1 } else { 2 };
        let price = Decimal::from_millionths(cents(number) * 10_000);
        known.push((Some(price), None), (today + days) * DAY);
    }
    known
}

/// What a house draws with the battery in each quarter.
fn drawn(
    terms: BatteryTerms,
    known: &PublishedPrices,
    house: impl Fn(i64) -> i64,
    days: i64,
) -> Vec<i64> {
    let mut battery = BuyingBattery::new(terms);
    let numbers = 0..days * DAY;
    let serve = |number| {
        let grid = battery.serve(&quarter(number), drawing(house(number)), known);
        assert_eq!(grid.exported, MicroWh::ZERO);
        grid.imported.millionths()
    };
    numbers.map(serve).collect()
}

/// Cheap until four o'clock; the house draws a kilowatt-hour from 18 to 19 o'clock.
fn night(number: i64) -> i64 {
    if number % DAY < 16 { 10 } else { 30 }
}

fn evening(number: i64) -> i64 {
    if (72..76).contains(&(number % DAY)) {
        KWH / 4
    } else {
        0
    }
}

#[test]
fn it_buys_at_night_what_the_evening_usually_draws() {
    let drawn = drawn(terms(5 * KWH, "80"), &known(3, night), evening, 3);
    let sum = |from: i64, to: i64| {
        let range = usize::try_from(from).unwrap()..usize::try_from(to).unwrap();
        drawn[range].iter().sum::<i64>()
    };
    // It knows nothing of the first evening.
    assert_eq!(sum(0, 72), 0);
    assert_eq!(sum(72, DAY), KWH);
    // A kilowatt-hour for the next one takes 1.25, at a kilowatt-hour in a quarter, in the first of
    // the equally cheap quarters.
    assert_eq!(sum(DAY, DAY + 1), KWH);
    assert_eq!(sum(DAY + 1, DAY + 2), KWH / 4);
    assert_eq!(sum(DAY + 2, 2 * DAY), 0);
    assert_eq!(sum(2 * DAY, 3 * DAY), KWH * 5 / 4);
}

#[test]
fn it_buys_only_what_pays_after_losses() {
    // At a third of the price, with a third of the energy left, nothing is won.
    let prices = known(3, night);
    let all = drawn(terms(5 * KWH, "33"), &prices, evening, 3);
    assert_eq!(all.iter().sum::<i64>(), 3 * KWH);
    let all = drawn(terms(5 * KWH, "34"), &prices, evening, 3);
    assert!(all.iter().sum::<i64>() > 6 * KWH);
    // Without differences neither.
    let all = drawn(terms(5 * KWH, "100"), &known(3, |_| 30), evening, 3);
    assert_eq!(all.iter().sum::<i64>(), 3 * KWH);
}

#[test]
fn it_knows_no_price_before_it_is_published() {
    // The second day is dear, and the evening before is cheaper. From 13 o'clock on it knows.
    let is_dear = |number: i64| number / DAY == 2;
    let cents = |number: i64| if is_dear(number) { 90 } else { 20 };
    let house = |number: i64| if number % DAY < 8 { KWH / 10 } else { 0 };
    let all = drawn(terms(5 * KWH, "90"), &known(3, cents), house, 3);
    let bought: Vec<usize> = (0..all.len())
        .filter(|nth| all[*nth] > house(i64::try_from(*nth).unwrap()))
        .collect();
    assert_eq!(bought, [96 + 52]);
    assert_eq!(all[192..200].iter().sum::<i64>(), 0);
}

#[test]
fn it_keeps_energy_for_the_dearest_quarters() {
    // Two equal draws, the later one dearer; the battery is too small for both.
    let cents = |number: i64| match number % DAY {
        0..16 => 10,
        32..36 => 20,
        72..76 => 60,
        _ => 25,
    };
    let house = |number: i64| {
        let at = number % DAY;
        if (32..36).contains(&at) || (72..76).contains(&at) {
            KWH / 4
        } else {
            0
        }
    };
    let all = drawn(terms(KWH, "100"), &known(2, cents), house, 2);
    let day = usize::try_from(DAY).unwrap();
    assert_eq!(all[day + 32..day + 36].iter().sum::<i64>(), KWH);
    assert_eq!(all[day + 72..day + 76].iter().sum::<i64>(), 0);
}

#[test]
fn without_prices_it_is_greedy() {
    let flows = [(0, 800), (500, 0), (0, 300), (900, 100), (400, 0)];
    let mut unpriced = PublishedPrices::starting(0);
    for _ in 0..5 {
        unpriced.push((None, None), 96);
    }
    let mut buying = BuyingBattery::new(terms(KWH, "90"));
    let mut greedy = SimulatedBattery::new(terms(KWH, "90"));
    for ((imported, exported), number) in flows.into_iter().zip(0..) {
        let grid = Flow {
            imported: MicroWh::new(imported),
            exported: MicroWh::new(exported),
        };
        let served = buying.serve(&quarter(number), grid, &unpriced);
        assert_eq!(served, greedy.serve(grid, HouseQuarter::LENGTH_MS));
    }
}

/// The money that a battery which feeds the grid makes in a steady house, in hundredths of a millionth.
fn traded(
    terms: BatteryTerms,
    (prices, credits): (&dyn Fn(i64) -> i64, &dyn Fn(i64) -> i64),
    house: &dyn Fn(i64) -> i64,
    days: i64,
) -> (Vec<Flow>, i128) {
    let mut known = PublishedPrices::starting(0);
    let decimal = |cents: i64| Some(Decimal::from_millionths(cents * 10_000));
    for number in 0..days * DAY {
        let until = number / DAY + if number % DAY < 13 * 4 { 1 } else { 2 };
        known.push(
            (decimal(prices(number)), decimal(credits(number))),
            until * DAY,
        );
    }
    let mut battery = BuyingBattery::new(terms).selling();
    let (mut flows, mut won) = (Vec::new(), 0);
    for number in 0..days * DAY {
        let flow = battery.serve(&quarter(number), drawing(house(number)), &known);
        let saved = house(number) - flow.imported.millionths();
        won += i128::from(saved) * i128::from(prices(number))
            + i128::from(flow.exported.millionths()) * i128::from(credits(number));
        flows.push(flow);
    }
    (flows, won)
}

#[test]
fn it_feeds_in_at_the_dearest_times() {
    // Nobody is at home. Bought at 10 from 0 to 4 o'clock, sold for 40 from 18 to 19.
    let credits = |number: i64| {
        if (72..76).contains(&(number % DAY)) {
            40
        } else {
            5
        }
    };
    let (flows, won) = traded(terms(5 * KWH, "80"), (&night, &credits), &|_| 0, 2);
    let sold: Vec<i64> = flows.iter().map(|it| it.exported.millionths()).collect();
    // A kilowatt-hour in each quarter.
    for day in [0, 96] {
        assert_eq!(sold[day + 72..day + 76], [KWH; 4]);
    }
    assert_eq!(sold.iter().sum::<i64>(), 8 * KWH);
    // 8 kWh for 40, bought as 10 kWh for 10.
    assert_eq!(won, i128::from(KWH) * (8 * 40 - 10 * 10));
    // The house is served first: it pays more.
    let (flows, _) = traded(terms(5 * KWH, "80"), (&night, &|_| 5), &evening, 3);
    assert!(flows.iter().all(|it| it.exported == MicroWh::ZERO));
}

proptest! {
    /// However credits move, a battery without panels loses nothing by feeding in.
    #[test]
    fn it_wins_by_feeding_in(
        cents in proptest::collection::vec(0..60_i64, 24 * 5),
        credits in proptest::collection::vec(-5..60_i64, 24 * 5),
        house in proptest::collection::vec(0..KWH, 24),
        usable in 0..20 * KWH,
        percent in 50..=100_i32,
    ) {
        let hour = |number: i64, of: i64| usize::try_from(number / 4 % of).unwrap();
        let price = |number: i64| cents[hour(number, 24 * 5)];
        // Who feeds in earns at most the price of the hour.
        let credit = |number: i64| credits[hour(number, 24 * 5)].min(price(number));
        let house = |number: i64| house[hour(number, 24)] / 4;
        let (flows, won) = traded(terms(usable, &percent.to_string()), (&price, &credit), &house, 5);
        prop_assert!(won >= -60 * 5 * i128::from(DAY), "{won}");
        for flow in flows {
            prop_assert!(flow.imported == MicroWh::ZERO || flow.exported == MicroWh::ZERO, "{flow:?}");
        }
    }

    /// A house that draws the same each day, so that it knows what to expect.
    #[test]
    fn it_saves_money_in_a_steady_house(
        cents in proptest::collection::vec(-5..60_i64, 24 * 5),
        house in proptest::collection::vec(0..KWH, 24),
        usable in 0..20 * KWH,
        percent in 50..=100_i32,
    ) {
        let hour = |number: i64, of: i64| usize::try_from(number / 4 % of).unwrap();
        let price = |number: i64| cents[hour(number, 24 * 5)];
        let house = |number: i64| house[hour(number, 24)] / 4;
        let all = drawn(terms(usable, &percent.to_string()), &known(5, price), house, 5);
        let cost = |drawn: &dyn Fn(i64) -> i64| {
            (0..5 * DAY).map(|it| i128::from(drawn(it)) * i128::from(price(it))).sum::<i128>()
        };
        let with = cost(&|number| all[usize::try_from(number).unwrap()]);
        // A millionth of a watt-hour is lost in each quarter in which it buys.
        prop_assert!(with <= cost(&house) + 60 * 5 * i128::from(DAY), "{with} {}", cost(&house));
    }
}
