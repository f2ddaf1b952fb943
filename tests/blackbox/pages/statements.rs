//! Statements as pages.

use wattkeeper::AccountName;
use wattkeeper::ContractChange;

use crate::pages::browser::Browser;
use crate::pages::dashboard::{hourly, live_in};
use crate::support::{Response, Service, at, house_basic, register, request};

const CONTRACT: &str = r#"{"from":"2026-01-02","name":"Day and night","currency":"EUR","components":[{"energy":{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:00"}]}},{"fixed":{"name":"standing charge","price":0.42,"per":"day"}},{"export":{"price":0.08}},{"tax":{"name":"VAT","percent":19}}]}"#;

/// A house in Berlin since the last day of 2025, with a contract from 2 January on.
fn house() -> Service {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    service.import(&hourly("2025-12-31T00:00:00", "2026-01-05T10:00:00"));
    let home = AccountName::new("home").unwrap();
    let change = ContractChange::parse(CONTRACT).unwrap();
    service
        .store()
        .edit(move |edit| edit.change_contracts(&home, change))
        .unwrap();
    service
}

fn by_api(service: &Service, range: &str) -> Response {
    let target = format!("/api/v0.2/statement?{range}");
    service.send(&request(
        "GET",
        &target,
        &[("Authorization", &house_basic())],
        b"",
    ))
}

#[test]
fn a_statement_is_that_of_the_api() {
    let service = house();
    let browser = Browser::set_up(&service);
    for (query, range) in [
        (
            "from=2026-01-02&to=2026-01-04",
            "start_time=2026-01-02&end_time=2026-01-05",
        ),
        // This month, so far.
        ("", "start_time=2026-01-01&end_time=2026-02-01"),
        (
            "range=year&at=2026-05-05",
            "start_time=2026-01-01&end_time=2027-01-01",
        ),
        (
            "range=contract",
            "start_time=2026-01-02&end_time=2027-01-02",
        ),
    ] {
        let page = browser.page(&format!("/costs?account=home&{query}"));
        let answer = by_api(&service, range).json();
        for sum in ["costs", "taxes", "total"] {
            let exact = answer[sum].as_str().unwrap();
            assert!(
                page.contains(&format!("<data value=\"{exact}\">")),
                "{sum} {exact}: {page}"
            );
        }
        let lines = answer["lines"].as_array().unwrap();
        assert!(lines.len() >= 4, "{lines:?}");
        for line in lines {
            let exact = line["amount"].as_str().unwrap();
            assert!(
                page.contains(&format!("<data value=\"{exact}\">")),
                "{line}: {page}"
            );
        }
        let own = browser.get(&format!("/costs.json?account=home&{query}"));
        assert_eq!(own.json(), answer);
    }
}

#[test]
fn credits_are_subtracted_from_the_costs() {
    let service = house();
    // Drawn until half past ten, fed in for an hour, then nothing.
    let [ten, eleven, noon] =
        ["10", "11", "12"].map(|hour| at(&format!("2026-01-05T{hour}:30:00")));
    service.clock.set(at("2026-01-05T13:00:00"));
    service.import(&[
        register(ten, 40_000.0),
        register(eleven, 38_500.0),
        register(noon, 38_500.0),
    ]);
    let browser = Browser::set_up(&service);
    let page = browser.page("/costs?from=2026-01-05&to=2026-01-05");
    let answer = by_api(&service, "start_time=2026-01-05&end_time=2026-01-06").json();
    let exact = answer["credits"].as_str().unwrap();
    assert_eq!(exact, "0.12", "1.5 kWh for 0.08 each");
    let credits = format!("<dt>Credits</dt><dd><data value=\"-{exact}\">");
    assert!(page.contains(&credits), "{page}");
}

#[test]
fn what_is_not_known_is_named() {
    let service = house();
    let browser = Browser::set_up(&service);
    // On the first day of the month nothing has a price, and tomorrow is not known.
    let month = browser.page("/costs");
    assert!(month.contains("Unpriced energy: "), "{month}");
    assert!(
        month.contains("The total does not cover everything"),
        "{month}"
    );
    let day = browser.page("/costs?from=2026-01-03&to=2026-01-03");
    assert!(!day.contains("class=\"note warn\""), "{day}");
    // All of it is measured, which need not be said; of the month not all is.
    assert!(!day.contains("Time with measured energy"), "{day}");
    assert!(month.contains("Time with measured energy"), "{month}");
    let before = browser.page("/costs?from=2025-01-01&to=2025-01-31");
    assert!(
        before.contains("There is no total") && before.contains("<dd>–</dd>"),
        "{before}"
    );
    let home = AccountName::new("home").unwrap();
    let change = ContractChange::parse("[]").unwrap();
    service
        .store()
        .edit(move |edit| edit.change_contracts(&home, change))
        .unwrap();
    let without = browser.page("/costs");
    assert!(
        without.contains("Without a contract, all energy is unpriced."),
        "{without}"
    );
    let chip = "range=contract\"";
    assert!(month.contains(chip) && !without.contains(chip), "{without}");
    for wrong in ["range=decade", "account=x"] {
        let status = browser.get(&format!("/costs?{wrong}")).status();
        assert!([400, 404].contains(&status), "{wrong}: {status}");
    }
}

