//! Sources by name that answer in other ways: a day or a week at a time, and to a question in a body.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use wattkeeper::{MS_PER_DAY, Timestamp};

use super::documented::section;
use super::market::{await_prices, house, parameter, url};
use crate::mqtt::house::eventually;
use crate::pages::browser::PASSWORD;
use crate::pages::service::browser_at;
use crate::poll::device::{Device, ok, status};
use crate::support::{HOUR, at};

const QUARTER: i64 = HOUR / 4;

fn shown(ms: i64) -> String {
    let text = Timestamp::from_millis(ms).unwrap().to_string();
    text.replace(".000", "")
}

/// How far the clocks of Central Europe are ahead, in milliseconds.
fn ahead(ms: i64) -> i64 {
    let zone = jiff::tz::TimeZone::get("Europe/Berlin").unwrap();
    let time = jiff::Timestamp::from_millisecond(ms).unwrap();
    i64::from(zone.to_offset(time).seconds()) * 1_000
}

/// The begin of a day of Central Europe: in winter or in summer.
fn begin_of(date: &str) -> i64 {
    let midnight = at(&format!("{date}T00:00:00Z")).millis();
    midnight - ahead(midnight + 12 * HOUR)
}

#[test]
fn nord_pool_has_days_of_an_area() {
    let source = Device::start(|head| {
        assert_eq!(parameter(head, "deliveryArea"), "SE3");
        let begin = begin_of(&parameter(head, "date"));
        let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
        if begin > now {
            return status("204 No Content", "", "");
        }
        let entries = (0..100).map(|n| {
            json!({"deliveryStart": shown(begin + n * QUARTER), "deliveryEnd": shown(begin + (n + 1) * QUARTER),
                "entryPerArea": {"SE3": 25.07}})
        });
        let answer = json!({
            "deliveryDateCET": parameter(head, "date"), "version": 3, "market": "DayAhead", "deliveryAreas": ["SE3"],
            "currency": "EUR", "exchangeRate": 1, "multiAreaEntries": entries.collect::<Vec<_>>(),
        });
        ok(&answer.to_string())
    });
    let address = format!(
        "{}/api/DayAheadPrices?market=DayAhead&deliveryArea={{zone}}&currency=EUR&date={{first}}",
        url(&source)
    );
    let place = house(&[section(
        "nord-pool",
        &address,
        "zone = \"SE3\"\nseries = \"spot\"",
    )]);
    let serving = place.serve(&[]);
    await_prices(&place, "spot", |count| count >= 92);
    let text = place.ok(&["prices", "export", "spot"]);
    assert!(text.lines().nth(1).unwrap().ends_with(",0.02507"), "{text}");
    drop(serving.stop());
    for head in source.requests().iter().map(|(_, head)| head) {
        assert_eq!(head.matches("date=").count(), 1, "{head}");
    }
}

#[test]
fn energi_data_service_is_asked_by_the_danish_clock() {
    let source = Device::start(|head| {
        assert_eq!(
            parameter(head, "filter"),
            "%7B%22PriceArea%22:%5B%22DK1%22%5D%7D"
        );
        let [from, to] = ["start", "end"].map(|name| {
            let text = parameter(head, name);
            assert!(text.len() == 16 && text.ends_with("T00:00"), "{text}");
            begin_of(&text[..10])
        });
        let records = (0..(to - from) / QUARTER).map(|n| {
            let time = shown(from + n * QUARTER).replace('Z', "");
            json!({"TimeUTC": time, "TimeDK": time, "PriceArea": "DK1", "DayAheadPriceEUR": 82.05, "DayAheadPriceDKK": 612.4})
        });
        let answer = json!({"total": 96, "filters": "", "dataset": "DayAheadPrices", "records": records.collect::<Vec<_>>()});
        ok(&answer.to_string())
    });
    let address = format!(
        "{}/dataset/DayAheadPrices?start={{from}}&end={{to}}&filter=%7B%22PriceArea%22%3A%5B%22{{zone}}%22%5D%7D&limit=0",
        url(&source)
    );
    let further = "zone = \"DK1\"\nseries = \"spot\"";
    let place = house(&[section("energi-data-service", &address, further)]);
    let serving = place.serve(&[]);
    let all = await_prices(&place, "spot", |count| count >= 92);
    assert_eq!(all["currency"], "DKK", "{all}");
    let text = place.ok(&["prices", "export", "spot"]);
    assert!(text.lines().nth(1).unwrap().ends_with(",0.6124"), "{text}");
    drop(serving.stop());
}

