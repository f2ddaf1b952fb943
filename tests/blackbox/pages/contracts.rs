//! Contracts by form.

use serde_json::Value;
use wattkeeper::AccountName;
use wattkeeper::ContractChange;

use crate::pages::browser::{Browser, location, plain, sure};
use crate::pages::dashboard::{hourly, live_in};
use crate::support::{Service, house_basic, request};

const NEW: &str = "/costs/contract?account=home";
const PAGE: &str = "/costs/contract?account=home&from=2026-01-01";

/// The fields of the form with this action, as a browser sends them.
#[track_caller]
pub(crate) fn form_of(page: &str, action: &str) -> Vec<(String, String)> {
    let begin = format!(" method=\"post\" action=\"{action}\"");
    let (_, form) = page.split_once(&begin).expect(action);
    let (form, _) = form.split_once("</form>").unwrap();
    let attribute = |tag: &str, name: &str| {
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        Some(plain(rest.split_once('"')?.0))
    };
    let mut fields = Vec::new();
    for (at, _) in form.match_indices('<') {
        let rest = &form[at..];
        let (tag, inner) = rest.split_once('>').unwrap();
        let Some(name) = attribute(tag, "name") else {
            continue;
        };
        let is_box = ["checkbox", "radio"].map(|kind| format!("type=\"{kind}\""));
        let is_box = is_box.iter().any(|kind| tag.contains(kind));
        let value = if tag.starts_with("<input ") && (!is_box || tag.ends_with(" checked")) {
            attribute(tag, "value")
        } else if tag.starts_with("<textarea ") {
            let text = inner.split_once("</textarea>").unwrap().0;
            Some(plain(text.trim_start_matches('\n')))
        } else if tag.starts_with("<select ") {
            let options = inner.split_once("</select>").unwrap().0;
            let chosen = options
                .split("<option")
                .find(|option| option.contains(" selected>"));
            chosen.and_then(|option| attribute(option, "value"))
        } else {
            None
        };
        fields.extend(value.map(|value| (name, value)));
    }
    fields
}

/// The form with other values of these fields. A name that comes several times replaces the first
/// fields of that name.
pub(crate) fn filled(
    mut form: Vec<(String, String)>,
    fields: &[(&str, &str)],
) -> Vec<(String, String)> {
    let mut used = vec![false; form.len()];
    for (name, value) in fields {
        let place = form
            .iter()
            .zip(&used)
            .position(|((own, _), used)| own == name && !used);
        let place = place.unwrap_or_else(|| panic!("no field {name}"));
        used[place] = true;
        form[place].1 = (*value).to_owned();
    }
    form
}

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
        .edit(move |edit| edit.change_contracts(&home, change))
        .unwrap();
}

fn total(service: &Service) -> Value {
    let target = "/api/v0.2/statement?start_time=2026-01-01&end_time=2026-01-05";
    let answer = service.send(&request(
        "GET",
        target,
        &[("Authorization", &house_basic())],
        b"",
    ));
    answer.json()["total"].clone()
}

