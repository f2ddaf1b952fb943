//! The forecast as a page: its numbers against those of the API.

use wattkeeper::{AccountName, ContractChange};

use crate::http::forecast::{by_api, year_and_a_half};
use crate::pages::browser::Browser;
use crate::pages::dashboard::hourly;
use crate::support::{Service, at};

/// The text without spaces: pages group digits with them.
fn dense(text: &str) -> String {
    text.replace([' ', '\u{202F}'], "")
}

/// An energy as a page shows it.
fn kilowatthours(watthours: f64) -> String {
    let kilowatthours = watthours / 1_000.0;
    let decimals = usize::from(kilowatthours < 99.95);
    format!("{kilowatthours:.decimals$} kWh")
}

#[test]
fn a_page_shows_what_the_api_says() {
    let service = year_and_a_half();
    let browser = Browser::set_up(&service);
    let page = browser.page("/costs/forecast?account=home");
    let answer = by_api(&service);
    assert!(page.contains("<h2 id=\"period-1\">Jun 2026</h2>"), "{page}");
    assert!(page.contains("<h2 id=\"period-2\">2026</h2>"), "{page}");
    for period in answer["periods"].as_array().unwrap() {
        let energy = &period["imported"];
        let of = |name: &str| kilowatthours(energy[name].as_f64().unwrap());
        let total: f64 = period["cost"]["likely"].as_str().unwrap().parse().unwrap();
        for text in [
            of("likely"),
            of("so_far"),
            format!("{} – {}", of("low"), of("high")),
            format!("{total:.2} €"),
        ] {
            assert!(dense(&page).contains(&dense(&text)), "{text}: {page}");
        }
    }
    let months = answer["tested"]["months"].as_array().unwrap();
    assert_eq!(months.len(), 12);
    // The table of methods names the chosen one, and has the figures of the API.
    assert!(
        page.contains("Last days and last year · <strong>chosen</strong>"),
        "{page}"
    );
    for method in answer["tested"]["methods"].as_array().unwrap() {
        let percent = |name: &str| {
            let percent = method[name].as_f64().unwrap() * 100.0;
            let decimals = usize::from(percent < 9.95);
            format!("<td class=\"number\">{percent:.decimals$}")
        };
        for text in [percent("median_error"), percent("p90_error")] {
            assert!(page.contains(&text), "{text}: {page}");
        }
    }
    let held = page.matches("<td>yes</td>").count();
    assert_eq!(answer["tested"]["within"], held);
    assert_eq!(held + page.matches("<td>no</td>").count(), 12);
    assert!(page.contains("Of the last 12 months"), "{page}");
    assert!(
        page.contains("as this method says: Last days and last year. It is the first choice"),
        "{page}"
    );
    // It is one click from the statement, also for German readers.
    let costs = browser.page("/costs");
    assert!(
        costs.contains("href=\"/costs/forecast?account=home\""),
        "{costs}"
    );
    browser.set_cookie("wattkeeper_language", "de");
    let german = browser.page("/costs/forecast");
    assert!(german.contains("<h1>Prognose</h1>"), "{german}");
    assert!(
        german.contains("Letzte Tage und letztes Jahr · <strong>gewählt</strong>"),
        "{german}"
    );
}

#[test]
fn a_house_without_contracts_gets_its_energy() {
    let service = year_and_a_half();
    let home = AccountName::new("home").unwrap();
    let change = ContractChange::parse("[]").unwrap();
    service
        .store()
        .edit(move |edit| edit.change_contracts(&home, change))
        .unwrap();
    let page = Browser::set_up(&service).page("/costs/forecast");
    assert!(page.contains("Imported from the grid"), "{page}");
    assert!(
        page.contains("Without a contract there are no costs."),
        "{page}"
    );
    assert!(!page.contains("€"), "{page}");
}

#[test]
fn a_page_says_why_there_is_no_forecast() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let page = browser.page("/costs/forecast");
    assert!(page.contains("So far there are 0."), "{page}");
    service.import(&hourly("2026-01-01T00:00:00", "2026-01-05T10:00:00"));
    service.clock.set(at("2026-01-05T10:00:00"));
    let page = browser.page("/costs/forecast");
    assert!(page.contains("So far there are 4."), "{page}");
    assert!(!page.contains("<table>"), "{page}");
}
