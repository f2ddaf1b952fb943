//! `/live`: sends changes of power as long as the session lasts.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wattkeeper::{MeterKind, Role, SessionToken};

use crate::pages::browser::Browser;
use crate::pages::dashboard::put_sensor;
use crate::pages::rights::add_tablet;
use crate::support::{Connection, MINUTE, Service};

/// How long an event may take on the slowest machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// A stream of events.
pub(crate) struct Stream {
    connection: Connection,
    text: String,
    has_ended: bool,
}

impl Stream {
    #[track_caller]
    pub(crate) fn open(browser: &Browser<'_>, address: &str) -> Self {
        let (connection, head) = browser.begin(address);
        assert_eq!(head.status, 200);
        assert_eq!(head.header("content-type"), Some("text/event-stream"));
        assert_eq!(head.header("cache-control"), Some("no-store"));
        assert_eq!(head.header("content-encoding"), None);
        Self {
            connection,
            text: String::new(),
            has_ended: false,
        }
    }

    /// The name and the data of the next event; `None` after the last one. Skips comments.
    fn next(&mut self) -> Option<(String, String)> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < deadline, "nothing but comments");
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                if event.starts_with(':') {
                    continue;
                }
                let (name, data) = event.split_once('\n').unwrap();
                let name = name.strip_prefix("event: ").unwrap();
                let data = data.strip_prefix("data: ").unwrap();
                return Some((name.to_owned(), data.to_owned()));
            }
            if self.has_ended {
                return None;
            }
            let mut bytes = Vec::new();
            self.has_ended = !self.connection.receive_chunk(&mut bytes).unwrap();
            self.text += std::str::from_utf8(&bytes).unwrap();
        }
    }

    /// The data of the next event.
    #[track_caller]
    pub(crate) fn data(&mut self) -> Value {
        let (name, data) = self.next().unwrap();
        assert_eq!(name, "now");
        serde_json::from_str(&data).unwrap()
    }

    #[track_caller]
    pub(crate) fn assert_ends(&mut self, why: &str) {
        assert_eq!(self.next(), Some(("end".into(), why.into())));
        assert_eq!(self.next(), None);
    }
}

#[test]
fn a_new_reading_is_sent() {
    let service = Service::start();
    service.add_account("other", wattkeeper::Plan::Free);
    let browser = Browser::set_up(&service);
    let mut stream = Stream::open(&browser, "/live");
    let first = stream.data();
    assert_eq!(first["grid"]["power"], "–");
    assert_eq!(first["grid"]["active"], false);
    service.accept(&json!({"watts": 1_234}));
    let power = stream.data();
    assert_eq!(power["grid"]["power"], "1.23\u{202F}kW");
    assert_eq!(power["sensor:house"]["state"], "uploading");
    service.clock.advance(MINUTE);
    service.accept(&json!({"watts": -99}));
    let power = stream.data();
    assert_eq!(power["grid"]["way"], "fed into the grid");
    assert_eq!(power["grid"]["gives"], true);
    // The same as on the page.
    let page = browser.page("/");
    assert!(page.contains("99\u{202F}W"));
    service.clock.advance(6 * MINUTE);
    let power = stream.data();
    assert_eq!(power["sensor:house"]["state"], "late");
    assert_eq!(power["sensor:house"]["since"], "since 10:31");
    let mut other = Stream::open(&browser, "/live?account=other");
    assert_eq!(other.data(), json!({}));
}

