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
        "",
        r#"{"energy":{"price":1,"first":{"kwh":5,"period":"day"},"netting":"month"}}"#,
        "components[0].energy.first: expected no netting beside it",
    ),
    (
        "",
        r#"{"energy":{"price":1,"first":{"kwh":0,"period":"day"}}}"#,
        "components[0].energy.first.kwh: expected more than 0 and at most 999999.999999 kWh, with up to six decimals, such as 200, not 0",
    ),
    (
        "",
        r#"{"energy":{"price":1,"only_if":{"series":"spot"}}}"#,
        "components[0].energy.only_if: expected at_least, below or both, such as {\"series\":\"day-ahead\",\"at_least\":0}, not {\"series\":\"spot\"}",
    ),
    (
        "",
        r#"{"energy":{"price":1,"only_if":{"series":"spot","at_least":1,"below":1}}}"#,
        "components[0].energy.only_if.below: expected more than at_least",
    ),
    (
        "",
        r#"{"energy":{"price":1,"netting":"hour","netting_factor":0.8}}"#,
        "components[0].energy.netting_factor: expected only together with netting by month, year or billing",
    ),
    (
        "",
        r#"{"energy":{"price":1,"netting":"year","netting_factor":1.2}}"#,
        "components[0].energy.netting_factor: expected the part of the fed-in energy that counts, from 0 to 1, such as 0.8, not 1.2",
    ),
    (
        "",
        r#"{"energy":{"series":"spot","floor":1,"ceiling":0}}"#,
        "components[0].energy.ceiling: expected no less than floor",
    ),
    (
        "",
        r#"{"energy":{"series":"spot","mean":"week"}}"#,
        "components[0].energy.mean: expected \"hour\", \"day\" or \"month\", not \"week\"",
    ),
    (
        "",
        r#"{"energy":{"period":"month","tiers":[{"price":1}],"seasons":[{"name":"summer","tiers":[{"price":1}]}]}}"#,
        "components[0].energy.seasons[0]: expected months or dates, such as [{\"name\":\"summer\",\"months\":\"7-8\",\"tiers\":[{\"up_to_kwh\":300,\"price\":0.28},{\"price\":0.35}]}], not {\"name\":\"summer\",\"tiers\":[{\"price\":1}]}",
    ),
    (
        "",
        r#"{"energy":{"period":"month","bracket":true,"tiers":[{"price":1}],"cap":{"price":1}}}"#,
        "components[0].energy.cap: expected no bracket beside it",
    ),
    (
        "",
        r#"{"export":{"table":[{"months":"1-6","prices":[1]},{"months":"7-12","prices":[1]}]}}"#,
        "components[0].export.table[0]: expected 24 prices, one for each hour from midnight on, not {\"months\":\"1-6\",\"prices\":[1]}",
    ),
    (
        "",
        r#"{"fixed":{"name":"a","price":1,"per":"month","steps":[{"price":1}]}}"#,
        "components[0].fixed.price: unknown here; expected name, continues, per, steps, by, period",
    ),
    (
        "",
        r#"{"fixed":{"name":"a","per":"month","steps":[{"up_to_kwh":5,"price":1},{"up_to_kwh":5,"price":2},{"price":3}]}}"#,
        "components[0].fixed.steps[1]: expected more kWh than in the step before, such as [{\"up_to_kwh\":200,\"price\":910},{\"price\":1600}], not {\"up_to_kwh\":5,\"price\":2}",
    ),
    (
        "",
        r#"{"demand":{"price":1,"per":"hour","weights":[{"factor":2}]}}"#,
        "components[0].demand.weights[0].factor: expected a factor from 0 to 1 with up to six decimals, such as 0.5, not 2",
    ),
    (
        "",
        r#"{"maximum":{"name":"m","price":-1,"period":"year"}}"#,
        "components[0].maximum.price: expected a price from 0 to 999999.999999 with up to six decimals, such as 0.25, not -1",
    ),
    (
        "",
        r#"{"discount":{"name":"less","percent":35,"on":["x"]}}"#,
        "components[0].discount.on[0]: expected the name of a component before this one, not \"x\"",
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
