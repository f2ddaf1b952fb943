//! `/prices`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use wattkeeper::Timestamp;
use wattkeeper::{Plan, Scope};

use crate::pages::dashboard::live_in;
use crate::support::{Connection, Service, basic, house_basic, key_of, request};

const PRICES: &str = "/api/v0.2/prices";
const TABLE: &str = "time,price\n2026-01-05T10:00:00.000Z,0.0873\n2026-01-05T11:00:00.000Z,-0.01\n";

fn send(service: &Service, method: &str, who: &str, query: &str, body: &[u8]) -> (u16, String) {
    let headers = [("Authorization", who)];
    let path = format!("{PRICES}{query}");
    let response = service.send(&request(method, &path, &headers, body));
    (response.status(), response.text().to_owned())
}

fn put(service: &Service, query: &str, body: &str) -> (u16, String) {
    send(service, "PUT", &house_basic(), query, body.as_bytes())
}

fn get(service: &Service, query: &str) -> (u16, String) {
    send(service, "GET", &house_basic(), query, b"")
}

fn json_of((status, text): (u16, String)) -> (u16, Value) {
    (status, serde_json::from_str(&text).unwrap())
}

#[test]
fn prices_are_put_read_and_listed() {
    let mut service = Service::start();
    assert_eq!(json_of(get(&service, "")), (200, json!({"series": []})));
    let stored = put(&service, "?series=day-ahead", TABLE);
    assert_eq!(
        json_of(stored),
        (
            200,
            json!({"series": "day-ahead", "accepted": 2, "gaps": 0, "gap_minutes": 0})
        )
    );
    let changed = r#"[{"time":"2026-01-05T11:00:00Z","price":0.5},{"time":"2026-01-05T11:15:00Z","price":"0.25"}]"#;
    assert_eq!(
        put(&service, "?series=day-ahead&length=quarter", changed).0,
        200
    );
    service.restart();
    let list = json!({"series": [{"account": "home", "series": "day-ahead", "currency": null, "prices": 4,
        "first": "2026-01-05T10:00:00.000Z", "end": "2026-01-05T12:00:00.000Z"}]});
    assert_eq!(json_of(get(&service, "")), (200, list));
    let (_, csv) = get(&service, "?series=day-ahead&format=csv");
    assert_eq!(
        csv,
        "time,price\n2026-01-05T10:00:00.000Z,0.0873\n2026-01-05T11:00:00.000Z,\n2026-01-05T11:00:00.000Z,0.5\n\
         2026-01-05T11:15:00.000Z,\n2026-01-05T11:15:00.000Z,0.25\n2026-01-05T11:30:00.000Z,\n\
         2026-01-05T11:30:00.000Z,-0.01\n2026-01-05T12:00:00.000Z,\n"
    );
    let range = "?series=day-ahead&start_time=2026-01-05T11:00:00Z&end_time=2026-01-05T11:15:00Z";
    // A single price lasts an hour, unless the table has its end.
    let one = json!([{"time": "2026-01-05T11:00:00.000Z", "price": 0.5},
        {"time": "2026-01-05T11:15:00.000Z", "price": null}]);
    assert_eq!(json_of(get(&service, range)), (200, one));
    // Of a series that there is not, and of a range without any.
    assert_eq!(json_of(get(&service, "?series=x")), (200, json!([])));
    let before = "?series=day-ahead&end_time=2026-01-01";
    assert_eq!(json_of(get(&service, before)), (200, json!([])));
}

