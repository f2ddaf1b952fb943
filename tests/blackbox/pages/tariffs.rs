//! Contracts from tariffs of countries, by form.

use serde_json::Value;
use wattkeeper::{AccountName, ContractChange};

use crate::pages::browser::{Browser, hidden_fields, location};
use crate::pages::dashboard::live_in;
use crate::support::{Service, house_basic, request};

fn contracts(service: &Service) -> String {
    let registry = service.store().registry();
    let contracts = registry.contracts(&AccountName::new("home").unwrap());
    contracts.map_or_else(String::new, ToString::to_string)
}

fn put(service: &Service, text: &str) {
    let change = ContractChange::parse(text).unwrap();
    let home = AccountName::new("home").unwrap();
    service
        .store()
        .edit(move |edit| edit.change_contracts(&home, change).map(drop))
        .unwrap();
}

fn address(template: &str) -> String {
    format!("/costs/tariff?account=home&template={template}")
}

/// The form of a page with these values, as a browser sends it.
fn typed(browser: &Browser<'_>, address: &str, values: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut fields = hidden_fields(&browser.page(address), "/costs/tariff");
    let values = values.iter();
    fields.extend(values.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    fields
}

/// The fields of the page before saving, with the button.
fn checked(page: &str, step: &str) -> Vec<(String, String)> {
    let mut fields = hidden_fields(page, "/costs/tariff");
    fields.push(("step".to_owned(), step.to_owned()));
    fields
}

fn german(service: &Service) -> Browser<'_> {
    live_in(service, "Europe/Berlin", None);
    let mut browser = Browser::set_up(service);
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    browser
}

#[test]
fn tariffs_are_found_by_country_and_search() {
    let service = Service::start();
    let browser = german(&service);
    // The country of the time zone comes first; the search finds others.
    let list = browser.page("/costs/templates?account=home");
    assert!(
        list.contains("Ein Preis, mit Vergütung der Einspeisung"),
        "{list}"
    );
    assert!(!list.contains("Tarif Bleu"), "{list}");
    let found = browser.page("/costs/templates?account=home&search=frankreich+tempo");
    assert!(
        found.contains("option Tempo") && !found.contains("option Base"),
        "{found}"
    );
    let all = browser.page("/costs/templates?account=home&country=all");
    assert!(
        all.contains("Tarif Bleu") && all.contains("Kalifornien"),
        "{all}"
    );
}

#[test]
fn a_mistake_stands_beside_its_field() {
    let service = Service::start();
    let browser = german(&service);
    let form = browser.page(&address("de-flat-feed-in"));
    assert!(
        form.contains("Arbeitspreis, mit Umsatzsteuer (ct/kWh)"),
        "{form}"
    );
    assert!(form.contains("Zum Beispiel 32,9."), "{form}");
    assert!(!form.contains("components"), "{form}");
    // A mistake stands beside its field, and what was typed stays.
    let values = [
        ("price", "32;9"),
        ("base-fee", "12,90"),
        ("feed-in", ""),
        ("vat", ""),
        ("from", "2026-01-01"),
    ];
    let refused = browser.post(
        "/costs/tariff",
        &typed(&browser, &address("de-flat-feed-in"), &values),
    );
    assert_eq!(refused.status(), 422);
    for part in [
        "value=\"32;9\"",
        "value=\"12,90\"",
        "id=\"price-error\"",
        "etwa 32,9 (ct/kWh)",
    ] {
        assert!(refused.text().contains(part), "{part}: {}", refused.text());
    }
    let values = [("price", ""), ("base-fee", "12,90"), ("from", "2026-01-01")];
    let refused = browser.post(
        "/costs/tariff",
        &typed(&browser, &address("de-flat-feed-in"), &values),
    );
    assert!(
        refused.text().contains("Bitte hier einen Wert eingeben"),
        "{}",
        refused.text()
    );
}

#[test]
fn what_was_checked_is_saved() {
    let service = Service::start();
    let browser = german(&service);
    // What is checked is not saved yet.
    let values = [
        ("price", "32,9"),
        ("base-fee", "12,90"),
        ("feed-in", ""),
        ("from", "2026-01-01"),
    ];
    let page = browser.post(
        "/costs/tariff",
        &typed(&browser, &address("de-flat-feed-in"), &values),
    );
    assert_eq!(
        (page.status(), &*contracts(&service)),
        (200, ""),
        "{}",
        page.text()
    );
    assert!(!page.text().contains("name=\"sure\""), "{}", page.text());
    // In another tab, too.
    let other = browser.post(
        "/costs/tariff",
        &typed(&browser, &address("de-flat-feed-in"), &values),
    );
    let again = browser.post("/costs/tariff", &checked(page.text(), "change"));
    assert!(again.text().contains("value=\"12,90\""), "{}", again.text());
    let saved = browser.post("/costs/tariff", &checked(page.text(), "save"));
    assert_eq!(location(&saved), "/costs/contracts?account=home&done=saved");
    assert_eq!(
        contracts(&service),
        r#"[{"from":"2026-01-01","name":"Flat with feed-in","currency":"EUR","components":[{"energy":{"price":0.329}},{"fixed":{"name":"base price","price":12.9,"per":"month"}}]}]"#
    );
    // Another one on this day would replace it.
    let twice = browser.post("/costs/tariff", &checked(other.text(), "save"));
    assert!(
        twice.text().contains("beginnt ein anderer Vertrag"),
        "{}",
        twice.text()
    );
}

