//! What the panels saved, and purchases by form.

use wattkeeper::{AccountName, MeterKind, Role, SensorId, Store};

use crate::pages::browser::{Browser, location};
use crate::pages::contracts::{filled, form_of};
use crate::pages::dashboard::{hourly, live_in, put_sensor};
use crate::support::{Response, Service};

const DAYS: &str = "account=home&from=2026-01-02&to=2026-01-04";
const PURCHASES: &str = "/costs/purchases?account=home";

/// A house in Berlin with panels.
fn house(price: Option<&str>) -> Service {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", price);
    let registers = hourly("2025-12-31T00:00:00", "2026-01-05T10:00:00");
    service.import(&registers);
    put_sensor(&service, "roof", "Roof", Role::Solar, MeterKind::Counter);
    let roof = SensorId::new("roof").unwrap();
    for chunk in registers.chunks(Store::IMPORT_CHUNK) {
        service
            .store()
            .import_durably(&roof, chunk.to_vec())
            .unwrap();
    }
    service
}

/// The names of the purchases, each with its amount.
fn purchases(service: &Service) -> Vec<String> {
    let home = AccountName::new("home").unwrap();
    let registry = service.store().registry();
    let all = registry.purchases(&home);
    all.map(|one| format!("{} {}", one.terms().name, one.terms().amount))
        .collect()
}

fn save(browser: &Browser<'_>, address: &str, fields: &[(&str, &str)]) -> Response {
    let form = form_of(&browser.page(address), "/costs/purchases");
    browser.post("/costs/purchases", &filled(form, fields))
}

const ROOF: [(&str, &str); 5] = [
    ("name", "Roof & \"more\""),
    ("kind", "panels"),
    ("date", "2022-05-01"),
    ("amount", "14,500.50"),
    ("subsidy", "1500"),
];

#[test]
fn savings_have_each_house_with_its_lines() {
    let service = house(Some("0.5"));
    let browser = Browser::set_up(&service);
    let page = browser.page(&format!("/costs/savings?{DAYS}"));
    for text in [
        "What did the panels and the battery save?",
        "As it was",
        "Without panels",
        "the same use at the same times",
        "All of the time is measured.",
        "<rect",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("Without the battery"), "{page}");
    let lines = format!("/costs?{DAYS}&without=panels");
    assert!(page.contains(&lines[1..].replace('&', "&#38;")), "{page}");
    let without = browser.page(&lines);
    for text in [
        "The same use, as if the house had no panels.",
        "name=\"without\" value=\"panels\"",
        "without=panels",
    ] {
        assert!(without.contains(text), "{text}: {without}");
    }
    let [was, without] = [
        format!("/costs.json?{DAYS}"),
        lines.replace("/costs?", "/costs.json?"),
    ]
    .map(|address| browser.get(&address).json());
    let imported = |answer: &serde_json::Value| answer["imported"].as_f64().unwrap();
    // As much again came from the panels.
    assert!(
        (imported(&without) - 2.0 * imported(&was)).abs() < 1e-6,
        "{without}"
    );
    for parts in ["battery", "both", "roof"] {
        let address = format!("/costs?{DAYS}&without={parts}");
        assert_eq!(browser.get(&address).status(), 404, "{parts}");
    }
    browser.set_cookie("wattkeeper_language", "de");
    let german = browser.page(&format!("/costs/savings?{DAYS}"));
    assert!(german.contains("Ohne Solaranlage"), "{german}");
}

#[test]
fn a_house_without_panels_or_a_contract_is_told_so() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.5"));
    service.import(&hourly("2026-01-01T00:00:00", "2026-01-05T10:00:00"));
    let browser = Browser::set_up(&service);
    let page = browser.page(&format!("/costs/savings?{DAYS}"));
    assert!(page.contains("neither panels nor a battery"), "{page}");
    let service = house(None);
    let browser = Browser::set_up(&service);
    let page = browser.page(&format!("/costs/savings?{DAYS}"));
    assert!(
        page.contains("There is no contract") && page.contains("costs/contract?"),
        "{page}"
    );
}

