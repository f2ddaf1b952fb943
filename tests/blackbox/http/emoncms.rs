//! Emoncms' protocol: docs/EMONCMS.md line by line, with requests as its uploaders write them.

use serde_json::json;
use wattkeeper::InputRule;
use wattkeeper::Quantity;
use wattkeeper::Scope;
use wattkeeper::SensorId;

use crate::support::{
    ACCOUNT, API_ID, API_KEY, Response, SENSOR, START, Service, house_basic, key_of, points,
    request,
};

/// 2026-01-05T10:00:00Z in seconds.
const TEN: i64 = 1_767_607_200;
/// As many digits as Emoncms' own keys have.
const KEY: &str = "0123456789abcdef0123456789abcdef";
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

/// A service with a credential that is known by its key alone.
fn start() -> Service {
    start_with(Vec::new())
}

fn start_with(mappings: Vec<InputRule>) -> Service {
    let service = Service::start_with(|config| {
        config.emoncms.mappings = mappings;
        config.emoncms.ignored_nodes = vec!["emonth5".into()];
    });
    service.add_key_with(ACCOUNT, "emon", Scope::Full, KEY);
    service
}

fn get(service: &Service, target: &str) -> Response {
    service.send(&request("GET", target, &[], b""))
}

fn post(service: &Service, target: &str, body: &str) -> Response {
    service.send(&request("POST", target, &[FORM], body.as_bytes()))
}

#[track_caller]
fn assert_ok(answer: &Response) {
    assert_eq!((answer.status(), answer.text()), (200, "ok"));
    assert_eq!(
        answer.head.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
}

/// Asserts that Emoncms' clients see a failure, which `mentions` this.
#[track_caller]
fn assert_failed(answer: &Response, mentions: &str) {
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let failure = answer.json();
    assert_eq!(failure["success"], false);
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains(mentions), "{mentions:?} in {message}");
}

#[test]
fn inputs_come_in_each_of_emoncms_forms() {
    for (n, target) in [
        "/input/post?node=house&json={power:N,energy:5}&time=T&apikey=K",
        "/input/post.json?node=house&json=%7B%22power%22%3AN%7D&time=T&apikey=K",
        "/input/post?node=house&data={power1:N}&time=T&apikey=K",
        "/input/post/house?csv=power:N&time=T&apikey=K",
        "/input/post/house.json?json={%22P1%22:%22N%22}&time=T&apikey=K",
        "/emoncms/input/post?node=house&json={power:N}&time=T&apikey=K",
    ]
    .into_iter()
    .enumerate()
    {
        let service = start();
        let target = target
            .replace('N', &n.to_string())
            .replace('T', &TEN.to_string())
            .replace('K', KEY);
        let answer = get(&service, &target);
        if target.starts_with("/emoncms") {
            // Only at the root: a path in front of it belongs to a proxy.
            assert_eq!(answer.status(), 404);
            continue;
        }
        assert_ok(&answer);
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let stored = points([("2026-01-05T10:00:00.000Z", n as f64)]);
        assert_eq!(service.all_watts(), stored, "{target}");
    }
}

#[test]
fn emonesp_posts_an_object() {
    let service = start();
    // As EmonESP sends it: GET, HTTP/1.1, the object percent-encoded.
    let target = format!(
        "/input/post?fulljson=%7B%22power1%22%3A234.5%2C%22energy1%22%3A1010%2C%22vrms%22%3A230%7D&node=house&apikey={KEY}"
    );
    let answer = get(&service, &target);
    assert_eq!(
        (answer.status(), answer.text()),
        (200, "{\"success\": true}")
    );
    assert_eq!(service.all_watts(), points([(START, 234.5)]));
    let net = service.points("net_consumption", "2026-01-05", "2026-01-06");
    assert_eq!(net, points([(START, 0.0)]));
}

