//! Random contracts of all kinds against a plain model that adds up quarter by quarter, and knows
//! only the calendar.
//!
//! - `energy`: drawn energy; `others`: what else contracts have
//! - `random`: random numbers, loads and prices

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::similar_names,
    reason = "a model in plain numbers, far below 2^52"
)]

mod energy;
mod others;
mod random;

use std::collections::BTreeMap;

use self::random::{Random, quarters};
use super::*;
use crate::domain::Currency;
use crate::ledger::contract::Contract;

/// A quarter of an hour.
#[derive(Clone, Copy)]
struct Quarter {
    start: Timestamp,
    date: LocalDate,
    /// Minutes after midnight, by the clock.
    minute: i64,
    /// The number of the hour: a new one begins where the clocks show one, or jump to another one.
    hour: i64,
    /// In watt-hours.
    imported: i64,
    exported: i64,
    /// In millionths.
    market: Option<i64>,
}

/// The cost of the quarters of a range, which are at these places of all.
type PartCost = Box<dyn Fn(&[Quarter], [usize; 2]) -> f64>;

/// A part of a contract, and its cost.
struct Part {
    components: String,
    cost: PartCost,
}

/// Millionths as a decimal; also watt-hours a thousand times as large.
fn decimal(millionths: i64) -> Decimal {
    Decimal::from_millionths(millionths)
}

fn kilowatthours(watthours: i64) -> Decimal {
    decimal(watthours * 1_000)
}

/// The cost of energies at prices, in the currency.
fn money(price_times_watthours: i64) -> f64 {
    price_times_watthours as f64 / 1e9
}

fn month(quarter: &Quarter) -> (i32, u8) {
    (quarter.date.year(), quarter.date.month())
}

/// The cost of a range, from the cost of all quarters up to a place.
fn rising(cost: impl Fn(&[Quarter]) -> f64 + 'static) -> PartCost {
    Box::new(move |all, [from, to]| cost(&all[..to]) - cost(&all[..from]))
}

/// The sum over all quarters of a price in millionths times an energy.
fn each(price: impl Fn(&[Quarter], usize) -> Option<i64> + 'static, by_export: bool) -> PartCost {
    Box::new(move |all, [from, to]| {
        let priced = (from..to).filter_map(|place| {
            let quarter = &all[place];
            let energy = if by_export {
                -quarter.exported
            } else {
                quarter.imported
            };
            Some(price(all, place)? * energy)
        });
        money(priced.sum())
    })
}

/// The energy of each period, by a key of its quarters.
fn sums<K: Ord>(
    all: &[Quarter],
    key: impl Fn(&Quarter) -> K,
    energy: impl Fn(&Quarter) -> i64,
) -> BTreeMap<K, i64> {
    let mut sums = BTreeMap::new();
    for quarter in all {
        *sums.entry(key(quarter)).or_insert(0) += energy(quarter);
    }
    sums
}

/// The price of each kilowatt-hour by tiers.
fn tiered(energy: i64, ends: &[i64], prices: &[i64]) -> i64 {
    let mut from = 0;
    let mut sum = 0;
    for (place, price) in prices.iter().enumerate() {
        let end = ends.get(place).copied().unwrap_or(i64::MAX);
        sum += (energy.clamp(from, end) - from) * price;
        from = end;
    }
    sum
}

/// All of an energy at the price of the tier that it lies in.
fn bracket(energy: i64, ends: &[i64], prices: &[i64]) -> i64 {
    let place = ends.iter().filter(|end| **end < energy).count();
    energy * prices[place]
}

fn tiers_text(end: &str, ends: &[i64], prices: &[i64]) -> String {
    let tiers = prices.iter().enumerate().map(|(place, price)| {
        let end = ends
            .get(place)
            .map(|it| format!("\"{end}\":{},", kilowatthours(*it)));
        format!(
            "{{{}\"price\":{}}}",
            end.unwrap_or_default(),
            decimal(*price)
        )
    });
    format!("[{}]", tiers.collect::<Vec<_>>().join(","))
}

