//! The settings of price sources: errors name their place and say what is expected, and no key is shown.

use super::market::{market, section, url};
use crate::place::Place;

const GOOD: &str =
    "[[price_source]]\nsource = \"energy-charts\"\nzone = \"DE-LU\"\nseries = \"spot\"\n";

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
            "since = \"1999-12-31\"",
            "line 5: price_source[0].since is \"1999-12-31\", expected the first day to fetch, from 2000-01-01 on",
        ),
        (
            "sincee = \"2024-01-01\"",
            "there is no setting price_source[0].sincee; the closest one is price_source[0].since",
        ),
        (
            "allow_private = 1",
            "price_source[0].allow_private is 1, expected true or false",
        ),
        (
            "key_file = \"k\"",
            "price_source[0].key_file is \"k\", expected none: this source has no key",
        ),
        (
            "most_days = 0",
            "price_source[0].most_days is something else (not shown), expected a whole number from 1 to 366",
        ),
        (
            "unit = \"EUR\"",
            "expected a unit such as EUR/MWh or ct/kWh",
        ),
        (
            "url = \"https://a.example/?token=hunter2&{x}\"",
            "price_source[0].url is something else (not shown), expected an address",
        ),
        (
            "header = \"X-Api-Key: hunter2\"",
            "price_source[0].header is something else (not shown)",
        ),
        ("account = \"a\\n\"", "price_source[0].account is"),
    ] {
        let error = with(line);
        assert!(error.contains(said), "{line}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn what_a_section_cannot_do_without() {
    for (text, said) in [
        (GOOD.replace("energy-charts", "energy-chart"), "line 2: price_source[0].source is \"energy-chart\", expected one of awattar-at, awattar-de, energi-data-service, energy-charts, entsoe, nord-pool, "),
        (GOOD.replace("zone = \"DE-LU\"\n", ""), "price_source[0].zone is missing, expected the zone or region"),
        (GOOD.replace("energy-charts", "awattar-de"), "price_source[0].zone is \"DE-LU\", expected none: this source has no zones"),
        (GOOD.replace("DE-LU", "DE/LU"), "price_source[0].zone is \"DE/LU\", expected the zone or region"),
        (GOOD.replace("series = \"spot\"\n", ""), "price_source[0].series is missing, expected the name of a price series"),
        ("[[price_source]]\nseries = \"spot\"\n".to_owned(), "price_source[0].url is missing, expected an address"),
        ("[[price_source]]\nsource = \"rte-tempo\"\nseries = \"a:b\"\n".to_owned(), "price_source[0].series is \"a:b\", expected the name of a price series"),
        ("[[price_source]]\nsource = \"entsoe\"\nzone = \"AT\"\nseries = \"a\"\nurl = \"http://a.example/{zone}?{key}\"\n".to_owned(), "expected an address over https, because the key is sent there"),
        (format!("{GOOD}{GOOD}"), "line 8: price_source[1].series is \"spot\", expected the name of a price series"),
        (GOOD.replace("series", "account = \"a\"\nseries") + GOOD, "price_source[1].series"),
        ((0..17).map(|n| GOOD.replace("spot", &format!("s{n}"))).collect(), "expected up to 16 sections [[price_source]] in the configuration file"),
    ] {
        let error = error(&text);
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn the_same_series_of_two_accounts_is_no_mistake() {
    let place = Place::new();
    let text =
        ["a", "b"].map(|name| GOOD.replace("series", &format!("account = \"{name}\"\nseries")));
    place.file("config.toml", text.concat().as_bytes());
    place.ok(&["--config", "config.toml", "config"]);
}

#[test]
fn a_key_file_that_everybody_can_read_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let source = market();
    let text = section(
        &url(&source),
        "spot",
        "header = \"X-Api-Key: {key}\"\nkey_file = \"key\"",
    );
    let place = Place::new();
    place.file("config.toml", text.as_bytes());
    place.file("key", b"s3cret\n");
    let path = place.dir.path().join("key");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    place.ok(&["account", "add", "home"]);
    let serving = place.serve(&[]);
    serving.wait_for("every user of this machine can read a key of [[price_source]] in it");
    let sent = crate::mqtt::house::eventually("a request", || source.requests().first().cloned());
    assert!(
        sent.1.to_ascii_lowercase().contains("x-api-key: s3cret"),
        "{}",
        sent.1
    );
    assert!(!serving.stop().contains("s3cret"));
}

#[test]
fn the_examples_of_the_document_are_right() {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/PRICE-SOURCES.md");
    let document = std::fs::read_to_string(document).unwrap();
    let examples = document.split("```toml\n").skip(1);
    let examples: Vec<&str> = examples
        .map(|rest| rest.split_once("```").unwrap().0)
        .collect();
    assert_eq!(examples.len(), 2);
    for example in examples {
        let place = Place::new();
        place.file("config.toml", example.as_bytes());
        let shown = place.ok(&["--config", "config.toml", "config"]);
        assert!(shown.contains("price_source"), "{shown}");
    }
}
