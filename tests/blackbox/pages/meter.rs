//! `/meter`: readings of a meter, typed in.

use crate::pages::browser::{Browser, location, sure};
use crate::pages::events::imported;
use crate::support::Service;

const METER: &str = "/meter?sensor=house";

/// Types a reading in; the status.
#[track_caller]
fn type_in(browser: &Browser<'_>, at: &str, shown: &str) -> u16 {
    let fields = [("at", at), ("shown", shown)];
    browser.submit(METER, "/meter", &fields).status()
}

fn energy(service: &Service) -> f64 {
    imported(service, "2026-01-01", "2026-01-05")
}

#[test]
fn a_household_needs_nothing_else() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    // The only sensor needs no choice.
    assert!(browser.page("/meter").contains("the house"));
    assert_eq!(type_in(&browser, "2026-01-01T00:00", "12.345,5"), 303);
    let fields = [("at", "2026-01-05T00:00"), ("shown", "12385.5")];
    let answer = browser.submit(METER, "/meter", &fields);
    assert_eq!(location(&answer), "/meter?sensor=house&done=typed");
    assert!((energy(&service) - 40_000.0).abs() < 1e-6);
    let page = browser.page(METER);
    assert!(
        page.contains("Last: 12\u{202f}385.500\u{202f}kWh"),
        "{page}"
    );
    assert!(page.contains("40.000\u{202f}kWh"), "{page}");
    // Its own readings are compared, and there are none.
    assert!(page.contains("<td class=\"number\">–</td>"), "{page}");
}

#[test]
fn a_digit_too_many_is_asked_about_from_the_second_reading_on() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    assert_eq!(type_in(&browser, "2026-01-01T00:00", "12345"), 303);
    let fields = [("at", "2026-01-05T00:00"), ("shown", "123850")];
    let answer = browser.submit(METER, "/meter", &fields);
    assert_eq!(answer.status(), 422);
    let page = answer.text();
    assert!(page.contains("Is there a digit too many?"), "{page}");
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let answer = browser.submit(METER, "/meter", &fields);
    let page = answer.text();
    assert!(page.contains("Ist eine Ziffer zu viel?"), "{page}");
    assert_eq!(type_in(&browser, "2026-01-05T00:00", "12385"), 303);
    assert!((energy(&service) - 40_000.0).abs() < 1e-6);
}

#[test]
fn an_unlikely_reading_is_asked_about_first() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    // 10 kWh a day.
    assert_eq!(type_in(&browser, "2026-01-01T00:00", "100"), 303);
    assert_eq!(type_in(&browser, "2026-01-03T00:00", "120"), 303);
    for (shown, expected) in [
        ("181", "expected about 140.000"),
        ("119", "should be at least that"),
    ] {
        let fields = [("at", "2026-01-05T00:00"), ("shown", shown)];
        let answer = browser.submit(METER, "/meter", &fields);
        assert_eq!(answer.status(), 422);
        let page = answer.text();
        assert!(page.contains(expected), "{page}");
        let sure = sure(&answer);
        assert!(page.contains(&format!("value=\"{shown}\"")), "{page}");
        // A confirmation is about these values alone.
        let others = [fields[0], ("shown", "1181"), ("sure", &*sure)];
        assert_eq!(browser.submit(METER, "/meter", &others).status(), 422);
        assert!(!browser.page(METER).contains(&format!("{shown}.000")));
    }
    // Three times the usual is likely enough.
    assert_eq!(type_in(&browser, "2026-01-05T00:00", "180"), 303);
    let fields = [("at", "2026-01-05T01:00"), ("shown", "999")];
    let sure = sure(&browser.submit(METER, "/meter", &fields));
    let fields = [fields[0], fields[1], ("sure", &sure)];
    assert_eq!(browser.submit(METER, "/meter", &fields).status(), 303);
    assert!(browser.page(METER).contains("999.000\u{202f}kWh"));
}

#[test]
fn numbers_are_read_by_the_language_of_the_page() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    // A German reads 15363 here, others 15.363: it is asked.
    let fields = [("at", "2026-01-01T00:00"), ("shown", "15.363")];
    let asked = browser.submit(METER, "/meter", &fields);
    assert!(asked.text().contains("„15.363“ wird als 15363 gelesen."));
    assert!(asked.text().contains("Das stimmt: speichern"));
    let fields = [fields[0], fields[1], ("sure", &*sure(&asked))];
    assert_eq!(browser.submit(METER, "/meter", &fields).status(), 303);
    assert_eq!(type_in(&browser, "2026-01-02T00:00", "15.373,5"), 303);
    assert!(browser.page(METER).contains("15.373,500\u{202f}kWh"));
    assert!((imported(&service, "2026-01-01", "2026-01-02") - 10_500.0).abs() < 1e-6);
    // Each form asks: a change of the meter, whose second number is doubtful, too.
    let change = "/meter/change?sensor=house";
    let fields = [
        ("at", "2026-01-03T00:00"),
        ("old", "15.380"),
        ("new", "1.000"),
    ];
    let asked = browser.submit(change, "/meter/change", &fields);
    assert!(asked.text().contains("15380") && asked.text().contains("als 1000 gelesen"));
    // In English the point is the decimal mark, and the comma is doubtful.
    browser.headers.clear();
    assert_eq!(type_in(&browser, "2026-01-04T00:00", "15373.999"), 303);
    let fields = [("at", "2026-01-05T00:00"), ("shown", "15,374")];
    let asked = browser.submit(METER, "/meter", &fields);
    assert!(
        asked.text().contains("“15,374” is read as 15374."),
        "{}",
        asked.text()
    );
}

#[test]
fn a_reading_is_removed() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for (at, shown) in [("2026-01-01T00:00", "100"), ("2026-01-05T00:00", "150")] {
        assert_eq!(type_in(&browser, at, shown), 303);
    }
    // The newest one is listed first.
    let answer = browser.submit(METER, "/meter/remove", &[]);
    let page = browser.page(location(&answer));
    assert!(
        page.contains("Removed.") && !page.contains("150.000"),
        "{page}"
    );
    assert_eq!(type_in(&browser, "", "140"), 303);
    assert!(browser.page(METER).contains("5 Jan 2026, 10:30:00"));
}

#[test]
fn a_mistake_is_shown_at_its_field() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for (at, shown, field) in [
        ("", "many", "shown"),
        ("", "-1", "shown"),
        ("soon", "1", "at"),
        ("2026-02-05T00:00", "1", "at"),
    ] {
        let fields = [("at", at), ("shown", shown)];
        let answer = browser.submit(METER, "/meter", &fields);
        assert_eq!(answer.status(), 422, "{at} {shown}");
        let page = answer.text();
        assert!(page.contains(&format!("#{field}\">")), "{page}");
        assert!(page.contains(&format!("value=\"{shown}\"")), "{page}");
    }
}

#[test]
fn several_sensors_are_chosen_from() {
    let service = Service::start();
    service.add_sensor("home", "cellar");
    let browser = Browser::set_up(&service);
    let page = browser.page("/meter");
    assert!(page.contains("href=\"/meter?sensor=cellar\""), "{page}");
    assert!(!page.contains("name=\"shown\""), "{page}");
}
