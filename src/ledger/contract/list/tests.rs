use proptest::prelude::*;

use super::*;

const DAY_AND_NIGHT: &str = r#"{"from":"2026-01-01","name":"Day and night","currency":"EUR","holidays":["2026-06-04","12-25","easter+1","last mon of may"],"components":[{"energy":{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:00"},{"name":"winter weekend","price":0.2,"months":"1-3,11-12","weekdays":"sat-sun","holidays":false}]}},{"energy":{"name":"grid","period":"month","tiers":[{"up_to_kwh":200,"price":0.05},{"up_to_kwh":500.5,"price":0.06},{"price":0.07}]}},{"energy":{"name":"market","series":"day-ahead","factor":1.21,"surcharge":-0.02}},{"demand":{"price":4.5,"per":"quarter"}},{"fixed":{"name":"standing charge","price":0.42,"per":"day"}},{"export":{"price":0.08}},{"tax":{"name":"VAT","percent":19,"of":"costs"}}]}"#;

/// A contract with these members besides its beginning, name and currency.
fn with(members: &str) -> String {
    format!(r#"{{"from":"2026-01-01","name":"A","currency":"EUR",{members}}}"#)
}

fn with_component(component: &str) -> String {
    with(&format!(r#""components":[{component}]"#))
}

fn with_zones(zones: &str) -> String {
    with_component(&format!(r#"{{"energy":{{"zones":[{zones}]}}}}"#))
}

#[track_caller]
fn assert_refused(text: &str, error: &str) {
    assert_eq!(Contract::parse(text).unwrap_err().to_string(), error);
}

#[test]
fn a_contract_is_printed_as_it_is_typed() {
    let contract = Contract::parse(DAY_AND_NIGHT).unwrap();
    assert_eq!(contract.to_string(), DAY_AND_NIGHT);
    let series: Vec<&str> = contract.series().map(Label::as_str).collect();
    assert_eq!(series, ["day-ahead"]);
    // Defaults are left out, and numbers lose superfluous digits.
    let long = with(
        r#""holidays":[],"components":[{"energy":{"series":"x","factor":1.0,"surcharge":"0.000"}},{"tax":{"percent":"7.50","name":"VAT","of":"net"}}]"#,
    );
    let short =
        with(r#""components":[{"energy":{"series":"x"}},{"tax":{"name":"VAT","percent":7.5}}]"#);
    assert_eq!(Contract::parse(&long).unwrap().to_string(), short);
}

#[test]
fn what_is_no_contract_is_refused() {
    assert_refused(
        "",
        "the contract: this is no JSON: EOF while parsing a value at line 1 column 0",
    );
    assert_refused(
        "[]",
        r#"the whole: expected an object such as {"from":"2026-01-01","name":"Day and night","currency":"EUR","components":[{"energy":{"price":0.3215}}]}, not []"#,
    );
    assert_refused(
        &with(r#""componets":[]"#),
        "componets: unknown here; did you mean components?",
    );
    assert_refused(
        &with(r#""zzz":[]"#),
        "zzz: unknown here; expected from, name, currency, continues, holidays, billing, advances, components",
    );
    assert_refused(
        &with(r#""name":"B","components":[]"#),
        "name: it is given twice",
    );
    assert_refused(
        &with(r#""holidays":[],"holidays":[]"#),
        "holidays: it is given twice",
    );
    assert_refused(
        &with(r#""holidays":[]"#),
        r#"components: it is missing; expected such as [{"energy":{"price":0.3215}}]"#,
    );
    assert_refused(
        &with(r#""components":[]"#),
        r#"components: expected a list of 1 to 64, such as [{"energy":{"price":0.3215}}], not []"#,
    );
    let many = vec![r#"{"energy":{"price":1}}"#; 65].join(",");
    assert!(Contract::parse(&with_component(&many)).is_err());
    assert!(Contract::parse(&with_component(&many[23..])).is_ok());
    let text = with_component(r#"{"energy":{"price":1}}"#);
    for (from, to, error) in [
        (
            "2026-01-01",
            "2026-02-30",
            r#"from: expected a date such as "2026-01-01", not "2026-02-30""#,
        ),
        (
            "EUR",
            "Eurodollars",
            r#"currency: expected a currency of 1 to 8 characters, such as "EUR", not "Eurodollars""#,
        ),
        (
            r#""A""#,
            r#""""#,
            r#"name: expected a text of 1 to 64 bytes without control characters, such as "Day and night", not """#,
        ),
    ] {
        assert_refused(&text.replace(from, to), error);
    }
}

#[test]
fn prices_are_exact_or_refused() {
    for price in ["0.1234567", "1e-3", "1000000", "true", r#""0,32""#, "[1]"] {
        assert_refused(
            &with_component(&format!(r#"{{"energy":{{"price":{price}}}}}"#)),
            &format!(
                "components[0].energy.price: expected a price from -999999.999999 to 999999.999999 with up to six decimals, such as 0.3215, not {price}"
            ),
        );
    }
    let contract = Contract::parse(&with_component(r#"{"energy":{"price":"-999999.999999"}}"#));
    assert!(
        contract
            .unwrap()
            .to_string()
            .contains(r#"{"price":-999999.999999}"#)
    );
}

#[test]
fn wrong_components_are_refused() {
    for (component, error) in [
        (
            "{}",
            r#"components[0]: expected one of energy, demand, fixed, minimum, maximum, discount, export, tax, such as {"energy":{"price":0.3215}}, not {}"#,
        ),
        (
            r#"{"engery":{"price":1}}"#,
            "components[0].engery: unknown here; did you mean energy?",
        ),
        (
            r#"{"energy":{"price":1,"series":"x"}}"#,
            r#"components[0].energy: expected one of price, zones, tiers, series and table, such as {"price":0.3215}, not {"price":1,"series":"x"}"#,
        ),
        (
            r#"{"energy":{"price":1,"factor":2}}"#,
            "components[0].energy.factor: unknown here; expected name, price, continues, of, netting, by_zone, netting_factor, surplus, cap, when, only_if, first",
        ),
        (
            r#"{"energy":{"series":"x","factor":"1,21"}}"#,
            r#"components[0].energy.factor: expected a factor from -999999.999999 to 999999.999999 with up to six decimals, such as 1.21, not "1,21""#,
        ),
        (
            r#"{"energy":{"tiers":[{"price":1}],"period":"week"}}"#,
            r#"components[0].energy.period: expected "day", "month", "quarter", "year" or "billing", not "week""#,
        ),
        (
            r#"{"energy":{"period":"month","tiers":[{"up_to_kwh":5,"price":1}]}}"#,
            r#"components[0].energy.tiers[0]: expected up_to_kwh in each tier but the last, such as [{"up_to_kwh":200,"price":0.28},{"price":0.35}], not {"up_to_kwh":5,"price":1}"#,
        ),
        (
            r#"{"energy":{"period":"month","tiers":[{"up_to_kwh":5,"price":1},{"up_to_kwh":5,"price":2},{"price":3}]}}"#,
            r#"components[0].energy.tiers[1]: expected more kWh than in the tier before, such as [{"up_to_kwh":200,"price":0.28},{"price":0.35}], not {"up_to_kwh":5,"price":2}"#,
        ),
        (
            r#"{"energy":{"period":"month","tiers":[{"up_to_kwh":0,"price":1},{"price":3}]}}"#,
            "components[0].energy.tiers[0].up_to_kwh: expected more than 0 and at most 999999.999999 kWh, with up to six decimals, such as 200, not 0",
        ),
        (
            r#"{"demand":{"price":4,"per":"day"}}"#,
            r#"components[0].demand.per: expected "hour", "half-hour" or "quarter" (of an hour), not "day""#,
        ),
        (
            r#"{"fixed":{"name":"A","price":4,"per":"week"}}"#,
            r#"components[0].fixed.per: expected "day", "month", "quarter", "year" or "billing", not "week""#,
        ),
        (
            r#"{"fixed":{"price":4,"per":"day"}}"#,
            r#"components[0].fixed.name: it is missing; expected such as "standing charge""#,
        ),
        (
            r#"{"tax":{"name":"VAT","percent":-1}}"#,
            "components[0].tax.percent: expected a percentage from 0 to 999999.99999999 with up to eight decimals, such as 19, not -1",
        ),
        (
            r#"{"tax":{"name":"VAT","percent":1,"of":"all"}}"#,
            r#"components[0].tax.of: expected "net" or "costs", not "all""#,
        ),
    ] {
        assert_refused(&with_component(component), error);
    }
}

#[test]
fn wrong_conditions_are_refused() {
    for (condition, error) in [
        (
            r#""months":13"#,
            r#"months: expected months from 1 to 12 and ranges, such as "11-3" or "1,6-8", not 13"#,
        ),
        (
            r#""weekdays":"monday""#,
            r#"weekdays: expected weekdays mon to sun and ranges, such as "mon-fri" or "sat,sun", not "monday""#,
        ),
        (
            r#""hours":"22-6""#,
            r#"hours: expected 1 to 12 ranges by the clock, such as "22:00-06:00" or "07:00-09:00,17:00-20:00", not "22-6""#,
        ),
        (
            r#""holidays":"yes""#,
            r#"holidays: expected true or false, not "yes""#,
        ),
        (
            r#""hour":"22:00-06:00""#,
            "hour: unknown here; did you mean hours?",
        ),
    ] {
        let zones = format!(r#"{{"name":"a","price":1}},{{"name":"b","price":2,{condition}}}"#);
        assert_refused(
            &with_zones(&zones),
            &format!("components[0].energy.zones[1].{error}"),
        );
    }
    assert_refused(
        &with(r#""holidays":["easter+1","5th mon of may"],"components":[{"energy":{"price":1}}]"#),
        r#"holidays[1]: expected a holiday such as "2026-06-04", "12-25", "easter+1" or "last mon of may", not "5th mon of may""#,
    );
}

#[test]
fn holes_and_hidden_zones_are_refused() {
    for (zones, error) in [
        (
            r#"{"name":"day","price":1,"hours":"06:00-22:00"},{"name":"night","price":2,"hours":"22:00-05:30"}"#,
            "components[0].energy.zones: no zone matches a mon in jan at 05:30; expected a price at all times, such as by a first zone without conditions",
        ),
        (
            r#"{"name":"winter","price":1,"months":"10-3"},{"name":"summer","price":2,"months":"4-9","weekdays":"mon-sat"}"#,
            "components[0].energy.zones: no zone matches a sun in apr at 00:00; expected a price at all times, such as by a first zone without conditions",
        ),
        (
            r#"{"name":"night","price":1,"hours":"22:00-06:00"},{"name":"late","price":3,"hours":"12:00-24:00"},{"name":"early","price":2,"hours":"00:00-12:00"}"#,
            "components[0].energy.zones[0]: this zone never wins, as later ones match whenever it does: late, early; expected it behind them, as the last one that matches wins",
        ),
        (
            r#"{"name":"a","price":1},{"name":"b","price":2}"#,
            "components[0].energy.zones[0]: this zone never wins, as later ones match whenever it does: b; expected it behind them, as the last one that matches wins",
        ),
        (
            r#"{"name":"a","price":1},{"name":"b","price":2,"holidays":true}"#,
            r#"components[0].energy.zones[1]: this zone never matches, as no holiday of the contract comes then; expected "holidays" in the contract, such as ["12-25"]"#,
        ),
        (
            r#"{"name":"a","price":1},{"name":"a","price":2,"months":7}"#,
            "components[0].energy.zones[1].name: two zones are called a; expected a name of its own",
        ),
    ] {
        assert_refused(&with_zones(zones), error);
    }
    // Only holidays that can come must have a price.
    let christmas = |months: &str| {
        with(&format!(
            r#""holidays":["12-25"],"components":[{{"energy":{{"zones":[{{"name":"work","price":1,"holidays":false}},{{"name":"holiday","price":2,"holidays":true,"months":"{months}"}}]}}}}]"#
        ))
    };
    assert!(Contract::parse(&christmas("12")).is_ok());
    assert_refused(
        &christmas("11"),
        "components[0].energy.zones: no zone matches a mon in dec that is a holiday at 00:00; expected a price at all times, such as by a first zone without conditions",
    );
}

#[test]
fn contracts_follow_each_other() {
    let contract = |from: &str, name: &str, currency: &str| {
        format!(
            r#"{{"from":"{from}","name":"{name}","currency":"{currency}","components":[{{"energy":{{"price":1}}}}]}}"#
        )
    };
    let (old, new) = (
        contract("2025-01-01", "old", "EUR"),
        contract("2026-01-01", "new", "EUR"),
    );
    let both = Contracts::parse(&format!("[{new},{old}]")).unwrap();
    assert_eq!(both.to_string(), format!("[{old},{new}]"));
    assert_eq!(both.currency().unwrap().as_str(), "EUR");
    assert_eq!(Contracts::parse("[]"), Ok(Contracts::default()));
    for (text, error) in [
        (
            format!("[{new},{}]", contract("2026-01-01", "newer", "EUR")),
            "the contracts: new and newer begin on one date, 2026-01-01; expected a date of its own for each",
        ),
        (
            format!("[{old},{}]", contract("2026-01-01", "new", "€")),
            "the contracts: old is in EUR and new in €; expected one currency",
        ),
        (
            format!("[{old},{}]", new.replace(":1}", ":true}")),
            "[1].components[0].energy.price: expected a price from -999999.999999 to 999999.999999 with up to six decimals, such as 0.3215, not true",
        ),
    ] {
        assert_eq!(Contracts::parse(&text).unwrap_err().to_string(), error);
    }
    let many: Vec<Contract> = (0..201)
        .map(|days| {
            let from = LocalDate::new(2026, 1, 1).unwrap().plus_days(days).unwrap();
            Contract::parse(&contract(&from.to_string(), "A", "EUR")).unwrap()
        })
        .collect();
    assert!(Contracts::new(many[1..].to_vec()).is_ok());
    let error = Contracts::new(many).unwrap_err().to_string();
    assert_eq!(error, "the contracts: expected 200 at most, not 201");
}

#[test]
fn a_refusal_is_one_short_line() {
    let long = "é\n".repeat(1_000);
    let error = Contract::parse(&with_component(&format!(r#"{{"tax":[{long}]}}"#)));
    assert_eq!(error.unwrap_err().to_string().lines().count(), 1);
    let name = format!(r#"{{"{}":1}}"#, "é\\n".repeat(1_000));
    let error = Contract::parse(&name).unwrap_err().to_string();
    assert!(error.lines().count() == 1 && error.len() < 200, "{error}");
}

/// A zone as it is typed, and whether it matches by month, weekday, holiday and hour.
type PlainZone = (String, [bool; 12], [bool; 7], [bool; 2], [bool; 24]);

fn any_plain_zone() -> impl Strategy<Value = PlainZone> {
    let months = prop::sample::select(vec![
        ("", 1..13),
        (r#","months":"1-6""#, 1..7),
        (r#","months":"7-12""#, 7..13),
        (r#","months":5"#, 5..6),
    ]);
    let weekdays = prop::sample::select(vec![
        ("", 0..7),
        (r#","weekdays":"mon-fri""#, 0..5),
        (r#","weekdays":"sat,sun""#, 5..7),
    ]);
    let holidays = prop::sample::select(vec![
        ("", [true, true]),
        (r#","holidays":true"#, [false, true]),
        (r#","holidays":false"#, [true, false]),
    ]);
    let hours = prop::sample::select(vec![
        ("", 0..24),
        (r#","hours":"06:00-22:00""#, 6..22),
        (r#","hours":"22:00-06:00""#, 22..30),
    ]);
    (months, weekdays, holidays, hours).prop_map(|(months, weekdays, holidays, hours)| {
        let text = [months.0, weekdays.0, holidays.0, hours.0].concat();
        let hour = |hour| hours.1.contains(&hour) || hours.1.contains(&(hour + 24));
        (
            text,
            std::array::from_fn(|index| months.1.contains(&(index + 1))),
            std::array::from_fn(|index| weekdays.1.contains(&index)),
            holidays.1,
            std::array::from_fn(hour),
        )
    })
}

proptest! {
    #[test]
    fn zones_are_taken_if_each_moment_has_one_and_each_wins_one(zones in proptest::collection::vec(any_plain_zone(), 1..5)) {
        let mut wins = vec![0; zones.len()];
        let mut holes = 0;
        let mut date = LocalDate::new(2026, 1, 1).unwrap();
        while date.year() == 2026 {
            let is_holiday = date.to_string() == "2026-05-29";
            for hour in 0..24 {
                let winner = zones.iter().rposition(|(_, months, weekdays, holidays, hours)| {
                    months[usize::from(date.month()) - 1] && weekdays[usize::from(date.weekday().days_after_monday())]
                        && holidays[usize::from(is_holiday)] && hours[hour]
                });
                match winner {
                    Some(winner) => wins[winner] += 1,
                    None => holes += 1,
                }
            }
            date = date.plus_days(1).unwrap();
        }
        let zones = (0..).zip(&zones).map(|(index, zone)| format!(r#"{{"name":"{index}","price":{index}{}}}"#, zone.0));
        let zones = zones.collect::<Vec<_>>().join(",");
        let text = with(&format!(r#""holidays":["last fri of may"],"components":[{{"energy":{{"zones":[{zones}]}}}}]"#));
        let error = Contract::parse(&text).err().map(|error| error.to_string());
        let has = |part: &str| error.as_ref().is_some_and(|error| error.contains(part));
        prop_assert_eq!(holes > 0, has("no zone matches"), "{:?}", error);
        if holes == 0 {
            let hidden = wins.iter().position(|wins| *wins == 0);
            prop_assert_eq!(hidden.is_some(), has("never"), "{:?}", error);
            let is_named = hidden.is_none_or(|zone| has(&format!("zones[{zone}]")));
            prop_assert!(is_named, "{:?}", error);
        }
    }

    #[test]
    fn a_text_with_a_change_is_refused_or_stays(place in 0..DAY_AND_NIGHT.len(), with in "[-0-9a-z\",:{}\\[\\]. ]{0,3}", cut in 0_usize..4) {
        let mut text = DAY_AND_NIGHT.to_owned();
        text.replace_range(place..(place + cut).min(text.len()), &with);
        if let Ok(contract) = Contract::parse(&text) {
            let printed = contract.to_string();
            let again = Contract::parse(&printed);
            prop_assert_eq!(again.as_ref().map(ToString::to_string), Ok(printed));
            prop_assert_eq!(again, Ok(contract));
        }
    }
}
