//! Offers by form, and their comparison with the contracts in force.

use wattkeeper::{AccountName, ContractChange};

use crate::pages::browser::{Browser, hidden_fields, location};
use crate::pages::contracts::{filled, form_of};
use crate::pages::dashboard::{hourly, live_in};
use crate::support::{Service, house_basic, request};

const NEW: &str = "/costs/offer?account=home";
const DAYS: &str = "account=home&from=2026-01-02&to=2026-01-04";

/// A house in Berlin with a contract from 2 January on.
fn house() -> Service {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    service.import(&hourly("2025-12-31T00:00:00", "2026-01-05T10:00:00"));
    put_contract(&service, "EUR", "0.3");
    service
}

fn put_contract(service: &Service, currency: &str, price: &str) {
    let text = format!(
        r#"[{{"from":"2026-01-02","name":"Now","currency":"{currency}","components":[{{"energy":{{"price":{price}}}}}]}}]"#
    );
    let home = AccountName::new("home").unwrap();
    let change = ContractChange::parse(&text).unwrap();
    service
        .store()
        .edit(move |edit| edit.change_contracts(&home, change))
        .unwrap();
}

fn offers(service: &Service) -> Vec<String> {
    let home = AccountName::new("home").unwrap();
    let registry = service.store().registry();
    registry.offers(&home).map(ToString::to_string).collect()
}

/// Puts an offer by the API.
fn put(service: &Service, name: &str, components: &str) {
    let text = format!(
        r#"{{"from":"2026-01-01","name":"{name}","currency":"EUR","components":[{components}]}}"#
    );
    let headers = [("Authorization", house_basic())];
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let answer = service.send(&request(
        "PUT",
        "/api/v0.2/offers",
        &headers,
        text.as_bytes(),
    ));
    assert_eq!(answer.status(), 200, "{}", answer.text());
}

fn save(browser: &Browser<'_>, address: &str, fields: &[(&str, &str)]) -> crate::support::Response {
    let form = form_of(&browser.page(address), "/costs/offer");
    browser.post("/costs/offer", &filled(form, fields))
}

#[test]
fn an_offer_is_added_changed_and_removed() {
    let service = house();
    let browser = Browser::set_up(&service);
    let page = browser.page(NEW);
    assert!(
        page.contains("<h1>New offer</h1>") && page.contains("value=\"EUR\""),
        "{page}"
    );

    let fields = [
        ("name", "Green & \"dear\""),
        ("from", "2027-01-01"),
        ("price", "0.4"),
    ];
    let saved = save(&browser, NEW, &fields);
    assert_eq!(saved.status(), 303, "{}", saved.text());
    let list = browser.page(location(&saved));
    assert!(
        list.contains("Offer saved.") && list.contains("Green &#38; &#34;dear&#34;"),
        "{list}"
    );
    let green = r#"{"from":"2027-01-01","name":"Green & \"dear\"","currency":"EUR","components":[{"energy":{"price":0.4}}]}"#;
    assert_eq!(offers(&service), [green]);

    // Under another name it is the same offer.
    let address = format!("{NEW}&offer=Green%20%26%20%22dear%22");
    let saved = save(&browser, &address, &[("name", "Dear"), ("price", "0.5")]);
    assert_eq!(saved.status(), 303, "{}", saved.text());
    let dear = green
        .replace("Green & \\\"dear\\\"", "Dear")
        .replace("0.4", "0.5");
    assert_eq!(offers(&service), [dear]);
    assert_eq!(browser.get(&address).status(), 404);
    let removed = browser.submit(&format!("{NEW}&offer=Dear"), "/costs/offer/remove", &[]);
    assert!(browser.page(location(&removed)).contains("Offer removed."));
    assert!(offers(&service).is_empty());
    assert_eq!(browser.get(&format!("{NEW}&offer=Dear")).status(), 404);
}

