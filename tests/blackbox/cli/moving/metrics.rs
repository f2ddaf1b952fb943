//! Exports of `VictoriaMetrics` and Prometheus.

use serde_json::json;

use super::{error, import, row, stored};
use crate::place::{Place, both_ways};

/// What `VictoriaMetrics` answers at `/api/v1/export`: a series may have several lines.
const EXPORT: &str = "\
{\"metric\":{\"__name__\":\"hass_sensor_power_w\",\"entity\":\"sensor.house\"},\"values\":[234,null,-240.5,\"NaN\"],\"timestamps\":[1767607200000,1767607210000,1767607220123,1767607230000]}
{\"metric\":{\"__name__\":\"hass_sensor_power_w\",\"entity\":\"sensor.oven\"},\"values\":[1],\"timestamps\":[1767607200000]}

{\"metric\":{\"entity\":\"sensor.house\",\"__name__\":\"hass_sensor_power_w\"},\"values\":[7],\"timestamps\":[1767607240000]}
{\"metric\":{\"__name__\":\"house_joules_total\",\"job\":\"a\"},\"values\":[3600,7200],\"timestamps\":[1767607200000,1767607210000]}
";

#[test]
fn power_and_counters_of_an_export() {
    both_ways(|place| {
        place.prepare();
        place.file("export.jsonl", EXPORT.as_bytes());
        let arguments = [
            "export.jsonl",
            "--sensor",
            "house",
            "--watts-column",
            "hass_sensor_power_w",
            "--where",
            "entity=sensor.house",
        ];
        let dry = import(place, &[&arguments[..], &["--dry-run"]].concat());
        assert_eq!(
            (&dry["readings"], &dry["last"]),
            (&json!(3), &json!("2026-01-05T10:00:40.000Z"))
        );
        assert_eq!(
            import(place, &arguments),
            json!({"read": 7, "stored": 3, "skipped": 4})
        );
        import(
            place,
            &[
                "export.jsonl",
                "--sensor",
                "house",
                "--watthours-column",
                "house_joules_total{job=\"a\"}",
            ],
        );
        let expected = [
            row("2026-01-05T10:00:00Z", 234.0, 1.0),
            row("2026-01-05T10:00:10Z", None, 2.0),
            row("2026-01-05T10:00:20.123Z", -240.5, None),
            row("2026-01-05T10:00:40Z", 7.0, None),
        ];
        assert_eq!(stored(place, "house"), expected);
    });
}

#[test]
fn series_of_prometheus_with_pairs() {
    let place = Place::new();
    place.prepare();
    let line = "{\"metric\":{\"__name__\":\"house_energy_kwh\"},\"values\":[[1767607200,\"1.5\"],[1767607210.5,\"2\"],[1767607220,\"NaN\"]]}\n";
    place.file("p.jsonl", line.as_bytes());
    import(
        &place,
        &[
            "p.jsonl",
            "--sensor",
            "house",
            "--watthours-column",
            "house_energy_kwh",
        ],
    );
    assert_eq!(
        stored(&place, "house"),
        [
            row("2026-01-05T10:00:00Z", None, 1_500.0),
            row("2026-01-05T10:00:10.500Z", None, 2_000.0)
        ]
    );
}

#[test]
fn its_series_are_listed_and_asked_for() {
    let place = Place::new();
    place.prepare();
    place.file("export.jsonl", EXPORT.as_bytes());
    let listed = place.json(&["import", "export.jsonl", "--list"]);
    assert_eq!(
        listed,
        json!([
            {"series": "hass_sensor_power_w{entity=\"sensor.house\"}", "unit": "W", "values": 5,
             "first": "2026-01-05T10:00:00.000Z", "last": "2026-01-05T10:00:40.000Z"},
            {"series": "hass_sensor_power_w{entity=\"sensor.oven\"}", "unit": "W", "values": 1,
             "first": "2026-01-05T10:00:00.000Z", "last": "2026-01-05T10:00:00.000Z"},
            {"series": "house_joules_total{job=\"a\"}", "unit": "J", "values": 2,
             "first": "2026-01-05T10:00:00.000Z", "last": "2026-01-05T10:00:10.000Z"},
        ])
    );
    let error = |options: &[&str]| {
        error(
            &place,
            &[&["export.jsonl", "--sensor", "house"], options].concat(),
        )
    };
    assert!(error(&[]).contains("house_joules_total{job=\"a\"}"));
    let mixed = error(&["--watts-column", "hass_sensor_power_w"]);
    assert!(
        mixed.contains("line 2: it holds several series: entity is sensor.house, then sensor.oven"),
        "{mixed}"
    );
    let missing = error(&["--watts-column", "x_w"]);
    assert!(missing.contains("there is no series \"x_w\""), "{missing}");
}

#[test]
fn lines_that_are_damaged_are_named() {
    let place = Place::new();
    place.prepare();
    let lines = "{\"metric\":{\"__name__\":\"p_w\"},\"values\":[1],\"timestamps\":[1767607200000]}\n\
        {\"metric\":{\"__name__\":\"p_w\"},\"values\":[1,x],\"timestamps\":[1]}\n\
        {\"metric\":{\"__name__\":\"p_w\"},\"values\":[1,2],\"timestamps\":[1767607210000]}\n\
        {\"values\":[1],\"metric\":{\"__name__\":\"p_w\"},\"timestamps\":[1]}\n\
        {\"metric\":{\"__name__\":\"p_w\"},\"values\":[2],\"timestamps\":[1767607220000]}\n";
    place.file("bad.jsonl", lines.as_bytes());
    let many = error(
        &place,
        &[
            "bad.jsonl",
            "--sensor",
            "house",
            "--watts-column",
            "p_w",
            "--skip-bad",
        ],
    );
    assert!(
        many.contains("3 of 5 rows are bad, nothing was stored: with more than a tenth"),
        "{many}"
    );
    // Among many good ones, they may be left out.
    let last = lines.lines().last().unwrap();
    let lines = format!("{lines}{}", format!("{last}\n").repeat(25));
    place.file("bad.jsonl", lines.as_bytes());
    let run = place.run(&[
        "import",
        "bad.jsonl",
        "--sensor",
        "house",
        "--watts-column",
        "p_w",
        "--skip-bad",
    ]);
    assert_eq!(run.status, 0, "{run:?}");
    let said: Vec<_> = run.err.lines().collect();
    assert!(
        said[0].starts_with("line 2: expected a series as JSON: "),
        "{run:?}"
    );
    assert_eq!(said[1], "line 3: it has 2 values, but 1 timestamps");
    assert!(
        said[2].starts_with(
            "line 4: expected a series as JSON: expected the labels before the values"
        ),
        "{run:?}"
    );
    assert_eq!(
        stored(&place, "house"),
        [
            row("2026-01-05T10:00:00Z", 1.0, None),
            row("2026-01-05T10:00:20Z", 2.0, None)
        ]
    );
}
