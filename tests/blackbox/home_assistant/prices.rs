//! Prices of the Energy dashboard: numbers become a contract, entities feed price series.

use serde_json::json;

use super::fake::{Entity, HomeAssistant, NEW, TOKEN};
use super::history::{await_live, registers};
use super::house::{HOUR, now, rising};
use super::put_token;
use crate::mqtt::house::eventually;
use crate::pages::browser::{PASSWORD, hidden_fields, plain};
use crate::pages::service::{administered, browser_at};
use crate::place::{Place, Serving};

/// A Home Assistant with a grid meter and these prices.
fn priced(prices: &[(&str, serde_json::Value)]) -> HomeAssistant {
    let home = HomeAssistant::start(NEW);
    let mut grid =
        json!({"type": "grid", "stat_energy_from": "sensor.e", "stat_cost": "sensor.e_cost"});
    for (name, price) in prices {
        grid[name] = price.clone();
    }
    home.with(|state| {
        state.prefs = json!({"energy_sources": [grid], "device_consumption": []});
        state
            .entities
            .insert("sensor.e".to_owned(), rising(48, now(), 0.0));
    });
    home
}

#[test]
fn a_number_is_a_contract_once_somebody_says_so() {
    let home = priced(&[
        ("number_energy_price", json!(0.3215)),
        ("number_energy_price_export", json!(0.08)),
    ]);
    let place = Place::new();
    let (serving, browser) = administered(&place);
    put_token(&place, TOKEN);
    let add = ["ha", "add", &home.url(), "--token-file", "token"];
    place.ok(&add);
    assert_eq!(place.json(&["contract", "list"]), json!([]));
    let prices =
        json!({"currency": "EUR", "import": {"number": "0.3215"}, "export": {"number": "0.08"}});
    assert_eq!(place.json(&["ha", "test"])["prices"], prices);
    assert!(
        place
            .ok(&["ha", "test"])
            .contains("A kilowatt-hour costs: 0.3215 EUR.")
    );
    // The page leads to the form of a contract.
    let action = "/settings/home-assistant/house";
    let fields = hidden_fields(&browser.page("/settings/home-assistant"), action);
    let page = browser.post(action, &fields);
    let link = "costs/contract?account=home&#38;price=0.3215&#38;feed_in=0.08&#38;currency=EUR";
    assert!(page.text().contains(link), "{}", page.text());
    let form = browser.page(&format!("/{}", link.replace("&#38;", "&")));
    for value in ["value=\"0.3215\"", "value=\"0.08\"", "value=\"EUR\""] {
        assert!(form.contains(value), "{value}: {form}");
    }
    is_prefilled_in_german(&serving);
    assert_eq!(place.json(&["contract", "list"]), json!([]));
    let with_prices = [&add[..], &["--with-prices"]].concat();
    place.ok(&with_prices);
    let contract = place.json(&["contract", "show"])[0].clone();
    assert_eq!(contract["currency"], "EUR", "{contract}");
    assert_eq!(
        contract["components"][0]["energy"]["price"]
            .to_string()
            .trim_matches('"'),
        "0.3215"
    );
    // One that is there stays.
    let error = place.error(&with_prices);
    assert!(
        error.contains("the account has a contract already, and it stays"),
        "{error}"
    );
    serving.stop();
}

/// Numbers as people there write them, which the form takes again.
fn is_prefilled_in_german(serving: &Serving) {
    let mut browser = browser_at(serving);
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let action = "/settings/home-assistant/house";
    let fields = hidden_fields(&browser.page("/settings/home-assistant"), action);
    let page = browser.post(action, &fields);
    let text = page.text().replace("%2C", ",");
    let link = "costs/contract?account=home&#38;price=0,3215&#38;feed_in=0,08&#38;currency=EUR";
    assert!(text.contains(link), "{text}");
    let form = browser.page(&format!("/{}", link.replace("&#38;", "&")));
    for value in ["value=\"0,3215\"", "value=\"0,08\"", "value=\"EUR\""] {
        assert!(form.contains(value), "{value}: {form}");
    }
}

/// A service that reads a meter, and the states of a price.
fn feeding(home: &HomeAssistant, before: impl FnOnce(&Place)) -> (Place, Serving) {
    let price = Entity {
        unit: "EUR/kWh",
        states: vec![(now() - 3 * HOUR, "0.3".to_owned())],
        ..Entity::default()
    };
    home.with(|state| state.entities.insert("sensor.price".to_owned(), price));
    let place = Place::new();
    place.ok(&["account", "add", "home"]);
    let run = place.run_on(format!("{PASSWORD}\n").as_bytes(), &["password"]);
    assert_eq!(run.status, 0, "{run:?}");
    put_token(&place, TOKEN);
    before(&place);
    let add = ["ha", "add", &home.url(), "--token-file", "token"];
    place.ok(&[&add[..], &["--with-prices"]].concat());
    let serving = place.serve(&[]);
    (place, serving)
}

