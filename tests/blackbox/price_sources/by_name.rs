//! Sources by name that answer in other ways: a day or a week at a time, to a question in a body, or with
//! exchange rates.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wattkeeper::{MS_PER_DAY, Timestamp};

use super::documented::section;
use super::market::{await_prices, house, parameter, url};
use crate::mqtt::house::eventually;
use crate::pages::browser::PASSWORD;
use crate::pages::service::browser_at;
use crate::poll::device::{Device, ok, status};
use crate::support::{HOUR, at};

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
        let prices = json!({"current": {"currency": "NOK"}, "today": of(day - HOUR), "tomorrow": of(day - HOUR + MS_PER_DAY)});
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
    assert_eq!(place.json(&["prices", "list"])[0]["currency"], "NOK");
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

#[test]
fn other_rates_of_an_answer_are_told() {
    let source = Device::start(|head| {
        let (from, to) = (parameter(head, "start"), parameter(head, "end"));
        let (from, to): (i64, i64) = (from.parse().unwrap(), to.parse().unwrap());
        let rates = (0..(to - from) / HOUR).flat_map(|n| {
            let rate = move |method: &str, price: f64| {
                json!({"start_timestamp": from + n * HOUR, "end_timestamp": from + (n + 1) * HOUR, "marketprice": price,
                    "payment_method": method})
            };
            // A source may say anything.
            let mut all = vec![rate("DIRECT_DEBIT", 100.0), rate("NON_DIRECT_DEBIT", 110.0)];
            all.extend((0..20).map(|n| rate(&format!("<b>\u{1b}{n}{}", "x".repeat(100)), 1.0)));
            all
        });
        ok(&json!({"data": rates.collect::<Vec<_>>()}).to_string())
    });
    let address = format!("{}/v1?start={{from}}&end={{to}}", url(&source));
    let further = "series = \"spot\"\nwhere = { \"/payment_method\" = \"DIRECT_DEBIT\" }";
    let place = house(&[section("awattar-de", &address, further)]);
    let run = place.run_on(format!("{PASSWORD}\n").as_bytes(), &["password"]);
    assert_eq!(run.status, 0, "{run:?}");
    let serving = place.serve(&[]);
    await_prices(&place, "spot", |count| count >= 23);
    let text = place.ok(&["prices", "export", "spot"]);
    assert!(text.lines().nth(1).unwrap().ends_with(",0.1"), "{text}");
    let told = "/payment_method = NON_DIRECT_DEBIT";
    let row = eventually("the answer", || {
        let row = place.json(&["price-source", "list"])[0].clone();
        (row["others"].as_array().unwrap().len() > 1).then_some(row)
    });
    let others = row["others"].as_array().unwrap();
    assert_eq!(others.len(), 8, "{row}");
    let others: Vec<&str> = others.iter().map(|it| it.as_str().unwrap()).collect();
    assert!(others.contains(&told), "{row}");
    assert!(
        others
            .iter()
            .all(|it| it.len() < 100 && !it.contains('\u{1b}')),
        "{row}"
    );
    let browser = browser_at(&serving);
    for page in ["/settings/price-sources", "/status"] {
        let text = browser.page(page);
        assert!(
            text.contains("Other rates in the answer, which are not taken"),
            "{text}"
        );
        assert!(text.contains(told) && !text.contains("<b>0"), "{text}");
    }
    drop(serving.stop());
}
