//! `/costs/cheapest`.

use wattkeeper::{AccountName, ContractChange};

use crate::pages::browser::Browser;
use crate::pages::dashboard::live_in;
use crate::support::{ACCOUNT, Service, at};

/// Cheaper at night, at eleven in Berlin.
fn service_with(contract: &str) -> Service {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    service.clock.set(at("2026-01-06T10:10:00"));
    let put = ContractChange::parse(contract).unwrap();
    let account = AccountName::new(ACCOUNT).unwrap();
    let changed = service
        .store()
        .edit(move |edit| edit.change_contracts(&account, put));
    changed.unwrap();
    service
}

const BY_NIGHT: &str = r#"{"from":"2026-01-01","name":"Night","currency":"EUR","components":[
    {"energy":{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:00"}]}},
    {"tax":{"name":"VAT","percent":20}}]}"#;

fn page(browser: &Browser<'_>, query: &str) -> String {
    let page = browser.page(&format!("/costs/cheapest?account=home{query}"));
    page.replace('\u{202F}', " ")
}

#[test]
fn the_cheapest_hours_are_shown() {
    let service = service_with(BY_NIGHT);
    let browser = Browser::set_up(&service);
    let shown = page(&browser, "");
    let title = "<h2 id=\"found-title\">6 Jan 2026 22:00 – 7 Jan 2026, 01:00</h2>";
    assert!(shown.contains(title), "{shown}");
    assert!(
        shown.contains("<dt>Mean price</dt><dd>28.8 ct / kWh</dd>"),
        "{shown}"
    );
    assert!(
        shown.contains("<dt>Mean price, 6 Jan 2026 11:10 – 8 Jan 2026, 00:00</dt>"),
        "{shown}"
    );
    assert!(
        shown.contains("value=\"3\"") && shown.contains("all charges"),
        "{shown}"
    );
    // An hour of the day, too, in two pieces.
    let shown = page(&browser, "&hours=9&before=07:00&split=1");
    assert!(shown.contains("<dd>30.3 ct / kWh</dd>"), "{shown}");
    assert!(
        shown.contains("checked") && shown.contains("value=\"07:00\""),
        "{shown}"
    );
    let row = "<tr><th scope=\"row\">6 Jan 2026 11:15 – 12:15</th><td class=\"number\">42.0 ct / kWh</td></tr>";
    assert!(shown.contains(row), "{shown}");
    // As typed on a German page.
    let german = [("Accept-Language", "de")];
    let german = browser.send("GET", "/costs/cheapest?hours=1,5", &german, b"");
    let german = german.text().replace('\u{202F}', " ");
    assert!(
        german.contains("Wann ist Strom am günstigsten?"),
        "{german}"
    );
    assert!(german.contains("6. Jan. 2026 22:00 – 23:30"), "{german}");
}

#[test]
fn what_is_wrong_is_said_at_its_field() {
    let service = service_with(BY_NIGHT);
    let browser = Browser::set_up(&service);
    for (query, error) in [
        (
            "&hours=30",
            "<span class=\"error\" id=\"hours-error\">Enter hours from 0.25 to 24",
        ),
        (
            "&hours=1.1&split=1",
            "<span class=\"error\" id=\"hours-error\">Enter whole quarters",
        ),
        (
            "&before=noon",
            "<span class=\"error\" id=\"before-error\">Enter a time of day",
        ),
        (
            "&before=2026-01-05",
            "<span class=\"error\" id=\"before-error\">Enter a time after 6 Jan 2026, 11:10",
        ),
    ] {
        let target = format!("/costs/cheapest?account=home{query}");
        let answer = browser.send("GET", &target, &[], b"");
        assert_eq!(answer.status(), 422, "{query}");
        assert!(answer.text().contains(error), "{query}: {}", answer.text());
        assert!(!answer.text().contains("found-title"));
    }
    let equal = service_with(
        r#"[{"from":"2026-01-01","name":"Flat","currency":"EUR","components":[{"energy":{"price":0.3}}]}]"#,
    );
    let browser = Browser::set_up(&equal);
    assert!(page(&browser, "").contains("All prices of this time are equal."));
    let none = service_with("[]");
    let browser = Browser::set_up(&none);
    let shown = page(&browser, "");
    assert!(
        shown.contains("Without a contract, all energy is unpriced."),
        "{shown}"
    );
    assert!(shown.contains("costs/contract?account=home"), "{shown}");
    let series = r#"[{"from":"2026-01-01","name":"Spot","currency":"EUR","components":[{"energy":{"series":"spot"}}]}]"#;
    let unknown = service_with(series);
    let browser = Browser::set_up(&unknown);
    let shown = page(&browser, "");
    assert!(
        shown.contains("No price is known from 6 Jan 2026, 11:10 to 8 Jan 2026, 00:00."),
        "{shown}"
    );
}