/// Readings go on, and the page and the command say what is wrong with a price.
fn goes_on_and_says(home: &HomeAssistant, (place, serving): (Place, Serving), problem: &str) {
    eventually(problem, || {
        let shown = place.json(&["ha", "show"])[0]["reading"]["problems"].to_string();
        shown.contains(problem).then_some(())
    });
    await_live(&place);
    home.with(|state| state.tell("sensor.e", now(), "48.5"));
    eventually("a reading", || {
        (registers(&place, "grid-import").last()?.1 == 48_500.0).then_some(())
    });
    let page = browser_at(&serving).page("/settings/home-assistant");
    let shown = plain(&page);
    assert!(shown.contains(problem), "{shown}");
    let stderr = serving.stop();
    assert_eq!(stderr.matches(problem).count(), 1, "{stderr}");
}

#[test]
fn prices_in_another_currency_than_the_series_are_told() {
    let home = priced(&[("entity_energy_price", json!("sensor.price"))]);
    let served = feeding(&home, |place| {
        let prices = "from,price\n2026-01-05T00:00:00Z,1.2\n2026-01-05T01:00:00Z,\n";
        let put = [
            "prices",
            "import",
            "-",
            "--series",
            "sensor.price",
            "--currency",
            "SEK",
        ];
        let run = place.run_on(prices.as_bytes(), &put);
        assert_eq!(run.status, 0, "{run:?}");
    });
    let place = &served.0;
    assert_eq!(place.json(&["prices", "list"])[0]["currency"], "SEK");
    goes_on_and_says(&home, served, "SEK");
}

#[test]
fn prices_of_one_series_too_many_are_told() {
    let home = priced(&[("entity_energy_price", json!("sensor.price"))]);
    let served = feeding(&home, |place| {
        let prices = "from,price\n2026-01-05T00:00:00Z,0.2\n2026-01-05T01:00:00Z,\n";
        for count in 0..16 {
            let name = format!("series{count}");
            let run = place.run_on(
                prices.as_bytes(),
                &["prices", "import", "-", "--series", &name],
            );
            assert_eq!(run.status, 0, "{run:?}");
        }
    });
    goes_on_and_says(&home, served, "16 price series");
}

#[test]
fn a_price_that_no_kilowatt_hour_has_is_told() {
    let home = priced(&[("entity_energy_price", json!("sensor.price"))]);
    let served = feeding(&home, |_| {});
    await_live(&served.0);
    home.with(|state| {
        state.tell("sensor.price", now(), "3e12");
        state.tell("sensor.price", now() + 1, "-4e12");
    });
    goes_on_and_says(
        &home,
        served,
        "sensor.price told a price that no kilowatt-hour has; check its unit there",
    );
}

#[test]
fn an_entity_feeds_a_price_series() {
    let home = priced(&[("entity_energy_price", json!("sensor.price"))]);
    let end = now();
    let hour = end / HOUR - 20 * 24;
    home.with(|state| {
        let price = Entity {
            unit: "ct/kWh",
            // Hours of long ago have means.
            hours: vec![(hour * HOUR, 10.0, 0.0), ((hour + 1) * HOUR, 12.5, 0.0)],
            fine: Vec::new(),
            states: vec![
                (end - 3 * HOUR, "30".to_owned()),
                (end - 2 * HOUR, "unavailable".to_owned()),
                (end - HOUR, "25".to_owned()),
            ],
        };
        state.entities.insert("sensor.price".to_owned(), price);
    });
    let place = Place::new();
    place.ok(&["account", "add", "home"]);
    put_token(&place, TOKEN);
    place.ok(&[
        "ha",
        "add",
        &home.url(),
        "--token-file",
        "token",
        "--with-prices",
    ]);
    assert_eq!(
        place.json(&["ha", "show"])[0]["home_assistant"]["prices"],
        json!(["sensor.price"])
    );
    assert_eq!(place.json(&["contract", "list"]), json!([]));
    let serving = place.serve(&[]);
    await_live(&place);
    home.with(|state| state.tell("sensor.price", now(), "20"));
    let prices = || {
        let text = place.ok(&["prices", "export", "sensor.price"]);
        let prices = text
            .lines()
            .skip(1)
            .filter_map(|line| line.split(',').nth(1));
        // The end of a price before a gap has none.
        let prices = prices.filter(|price| !price.is_empty());
        prices.map(str::to_owned).collect::<Vec<_>>()
    };
    let found = eventually("the prices", || {
        let found = prices();
        found
            .ends_with(&["0.3".to_owned(), "0.25".to_owned()])
            .then_some(found)
    });
    assert_eq!(found, ["0.1", "0.125", "0.3", "0.25"]);
    assert_eq!(place.json(&["prices", "list"])[0]["series"], "sensor.price");
    // A restart goes on, and repeats nothing.
    serving.stop();
    let serving = place.serve(&[]);
    await_live(&place);
    let found = eventually("the same prices", || {
        let found = prices();
        (found.len() >= 4).then_some(found)
    });
    assert_eq!(found[..4], ["0.1", "0.125", "0.3", "0.25"]);
    let stderr = serving.stop();
    assert!(!stderr.contains(TOKEN), "{stderr}");
}
