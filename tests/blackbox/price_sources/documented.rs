//! Each known source, with answers in its documented form.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wattkeeper::{MS_PER_DAY, Timestamp};

use super::market::{await_prices, house, parameter, url};
use crate::mqtt::house::eventually;
use crate::poll::device::{Device, ok, status};
use crate::support::{HOUR, at};

/// The section of a known source at another address, with its own path.
pub(super) fn section(source: &str, address: &str, further: &str) -> String {
    format!(
        "[[price_source]]\nsource = \"{source}\"\nurl = \"{address}\"\nallow_private = true\n{further}\n"
    )
}

#[test]
fn energy_charts_has_quarters_of_an_hour() {
    let source = Device::start(|head| {
        assert_eq!(parameter(head, "bzn"), "DE-LU");
        let [first, last] = ["start", "end"].map(|name| {
            let date = parameter(head, name);
            at(&format!("{date}T00:00:00Z")).millis()
        });
        // Days of Berlin, in one of its two offsets.
        let start = first - 2 * HOUR;
        let quarters = (last + MS_PER_DAY - first) / (HOUR / 4) + 8;
        let times: Vec<i64> = (0..quarters)
            .map(|n| (start + n * HOUR / 4) / 1_000)
            .collect();
        let prices: Vec<f64> = times.iter().map(|_| -1.5).collect();
        let answer = json!({
            "license_info": "CC BY 4.0", "unix_seconds": times, "price": prices,
            "unit": "EUR / MWh", "deprecated": false,
        });
        ok(&answer.to_string())
    });
    let address = format!(
        "{}/price?bzn={{zone}}&start={{first}}&end={{last}}",
        url(&source)
    );
    let further = "zone = \"DE-LU\"\nseries = \"spot\"";
    let place = house(&[section("energy-charts", &address, further)]);
    let serving = place.serve(&[]);
    let all = await_prices(&place, "spot", |count| count >= 92);
    let text = place.ok(&["prices", "export", "spot"]);
    let quarters = text
        .lines()
        .skip(1)
        .filter(|line| line.ends_with(",-0.0015"));
    assert_eq!(
        quarters.count() as u64,
        all["prices"].as_u64().unwrap(),
        "{text}"
    );
    drop(serving.stop());
}

#[test]
fn octopus_has_half_hours_with_vat() {
    let source = Device::start(|head| {
        assert!(head.contains("/E-1R-AGILE-C/"), "{head}");
        let [from, to] =
            ["period_from", "period_to"].map(|name| at(&parameter(head, name)).millis());
        // The newest one first.
        let mut results: Vec<Value> = Vec::new();
        let mut end = to;
        while end > from {
            let shown = |ms| {
                Timestamp::from_millis(ms)
                    .unwrap()
                    .to_string()
                    .replace(".000", "")
            };
            results.push(json!({
                "value_exc_vat": 11.619, "value_inc_vat": 12.2, "valid_from": shown(end - HOUR / 2),
                "valid_to": shown(end), "payment_method": null,
            }));
            end -= HOUR / 2;
        }
        let count = results.len();
        ok(
            &json!({"count": count, "next": null, "previous": null, "results": results})
                .to_string(),
        )
    });
    let address = format!(
        "{}/E-1R-AGILE-{{zone}}/?period_from={{from}}&period_to={{to}}&page_size=1500",
        url(&source)
    );
    let further = "zone = \"C\"\nseries = \"agile\"";
    let place = house(&[section("octopus-agile-import", &address, further)]);
    let serving = place.serve(&[]);
    await_prices(&place, "agile", |count| count >= 46);
    let text = place.ok(&["prices", "export", "agile"]);
    assert!(text.lines().nth(1).unwrap().ends_with(",0.122"), "{text}");
    drop(serving.stop());
}

