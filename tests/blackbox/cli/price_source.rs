//! `wattkeeper price-source`, with a running service and without.

use serde_json::{Value, json};

use crate::mqtt::house::eventually;
use crate::place::{Place, both_ways};
use crate::poll::device::Device;
use crate::price_sources::market::{market, section, url};

/// A file with the lines of a market at this address.
fn lines(place: &Place, source: &Device) -> String {
    let text = format!(
        "url = \"{}/v1/marketdata?start={{from}}&end={{to}}\"\nallow_private = true\n",
        url(source)
    );
    place.file("market.toml", text.as_bytes())
}

/// The arguments of a source in the form of aWATTar that fills this series.
fn of<'a>(command: &'a str, file: &'a str, series: &'a str) -> [&'a str; 7] {
    [
        "price-source",
        command,
        file,
        "--source",
        "awattar-at",
        "--series",
        series,
    ]
}

#[test]
fn sources_are_tried_added_listed_and_removed() {
    both_ways(|place| {
        let source = market();
        place.prepare();
        let file = lines(place, &source);
        assert_eq!(place.json(&["price-source", "list"]), json!([]));
        let tried = place.json(&of("try", &file, "spot"));
        assert!(tried["count"].as_u64().unwrap() >= 23, "{tried}");
        assert_eq!(tried["count"], tried["new"]);
        assert_eq!(tried["first"].as_array().unwrap().len(), 8);
        let text = place.ok(&of("try", &file, "spot"));
        assert!(text.contains("Nothing was stored."), "{text}");
        assert_eq!(place.json(&["prices", "list"]), json!([]));
        assert_eq!(place.json(&["price-source", "list"]), json!([]));
        let added = place.json(&of("add", &file, "spot"));
        let expected = json!({"account": null, "series": "spot", "source": "aWATTar (Austria)",
            "server": url(&source), "zone": null, "since": null, "in_file": false});
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(added[name], *value, "{name}: {added}");
        }
        // The same series again replaces it; a key's place is kept as a whole path.
        let since = [&of("add", &file, "spot")[..], &["--since", "2026-01-01"]].concat();
        assert_eq!(place.json(&since)["since"], "2026-01-01");
        let list = place.json(&["price-source", "list"]);
        assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
        assert!(place.ok(&["price-source", "list"]).contains("settings"));
        let removed = place.json(&["price-source", "remove", "spot"]);
        assert_eq!(removed, json!({"removed": "spot"}));
        assert_eq!(place.json(&["price-source", "list"]), json!([]));
    });
}

#[test]
fn what_cannot_be_a_source_is_refused_with_the_remedy() {
    both_ways(|place| {
        let source = market();
        place.prepare();
        let file = lines(place, &source);
        let unknown = place.file("unknown.toml", b"colour = \"red\"");
        let broken = place.file("broken.toml", b"url = ");
        let nowhere = place.file(
            "nowhere.toml",
            b"url = \"http://127.0.0.1:9/{from}\"\nallow_private = true",
        );
        for (arguments, expected) in [
            (
                ["price-source", "add", "--source", "x", "--series", "spot"].to_vec(),
                "source: \"x\", expected one of awattar-at, ",
            ),
            (
                [
                    "price-source",
                    "add",
                    "--source",
                    "energy-charts",
                    "--series",
                    "spot",
                ]
                .to_vec(),
                "zone: missing, expected the zone or region",
            ),
            (of("add", &unknown, "spot").to_vec(), "colour"),
            (of("add", &nowhere, "spot").to_vec(), "it cannot be reached"),
            (
                [&of("add", &file, "spot")[..], &["--since", "1999-01-01"]].concat(),
                "since: \"1999-01-01\", expected the first day to fetch",
            ),
            (
                ["price-source", "remove", "spot"].to_vec(),
                "there is no price source of \"spot\"",
            ),
        ] {
            let error = place.error(&arguments);
            assert!(error.contains(expected), "{arguments:?}: {error}");
        }
        let run = place.run(&of("add", &broken, "spot"));
        assert_eq!(run.status, 2, "{run:?}");
        assert_eq!(place.json(&["price-source", "list"]), json!([]));
        let unasked = [&of("add", &nowhere, "spot")[..], &["--unasked"]].concat();
        assert_eq!(place.json(&unasked)["series"], "spot");
    });
}

#[test]
fn a_running_service_tells_the_answers_of_its_sources() {
    let source = market();
    let place = Place::new();
    place.prepare();
    let text = section(&url(&source), "spot", "");
    let file = place.file("config.toml", text.as_bytes());
    let serving = place.serve(&["--config", &file]);
    let row = eventually("an answer", || {
        let list = place.json(&["price-source", "list"]);
        let row = list[0].clone();
        (row["answered"] != Value::Null).then_some(row)
    });
    assert_eq!(
        (&row["in_file"], &row["error"], &row["conflicts"]),
        (&json!(true), &Value::Null, &Value::Null)
    );
    assert_eq!(row["asked"], row["answered"]);
    // A file is changed by hand.
    let error = place.error(&["price-source", "remove", "spot"]);
    assert!(
        error.contains("the configuration file has the price source"),
        "{error}"
    );
    let added = place.error(&of("add", &lines(&place, &source), "spot"));
    assert!(added.contains("series: expected "), "{added}");
    drop(serving.stop());
}
