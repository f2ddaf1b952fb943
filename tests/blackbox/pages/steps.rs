//! From an empty store to the first reading.

use std::process::Command;

use crate::pages::browser::{Browser, plain};
use crate::pages::keys::shown;
use crate::support::{Service, upload_as};

const NEW: &str = "/settings/sensor/new";

/// A service without accounts, as after the first start.
fn empty() -> Service {
    let service = Service::start();
    let store = service.store();
    let registry = store.registry();
    for sensor in registry.sensors() {
        store.remove_sensor_durably(&sensor.id).unwrap();
    }
    for account in registry.accounts() {
        store.remove_account_durably(&account.name).unwrap();
    }
    service
}

/// The text that the copy button labelled `what` copies.
#[track_caller]
fn copied(page: &str, what: &str) -> String {
    let (_, rest) = page.split_once(&format!("data-copy=\"{what}\">")).unwrap();
    plain(rest.split("</pre>").next().unwrap())
}

fn first(browser: &Browser<'_>, id: &str) -> crate::support::Response {
    let fields = [
        ("account", "home"),
        ("tz", "Europe/Berlin"),
        ("id", id),
        ("name", "House"),
        ("key", "yes"),
    ];
    browser.submit_own(NEW, &fields)
}

#[test]
fn one_form_adds_account_sensor_and_key() {
    let service = empty();
    let browser = Browser::set_up(&service);
    assert!(browser.page("/").contains(NEW));
    let page = browser.page(NEW);
    assert!(page.contains("Your first sensor") && page.contains("<option>Europe/Berlin"));
    let answer = first(&browser, "house");
    let (api_id, api_key) = shown(&answer);
    let page = answer.text();
    assert!(page.contains("Three steps"));
    for snippet in ["the curl line", "the Tasmota lines", "the script"] {
        let text = copied(page, snippet);
        for part in [
            "\"house\"",
            &api_id,
            &api_key,
            "http://localhost/api/v0.2/elec",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    let registry = service.store().registry();
    let account = registry.accounts().next().unwrap();
    assert_eq!(
        (account.name.as_str(), account.zone.name()),
        ("home", "Europe/Berlin")
    );

    let state = "/settings/sensor/state?id=house";
    assert_eq!(
        browser.get(state).text(),
        r#"{"readings":0,"active":false}"#
    );
    let upload = upload_as(&service, Some((&api_id, &api_key)), None);
    assert_eq!(upload.status(), 200, "{}", upload.text());
    assert_eq!(browser.get(state).text(), r#"{"readings":1,"active":true}"#);
    // The key is not shown again.
    assert!(!browser.page("/settings").contains(&api_key));
}

#[test]
fn a_refused_form_can_be_submitted_again() {
    let service = empty();
    let browser = Browser::set_up(&service);
    let answer = first(&browser, "");
    assert_eq!(answer.status(), 422);
    assert!(answer.text().contains("href=\"#id\""));
    // The account was added, and the form offers it.
    assert!(
        answer.text().contains("<option selected>home"),
        "{}",
        answer.text()
    );
    assert_eq!(first(&browser, "house").status(), 200);
    assert_eq!(service.store().registry().accounts().count(), 1);
    // Submitted twice, as by a reload.
    assert_eq!(first(&browser, "house").status(), 422);
}

/// The line works whatever the id of the sensor is.
#[test]
#[ignore = "needs curl"]
fn the_curl_line_uploads() {
    let service = empty();
    let browser = Browser::set_up(&service);
    for id in ["house", "it's $(id) `x` \"q\" \\ & <b> Wärme 🔥"] {
        let answer = first(&browser, id);
        let line = copied(answer.text(), "the curl line");
        let line = line.replace("localhost", &service.address().to_string());
        let run = Command::new("sh")
            .args(["-c", &format!("{line} -s")])
            .output();
        let run = run.unwrap();
        let said = String::from_utf8(run.stdout).unwrap();
        assert_eq!(said, r#"{"accepted":1}"#, "{line}");
    }
}
