//! Tariffs of many countries: worked examples.

use super::*;
use crate::ledger::contract::{DayList, DayLists};

pub(super) const HOUR_MS: i64 = 3_600_000;

/// The lines and the total of a range of dates in a zone, with the energy of each hour.
pub(super) fn bill_by_hour(
    (contracts, zone, announced): (&Contracts, &Zone, &Announced),
    dates: [&str; 2],
    energy: impl Fn(Timestamp) -> MeteredEnergy,
) -> Vec<String> {
    let [from, to] = dates.map(|text| match LocalDate::parse(text) {
        Ok(date) => date.start(zone),
        Err(_) => at(text),
    });
    let range = TimeRange::new(from, to).unwrap();
    let mut pricer = Pricer::new(contracts, zone, announced, range);
    let mut sum = Amount::ZERO;
    while let Some(slot) = pricer.next_slot() {
        let (slot, energy) = hourly_slot(slot, &energy);
        let cost = pricer.add_known(slot, &energy);
        sum = sum + cost.cost - cost.credit;
    }
    let bill = pricer.finish();
    let apart = sum.rounded().millionths() - bill.total.millionths();
    assert!(apart.unsigned_abs() <= bill.lines.len() as u64, "{apart}");
    let mut lines: Vec<String> = bill.lines.iter().map(told).collect();
    let unpriced = (bill.unpriced != Flow::default()).then_some(bill.unpriced);
    let kwh = |energy: MicroWh| energy.watthours() / 1e3;
    lines.extend(unpriced.map(|it| format!("unpriced {} {}", kwh(it.imported), kwh(it.exported))));
    lines.extend(
        bill.paid
            .map(|paid| format!("paid {paid} {}", bill.balance().unwrap())),
    );
    lines.push(format!("total {}", bill.total));
    lines
}

/// A slot until the end of its hour, and its share of that hour's energy.
pub(super) fn hourly_slot(
    slot: PriceSlot,
    energy: &impl Fn(Timestamp) -> MeteredEnergy,
) -> (PriceSlot, MeteredEnergy) {
    let start = slot.from().millis().div_euclid(HOUR_MS) * HOUR_MS;
    let slot = slot.until(Timestamp::from_millis(start + HOUR_MS).unwrap());
    let [from, to] = [slot.from(), slot.to()].map(|time| time.millis() - start);
    let part = |energy: MicroWh| energy.part(to, HOUR_MS) - energy.part(from, HOUR_MS);
    let whole = energy(Timestamp::from_millis(start).unwrap());
    let flow = whole.flow.map(|flow| Flow {
        imported: part(flow.imported),
        exported: part(flow.exported),
    });
    let named = whole.named.iter().copied().map(part).collect();
    let energy = MeteredEnergy {
        flow,
        named,
        ..whole
    };
    (slot, energy)
}

pub(super) fn kilowatts(imported: f64, exported: f64) -> MeteredEnergy {
    let [imported, exported] = [imported, exported].map(|kw| MicroWh::from_watthours(kw * 1e3));
    MeteredEnergy::of_house(Some(Flow { imported, exported }))
}

pub(super) fn hour_of(time: Timestamp, zone: &Zone) -> i64 {
    zone.shown_at(time).millis_of_day() / HOUR_MS
}

/// A contract with more fields, and its bill for a range of dates in Berlin.
pub(super) fn bill_in_berlin(
    contract: &str,
    dates: [&str; 2],
    energy: impl Fn(Timestamp) -> MeteredEnergy,
) -> Vec<String> {
    let contracts = Contracts::parse(&format!("[{contract}]")).unwrap();
    assert_eq!(
        Contracts::parse(&contracts.to_string()),
        Ok(contracts.clone())
    );
    let announced = Announced::default();
    bill_by_hour(
        (&contracts, &zone("Europe/Berlin"), &announced),
        dates,
        energy,
    )
}

pub(super) fn with(fields: &str, components: &str) -> String {
    format!(
        r#"{{"from":"2026-01-01","name":"A","currency":"EUR"{fields},"components":[{components}]}}"#
    )
}

