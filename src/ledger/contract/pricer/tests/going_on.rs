//! Amounts of periods over contracts that change within them, against a plain model that begins
//! with the first contract and goes on hour by hour.

use proptest::prelude::*;

use super::tariffs::{HOUR_MS, hourly_slot};
use super::*;

/// A contract of the model: its first day of the year, whether its periods go on, and its prices in
/// millionths.
#[derive(Clone, Copy, Debug)]
struct PriceChange {
    day: i64,
    continues: bool,
    price: i64,
    other: i64,
    limit_kwh: i64,
}

const KILO: i128 = 1_000_000_000;

/// The energy of an hour: more in the evening, a surplus at noon.
fn energy_of(hour: i64, seed: i64, scale: i64) -> [i64; 2] {
    let noise = (hour * 7_919 + seed * 104_729).rem_euclid(1_009);
    let imported = scale * (noise + 300 * i64::from(hour.rem_euclid(24) > 17));
    let exported = scale * (noise * 5 % 1_409) * i64::from((8..16).contains(&hour.rem_euclid(24)));
    [imported * 1_000_000, exported * 1_000_000]
}

fn date(day: i64) -> LocalDate {
    let first = LocalDate::parse("2026-01-01").unwrap();
    first.plus_days(i32::try_from(day).unwrap()).unwrap()
}

/// The first day of the month of a day, and of the next one.
fn month_of(day: i64) -> [i64; 2] {
    let month = |day| date(day).month();
    let start = (0..=day).rev().take_while(|it| month(*it) == month(day));
    let end = (day..).take_while(|it| month(*it) == month(day));
    [start.last().unwrap(), end.last().unwrap() + 1]
}

