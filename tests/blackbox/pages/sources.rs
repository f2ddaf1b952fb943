//! Who used the sun, on pages: the devices of `/energy`, and `/costs/sensor`.

use serde_json::Value;
use wattkeeper::Role;

use crate::http::sources::add_devices;
use crate::pages::browser::Browser;
use crate::pages::energy::{add, between, with_battery};
use crate::support::{Service, house_basic, request};

/// The house with a battery, and a car that uses a fifth of its energy.
fn with_car() -> Service {
    let service = with_battery();
    add(
        &service,
        "car",
        Role::SubMeter,
        None,
        "2026-04-06T22:00:00",
        &[190; 36],
    );
    service
}

fn by_api(service: &Service, path: &str) -> Value {
    let target = format!("/api/v0.2/{path}");
    let who = house_basic();
    let answer = service.send(&request("GET", &target, &[("Authorization", &who)], b""));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    answer.json()
}

#[test]
fn devices_show_their_share_of_own_energy_and_their_real_cost() {
    let service = with_car();
    let mut browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=day&at=2026-04-07");
    let list = between(&page, "<ul class=\"uses\">", "</ul>").replace('\u{202F}', " ");
    // Each hour 100 of the panels, 10 of the battery and 80 of the grid; feed-in is not paid.
    for fact in [
        "58 % own energy",
        "real cost 0.96 €, 2.28 € at the grid price",
    ] {
        assert!(list.contains(fact), "{fact}: {list}");
    }
    let table = between(&page, "<summary>Who used the sun?</summary>", "</details>");
    let row = between(table, "<bdi>the car</bdi>", "</tr>").replace('\u{202F}', " ");
    let cells: Vec<&str> = row
        .split("<td class=\"number\">")
        .skip(1)
        .map(|cell| cell.split('<').next().unwrap())
        .collect();
    assert_eq!(
        cells,
        [
            "4.56 kWh", "2.40 kWh", "0.24 kWh", "1.92 kWh", "58 %", "0.96 €", "2.28 €"
        ]
    );
    // Its statement and its file.
    let statement = between(table, "<th scope=\"row\"><a href=\"", "\"").replace("&#38;", "&");
    let shown = browser.page(&statement);
    assert!(
        shown.contains("Own solar, at once") && shown.contains("7 Apr 2026"),
        "{shown}"
    );
    let file = between(&page, "<a href=\"/energy.csv", "\"").replace("&#38;", "&");
    let file = browser.get(&format!("/energy.csv{file}"));
    assert!(
        file.text()
            .lines()
            .next()
            .unwrap()
            .contains("real_cost car")
    );

    browser.headers.push(("Accept-Language", "de".to_owned()));
    let page = browser
        .page("/energy?range=day&at=2026-04-07")
        .replace('\u{202F}', " ");
    for text in [
        "58 % Eigenstrom",
        "tatsächlich 0,96 €, 2,28 € zum Bezugspreis",
        "Wer hat die Sonne genutzt?",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
}

#[test]
fn a_long_range_shows_sources_on_request() {
    let service = with_car();
    let browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=year");
    assert!(!page.contains("own energy</span>"), "{page}");
    assert!(page.contains("\u{202F}€ at the grid price"), "{page}");
    let (link, _) = page
        .split_once("\">Who used the sun? Showing it for so long")
        .unwrap();
    let link = link.rsplit_once("href=\"").unwrap().1.replace("&#38;", "&");
    let page = browser.page(&link);
    assert!(page.contains("own energy</span>"), "{page}");
    assert!(page.contains("<summary>Who used the sun?</summary>"));
    let answer = browser.get("/energy?sources=x");
    assert_eq!(answer.status(), 400);
}

#[test]
fn a_house_without_own_sources_has_one_figure() {
    let service = crate::pages::energy::in_berlin(Some("0.5"));
    let start = "2026-04-06T22:00:00";
    add(
        &service,
        "import",
        Role::GridImport,
        None,
        start,
        &[400; 36],
    );
    add(&service, "car", Role::SubMeter, None, start, &[190; 36]);
    let browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=day&at=2026-04-07");
    assert!(page.contains("2.28\u{202F}€ at the grid price"), "{page}");
    assert!(
        !page.contains("real cost") && !page.contains("Who used the sun?"),
        "{page}"
    );
}

#[test]
fn the_statement_of_a_device_is_that_of_the_api() {
    let service = with_car();
    let mut browser = Browser::set_up(&service);
    let query = "account=home&sensor=car&from=2026-04-07&to=2026-04-07";
    let page = browser.page(&format!("/costs/sensor?{query}"));
    let range = "start_time=2026-04-07&end_time=2026-04-08&sensor_id=car";
    let answer = by_api(&service, &format!("statement?{range}"));
    let lines = answer["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 3, "{answer}");
    for line in lines {
        let exact = line["amount"].as_str().unwrap();
        assert!(
            page.contains(&format!("<data value=\"{exact}\">")),
            "{line}: {page}"
        );
    }
    let total = answer["total"].as_str().unwrap();
    assert_eq!(total, "0.96");
    assert!(
        page.contains(&format!("<data value=\"{total}\">")),
        "{page}"
    );
    for text in ["It claims no legal validity.", "58\u{202F}%", "the car"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // Half of today is not known yet, which is no gap.
    let month = browser.page("/costs/sensor?sensor=car");
    assert!(month.contains("so far, until"), "{month}");
    for (target, status) in [
        ("/costs/sensor?sensor=attic", 404),
        ("/costs/sensor?sensor=import", 404),
        ("/costs/sensor.csv?sensor=attic", 404),
        (
            "/costs/sensor?sensor=car&from=2026-01-02&to=2026-01-01",
            422,
        ),
    ] {
        assert_eq!(browser.get(target).status(), status, "{target}");
    }

    browser.headers.push(("Accept-Language", "de".to_owned()));
    let page = browser.page(&format!("/costs/sensor?{query}"));
    for text in [
        "Kosten eines Geräts",
        "Solarstrom aus der Batterie",
        "0,96\u{202F}€",
        "keinen Anspruch auf rechtliche Gültigkeit",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let table = browser.get(&format!("/costs/sensor.csv?{query}"));
    let name = "attachment; filename=\"car-2026-04-07-to-2026-04-07.csv\"";
    assert_eq!(table.head.header("content-disposition"), Some(name));
    let table = table.text();
    assert!(table.starts_with("\u{FEFF}kind;contract;from;"), "{table}");
    assert!(table.contains("\ngrid;"), "{table}");
    assert!(table.contains(";1,92;kWh;0,5;0,96"), "{table}");
}

#[test]
fn an_account_without_devices_has_no_statement_of_one() {
    let service = with_battery();
    let browser = Browser::set_up(&service);
    let page = browser.page("/costs/sensor");
    assert!(
        page.contains("No device has a sensor of its own."),
        "{page}"
    );
    assert_eq!(browser.get("/costs/sensor.csv").status(), 404);
}

#[test]
fn a_house_with_too_many_devices_shows_them_one_by_one() {
    let service = with_car();
    let browser = Browser::set_up(&service);
    let page = |query: &str| browser.page(&format!("/energy?range=day&at=2026-04-07{query}"));
    add_devices(&service, 49);
    assert!(page("").contains("<summary>Who used the sun?</summary>"));
    add(
        &service,
        "d50",
        Role::SubMeter,
        None,
        "2026-04-06T22:00:00",
        &[1; 2],
    );
    for query in ["", "&sources=1"] {
        let page = page(query);
        assert!(
            !page.contains("<summary>Who used the sun?</summary>"),
            "{page}"
        );
        let told = between(&page, "It is shown for up to 50 devices at once.", "</p>");
        assert!(told.contains("href=\"/costs/sensor\""), "{told}");
    }
    assert_eq!(
        browser
            .get("/costs/sensor?account=home&sensor=car")
            .status(),
        200
    );
    assert_eq!(
        browser
            .get("/energy.csv?range=day&at=2026-04-07&sources=1")
            .status(),
        400
    );
}