#[test]
fn a_battery_has_its_state_of_charge() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    put_sensor(&service, "cellar", "Cellar", Role::Battery, MeterKind::Net);
    let mut stream = Stream::open(&browser, "/live");
    assert_eq!(stream.data()["battery"]["way"], "unknown");
    service.accept(&json!({"sensor_id": "cellar", "watts": 800, "state_of_charge": 63.6}));
    let mut power = stream.data();
    if power["battery"]["charge"] == "" {
        // The stream may look between the power and the charge.
        power = stream.data();
    }
    for key in ["battery", "sensor:cellar"] {
        let of = |part: &str| power[key][part].as_str().unwrap().to_owned();
        assert_eq!([of("way"), of("charge")], ["charging", "64\u{202f}%"]);
    }
    let page = browser.page("/");
    assert!(
        page.contains("data-part=\"charge\" dx=\"4\">64\u{202f}%"),
        "{page}"
    );
    // A reading of an hour ago changes nothing, nor does one without a state of charge.
    service.clock.advance(MINUTE);
    service.accept(
        &json!({"sensor_id": "cellar", "watts": 5, "state_of_charge": 9, "time": "2026-01-05T09:00:00"}),
    );
    service.accept(&json!({"sensor_id": "cellar", "watts": -300}));
    let now = stream.data()["battery"].clone();
    assert_eq!(now["way"], "discharging");
    assert_eq!(now["charge"], "64\u{202f}%");
    // Like power, it is shown for two hours.
    service.clock.advance(121 * MINUTE);
    service.accept(&json!({"sensor_id": "cellar", "watts": -200}));
    let mut last = stream.data();
    while last["battery"]["power"] != "200\u{202f}W" {
        last = stream.data();
    }
    assert_eq!(last["battery"]["way"], "discharging");
    assert_eq!(last["battery"]["charge"], "");
    for wrong in [json!(101), json!(-1), json!("full")] {
        let body = json!({"sensor_id": "cellar", "watts": 1, "state_of_charge": wrong});
        let refused = service.upload(&body);
        assert_eq!(refused.status(), 400);
        assert!(
            refused.text().contains("state_of_charge"),
            "{}",
            refused.text()
        );
    }
}

#[test]
fn it_ends_with_the_session() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let other = Browser::signed_in(&service);
    let mut stream = Stream::open(&browser, "/live");
    let mut of_other = Stream::open(&other, "/live");
    stream.data();
    of_other.data();
    assert_eq!(browser.submit("/", "/sign-out", &[]).status(), 303);
    stream.assert_ends("signed out");
    // The other stream continues.
    service.accept(&json!({"watts": 7}));
    assert_eq!(of_other.data()["grid"]["power"], "7\u{202F}W");
}

#[test]
fn it_does_not_hold_up_a_stop() {
    let mut service = Service::start();
    let mut stream = {
        let browser = Browser::set_up(&service);
        Stream::open(&browser, "/live")
    };
    stream.data();
    service.stop();
    // A stream that the stop had to wait for would be cut off in the end, without this event.
    stream.assert_ends("stopping");
}

#[test]
fn the_idle_limit_does_not_end_it() {
    let service = Service::start_with(|config| {
        config.http.idle_timeout = Duration::from_millis(200);
        config.http.head_timeout = Duration::from_millis(200);
    });
    let browser = Browser::set_up(&service);
    let mut stream = Stream::open(&browser, "/live");
    stream.data();
    std::thread::sleep(Duration::from_secs(3));
    service.accept(&json!({"watts": 7}));
    assert_eq!(stream.data()["grid"]["power"], "7\u{202F}W");
}

#[test]
fn streams_are_bounded() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let tablets: Vec<Browser<'_>> = (1..=16)
        .map(|number| {
            let token = SessionToken::from_random([number; 32]);
            add_tablet(&service, &format!("tablet {number}"), &token);
            let tablet = Browser::new(&service);
            tablet.set_cookie("wattkeeper_wall", token.reveal());
            tablet
        })
        .collect();
    let refuses = |browser: &Browser<'_>, address| {
        let (_, head) = browser.begin(address);
        assert_eq!(head.status, 503, "{address}");
        assert!(head.header("retry-after").is_some());
    };
    let open = |browser: &Browser<'_>, address, count| -> Vec<_> {
        let streams = (0..count).map(|_| Stream::open(browser, address));
        streams.collect()
    };
    // Nobody has more than eight, in as many browsers as it may be.
    let mut streams = open(&browser, "/live", 5);
    let elsewhere = Browser::signed_in(&service);
    streams.extend(open(&elsewhere, "/live", 3));
    refuses(&elsewhere, "/live");
    refuses(&browser, "/live");
    streams.extend(open(&tablets[0], "/wall/live", 8));
    // Those who have all they may leave half of the places to others, who get one each.
    for tablet in &tablets[1..] {
        streams.extend(open(tablet, "/wall/live", 1));
        refuses(tablet, "/wall/live");
    }
    drop(streams);
    // Closing streams makes room.
    let is_free = |watts: i32| {
        // The service notices a closed stream when it sends something.
        service.accept(&json!({"watts": watts}));
        std::thread::sleep(Duration::from_millis(200));
        browser.begin("/live").1.status == 200
    };
    assert!((0..300).any(is_free));
}
