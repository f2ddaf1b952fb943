//! Each known source, with answers in its documented form.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wattkeeper::{MS_PER_DAY, Timestamp};

use super::market::{await_prices, house, parameter, url};
use crate::mqtt::house::eventually;
use crate::poll::device::{Device, ok, status};
use crate::support::{HOUR, at};

/// The section of a known source at another address, with its own path.
fn section(source: &str, address: &str, further: &str) -> String {
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

/// The quarters of an hour between two times, in milliseconds.
fn quarters(from: i64, to: i64) -> impl Iterator<Item = i64> {
    (from..to).step_by(usize::try_from(HOUR / 4).unwrap())
}

/// A time in milliseconds as `2026-01-05T10:00:00`.
fn shown(ms: i64) -> String {
    let text = Timestamp::from_millis(ms).unwrap().to_string();
    text.split('.')
        .next()
        .unwrap()
        .trim_end_matches('Z')
        .to_owned()
}

#[test]
fn nord_pool_has_a_day_of_each_area() {
    let source = Device::start(|head| {
        let [date, area] = ["date", "deliveryArea"].map(|name| parameter(head, name));
        assert_eq!(
            (area.as_str(), parameter(head, "currency").as_str()),
            ("NO2", "EUR")
        );
        let start = at(&format!("{date}T00:00:00Z")).millis() - HOUR * 2;
        let entries: Vec<Value> = quarters(start, start + MS_PER_DAY + 2 * HOUR)
            .map(|ms| {
                json!({
                    "deliveryStart": format!("{}Z", shown(ms)), "deliveryEnd": format!("{}Z", shown(ms + HOUR / 4)),
                    "entryPerArea": {"NO1": 1, "NO2": 628.03},
                })
            })
            .collect();
        let answer =
            json!({"deliveryDateCET": date, "multiAreaEntries": entries, "currency": "EUR"});
        ok(&answer.to_string())
    });
    let address = format!(
        "{}/api/DayAheadPrices?date={{first}}&market=DayAhead&deliveryArea={{zone}}&currency=EUR",
        url(&source)
    );
    let place = house(&[section(
        "nord-pool",
        &address,
        "zone = \"NO2\"\nseries = \"spot\"",
    )]);
    let serving = place.serve(&[]);
    await_prices(&place, "spot", |count| count >= 92);
    let text = place.ok(&["prices", "export", "spot"]);
    assert!(text.lines().nth(1).unwrap().ends_with(",0.62803"), "{text}");
    drop(serving.stop());
}

#[test]
fn energi_data_service_has_kroner_of_one_area() {
    let source = Device::start(|head| {
        assert!(
            head.contains("filter=%7B%22PriceArea%22%3A%5B%22DK1%22%5D%7D"),
            "{head}"
        );
        let [from, to] = ["start", "end"]
            .map(|name| at(&format!("{}T00:00:00Z", parameter(head, name))).millis());
        assert!(from < to);
        let records: Vec<Value> = quarters(from - 2 * HOUR, to)
            .flat_map(|ms| ["DK1", "DK2"].map(|area| (ms, area)))
            .map(|(ms, area)| {
                json!({
                    "TimeUTC": shown(ms), "TimeDK": shown(ms + HOUR), "PriceArea": area,
                    "DayAheadPriceEUR": 100.5, "DayAheadPriceDKK": if area == "DK1" { 750.25 } else { 1.0 },
                })
            })
            .collect();
        ok(
            &json!({"total": records.len(), "dataset": "DayAheadPrices", "records": records})
                .to_string(),
        )
    });
    let address = format!(
        "{}/dataset/DayAheadPrices?start={{first}}&end={{next}}&filter=%7B%22PriceArea%22%3A%5B%22{{zone}}%22%5D%7D",
        url(&source)
    );
    let further = "zone = \"DK1\"\nseries = \"spot\"";
    let place = house(&[section("energi-data-service", &address, further)]);
    let serving = place.serve(&[]);
    await_prices(&place, "spot", |count| count >= 92);
    let text = place.ok(&["prices", "export", "spot"]);
    assert!(text.lines().nth(1).unwrap().ends_with(",0.75025"), "{text}");
    assert_eq!(place.json(&["prices", "list"])[0]["currency"], "DKK");
    drop(serving.stop());
}

#[test]
fn smard_has_files_of_weeks() {
    let source = Device::start(|head| {
        let path = head.split(' ').nth(1).unwrap();
        let week = path.strip_prefix("/4169_DE_quarterhour_").unwrap();
        let week: i64 = week.strip_suffix(".json").unwrap().parse().unwrap();
        // Monday in Berlin.
        let monday = (week + 2 * HOUR).div_euclid(MS_PER_DAY);
        assert_eq!((monday + 3).rem_euclid(7), 0, "{head}");
        let series: Vec<Value> = quarters(week, week + 7 * MS_PER_DAY)
            .map(|ms| {
                json!([
                    ms,
                    if ms == week {
                        Value::Null
                    } else {
                        json!(92.11)
                    }
                ])
            })
            .collect();
        ok(&json!({"meta_data": {"version": 1, "created": week}, "series": series}).to_string())
    });
    let address = format!("{}/4169_DE_quarterhour_{{week}}.json", url(&source));
    let further = "series = \"spot\"\nsince = \"2026-01-05\"";
    let place = house(&[section("smard", &address, further)]);
    let serving = place.serve(&[]);
    await_prices(&place, "spot", |count| count >= 95 * 7);
    let text = place.ok(&["prices", "export", "spot"]);
    let first = text.lines().nth(1).unwrap();
    assert!(first.ends_with(",0.09211"), "{text}");
    drop(serving.stop());
}

#[test]
fn tibber_is_asked_by_post_with_a_token() {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_millis();
    let now = i64::try_from(now).unwrap();
    let source = Device::start(move |request| {
        if !request.contains("Authorization: Bearer s3cret-token\r\n")
            && !request.contains("authorization: Bearer s3cret-token\r\n")
        {
            return status("401 Unauthorized", "", "");
        }
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("POST /v1-beta/gql "), "{head}");
        assert!(
            head.to_lowercase()
                .contains("content-type: application/json"),
            "{head}"
        );
        let body: Value = serde_json::from_str(body).unwrap();
        assert!(
            body["query"].as_str().unwrap().contains("tomorrow"),
            "{body}"
        );
        let day = now.div_euclid(MS_PER_DAY) * MS_PER_DAY;
        let of = |from: i64| -> Vec<Value> {
            let all = quarters(from, from + MS_PER_DAY);
            all.map(|ms| json!({"total": 0.3127, "startsAt": format!("{}.000+01:00", shown(ms + HOUR))})).collect()
        };
        let prices = json!({"today": of(day - HOUR), "tomorrow": of(day - HOUR + MS_PER_DAY)});
        let answer = json!({"data": {"viewer": {"homes": [
            {"currentSubscription": {"priceInfo": prices}}, {"currentSubscription": null},
        ]}}});
        ok(&answer.to_string())
    });
    let address = format!("{}/v1-beta/gql", url(&source));
    let further = "series = \"tibber\"\nkey_file = \"key\"";
    let place = house(&[section("tibber", &address, further)]);
    place.file("key", b"s3cret-token\n");
    let serving = place.serve(&[]);
    await_prices(&place, "tibber", |count| count >= 92);
    let text = place.ok(&["prices", "export", "tibber"]);
    assert!(text.lines().nth(1).unwrap().ends_with(",0.3127"), "{text}");
    assert!(!serving.stop().contains("s3cret"));
}

