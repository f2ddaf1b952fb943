//! A dynamic tariff from nothing, by form: with its source, its prices and what it would have cost.

use serde_json::json;

use super::market::{await_prices, empty, market, parameter, url};
use crate::mqtt::house::eventually;
use crate::pages::browser::{Browser, hidden_fields, location, plain};
use crate::pages::service::administered;
use crate::poll::device::{Device, ok, status};

const TARIFF: &str = "/costs/tariff?account=home&template=at-dynamic";

/// The fields of the form, as a household fills them in.
fn typed(browser: &Browser<'_>, source: &Device, more: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut fields = hidden_fields(&browser.page(TARIFF), "/costs/tariff");
    let mapping = format!(
        "url = \"{}/v1/marketdata?start={{from}}&end={{to}}\"\r\nallow_private = true",
        url(source)
    );
    let own = [
        ("prices", "awattar-at"),
        ("fees", "14,4"),
        ("base-fee", "9,60"),
        ("feed-in", ""),
        ("vat", "20"),
        ("from", "2020-01-01"),
        ("mapping", &mapping),
    ];
    for (name, value) in own.iter().chain(more) {
        fields.push(((*name).to_owned(), (*value).to_owned()));
    }
    fields
}

#[test]
fn a_dynamic_tariff_from_nothing_takes_two_pages_and_no_json() {
    let source = market();
    let place = empty(&[]);
    let (_serving, mut browser) = administered(&place);
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let form = browser.page(TARIFF);
    // What a household sees: the source by its name, and no more than eight fields.
    assert!(form.contains("aWATTar (Austria)"), "{form}");
    let (_, visible) = form.split_once(" action=\"/costs/tariff\"").unwrap();
    let (visible, _) = visible.split_once("</form>").unwrap();
    let (before, details) = visible.split_once("<details").unwrap();
    let (_, after) = details.split_once("</details>").unwrap();
    let visible = format!("{before}{after}");
    let fields = ["<select ", "inputmode=", "type=\"date\"", "type=\"radio\""];
    let count: usize = fields.map(|it| visible.matches(it).count()).iter().sum();
    assert_eq!(count, 6, "{visible}");
    let checked = browser.post("/costs/tariff", &typed(&browser, &source, &[]));
    assert_eq!(checked.status(), 200, "{}", checked.text());
    let page = plain(checked.text());
    assert!(page.contains("aWATTar (Austria) antwortet mit "), "{page}");
    // There are no readings: the household of the demo would have paid so much.
    assert!(page.contains("Der Haushalt der Demo hätte im "), "{page}");
    assert!(
        page.contains("€ bezahlt (") && page.contains("kWh, im Mittel "),
        "{page}"
    );
    for page in [&form, checked.text()] {
        let shown = page.replace("Als JSON", "").replace("as=json", "");
        assert!(
            !shown.contains("JSON") && !shown.contains("components"),
            "{page}"
        );
    }
    // Nothing is stored before it is saved.
    assert_eq!(place.json(&["contract", "list"]), json!([]));
    assert_eq!(place.json(&["price-source", "list"]), json!([]));
    let mut fields = hidden_fields(checked.text(), "/costs/tariff");
    fields.push(("step".to_owned(), "save".to_owned()));
    let saved = browser.post("/costs/tariff", &fields);
    assert_eq!(location(&saved), "/costs/contracts?account=home&done=saved");
    let contracts = place.json(&["contract", "show"]);
    assert_eq!(
        contracts[0]["components"][0]["energy"],
        json!({"name": "energy", "series": "awattar-at", "factor": 1.2, "surcharge": 0.144})
    );
    // The source is at work, under a name that nobody invented.
    await_prices(&place, "awattar-at", |count| count >= 23);
    let again = browser.page(TARIFF);
    assert!(
        again.contains("hat neue Preise des Vertrags davor"),
        "{again}"
    );
}

