//! Households' contracts, and grids against a plain model: sets of hours.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::ledger::contract::day::DayKind;
use crate::ledger::contract::sets::WeekdaySet;

const ALL_YEAR: [bool; 12] = [true; 12];

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

fn named(name: &str, price: &str) -> NamedPrice {
    NamedPrice {
        name: Label::new(name).unwrap(),
        price: decimal(price),
    }
}

fn hours(grid: &WeekGrid) -> BTreeSet<(u8, u8)> {
    let all = (0..7).flat_map(|day| (0..24).map(move |hour| (day, hour)));
    all.filter(|(day, hour)| grid.has(*day, *hour)).collect()
}

fn painted(hours: impl IntoIterator<Item = (u8, u8)>) -> WeekGrid {
    let mut grid = WeekGrid::default();
    for (day, hour) in hours {
        grid.paint(day, hour);
    }
    grid
}

/// The hours of a zone as they are typed, on these days.
fn typed(weekdays: &str, hours: &str) -> Vec<(u8, u8)> {
    let days = WeekdaySet::parse_weekdays(weekdays).unwrap();
    let hours = crate::ledger::contract::sets::ClockHours::parse_list(hours).unwrap();
    let all = (0..7_u8).flat_map(|day| (0..24_u8).map(move |hour| (day, hour)));
    let is_in = |(day, hour): &(u8, u8)| {
        let minute = u16::from(*hour) * 60;
        days.contains(*day) && hours.iter().any(|part| part.contains(minute))
    };
    all.filter(is_in).collect()
}

fn household(rate: HouseholdRate) -> HouseholdContract {
    HouseholdContract {
        from: LocalDate::parse("2026-01-01").unwrap(),
        name: Label::new("Day and night").unwrap(),
        currency: Currency::new("EUR").unwrap(),
        continues: None,
        rate,
        fixed: Vec::new(),
        feed_in: None,
        tax: None,
    }
}

/// By two prices, the second at the hours of a grid.
fn two_prices(week: WeekGrid) -> HouseholdContract {
    household(HouseholdRate::Hours {
        usual: named("day", "0.35"),
        painted: vec![PaintedPrice {
            price: named("night", "0.24"),
            months: ALL_YEAR,
            week,
        }],
    })
}

/// The zones of a contract as JSON, alone.
fn zones(contract: &Contract) -> String {
    let json = contract.to_string();
    let (_, zones) = json.split_once("\"zones\":[").unwrap();
    zones.split_once(']').unwrap().0.to_owned()
}

/// The price of each hour of a week in a month, from 0, by the contract itself.
fn prices(contract: &Contract, month: u8) -> Vec<Decimal> {
    let Terms::Energy(terms) = &contract.components[0].terms else {
        panic!("{contract}");
    };
    let Rate::Zones(zones) = &terms.rate else {
        panic!("{contract}");
    };
    let hour = |(weekday, hour): (u8, u16)| {
        let kind = DayKind {
            month,
            day: 1,
            weekday,
            is_holiday: false,
            is_summer: false,
        };
        let holds = |zone: &&PriceZone| zone.when.has_day(kind) && zone.when.has_minute(hour * 60);
        zones.all().iter().rfind(holds).unwrap().price
    };
    let all = (0..7).flat_map(|day| (0..24).map(move |hour| (day, hour)));
    all.map(hour).collect()
}

#[test]
fn painted_hours_become_few_zones() {
    let night = typed("mon-sun", "22:00-06:00");
    let weekend = typed("sat-sun", "00:00-24:00");
    let noon = typed("mon-sun", "12:00-14:00");
    for (week, zones_expected) in [
        (
            painted(night.clone()),
            r#"{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:00"}"#,
        ),
        (
            painted(weekend.clone()),
            r#"{"name":"day","price":0.35},{"name":"night","price":0.24,"weekdays":"sat-sun"}"#,
        ),
        // Fewer zones the other way round.
        (
            painted(night.iter().chain(&weekend).copied()),
            r#"{"name":"night","price":0.24},{"name":"day","price":0.35,"weekdays":"mon-fri","hours":"06:00-22:00"}"#,
        ),
        (
            painted(night.iter().chain(&noon).copied()),
            r#"{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"12:00-14:00,22:00-06:00"}"#,
        ),
        // Two kinds of days: one inside of the other.
        (
            painted([(0, 12), (2, 12), (2, 23)]),
            r#"{"name":"day","price":0.35},{"name":"night","price":0.24,"weekdays":"mon,wed","hours":"12:00-13:00"},{"name":"night 2","price":0.24,"weekdays":"wed","hours":"12:00-13:00,23:00-24:00"}"#,
        ),
    ] {
        assert_eq!(zones(&two_prices(week).contract().unwrap()), zones_expected);
    }
    // The union of two kinds of days is no third kind.
    let unions = painted([(0, 1), (1, 2), (2, 1), (2, 2)]);
    assert_eq!(unions.blocks().len(), 2);
}