/// A bank with a rate for each working day.
fn central_bank() -> Device {
    Device::start(|head| {
        assert!(
            head.starts_with("GET /EXR/D.NOK.EUR.SP00.A?startPeriod="),
            "{head}"
        );
        let [from, to] = ["startPeriod", "endPeriod"].map(|name| {
            at(&format!("{}T00:00:00Z", parameter(head, name)))
                .millis()
                .div_euclid(MS_PER_DAY)
        });
        let mut table = String::from(
            "KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE\n",
        );
        // 1 January 1970 was a Thursday.
        for day in (from..=to).filter(|day| (day + 3).rem_euclid(7) < 5) {
            let date = &shown(day * MS_PER_DAY)[..10];
            let rate = 11 + day.rem_euclid(2);
            writeln!(
                table,
                "EXR.D.NOK.EUR.SP00.A,D,NOK,EUR,SP00,A,{date},{rate}.725"
            )
            .unwrap();
        }
        ok(&table)
    })
}

#[test]
fn the_central_bank_has_a_rate_of_each_working_day() {
    let source = central_bank();
    let address = format!(
        "{}/EXR/D.{{zone}}.EUR.SP00.A?startPeriod={{before}}&endPeriod={{last}}&format=csvdata",
        url(&source)
    );
    let further = "zone = \"NOK\"\nseries = \"ecb-nok\"\nsince = \"2026-01-01\"";
    let place = house(&[section("ecb", &address, further)]);
    let serving = place.serve(&[]);
    await_prices(&place, "ecb-nok", |count| count >= 300);
    assert_eq!(place.json(&["prices", "list"])[0]["currency"], "NOK/EUR");
    // 2 January 2026 is a Friday: the weekend has its rate.
    let text = place.ok(&["prices", "export", "ecb-nok"]);
    let rate = |time: &str| {
        let line = text.lines().find(|line| line.starts_with(time));
        line.unwrap_or_else(|| panic!("{time}: {text}"))
            .rsplit(',')
            .next()
            .unwrap()
            .to_owned()
    };
    let friday = rate("2026-01-01T23:00");
    assert_eq!(
        [rate("2026-01-02T23:00"), rate("2026-01-03T23:00")],
        [friday.clone(), friday]
    );
    // A contract in kroner takes prices in euros now.
    place.file(
        "spot.csv",
        b"2026-01-02T00:00:00Z,0.1\n2026-01-02T01:00:00Z,0.1\n",
    );
    place.ok(&[
        "prices", "import", "spot.csv", "--series", "spot", "--unit", "EUR/kWh",
    ]);
    place.file(
        "contract.json",
        br#"{"from":"2026-01-01","name":"Spot","currency":"NOK","components":[{"energy":{"series":"spot"}}]}"#,
    );
    place.ok(&["contract", "set", "contract.json"]);
    let range = ["--from", "2026-01-02", "--to", "2026-01-03"];
    let statement = || place.ok(&[&["statement"], &range[..]].concat());
    assert!(
        statement().contains("converted by the rates of ecb-nok"),
        "{}",
        statement()
    );
    // Without rates nothing has a price, and the statement says why.
    place.ok(&["prices", "remove", "ecb-nok"]);
    assert!(
        statement().contains("the prices of spot are in EUR, not in"),
        "{}",
        statement()
    );
    drop(serving.stop());
}