#[test]
fn a_price_in_cents_and_history_without_a_price_are_asked_about() {
    let service = Service::start();
    service.import(&hourly("2025-01-01T00:00:00", "2025-01-02T00:00:00"));
    let mut browser = Browser::set_up(&service);
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let form = form_of(&browser.page(NEW), "/costs/contract");
    let price = |form: &[(String, String)], price| filled(form.to_vec(), &[("price", price)]);
    let both = browser.post("/costs/contract", &price(&form, "32,15"));
    for text in [
        "32,15 EUR je Kilowattstunde",
        "0,3215",
        "Messwerte seit dem 1. Jan. 2025",
        "value=\"32,15\"",
    ] {
        assert!(both.text().contains(text), "{text} in {}", both.text());
    }
    let sure_of_both = ("sure".to_owned(), sure(&both));
    // Another price is another question.
    let right = price(&form, "0,3215");
    let mut wrong = right.clone();
    wrong.push(sure_of_both);
    let asked = browser.post("/costs/contract", &wrong);
    assert!(!asked.text().contains("Kilowattstunde ist sehr viel"));
    assert_eq!(contracts(&service), "");
    let mut right = right;
    right.push(("sure".to_owned(), sure(&asked)));
    let saved = browser.post("/costs/contract", &right);
    assert_eq!(saved.status(), 303, "{}", saved.text());
    // A later contract follows one, and a currency with small units has such prices.
    browser.headers.clear();
    put(&service, r#"{"remove":"2026-01-05"}"#);
    let form = form_of(&browser.page(NEW), "/costs/contract");
    let fields = [
        ("from", "2025-01-01"),
        ("currency", "HUF"),
        ("price", "36.9"),
    ];
    let saved = browser.post("/costs/contract", &filled(form.clone(), &fields));
    assert_eq!(saved.status(), 303, "{}", saved.text());
    let fields = [
        ("from", "2026-01-05"),
        ("currency", "HUF"),
        ("price", "38.9"),
    ];
    let saved = browser.post("/costs/contract", &filled(form, &fields));
    assert_eq!(saved.status(), 303, "{}", saved.text());
}

#[test]
fn a_contract_by_form_costs_the_same_as_by_the_api() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    service.import(&hourly("2025-12-31T00:00:00", "2026-01-05T10:00:00"));
    let browser = Browser::set_up(&service);
    // Nights are filled in.
    let form = form_of(&browser.page(NEW), "/costs/contract");
    let form = filled(
        form,
        &[
            ("name", "Day and night"),
            ("from", "2026-01-01"),
            ("rate", "hours"),
            ("usual-price", "0,35"),
            ("hours-1-price", "0.24"),
            ("fixed-name", "standing charge"),
            ("fixed-price", "0.42"),
            ("fixed-per", "day"),
            ("feed_in", "0.08"),
            ("tax-percent", "19"),
        ],
    );
    // The chosen one of several radio buttons is the one that is sent.
    let answer = browser.post("/costs/contract", &form);
    let list = browser.page(location(&answer));
    assert!(
        list.contains("Saved.") && list.contains("Day and night"),
        "{list}"
    );
    assert!(
        list.contains("1 Jan 2026") && list.contains("56 hours a week"),
        "{list}"
    );
    let typed = r#"{"from":"2026-01-01","name":"Day and night","currency":"EUR","components":[{"energy":{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:00"}]}},{"fixed":{"name":"standing charge","price":0.42,"per":"day"}},{"export":{"price":0.08}},{"tax":{"name":"VAT","percent":19}}]}"#;
    assert_eq!(contracts(&service), format!("[{typed}]"));
    let by_form = total(&service);
    assert!(
        by_form.as_str().is_some_and(|total| total != "0"),
        "{by_form}"
    );
    put(&service, r#"{"remove":"2026-01-01"}"#);
    assert_eq!(total(&service), Value::Null);
    let body = typed.as_bytes();
    let headers = [("Authorization", house_basic())];
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let answer = service.send(&request("POST", "/api/v0.2/contracts", &headers, body));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert_eq!(total(&service), by_form);
}

#[test]
fn a_contract_that_is_opened_and_saved_is_the_same() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for components in [
        r#"{"energy":{"price":0.3215}}"#,
        r#"{"energy":{"zones":[{"name":"low","price":0.2},{"name":"peak","price":0.4,"weekdays":"mon-fri","hours":"07:00-09:00,17:00-20:00"},{"name":"winter","price":0.3,"months":"1-2,12","hours":"10:00-14:00"}]}},{"tax":{"name":"VAT","percent":7.7,"of":"costs"}}"#,
        r#"{"energy":{"period":"month","tiers":[{"up_to_kwh":200,"price":0.28},{"price":0.35}]}},{"fixed":{"name":"a","price":1,"per":"day"}},{"fixed":{"name":"b & c","price":-2.5,"per":"year"}}"#,
        r#"{"energy":{"series":"day-ahead","factor":1.21,"surcharge":0.0305}},{"export":{"price":0.08}}"#,
        // More than the form has: its text is shown.
        r#"{"energy":{"name":"supply","price":0.3}},{"energy":{"name":"grid","price":0.1}},{"demand":{"price":4.5,"per":"quarter"}}"#,
    ] {
        let text = format!(
            r#"{{"from":"2026-01-01","name":"A \"b\" <c>","currency":"€","components":[{components}]}}"#
        );
        put(&service, &text);
        for language in ["en", "de"] {
            browser.set_cookie("wattkeeper_language", language);
            let page = browser.page(PAGE);
            assert_eq!(contracts(&service), format!("[{text}]"));
            let is_text = page.contains("<textarea");
            assert_eq!(is_text, components.contains("demand"), "{page}");
            let answer = browser.post("/costs/contract", &form_of(&page, "/costs/contract"));
            assert_eq!(answer.status(), 303, "{}", answer.text());
            assert_eq!(contracts(&service), format!("[{text}]"));
            // Also as text.
            let page = browser.page(&format!("{PAGE}&as=json"));
            let answer = browser.post("/costs/contract", &form_of(&page, "/costs/contract"));
            assert_eq!(answer.status(), 303, "{}", answer.text());
            assert_eq!(contracts(&service), format!("[{text}]"));
        }
    }
    let list = browser.page("/costs/contracts");
    assert!(list.contains("Bezug, Leistungspreis"), "{list}");
}