#[test]
fn a_household_contract_is_what_people_type() {
    let mut all = two_prices(painted(typed("mon-sun", "22:00-06:00")));
    all.fixed.push(HouseholdCharge {
        name: Label::new("standing charge").unwrap(),
        price: decimal("0.42"),
        per: Period::Day,
    });
    all.feed_in = Some(decimal("0.08"));
    all.tax = Some(HouseholdTax {
        name: Label::new("VAT").unwrap(),
        percent: Percent::parse("19").unwrap(),
        of: TaxBase::Net,
    });
    let document = include_str!("../../../../docs/MONEY.md");
    let documented = document.split("```json\n").nth(1).unwrap();
    let (documented, _) = documented.split_once("\n```").unwrap();
    assert_eq!(all.contract().unwrap().to_string(), documented);
}

#[test]
fn what_a_household_has_is_read_back() {
    let with = |components: &str| {
        let text = format!(
            r#"{{"from":"2026-01-01","name":"A","currency":"EUR","components":[{components}]}}"#
        );
        Contract::parse(&text).unwrap()
    };
    for components in [
        r#"{"energy":{"price":0.3}}"#,
        r#"{"energy":{"series":"day-ahead","factor":1.21,"surcharge":-0.03}}"#,
        r#"{"energy":{"period":"month","tiers":[{"up_to_kwh":200,"price":0.28},{"price":0.35}]}}"#,
        // Three prices, and another one in winter alone.
        r#"{"energy":{"zones":[{"name":"low","price":0.1},{"name":"mid","price":0.2,"weekdays":"mon-fri","hours":"08:00-24:00"},{"name":"high","price":0.3,"months":"1-2,12","weekdays":"mon-fri","hours":"10:00-14:00,18:00-22:00"}]}}"#,
        // Two blocks of one price, and a price of its own that is called alike.
        r#"{"energy":{"zones":[{"name":"day","price":0.3},{"name":"night","price":0.2,"weekdays":"mon","hours":"12:00-13:00"},{"name":"night 2","price":0.2,"weekdays":"tue","hours":"14:00-15:00"},{"name":"night 3","price":0.1,"weekdays":"wed","hours":"14:00-15:00"}]}}"#,
        r#"{"energy":{"price":0.3}},{"fixed":{"name":"a","price":1,"per":"day"}},{"fixed":{"name":"b","price":2,"per":"year"}},{"export":{"price":-0.08}},{"tax":{"name":"VAT","percent":19,"of":"costs"}}"#,
    ] {
        let contract = with(components);
        let household = contract.household();
        let household = household.unwrap_or_else(|| panic!("{components}"));
        assert_eq!(household.contract().unwrap(), contract);
    }
    for other in [
        r#"{"energy":{"name":"supply","price":0.3}}"#,
        r#"{"energy":{"price":0.3}},{"energy":{"price":0.1}}"#,
        r#"{"energy":{"price":0.3}},{"tax":{"name":"VAT","percent":19}},{"export":{"price":0.08}}"#,
        r#"{"energy":{"price":0.3}},{"tax":{"name":"a","percent":1}},{"tax":{"name":"b","percent":2}}"#,
        r#"{"energy":{"price":0.3}},{"export":{"series":"day-ahead"}}"#,
        r#"{"energy":{"price":0.3}},{"demand":{"price":4.5,"per":"hour"}}"#,
        r#"{"fixed":{"name":"a","price":1,"per":"day"}}"#,
        r#"{"energy":{"zones":[{"name":"day","price":0.3},{"name":"night","price":0.2,"hours":"22:30-06:00"}]}}"#,
        r#"{"energy":{"zones":[{"name":"summer","price":0.3,"months":"4-9"},{"name":"winter","price":0.2,"months":"10-3"}]}}"#,
    ] {
        assert_eq!(with(other).household(), None, "{other}");
    }
    let holidays = r#"{"from":"2026-01-01","name":"A","currency":"EUR","holidays":["12-25"],"components":[{"energy":{"price":0.3}}]}"#;
    assert_eq!(Contract::parse(holidays).unwrap().household(), None);
}

