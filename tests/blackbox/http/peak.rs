//! `GET /peak`, the notice about a new peak, and its message.

use serde_json::{Value, json};
use wattkeeper::{AccountName, ContractChange, Plan, Scope, WebhookFormat};

use crate::http::house_energy::statement;
use crate::http::notices::Webhook;
use crate::pages::dashboard::live_in;
use crate::support::{MINUTE, Service, at, basic, house_basic, key_of, register, request};

const CONTRACT: &str = r#"{"from":"2026-01-01","name":"Capacity","currency":"EUR","components":[{"energy":{"price":0.3}},{"demand":{"name":"capacity","price":4.5,"per":"quarter"}},{"tax":{"name":"VAT","percent":20}}]}"#;
const BEGIN: &str = "2026-01-20T00:00:00";
/// The running quarter begins then.
const QUARTER: &str = "2026-02-10T18:00:00";

/// A house in UTC that draws 600 W, and 3 kW in the quarter from noon on each day, until [`QUARTER`].
pub(crate) struct House {
    register: f64,
}

impl House {
    pub(crate) fn new(service: &Service) -> Self {
        live_in(service, "UTC", None);
        let account = AccountName::new("home").unwrap();
        let change = ContractChange::parse(CONTRACT).unwrap();
        let store = service.store();
        let put = store.edit(move |edit| edit.change_contracts(&account, change));
        put.unwrap();
        let mut register = 0.0;
        let mut readings = vec![self::register(at(BEGIN), register)];
        let parts = (at(QUARTER).millis() - at(BEGIN).millis()) / (5 * MINUTE);
        for part in 0..parts {
            let is_noon = (part * 5 % 1_440) / 15 == 48;
            register += if is_noon { 250.0 } else { 50.0 };
            let time = at(BEGIN).saturating_add_millis((part + 1) * 5 * MINUTE);
            readings.push(self::register(time, register));
        }
        service.import(&readings);
        service.clock.set(at(QUARTER));
        Self { register }
    }

    /// Draws this many watts for so many minutes more.
    pub(crate) fn draws(&mut self, service: &Service, (minutes, watts): (i64, f64)) {
        let now = service.clock.now();
        let mut readings = Vec::new();
        for minute in 1..=minutes {
            self.register += watts / 60.0;
            let time = now.saturating_add_millis(minute * MINUTE);
            readings.push(register(time, self.register));
        }
        service.import(&readings);
        service.clock.advance(minutes * MINUTE);
    }
}

fn ask(service: &Service) -> Value {
    let headers = [("Authorization", &*house_basic())];
    let answer = service.send(&request("GET", "/api/v0.2/peak", &headers, b""));
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.head.header("cache-control"), Some("no-store"));
    answer.json()
}

#[test]
fn a_running_quarter_has_what_is_left_and_what_a_kilowatt_costs() {
    let service = Service::start();
    let mut house = House::new(&service);
    house.draws(&service, (8, 6_000.0));
    let found = ask(&service);
    assert_eq!(
        [&found["account"], &found["currency"], &found["now"]],
        ["home", "EUR", "2026-02-10T18:08:00.000Z"]
    );
    let row = &found["demands"][0];
    let expected = json!({
        "name": "capacity", "per": "quarter", "counts": true,
        "from": "2026-02-10T18:00:00.000Z", "to": "2026-02-10T18:15:00.000Z",
        "known_until": "2026-02-10T18:08:00.000Z",
        // 800 Wh so far, and 700 in the rest; 3 kW are 750 Wh in a quarter.
        "energy": 800.0, "likely": 6000.0, "left": 0.0, "new_peak": true, "rise": "16.2",
        "period_from": "2026-02-01T00:00:00.000Z", "period_to": "2026-03-01T00:00:00.000Z",
        "peak": 3000.0, "usual": 3000.0, "least": null, "level": 3000.0,
        "kilowatt": "5.4",
    });
    assert_eq!(*row, expected);
    // The statement says so, too: a quarter at 6 kW, with its 1.5 kWh.
    let total = |until: &str| {
        let range = format!("start_time=2026-02-01T00:00:00Z&end_time={until}");
        let total = statement(&service, &range).json()["total"].clone();
        total.as_str().unwrap().parse::<f64>().unwrap()
    };
    let before = total("2026-02-10T18:00:00Z");
    house.draws(&service, (7, 6_000.0));
    let after = total("2026-02-10T18:15:00Z");
    let energy = 1.5 * 0.3 * 1.2;
    assert!(
        (after - before - energy - 16.2).abs() < 0.000_1,
        "{before} {after}"
    );
    let row = &ask(&service)["demands"][0];
    assert_eq!(
        [&row["peak"], &row["energy"]],
        [&json!(6000.0), &json!(0.0)]
    );
}