/// As markets and programs write them.
#[test]
fn files_of_prices_are_read_as_they_are() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    let hour = |time: &str, price: &str| format!("{time}:00:00.000Z,{price}\n");
    let two = hour("2026-11-02T00", "0.0925") + &hour("2026-11-02T01", "-0.001");
    for (series, (query, body)) in [
        (
            "",
            "Datum von;Datum bis;Deutschland/Luxemburg [€/MWh]\n02.11.2026 01:00;02.11.2026 02:00;92,5\n\
             02.11.2026 02:00;02.11.2026 03:00;-1,0\n",
        ),
        (
            "",
            "\"MTU (CET/CEST)\",\"Area\",\"Day-ahead Price (EUR/MWh)\"\n\
             \"02/11/2026 01:00:00 - 02/11/2026 02:00:00\",\"BZN|DE-LU\",\"92.50\"\n\
             \"02/11/2026 02:00:00 - 02/11/2026 03:00:00\",\"BZN|DE-LU\",\"-1.00\"\n",
        ),
        (
            "",
            ",price\n2026-11-02 01:00:00+01:00,0.0925\n2026-11-02 02:00:00+01:00,-1e-03\n",
        ),
        (
            "&unit=ct/kWh",
            "start,end,value\n2026-11-02T00:00:00Z,2026-11-02T01:00:00Z,9.25\n\
             2026-11-02T01:00:00Z,2026-11-02T02:00:00Z,-0.1\n",
        ),
        (
            // A line above the table says nothing about the times in it.
            "",
            "Erstellt;2026-11-29T10:00:00\nZeit;Preis (EUR/kWh)\n02.11.2026 01:00;0,0925\n02.11.2026 02:00;-0,001\n",
        ),
        (
            "",
            "Zeit;Preis\n02.11.2026 01:00;9,25 ct/kWh\n02.11.2026 02:00;-0,1 ct/kWh\n",
        ),
        (
            "&column=Price&unit=EUR/MWh",
            "Time,Price,Volume\n2026-11-02T00:00:00Z,92.5,1\n2026-11-02T01:00:00Z,-1,2\n",
        ),
        (
            "&unit=EUR/MWh",
            r#"[{"time":"2026-11-02T00:00:00Z","price":92.5},{"time":"2026-11-02T01:00:00Z","price":-1}]"#,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let query = if body.contains("02/11/") {
            "&dates=dmy"
        } else {
            query
        };
        let stored = put(&service, &format!("?series={series}{query}"), body);
        assert_eq!(stored.0, 200, "{body}: {}", stored.1);
        let (_, csv) = get(&service, &format!("?series={series}&format=csv"));
        let of_prices = csv
            .split_inclusive('\n')
            .filter(|line| line.contains("Z,") && !line.ends_with(",\n"));
        assert_eq!(of_prices.collect::<String>(), two, "{body}");
    }
}

/// The night when clocks are set back, and a gap.
#[test]
fn local_times_of_prices_follow_the_clock() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    let table = "Zeit;Preis (EUR/kWh)\n25.10.2026 01:00;0,1\n25.10.2026 02:00;0,2\n25.10.2026 02:00;0,3\n\
                 25.10.2026 03:00;0,4\n";
    assert_eq!(put(&service, "?series=night", table).0, 200);
    let (_, csv) = get(&service, "?series=night&format=csv");
    assert_eq!(
        csv,
        "time,price\n2026-10-24T23:00:00.000Z,0.1\n2026-10-25T00:00:00.000Z,0.2\n2026-10-25T01:00:00.000Z,0.3\n\
         2026-10-25T02:00:00.000Z,0.4\n"
    );
    let (_, list) = json_of(get(&service, ""));
    assert_eq!(list["series"][0]["currency"], "EUR");
}

/// Nobody pays 80 euros for a kilowatt-hour.
#[test]
fn prices_of_a_megawatt_hour_are_a_question() {
    let service = Service::start();
    let market = "2026-11-02T00:00:00Z,92.5\n2026-11-02T01:00:00Z,80\n2026-11-02T02:00:00Z,-3\n";
    let json = r#"[{"time":"2026-11-02T00:00:00Z","price":92.5}]"#;
    for body in [market, json] {
        let (status, text) = put(&service, "?series=spot", body);
        assert_eq!(status, 400, "{text}");
        assert!(text.contains("unit: half of the prices are"), "{text}");
        assert!(
            text.contains("EUR/MWh, or EUR/kWh if they are right"),
            "{text}"
        );
    }
    let (_, list) = json_of(get(&service, ""));
    assert_eq!(list, json!({"series": []}));
    assert_eq!(put(&service, "?series=spot&unit=EUR/kWh", market).0, 200);
    assert_eq!(put(&service, "?series=yen&currency=KRW", market).0, 200);
    let (_, text) = put(&service, "?series=spot&unit=EUR", market);
    assert!(
        text.contains("unit: expected a unit such as EUR/kWh"),
        "{text}"
    );
    let several = "Time,North price,South price\n2026-11-02T00:00:00Z,0.1,0.2\n";
    let (_, text) = put(&service, "?series=spot", several);
    assert!(
        text.contains("choose the one of prices with column"),
        "{text}"
    );
}

