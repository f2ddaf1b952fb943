use super::*;
use crate::domain::time::at;
use crate::domain::{Decimal, LocalDate};
use crate::ledger::contract::series::SeriesPrice;
use crate::ledger::contract::{BilledQuantity, Label, LineKind, Tenancy};

mod going_on;
mod model;
mod period_models;
mod quarter_model;
mod tariffs;
mod tariffs_of_demand;
mod tariffs_of_export;
mod tariffs_refused;

fn zone(name: &str) -> Zone {
    Zone::parse(name).unwrap()
}

fn contract(from: &str, components: &str) -> String {
    format!(
        r#"{{"from":"{from}","name":"since {from}","currency":"EUR","holidays":["12-25"],"components":[{components}]}}"#
    )
}

/// Contracts of one contract that has begun long ago.
fn of(components: &str) -> Contracts {
    Contracts::parse(&format!("[{}]", contract("2020-01-01", components))).unwrap()
}

/// The energy of a load of one kilowatt in a slot, with half as much fed in.
fn flow_of_kilowatt(slot: &PriceSlot) -> Flow {
    let ms = i128::from(slot.to().millis() - slot.from().millis());
    let energy = |per_hour: i128| MicroWh::new((ms * per_hour / 3_600_000).try_into().unwrap());
    Flow {
        imported: energy(1_000_000_000),
        exported: energy(500_000_000),
    }
}

const KILOWATT: fn(&PriceSlot) -> Option<Flow> = |slot| Some(flow_of_kilowatt(slot));

/// The lines and the total of dates in a zone, such as `energy day 16 kWh 0.35 5.6`.
fn bill_of(
    contracts: &Contracts,
    zone: &Zone,
    series: &[PriceSeries],
    dates: [&str; 2],
    flow: impl Fn(&PriceSlot) -> Option<Flow>,
) -> (Vec<String>, Bill) {
    let [from, to] = dates.map(|text| match LocalDate::parse(text) {
        Ok(date) => date.start(zone),
        Err(_) => at(text),
    });
    let range = TimeRange::new(from, to).unwrap();
    let mut pricer = Pricer::new(contracts, zone, &Announced::prices(series.to_vec()), range);
    let mut sum = SlotCost::default();
    while let Some(slot) = pricer.next_slot() {
        let flow = flow(&slot);
        let cost = pricer.add(slot, flow);
        sum.cost = sum.cost + cost.cost;
        sum.credit = sum.credit + cost.credit;
        sum.unpriced = sum.unpriced + cost.unpriced;
    }
    let bill = pricer.finish();
    assert_eq!(sum.unpriced, bill.unpriced);
    // Each line is rounded by half a millionth at most.
    let apart = (sum.cost - sum.credit).rounded().millionths() - bill.total.millionths();
    assert!(apart.unsigned_abs() <= bill.lines.len() as u64, "{apart}");
    let mut told: Vec<String> = bill.lines.iter().map(told).collect();
    told.push(format!("total {}", bill.total));
    (told, bill)
}

fn drawn_energy(imported: MicroWh) -> MeteredEnergy {
    let exported = MicroWh::ZERO;
    MeteredEnergy::of_house(Some(Flow { imported, exported }))
}