#[test]
fn emonhub_posts_bulks() {
    let service = start();
    service.add_sensor(ACCOUNT, "emontx3");
    // As emonHub sends it: times of its own clock, and the time of sending. Its clock is 5 seconds
    // late.
    let now = 1_767_609_000;
    let data = format!(
        "[[{},\"house\",{{\"power1\":100}},{{\"energy\":5}}],[{},\"emontx3\",{{\"P1\":7}}],[{},\"emonth5\",{{\"temperature\":20}}]]",
        now - 15,
        now - 10,
        now - 5
    );
    let encoded = data
        .replace('[', "%5B")
        .replace(']', "%5D")
        .replace('"', "%22");
    let body = format!("apikey={KEY}&data={encoded}&sentat={}", now - 5);
    assert_ok(&post(&service, "/input/bulk.json?", &body));
    assert_eq!(
        service.all_watts(),
        points([("2026-01-05T10:29:50.000Z", 100.0)])
    );
    assert_eq!(service.sensor("emontx3")["latest_watts"], 7.0);
    // Sent again within the same second it is the same again.
    service.clock.advance(700);
    assert_ok(&post(&service, "/input/bulk.json?", &body));
    assert_eq!(service.all_watts().len(), 1);
}

#[test]
fn times_of_a_bulk_count_from_four_things() {
    for (parameters, first) in [
        (format!("&time={}", TEN + 20), "2026-01-05T10:00:10.000Z"),
        ("&offset=-10".to_owned(), "2026-01-05T10:30:00.000Z"),
        ("&sentat=10".to_owned(), "2026-01-05T10:29:40.000Z"),
        (String::new(), "2026-01-05T10:29:58.000Z"),
    ] {
        let service = start();
        let target = format!(
            "/input/bulk?apikey={KEY}{parameters}&data=[[-10,\"house\",{{\"power\":1}}],[-8,\"emonth5\",2]]"
        );
        assert_ok(&get(&service, &target.replace('"', "%22")));
        assert_eq!(service.all_watts(), points([(first, 1.0)]), "{parameters}");
    }
}

fn iotawatt() -> Vec<InputRule> {
    let mapping = |input: &str, sensor: &str, measure: &str, unit: &str| InputRule {
        node: "IotaWatt".into(),
        input: input.into(),
        sensor: SensorId::new(sensor).unwrap(),
        quantity: Quantity::new(measure, Some(unit)).unwrap(),
    };
    vec![
        mapping("2", SENSOR, "watts", "W"),
        mapping("3", SENSOR, "watthours", "kWh"),
        mapping("4", "solar", "watts", "kW"),
    ]
}

#[test]
fn iotawatt_uploads_and_finds_where_to_go_on() {
    let service = start_with(iotawatt());
    service.add_sensor(ACCOUNT, "solar");
    let bearer = format!("Bearer {KEY}");
    let authorized = [FORM, ("Authorization", bearer.as_str())];
    let ask = || {
        service.send(&request(
            "GET",
            "/input/get?node=IotaWatt",
            &authorized,
            b"",
        ))
    };
    ask().assert_json("\"Node does not exist\"");
    // As IoTaWatt sends it: a form that is not encoded, values called by their numbers.
    let body = format!(
        "time={TEN}&data=[[10,\"IotaWatt\",230.1,1500.5,12.5,null],[20,\"IotaWatt\",230.2,1400.0,12.504,-0.25]]"
    );
    let answer = service.send(&request(
        "POST",
        "/input/bulk",
        &authorized,
        body.as_bytes(),
    ));
    assert_ok(&answer);
    let house = points([
        ("2026-01-05T10:00:10.000Z", 1500.5),
        ("2026-01-05T10:00:20.000Z", 1400.0),
    ]);
    assert_eq!(service.all_watts(), house);
    let net = service.points("net_consumption", "2026-01-05", "2026-01-06");
    assert_eq!(net, points([("2026-01-05T10:00:20.000Z", 4.0)]));
    let last = TEN + 20;
    ask().assert_json(&format!(
        r#"{{"2":{{"time":{last},"value":1400.0,"processList":""}},"3":{{"time":{last},"value":12.504,"processList":""}},"4":{{"time":{last},"value":-0.25,"processList":""}}}}"#
    ));
    let encrypted = [
        ("Content-Type", "aes128cbc"),
        ("Authorization", "1:0123456789abcdef"),
    ];
    let answer = service.send(&request("POST", "/input/bulk", &encrypted, b"AAAA"));
    assert_failed(&answer, "leave the user id empty");
}

