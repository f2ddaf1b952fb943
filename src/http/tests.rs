use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::{Method, StatusCode};
use actix_web::test::{TestRequest, call_service, init_service};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;
use tempfile::TempDir;

use super::*;
use crate::config::LiveSettings;
use crate::domain::{
    Account, AccountName, ApiId, ApiKey, Credential, Moment, Phases, Plan, Scope, Timestamp, Zone,
};
use crate::status::StatusMonitor;
use crate::store::{OpenMode, Store, StoreSettings};

/// `house:0123456789abcdefghij`
const RIGHT: &str = "Basic aG91c2U6MDEyMzQ1Njc4OWFiY2RlZmdoaWo=";
/// `house:wrong`
const WRONG: &str = "Basic aG91c2U6d3Jvbmc=";
const KEY: &str = "0123456789abcdefghij";
const BARN_KEY: &str = "jihgfedcba9876543210";

/// The state of a service in which nobody waits for long, with one credential.
fn state(dir: &TempDir, config: &Config) -> web::Data<AppState> {
    let store = Store::open(
        dir.path(),
        StoreSettings::default(),
        OpenMode::CreateIfMissing,
    );
    let store = Arc::new(store.unwrap());
    let now = Moment {
        time: Timestamp::parse("2026-01-05T10:30:00").unwrap(),
        elapsed: Duration::ZERO,
    };
    for (name, api_id, api_key) in [("home", "house", KEY), ("barn", "barn", BARN_KEY)] {
        let account = Account {
            name: AccountName::new(name).unwrap(),
            plan: Plan::Paid,
            zone: Zone::UTC,
            phases: Phases::default(),
            created: now.time,
        };
        let credential = Credential {
            api_id: ApiId::new(api_id).unwrap(),
            account: account.name.clone(),
            scope: Scope::Full,
            label: String::new(),
            key_hash: ApiKey::new(api_key).unwrap().hash(),
            created: now.time,
        };
        store.edit(move |edit| edit.put_account(account)).unwrap();
        store
            .edit(move |edit| edit.put_credential(credential))
            .unwrap();
    }
    let settings = Arc::new(LiveSettings::new(config, &store));
    let parts = (StatusMonitor::start(now), settings, Arc::default());
    web::Data::new(AppState::new(store, Arc::new(move || now), config, parts))
}

/// White space in more blocks than are unpacked at once.
fn many_blocks() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..200 {
        encoder.write_all(&[b' '; 5]).unwrap();
        encoder.flush().unwrap();
    }
    encoder.finish().unwrap()
}

/// Requests whose sender is known by the head, and whether one is.
const SENDERS: [(Method, &str, &str, bool); 23] = [
    (Method::POST, "/api/v0.2/elec", "", false),
    (Method::POST, "/api/v0.2/elec", WRONG, false),
    (Method::POST, "/api/v0.2/elec", RIGHT, true),
    (Method::POST, "/api/v0.2/corrections", WRONG, false),
    (Method::POST, "/api/v0.2/corrections", RIGHT, true),
    (Method::POST, "/api/v0.2/contracts", WRONG, false),
    (Method::POST, "/api/v0.2/contracts", RIGHT, true),
    (
        Method::POST,
        "/api/v0.2/contracts?api_id=house&api_key=wrong",
        "",
        false,
    ),
    (
        Method::POST,
        "/api/v0.2/contracts?api_id=house&api_key=0123456789abcdefghij",
        "",
        true,
    ),
    (Method::POST, "/api/v0.2/utility", WRONG, false),
    (
        Method::POST,
        "/api/v0.2/utility?api_id=house&api_key=0123456789abcdefghij",
        "",
        true,
    ),
    (Method::POST, "/api/v0.2/notices", WRONG, false),
    (Method::POST, "/api/v0.2/notices", RIGHT, true),
    (
        Method::PUT,
        "/api/v0.2/prices?series=hourly&api_id=house&api_key=0123456789abcdefghij",
        "",
        true,
    ),
    (Method::PUT, "/api/v0.2/days?list=tempo", WRONG, false),
    (Method::PUT, "/api/v0.2/formats", WRONG, false),
    (Method::PUT, "/api/v0.2/offers", WRONG, false),
    (Method::PUT, "/api/v0.2/purchases", WRONG, false),
    (Method::PUT, "/api/v0.2/tenancies", WRONG, false),
    (Method::POST, "/write", RIGHT, true),
    (Method::POST, "/input/post", WRONG, false),
    (
        Method::POST,
        "/input/post?apikey=0123456789abcdefghij",
        "",
        true,
    ),
    (
        Method::POST,
        "/input/bulk",
        "Bearer 0123456789abcdefghij",
        true,
    ),
];