#[test]
fn entsoe_gets_its_token_which_is_shown_nowhere() {
    let source = Device::start(|head| {
        if parameter(head, "securityToken") != "s3cret-token" {
            return status("401 Unauthorized", "", "");
        }
        assert_eq!(parameter(head, "in_Domain"), "10YDK-1--------W");
        let time = |name| {
            let text = parameter(head, name);
            let (day, clock) = text.split_at(8);
            format!(
                "{}-{}-{}T{}:{}Z",
                &day[..4],
                &day[4..6],
                &day[6..],
                &clock[..2],
                &clock[2..]
            )
        };
        let mut points = String::new();
        for (position, price) in [(1, "90.5"), (5, "-7")] {
            write!(
                points,
                "<Point><position>{position}</position><price.amount>{price}</price.amount></Point>"
            )
            .unwrap();
        }
        let period = format!(
            "<Period><timeInterval><start>{}</start><end>{}</end></timeInterval><resolution>PT15M</resolution>{points}</Period>",
            time("periodStart"),
            time("periodEnd")
        );
        ok(&format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Publication_MarketDocument xmlns=\"urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3\">\
             <TimeSeries><currency_Unit.name>EUR</currency_Unit.name><curveType>A03</curveType>{period}</TimeSeries></Publication_MarketDocument>"
        ))
    });
    let address = format!(
        "{}/api?in_Domain={{zone}}&periodStart={{from}}&periodEnd={{to}}&securityToken={{key}}",
        url(&source)
    );
    let further =
        |file: &str| format!("zone = \"DK1\"\nseries = \"{file}\"\nkey_file = \"{file}\"");
    let place = house(&[
        section("entsoe", &address, &further("right")),
        section("entsoe", &address, &further("wrong")),
        section("entsoe", &address, &further("missing")),
    ]);
    place.file("right", b"s3cret-token\nnot this\n");
    place.file("wrong", b"0ther-token\n");
    let serving = place.serve(&[]);
    await_prices(&place, "right", |count| count >= 92);
    serving.wait_for("for wrong: it refuses the key, or wants one; check key_file");
    serving.wait_for("for missing: its key: cannot read");
    let shown = place.ok(&["config"]);
    let log = serving.stop();
    for secret in ["s3cret-token", "0ther-token"] {
        assert!(
            !log.contains(secret) && !shown.contains(secret),
            "{log}{shown}"
        );
    }
    let text = place.ok(&["prices", "export", "right"]);
    let prices: Vec<&str> = text.lines().skip(1).take(5).collect();
    assert!(
        prices[3].ends_with(",0.0905") && prices[4].ends_with(",-0.007"),
        "{text}"
    );
}

#[test]
fn tempo_needs_a_token_for_its_key_and_fills_a_day_list() {
    let source = Device::start(|head| {
        if head.starts_with("POST /token") {
            assert!(head.contains("Basic bWU6c2VjcmV0\r\n"), "{head}");
            return ok(r#"{"access_token":"t0ken","token_type":"Bearer","expires_in":7200}"#);
        }
        assert!(head.contains("Bearer t0ken\r\n"), "{head}");
        let from = parameter(head, "start_date");
        assert!(from.contains("T00:00:00+0"), "{from}");
        ok(&json!({"tempo_like_calendars": {"values": [
            {"start_date": from, "end_date": parameter(head, "end_date"), "value": "WHITE", "updated_date": from},
        ]}}).to_string())
    });
    let address = format!(
        "{}/calendars?start_date={{from}}&end_date={{to}}",
        url(&source)
    );
    let further = format!(
        "series = \"tempo\"\ntoken_url = \"{}/token/oauth/\"\nkey_file = \"key\"",
        url(&source)
    );
    let place = house(&[section("rte-tempo", &address, &further)]);
    place.file("key", b"bWU6c2VjcmV0\n");
    let serving = place.serve(&[]);
    let day = eventually("a day", || {
        let lists = place.json(&["days", "list"]);
        let list = lists.as_array().unwrap().first()?.clone();
        (list["list"] == "tempo").then_some(list)
    });
    let text = place.ok(&["days", "export", "tempo"]);
    assert!(text.contains(",white"), "{day} {text}");
    let log = serving.stop();
    assert!(
        !log.contains("bWU6c2VjcmV0") && !log.contains("t0ken"),
        "{log}"
    );
}
