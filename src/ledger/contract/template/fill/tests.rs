//! Templates are filled in: each path leads somewhere, and each value gets there.

use super::*;
use crate::domain::Decimal;
use crate::ledger::contract::{ParamKind, Period};

fn start() -> TariffStart {
    TariffStart {
        first_day: LocalDate::parse("2026-11-01").unwrap(),
        name: None,
        account_currency: None,
        continues: None,
    }
}

fn values(all: &[(&str, &str)]) -> BTreeMap<String, String> {
    let all = all.iter();
    all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn template(id: &str) -> &'static ContractTemplate {
    ContractTemplate::with_id(id).unwrap()
}

#[test]
fn each_param_leads_to_places_of_its_contract() {
    for template in ContractTemplate::all() {
        let id = template.id();
        assert!(!template.params().is_empty(), "{id}");
        let mut names: Vec<&str> = template.params().iter().map(TariffParam::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(
            names.len(),
            template.params().len(),
            "{id}: a name comes twice"
        );
        for param in template.params() {
            let name = param.name();
            let at = format!("{id}: {name}");
            // The form has fields of its own beside those of the params.
            let own = [
                "account",
                "template",
                "from",
                "continues",
                "csrf",
                "sure",
                "key",
                "as",
                "name",
                "old",
                "seen",
                "mapping",
                "anyway",
                "step",
            ];
            assert!(!own.contains(&name), "{at}");
            assert!(
                name.bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{at}"
            );
            let json = template.json();
            let found: Vec<Option<&Value>> = param.pointers().map(|it| json.pointer(&it)).collect();
            assert!(
                !found.is_empty() && found.iter().all(Option::is_some),
                "{at}"
            );
            let example = template.example(param).unwrap_or_else(|| panic!("{at}"));
            assert_eq!(
                param.kind() == ParamKind::Choice,
                !param.options().is_empty(),
                "{at}"
            );
            for option in param.options() {
                assert_eq!(option.set.len(), found.len(), "{at}");
            }
            if let Some([least, most]) = param.usual() {
                let value = param.size(&example).unwrap();
                assert!(param.is_number() && least < most, "{at}");
                assert!(
                    least <= value && value <= most,
                    "{at}: {example} is unusual"
                );
            }
            assert!(param.hundredths().is_empty() || param.is_number(), "{at}");
        }
    }
}

/// The period that stands beside a price in the contract.
fn period_beside(template: &ContractTemplate, param: &TariffParam, field: &str) -> String {
    let pointer = param.pointers().next().unwrap();
    let (terms, _) = pointer.rsplit_once('/').unwrap();
    let json = template.json();
    let per = json.pointer(&format!("{terms}/{field}"));
    per.and_then(Value::as_str).unwrap_or("month").to_owned()
}

#[test]
fn prices_have_the_periods_of_their_contracts() {
    for template in ContractTemplate::all() {
        for param in template.params() {
            let field = match param.kind() {
                ParamKind::Fee => "per",
                ParamKind::PowerPrice => "price_per",
                _ => continue,
            };
            let stated = period_beside(template, param, field);
            let own = param.per().map(Period::as_str);
            assert_eq!(own, Some(&*stated), "{}: {}", template.id(), param.name());
        }
    }
}

#[test]
fn a_template_with_its_own_values_is_its_contract() {
    for template in ContractTemplate::all() {
        let example =
            |param: &TariffParam| (param.name().to_owned(), template.example(param).unwrap());
        let values = template.params().iter().map(example).collect();
        let filled = template.fill(
            &TariffStart {
                first_day: template.contract().from(),
                ..start()
            },
            &values,
        );
        assert_eq!(
            filled.as_ref(),
            Ok(template.contract()),
            "{}",
            template.id()
        );
    }
}

#[test]
fn each_value_that_is_typed_changes_the_contract() {
    for template in ContractTemplate::all() {
        let example =
            |param: &TariffParam| (param.name().to_owned(), template.example(param).unwrap());
        let values: BTreeMap<String, String> = template.params().iter().map(example).collect();
        for param in template.params() {
            let at = format!("{}: {}", template.id(), param.name());
            let other = match param.kind() {
                ParamKind::Hours => "01:00-02:00".to_owned(),
                ParamKind::Date => "2026-03-05".to_owned(),
                ParamKind::Sensor => "another-sensor".to_owned(),
                ParamKind::Choice => param.options().last().unwrap().value.clone(),
                ParamKind::Series | ParamKind::Days => "another list".to_owned(),
                _ => {
                    // Between two tiers and steps, so that they still ascend.
                    let value = param.size(&values[param.name()]).unwrap();
                    Decimal::from_millionths(value.millionths() + 10_000).to_string()
                }
            };
            let mut typed = values.clone();
            typed.insert(param.name().to_owned(), other.clone());
            let filled = template
                .fill(&start(), &typed)
                .unwrap_or_else(|error| panic!("{at}: {error}"));
            let unchanged = template.fill(&start(), &values).unwrap();
            assert_ne!(filled, unchanged, "{at}");
            let json: Value = serde_json::from_str(&filled.to_string()).unwrap();
            let shown = param.value_in(&json);
            assert_eq!(shown.as_deref(), Some(other.as_str()), "{at}");
        }
    }
}

#[test]
fn cents_become_the_currency_and_an_empty_value_leaves_its_component_out() {
    let typed = values(&[("price", "32.9"), ("base-fee", "12.90"), ("feed-in", "")]);
    let filled = template("de-flat-feed-in").fill(&start(), &typed).unwrap();
    assert_eq!(
        filled.to_string(),
        r#"{"from":"2026-11-01","name":"Flat with feed-in","currency":"EUR","components":[{"energy":{"price":0.329}},{"fixed":{"name":"base price","price":12.9,"per":"month"}}]}"#
    );
    let start = TariffStart {
        name: Some(Label::new("Stadtwerke").unwrap()),
        account_currency: Some(Currency::new("€").unwrap()),
        continues: Some(false),
        ..start()
    };
    let typed = values(&[("price", " 32.9 "), ("base-fee", "0"), ("feed-in", "7.86")]);
    let filled = template("de-flat-feed-in").fill(&start, &typed).unwrap();
    assert_eq!(
        filled.to_string(),
        r#"{"from":"2026-11-01","name":"Stadtwerke","currency":"€","continues":false,"components":[{"energy":{"price":0.329}},{"fixed":{"name":"base price","price":0,"per":"month"}},{"export":{"price":0.0786}}]}"#
    );
}

#[test]
fn an_optional_component_takes_its_name_out_of_taxes() {
    let mut json: Value = serde_json::from_str(
        r#"{"components":[{"fixed":{"name":"a"}},{"fixed":{"name":"b"}},{"tax":{"name":"t","on":["a","b"]}}],"advances":[{"amount":1}]}"#,
    )
    .unwrap();
    leave_out(
        &mut json,
        &[
            "/components/1/fixed/price".to_owned(),
            "/advances/0/amount".to_owned(),
        ],
    );
    assert_eq!(
        json.to_string(),
        r#"{"components":[{"fixed":{"name":"a"}},{"tax":{"name":"t","on":["a"]}}]}"#
    );
}

#[test]
fn a_source_names_the_series_and_a_percentage_becomes_a_factor() {
    let typed = values(&[
        ("prices", "energy-charts/FI"),
        ("margin", "0.49"),
        ("grid-price", "4.42"),
        ("feed-in-margin", "-0.3"),
        ("base-fee", "19.5"),
        ("vat", "24"),
    ]);
    let filled = template("fi-spot")
        .fill(&start(), &typed)
        .unwrap()
        .to_string();
    assert!(
        filled.contains(r#""series":"energy-charts-fi","factor":1.24,"surcharge":0.0049"#),
        "{filled}"
    );
    assert!(
        filled.contains(r#"{"name":"sold","series":"energy-charts-fi","surcharge":-0.003"#),
        "{filled}"
    );
}

#[test]
fn what_does_not_fit_is_refused_with_the_expected_form() {
    for (id, typed, expected) in [
        (
            "de-flat-feed-in",
            &[("base-fee", "12")][..],
            "price: it is missing; expected a price in ct/kWh with up to 4 decimals, such as 32.9",
        ),
        (
            "de-flat-feed-in",
            &[("price", "x"), ("base-fee", "12")],
            "price: expected a price in ct/kWh with up to 4 decimals, such as 32.9",
        ),
        (
            "de-flat-feed-in",
            &[("price", "32.90001"), ("base-fee", "12")],
            "price: expected a price in ct/kWh with up to 4 decimals, such as 32.9",
        ),
        (
            "de-flat-feed-in",
            &[("prise", "1")],
            "prise: this tariff has no such value; expected one of price, base-fee, feed-in",
        ),
        (
            "fr-tempo",
            &[("days", "\n"), ("base-fee", "12")],
            "days: it is missing; expected rte-tempo, a name of 1 to 64 bytes",
        ),
        (
            "jp-metered-b",
            &[("levy", "1"), ("billing-from", "31.02.2026")],
            "billing-from: expected a date such as 2022-04-20",
        ),
        (
            "gb-economy-7",
            &[
                ("day", "30"),
                ("night", "15"),
                ("base-fee", "50"),
                ("hours", "0-7"),
            ],
            "hours: expected hours such as 00:30-07:30",
        ),
        (
            "au-controlled-load",
            &[
                ("price", "30"),
                ("controlled-price", "15"),
                ("supply-charge", "1"),
                ("sensor", "a\nb"),
            ],
            "sensor: expected the id of a sensor, such as hot-water",
        ),
    ] {
        assert_refused(id, typed, expected);
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    for (id, typed, expected) in [
        (
            "es-2-0td-self-consumption",
            &[("feed-in", "6"), ("power", "-1")],
            "power: expected a number of kW that is not negative, such as 4.6",
        ),
        (
            "es-2-0td-self-consumption",
            &[("feed-in", "6"), ("power", "900000")],
            "power: expected a number of kW that is not negative, such as 4.6",
        ),
        (
            "ca-quebec-rate-d",
            &[("billing-from", "2026-01-01"), ("first-energy", "0")],
            "contract: components[0].energy.tiers[0].up_to_kwh_per_day: expected",
        ),
    ] {
        assert_refused(id, typed, expected);
    }
}

#[track_caller]
fn assert_refused(id: &str, typed: &[(&str, &str)], expected: &str) {
    let filled = template(id).fill(&start(), &values(typed));
    let error = filled.unwrap_err().to_string();
    assert!(error.starts_with(expected), "{id}: {error}");
}

#[test]
fn unusual_values_are_doubted() {
    let typed = values(&[("price", "0.329"), ("base-fee", "12.9"), ("feed-in", "786")]);
    let found = template("de-flat-feed-in").unusual(&typed);
    let found: Vec<String> = found
        .iter()
        .map(|(param, doubt)| format!("{}: {doubt}", param.name()))
        .collect();
    assert_eq!(
        found,
        [
            "price: Price of a kilowatt-hour, with VAT: 0.329 ct/kWh is unusual; usual is 10 to 80",
            "feed-in: Payment for a kilowatt-hour fed in: 786 ct/kWh is unusual; usual is 0 to 60",
        ]
    );
}