#[test]
fn what_is_written_is_read_again() {
    let service = Service::start();
    let mut table = String::new();
    let start = Timestamp::parse("2025-12-01T00:00:00Z").unwrap();
    for n in 0..96 {
        let time = start.saturating_add_millis(n * 900_000);
        writeln!(table, "{time},0.{n:02}").unwrap();
    }
    assert_eq!(put(&service, "?series=qh", &table).0, 200);
    let mut table = String::new();
    for n in 0..5 {
        let time = start.saturating_add_millis((25 + n) * 3_600_000);
        writeln!(table, "{time},0.2").unwrap();
    }
    assert_eq!(put(&service, "?series=qh", &table).0, 200);
    for (format, to) in [("csv", "b"), ("json", "c")] {
        let whole = |series: &str| get(&service, &format!("?series={series}&format={format}"));
        let written = whole("qh");
        let (_, answer) = json_of(put(&service, &format!("?series={to}"), &written.1));
        let expected = json!({"series": to, "accepted": 101, "gaps": 1, "gap_minutes": 60});
        assert_eq!(answer, expected);
        assert_eq!(whole(to), written);
    }
}

/// Ten years of quarters of an hour.
#[test]
fn a_long_upload_is_taken_whole_and_packed() {
    let service = Service::start();
    let start = Timestamp::parse("2016-01-01T00:00:00Z").unwrap();
    let mut table = String::from("time,price\n");
    for n in 0..350_400_i64 {
        let time = start.saturating_add_millis(n * 900_000);
        let price = n * 7_919 % 500_000;
        writeln!(table, "{time},0.{price:06}").unwrap();
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(table.as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    let who = house_basic();
    let headers = [
        ("Authorization", who.as_str()),
        ("Content-Encoding", "gzip"),
    ];
    let path = format!("{PRICES}?series=quarters");
    for (headers, body) in [
        (&headers[..1], table.as_bytes()),
        (&headers[..], &packed[..]),
    ] {
        let response = service.send(&request("PUT", &path, headers, body));
        assert_eq!(response.json()["accepted"], 350_400, "{}", response.text());
    }
    let (_, csv) = get(&service, "?series=quarters&format=csv");
    assert_eq!(csv.lines().count(), 350_401);
    let last = table.lines().last().unwrap();
    let last = last.trim_end_matches('0');
    assert!(csv.trim_end().ends_with(last), "{last}");
    let (status, prices) = json_of(get(&service, "?series=quarters"));
    assert_eq!((status, prices.as_array().unwrap().len()), (200, 350_400));
}

#[test]
fn a_refusal_says_what_was_expected() {
    let service = Service::start();
    for (query, body, detail) in [
        ("", TABLE, "series is required"),
        (
            "?series=a&length=day",
            TABLE,
            "length: expected one of spacing, hour, quarter, until-next",
        ),
        (
            "?series=a",
            "time,price\n2026-01-05T10:00:00Z,0.1\nyesterday,0.2\n",
            "body: line 3: expected a time and a price, such as",
        ),
        (
            "?series=a",
            "2026-01-05T10:00:00Z,1\n2026-01-05T10:00:00Z,2\n",
            "body: two prices for 2026-01-05T10:00:00.000Z",
        ),
        (
            "?series=a",
            "2026-01-05T10:00:59.999Z,1\n2026-01-05T10:00:00Z,2\n",
            "body: the price for 2026-01-05T10:00:59.999Z begins less than a minute after",
        ),
        (
            "?series=a",
            r#"[{"time":"x","price":1}]"#,
            "body: entry 1: expected a time such as",
        ),
        ("?series=a", "[{", "body: expected a list such as"),
    ] {
        let (status, answer) = json_of(put(&service, query, body));
        assert_eq!(status, 400, "{query} {body}");
        let found = answer["detail"].as_str().unwrap();
        assert!(found.starts_with(detail), "{found}");
    }
    let long = "x".repeat(16 * 1024 * 1024 + 1);
    assert_eq!(put(&service, "?series=a", &long).0, 413);
    for n in 0..16 {
        assert_eq!(put(&service, &format!("?series=s{n}"), TABLE).0, 200);
    }
    let (status, answer) = put(&service, "?series=s16", TABLE);
    assert_eq!(status, 400);
    assert!(answer.contains("16 price series"), "{answer}");
    assert_eq!(get(&service, "?series=s0&start_time=x").0, 400);
}

#[test]
fn credentials_come_before_the_body() {
    let service = Service::start();
    service.add_account("other", Plan::Paid);
    service.add_key("other", "other-id", Scope::Full);
    service.add_key("home", "reader", Scope::Read);
    let stranger = basic("nobody", "wrong-key");
    // However long the body is to be.
    let announced = [
        ("Authorization", stranger.as_str()),
        ("Content-Length", "16000000"),
    ];
    let path = format!("{PRICES}?series=a");
    let head = announced
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .concat();
    let head = format!("PUT {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{head}\r\n");
    assert_eq!(service.send(head.as_bytes()).status(), 401);
    let reader = basic("reader", &key_of("reader"));
    let (status, answer) = send(&service, "PUT", &reader, "?series=a", TABLE.as_bytes());
    assert_eq!(status, 403);
    assert!(answer.contains("scope_insufficient"), "{answer}");
    assert_eq!(put(&service, "?series=a", TABLE).0, 200);
    assert!(
        send(&service, "GET", &reader, "?series=a", b"")
            .1
            .contains("0.0873")
    );
    // Another account has series of its own.
    let other = basic("other-id", &key_of("other-id"));
    let (_, none) = json_of(send(&service, "GET", &other, "?series=a", b""));
    assert_eq!(none, json!([]));
    let (_, list) = json_of(send(&service, "GET", &other, "", b""));
    assert_eq!(list, json!({"series": []}));
}

/// A key that is revoked while the body comes stores nothing, and one credential has two uploads
/// under way.
#[test]
fn credentials_count_at_the_end_of_the_body() {
    let service = Service::start_with(|config| {
        config.http.request_timeout = Duration::from_mins(10);
    });
    service.add_key("home", "old", Scope::Full);
    let begin = |id: &str| {
        let who = basic(id, &key_of(id));
        let headers = [("Authorization", who.as_str())];
        let path = format!("{PRICES}?series=a");
        let whole = request("PUT", &path, &headers, TABLE.as_bytes());
        let (now, rest) = whole.split_at(whole.len() - TABLE.len() + 1);
        let mut connection = Connection::open(service.address());
        connection.send(now);
        // The service has read the head by then.
        thread::sleep(Duration::from_millis(300));
        (connection, rest.to_vec())
    };
    let (mut connection, rest) = begin("old");
    service.revoke_key("old");
    assert_eq!(connection.exchange(&rest).status(), 401);
    assert_eq!(json_of(get(&service, "")), (200, json!({"series": []})));

    service.add_key("home", "other", Scope::Full);
    let (mut first, rest) = begin("other");
    let (mut second, _) = begin("other");
    let (mut third, _) = begin("other");
    assert_eq!(third.receive().status(), 503);
    // Nobody waits for bodies that are still to come.
    assert_eq!(put(&service, "?series=a", TABLE).0, 200);
    assert_eq!(second.exchange(&rest).status(), 200);
    assert_eq!(first.exchange(&rest).status(), 200);
}