#[test]
fn days_that_are_wrong_are_shown_again() {
    let service = house();
    let browser = Browser::set_up(&service);
    for (query, field) in [
        ("from=2026-01-01", "to"),
        ("from=&to=2026-01-01", "from"),
        ("from=2026-02-02&to=2026-01-01", "to"),
        ("from=2000-01-01&to=2026-01-01", "to"),
        ("from=2026-01-01&to=2026-01-35", "to"),
    ] {
        let answer = browser.get(&format!("/costs?{query}"));
        assert_eq!(answer.status(), 422, "{query}");
        let page = answer.text();
        assert!(page.contains(&format!("id=\"{field}-error\"")), "{page}");
        assert!(
            page.contains("value=\"2026-01-01\""),
            "what was typed stays"
        );
        assert!(page.contains("at most 10 years apart"), "{page}");
        assert_eq!(browser.get(&format!("/costs.csv?{query}")).status(), 400);
    }
}

#[test]
fn a_statement_in_german_is_a_table_for_a_german_spreadsheet() {
    let service = house();
    let mut browser = Browser::set_up(&service);
    browser.headers.push(("Accept-Language", "de".to_owned()));
    let range = "from=2026-01-03&to=2026-01-03";
    let page = browser.page(&format!("/costs?{range}"));
    let answer = by_api(&service, "start_time=2026-01-03&end_time=2026-01-04").json();
    let total: f64 = answer["total"].as_str().unwrap().parse().unwrap();
    let shown = format!("{total:.2}\u{202F}€").replace('.', ",");
    assert!(page.contains(&shown), "{shown}: {page}");
    assert!(
        page.contains("Gesamtbetrag") && page.contains("3. Jan. 2026"),
        "{page}"
    );
    let table = browser.get(&format!("/costs.csv?{range}"));
    let name = "attachment; filename=\"costs-2026-01-03-to-2026-01-03.csv\"";
    assert_eq!(table.head.header("content-disposition"), Some(name));
    let table = table.text();
    assert!(table.starts_with("\u{FEFF}kind;contract;from;"), "{table}");
    let amount = answer["lines"][0]["amount"]
        .as_str()
        .unwrap()
        .replace('.', ",");
    let line = table.lines().find(|line| line.contains(";day;"));
    let line = line.unwrap();
    assert!(
        line.starts_with("energy;Day and night;2026-01-02;;day;"),
        "{line}"
    );
    assert!(line.ends_with(&format!(";0,35;{amount}")), "{line}");
    let total = answer["total"].as_str().unwrap().replace('.', ",");
    assert!(table.contains(&format!("total;;;;;;;;{total}")), "{table}");
}

#[test]
fn ranges_lead_from_one_to_the_next() {
    let service = house();
    let browser = Browser::set_up(&service);
    let link = |page: &str, rel: &str| {
        let (before, _) = page.split_once(&format!("\" rel=\"{rel}\""))?;
        let (_, address) = before.rsplit_once("href=\"").unwrap();
        let address = address.split('"').next().unwrap();
        Some(address.replace("&#38;", "&"))
    };
    let page = browser.page("/costs");
    assert_eq!(link(&page, "next"), None);
    let earlier = link(&page, "prev").unwrap();
    assert_eq!(earlier, "/costs?account=home&range=month&at=2025-12-01");
    let page = browser.page(&earlier);
    assert!(page.contains("1 Dec 2025 – 31 Dec 2025"), "{page}");
    assert!(link(&page, "next").is_some());
    let dashboard = browser.page("/");
    assert!(dashboard.contains("href=\"/costs"), "{dashboard}");
}

/// A person who changes contracts must not run code on the machine of a person who opens the table.
#[test]
fn names_are_no_formulas_to_a_spreadsheet() {
    let service = house();
    let home = AccountName::new("home").unwrap();
    let formula = "=HYPERLINK(1)";
    let hostile = CONTRACT
        .replace("Day and night", formula)
        .replace("standing charge", "@sum")
        .replace("\"VAT\"", "\"-1+1\"")
        .replace("\"night\"", "\"+night\"");
    let change = ContractChange::parse(&hostile).unwrap();
    let store = service.store();
    store
        .edit(move |edit| edit.change_contracts(&home, change))
        .unwrap();
    let browser = Browser::set_up(&service);
    let sheet = browser.get("/costs.csv?account=home&from=2026-01-02&to=2026-01-04");
    let sheet = sheet.text().trim_start_matches('\u{FEFF}');
    let mut found = 0;
    for (at, cell) in sheet.lines().flat_map(|row| row.split(',').enumerate()) {
        let is_number = cell.parse::<f64>().is_ok();
        assert!(
            is_number || !cell.starts_with(['=', '+', '-', '@']),
            "{at}: {cell}"
        );
        found += usize::from(cell.starts_with('\''));
    }
    assert!(found >= 4 && sheet.contains("'=HYPERLINK(1)"), "{sheet}");
    // The API is read by programs.
    let answer = by_api(&service, "start_time=2026-01-02&end_time=2026-01-05");
    assert!(
        answer.text().contains("\"=HYPERLINK(1)"),
        "{}",
        answer.text()
    );
}