#[test]
fn a_register_has_a_price_of_its_own() {
    let contract = with(
        "",
        r#"{"energy":{"name":"day","price":0.3}},{"energy":{"name":"grid","price":0.05,"of":["night"]}},{"energy":{"name":"night","price":0.2,"of":["night"]}},{"fixed":{"name":"meter","price":1,"per":"day","of":["night"]}}"#,
    );
    let energy = |_| MeteredEnergy {
        named: vec![MicroWh::new(400_000_000)],
        ..kilowatts(1.0, 0.0)
    };
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-05", "2026-01-06"], energy),
        [
            "energy day 14.4 kWh 0.3 4.32",
            "energy grid 9.6 kWh 0.05 0.48",
            "energy night 9.6 kWh 0.2 1.92",
            "fixed meter night 1 day 1 1",
            "total 7.72"
        ]
    );
    // Where the house's energy is unknown, a negative rest means nothing.
    let gap = |time: Timestamp| MeteredEnergy {
        flow: (time.millis() / HOUR_MS % 2 == 0)
            .then_some(kilowatts(1.0, 0.0).flow)
            .flatten(),
        is_whole: time.millis() / HOUR_MS % 2 == 0,
        ..energy(time)
    };
    let lines = bill_in_berlin(&contract, ["2026-01-05", "2026-01-06"], gap);
    assert_eq!(lines[0], "energy day 7.2 kWh 0.3 2.16");
    assert_eq!(lines[2], "energy night 9.6 kWh 0.2 1.92");
    let partly = |time| MeteredEnergy {
        flow: kilowatts(0.1, 0.0).flow,
        is_whole: false,
        ..energy(time)
    };
    let lines = bill_in_berlin(&contract, ["2026-01-05", "2026-01-06"], partly);
    assert_eq!(lines[0], "energy day 0 kWh 0.3 0");
}

#[test]
fn a_named_sensor_is_subtracted_from_the_one_around_it() {
    let contract = with(
        "",
        r#"{"energy":{"name":"rest","price":1}},{"energy":{"name":"heat","price":1,"of":["heat"]}},{"energy":{"name":"car","price":1,"of":["car"]}}"#,
    );
    let contracts = Contracts::parse(&format!("[{contract}]")).unwrap();
    let id = |text| SensorId::new(text).unwrap();
    let announced = Announced {
        inside: vec![(id("car"), id("heat"))],
        ..Announced::default()
    };
    // By id: the car's 2 kW are a part of the heating's 3 kW.
    let energy = |_| MeteredEnergy {
        named: [2_000_000_000, 3_000_000_000].map(MicroWh::new).to_vec(),
        ..kilowatts(4.0, 0.0)
    };
    let dates = ["2026-01-05", "2026-01-06"];
    assert_eq!(
        bill_by_hour((&contracts, &Zone::UTC, &announced), dates, energy),
        [
            "energy rest 24 kWh 1 24",
            "energy heat 24 kWh 1 24",
            "energy car 48 kWh 1 48",
            "total 96"
        ]
    );
}

#[test]
fn a_minimum_counts_from_the_contract_on() {
    let contract = r#"{"from":"2026-01-25","name":"A","currency":"EUR","components":[{"energy":{"price":0.1}},{"minimum":{"name":"least","price":31,"per":"month"}}]}"#;
    assert_eq!(
        bill_in_berlin(contract, ["2026-01-25", "2026-02-01"], |_| kilowatts(
            0.0, 0.0
        )),
        ["energy 0 kWh 0.1 0", "minimum least 7", "total 7"]
    );
}

#[test]
fn tiers_by_day_have_the_days_of_a_billing_period() {
    let contract = with(
        r#","billing":{"from":"2026-01-17","months":2}"#,
        r#"{"energy":{"period":"billing","tiers":[{"up_to_kwh_per_day":10,"price":0.1},{"price":0.2}]}},{"fixed":{"name":"access","price":59,"per":"billing"}}"#,
    );
    // From 17 January to 16 March: 59 days, 590 kWh. The bill begins after 14 days of 24 kWh.
    let lines = bill_in_berlin(&contract, ["2026-01-31", "2026-02-14"], |_| {
        kilowatts(1.0, 0.0)
    });
    assert_eq!(
        lines,
        [
            "energy up to 10 kWh a day 254 kWh 0.1 25.4",
            "energy over 10 kWh a day 82 kWh 0.2 16.4",
            "fixed access 0.237288 billing 59 14",
            "total 55.8"
        ]
    );
}

#[test]
fn a_cap_holds_up_to_an_allowance() {
    let contract = with(
        "",
        r#"{"energy":{"zones":[{"name":"day","price":0.5},{"name":"night","price":0.3,"hours":"00:00-12:00"}],"cap":{"price":0.4,"up_to_kwh":100,"period":"month"}}}"#,
    );
    // 100 kWh are four days and four hours.
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-01", "2026-01-11"], |_| kilowatts(
            1.0, 0.0
        )),
        [
            "energy day 120 kWh 0.5 60",
            "energy night 120 kWh 0.3 36",
            "energy cap 48 kWh -4.8",
            "total 91.2"
        ]
    );
}