#[test]
fn a_purchase_is_added_changed_and_removed() {
    let service = house(Some("0.5"));
    let browser = Browser::set_up(&service);
    assert!(
        browser
            .page(PURCHASES)
            .contains("There are no purchases yet.")
    );
    let saved = save(&browser, PURCHASES, &ROOF);
    assert_eq!(saved.status(), 303, "{}", saved.text());
    let page = browser.page(location(&saved));
    for text in [
        "Purchase saved.",
        "Roof &#38; &#34;more&#34;",
        "<h2 id=\"payback-1\">Panels</h2>",
        "paid back.",
        "No date is expected yet: readings and prices of less than twelve months are known.",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert_eq!(purchases(&service), ["Roof & \"more\" 14500.5"]);

    // Under another name it is the same purchase.
    let address = format!("{PURCHASES}&purchase=Roof%20%26%20%22more%22");
    let page = browser.page(&address);
    assert!(
        page.contains("Change purchase") && page.contains("value=\"14500.5\""),
        "{page}"
    );
    let saved = save(&browser, &address, &[("name", "Dach"), ("costs", "120")]);
    assert_eq!(saved.status(), 303, "{}", saved.text());
    assert_eq!(purchases(&service), ["Dach 14500.5"]);
    assert_eq!(browser.get(&address).status(), 404);

    let address = format!("{PURCHASES}&purchase=Dach");
    browser.set_cookie("wattkeeper_language", "de");
    let german = browser.page(&address);
    browser.set_cookie("wattkeeper_language", "en");
    assert!(
        german.contains("Anschaffung ändern") && german.contains("value=\"14500,5\""),
        "{german}"
    );
    let removed = browser.submit(&address, "/costs/purchases/remove", &[]);
    assert!(
        browser
            .page(location(&removed))
            .contains("Purchase removed.")
    );
    assert!(purchases(&service).is_empty());
}

const NINE_DIGITS: &str = "Enter an amount from 0 on, with up to nine digits";

#[test]
fn mistakes_are_told_at_their_fields_and_nothing_is_stored() {
    let service = house(Some("0.5"));
    let browser = Browser::set_up(&service);
    save(&browser, PURCHASES, &ROOF);
    let before = purchases(&service);
    for (field, value, text) in [
        ("name", "Roof & \"more\"", "Another purchase has this name."),
        ("name", "", "Enter a name"),
        ("date", "2999-01-01", "Enter a day from 1970 on"),
        ("date", "yesterday", "Enter a day from 1970 on"),
        ("amount", "-1", NINE_DIGITS),
        ("amount", "much", NINE_DIGITS),
        ("amount", "0.1234567", NINE_DIGITS),
        (
            "subsidy",
            "14500.51",
            "Enter an amount from 0 up to the amount paid",
        ),
        ("costs", "-1", "Enter an amount from 0 on, such as 120"),
    ] {
        let mut fields = ROOF.to_vec();
        fields[0].1 = "Second";
        fields.retain(|(name, _)| *name != field);
        fields.push((field, value));
        let refused = save(&browser, PURCHASES, &fields);
        let page = refused.text();
        assert_eq!(refused.status(), 422, "{field}={value}: {page}");
        assert!(
            page.contains(text) && page.contains(&format!("#{field}\">")),
            "{text}: {page}"
        );
        assert_eq!(purchases(&service), before);
    }
    // What was typed comes back.
    let refused = save(
        &browser,
        PURCHASES,
        &[("name", "Second"), ("amount", "much")],
    );
    assert!(
        refused.text().contains("value=\"Second\""),
        "{}",
        refused.text()
    );
}

#[test]
fn an_account_has_so_many_purchases() {
    let service = house(Some("0.5"));
    let browser = Browser::set_up(&service);
    let save = |name: &str| {
        let fields = [("name", name), ("date", "2022-05-01"), ("amount", "1")];
        save(&browser, PURCHASES, &fields)
    };
    for number in 0..50 {
        assert_eq!(save(&number.to_string()).status(), 303);
    }
    let more = save("more");
    assert_eq!(more.status(), 422);
    let text = more.text();
    assert!(text.contains("There are 50 purchases"), "{text}");
}
