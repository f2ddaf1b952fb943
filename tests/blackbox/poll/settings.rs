//! The settings of devices that are polled: errors name their place and say what is expected, and no password is shown.

use crate::place::Place;

const GOOD: &str = "[[poll]]\npreset = \"shelly\"\naddress = \"192.168.1.20\"\nsensor = \"a\"\n";

fn error(text: &str) -> String {
    let place = Place::new();
    place.file("config.toml", text.as_bytes());
    place.error(&["--config", "config.toml", "config"])
}

#[test]
fn errors_in_a_section_name_its_line() {
    let with = |line: &str| error(&format!("{GOOD}{line}\n"));
    for (line, said) in [
        (
            "interval = \"1s\"",
            "line 5: poll[0].interval is \"1s\", expected a span of time from 2s to 1h, such as \"90s\", with the preset shelly",
        ),
        ("interval = \"2h\"", "expected a span of time from 2s to 1h"),
        (
            "interval = 10",
            "poll[0].interval is 10, expected a span of time",
        ),
        (
            "intervall = \"5s\"",
            "there is no setting poll[0].intervall; the closest one is poll[0].interval",
        ),
        (
            "password = \"hunter2\"",
            "there is no setting poll[0].password; the closest one is poll[0].password_",
        ),
        (
            "unit = 5",
            "poll[0].unit is 5, expected none: there is only one device at such an address",
        ),
        (
            "user = \"admin\"",
            "poll[0].password_file is missing, expected the path of a file",
        ),
        (
            "password_env = \"WATTKEEPER_X\"",
            "a variable that does not begin with WATTKEEPER_",
        ),
        (
            "user = \"a b\"\npassword_file = \"p\"",
            "poll[0].user is \"a b\", expected a user's name",
        ),
        (
            "add_sensors = 1",
            "poll[0].add_sensors is 1, expected true or false",
        ),
    ] {
        let error = with(line);
        assert!(error.contains(said), "{line}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn what_a_section_cannot_do_without() {
    let long = error(&GOOD.replace("\"a\"", &format!("\"{}\"", "x".repeat(55))));
    assert!(
        long.contains("expected a sensor's id of at most 54 bytes"),
        "{long}"
    );
    let unknown = error(&GOOD.replace("shelly", "shely"));
    assert!(
        unknown.contains(
            "line 2: poll[0].preset is \"shely\", expected one of fronius-inverter, fronius-meter, "
        ),
        "{unknown}"
    );
    let missing = error(&GOOD.replace("address", "#"));
    assert!(
        missing.contains("line 1: poll[0].address is missing, expected a host"),
        "{missing}"
    );
    let login = error(
        "[[poll]]\npreset = \"homewizard\"\naddress = \"a\"\nsensor = \"a\"\npassword_file = \"p\"\n",
    );
    assert!(
        login.contains(
            "poll[0].password_file is \"p\", expected none: these devices know no passwords"
        ),
        "{login}"
    );
}

#[test]
fn sections_that_get_in_each_others_way() {
    let twice = error(&format!("{GOOD}{GOOD}"));
    assert!(twice.contains("line 8: poll[1].sensor is \"a\", expected a sensor's id of at most 54 bytes, which no other section [[poll]] has"), "{twice}");
    let second = GOOD.replace("\"a\"", "\"a-export\"");
    for (text, line) in [
        (format!("{GOOD}{second}"), "line 8: poll[1].sensor"),
        (format!("{second}{GOOD}"), "line 4: poll[0].sensor"),
    ] {
        let error = error(&text);
        let said = format!("{line} is \"a-export\", expected a sensor's id");
        assert!(error.contains(&said), "{error}");
    }
    let many: String = (0..33)
        .map(|n| GOOD.replace("\"a\"", &format!("\"a{n}\"")))
        .collect();
    assert!(error(&many).contains("expected up to 32 sections [[poll]] in the configuration file"));
}

#[test]
fn a_password_in_an_address_is_not_shown() {
    let error = error(&GOOD.replace("192.168.1.20", "http://admin:hunter2@192.168.1.20"));
    assert!(
        error.contains("poll[0].address is something else (not shown), expected a host"),
        "{error}"
    );
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn the_examples_of_the_document_are_right() {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/POLLING.md");
    let document = std::fs::read_to_string(document).unwrap();
    let examples = document.split("```toml\n").skip(1);
    let examples: Vec<&str> = examples
        .map(|rest| rest.split_once("```").unwrap().0)
        .collect();
    assert!(!examples.is_empty());
    for example in examples {
        let place = Place::new();
        place.file("config.toml", example.as_bytes());
        let shown = place.ok(&["--config", "config.toml", "config"]);
        assert!(shown.contains("poll"), "{shown}");
    }
}