#[test]
fn the_last_inputs_of_a_node_are_shown_to_its_own_account_only() {
    let service = start();
    service.add_key(ACCOUNT, "writer", Scope::Write);
    service.add_account("other", wattkeeper::Plan::Paid);
    service.add_key("other", "stranger", Scope::Full);
    let ask = |api_id: &str| {
        let key = format!("{api_id}:{}", key_of(api_id));
        get(&service, &format!("/input/get/house?apikey={key}"))
    };
    assert_ok(&get(
        &service,
        &format!("/input/post?node=house&json={{power:5}}&time={TEN}&apikey={KEY}"),
    ));
    ask(API_ID).assert_json(&format!(
        r#"{{"power":{{"time":{TEN},"value":5.0,"processList":""}}}}"#
    ));
    ask("writer").assert_json(&format!(
        r#"{{"power":{{"time":{TEN},"value":null,"processList":""}}}}"#
    ));
    ask("stranger").assert_json("\"Node does not exist\"");
    let answer = get(&service, &format!("/input/get?apikey={KEY}"));
    assert_failed(&answer, "no node");
}

#[test]
fn keys_come_in_each_of_emoncms_ways() {
    let service = start();
    let values = format!("json={{power:1}}&node=house&time={TEN}");
    let both = format!("{API_ID}:{API_KEY}");
    for key in [KEY, &both] {
        assert_ok(&get(
            &service,
            &format!("/input/post?{values}&apikey={key}"),
        ));
        assert_ok(&post(
            &service,
            "/input/post",
            &format!("{values}&apikey={key}"),
        ));
        let bearer = format!("Bearer {key}");
        let headers = [("Authorization", bearer.as_str())];
        let target = format!("/input/post?{values}");
        assert_ok(&service.send(&request("GET", &target, &headers, b"")));
    }
    let basic = house_basic();
    let headers = [("Authorization", basic.as_str())];
    let target = format!("/input/post?{values}");
    assert_ok(&service.send(&request("POST", &target, &headers, b"")));
    for apikey in ["", "&apikey=wrong", "&apikey=house-id:wrong", "&apikey=:"] {
        let answer = get(&service, &format!("/input/post?{values}{apikey}"));
        assert_eq!(
            (answer.status(), answer.text()),
            (401, "Invalid API key"),
            "{apikey}"
        );
        let challenge = answer.head.header("www-authenticate");
        assert_eq!(challenge, Some("Bearer realm=\"API KEY\""));
    }
    service.add_key(ACCOUNT, "reader", Scope::Read);
    let reader = format!("reader:{}", key_of("reader"));
    let answer = get(&service, &format!("/input/post?{values}&apikey={reader}"));
    assert_eq!(answer.status(), 403);
    assert_eq!(
        answer.json(),
        json!({"success": false, "message": "these credentials do not allow uploads"})
    );
}

/// `GET /input/..` with the key. The web server takes brackets and braces in an address as they
/// are, but no quotes.
fn ask(service: &Service, parameters: &str) -> Response {
    let parameters = parameters.replace('"', "%22");
    get(service, &format!("/input/{parameters}&apikey={KEY}"))
}

/// How many values of this protocol were left out, or requests refused.
fn unused(service: &Service) -> String {
    let metrics = get(service, "/metrics");
    let name = "wattkeeper_unused_messages_total{protocol=\"emoncms\"} ";
    let lines = metrics.text().lines();
    let mut counts = lines.filter_map(|line| line.strip_prefix(name));
    counts.next().unwrap().to_owned()
}