/// The mean market price of the quarters with a key like that of one; `None` with a hole.
fn mean_price<K: PartialEq>(
    all: &[Quarter],
    place: usize,
    key: impl Fn(&Quarter) -> K,
    counts: impl Fn(&Quarter) -> bool,
) -> Option<i64> {
    let same = key(&all[place]);
    let from = (0..place)
        .rev()
        .take_while(|it| key(&all[*it]) == same)
        .last()
        .unwrap_or(place);
    let period = all[from..].iter().take_while(|it| key(it) == same);
    let mut prices = Vec::new();
    for quarter in period {
        let price = quarter.market?;
        if counts(quarter) {
            prices.push(price);
        }
    }
    Some((prices.iter().sum::<i64>() as f64 / prices.len() as f64).round() as i64)
}

/// A market price times a factor.
fn times(price: i64, factor: i64) -> i64 {
    (price as f64 * factor as f64 / 1e6).round() as i64
}

fn is_night(quarter: &Quarter) -> bool {
    !(6 * 60..22 * 60).contains(&quarter.minute)
}

fn is_summer(date: LocalDate) -> bool {
    (4..=9).contains(&date.month())
}

fn days_of(date: LocalDate) -> i64 {
    let first = LocalDate::new(date.year(), date.month(), 1).unwrap();
    (27..32)
        .find(|days| first.plus_days(*days).unwrap().month() != date.month())
        .unwrap()
        .into()
}

/// The days of a month up to a quarter, with its part of the day.
fn month_share(all: &[Quarter], of: (i32, u8)) -> f64 {
    let mut days: BTreeMap<LocalDate, i64> = BTreeMap::new();
    for quarter in all
        .iter()
        .rev()
        .take_while(|it| month(it) >= of)
        .filter(|it| month(it) == of)
    {
        *days.entry(quarter.date).or_default() += 1;
    }
    let Some((first, _)) = days.first_key_value() else {
        return 0.0;
    };
    let count = days_of(*first) as f64;
    // A day that is not over has its part of its own quarters: ranges here have whole days.
    days.len() as f64 / count
}

/// The ingredients of a part.
struct Typed {
    /// The name of its components.
    name: String,
    /// In millionths.
    price: i64,
    other: i64,
    /// Whether its periods are days, not months.
    by_day: bool,
}

impl Typed {
    fn period(&self) -> &'static str {
        if self.by_day {
            "\"period\":\"day\""
        } else {
            "\"period\":\"month\""
        }
    }

    /// The period of a quarter of an hour.
    fn key(&self) -> impl Fn(&Quarter) -> ((i32, u8), u8) + use<> {
        let by_day = self.by_day;
        move |quarter| {
            let day = if by_day { quarter.date.day() } else { 0 };
            (month(quarter), day)
        }
    }
}

type Kind = fn(&Typed, &mut Random) -> Part;

/// All kinds of tariffs.
const ALL: [Kind; 17] = [
    energy::hour_mean,
    energy::month_mean_by_zone,
    energy::seasons,
    energy::brackets,
    others::steps_by_energy,
    energy::first_within_hours,
    energy::cap_within_hours,
    others::price_range,
    others::signed_price,
    others::weighted_demand,
    energy::netting_with_factor,
    others::maximum,
    others::discount,
    others::table,
    energy::support,
    energy::minimum,
    energy::day_mean_and_hours,
];

fn part(kind: Kind, nth: usize, random: &mut Random) -> Part {
    let typed = Typed {
        name: format!("c{nth}"),
        price: random.price(),
        other: random.price(),
        by_day: random.below(2) == 1,
    };
    kind(&typed, random)
}