#[test]
fn an_account_sees_its_own_peaks() {
    let service = Service::start();
    House::new(&service);
    service.add_account("shop", Plan::Paid);
    service.add_key("shop", "shop-id", Scope::Read);
    let key = basic("shop-id", &key_of("shop-id"));
    let ask =
        |headers: &[(&str, &str)]| service.send(&request("GET", "/api/v0.2/peak", headers, b""));
    let found = ask(&[("Authorization", &key)]).json();
    assert_eq!(
        [&found["account"], &found["currency"], &found["demands"]],
        [&json!("shop"), &Value::Null, &json!([])]
    );
    let wrong = basic("shop-id", &key_of("house-id"));
    assert_eq!(ask(&[("Authorization", &wrong)]).status(), 401);
    service.add_key("shop", "writer", Scope::Write);
    let writer = basic("writer", &key_of("writer"));
    assert_eq!(ask(&[("Authorization", &writer)]).status(), 403);
}

#[test]
fn a_new_peak_is_told_once_before_it_is_there() {
    let receiver = Webhook::start(&[]);
    let address = format!("http://127.0.0.1:{}/topic", receiver.port);
    let service = Service::start_with(|config| {
        config.notices.webhook = Some(address.parse().unwrap());
        config.notices.format = WebhookFormat::Ntfy;
    });
    let mut house = House::new(&service);
    // Nothing is said before the last third of a quarter, nor about a quarter below the peak.
    house.draws(&service, (15, 2_900.0));
    service.await_notices(&[]);
    house.draws(&service, (7, 6_000.0));
    service.await_notices(&[]);
    house.draws(&service, (1, 6_000.0));
    let first = "peak-ahead:2026-02-10T18:15:00.000Z";
    let notices = service.await_notices(&[first]);
    assert_eq!(
        [&notices[0]["subject"], &notices[0]["since"]],
        ["house", "2026-02-10T18:15:00.000Z"]
    );
    let (head, body) = receiver.next();
    let has = |line: &str| head.iter().any(|other| other.eq_ignore_ascii_case(line));
    assert!(
        has("title: wattkeeper: peak-ahead") && has("priority: 4"),
        "{head:?}"
    );
    assert!(
        body.starts_with("The house is likely to draw 6.0 kW on average"),
        "{body}"
    );
    assert!(
        body.contains("more than the 3.0 kW") && body.contains("16.20 EUR"),
        "{body}"
    );
    // It lasts until the end, even if the house draws nothing any more.
    house.draws(&service, (4, 0.0));
    service.await_notices(&[first]);
    house.draws(&service, (3, 0.0));
    service.await_notices(&[]);
    // The next message is about the next peak: nobody needs one about the end.
    house.draws(&service, (8, 9_000.0));
    let second = "peak-ahead:2026-02-10T18:30:00.000Z";
    service.await_notices(&[second]);
    let (_, body) = receiver.next();
    assert!(
        body.starts_with("The house is likely to draw 9.0 kW"),
        "{body}"
    );
}