#[test]
fn packed_bodies_of_known_senders_do_not_wait_for_those_of_strangers() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.http.request_timeout = Duration::from_millis(50);
    let state = state(&dir, &config);
    // Outside of the runtime, as calls of the store block.
    actix_web::rt::System::new().block_on(send_while_a_stranger_has_the_turn(&state, &config));
}

async fn send_while_a_stranger_has_the_turn(state: &web::Data<AppState>, config: &Config) {
    let repair = Arc::new(RepairSwitch::new(Arc::default()));
    let app = init_service(Service::new(state.clone(), config, (None, repair)).app()).await;
    let _turn = state.take_strangers_turn();
    for (method, target, authorization, is_known) in SENDERS {
        let request = TestRequest::with_uri(target)
            .method(method)
            .insert_header(("Host", "localhost"))
            .insert_header(("Authorization", authorization))
            .insert_header(("Content-Encoding", "gzip"))
            .set_payload(many_blocks());
        let status = call_service(&app, request.to_request()).await.status();
        let waited = status == StatusCode::SERVICE_UNAVAILABLE;
        assert_eq!(waited, !is_known, "{target} {authorization}: {status}");
        assert_ne!(status, StatusCode::UNAUTHORIZED, "{target} {authorization}");
    }
}

/// The power of each hour of a year, as PVGIS exports it.
fn profile() -> String {
    let days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let days = days
        .into_iter()
        .zip(1..)
        .flat_map(|(days, month)| (1..=days).map(move |day| (month, day)));
    let hours = days.flat_map(|(month, day)| (0..24).map(move |hour| (month, day, hour)));
    let lines = hours.map(|(month, day, hour)| format!("2019{month:02}{day:02}:{hour:02}10,100\n"));
    "time,P\n".to_owned() + &lines.collect::<String>()
}

/// Requests that are worked on in turns: `r` waits for turns of the account's reports or pages, `p`
/// for that of uploads of prices, `b` for one after the other.
const IN_TURNS: [(char, Method, &str, &str); 23] = [
    (
        'b',
        Method::POST,
        "/api/v0.2/what-if?start_time=2025-07-01&end_time=2025-07-02&kwp=2",
        "P",
    ),
    (
        'r',
        Method::GET,
        "/api/v0.2/what-if?start_time=2025-07-01&end_time=2025-07-02&solar_factor=2",
        "",
    ),
    (
        'p',
        Method::PUT,
        "/api/v0.2/prices?series=day-ahead",
        "time,price\n2025-07-01T00:00:00Z,0.1\n",
    ),
    (
        'r',
        Method::GET,
        "/api/v0.2/statement?start_time=2025-07-01&end_time=2025-07-02",
        "",
    ),
    (
        'r',
        Method::GET,
        "/api/v0.2/compare?start_time=2025-07-01&end_time=2025-07-02",
        "",
    ),
    (
        'r',
        Method::GET,
        "/api/v0.2/savings?start_time=2025-07-01&end_time=2025-07-02",
        "",
    ),
    ('r', Method::GET, "/api/v0.2/payback", ""),
    ('r', Method::GET, "/api/v0.2/forecast", ""),
    ('r', Method::GET, "/api/v0.2/prices/cheapest?hours=1", ""),
    (
        'r',
        Method::GET,
        "/api/v0.2/energy?start_time=2025-07-01&end_time=2025-07-02",
        "",
    ),
    (
        'r',
        Method::GET,
        "/api/v0.2/events?start_time=2025-07-01&end_time=2025-07-02",
        "",
    ),
    ('r', Method::GET, "/api/v0.2/utility", ""),
    (
        'r',
        Method::POST,
        "/api/v0.2/corrections",
        r#"{"revoke":1}"#,
    ),
    ('r', Method::GET, "/api/v0.2/corrections", ""),
    ('r', Method::GET, "/api/v0.2/contracts", ""),
    ('r', Method::GET, "/api/v0.2/offers", ""),
    ('r', Method::GET, "/api/v0.2/purchases", ""),
    ('r', Method::GET, "/api/v0.2/tenancies", ""),
    (
        'r',
        Method::GET,
        "/api/v0.2/tenancies/statements?start_time=2025-07-01&end_time=2025-07-02",
        "",
    ),
    ('r', Method::GET, "/api/v0.2/formats", ""),
    ('r', Method::GET, "/api/v0.2/days", ""),
    ('r', Method::GET, "/api/v0.2/notices", ""),
    ('r', Method::GET, "/api/v0.2/sensors", ""),
];

