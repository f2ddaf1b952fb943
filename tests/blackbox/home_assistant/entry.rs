//! The Home Assistant of an account: entered by command, page and API, tested, kept and removed.

use std::io::Write as _;
use std::net::TcpListener;

use serde_json::{Value, json};

use super::fake::{HomeAssistant, NEW, OLD, TOKEN};
use super::put_token;
use crate::mqtt::house::eventually;
use crate::pages::browser::{Browser, hidden_fields, location, plain};
use crate::pages::service::administered;
use crate::place::{Place, Serving, both_ways};
use crate::poll::device::{Device, ok};
use crate::port::free_port;

const PAGE: &str = "/settings/home-assistant";

fn token_path(place: &Place) -> String {
    place.dir.path().join("token").to_str().unwrap().to_owned()
}

fn entry(url: &str, token_file: &Value, token: &str) -> Value {
    let home = json!({"address": url, "token_file": token_file, "sensors": [], "send": false, "prices": []});
    json!([{"account": "home", "home_assistant": home, "token": token, "reading": null}])
}

#[test]
fn a_command_adds_tests_shows_and_removes_it() {
    both_ways(|place| {
        let home = HomeAssistant::start(OLD);
        place.prepare();
        put_token(place, TOKEN);
        assert_eq!(place.json(&["ha", "show"]), json!([]));
        let error = place.error(&["ha", "test"]);
        assert!(
            error.contains("there is no home-assistant of the account: `wattkeeper ha show`"),
            "{error}"
        );
        let error = place.error(&["ha", "add", &home.url()]);
        assert!(
            error.contains("token: there is none yet") && error.contains("--token-file"),
            "{error}"
        );
        let add = ["ha", "add", &home.url(), "--token-file", "token"];
        let expected = entry(&home.url(), &Value::from(token_path(place)), "file");
        assert_eq!(place.json(&add), expected[0]);
        assert_eq!(place.json(&["ha", "show", "--account", "home"]), expected);
        let shown = place.ok(&["ha", "show"]);
        assert!(
            shown.contains(&token_path(place)) && !shown.contains(TOKEN),
            "{shown}"
        );
        let identity = json!({
            "location": "Our <house>", "version": "2024.3.3", "person": "Anna", "is_administrator": true,
        });
        let house = place.json(&["ha", "test"]);
        assert_eq!(house["identity"], identity);
        assert_eq!(house["sensors"], json!([]));
        home.with(|state| state.is_for_reading = true);
        let text = place.ok(&["ha", "test"]);
        assert!(
            text.contains("\"Our <house>\" answers, Home Assistant 2024.3.3."),
            "{text}"
        );
        assert!(
            text.contains("\"Anna\", who is not an administrator there"),
            "{text}"
        );
        place.ok(&["ha", "remove"]);
        assert_eq!(place.json(&["ha", "show"]), json!([]));
        assert!(place.run(&["ha", "remove"]).status == 1);
        // Nothing is kept after a failed test, unless that is meant.
        put_token(place, "wrong-token");
        let error = place.error(&add);
        assert!(
            error.contains("it refuses the token; make a long-lived one there"),
            "{error}"
        );
        assert!(!error.contains("wrong-token"), "{error}");
        assert_eq!(place.json(&["ha", "show"]), json!([]));
        place.ok(&[&add[..], &["--unasked"]].concat());
        assert_eq!(place.json(&["ha", "show"]), expected);
        // The account goes with it.
        place.ok(&["sensor", "remove", "house", "--yes"]);
        place.ok(&["account", "remove", "home"]);
        place.prepare();
        assert_eq!(place.json(&["ha", "show"]), json!([]));
    });
}

#[test]
fn each_fault_is_told_with_its_remedy() {
    let place = Place::new();
    place.prepare();
    put_token(&place, TOKEN);
    let html = Device::start(|_| ok("<!DOCTYPE html><title>Router</title>"));
    let home = HomeAssistant::start(NEW);
    // As servers of HTTP answer to TLS.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = stream
                .unwrap()
                .write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
    });
    for (url, told) in [
        (
            format!("http://{}", html.address),
            "it answered with status 200 instead of a WebSocket; check its address",
        ),
        (
            format!("http://127.0.0.1:{}", free_port()),
            "it cannot be reached: Connection refused",
        ),
        (
            "http://no-such-host.invalid:8123".to_owned(),
            "its host name is unknown; check it, or use the address of IP",
        ),
        (
            format!("https://{plain}"),
            "check whether its address begins with http:// or https://",
        ),
        (
            "homeassistant.local".to_owned(),
            "address: expected an address such as \"http://homeassistant.local:8123\"",
        ),
    ] {
        let error = place.error(&["ha", "add", &url, "--token-file", "token"]);
        assert!(error.contains(told), "{url}: {error}");
    }
    std::fs::remove_file(token_path(&place)).unwrap();
    let error = place.error(&["ha", "add", &home.url(), "--token-file", "token"]);
    assert!(
        error.contains("cannot read the token in ") && error.contains(&token_path(&place)),
        "{error}"
    );
    assert_eq!(place.json(&["ha", "show"]), json!([]));
}