/// The total of a contract for days, by the ledger.
fn priced(text: &str, zone: &Zone, all: &[Quarter], [from, to]: [usize; 2]) -> Decimal {
    let contracts = Contracts::parse(&format!("[{text}]")).unwrap();
    let reread: Vec<Contract> = contracts
        .all()
        .iter()
        .map(|it| Contract::parse(&it.to_string()).unwrap())
        .collect();
    assert_eq!(
        contracts.all(),
        reread.as_slice(),
        "it is written as it is read"
    );
    assert_eq!(contracts.currency(), Some(&Currency::new("EUR").unwrap()));
    let prices = all.iter().filter_map(|quarter| {
        Some(SeriesPrice {
            from: quarter.start,
            to: quarter.start.saturating_add_millis(900_000),
            price: decimal(quarter.market?),
        })
    });
    let series = PriceSeries::new(Label::new("spot").unwrap(), prices.collect()).unwrap();
    let end = all.get(to).map_or_else(
        || all[to - 1].start.saturating_add_millis(900_000),
        |it| it.start,
    );
    let range = TimeRange::new(all[from].start, end).unwrap();
    let mut pricer = Pricer::new(&contracts, zone, &Announced::prices(vec![series]), range);
    let mut place = 0;
    while let Some(slot) = pricer.next_slot() {
        while all
            .get(place + 1)
            .is_some_and(|next| next.start <= slot.from())
        {
            place += 1;
        }
        let quarter = &all[place];
        let slot = slot.until(quarter.start.saturating_add_millis(900_000));
        assert_eq!(
            slot.to().millis() - slot.from().millis(),
            900_000,
            "slots end with quarters"
        );
        let energy = |watthours: i64| MicroWh::new(watthours * 1_000_000);
        let flow = Flow {
            imported: energy(quarter.imported),
            exported: energy(quarter.exported),
        };
        pricer.add(slot, Some(flow));
    }
    pricer.finish().total
}

/// Compares random contracts of a kind, beside others.
fn compare(kind: usize, seed: u64) {
    let mut random = Random(seed.wrapping_mul(31).wrapping_add(kind as u64));
    let zone = zone(random.of(&[
        "Europe/Berlin",
        "America/New_York",
        "Australia/Lord_Howe",
        "UTC",
        "Asia/Kolkata",
    ]));
    let all = quarters(&zone, &mut random);
    let others = random.below(3);
    let mut kinds = vec![kind];
    kinds.extend((0..others).map(|_| usize::try_from(random.below(ALL.len() as i64)).unwrap()));
    let parts: Vec<Part> = kinds
        .iter()
        .enumerate()
        .map(|(nth, kind)| part(ALL[*kind], nth, &mut random))
        .collect();
    let percent = random.of(&[0, 7, 19]);
    let components: Vec<&str> = parts.iter().map(|part| part.components.as_str()).collect();
    let tax = format!(r#"{{"tax":{{"name":"VAT","percent":{percent}}}}}"#);
    let text = format!(
        r#"{{"from":"2026-01-01","name":"C","currency":"EUR","components":[{},{tax}]}}"#,
        components.join(",")
    );
    // Whole days, often around a change of the clocks.
    let near = random.of(&[
        "2026-03-20",
        "2026-10-17",
        "2026-10-25",
        "2026-02-25",
        "2026-01-01",
        "2026-06-10",
        "2026-09-20",
        "2026-03-01",
    ]);
    let first = LocalDate::parse(near)
        .unwrap()
        .plus_days(i32::try_from(random.below(12)).unwrap())
        .unwrap();
    let last = first
        .plus_days(1 + i32::try_from(random.below(45)).unwrap())
        .unwrap();
    let place = |date: LocalDate| all.partition_point(|it| it.start < date.start(&zone));
    let range = [place(first), place(last)];
    let expected: f64 = parts.iter().map(|part| (part.cost)(&all, range)).sum();
    let expected = expected * (1.0 + f64::from(percent) / 100.0);
    let found = priced(&text, &zone, &all, range).to_f64();
    assert!(
        (found - expected).abs() < 3e-5,
        "{kinds:?} seed {seed} {zone:?} {first} to {last}: {found}, expected {expected}\n{text}"
    );
}

/// Each kind some times; `WATTKEEPER_CASES` asks for more.
#[test]
fn contracts_of_all_kinds_cost_what_their_quarters_cost() {
    let asked = std::env::var("WATTKEEPER_CASES")
        .ok()
        .and_then(|it| it.parse().ok());
    for seed in 0..asked.unwrap_or(4) {
        for kind in 0..ALL.len() {
            compare(kind, seed);
        }
    }
}