#[test]
fn a_value_that_is_no_number_costs_itself_alone() {
    let bulk = |word: &str| {
        let frame = |n: i64, power: &str| {
            format!("[{},\"house\",{{\"power\":{power},\"wh\":{n}}}]", TEN + n)
        };
        let frames = [frame(1, "5"), frame(2, word), frame(3, "7")];
        format!("apikey={KEY}&time=0&data=[{}]", frames.join(","))
    };
    let registers = points([
        ("2026-01-05T10:00:02.000Z", 1.0),
        ("2026-01-05T10:00:03.000Z", 1.0),
    ]);
    let powers = points([
        ("2026-01-05T10:00:01.000Z", 5.0),
        ("2026-01-05T10:00:03.000Z", 7.0),
    ]);
    for word in [
        "NaN",
        "nan",
        "-inf",
        "Infinity",
        "n/a",
        "-",
        "\"nan\"",
        "\"\"",
        "\"error\"",
        "None",
    ] {
        let service = start();
        assert_ok(&post(&service, "/input/bulk", &bulk(word)));
        assert_eq!(service.all_watts(), powers, "{word}");
        let rises = service.points("consumption", "2026-01-05", "2026-01-06");
        assert_eq!(rises, registers, "{word}");
        assert_eq!(unused(&service), "1", "{word}");
    }
    for word in ["x", "1e999", "true", "\"12 W\"", "[1]"] {
        let service = start();
        let answer = post(&service, "/input/bulk", &bulk(word));
        assert_failed(
            &answer,
            "value of input power is not numeric (3 readings of the request were stored)",
        );
        assert_eq!(service.all_watts(), powers, "{word}");
    }
}

#[test]
fn a_value_of_one_node_that_is_no_number_costs_itself_alone() {
    // As an object, and as pairs.
    for (n, form) in [
        "fulljson={\"power\":NaN,\"energy\":7}",
        "fulljson=\u{feff}{\"power\":-inf,\"energy\":007,}",
        "json={power:nan,energy:7}",
        "json={\"power\":\"n/a\",\"energy\":7}",
        "data=power:,energy:7",
    ]
    .iter()
    .enumerate()
    {
        let service = start();
        let answer = post(
            &service,
            "/input/post",
            &format!("node=house&apikey={KEY}&{form}"),
        );
        let done = if n < 2 { "{\"success\": true}" } else { "ok" };
        assert_eq!(answer.text(), done, "{form}");
        let net = service.points("net_consumption", "2026-01-05", "2026-01-06");
        assert_eq!(net, points([(START, 0.0)]), "{form}");
        assert_eq!(unused(&service), "1", "{form}");
    }
    let service = start();
    let answer = ask(&service, "post?node=house&json={power:5,energy:x}");
    assert_failed(
        &answer,
        "input energy is not numeric (1 readings of the request were stored)",
    );
    assert_eq!(service.all_watts(), points([(START, 5.0)]));
}

#[test]
fn times_are_dates_too() {
    for (n, time) in [
        "2026-01-05%2010:00:00",
        "2026-01-05+10:00:00",
        "2026-01-05%2010:00",
        "2026-01-05T10:00:00Z",
        "2026-01-05%2011:00:00%2B01:00",
        "2026-01-05+05:00:00+-0500",
    ]
    .iter()
    .enumerate()
    {
        let service = start();
        let answer = ask(
            &service,
            &format!("post?node=house&json={{power:1}}&time={time}"),
        );
        assert_ok(&answer);
        let time = time
            .replace('+', " ")
            .replace("%20", " ")
            .replace("%2B", "+");
        let object = format!("{{\"power\":2,\"time\":\"{time}\"}}").replace('+', "%2B");
        let form = format!("node=house&apikey={KEY}&fulljson={object}");
        assert_eq!(post(&service, "/input/post", &form).status(), 200);
        let form = format!(
            "apikey={KEY}&time={}&data=[[1,\"house\",{{\"power\":3}}]]",
            time.replace('+', "%2B")
        );
        assert_ok(&post(&service, "/input/bulk", &form));
        let stored = points([
            ("2026-01-05T10:00:00.000Z", 2.0),
            ("2026-01-05T10:00:01.000Z", 3.0),
        ]);
        assert_eq!(service.all_watts(), stored, "{n} {time}");
    }
}

