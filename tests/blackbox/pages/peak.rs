//! The line about the running quarter of an hour on the dashboard.

use crate::http::peak::House;
use crate::pages::browser::Browser;
use crate::pages::dashboard::live_in;
use crate::support::Service;

/// The text without thin spaces, and without the invisible marks around values.
fn plain(text: &str) -> String {
    let text = text.replace('\u{202F}', " ");
    text.replace(['\u{2068}', '\u{2069}'], "")
}

#[test]
fn the_dashboard_has_the_running_quarter() {
    let service = Service::start();
    let mut house = House::new(&service);
    house.draws(&service, (5, 3_600.0));
    let browser = Browser::set_up(&service);
    let page = plain(&browser.page("/"));
    for text in [
        "18:15",
        "0.30 kWh so far, likely 3.60 kW on average",
        "2.70 kW left below 3.00 kW",
        "peak so far 3.00 kW",
        "one kilowatt more costs 5.40 €",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    browser.set_cookie("wattkeeper_language", "de");
    let german = plain(&browser.page("/"));
    assert!(
        german.contains("ein Kilowatt mehr kostet 5,40 €"),
        "{german}"
    );
}

#[test]
fn a_contract_without_demand_has_no_such_line() {
    let service = Service::start();
    live_in(&service, "UTC", Some("0.3"));
    let browser = Browser::set_up(&service);
    let page = browser.page("/");
    assert!(!page.contains("one kilowatt more"), "{page}");
}
