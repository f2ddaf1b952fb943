//! `wattkeeper demo`.

use std::io::{BufRead as _, BufReader};
use std::process::Command;

use serde_json::{Value, json};

use crate::place::{Place, Serving, names, signal, wait};

/// The demo in `place`, which is also its folder for temporary files.
fn demo(place: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command.env("TMPDIR", place.dir.path());
    command
}

fn get(demo: &Serving, query: &str) -> Value {
    use base64::Engine as _;
    let text = |key: &str| demo.ready[key].as_str().unwrap().to_owned();
    let pair = format!("{}:{}", text("api_id"), text("api_key"));
    let basic = base64::prelude::BASE64_STANDARD.encode(pair);
    let mut response = ureq::get(format!("{}?{query}", demo.elec()))
        .header("Authorization", format!("Basic {basic}"))
        .call()
        .unwrap();
    let body = response
        .body_mut()
        .with_config()
        .limit(1 << 30)
        .read_to_string()
        .unwrap();
    serde_json::from_str(&body).unwrap()
}

/// The dashboard that a browser gets after signing in.
fn dashboard(demo: &Serving) -> String {
    type Answer = ureq::http::Response<ureq::Body>;
    let base = demo.ready["listening"].as_str().unwrap();
    let agent = ureq::Agent::config_builder()
        .max_redirects(0)
        .max_redirects_will_error(false)
        .build()
        .new_agent();
    let cookie = |answer: &Answer| {
        let set = answer.headers()["set-cookie"].to_str().unwrap();
        set.split(';').next().unwrap().to_owned()
    };
    let text = |answer: &mut Answer| answer.body_mut().read_to_string().unwrap();
    let mut answer = agent.get(format!("{base}/sign-in")).call().unwrap();
    let visit = cookie(&answer);
    let page = text(&mut answer);
    let (_, rest) = page.split_once("name=\"csrf\" value=\"").unwrap();
    let csrf = rest.split('"').next().unwrap();
    let password = demo.ready["password"].as_str().unwrap();
    let form = [("csrf", csrf), ("password", password)];
    let request = agent.post(format!("{base}/sign-in"));
    let answer = request.header("Cookie", visit).send_form(form).unwrap();
    let request = agent.get(base).header("Cookie", cookie(&answer));
    text(&mut request.call().unwrap())
}

#[test]
fn two_years_of_history_and_live_readings() {
    let place = Place::new();
    let mut running = Serving::start(demo(&place, &["--json", "demo", "--listen", "127.0.0.1:0"]));
    let mut keys: Vec<_> = running.ready.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        ["api_id", "api_key", "listening", "password", "sensors"]
    );
    let page = dashboard(&running);
    assert!(page.contains("Heat pump") && page.contains("€"), "{page}");
    let sensors = running.ready["sensors"].as_array().unwrap();
    assert_eq!(sensors.len(), 18);
    assert_eq!(sensors[..3], ["house", "solar", "heat-pump"]);
    assert_eq!(names(place.dir.path()).len(), 1);
    for sensor in ["house", "solar", "heat-pump", "kettle"] {
        let latest = get(&running, &format!("sensor_id={sensor}&type=latest_rate"));
        assert_eq!(latest["data"].as_array().unwrap().len(), 1, "{latest}");
    }
    let range = "start_time=2000-01-01&end_time=2100-01-01";
    let rate = get(&running, &format!("sensor_id=solar&type=rate&{range}"));
    let count = rate["data"].as_array().unwrap().len();
    // And those of each second meanwhile, for as long as a busy machine takes.
    assert!((560_000..570_000).contains(&count), "{count}");
    let net = get(
        &running,
        &format!("sensor_id=solar&type=net_consumption&{range}"),
    );
    let made = net["data"][0]["v"].as_f64().unwrap();
    assert!((8e6..18e6).contains(&made), "{made}");
    running.signal("INT");
    running.ended(0);
    assert!(names(place.dir.path()).is_empty());
}

#[test]
fn an_interrupted_beginning_leaves_nothing() {
    for name in ["INT", "TERM"] {
        let place = Place::new();
        let mut child = demo(&place, &["demo", "--listen", "127.0.0.1:0"])
            .spawn()
            .unwrap();
        while !names(place.dir.path())
            .iter()
            .any(|name| name.starts_with("wattkeeper-demo-"))
        {
            assert_eq!(child.try_wait().unwrap(), None);
        }
        signal(&child, name);
        assert_eq!(wait(&mut child), Some(0), "{name}");
        assert!(names(place.dir.path()).is_empty(), "{name}");
    }
}

#[test]
fn kept_it_is_a_store_like_any() {
    let place = Place::new();
    let arguments = [
        "--json",
        "demo",
        "--listen",
        "127.0.0.1:0",
        "--keep",
        "data",
    ];
    let running = Serving::start(demo(&place, &arguments));
    assert_eq!(place.json(&["sensor", "list"])[0]["account"], json!("demo"));
    running.stop();
    let listed = place.json(&["sensor", "list"]);
    let readings = |id: &str| {
        let mut all = listed.as_array().unwrap().iter();
        all.find(|it| it["sensor_id"] == id).unwrap()["readings"].as_u64()
    };
    assert!(readings("solar") > Some(560_000), "{listed}");
    assert!(readings("fridge") > Some(70_000), "{listed}");
    let again = place.run(&arguments).error();
    assert!(again.contains("wattkeeper serve --data-dir"), "{again}");
}

#[test]
fn the_curl_lines_work() {
    if Command::new("curl").arg("--version").output().is_err() {
        return;
    }
    let place = Place::new();
    let mut child = demo(&place, &["demo", "--listen", "127.0.0.1:0"])
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let text: Vec<_> = lines.take_while(|line| !line.contains("Ctrl-C")).collect();
    let curls: Vec<_> = text
        .iter()
        .filter(|line| line.starts_with("  curl "))
        .collect();
    assert_eq!(curls.len(), 5, "{text:?}");
    for curl in curls {
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("{curl} -sf"))
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {curl}: {output:?}"));
        let data = &answer["data"];
        assert!(
            answer["accepted"] == json!(1) || !data.as_array().unwrap().is_empty(),
            "{answer}"
        );
    }
    signal(&child, "TERM");
    assert_eq!(wait(&mut child), Some(0));
}

#[test]
fn it_begins_at_the_given_time() {
    let place = Place::new();
    let arguments = [
        "--json",
        "demo",
        "--listen",
        "127.0.0.1:0",
        "--at",
        "2024-02-29",
    ];
    let running = Serving::start(demo(&place, &arguments));
    let latest = get(&running, "sensor_id=house&type=latest_rate");
    let time = latest["data"][0]["t"].as_str().unwrap();
    assert!(time.starts_with("2024-02-29T00:0"), "{latest}");
    let page = dashboard(&running);
    assert!(page.contains("29 Feb 2024, 01:0"), "{page}");
}