#[test]
fn who_waits_for_a_turn_holds_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::default();
    let state = state(&dir, &config);
    actix_web::rt::System::new().block_on(ask_while_turns_are_held(&state, &config));
}

async fn ask_while_turns_are_held(state: &web::Data<AppState>, config: &Config) {
    let repair = Arc::new(RepairSwitch::new(Arc::default()));
    let app = init_service(Service::new(state.clone(), config, (None, repair)).app()).await;
    let ask = |api_id: &'static str,
               (_, method, target, body): (char, Method, &str, &'static str)| {
        let sign = if target.contains('?') { '&' } else { '?' };
        let api_key = if api_id == "barn" { BARN_KEY } else { KEY };
        let own = format!("{target}{sign}api_id={api_id}&api_key={api_key}");
        let request = TestRequest::with_uri(&own)
            .method(method.clone())
            .insert_header(("Host", "localhost"))
            .set_payload(if body == "P" {
                profile()
            } else {
                body.to_owned()
            });
        let request = match method {
            Method::POST if body.starts_with('{') => {
                let of_body = format!(
                    "{{\"api_id\":\"{api_id}\",\"api_key\":\"{api_key}\",{}",
                    &body[1..]
                );
                TestRequest::with_uri(target)
                    .method(method)
                    .insert_header(("Host", "localhost"))
                    .set_payload(of_body)
            }
            _ => request,
        };
        let (target, answer) = (target.to_owned(), call_service(&app, request.to_request()));
        async move { (target, answer.await.status()) }
    };
    let barn = AccountName::new("barn").unwrap();
    for is_held in ['r', 'p'] {
        let waits = |of: char| of == is_held || of == 'b';
        let (reports, prices) = match is_held {
            'r' => (Some(state.hold_reports(&barn).await), None),
            _ => (None, Some(state.hold_prices().await)),
        };
        let of_barn = IN_TURNS.into_iter().filter(|it| waits(it.0));
        let mut waiting: FuturesUnordered<_> = of_barn.map(|it| ask("barn", it)).collect();
        // Requests that do not need the turn of the barn are answered, at home too.
        let others = IN_TURNS
            .into_iter()
            .filter(|it| is_held == 'r' || !waits(it.0));
        for (nth, other) in others.enumerate() {
            let answer = Box::pin(ask("house", other));
            match select(answer, waiting.next()).await {
                Either::Left(((target, status), _)) => {
                    assert_ne!(status, StatusCode::SERVICE_UNAVAILABLE, "{nth} {target}");
                    assert_ne!(status, StatusCode::UNAUTHORIZED, "{nth} {target}");
                }
                Either::Right((first, _)) => panic!("{is_held}: {first:?} did not wait"),
            }
        }
        drop((reports, prices));
        while let Some((target, status)) = waiting.next().await {
            assert_ne!(status, StatusCode::SERVICE_UNAVAILABLE, "{target}");
        }
    }
}