#[test]
fn a_contract_is_one_of_new_prices_or_of_a_new_supplier() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let text = |from: &str, name: &str, more: &str| {
        format!(
            r#"{{"from":"{from}","name":"{name}","currency":"EUR"{more},"components":[{{"energy":{{"price":0.3}}}}]}}"#
        )
    };
    let asks = |address: &str| {
        let page = browser.page(address);
        page.contains("name=\"continues\"")
    };
    // The first one has none before it.
    assert!(!asks(NEW));
    let first = text("2025-01-01", "Old", "");
    put(&service, &first);
    assert!(asks(NEW) && !asks("/costs/contract?account=home&from=2025-01-01"));
    let save = |address: &str, continues: &str| {
        let form = form_of(&browser.page(address), "/costs/contract");
        let fields = [
            ("name", "New"),
            ("from", "2026-01-01"),
            ("price", "0.3"),
            ("continues", continues),
        ];
        let answer = browser.post("/costs/contract", &filled(form, &fields));
        assert_eq!(answer.status(), 303, "{}", answer.text());
    };
    for (address, continues, more) in [
        (NEW, "no", r#","continues":false"#),
        (PAGE, "yes", r#","continues":true"#),
        (PAGE, "no", r#","continues":false"#),
    ] {
        save(address, continues);
        let second = text("2026-01-01", "New", more);
        assert_eq!(contracts(&service), format!("[{first},{second}]"));
        let form = form_of(&browser.page(PAGE), "/costs/contract");
        let chosen = form.iter().find(|(name, _)| name == "continues");
        assert_eq!(chosen.map(|(_, value)| value.as_str()), Some(continues));
        // As text it says the same.
        let json = form_of(&browser.page(&format!("{PAGE}&as=json")), "/costs/contract");
        let json = json.iter().find(|(name, _)| name == "json");
        assert!(
            json.unwrap()
                .1
                .contains(&format!("\"continues\": {}", continues == "yes"))
        );
    }
}

#[test]
fn a_contract_is_moved_and_removed() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let flat = |from: &str, price: &str| {
        format!(
            r#"{{"from":"{from}","name":"Flat","currency":"EUR","components":[{{"energy":{{"price":{price}}}}}]}}"#
        )
    };
    put(&service, &flat("2025-01-01", "0.3"));
    put(&service, &flat("2026-01-01", "0.4"));
    let save = |fields: &[(&str, &str)]| {
        let form = form_of(&browser.page(PAGE), "/costs/contract");
        browser.post("/costs/contract", &filled(form, fields))
    };
    // It would take the place of another one, or be in another currency.
    for (field, value, text) in [
        ("from", "2025-01-01", "Another contract begins on this day."),
        ("currency", "CHF", "The others are in EUR."),
    ] {
        let answer = save(&[(field, value)]);
        assert_eq!(answer.status(), 422);
        let page = answer.text();
        assert!(
            page.contains(text) && page.contains(&format!("#{field}\">")),
            "{page}"
        );
    }
    // By the service's clock this is still to come: that is asked.
    let moved = [("from", "1.2.2026"), ("price", "0.5")];
    let asked = save(&moved);
    assert!(
        asked.text().contains("begins in the future, on 1 Feb 2026"),
        "{}",
        asked.text()
    );
    let mut form = filled(form_of(&browser.page(PAGE), "/costs/contract"), &moved);
    form.push(("sure".to_owned(), sure(&asked)));
    assert_eq!(browser.post("/costs/contract", &form).status(), 303);
    let [old, new] = [flat("2025-01-01", "0.3"), flat("2026-02-01", "0.5")];
    assert_eq!(contracts(&service), format!("[{old},{new}]"));
    let list = browser.page("/costs/contracts?account=home");
    assert!(list.contains("1 Jan 2025 – 31 Jan 2026"), "{list}");
    assert_eq!(browser.get(PAGE).status(), 404);
    let moved = PAGE.replace("2026-01-01", "2026-02-01");
    let answer = browser.submit(&moved, "/costs/contract/remove", &[]);
    assert!(
        browser
            .page(location(&answer))
            .contains("Contract removed.")
    );
    assert_eq!(contracts(&service), format!("[{old}]"));
}

/// The input, the field with the mistake, and the message.
type Mistake<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);