#[test]
fn a_price_without_an_hour_is_found() {
    let rate = |week: WeekGrid| two_prices(week).rate;
    let unused = |rate: &HouseholdRate| rate.unused().map(ToString::to_string);
    let some = painted([(6, 23)]);
    assert_eq!(unused(&rate(some)), None);
    assert_eq!(unused(&rate(WeekGrid::default())).as_deref(), Some("night"));
    assert_eq!(
        unused(&rate(some.others().and(&some))).as_deref(),
        Some("day")
    );
    // Another price over all of its hours, first in some months, then in all.
    let mut both = rate(some);
    let HouseholdRate::Hours { painted, .. } = &mut both else {
        unreachable!()
    };
    let over = PaintedPrice {
        price: named("peak", "0.5"),
        months: std::array::from_fn(|month| month != 3),
        week: some,
    };
    painted.push(over);
    assert_eq!(unused(&both), None);
    let HouseholdRate::Hours { painted, .. } = &mut both else {
        unreachable!()
    };
    painted[1].months = ALL_YEAR;
    assert_eq!(unused(&both).as_deref(), Some("night"));
    assert_eq!(unused(&HouseholdRate::Flat(decimal("0.3"))), None);
}

#[test]
fn a_price_that_never_holds_is_refused() {
    let refused = |contract: HouseholdContract| contract.contract().unwrap_err().to_string();
    assert_eq!(
        refused(two_prices(WeekGrid::default())),
        "night: it has no hours or no months; expected at least one of both"
    );
    let error = refused(two_prices(WeekGrid::default().others()));
    assert!(error.contains("zones[0]: this zone never wins"), "{error}");
}

proptest! {
    #[test]
    fn a_grid_becomes_blocks_and_a_grid_again(days: [u32; 7], few in 1_usize..8) {
        // The days repeat, so that several are alike.
        let cells = (0..7_u8).flat_map(|day| (0..24_u8).map(move |hour| (day, hour)));
        let has = |&(day, hour): &(u8, u8)| days[usize::from(day) % few] >> hour & 1 == 1;
        let model: BTreeSet<(u8, u8)> = cells.filter(has).collect();
        let grid = painted(model.iter().copied());
        prop_assert_eq!(&hours(&grid), &model);
        let blocks = grid.blocks();
        let kinds: BTreeSet<Vec<u8>> = (0..7)
            .map(|day| model.iter().filter(|at| at.0 == day).map(|at| at.1).collect())
            .filter(|hours: &Vec<u8>| !hours.is_empty())
            .collect();
        prop_assert!(blocks.len() <= kinds.len());
        let again = blocks.iter().fold(WeekGrid::default(), |all, block| {
            all.and(&WeekGrid::of_block(block.weekdays, &block.hours).unwrap())
        });
        prop_assert_eq!(again, grid);
    }

    #[test]
    fn each_hour_has_the_price_that_was_painted(
        first: [u32; 7],
        second: [u32; 7],
        months in 1_u16..4_095,
        is_alone: bool,
    ) {
        let grid = |days: [u32; 7]| painted((0..7_u8).flat_map(|day| (0..24_u8).map(move |hour| (day, hour)))
            .filter(|&(day, hour)| days[usize::from(day)] >> hour & 1 == 1));
        let (night, peak) = (grid(first), grid(second));
        let has_month = |month: usize| months >> month & 1 == 1;
        let mut all = two_prices(night);
        let HouseholdRate::Hours { painted, .. } = &mut all.rate else { unreachable!() };
        if !is_alone {
            painted.push(PaintedPrice { price: named("peak", "0.5"), months: std::array::from_fn(has_month), week: peak });
        }
        // Grids that leave nothing for a price are refused.
        let contract = all.contract();
        prop_assert_eq!(all.rate.unused().is_some(), contract.is_err());
        prop_assume!(contract.is_ok());
        let contract = contract.unwrap();
        for month in [0, 6] {
            let price = |(day, hour): (u8, u8)| decimal(
                if !is_alone && has_month(usize::from(month)) && peak.has(day, hour) { "0.5" }
                else if night.has(day, hour) { "0.24" }
                else { "0.35" });
            let cells = (0..7).flat_map(|day| (0..24).map(move |hour| (day, hour)));
            prop_assert_eq!(prices(&contract, month), cells.map(price).collect::<Vec<_>>());
        }
        // Read and written again, nothing changes.
        let read = contract.household().unwrap();
        prop_assert_eq!(read.contract().unwrap(), contract);
    }
}
