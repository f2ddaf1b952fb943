//! Credentials in their three places, scopes, sensors of one account, the order of checks, too many
//! failures.

use serde_json::{Value, json};
use wattkeeper::{Plan, Scope};

use crate::support::{
    ACCOUNT, API_ID, API_KEY, ELEC, RIGHT, SENSOR, Service, WRONG, basic, both_as, house_basic,
    key_of, request, with_house,
};

#[test]
fn credentials_are_taken_from_three_places() {
    let service = Service::start();
    let header = house_basic();
    for (plain, header) in [
        (RIGHT, None),
        (None, Some(&*header)),
        (None, Some(&*header.replace("Basic", "basic"))),
        (RIGHT, Some(&*header)),
    ] {
        for answer in both_as(&service, plain, header) {
            assert_eq!(answer.status(), 200, "{header:?}: {}", answer.text());
        }
    }
}

#[test]
fn what_stands_in_body_or_query_wins() {
    let service = Service::start();
    let (right, wrong) = (house_basic(), basic(API_ID, "wr0ng-key"));
    for answer in both_as(&service, RIGHT, Some(&wrong)) {
        assert_eq!(answer.status(), 200, "{}", answer.text());
    }
    for answer in both_as(&service, WRONG, Some(&right)) {
        answer.assert_problem(401, "bad_credentials", "");
    }
}

#[test]
fn what_is_missing_there_is_taken_from_basic() {
    let service = Service::start();
    service.add_key(ACCOUNT, "another", Scope::Full);
    let range = "type=rate&start_time=2026-01-05&end_time=2026-01-06";
    for (api_id, status) in [(API_ID, 200), ("another", 401), ("", 200)] {
        let target = format!("{ELEC}?sensor_id={SENSOR}&{range}&api_id={api_id}");
        let headers = [("Authorization", &*house_basic())];
        let answer = service.send(&request("GET", &target, &headers, b""));
        assert_eq!(answer.status(), status, "{api_id:?}");
    }
}

#[test]
fn without_credentials_a_request_cannot_be_understood() {
    let service = Service::start();
    for header in [None, Some("Bearer token"), Some("Negotiate abc=")] {
        for answer in both_as(&service, None, header) {
            answer.assert_problem(400, "missing_field", "api_id");
        }
    }
    let no_colon = basic("no-colon", "").replace(':', "");
    let no_colon = no_colon.trim_end_matches('=');
    for header in ["Basic", "Basic ", "Basic !!!", "Basic YWJj", no_colon] {
        for answer in both_as(&service, None, Some(header)) {
            answer.assert_problem_shape(400);
        }
    }
    for header in [basic("", API_KEY), basic(API_ID, "")] {
        for answer in both_as(&service, None, Some(&header)) {
            answer.assert_problem_shape(400);
        }
    }
}

#[test]
fn an_unknown_id_and_a_wrong_key_are_one_answer() {
    let service = Service::start();
    let wrong = both_as(&service, WRONG, None);
    for (api_id, api_key) in [
        ("no-such-id", API_KEY),
        ("no-such-id", "wr0ng-key"),
        (API_ID, "house-id-S3CRE"),
        (API_ID, "house-id-S3CRETT"),
        (API_ID, "HOUSE-ID-S3CRET"),
        (API_KEY, API_ID),
    ] {
        let answers = both_as(&service, Some((api_id, api_key)), None);
        for (answer, wrong) in answers.iter().zip(&wrong) {
            answer.assert_problem(401, "bad_credentials", "");
            assert_eq!(answer.text(), wrong.text());
            assert!(answer.head.headers().eq(wrong.head.headers()));
        }
        let answers = both_as(&service, None, Some(&basic(api_id, api_key)));
        for answer in answers {
            answer.assert_problem(401, "bad_credentials", "");
        }
    }
}

#[test]
fn errors_never_show_a_key() {
    let service = Service::start();
    for answer in both_as(&service, Some((API_ID, "wr0ng-key")), None) {
        assert!(!answer.text().contains("wr0ng-key"));
    }
    for parameters in [
        "type=rate",
        "type=nonsense",
        "type=rate&start_time=x&end_time=y",
    ] {
        let answer = service.ask(parameters);
        assert_eq!(answer.status(), 400);
        assert!(!answer.text().contains(API_KEY), "{}", answer.text());
    }
    let whole = with_house(&json!({"watts": 1})).to_string();
    for body in [&whole[..whole.len() - 1], &whole.replace(":1", ":x")] {
        let answer = service.post(body);
        answer.assert_problem(400, "malformed_json", "");
        assert!(!answer.text().contains(API_KEY), "{}", answer.text());
    }
}

#[test]
fn a_scope_limits_what_may_be_done() {
    let service = Service::start();
    for (scope, may_upload, may_download) in [
        (Scope::Full, true, true),
        (Scope::Read, false, true),
        (Scope::Write, true, false),
    ] {
        service.add_key(ACCOUNT, "scoped", scope);
        let key = key_of("scoped");
        let answers = both_as(&service, Some(("scoped", &key)), None);
        for (answer, may) in answers.iter().zip([may_upload, may_download]) {
            if may {
                assert_eq!(answer.status(), 200, "{scope:?}: {}", answer.text());
            } else {
                answer.assert_problem(403, "scope_insufficient", "");
            }
        }
    }
    assert_eq!(service.all_watts().len(), 2);
}

