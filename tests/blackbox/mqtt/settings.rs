//! The settings of MQTT: errors name their place, and the password is never shown.

use crate::place::Place;

/// The error of `config` with this file.
fn error(text: &str) -> String {
    let place = Place::new();
    place.file("config.toml", text.as_bytes());
    place.error(&["--config", "config.toml", "config"])
}

#[test]
fn errors_in_a_subscription_name_its_line() {
    let text = "[mqtt]\nbroker = \"mqtt://a\"\n\n[[mqtt.subscriptions]]\npreset = \"tasmota\"\n\n[[mqtt.subscriptions]]\ntopic = \"m/+\"\nwats = \"/p\"\n";
    let unknown = error(text);
    assert!(
        unknown.ends_with("line 9: there is no setting mqtt.subscriptions[1].wats; the closest one is mqtt.subscriptions[1].watts"),
        "{unknown}"
    );
    let wrong = error(&text.replace("wats = \"/p\"", "watts = \"p\""));
    assert!(
        wrong.contains("line 9: mqtt.subscriptions[1].watts is \"p\", expected a JSON pointer"),
        "{wrong}"
    );
    let missing = error(&text.replace("wats = \"/p\"\n", ""));
    assert!(
        missing.contains(
            "line 7: mqtt.subscriptions[1].preset is missing, expected one of ahoydtu, amsreader, "
        ),
        "{missing}"
    );
    let list = error("[mqtt]\nsubscriptions = [\"tele/+/SENSOR\"]");
    assert!(
        list.contains(
            "line 2: mqtt.subscriptions is [\"tele/+/SENSOR\"], expected up to 64 sections"
        ),
        "{list}"
    );
}

#[test]
fn the_examples_of_the_document_are_right() {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/MQTT.md");
    let document = std::fs::read_to_string(document).unwrap();
    let examples: Vec<&str> = document
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0)
        .collect();
    assert_eq!(examples.len(), 2);
    for example in examples {
        let place = Place::new();
        place.file("config.toml", example.as_bytes());
        let shown = place.ok(&["--config", "config.toml", "config"]);
        assert!(shown.contains("mqtt.broker"), "{shown}");
    }
}

#[test]
fn no_password_is_shown() {
    let place = Place::new();
    let text = "[mqtt]\nbroker = \"mqtt://a\"\nuser = \"meter\"\npassword = \"hunter2\"\n[[mqtt.subscriptions]]\npreset = \"shelly\"\n";
    place.file("config.toml", text.as_bytes());
    for arguments in [&["config"][..], &["--json", "config"]] {
        let shown = place.ok(&[&["--config", "config.toml"], arguments].concat());
        assert!(
            shown.contains("mqtt.password") && !shown.contains("hunter2"),
            "{shown}"
        );
        assert!(shown.contains("shelly"), "{shown}");
    }
    for wrong in [
        "[mqtt]\npassword = 42424242",
        "[mqtt]\nbroker = \"mqtt://meter:42424242@a\"",
    ] {
        let error = error(wrong);
        assert!(
            error.contains("line 2: mqtt.") && !error.contains("42424242"),
            "{error}"
        );
    }
}