#[test]
fn mistakes_are_reported() {
    let service = start();
    for (parameters, mentions) in [
        (
            "post?node=house",
            "Request contains no data via csv, json or data tag",
        ),
        (
            "post?node=house&json={power:x}",
            "value of input power is not numeric",
        ),
        (
            "post?node=house&fulljson=[1]",
            "Input in not a valid JSON object",
        ),
        (
            "post?node=house&json={power:1}&time=noon",
            "time is not in seconds since 1970",
        ),
        (
            "post?node=house&json={power:1}&node=x",
            "node: expected only once",
        ),
        (
            "post?node=house&json={t1:20}",
            "node 'house': no input is a reading",
        ),
        ("post?json={t1:20}", "node '0': no input is a reading"),
        (
            "post?node=garage&json={power:1}",
            "sensor 'garage' does not exist",
        ),
        (
            "post?node=house&json={power:1}&time=1777777777",
            "more than 24 hours ahead",
        ),
        ("bulk?data=", "json string supplied is not valid"),
        ("bulk?data=[]", "json string supplied is not valid"),
        (
            "bulk?data=[[]]",
            "last item in bulk data does not contain any data",
        ),
        ("bulk?data=[[0,5,6]]", "node '5': no input is a reading"),
        (
            "bulk?data=[[0,\"house\",{\"power\":1}]]&sentat=x",
            "time is not in seconds",
        ),
        (
            "bulk?c=1&data=789c",
            "Format error, the body is not valid zlib",
        ),
        ("bulk?c=1&data=789", "in pairs of hexadecimal digits"),
        ("bulk?c=1&data=zz", "in pairs of hexadecimal digits"),
        ("bulk?c=1", "Format error, the body is not valid zlib"),
        ("bulk?cb=1", "Format error, the body is not valid zlib"),
    ] {
        assert_failed(&ask(&service, parameters), mentions);
    }
    assert!(service.all_watts().is_empty());
}

#[test]
fn good_inputs_are_stored_and_bad_ones_reported() {
    let service = start();
    assert_ok(&ask(&service, "post?node=emonth5&json={t1:20}"));
    let mixed = ask(
        &service,
        "bulk?time=1767607200&data=[[0,\"house\",{\"power\":1}],[1,\"garage\",{\"power\":1}],[2,{},1]]",
    );
    assert_failed(&mixed, "sensor 'garage' does not exist");
    assert_failed(&mixed, "item 2 of bulk data: node must not be an object");
    assert_failed(&mixed, "(1 readings of the request were stored)");
    assert_eq!(
        service.all_watts(),
        points([("2026-01-05T10:00:00.000Z", 1.0)])
    );
}

#[test]
fn nothing_of_it_is_there_where_it_is_off() {
    let service = Service::start_with(|config| config.emoncms.enabled = false);
    for path in ["/input/post", "/input/bulk", "/input/get"] {
        assert_eq!(get(&service, path).status(), 404, "{path}");
    }
}

#[test]
fn a_large_bulk_is_read_whole() {
    let service = start();
    let items: Vec<String> = (0..5_000)
        .map(|n| format!("[{n},\"house\",{{\"power\":{n}}}]"))
        .collect();
    let body = format!(
        "apikey={KEY}&time={}&data=[{}]",
        TEN - 5_000,
        items.join(",")
    );
    assert!(body.len() > 100_000);
    assert_ok(&post(&service, "/input/bulk", &body));
    assert_eq!(service.all_watts().len(), 5_000);
}