#[test]
fn a_source_that_does_not_answer_is_said_at_its_field() {
    let silent = Device::start(|_| status("500 Internal Server Error", "", "{}"));
    let place = empty(&[]);
    let (_serving, browser) = administered(&place);
    let refused = browser.post("/costs/tariff", &typed(&browser, &silent, &[]));
    assert_eq!(refused.status(), 422, "{}", refused.text());
    let page = refused.text();
    assert!(
        page.contains("id=\"prices-error\"") && page.contains("value=\"14,4\""),
        "{page}"
    );
    assert!(
        page.contains("Add it although it does not answer now"),
        "{page}"
    );
    // Said so, it is set up all the same.
    let anyway = [("anyway", "yes"), ("fees", "14.4"), ("base-fee", "9.60")];
    let mut fields = typed(&browser, &silent, &[]);
    fields.retain(|(name, _)| !anyway.iter().any(|(own, _)| own == name));
    fields.extend(anyway.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let checked = browser.post("/costs/tariff", &fields);
    assert_eq!(checked.status(), 200, "{}", checked.text());
    assert!(
        plain(checked.text()).contains("is unknown: not all of the"),
        "{}",
        checked.text()
    );
    let mut fields = hidden_fields(checked.text(), "/costs/tariff");
    fields.push(("step".to_owned(), "save".to_owned()));
    assert_eq!(browser.post("/costs/tariff", &fields).status(), 303);
    assert_eq!(
        place.json(&["price-source", "list"])[0]["series"],
        "awattar-at"
    );
}

#[test]
fn tempo_has_its_colours_and_keeps_its_key() {
    let source = Device::start(|head| {
        if head.starts_with("POST /token") {
            assert!(head.contains("Basic bWU6c2VjcmV0\r\n"), "{head}");
            return ok(r#"{"access_token":"t0ken","token_type":"Bearer","expires_in":7200}"#);
        }
        let [from, to] = ["start_date", "end_date"].map(|name| parameter(head, name));
        ok(&json!({"tempo_like_calendars": {"values": [
            {"start_date": from, "end_date": to, "value": "WHITE", "updated_date": from},
        ]}})
        .to_string())
    });
    let place = empty(&[]);
    let (_serving, browser) = administered(&place);
    let page = browser.page("/costs/tariff?account=home&template=fr-tempo");
    let mut fields = hidden_fields(&page, "/costs/tariff");
    let url = url(&source);
    let mapping = format!(
        "url = \"{url}/calendars?start_date={{from}}&end_date={{to}}\"\r\ntoken_url = \"{url}/token/oauth/\"\r\nallow_private = true"
    );
    for (name, value) in [
        ("days", "rte-tempo"),
        ("base-fee", "16.16"),
        ("from", "2026-01-01"),
        ("mapping", &mapping),
    ] {
        fields.push((name.to_owned(), value.to_owned()));
    }
    // Without its key it is not asked.
    let refused = browser.post("/costs/tariff", &fields);
    assert_eq!(refused.status(), 422);
    assert!(
        refused.text().contains("id=\"key-error\""),
        "{}",
        refused.text()
    );
    fields.push(("key".to_owned(), "bWU6c2VjcmV0".to_owned()));
    let checked = browser.post("/costs/tariff", &fields);
    assert_eq!(checked.status(), 200, "{}", checked.text());
    let page = plain(checked.text());
    assert!(
        page.contains("Tempo, colours of days (RTE, France) answers with "),
        "{page}"
    );
    assert!(
        !checked.text().contains("bWU6c2VjcmV0"),
        "the key came back"
    );
    let mut fields = hidden_fields(checked.text(), "/costs/tariff");
    fields.push(("step".to_owned(), "save".to_owned()));
    if let Some((_, rest)) = checked.text().split_once("name=\"sure\" value=\"") {
        fields.push((
            "sure".to_owned(),
            rest.split_once('"').unwrap().0.to_owned(),
        ));
    }
    let saved = browser.post("/costs/tariff", &fields);
    assert_eq!(saved.status(), 303, "{}", saved.text());
    let contracts = place.json(&["contract", "show"]);
    let zone = &contracts[0]["components"][0]["energy"]["zones"][5];
    assert_eq!(zone["days"], "rte-tempo:red");
    eventually("a colour", || {
        let lists = place.json(&["days", "list"]);
        let list = lists.as_array().unwrap().first()?.clone();
        (list["list"] == "rte-tempo").then_some(())
    });
}