#[test]
fn a_minimum_fills_up_the_costs() {
    let contract = with(
        "",
        r#"{"energy":{"name":"energy","price":0.1}},{"fixed":{"name":"meter","price":5,"per":"month"}},{"minimum":{"name":"least","price":31,"per":"month","on":["energy"]}},{"tax":{"name":"levy","percent":5.11269632,"on":["energy","least"]}}"#,
    );
    // 240 kWh in 744 hours: 24 kWh by the 10th; the monthly minimum is 31.
    let load = |time: Timestamp| match LocalDate::at(time, &zone("Europe/Berlin")).day() {
        1..=10 => kilowatts(1.0, 0.0),
        _ => kilowatts(0.0, 0.0),
    };
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-01", "2026-02-01"], load),
        [
            "energy energy 240 kWh 0.1 24",
            "fixed meter 1 month 5 5",
            "minimum least 7",
            "tax levy 5.11269632 % 1.584936",
            "total 37.584936"
        ]
    );
    // Until the 10th the energy costs more than 10. From the 25th on, the minimum's share grows.
    let [first, second] = [["2026-01-01", "2026-01-21"], ["2026-01-21", "2026-02-01"]]
        .map(|dates| bill_in_berlin(&contract, dates, load));
    assert!(first.contains(&"minimum least 0".to_owned()), "{first:?}");
    assert!(second.contains(&"minimum least 7".to_owned()), "{second:?}");
}

#[test]
fn zones_have_other_clocks_dates_and_announced_days() {
    let economy = with(
        "",
        r#"{"energy":{"zones":[{"name":"day","price":0.3},{"name":"night","price":0.1,"hours":"00:30-07:30","clock":"utc"},{"name":"standard","price":0.2,"hours":"12:00-13:00","clock":"standard","summer_time":true},{"name":"feast","price":0,"dates":"12-24..01-01","hours":"18:00-20:00"}]}}"#,
    );
    let contracts = Contracts::parse(&format!("[{economy}]")).unwrap();
    let london = zone("Europe/London");
    // Twelve by standard time is one o'clock in summer.
    let load = |time| {
        kilowatts(
            if hour_of(time, &london) == 13 {
                2.0
            } else {
                1.0
            },
            0.0,
        )
    };
    let bill = |dates| {
        let announced = Announced::default();
        bill_by_hour((&contracts, &london, &announced), dates, load)
    };
    assert_eq!(
        bill(["2026-07-01", "2026-07-02"]),
        [
            "energy day 16 kWh 0.3 4.8",
            "energy night 7 kWh 0.1 0.7",
            "energy standard 2 kWh 0.2 0.4",
            "total 5.9"
        ]
    );
    assert_eq!(
        bill(["2026-12-31", "2027-01-01"])[..3],
        [
            "energy day 16 kWh 0.3 4.8",
            "energy night 7 kWh 0.1 0.7",
            "energy feast 2 kWh 0 0"
        ]
    );
    let tempo = with(
        "",
        r#"{"energy":{"zones":[{"name":"blue","price":0.1,"days":"tempo:blue","day_begins":"06:00"},{"name":"red","price":0.7,"days":"tempo:red","day_begins":"06:00"}]}}"#,
    );
    let contracts = Contracts::parse(&format!("[{tempo}]")).unwrap();
    let names: Vec<_> = contracts.all()[0].day_lists().map(Label::as_str).collect();
    assert_eq!(names, ["tempo", "tempo"]);
    let label = |text| Label::new(text).unwrap();
    let days = [("2026-01-05", "blue"), ("2026-01-06", "red")]
        .map(|(date, kind)| (LocalDate::parse(date).unwrap(), label(kind)));
    let announced = Announced {
        days: DayLists::new(vec![DayList::new(label("tempo"), days.into())]),
        ..Announced::default()
    };
    let lines = bill_by_hour(
        (&contracts, &zone("Europe/Paris"), &announced),
        ["2026-01-06", "2026-01-08"],
        |_| kilowatts(1.0, 0.0),
    );
    // The last blue day ends at six; the red day has 24 hours, and no later day is announced.
    assert_eq!(
        lines,
        [
            "energy blue 6 kWh 0.1 0.6",
            "energy red 24 kWh 0.7 16.8",
            "unpriced 18 0",
            "total 17.4"
        ]
    );
}

#[test]
fn advances_are_paid_by_their_time() {
    let contract = with(
        r#","advances":[{"from":"2026-01-01","amount":31,"per":"month"},{"from":"2026-02-01","amount":2,"per":"day"}]"#,
        r#"{"energy":{"price":0.1}}"#,
    );
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-22", "2026-02-06"], |_| kilowatts(
            1.0, 0.0
        )),
        ["energy 360 kWh 0.1 36", "paid 20 -16", "total 36"]
    );
}
