//! Refused tariffs.

use super::tariffs::with;
use super::*;

/// Fields of a contract, a component, and the expected error.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "",
        r#"{"energy":{"price":1,"of":["night","night"]}}"#,
        "components[0].energy.of[1]: expected each sensor once, not \"night\"",
    ),
    (
        "",
        r#"{"energy":{"price":1,"surplus":{"price":1}}}"#,
        "components[0].energy.surplus: expected only together with netting by month, year or billing",
    ),
    (
        "",
        r#"{"energy":{"price":1,"netting":"year","by_zone":true}}"#,
        "components[0].energy.by_zone: expected only together with zones and netting by month, year or billing",
    ),
    (
        "",
        r#"{"energy":{"period":"month","tiers":[{"price":1}],"netting":"year"}}"#,
        "components[0].energy.netting: expected the period of the tiers",
    ),
    (
        "",
        r#"{"energy":{"price":1,"cap":{"price":1,"up_to_kwh":5}}}"#,
        "components[0].energy.cap: expected both up_to_kwh and period, or neither, such as {\"price\":0.4,\"up_to_kwh\":2900,\"period\":\"year\"}, not {\"price\":1,\"up_to_kwh\":5}",
    ),
    (
        "",
        r#"{"energy":{"period":"billing","tiers":[{"price":1}]}}"#,
        "components[0]: expected the field \"billing\" in the contract, such as {\"from\":\"2026-01-17\",\"months\":1}, because this component has billing periods",
    ),
    (
        "",
        r#"{"energy":{"period":"month","tiers":[{"up_to_kwh":1,"price":1},{"up_to_kwh_per_day":2,"price":1},{"price":1}]}}"#,
        "components[0].energy.tiers[1]: expected up_to_kwh in all tiers or up_to_kwh_per_day in all, not {\"up_to_kwh_per_day\":2,\"price\":1}",
    ),
    (
        "",
        r#"{"export":{"price":1,"at_most":"energy"}},{"export":{"price":1,"at_most":"energy"}}"#,
        "components[1]: expected at_most on one export only: an earlier one has it",
    ),
    (
        "",
        r#"{"tax":{"name":"a","percent":1,"on":["b"]}}"#,
        "components[0].tax.on[0]: expected the name of a component before this one, not \"b\"",
    ),
    (
        "",
        r#"{"demand":{"price":1,"per":"hour","at_least_kw":3,"at_most_kw":2}}"#,
        "components[0].demand.at_most_kw: expected no less than at_least_kw",
    ),
    (
        "",
        r#"{"demand":{"price":1,"steps":[{"price":1}],"per":"hour"}}"#,
        "components[0].demand: expected one of price and steps, such as {\"price\":4.5,\"per\":\"hour\"}, not {\"price\":1,\"steps\":[{\"price\":1}],\"per\":\"..",
    ),
    (
        r#","advances":[{"from":"2026-02-01","amount":1,"per":"day"},{"from":"2026-01-01","amount":1,"per":"day"}]"#,
        r#"{"energy":{"price":1}}"#,
        "advances[1].from: expected a later date than in the advance before, not \"2026-01-01\"",
    ),
    (
        r#","billing":{"from":"2026-01-17","months":13}"#,
        r#"{"energy":{"price":1}}"#,
        "billing.months: expected a whole number from 1 to 12, such as 1, not 13",
    ),
];

#[test]
fn a_contract_names_sixteen_sensors_at_most() {
    let names = |range: std::ops::Range<u8>| {
        let names: Vec<String> = range.map(|nth| format!("\"s{nth}\"")).collect();
        format!(r#"{{"energy":{{"price":1,"of":[{}]}}}}"#, names.join(","))
    };
    let both = |end| Contract::parse(&with("", &format!("{},{}", names(0..9), names(5..end))));
    assert!(both(16).is_ok());
    assert_eq!(
        both(17).unwrap_err().to_string(),
        "components: they name 17 sensors in of; expected 16 at most"
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    for (fields, component, problem) in REFUSED {
        let refused = Contract::parse(&with(fields, component)).unwrap_err();
        assert_eq!(refused.to_string(), *problem);
    }
}