fn told(line: &BillLine) -> String {
    let quantity = match line.quantity {
        BilledQuantity::Energy(energy) => format!("{} kWh", energy.watthours() / 1_000.0),
        BilledQuantity::Power(power) => format!("{} kW", power.watthours() / 1_000.0),
        BilledQuantity::Time(count, per) => format!("{count} {}", per.as_str()),
        BilledQuantity::Percent(percent) => format!("{percent} %"),
        BilledQuantity::None => String::new(),
    };
    let parts = [
        Some(line.kind.as_str().to_owned()),
        line.name.as_ref().map(ToString::to_string),
        line.part.as_ref().map(ToString::to_string),
        Some(quantity).filter(|quantity| !quantity.is_empty()),
        line.price.map(|price| price.to_string()),
        Some(line.amount.to_string()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn hourly(from: &str, prices: &[Option<&str>]) -> PriceSeries {
    let prices = (0..).zip(prices).filter_map(|(hour, price)| {
        let from = at(from).saturating_add_millis(hour * 3_600_000);
        Some(SeriesPrice {
            from,
            to: from.saturating_add_millis(3_600_000),
            price: Decimal::parse((*price)?).unwrap(),
        })
    });
    PriceSeries::new(Label::new("day-ahead").unwrap(), prices.collect()).unwrap()
}

const DAY_AND_NIGHT: &str = r#"{"energy":{"zones":[{"name":"day","price":0.5},{"name":"night","price":0.25,"hours":"22:00-06:00"}]}}"#;

#[test]
fn energy_time_and_tax_are_billed() {
    let contracts = of(
        r#"{"energy":{"price":0.25}},{"fixed":{"name":"standing charge","price":0.5,"per":"day"}},{"tax":{"name":"VAT","percent":20}}"#,
    );
    let (lines, bill) = bill_of(
        &contracts,
        &Zone::UTC,
        &[],
        ["2026-01-05", "2026-01-06"],
        KILOWATT,
    );
    assert_eq!(
        lines,
        [
            "energy 24 kWh 0.25 6",
            "fixed standing charge 1 day 0.5 0.5",
            "tax VAT 20 % 1.3",
            "total 7.8"
        ]
    );
    let sums = [bill.costs, bill.credits, bill.taxes].map(|sum| sum.to_string());
    assert_eq!(sums, ["6.5", "0", "1.3"]);
    // The energy is unknown, but fixed charges are due.
    let (lines, bill) = bill_of(
        &contracts,
        &Zone::UTC,
        &[],
        ["2026-01-05", "2026-01-07"],
        |_| None,
    );
    assert_eq!(lines[3], "total 1.2");
    assert_eq!(bill.unknown_ms, 2 * 86_400_000);
}

#[test]
fn nights_are_as_long_as_the_clocks_make_them() {
    let berlin = zone("Europe/Berlin");
    let of_date = |dates| bill_of(&of(DAY_AND_NIGHT), &berlin, &[], dates, KILOWATT).0;
    assert_eq!(
        of_date(["2026-03-29", "2026-03-30"]),
        [
            "energy day 16 kWh 0.5 8",
            "energy night 7 kWh 0.25 1.75",
            "total 9.75"
        ]
    );
    assert_eq!(
        of_date(["2026-10-25", "2026-10-26"]),
        [
            "energy day 16 kWh 0.5 8",
            "energy night 9 kWh 0.25 2.25",
            "total 10.25"
        ]
    );
    // A zone of the hour that is skipped, and that comes twice.
    let second = of(
        r#"{"energy":{"zones":[{"name":"rest","price":1},{"name":"second","price":2,"hours":"02:00-03:00"}]}}"#,
    );
    let of_date = |dates| bill_of(&second, &berlin, &[], dates, KILOWATT).0;
    assert_eq!(
        of_date(["2026-03-29", "2026-03-30"])[0],
        "energy rest 23 kWh 1 23"
    );
    assert_eq!(
        of_date(["2026-10-25", "2026-10-26"])[1],
        "energy second 2 kWh 2 4"
    );
}

#[test]
fn the_last_zone_that_matches_wins() {
    let contracts = of(
        r#"{"energy":{"zones":[{"name":"usual","price":0.4},{"name":"winter weekend","price":0.2,"months":"11-3","weekdays":"sat-sun"},{"name":"holiday","price":0.1,"holidays":true}]}}"#,
    );
    // From Thursday to Sunday; Friday is 25 December.
    let (lines, _) = bill_of(
        &contracts,
        &zone("America/New_York"),
        &[],
        ["2026-12-24", "2026-12-28"],
        KILOWATT,
    );
    assert_eq!(
        lines,
        [
            "energy usual 24 kWh 0.4 9.6",
            "energy winter weekend 48 kWh 0.2 9.6",
            "energy holiday 24 kWh 0.1 2.4",
            "total 21.6"
        ]
    );
}

#[test]
fn tiers_split_a_slot() {
    let tiers =
        r#"{"energy":{"period":"month","tiers":[{"up_to_kwh":20,"price":0.1},{"price":0.2}]}}"#;
    let of_dates = |dates| bill_of(&of(tiers), &Zone::UTC, &[], dates, KILOWATT).0;
    assert_eq!(
        of_dates(["2026-01-01", "2026-01-02"]),
        [
            "energy up to 20 kWh 20 kWh 0.1 2",
            "energy over 20 kWh 4 kWh 0.2 0.8",
            "total 2.8"
        ]
    );
    // Energy in the month before the range counts for the tiers, and is not billed.
    assert_eq!(
        of_dates(["2026-01-02", "2026-01-03"]),
        ["energy over 20 kWh 24 kWh 0.2 4.8", "total 4.8"]
    );
    // Each month starts again at zero.
    assert_eq!(
        of_dates(["2026-01-31", "2026-02-02"]),
        [
            "energy up to 20 kWh 20 kWh 0.1 2",
            "energy over 20 kWh 28 kWh 0.2 5.6",
            "total 7.6"
        ]
    );
    // And so does a contract.
    let old = contract("2025-01-01", r#"{"energy":{"price":9}}"#);
    let new = contract("2026-01-02", tiers);
    let new = Contracts::parse(&format!("[{old},{new}]")).unwrap();
    let (lines, _) = bill_of(
        &new,
        &Zone::UTC,
        &[],
        ["2026-01-02T12:00:00", "2026-01-03"],
        KILOWATT,
    );
    assert_eq!(lines[0], "energy up to 20 kWh 8 kWh 0.1 0.8");
    // The time before the range is one slot for every contract.
    let both = of(&format!(
        r#"{tiers},{DAY_AND_NIGHT},{{"demand":{{"price":1,"per":"quarter"}}}}"#
    ));
    let range = TimeRange::new(at("2026-01-20"), at("2026-01-21")).unwrap();
    let slot = Pricer::new(&both, &Zone::UTC, &Announced::default(), range)
        .next_slot()
        .unwrap();
    assert_eq!(
        (slot.from(), slot.to(), slot.is_billed()),
        (at("2026-01-01"), at("2026-01-20"), false)
    );
}

#[test]
fn an_hour_without_a_price_is_not_free() {
    let series = [hourly(
        "2026-01-05T00:00:00",
        &[Some("0.1"), Some("-0.05"), None, Some("0.2")],
    )];
    let market = of(
        r#"{"energy":{"series":"day-ahead","factor":1.2,"surcharge":0.02}},{"export":{"series":"day-ahead","factor":0.5}}"#,
    );
    // 0.14, -0.04, none and 0.26 for import; 0.05, -0.025, none and 0.1 for export, half as much.
    let dates = ["2026-01-05", "2026-01-05T04:00:00"];
    let (lines, bill) = bill_of(&market, &Zone::UTC, &series, dates, KILOWATT);
    assert_eq!(
        lines,
        [
            "energy 3 kWh 0.36",
            "export 1.5 kWh -0.0625",
            "total 0.2975"
        ]
    );
    assert_eq!(
        bill.unpriced,
        Flow {
            imported: MicroWh::new(1_000_000_000),
            exported: MicroWh::new(500_000_000)
        }
    );
    assert_eq!(bill.lines[0].price, None);
    // Two components without a price leave the same energy unpriced, not twice as much.
    let market = of(
        r#"{"energy":{"series":"day-ahead"}},{"energy":{"series":"day-ahead"}},{"export":{"series":"day-ahead"}}"#,
    );
    let (lines, bill) = bill_of(&market, &Zone::UTC, &[], dates, KILOWATT);
    assert_eq!(lines[3], "total 0");
    assert_eq!(bill.unpriced.imported, MicroWh::new(4_000_000_000));
}

#[test]
fn the_peak_of_each_month_is_billed() {
    let contracts = of(r#"{"demand":{"name":"capacity","price":5,"per":"hour"}}"#);
    let flow = |slot: &PriceSlot| {
        let imported = match slot.from().to_string().get(..13).unwrap() {
            "2026-01-31T21" | "2026-02-01T02" => 2_000_000_000,
            // Half an hour of the range at each end: a higher mean, but not of an hour.
            "2026-01-31T20" | "2026-02-01T03" => 3_000_000_000,
            "2026-02-01T01" => 1_500_000_000,
            "2026-02-01T00" => return None,
            _ => 500_000_000,
        };
        Some(Flow {
            imported: MicroWh::new(imported),
            ..Flow::default()
        })
    };
    let dates = ["2026-01-31T20:30:00", "2026-02-01T03:30:00"];
    let (lines, _) = bill_of(&contracts, &Zone::UTC, &[], dates, flow);
    assert_eq!(
        lines,
        [
            "demand capacity 2026-01 2 kW 5 10",
            "demand capacity 2026-02 2 kW 5 10",
            "total 20"
        ]
    );
    // A peak costs in the slot that completes it.
    let range = TimeRange::new(at("2026-02-01T01:00:00"), at("2026-02-01T04:00:00")).unwrap();
    let mut pricer = Pricer::new(&contracts, &Zone::UTC, &Announced::default(), range);
    for cost in ["7.5", "2.5", "5"] {
        let slot = pricer.next_slot().unwrap();
        let flow = flow(&slot);
        assert_eq!(pricer.add(slot, flow).cost.rounded().to_string(), cost);
    }
    // Prices by quarters cut an hour, which still has one mean: 1 kW, not 4.
    let cut = of(r#"{"demand":{"price":5,"per":"hour"}},{"demand":{"price":1,"per":"quarter"}}"#);
    let burst = |slot: &PriceSlot| {
        let is_burst = slot.from() == at("2026-02-01T01:15:00");
        let imported = MicroWh::new(if is_burst { 1_000_000_000 } else { 0 });
        Some(Flow {
            imported,
            ..Flow::default()
        })
    };
    let (lines, _) = bill_of(&cut, &Zone::UTC, &[], ["2026-02-01", "2026-02-02"], burst);
    assert_eq!(
        lines,
        [
            "demand 2026-02 1 kW 5 5",
            "demand 2026-02 4 kW 1 4",
            "total 9"
        ]
    );
}

#[test]
fn contracts_share_a_month_by_days() {
    let fee = |price: u8| {
        format!(
            r#"{{"fixed":{{"name":"fee","price":{price},"per":"month"}}}},{{"energy":{{"price":1}}}}"#
        )
    };
    let contracts = [
        contract("2025-06-01", &fee(31)),
        contract("2026-01-16", &fee(62)),
    ]
    .join(",");
    let contracts = Contracts::parse(&format!("[{contracts}]")).unwrap();
    let (lines, bill) = bill_of(
        &contracts,
        &Zone::UTC,
        &[],
        ["2026-01-01", "2026-02-01"],
        KILOWATT,
    );
    assert_eq!(
        lines,
        [
            "fixed fee 0.483871 month 31 15",
            "energy 360 kWh 1 360",
            "fixed fee 0.516129 month 62 32",
            "energy 384 kWh 1 384",
            "total 791"
        ]
    );
    assert_eq!(bill.lines[2].contract.as_str(), "since 2026-01-16");
    assert_eq!(bill.lines[0].contract_from.to_string(), "2025-06-01");
}

#[test]
fn a_contract_without_a_day_in_the_range_has_no_lines() {
    let both = ["2026-01-01", "2026-02-01"].map(|from| {
        contract(
            from,
            r#"{"energy":{"price":0.3}},{"fixed":{"name":"base","price":1,"per":"month"}}"#,
        )
    });
    let contracts = Contracts::parse(&format!("[{}]", both.join(","))).unwrap();
    for (dates, lines) in [
        (["2026-01-01", "2026-02-01"], 2),
        (["2026-02-01", "2026-03-01"], 2),
        (["2026-01-31", "2026-02-02"], 4),
        (["2025-12-01", "2026-01-01"], 0),
    ] {
        let (_, bill) = bill_of(&contracts, &Zone::UTC, &[], dates, KILOWATT);
        assert_eq!(bill.lines.len(), lines, "{dates:?}");
    }
}

/// A contract from a date on with a demand charge.
fn demand(from: &str, price: u32, per: &str) -> String {
    contract(
        from,
        &format!(r#"{{"demand":{{"name":"grid {from}","price":{price},"per":"{per}"}}}}"#),
    )
}

/// The bill of two months with so many kilowatts from 12:00 to 13:00 on these days, and one
/// kilowatt otherwise.
fn bill_with_peaks(contracts: &[String; 2], peaks: [(&'static str, i64); 2]) -> Vec<String> {
    let contracts = Contracts::parse(&format!("[{}]", contracts.join(","))).unwrap();
    let flow = move |slot: &PriceSlot| {
        let high = peaks.iter().find(|(time, _)| {
            (at(*time)..at(*time).saturating_add_millis(3_600_000)).contains(&slot.from())
        });
        let kilowatts = high.map_or(1, |(_, kilowatts)| *kilowatts);
        let imported = MicroWh::new(flow_of_kilowatt(slot).imported.millionths() * kilowatts);
        Some(Flow {
            imported,
            ..Flow::default()
        })
    };
    let months = ["2026-01-01", "2026-03-01"];
    bill_of(&contracts, &Zone::UTC, &[], months, flow).0
}

#[test]
fn two_contracts_bill_the_peak_of_a_month_once() {
    let (first, second) = ("2026-01-10T12:00:00", "2026-01-20T12:00:00");
    let both = || {
        [
            demand("2026-01-01", 10, "hour"),
            demand("2026-01-16", 10, "hour"),
        ]
    };
    let february = "demand grid 2026-01-16 2026-02 1 kW 10 10";
    assert_eq!(
        bill_with_peaks(&both(), [(first, 5), (second, 4)]),
        [
            "demand grid 2026-01-01 2026-01 5 kW 10 50",
            february,
            "total 60"
        ]
    );
    // Power above the peak of the contract before has the price of the new one.
    let dearer = [
        demand("2026-01-01", 10, "hour"),
        demand("2026-01-16", 20, "hour"),
    ];
    assert_eq!(
        bill_with_peaks(&dearer, [(first, 4), (second, 5)]),
        [
            "demand grid 2026-01-01 2026-01 4 kW 10 40",
            "demand grid 2026-01-16 2026-01 1 kW 20 20",
            "demand grid 2026-01-16 2026-02 1 kW 20 20",
            "total 80"
        ]
    );
    // Means over another time are others.
    let other = [
        demand("2026-01-01", 10, "hour"),
        demand("2026-01-16", 10, "quarter"),
    ];
    assert_eq!(
        bill_with_peaks(&other, [(first, 5), (second, 4)])
            .last()
            .unwrap(),
        "total 100"
    );
    // A month of its own has a peak of its own.
    let later = [
        demand("2026-01-01", 10, "hour"),
        demand("2026-02-01", 10, "hour"),
    ];
    assert_eq!(
        bill_with_peaks(&later, [(first, 5), (second, 4)])
            .last()
            .unwrap(),
        "total 60"
    );
}

#[test]
fn a_year_has_365_or_366_days() {
    let fee = |price: u16| {
        of(&format!(
            r#"{{"fixed":{{"name":"fee","price":{price},"per":"year"}}}}"#
        ))
    };
    let february = |price, dates| {
        bill_of(&fee(price), &zone("Europe/Berlin"), &[], dates, KILOWATT)
            .0
            .pop()
    };
    assert_eq!(
        february(366, ["2028-02-01", "2028-03-01"]).unwrap(),
        "total 29"
    );
    assert_eq!(
        february(365, ["2026-02-01", "2026-03-01"]).unwrap(),
        "total 28"
    );
    assert_eq!(
        february(100, ["2026-01-01", "2029-01-01"]).unwrap(),
        "total 300"
    );
}

#[test]
fn before_the_first_contract_nothing_has_a_price() {
    let tomorrow =
        Contracts::parse(&format!("[{}]", contract("2026-01-06", DAY_AND_NIGHT))).unwrap();
    let (lines, bill) = bill_of(
        &tomorrow,
        &Zone::UTC,
        &[],
        ["2026-01-05", "2026-01-07"],
        KILOWATT,
    );
    assert_eq!(lines[2], "total 10");
    assert_eq!(bill.unpriced.imported, MicroWh::new(24_000_000_000));
    let (lines, bill) = bill_of(
        &Contracts::default(),
        &Zone::UTC,
        &[],
        ["2026-01-05", "2026-01-06"],
        KILOWATT,
    );
    assert_eq!(lines, ["total 0"]);
    assert_eq!(bill.unpriced.exported, MicroWh::new(12_000_000_000));
}

#[test]
fn taxes_are_on_what_stands_before_them() {
    let with = |taxes: &str| {
        let contracts = of(&format!(
            r#"{{"energy":{{"price":0.5}}}},{{"export":{{"price":0.25}}}},{taxes}"#
        ));
        bill_of(
            &contracts,
            &Zone::UTC,
            &[],
            ["2026-01-05", "2026-01-06"],
            KILOWATT,
        )
        .0
    };
    // 12 for import, 3 for export.
    assert_eq!(
        with(r#"{"tax":{"name":"VAT","percent":10}}"#)[2..],
        ["tax VAT 10 % 0.9", "total 9.9"]
    );
    assert_eq!(
        with(r#"{"tax":{"name":"VAT","percent":10,"of":"costs"}}"#)[2..],
        ["tax VAT 10 % 1.2", "total 10.2"]
    );
    assert_eq!(
        with(
            r#"{"tax":{"name":"levy","percent":10,"of":"costs"}},{"tax":{"name":"VAT","percent":50,"of":"costs"}}"#
        )[2..],
        ["tax levy 10 % 1.2", "tax VAT 50 % 6.6", "total 16.8"]
    );
}

#[test]
fn one_more_kilowatt_hour_has_a_price() {
    let contracts = of(
        r#"{"fixed":{"name":"fee","price":9,"per":"day"}},{"energy":{"period":"month","tiers":[{"up_to_kwh":20,"price":0.1},{"price":0.2}]}},{"energy":{"series":"day-ahead"}},{"export":{"price":0.08}},{"tax":{"name":"VAT","percent":50}}"#,
    );
    let series = [hourly("2026-01-01T00:00:00", &[Some("0.3"); 24])];
    let range = TimeRange::new(at("2026-01-01"), at("2026-01-02")).unwrap();
    let mut pricer = Pricer::new(
        &contracts,
        &Zone::UTC,
        &Announced::prices(series.to_vec()),
        range,
    );
    let mut found = Vec::new();
    loop {
        let price = pricer.marginal_price();
        found.push(price.import.map(|price| price.to_string()));
        // The tax on the rest is smaller by half of the credit.
        assert_eq!(price.export.unwrap().to_string(), "0.12");
        let Some(slot) = pricer.next_slot() else {
            break;
        };
        pricer.add(slot, Some(flow_of_kilowatt(&slot)));
    }
    // (0.1 + 0.3) * 1.5, after 20 kWh (0.2 + 0.3) * 1.5; tomorrow the series has no price.
    let expected = [
        vec![Some("0.6".to_owned()); 20],
        vec![Some("0.75".to_owned()); 4],
        vec![None],
    ]
    .concat();
    assert_eq!(found, expected);
}

#[test]
fn the_price_of_one_more_kilowatt_hour_changes_where_a_tier_ends() {
    let contracts = of(
        r#"{"energy":{"period":"month","tiers":[{"up_to_kwh":10,"price":0.1},{"up_to_kwh":30,"price":0.2},{"price":0.3}]}},{"energy":{"period":"month","tiers":[{"up_to_kwh":20,"price":1},{"price":2}]}}"#,
    );
    let range = TimeRange::new(at("2026-01-01T00:00:00"), at("2026-02-01T00:00:00")).unwrap();
    let mut pricer = Pricer::new(&contracts, &Zone::UTC, &Announced::default(), range);
    let slot = pricer.next_slot().unwrap().until(at("2026-01-02T00:00:00"));
    let kwh = |kwh: i64| MicroWh::new(kwh * 1_000_000_000);
    let mut told = |drawn| {
        let found = pricer
            .marginal_prices(&drawn_energy(kwh(drawn)), None)
            .into_iter();
        let told = found
            .map(|(until, price)| format!("{} {}", until.watthours() / 1e3, price.import.unwrap()));
        told.collect::<Vec<_>>()
    };
    assert_eq!(told(0), ["0 1.1"]);
    assert_eq!(told(10), ["10 1.1"]);
    assert_eq!(told(40), ["10 1.1", "20 1.2", "30 2.2", "40 2.3"]);
    let imported = kwh(15);
    pricer.add_known(slot, &drawn_energy(imported));
    let left = pricer.marginal_prices(&drawn_energy(kwh(6)), None);
    assert_eq!(left.len(), 2);
    assert_eq!(left[0].0, kwh(5));
}

#[test]
fn no_peak_is_measured_where_a_part_is_not_known() {
    let contracts = of(r#"{"demand":{"price":4,"per":"quarter"}}"#);
    let range = TimeRange::new(at("2026-01-10T10:00:00"), at("2026-01-10T11:00:00")).unwrap();
    let mut pricer = Pricer::new(&contracts, &Zone::UTC, &Announced::default(), range);
    for (kwh, is_whole) in [(1, true), (9, false), (2, true), (8, false)] {
        let imported = MicroWh::new(kwh * 250_000_000);
        let slot = pricer.next_slot().unwrap();
        let energy = MeteredEnergy {
            is_whole,
            ..drawn_energy(imported)
        };
        pricer.add_known(slot, &energy);
    }
    assert_eq!(pricer.finish().total.to_string(), "8");
}

#[test]
fn only_the_next_slot_counts() {
    let contracts = of(DAY_AND_NIGHT);
    let range = TimeRange::new(at("2026-01-05"), at("2026-01-06")).unwrap();
    let mut pricer = Pricer::new(&contracts, &Zone::UTC, &Announced::default(), range);
    let [first, again] = [pricer.next_slot().unwrap(), pricer.next_slot().unwrap()];
    assert_eq!(first, again);
    let flow = Some(flow_of_kilowatt(&first));
    assert_eq!(pricer.add(first, flow).cost.rounded().to_string(), "1.5");
    assert_eq!(pricer.add(again, flow), SlotCost::default());
    assert_eq!(pricer.finish().lines[0].kind, LineKind::Energy);
}

/// The contracts of the documentation are contracts, and the first one's bill is right.
#[test]
fn the_documented_bill_is_right() {
    let document = include_str!("../../../../docs/MONEY.md");
    let blocks = |kind| {
        document
            .split(kind)
            .skip(1)
            .map(|rest| rest.split("```").next().unwrap().trim())
    };
    let is_tenancy = |text: &&str| Tenancy::parse(text).is_ok();
    let (tenancies, documented): (Vec<&str>, Vec<&str>) = blocks("```json\n").partition(is_tenancy);
    assert_eq!(tenancies.len(), 1);
    for text in &documented {
        assert_eq!(Contract::parse(text).unwrap().to_string(), *text);
    }
    assert!(documented.len() > 3);
    let contracts = Contracts::parse(&format!("[{}]", documented[0])).unwrap();
    let (lines, _) = bill_of(
        &contracts,
        &zone("Europe/Berlin"),
        &[],
        ["2026-03-29", "2026-03-30"],
        KILOWATT,
    );
    assert_eq!(lines.join("\n"), blocks("```text\n").next().unwrap());
}
