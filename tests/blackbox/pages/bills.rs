//! `/bills`: the utility's bills beside our statement.

use crate::pages::browser::{Browser, location, sure};
use crate::support::{Service, house_basic, request};

const BILLS: &str = "/bills?account=home";

/// 30 kWh in the first two days of January, at 0.30 a kilowatt-hour, and a standing charge of 0.50 a day.
fn with_statement(browser: &Browser<'_>, service: &Service) {
    for (at, shown) in [("2026-01-01T00:00", "100"), ("2026-01-03T00:00", "130")] {
        let fields = [("at", at), ("shown", shown)];
        let answer = browser.submit("/meter?sensor=house", "/meter", &fields);
        assert_eq!(answer.status(), 303);
    }
    let contract = r#"{"from":"2026-01-01","name":"Flat","currency":"EUR","components":[
        {"energy":{"name":"supply","price":0.30}},{"fixed":{"name":"standing charge","price":0.5,"per":"day"}}]}"#;
    let headers = [("Authorization", &*house_basic())];
    let path = "/api/v0.2/contracts";
    let answer = service.send(&request("POST", path, &headers, contract.as_bytes()));
    assert_eq!(answer.status(), 200, "{}", answer.text());
}

const BILL: [(&str, &str); 6] = [
    ("first", "01.01.2026"),
    ("last", "2026-01-02"),
    ("total", "12,50"),
    ("kwh", "31"),
    ("name-1", "supply"),
    ("amount-1", "9.30"),
];

#[test]
fn a_bill_is_compared_line_by_line_and_removed() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    with_statement(&browser, &service);
    let answer = browser.submit(BILLS, "/bills", &BILL);
    assert_eq!(
        location(&answer),
        "/bills?account=home&bill=1&done=bill-added"
    );
    let page = browser.page(location(&answer)).replace('\u{202f}', " ");
    assert!(page.contains("1 Jan 2026 – 2 Jan 2026"), "{page}");
    let cells = |texts: [&str; 3]| {
        let cells = texts.map(|text| format!("<td class=\"number\">{text}</td>"));
        cells.concat()
    };
    for (name, texts) in [
        ("<bdi>supply</bdi>", ["9.30 €", "9.00 €", "−0.30 €"]),
        ("<bdi>standing charge</bdi>", ["–", "1.00 €", "–"]),
        ("Total", ["12.50 €", "10.00 €", "−2.50 €"]),
    ] {
        let row = format!("<th scope=\"row\">{name}</th>{}", cells(texts));
        assert!(page.contains(&row), "{row} in {page}");
    }
    assert!(page.contains("−1.000 kWh"), "{page}");
    let answer = browser.submit(BILLS, "/bills/remove", &[]);
    let page = browser.page(location(&answer));
    assert!(
        page.contains("Bill removed.") && !page.contains("12.50"),
        "{page}"
    );
}

#[test]
fn the_same_bill_is_asked_about_first() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    assert_eq!(browser.submit(BILLS, "/bills", &BILL).status(), 303);
    let again = browser.submit(BILLS, "/bills", &BILL);
    let text = again.text().replace('\u{202f}', " ");
    assert!(text.contains("1 Jan 2026 – 2 Jan 2026"), "{text}");
    assert!(text.contains("There is such a bill already"), "{text}");
    // The form is as it was typed.
    assert!(text.contains("value=\"12,50\"") && text.contains("value=\"supply\""));
    let sure = sure(&again);
    // The answer is about these values alone: not about another same one.
    let mut other = BILL.to_vec();
    other[2].1 = "13";
    other.push(("sure", &sure));
    assert_eq!(browser.submit(BILLS, "/bills", &other).status(), 422);
    // Another month is another bill.
    let mut later = BILL;
    (later[0].1, later[1].1) = ("2026-01-03", "2026-01-04");
    assert_eq!(browser.submit(BILLS, "/bills", &later).status(), 303);
    let fields: Vec<_> = BILL.into_iter().chain([("sure", &*sure)]).collect();
    assert_eq!(browser.submit(BILLS, "/bills", &fields).status(), 303);
    let home = wattkeeper::AccountName::new("home").unwrap();
    assert_eq!(service.store().registry().bills(&home).count(), 3);
}

#[test]
fn more_lines_come_without_scripts() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    assert!(browser.page(BILLS).contains("name=\"name-4\""));
    let lines: Vec<(String, String)> = (1..=4)
        .flat_map(|line| {
            let name = (format!("name-{line}"), format!("part {line}"));
            [name, (format!("amount-{line}"), line.to_string())]
        })
        .collect();
    let mut fields = vec![("more", "yes"), ("total", "much")];
    fields.extend(lines.iter().map(|(name, value)| (&**name, &**value)));
    let answer = browser.submit(BILLS, "/bills", &fields);
    assert_eq!(answer.status(), 200);
    let page = answer.text();
    assert!(page.contains("name=\"name-8\"") && !page.contains("name=\"name-9\""));
    assert!(page.contains("value=\"part 4\"") && page.contains("value=\"much\""));
}

#[test]
fn a_mistake_is_shown_at_its_field() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for (name, value, field) in [
        ("first", "soon", "first"),
        ("last", "2025-12-31", "last"),
        ("last", "2030-01-01", "last"),
        ("total", "", "total"),
        ("kwh", "-1", "kwh"),
        ("name-1", "", "lines"),
        ("amount-1", "some", "lines"),
    ] {
        let mut fields = BILL;
        for given in &mut fields {
            if given.0 == name {
                given.1 = value;
            }
        }
        let answer = browser.submit(BILLS, "/bills", &fields);
        assert_eq!(answer.status(), 422, "{name} {value}");
        let page = answer.text();
        assert!(page.contains(&format!("#{field}\">")), "{page}");
        assert!(page.contains("value=\"01.01.2026\"") || name == "first");
    }
    assert!(!browser.page(BILLS).contains("bills/remove"));
}

#[test]
fn lines_are_named_as_pages_name_them() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    for (at, shown) in [("2026-01-01T00:00", "100"), ("2026-01-03T00:00", "130")] {
        let fields = [("at", at), ("shown", shown)];
        let answer = browser.submit("/meter?sensor=house", "/meter", &fields);
        assert_eq!(answer.status(), 303);
    }
    let contract = r#"{"from":"2026-01-01","name":"Flat","currency":"EUR","components":[
        {"energy":{"price":0.30}},{"export":{"price":0.08}},{"fixed":{"name":"base","price":0.5,"per":"day"}}]}"#;
    let headers = [("Authorization", &*house_basic())];
    let path = "/api/v0.2/contracts";
    let answer = service.send(&request("POST", path, &headers, contract.as_bytes()));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let mut bill = BILL.to_vec();
    bill[4].1 = "bezug";
    let answer = browser.submit(BILLS, "/bills", &bill);
    let page = browser.page(location(&answer)).replace('\u{202f}', " ");
    let row = "<th scope=\"row\"><bdi>bezug</bdi></th><td class=\"number\">9,30 €</td><td class=\"number\">9,00 €</td>";
    assert!(page.contains(row), "{page}");
    assert!(
        page.contains("<bdi>Einspeisung</bdi>") && !page.contains("<bdi>export</bdi>"),
        "{page}"
    );
}