#[test]
fn smard_has_a_file_for_each_week() {
    let asked = Arc::<Mutex<Vec<i64>>>::default();
    let heads = Arc::clone(&asked);
    let source = Device::start(move |head| {
        let name = "/4169/DE-LU/4169_DE-LU_quarterhour_";
        let (_, rest) = head.split_once(name).unwrap_or_else(|| panic!("{head}"));
        let week: i64 = rest.split(".json").next().unwrap().parse().unwrap();
        heads.lock().unwrap().push(week);
        let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
        if week > now {
            return status("404 Not Found", "", "");
        }
        // What is still to come has no price.
        let series = (0..7 * 96).map(|n| {
            let time = week + n * QUARTER;
            let price = (time < now + MS_PER_DAY).then_some(92.15);
            json!([time, price])
        });
        let answer = json!({"meta_data": {"version": 1, "created": now}, "series": series.collect::<Vec<_>>()});
        ok(&answer.to_string())
    });
    let address = format!(
        "{}/app/chart_data/{{zone}}/DE-LU/{{zone}}_DE-LU_quarterhour_{{week}}.json",
        url(&source)
    );
    // More than a week ago.
    let now = jiff::Timestamp::now();
    let since = (now - jiff::SignedDuration::from_hours(24 * 16)).to_string();
    let further = format!(
        "zone = \"DE-LU\"\nseries = \"spot\"\nsince = \"{}\"\npause_seconds = 1",
        &since[..10]
    );
    let place = house(&[section("smard", &address, &further)]);
    let serving = place.serve(&[]);
    await_prices(&place, "spot", |count| count >= 16 * 92);
    for week in asked.lock().unwrap().iter() {
        // 1970 began on a Thursday.
        let local = week + ahead(*week) + 3 * MS_PER_DAY;
        assert_eq!(local % (7 * MS_PER_DAY), 0, "{week}");
    }
    drop(serving.stop());
}

/// A server that answers a question in a body, and keeps what was asked.
fn graphql(
    answer: impl Fn(&str, &Value) -> String + Send + 'static,
) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let heads = Arc::clone(&asked);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (head, body) = request_of(&mut stream);
            heads.lock().unwrap().push(head.clone());
            let text = answer(&head, &serde_json::from_slice(&body).unwrap());
            stream.write_all(text.as_bytes()).unwrap();
        }
    });
    (address, asked)
}

fn request_of(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let mut all = Vec::new();
    let mut part = [0; 4_096];
    loop {
        let count = stream.read(&mut part).unwrap();
        all.extend(&part[..count]);
        let Some(end) = all.windows(4).position(|it| it == b"\r\n\r\n") else {
            assert_ne!(count, 0);
            continue;
        };
        let head = String::from_utf8(all[..end].to_vec()).unwrap();
        let length = head.to_lowercase();
        let length = length.split("content-length: ").nth(1).unwrap();
        let length: usize = length.lines().next().unwrap().trim().parse().unwrap();
        if all.len() >= end + 4 + length {
            return (head, all[end + 4..].to_vec());
        }
    }
}

#[test]
fn tibber_is_asked_with_a_body_and_its_token() {
    let (address, asked) = graphql(|head, question| {
        if !head.contains("Bearer t0ken\r\n") && !head.ends_with("Bearer t0ken") {
            return status("401 Unauthorized", "", "");
        }
        let text = question["query"].as_str().unwrap();
        assert!(
            text.contains("priceInfo(resolution: QUARTER_HOURLY)"),
            "{text}"
        );
        let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
        let today = begin_of(&shown(now)[..10]);
        let prices = (0..92).map(|n| {
            let ms = today + n * QUARTER;
            let hours = ahead(ms) / HOUR;
            let local = shown(ms + hours * HOUR).replace('Z', ".000");
            json!({"total": 1.2145, "startsAt": format!("{local}+0{hours}:00")})
        });
        let prices: Vec<Value> = prices.collect();
        let price_info = json!({"current": {"currency": "SEK"}, "today": prices, "tomorrow": []});
        let home = json!({"currentSubscription": {"priceInfo": price_info}});
        ok(&json!({"data": {"viewer": {"homes": [home]}}}).to_string())
    });
    let address = format!("http://{address}/v1-beta/gql");
    let further = |series: &str| format!("series = \"{series}\"\nkey_file = \"{series}\"");
    let place = house(&[
        section("tibber", &address, &further("right")),
        section("tibber", &address, &further("wrong")),
    ]);
    place.file("right", b"t0ken\n");
    place.file("wrong", b"s3cret\n");
    let serving = place.serve(&[]);
    let all = await_prices(&place, "right", |count| count >= 88);
    assert_eq!(all["currency"], "SEK", "{all}");
    let text = place.ok(&["prices", "export", "right"]);
    assert!(text.lines().nth(1).unwrap().ends_with(",1.2145"), "{text}");
    serving.wait_for("for wrong: it refuses the key, or wants one; check key_file");
    let log = serving.stop();
    assert!(!log.contains("t0ken") && !log.contains("s3cret"), "{log}");
    let heads = asked.lock().unwrap().join("\n").to_lowercase();
    assert!(
        heads.starts_with("post /v1-beta/gql ") && heads.contains("content-type: application/json"),
        "{heads}"
    );
}

#[test]
fn a_body_is_sent_to_no_other_address() {
    let elsewhere = Device::with("{}");
    let to = format!("Location: http://{}/\r\n", elsewhere.address);
    let (address, _) = graphql(move |_, _| status("307 Temporary Redirect", &to, ""));
    let further = "series = \"price\"\nkey_file = \"key\"";
    let place = house(&[section("tibber", &format!("http://{address}/"), further)]);
    place.file("key", b"t0ken\n");
    let serving = place.serve(&[]);
    serving.wait_for("for price: it redirects to another");
    drop(serving.stop());
    assert!(elsewhere.requests().is_empty());
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