#[test]
fn a_sensor_that_is_not_yours_is_one_answer() {
    let service = Service::start();
    service.add_account("neighbour", Plan::Paid);
    service.add_sensor("neighbour", "flat");
    service.add_sensor(ACCOUNT, "solar");
    service.accept(&json!({"sensor_id": "solar", "watts": 1}));
    service.revoke_sensor(ACCOUNT, "solar");
    let mut answers = Vec::new();
    for sensor in ["flat", "solar", "no-such-sensor", "House", "house "] {
        let answer = service.upload(&json!({"sensor_id": sensor, "watts": 1}));
        answer.assert_problem(403, "sensor_not_authorized", "");
        let range = "start_time=2026-01-05&end_time=2026-01-06";
        let sensor = sensor.replace(' ', "%20");
        for kind in ["rate", "consumption", "latest_rate", "net_consumption"] {
            let answer = service.get(&format!(
                "sensor_id={sensor}&api_id={API_ID}&api_key={API_KEY}&type={kind}&{range}"
            ));
            answer.assert_problem(403, "sensor_not_authorized", "");
            answers.push(answer.text().to_owned());
        }
        answers.push(answer.text().to_owned());
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    // Authorized again, it is as it was.
    service.add_sensor(ACCOUNT, "solar");
    assert_eq!(service.sensor("solar")["latest_watts"], 1.0);
    service.accept(&json!({"sensor_id": "solar", "watts": 2}));
}

#[test]
fn a_revoked_key_is_a_wrong_one() {
    let mut service = Service::start();
    service.add_key(ACCOUNT, "old", Scope::Full);
    let key = key_of("old");
    for answer in both_as(&service, Some(("old", &key)), None) {
        assert_eq!(answer.status(), 200);
    }
    service.revoke_key("old");
    for _ in 0..2 {
        for answer in both_as(&service, Some(("old", &key)), None) {
            answer.assert_problem(401, "bad_credentials", "");
        }
        service.restart();
    }
    for answer in both_as(&service, RIGHT, None) {
        assert_eq!(answer.status(), 200);
    }
}

#[test]
fn keys_are_not_on_disk() {
    let mut service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.stop();
    let mut folders = vec![service.data_dir().to_owned()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let key = API_KEY.as_bytes();
            assert!(
                !bytes.windows(key.len()).any(|window| window == key),
                "{path:?}"
            );
            files += 1;
        }
    }
    assert!(files > 0);
}

#[test]
fn requests_of_commands_are_not_served() {
    let service = Service::start();
    let path = concat!("/admin/", env!("CARGO_PKG_VERSION"));
    let basic = house_basic();
    for headers in [&[][..], &[("Authorization", &*basic)]] {
        let answer = service.send(&request("POST", path, headers, b"\x00"));
        assert_eq!(answer.status(), 404);
    }
}

#[test]
fn checks_run_in_the_order_400_401_403() {
    let service = Service::start();
    service.add_account("neighbour", Plan::Free);
    service.add_key("neighbour", "reader", Scope::Read);
    let key = key_of("reader");
    let upload = |fields: Value| service.post(fields.to_string());
    // 400 before 401 and 403.
    let bad = json!({"sensor_id": "no-such-sensor", "api_id": "no-such-id", "api_key": "x", "watts": "much"});
    upload(bad).assert_problem(400, "invalid_field", "watts");
    let nothing = json!({"sensor_id": "no-such-sensor", "api_id": "no-such-id", "api_key": "x"});
    upload(nothing).assert_problem(400, "missing_field", "watts");
    let late = json!({"sensor_id": SENSOR, "api_id": API_ID, "api_key": "x", "watts": 1, "time": "2099-01-01T00:00:00"});
    upload(late).assert_problem(400, "invalid_field", "time");
    let get = |rest: &str| service.get(&format!("sensor_id=no-such-sensor&{rest}"));
    let range = "start_time=2026-01-05&end_time=2026-01-06";
    get(&format!("api_id=x&api_key=x&type=nonsense&{range}")).assert_problem(
        400,
        "unknown_type",
        "",
    );
    get("api_id=x&api_key=x&type=rate").assert_problem(400, "missing_field", "start_time");
    get("api_id=x&api_key=x&type=rate&start_time=2026-01-06&end_time=2026-01-05").assert_problem(
        400,
        "invalid_range",
        "",
    );
    get(&format!(
        "api_id=reader&api_key={key}&type=nonsense&{range}"
    ))
    .assert_problem(400, "unknown_type", "");
    // 401 before 403.
    let wrong =
        json!({"sensor_id": "no-such-sensor", "api_id": "reader", "api_key": "x", "watts": 1});
    upload(wrong).assert_problem(401, "bad_credentials", "");
    get(&format!(
        "api_id=reader&api_key=x&type=net_consumption&{range}"
    ))
    .assert_problem(401, "bad_credentials", "");
    // Then what the credentials allow.
    let known =
        json!({"sensor_id": "no-such-sensor", "api_id": "reader", "api_key": key, "watts": 1});
    upload(known).assert_problem_shape(403);
    get(&format!(
        "api_id=reader&api_key={key}&type=net_consumption&{range}"
    ))
    .assert_problem_shape(403);
}
