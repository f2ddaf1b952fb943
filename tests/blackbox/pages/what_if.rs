//! "What if?" by form.

use crate::http::what_if::{profile, sunny};
use crate::pages::browser::Browser;
use crate::support::Service;

const PAGE: &str = "/costs/what-if?account=home";
const ACTION: &str = "/costs/what-if";

fn ask(browser: &Browser<'_>, fields: &[(&str, &str)]) -> (u16, String) {
    let july = [("from", "2025-07-01"), ("to", "2025-07-31")];
    let answer = browser.submit(PAGE, ACTION, &[&july[..], fields].concat());
    (answer.status(), answer.text().to_owned())
}

/// The text without spaces: pages group digits with them.
fn dense(text: &str) -> String {
    text.replace([' ', '\u{202F}', '\u{A0}'], "")
}

#[test]
fn a_battery_is_asked_about_by_form() {
    let service = sunny();
    let browser = Browser::set_up(&service);
    let page = browser.page(PAGE);
    assert!(page.contains("<h1>What if?</h1>"), "{page}");
    assert!(!page.contains("answer-title"), "{page}");
    let fields = [("battery", "5"), ("price_per_kwh", "500")];
    let (status, page) = ask(&browser, &fields);
    assert_eq!(status, 200, "{page}");
    for text in [
        "166.16 €",
        "133.44 €",
        "32.72 €",
        "155 kWh",
        "38 %",
        // A month says nothing about a year.
        "Less than twelve months are known, so there is no figure for a year.",
        "31 days are known, in Jul 2025.",
    ] {
        let text = text.replace('€', "EUR");
        let euro = text.replace("EUR", "€");
        assert!(
            dense(&page).contains(&dense(&text)) || dense(&page).contains(&dense(&euro)),
            "{text}: {page}"
        );
    }
    for text in ["Saved in a year", "Paid back after", "Cycles a year"] {
        assert!(!page.contains(text), "{text}: {page}");
    }
    // A row and a bar for each usual size, and the lines of the other statement.
    assert_eq!(page.matches("<rect").count(), 12, "{page}");
    assert!(
        page.contains("The statement as it would have been"),
        "{page}"
    );
    assert!(page.contains("value=\"500\""), "{page}");
    assert!(
        page.contains("gives it back as soon as the house draws"),
        "{page}"
    );
    // The same by its address, and in German, with a decimal comma.
    let address = "/costs/what-if?account=home&from=2025-07-01&to=2025-07-31&battery=2.5";
    let page = browser.page(address);
    assert!(dense(&page).contains("149.80"), "{page}");
    browser.set_cookie("wattkeeper_language", "de");
    let (status, page) = ask(&browser, &[("battery", "2,5"), ("efficiency", "90")]);
    assert_eq!(status, 200, "{page}");
    assert!(page.contains("<h1>Was wäre, wenn?</h1>"), "{page}");
    assert!(dense(&page).contains("149,80"), "{page}");
    let costs = browser.page("/costs/savings?account=home");
    assert!(
        costs.contains("href=\"/costs/what-if?account=home\""),
        "{costs}"
    );
}

#[test]
fn a_profile_is_pasted() {
    let service = sunny();
    let browser = Browser::set_up(&service);
    let table = profile(1_000);
    let (status, page) = ask(&browser, &[("kwp", "2"), ("table", &table)]);
    assert_eq!(status, 200, "{page}");
    assert!(dense(&page).contains("19.84"), "{page}");
    assert!(
        page.contains("The new panels produce in each hour"),
        "{page}"
    );
    // It is too long to come back.
    assert!(!page.contains("20190101:0010"), "{page}");
    let (status, page) = ask(
        &browser,
        &[("kwp", "2"), ("table", "time,P\n20190101:0010,sun")],
    );
    assert_eq!(status, 422, "{page}");
    assert!(
        page.contains("id=\"table-error\">Line 2 is not an hour"),
        "{page}"
    );
    assert!(page.contains("20190101:0010,sun"), "{page}");
}

#[test]
fn mistakes_stand_at_their_fields() {
    let service = sunny();
    let browser = Browser::set_up(&service);
    for (fields, field, text) in [
        (
            vec![("battery", "-3")],
            "battery",
            "Enter a number from 0 to 1",
        ),
        (
            vec![("battery", "5"), ("efficiency", "120")],
            "efficiency",
            "Enter a number from 1 to 100",
        ),
        (vec![("kwp", "5")], "table", "Enter this, too."),
        (vec![("load", "move")], "load_sensor", "Enter this, too."),
        (
            vec![("load", "add"), ("load_sensor", "roof")],
            "load_sensor",
            "Choose a sub-meter",
        ),
        (
            vec![("load", "add"), ("load_kwh", "8"), ("load_between", "late")],
            "load_between",
            "Enter two times",
        ),
        (vec![("battery", "5"), ("from", "soon")], "from", "date"),
        (vec![], "battery", "otherwise nothing changes"),
    ] {
        let (status, page) = ask(&browser, &fields);
        assert_eq!(status, 422, "{fields:?}: {page}");
        let (_, error) = page.split_once(&format!("id=\"{field}-error\">")).unwrap();
        assert!(
            error.split('<').next().unwrap().contains(text),
            "{fields:?}: {error}"
        );
    }
}

#[test]
fn a_house_without_a_sensor_at_the_grid_is_told() {
    let service = Service::start();
    service.add_account("empty", wattkeeper::Plan::Paid);
    let browser = Browser::set_up(&service);
    let page = browser.page("/costs/what-if?account=empty&battery=5");
    assert!(
        page.contains("No sensor measures what the house draws"),
        "{page}"
    );
}
