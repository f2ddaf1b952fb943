use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::{Method, StatusCode};
use actix_web::test::{TestRequest, call_service, init_service};
use flate2::Compression;
use flate2::write::GzEncoder;
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
    let account = AccountName::new("home").unwrap();
    let home = Account {
        name: account.clone(),
        plan: Plan::Paid,
        zone: Zone::UTC,
        phases: Phases::default(),
        created: now.time,
    };
    store.edit(move |edit| edit.put_account(home)).unwrap();
    let credential = Credential {
        api_id: ApiId::new("house").unwrap(),
        account,
        scope: Scope::Full,
        label: String::new(),
        key_hash: ApiKey::new(KEY).unwrap().hash(),
        created: now.time,
    };
    store
        .edit(move |edit| edit.put_credential(credential))
        .unwrap();
    let settings = Arc::new(LiveSettings::new(config, &store));
    let parts = (StatusMonitor::start(now), settings, Arc::default());
    web::Data::new(AppState::new(store, Arc::new(move || now), config, parts))
}

/// White space in more blocks than are unpacked at once.
fn many_blocks() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..200 {
        encoder.write_all(&[b' '; 100]).unwrap();
        encoder.flush().unwrap();
    }
    encoder.finish().unwrap()
}

/// Requests whose sender is known by the head, and whether one is.
const SENDERS: [(Method, &str, &str, bool); 22] = [
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