impl PriceChange {
    fn components(&self, kind: usize) -> String {
        let [price, other] = [self.price, self.other].map(Decimal::from_millionths);
        let limit = self.limit_kwh;
        let tiers = |end: &str| {
            format!(
                r#""period":"month","tiers":[{{"{end}":{limit},"price":{price}}},{{"price":{other}}}]"#
            )
        };
        match kind {
            0 => format!(
                r#"{{"energy":{{"price":{price},"netting":"month","surplus":{{"price":{other}}}}}}}"#
            ),
            1 => format!(r#"{{"energy":{{{}}}}}"#, tiers("up_to_kwh")),
            2 => format!(r#"{{"energy":{{{}}}}}"#, tiers("up_to_kwh_per_day")),
            3 => format!(r#"{{"export":{{{}}}}}"#, tiers("up_to_kwh")),
            4 => format!(
                r#"{{"energy":{{"price":{price},"cap":{{"price":{other},"up_to_kwh":{limit},"period":"month"}}}}}}"#
            ),
            5 => format!(
                r#"{{"energy":{{"price":{price}}}}},{{"export":{{"price":{other},"at_most":"energy"}}}}"#
            ),
            _ => format!(
                r#"{{"energy":{{"price":{price}}}}},{{"minimum":{{"name":"least","price":{limit},"per":"month"}}}}"#
            ),
        }
    }
}

/// The quantity that counts in the running period: energies or amounts.
#[derive(Clone, Copy, Default)]
struct Counted {
    month: i64,
    one: i128,
    other: i128,
}

/// The cost of an hour in 10^-15, which changes what is counted.
fn hour_of(
    kind: usize,
    of: &PriceChange,
    counted: &mut Counted,
    days: i128,
    month_days: i128,
    [drawn, fed]: [i128; 2],
) -> i128 {
    let [price, other] = [of.price, of.other].map(i128::from);
    let limit = i128::from(of.limit_kwh) * KILO;
    let before = *counted;
    let tiers = |end: i128, at: i128| at.min(end) * price + (at - end).max(0) * other;
    let capped = |at: i128| at * price - at.min(limit) * (price - other).max(0);
    match kind {
        0 => {
            counted.one += drawn - fed;
            let amount = |net: i128| net.max(0) * price - (-net).max(0) * other;
            amount(counted.one) - amount(before.one)
        }
        1 => {
            counted.one += drawn;
            tiers(limit, counted.one) - tiers(limit, before.one)
        }
        2 => {
            counted.one += drawn;
            tiers(limit * days, counted.one) - tiers(limit * days, before.one)
        }
        3 => {
            counted.one += fed;
            tiers(limit, before.one) - tiers(limit, counted.one)
        }
        4 => {
            counted.one += drawn;
            capped(counted.one) - capped(before.one)
        }
        5 => {
            counted.one += drawn * price;
            counted.other += fed * other;
            let total = |it: &Counted| it.one - it.other + (it.other - it.one).max(0);
            total(counted) - total(&before)
        }
        _ => {
            counted.one += drawn * price;
            counted.other += i128::from(of.limit_kwh) * 1_000_000 * KILO / (24 * month_days);
            let total = |it: &Counted| it.one.max(it.other);
            total(counted) - total(&before)
        }
    }
}

/// The cost of a range of hours of the year.
fn model(kind: usize, changes: &[PriceChange], range: [i64; 2], (seed, scale): (i64, i64)) -> i128 {
    let mut counted = Counted::default();
    let mut sum = 0;
    for hour in changes[0].day * 24..range[1] {
        let day = hour / 24;
        let [start, end] = month_of(day);
        let place = changes.iter().rposition(|it| it.day <= day).unwrap();
        let of = &changes[place];
        let begins = hour == of.day * 24 && place > 0;
        // A limit by day is for the days of each contract, and their energy.
        let restarts = !of.continues || kind == 2;
        if counted.month != start || hour == changes[0].day * 24 || (begins && restarts) {
            counted = Counted {
                month: start,
                ..Counted::default()
            };
        }
        let until = changes.get(place + 1).map_or(end, |next| next.day.min(end));
        let days = i128::from(until - of.day.max(start));
        let energy = energy_of(hour, seed, scale).map(i128::from);
        let month_days = i128::from(end - start);
        let cost = hour_of(kind, of, &mut counted, days, month_days, energy);
        if hour >= range[0] {
            sum += cost;
        }
    }
    sum
}

fn any_changes() -> impl Strategy<Value = Vec<PriceChange>> {
    let change = (
        1_i64..40,
        any::<bool>(),
        1_i64..500_000,
        1_i64..500_000,
        1_i64..400,
    );
    proptest::collection::vec(change, 2..5).prop_map(|all| {
        let mut day = 0;
        let all = all
            .into_iter()
            .map(|(days, continues, price, other, limit_kwh)| {
                day += days;
                PriceChange {
                    day,
                    continues,
                    price,
                    other,
                    limit_kwh,
                }
            });
        all.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn periods_go_on_over_new_prices(
        changes in any_changes(), from_hour in 0_i64..2_000, length in 1_i64..1_500, seed in 0_i64..1_000, scale in 1_i64..4,
        kind in 0_usize..7,
    ) {
        let range = [0, length].map(|hours| changes[0].day * 24 + from_hour + hours);
        let expected = model(kind, &changes, range, (seed, scale));
        let texts = changes.iter().map(|it| {
            let (day, continues) = (date(it.day), it.continues);
            format!(r#"{{"from":"{day}","name":"since {day}","currency":"EUR","continues":{continues},"components":[{}]}}"#, it.components(kind))
        });
        let texts: Vec<String> = texts.collect();
        let contracts = Contracts::parse(&format!("[{}]", texts.join(","))).unwrap();
        let zero = at("2026-01-01T00:00:00").millis();
        let [from, to] = range.map(|hour| Timestamp::from_millis(zero + hour * HOUR_MS).unwrap());
        let mut pricer = Pricer::new(&contracts, &Zone::UTC, &Announced::default(), TimeRange::new(from, to).unwrap());
        let energy = |time: Timestamp| {
            let hour = (time.millis() - zero) / HOUR_MS;
            let [imported, exported] = energy_of(hour, seed, scale).map(MicroWh::new);
            MeteredEnergy::of_house(Some(Flow { imported, exported }))
        };
        let mut found = Amount::ZERO;
        while let Some(slot) = pricer.next_slot() {
            let (slot, energy) = hourly_slot(slot, &energy);
            let cost = pricer.add_known(slot, &energy);
            found = found + cost.cost - cost.credit;
        }
        // Shares of a price are rounded.
        let apart = found.smallest() - expected;
        prop_assert!(apart.abs() <= 3_000, "{} {expected} {contracts}", found.smallest());
        let bill = pricer.finish();
        prop_assert!((bill.total.millionths() - found.rounded().millionths()).abs() <= 20);
    }
}

/// The total of a range of days by contracts that draw a kilowatt.
fn total(contracts: &[&str], dates: [&str; 2]) -> String {
    let contracts = Contracts::parse(&format!("[{}]", contracts.join(","))).unwrap();
    let (lines, _) = bill_of(&contracts, &zone("Europe/Berlin"), &[], dates, KILOWATT);
    lines.last().unwrap().clone()
}

#[test]
fn zones_that_net_for_themselves_go_on_by_name() {
    let zones = |from: &str, names: [&str; 2]| {
        let [one, two] = names;
        format!(
            r#"{{"from":"{from}","name":"A","currency":"EUR","components":[{{"energy":{{"netting":"year","by_zone":true,"surplus":{{"price":0.05}},"zones":[{{"name":"{one}","price":0.3}},{{"name":"{two}","price":0.2,"hours":"10:00-14:00"}}]}}}}]}}"#
        )
    };
    let dates = ["2026-01-01", "2026-03-01"];
    let first = zones("2026-01-01", ["day", "noon"]);
    let one = total(&[&first], dates);
    let again = zones("2026-02-01", ["day", "noon"]);
    assert_eq!(total(&[&first, &again], dates), one);
    // Half a kilowatt is left in each zone: 20 hours at 0.3, and four at 0.2.
    assert_eq!(one, "total 200.6");
}

#[test]
fn charges_of_a_month_are_split_by_days_where_clocks_change() {
    let fixed = |from: &str, price: &str| {
        format!(
            r#"{{"from":"{from}","name":"A","currency":"EUR","components":[{{"fixed":{{"name":"base","price":{price},"per":"month"}}}}]}}"#
        )
    };
    let (old, new) = (fixed("2026-01-01", "31"), fixed("2026-03-15", "62"));
    // The clocks change on the 29th.
    let march = total(&[&old, &new], ["2026-03-01", "2026-04-01"]);
    assert_eq!(march, "total 48");
    for (dates, expected) in [
        (["2026-03-01", "2026-03-15"], "total 14"),
        (["2026-03-28", "2026-03-29"], "total 2"),
        (["2026-03-29", "2026-03-30"], "total 2"),
        (["2026-10-25", "2026-10-26"], "total 2"),
        (["2026-10-24", "2026-10-26"], "total 4"),
    ] {
        assert_eq!(total(&[&old, &new], dates), expected, "{dates:?}");
    }
    // A day of 23 hours: an hour is 1/23 of it.
    let hours = ["2026-03-28T23:00:00", "2026-03-29T22:00:00"];
    assert_eq!(total(&[&old, &new], hours), "total 2");
    let advances = r#"{"from":"2026-01-01","name":"A","currency":"EUR","advances":[{"from":"2026-01-01","amount":62,"per":"month"}],"components":[{"energy":{"price":0}}]}"#;
    let contracts = Contracts::parse(&format!("[{advances}]")).unwrap();
    let dates = ["2026-03-01", "2026-03-15"];
    let (_, bill) = bill_of(&contracts, &zone("Europe/Berlin"), &[], dates, KILOWATT);
    assert_eq!(bill.paid, Some(Decimal::parse("28").unwrap()));
}