fn save(browser: &Browser<'_>, fields: &[(&str, &str)]) -> (u16, String) {
    let answer = browser.submit_own(PAGE, &[&[("account", "home")], fields].concat());
    (answer.status(), plain(answer.text()))
}

#[test]
fn a_page_tests_and_keeps_it_with_its_token() {
    let home = HomeAssistant::start(NEW);
    let place = Place::new();
    let (serving, browser) = administered(&place);
    let (status, page) = save(
        &browser,
        &[("address", &home.url()), ("token", "wrong-token")],
    );
    assert_eq!(status, 422);
    assert!(
        page.contains("Home Assistant refuses the token.") && !page.contains("wrong-token"),
        "{page}"
    );
    let (status, page) = save(&browser, &[("address", &home.url()), ("token", "")]);
    assert_eq!(status, 422);
    assert!(
        page.contains("There is none stored for this address."),
        "{page}"
    );
    let (status, page) = save(&browser, &[("address", "ha.lan"), ("token", TOKEN)]);
    assert_eq!(status, 422);
    assert!(
        page.contains("Enter an address such as http://homeassistant.local:8123"),
        "{page}"
    );
    let (status, page) = save(&browser, &[("address", &home.url()), ("token", TOKEN)]);
    assert_eq!(status, 200, "{page}");
    assert!(
        page.contains("Our <house> answers, with Home Assistant 2024.3.3."),
        "{page}"
    );
    assert!(
        page.contains("an administrator there") && page.contains("Its token is stored."),
        "{page}"
    );
    assert!(!page.contains(TOKEN), "{page}");
    let expected = entry(&home.url(), &Value::Null, "store");
    assert_eq!(place.json(&["ha", "show"]), expected);
    assert_eq!(place.json(&["ha", "test"])["identity"]["person"], "Anna");
    // The stored token goes nowhere else.
    let elsewhere = HomeAssistant::start(NEW);
    let (status, _) = save(&browser, &[("address", &elsewhere.url()), ("token", "")]);
    assert_eq!(
        (status, elsewhere.with(|state| state.connections)),
        (422, 0)
    );
    let (status, _) = save(&browser, &[("address", &home.url()), ("token", "")]);
    assert_eq!(status, 200);
    removed_by_the_api(&place, &serving, &expected[0]);
    removed_by_the_page(&browser);
    assert_eq!(place.json(&["ha", "show"]), json!([]));
    let stderr = serving.stop();
    assert!(
        !stderr.contains(TOKEN) && !stderr.contains("wrong-token"),
        "{stderr}"
    );
}

/// The API shows it without paths, and removes it.
fn removed_by_the_api(place: &Place, serving: &Serving, expected: &Value) {
    let (id, key) = place.key();
    let url = format!(
        "{}/api/v0.2/home-assistant?api_id={id}&api_key={key}",
        serving.url
    );
    // On a shared database the service hears of the new key a moment later.
    let mut answer = eventually("the key", || ureq::get(&url).call().ok());
    let answer: Value = serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap();
    assert_eq!(answer["home_assistant"], *expected);
    let mut answer = ureq::delete(&url).call().unwrap();
    assert_eq!(
        answer.body_mut().read_to_string().unwrap(),
        "{\"home_assistant\":null}"
    );
}

/// It is kept although nothing answers, and removed.
fn removed_by_the_page(browser: &Browser<'_>) {
    let unreachable = format!("http://127.0.0.1:{}", free_port());
    let fields = [("address", unreachable.as_str()), ("token", TOKEN)];
    assert_eq!(save(browser, &fields).0, 422);
    let answer = browser.submit_own(
        PAGE,
        &[&[("account", "home"), ("anyway", "yes")], &fields[..]].concat(),
    );
    assert_eq!(location(&answer), format!("{PAGE}?account=home&done=ha"));
    let removal = hidden_fields(&browser.page(PAGE), &format!("{PAGE}/remove"));
    let answer = browser.post(&format!("{PAGE}/remove"), &removal);
    assert_eq!(location(&answer), format!("{PAGE}?done=ha-removed"));
}

#[test]
fn a_backup_has_it_without_the_token() {
    let home = HomeAssistant::start(NEW);
    let place = Place::new();
    let (serving, browser) = administered(&place);
    assert_eq!(
        save(&browser, &[("address", &home.url()), ("token", TOKEN)]).0,
        200
    );
    serving.stop();
    place.ok(&["backup", "copy"]);
    let restored = Place::new();
    let copy = place.dir.path().join("copy");
    let bytes = std::fs::read(&copy).unwrap();
    assert!(!bytes.windows(6).any(|it| it == b"s3cret"));
    restored.ok(&["restore", copy.to_str().unwrap()]);
    assert_eq!(
        restored.json(&["ha", "show"]),
        entry(&home.url(), &Value::Null, "missing")
    );
    let error = restored.error(&["ha", "test"]);
    assert!(
        error.contains("there is no token; make a long-lived one there"),
        "{error}"
    );
    put_token(&restored, TOKEN);
    restored.ok(&["ha", "add", &home.url(), "--token-file", "token"]);
    restored.ok(&["ha", "test"]);
}