const MISTAKES: &[Mistake<'_>] = &[
    (&[("name", "")], "name", "Enter a name"),
    (&[("from", "soon")], "from", "Enter a date"),
    (
        &[("currency", "far too long")],
        "currency",
        "Enter a currency",
    ),
    (&[("price", "dear")], "price", "Enter a number"),
    (&[("feed_in", "1e3")], "feed_in", "Enter a number"),
    (&[("tax-percent", "-19")], "tax", "not negative"),
    (
        &[("fixed-name", "standing charge")],
        "fixed",
        "Enter a number",
    ),
    (&[("fixed-price", "1")], "fixed", "Enter a name"),
    (
        &[("rate", "hours"), ("usual-price", "")],
        "usual",
        "Enter a number",
    ),
    (
        &[("rate", "hours"), ("hours-1-name", "day")],
        "hours-1",
        "a name of its own",
    ),
    (&[("rate", "tiers")], "tiers", "Enter up to 16 tiers"),
    (
        &[
            ("rate", "tiers"),
            ("tier-end", "9"),
            ("tier-price", "1"),
            ("tier-end", "8"),
            ("tier-price", "2"),
            ("tier-price", "3"),
        ],
        "tiers",
        "Enter up to 16 tiers",
    ),
    (
        &[("rate", "tiers"), ("tier-end", "9"), ("tier-price", "1")],
        "tiers",
        "the last one without",
    ),
    (&[("rate", "series")], "series", "Enter a name"),
    (
        &[("rate", "series"), ("series", "x"), ("factor", "")],
        "factor",
        "Enter a number",
    ),
];

#[test]
fn mistakes_are_shown_at_their_field() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let form = form_of(&browser.page(NEW), "/costs/contract");
    let right = filled(
        form,
        &[
            ("price", "0.3"),
            ("usual-price", "0.3"),
            ("hours-1-price", "0.2"),
        ],
    );
    for (fields, field, text) in MISTAKES {
        let answer = browser.post("/costs/contract", &filled(right.clone(), fields));
        assert_eq!(answer.status(), 422, "{fields:?}");
        let page = plain(answer.text());
        assert!(page.contains(text), "{fields:?}: {page}");
        assert!(page.contains(&format!("#{field}\">")), "{fields:?}: {page}");
        assert!(
            page.contains(&format!("id=\"{field}-error\"")),
            "{fields:?}"
        );
        // The form keeps what was typed.
        for (name, value) in fields.iter().filter(|(name, _)| *name != "rate") {
            let kept = form_of(answer.text(), "/costs/contract");
            assert!(
                kept.contains(&((*name).to_owned(), (*value).to_owned())),
                "{name} {value}"
            );
        }
    }
    assert_eq!(contracts(&service), "");
}

#[test]
fn hours_that_leave_nothing_and_wrong_texts_are_refused() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let form = form_of(&browser.page(NEW), "/costs/contract");
    let prices = [
        ("rate", "hours"),
        ("usual-price", "0.3"),
        ("hours-1-price", "0.2"),
    ];
    let hours = filled(form, &prices);
    // No hour is painted, or all of them.
    let mut none = hours.clone();
    none.retain(|(name, _)| name != "hours-1-cell");
    let mut all = none.clone();
    let cells = (0..7).flat_map(|day| (0..24).map(move |hour| format!("{day}-{hour}")));
    all.extend(cells.map(|cell| ("hours-1-cell".to_owned(), cell)));
    for (form, text) in [
        (none, "Tick at least one hour"),
        (all, "This price never applies"),
    ] {
        let answer = browser.post("/costs/contract", &form);
        assert_eq!(answer.status(), 422);
        assert!(answer.text().contains(text), "{}", answer.text());
    }
    let text = [
        ("account", "home"),
        ("old", ""),
        ("as", "json"),
        ("json", "{\"from\":1}"),
    ];
    let csrf = hours
        .iter()
        .find(|(name, _)| name == "csrf")
        .unwrap()
        .clone();
    let text = text.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let answer = browser.post("/costs/contract", &[&[csrf], &text[..]].concat());
    assert_eq!(answer.status(), 422);
    assert!(
        answer.text().contains("currency: it is missing"),
        "{}",
        answer.text()
    );
    // The text is there to be corrected.
    assert!(answer.text().contains("{&#34;from&#34;:1}</textarea>"));
    assert_eq!(contracts(&service), "");
    assert_eq!(browser.get("/costs/contract?account=nobody").status(), 404);
    assert_eq!(browser.get(PAGE).status(), 404);
}

#[test]
fn a_contract_starts_from_a_tariff() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    let browser = Browser::set_up(&service);
    let all = browser.page("/costs/templates?account=home&country=all");
    assert!(all.contains("Flanders") && all.contains("Tempo"), "{all}");
    let some = browser.page("/costs/templates?account=home&country=FR&kind=time-of-use");
    assert!(
        some.contains("Tempo") && !some.contains("Flanders"),
        "{some}"
    );
    // As a text only if it is asked for.
    let page = browser.page("/costs/contract?account=home&template=be-capacity&as=json");
    let fields = form_of(&page, "/costs/contract");
    let json = &fields.iter().find(|(name, _)| name == "json").unwrap().1;
    assert!(json.contains("\"at_least_kw\": 2.5"), "{json}");
    let saved = browser.post("/costs/contract", &fields);
    assert_eq!(location(&saved), "/costs/contracts?account=home&done=saved");
}