#[test]
fn what_is_unusual_is_asked_about_once() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    put(
        &service,
        r#"{"from":"2020-01-01","name":"Old","currency":"€","components":[{"energy":{"price":0.3}}]}"#,
    );
    let browser = Browser::set_up(&service);
    let form = browser.page(&address("de-flat-feed-in"));
    assert!(form.contains("is one of a new supplier"), "{form}");
    let values = [
        ("price", "0.329"),
        ("base-fee", "1390"),
        ("from", "2026-01-01"),
        ("continues", "no"),
    ];
    let page = browser.post(
        "/costs/tariff",
        &typed(&browser, &address("de-flat-feed-in"), &values),
    );
    for part in [
        "is 0.329 ct/kWh right? Usual is 10 to 80",
        "is 1,390 € per month right? Usual is 0 to 50",
    ] {
        let text = page.text().replace('\u{202f}', ",");
        assert!(text.contains(part), "{part}: {text}");
    }
    // Without the box nothing is saved.
    let refused = browser.post("/costs/tariff", &checked(page.text(), "save"));
    assert_eq!(refused.status(), 422);
    let (_, rest) = page.text().split_once("name=\"sure\" value=\"").unwrap();
    let sure = rest.split_once('"').unwrap().0.to_owned();
    let mut fields = checked(page.text(), "save");
    fields.push(("sure".to_owned(), sure.clone()));
    // An answer is no answer to another form.
    let mut other = fields.clone();
    let price = other.iter_mut().find(|(name, _)| name == "price").unwrap();
    price.1 = "0.33".to_owned();
    assert_eq!(browser.post("/costs/tariff", &other).status(), 422);
    let saved = browser.post("/costs/tariff", &fields);
    assert_eq!(location(&saved), "/costs/contracts?account=home&done=saved");
    let text = contracts(&service);
    assert!(
        text.contains(r#""name":"Flat with feed-in","currency":"€","continues":false"#),
        "{text}"
    );
    assert!(text.contains("0.00329"), "{text}");
}

#[test]
fn a_form_of_the_other_kind_asks_too() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    let browser = Browser::set_up(&service);
    let json = r#"{"from":"2126-01-01","name":"J","currency":"EUR","components":[{"energy":{"series":"day-ahead"}},{"tax":{"name":"VAT","percent":0.19}}]}"#;
    let mut fields = hidden_fields(
        &browser.page("/costs/contract?account=home&as=json"),
        "/costs/contract",
    );
    fields.push(("json".to_owned(), json.to_owned()));
    let asked = browser.post("/costs/contract", &fields);
    assert_eq!(asked.status(), 422);
    for part in [
        "VAT: is 0.19 % right? If it is a share of one, enter 19.",
        "There are no prices day-ahead yet",
        "The contract begins in the future",
    ] {
        let text = asked.text().replace(['\u{202f}', '\u{a0}'], " ");
        assert!(text.contains(part), "{part}: {text}");
    }
    // A tariff of a country opens as its form, and as JSON only if asked.
    let moved = browser.get("/costs/contract?account=home&template=be-capacity");
    assert_eq!(
        location(&moved),
        "/costs/tariff?account=home&template=be-capacity"
    );
    let json = browser.page("/costs/contract?account=home&template=be-capacity&as=json");
    assert!(json.contains("at_least_kw"), "{json}");
}

#[test]
fn each_tariff_can_be_filled_in_by_form() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    let browser = Browser::set_up(&service);
    let all: Value = service
        .send(&request(
            "GET",
            "/api/v0.2/contract-templates",
            &[("Authorization", &house_basic())],
            b"",
        ))
        .json();
    let all = all["templates"].as_array().unwrap();
    assert!(all.len() >= 34, "{}", all.len());
    for template in all {
        let id = template["template"].as_str().unwrap();
        put(&service, "[]");
        let page = browser.page(&address(id));
        let mut values: Vec<(String, String)> = hidden_fields(&page, "/costs/tariff");
        values.push(("from".to_owned(), "2026-01-01".to_owned()));
        for param in template["params"].as_array().unwrap() {
            let name = param["name"].as_str().unwrap();
            assert!(
                page.contains(&format!("id=\"{name}\" name=\"{name}\"")),
                "{id}: {name}"
            );
            // A name that nobody fills: no source is asked.
            let is_list = ["series", "days"].contains(&param["kind"].as_str().unwrap());
            let example = if is_list {
                "own"
            } else {
                param["example"].as_str().unwrap()
            };
            values.push((name.to_owned(), example.to_owned()));
        }
        let checked_page = browser.post("/costs/tariff", &values);
        assert_eq!(checked_page.status(), 200, "{id}: {}", checked_page.text());
        let text = checked_page.text();
        let mut fields = checked(text, "save");
        if let Some((_, rest)) = text.split_once("name=\"sure\" value=\"") {
            fields.push((
                "sure".to_owned(),
                rest.split_once('"').unwrap().0.to_owned(),
            ));
        }
        let saved = browser.post("/costs/tariff", &fields);
        assert_eq!(saved.status(), 303, "{id}: {}", saved.text());
        assert!(
            contracts(&service).contains("\"from\":\"2026-01-01\""),
            "{id}"
        );
    }
}
