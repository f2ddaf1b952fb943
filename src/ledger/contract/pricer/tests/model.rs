//! The pricer against a plain model that goes on minute by minute.

use proptest::prelude::*;

use super::*;
use crate::domain::Weekday;
use crate::ledger::contract::Amount;

/// The energy of a minute, with a surplus in some hours.
fn flow_of_minute(minute: i64) -> Flow {
    let energy = 10_000_000 + minute.div_euclid(60).rem_euclid(7) * 1_000_003;
    Flow {
        imported: MicroWh::new(energy),
        exported: MicroWh::new(energy / 3),
    }
}

fn flow_of_slot(slot: &PriceSlot) -> Flow {
    let minutes = slot.from().millis() / 60_000..slot.to().millis() / 60_000;
    minutes.map(flow_of_minute).sum()
}

/// A component as it is typed, and the price of a kilowatt-hour in millionths by the local date,
/// the minute and the market's price.
type Priced = (&'static str, fn(LocalDate, i64, Option<i64>) -> Option<i64>);

const ENERGIES: [Priced; 5] = [
    (r#"{"price":0.3}"#, |_, _, _| Some(300_000)),
    (
        r#"{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:30"}]}"#,
        |_, minute, _| {
            Some(if (390..22 * 60).contains(&minute) {
                350_000
            } else {
                240_000
            })
        },
    ),
    (
        r#"{"zones":[{"name":"usual","price":0.3},{"name":"weekend","price":0.2,"weekdays":"sat-sun","hours":"10:00-18:00"},{"name":"summer","price":0.1,"months":"4,10","hours":"02:00-03:00,12:00-13:00"},{"name":"free","price":-0.01,"weekdays":"fri","holidays":true}]}"#,
        |date, minute, _| {
            let hour = minute / 60;
            Some(
                if (date.month(), date.day()) == (12, 25) && date.weekday() == Weekday::Friday {
                    -10_000
                } else if [4, 10].contains(&date.month()) && [2, 12].contains(&hour) {
                    100_000
                } else if date.weekday().days_after_monday() >= 5 && (10..18).contains(&hour) {
                    200_000
                } else {
                    300_000
                },
            )
        },
    ),
    (r#"{"series":"day-ahead"}"#, |_, _, market| market),
    (
        r#"{"series":"day-ahead","factor":-1.5,"surcharge":0.04}"#,
        |_, _, market| Some(market? * -3 / 2 + 40_000),
    ),
];

/// The amounts of import and export, and the unpriced energy, minute by minute.
fn plain(
    from: [i64; 2],
    energies: [usize; 4],
    market: &[Option<i64>],
    range: [i64; 2],
    change: LocalDate,
    zone: &Zone,
) -> [i128; 4] {
    let mut sums = [0; 4];
    for minute in range[0]..range[1] {
        let time = Timestamp::from_millis(minute * 60_000).unwrap();
        let shown = zone.shown_at(time);
        let second = usize::from(time >= change.start(zone));
        let hour = usize::try_from((minute - from[0]) / 60)
            .ok()
            .filter(|_| minute >= from[0]);
        let market = hour.and_then(|hour| *market.get(hour)?);
        let flow = flow_of_minute(minute);
        for (place, energy) in [flow.imported, flow.exported].into_iter().enumerate() {
            let price = ENERGIES[energies[2 * second + place]].1;
            let energy = i128::from(energy.millionths());
            match price(
                LocalDate::of_shown(shown),
                shown.millis_of_day() / 60_000,
                market,
            ) {
                Some(price) => sums[place] += i128::from(price) * energy,
                None => sums[2 + place] += energy,
            }
        }
    }
    sums
}

fn any_zone() -> impl Strategy<Value = Zone> {
    let names = [
        "UTC",
        "Europe/Berlin",
        "Australia/Lord_Howe",
        "America/New_York",
        "Asia/Kolkata",
        "America/Asuncion",
    ];
    prop::sample::select(names.to_vec()).prop_map(zone)
}

/// Days around changes of the clocks and holidays.
fn any_day() -> impl Strategy<Value = LocalDate> {
    let days = [
        "2026-03-28",
        "2026-04-04",
        "2026-10-03",
        "2026-10-24",
        "2026-11-01",
        "2026-12-24",
        "2026-07-31",
        "2026-03-07",
    ];
    prop::sample::select(days.to_vec()).prop_map(|day| LocalDate::parse(day).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn slots_cost_what_their_minutes_cost(
        zone in any_zone(), day in any_day(), start in 0_i64..3_000, length in 1_i64..5_000, change_after in 0..5,
        energies in any::<[prop::sample::Index; 4]>(), fixed in any::<bool>(),
        market in proptest::collection::vec(proptest::option::weighted(0.9, (-40_000_i64..80_000).prop_map(|price| price * 2)), 100),
    ) {
        let energies = energies.map(|index| index.index(ENERGIES.len()));
        let change = day.plus_days(change_after).unwrap();
        let text = |from: &str, energy: usize, export: usize| {
            let [energy, export] = [energy, export].map(|index| ENERGIES[index].0);
            let demand = if fixed { r#",{"demand":{"price":0,"per":"quarter"}}"# } else { "" };
            contract(from, &format!(r#"{{"energy":{energy}}},{{"export":{export}}}{demand}"#))
        };
        let both = [text("2020-01-01", energies[0], energies[1]), text(&change.to_string(), energies[2], energies[3])];
        let contracts = Contracts::parse(&format!("[{}]", both.join(","))).unwrap();
        let first = day.start(&zone).millis() / 60_000;
        let range = [first + start, first + start + length];
        let at = |minute: i64| Timestamp::from_millis(minute * 60_000).unwrap();
        let prices = (0..).zip(&market).filter_map(|(hour, price)| {
            let price = Decimal::from_millionths((*price)?);
            Some(SeriesPrice { from: at(first + hour * 60), to: at(first + hour * 60 + 60), price })
        });
        let series = [PriceSeries::new(Label::new("day-ahead").unwrap(), prices.collect()).unwrap()];

        let range_of_time = TimeRange::new(at(range[0]), at(range[1])).unwrap();
        let mut pricer = Pricer::new(&contracts, &zone, &Announced::prices(series.to_vec()), range_of_time);
        let (mut cost, mut credit, mut unpriced) = (Amount::ZERO, Amount::ZERO, Flow::default());
        let mut end = at(range[0]);
        while let Some(slot) = pricer.next_slot() {
            prop_assert_eq!(slot.from(), end);
            prop_assert!(slot.is_billed() && slot.from() < slot.to());
            end = slot.to();
            let flow = flow_of_slot(&slot);
            let came_to = pricer.add(slot, Some(flow));
            cost = cost + came_to.cost;
            credit = credit + came_to.credit;
            unpriced = unpriced + came_to.unpriced;
        }
        prop_assert_eq!(end, at(range[1]));
        let found = [cost.smallest(), credit.smallest(), unpriced.imported.millionths().into(), unpriced.exported.millionths().into()];
        prop_assert_eq!(found, plain([first, 0], energies, &market, range, change, &zone));
        let bill = pricer.finish();
        prop_assert_eq!(bill.unpriced, unpriced);
        let half = bill.lines.len() as i128 * 500_000_000;
        let apart = i128::from(bill.total.millionths()) * 1_000_000_000 - (cost - credit).smallest();
        prop_assert!(apart.abs() <= half);
    }

    #[test]
    fn all_that_a_bill_says_adds_up(
        zone in any_zone(), day in any_day(), start in 0_i64..3_000, length in 1_i64..80_000, net in any::<bool>(), cut in 1_usize..9,
    ) {
        let of = if net { "net" } else { "costs" };
        let contracts = super::of(&format!(
            r#"{{"fixed":{{"name":"a","price":0.333333,"per":"day"}}}},{{"energy":{{"period":"month","tiers":[{{"up_to_kwh":7.7,"price":0.1}},{{"up_to_kwh":100,"price":0.2}},{{"price":0.3}}]}}}},{{"fixed":{{"name":"b","price":10,"per":"month"}}}},{{"export":{DAY}}},{{"demand":{{"price":3,"per":"hour"}}}},{{"tax":{{"name":"VAT","percent":7.7,"of":"{of}"}}}}"#,
            DAY = ENERGIES[1].0
        ));
        let first = day.start(&zone).millis() / 60_000 + start;
        let at = |minute: i64| Timestamp::from_millis(minute * 60_000).unwrap();
        let mut pricer = Pricer::new(&contracts, &zone, &Announced::default(), TimeRange::new(at(first), at(first + length)).unwrap());
        let mut sum = Amount::ZERO;
        let (mut slots, mut drawn, mut known_before) = (0, MicroWh::ZERO, MicroWh::ZERO);
        while let Some(slot) = pricer.next_slot() {
            slots += 1;
            let flow = (slots % cut != 0 || !slot.is_billed()).then(|| flow_of_slot(&slot));
            let imported = flow.unwrap_or_default().imported;
            if slot.is_billed() {
                drawn = drawn + imported;
            } else {
                known_before = known_before + imported;
            }
            let came_to = pricer.add(slot, flow);
            sum = sum + came_to.cost - came_to.credit;
        }
        let bill = pricer.finish();
        let lines = bill.lines.len() as i128;
        let apart = i128::from(bill.total.millionths()) * 1_000_000_000 - sum.smallest();
        prop_assert!(apart.abs() <= lines * 500_000_000, "{apart}");
        let of_sums = bill.costs.millionths() - bill.credits.millionths() + bill.taxes.millionths();
        prop_assert_eq!(of_sums, bill.total.millionths());
        // The tiers hold all that was drawn.
        let of_tiers = bill.lines.iter().filter(|line| line.kind == LineKind::Energy);
        let energy: MicroWh = of_tiers.map(|line| match line.quantity { BilledQuantity::Energy(energy) => energy, _ => MicroWh::ZERO }).sum();
        prop_assert_eq!(energy, drawn);
        // Before the range lies the month so far.
        let month = LocalDate::at(at(first), &zone);
        let month = LocalDate::new(month.year(), month.month(), 1).unwrap().start(&zone).millis() / 60_000;
        prop_assert_eq!(known_before, (month..first).map(|minute| flow_of_minute(minute).imported).sum());
        // The days are as many as the calendar has.
        let days = bill.lines[0].quantity;
        let BilledQuantity::Time(days, _) = days else { panic!("{days:?}") };
        let expected = millionths_of_days(at(first), at(first + length), &zone);
        prop_assert!((days.millionths() - expected).abs() <= 3, "{days} {expected}");
    }
}

/// Days from one time to another by their beginnings, in millionths; only the first and the last
/// one are rounded.
fn millionths_of_days(from: Timestamp, to: Timestamp, zone: &Zone) -> i64 {
    let mut date = LocalDate::at(from, zone).plus_days(-1).unwrap();
    let mut days = 0;
    while date.start(zone) < to {
        let next = date.plus_days(1).unwrap();
        let [start, end] = [date, next].map(|date| date.start(zone).millis());
        let part = end.min(to.millis()) - start.max(from.millis());
        days += part.max(0) * 1_000_000 / (end - start);
        date = next;
    }
    days
}