#[test]
fn a_comparison_has_each_offer_with_its_lines() {
    let service = house();
    let browser = Browser::set_up(&service);
    let page = browser.page(&format!("/costs/compare?{DAYS}"));
    assert!(
        page.contains("There is no offer to compare with yet."),
        "{page}"
    );
    put(
        &service,
        "Green & \\\"dear\\\"",
        r#"{"energy":{"price":0.4}}"#,
    );
    // It changes no cost.
    let costs = browser.page(&format!("/costs?{DAYS}"));
    assert!(
        !costs.contains("Green") && costs.contains("What would I have paid?"),
        "{costs}"
    );
    let page = browser.page(&format!("/costs/compare?{DAYS}"));
    for text in [
        "Contracts in force",
        "does not change with the price",
        "All of the time is measured.",
        "0.4000\u{202F}€",
        "<rect",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(
        page.find("Contracts in force") < page.find("Green &#38;"),
        "{page}"
    );
    let lines = format!("/costs?{DAYS}&offer=Green%20%26%20%22dear%22");
    assert!(page.contains(&lines[1..].replace('&', "&#38;")), "{page}");
    let page = browser.page(&lines);
    for text in [
        "These are the prices of the offer",
        "value=\"Green &#38;",
        "costs.csv?",
        "offer=Green%20",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let json = browser
        .get(&lines.replace("/costs?", "/costs.json?"))
        .json();
    assert_eq!(json["lines"][0]["price"], "0.4");
    assert_eq!(
        browser.get(&format!("/costs?{DAYS}&offer=none")).status(),
        404
    );
}

#[test]
fn mistakes_are_told_at_their_fields_and_nothing_is_stored() {
    let service = house();
    let browser = Browser::set_up(&service);
    put(&service, "a", r#"{"energy":{"price":0.3}}"#);
    let before = offers(&service);
    for (fields, at, text) in [
        (
            &[("name", "a"), ("price", "0.2")][..],
            "name",
            "Another offer has this name.",
        ),
        (
            &[("currency", "CHF"), ("price", "0.2")],
            "currency",
            "The others are in EUR.",
        ),
        (&[("price", "dear")], "price", "Enter a number"),
    ] {
        let refused = save(&browser, NEW, fields);
        let page = refused.text();
        assert_eq!(refused.status(), 422, "{page}");
        assert!(
            page.contains(text) && page.contains(&format!("#{at}\">")),
            "{text}: {page}"
        );
        assert!(page.contains("<h1>New offer</h1>"), "{page}");
    }
    // Somebody changed it meanwhile.
    let address = format!("{NEW}&offer=a");
    let form = form_of(&browser.page(&address), "/costs/offer");
    assert_eq!(offers(&service), before);
    put(&service, "a", r#"{"energy":{"price":0.7}}"#);
    let refused = browser.post("/costs/offer", &filled(form, &[("price", "0.8")]));
    assert_eq!(refused.status(), 422, "{}", refused.text());
    assert!(offers(&service)[0].contains("0.7"));

    for number in 0..49 {
        put(&service, &number.to_string(), r#"{"energy":{"price":0.3}}"#);
    }
    let refused = save(&browser, NEW, &[("name", "more"), ("price", "0.2")]);
    assert_eq!(refused.status(), 422);
    assert!(
        refused.text().contains("There are 50 offers"),
        "{}",
        refused.text()
    );
    // All are compared.
    let page = browser.page(&format!("/costs/compare?{DAYS}"));
    assert_eq!(
        page.matches("preserveAspectRatio=\"none\"").count(),
        51,
        "{page}"
    );
}

#[test]
fn an_offer_that_the_form_cannot_show_is_a_text() {
    let service = house();
    let browser = Browser::set_up(&service);
    let components =
        r#"{"energy":{"price":0.21}},{"demand":{"name":"capacity","price":4.5,"per":"quarter"}}"#;
    put(&service, "Capacity", components);
    let before = offers(&service);
    let page = browser.page(&format!("{NEW}&offer=Capacity"));
    assert!(page.contains("<textarea"), "{page}");
    let saved = browser.post("/costs/offer", &form_of(&page, "/costs/offer"));
    assert_eq!(saved.status(), 303, "{}", saved.text());
    assert_eq!(offers(&service), before);
    let mut form = form_of(&page, "/costs/offer");
    form = filled(form, &[("json", "{\"from\":1}")]);
    let refused = browser.post("/costs/offer", &form);
    assert!(
        refused.text().contains("This is not a contract"),
        "{}",
        refused.text()
    );
    let page = browser.page(&format!("/costs/compare?{DAYS}"));
    assert!(page.contains("Demand charges"), "{page}");

    // A tariff of a country becomes an offer.
    let tariffs = browser.page("/costs/templates?account=home&as=offer&country=DE");
    let link = "costs/tariff?account=home&#38;template=de-flat-feed-in&#38;as=offer";
    assert!(tariffs.contains(link), "{tariffs}");
    let page = browser.page(&format!("/{}", link.replace("&#38;", "&")));
    let mut fields = hidden_fields(&page, "/costs/tariff");
    for (name, value) in [
        ("name", "Stadtwerke"),
        ("price", "31.5"),
        ("base-fee", "9.9"),
        ("from", "2126-01-01"),
        ("step", "save"),
    ] {
        fields.push((name.to_owned(), value.to_owned()));
    }
    let saved = browser.post("/costs/tariff", &fields);
    assert_eq!(saved.status(), 303, "{}", saved.text());
    assert_eq!(offers(&service).len(), 2);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let service = house();
    let mut browser = Browser::set_up(&service);
    put(&service, "Market", r#"{"energy":{"series":"spot"}}"#);
    let page = browser.page(&format!("/costs/compare?{DAYS}"));
    for text in ["(incomplete)", "There is no total"] {
        assert!(
            page.contains(text) || page.contains("Unpriced energy"),
            "{text}: {page}"
        );
    }
    // Before the first contract.
    let early = browser.page("/costs/compare?account=home&from=2025-12-01&to=2025-12-31");
    assert!(
        early.contains("the first one begins on 2 Jan 2026"),
        "{early}"
    );
    // The contracts got another currency.
    put_contract(&service, "CHF", "0.3");
    let page = browser.page(&format!("/costs/compare?{DAYS}"));
    assert!(page.contains("in another currency: Market"), "{page}");
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let page = browser.page(&format!("/costs/compare?{DAYS}"));
    assert!(
        page.contains("Was hätte es gekostet?") && page.contains("Währung"),
        "{page}"
    );
    let home = AccountName::new("home").unwrap();
    let none = ContractChange::parse("[]").unwrap();
    service
        .store()
        .edit(move |edit| edit.change_contracts(&home, none))
        .unwrap();
    let page = browser.page("/costs/compare?account=home");
    assert!(page.contains("Es gibt keinen Vertrag"), "{page}");
    let wrong = browser.get("/costs/compare?account=home&from=soon&to=2026-01-04");
    assert_eq!(wrong.status(), 422);
}
