//! The weekly message and the monthly statement: chosen, sent once, and no burden to others.

use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use wattkeeper::{Config, Secret, WebhookFormat};

use crate::backend::TestBackend;
use crate::http::notices::Webhook;
use crate::pages::browser::Browser;
use crate::pages::dashboard::live_in;
use crate::support::{HOUR, MINUTE, Service, at, register};

/// Monday in UTC; the readings begin.
const BEGIN: &str = "2026-11-16T00:00:00";
/// The Sunday of the second week.
const SUNDAY: &str = "2026-11-29T19:59:00";

/// A house in UTC that pays half a euro and draws 500 W, and twice as much from the second week on.
/// It is Sunday, a minute before the weekly message.
fn house(tune: impl FnOnce(&mut Config)) -> Service {
    let service = Service::start_with(tune);
    live_in(&service, "UTC", Some("0.5"));
    draw(&service, 0..=331);
    service.clock.set(at(SUNDAY));
    service
}

/// Of two front-ends only the leader sends, and the next leader knows what was sent.
#[test]
#[ignore = "needs postgres"]
fn of_two_front_ends_one_tells_the_week_to_postgres() {
    let webhook = Webhook::start(&[]);
    let port = webhook.port;
    let tune = move |config: &mut Config| {
        receiver(port, WebhookFormat::Ntfy)(config);
        config.notices.weekly = "sunday".parse().unwrap();
    };
    let mut first = Service::start_at(TestBackend::postgres(), tune);
    first.register_house();
    live_in(&first, "UTC", Some("0.5"));
    draw(&first, 0..=331);
    let second = Service::start_at(first.backend().again(), tune);
    for service in [&first, &second] {
        service.clock.set(at(SUNDAY));
    }
    webhook.stays_silent();
    for service in [&second, &first] {
        service.clock.advance(MINUTE);
    }
    let (_, text) = webhook.next();
    assert!(text.contains("163"), "{text}");
    webhook.stays_silent();
    // The leader goes, and the other one takes over.
    first.stop();
    for ms in [MINUTE, 3 * HOUR, MINUTE] {
        second.clock.advance(ms);
        webhook.stays_silent();
    }
    draw(&second, 332..=500);
    second.clock.set(at("2026-12-06T20:01:00"));
    // Notices about such a steady use come, too.
    let weekly = (0..5).map(|_| webhook.next_while_waiting(&second));
    let mut weekly = weekly.filter(|(head, _)| {
        let title = "title: wattkeeper: weekly";
        head.iter().any(|line| line.eq_ignore_ascii_case(title))
    });
    let (_, text) = weekly.next().unwrap();
    assert!(text.contains("164"), "{text}");
}

/// The registers of these hours since [`BEGIN`].
fn draw(service: &Service, hours: std::ops::RangeInclusive<i32>) {
    let registers = hours.map(|hour| {
        let total = hour.min(168) * 500 + (hour - 168).max(0) * 1_000;
        let time = at(BEGIN).saturating_add_millis(i64::from(hour) * HOUR);
        register(time, f64::from(total))
    });
    service.import(&registers.collect::<Vec<_>>());
}

fn receiver(port: u16, format: WebhookFormat) -> impl FnOnce(&mut Config) {
    move |config| {
        let address = format!("http://127.0.0.1:{port}/s3cret");
        config.notices.webhook = Some(address.parse().unwrap());
        config.notices.format = format;
        config.notices.token = Secret::new("t0ken".into());
    }
}

#[test]
fn a_week_is_told_once_also_over_a_restart_and_a_clock_that_is_set_back() {
    let webhook = Webhook::start(&[503]);
    let mut service = house(|config| {
        receiver(webhook.port, WebhookFormat::Ntfy)(config);
        config.notices.weekly = "sunday".parse().unwrap();
        config.notices.language = "de".to_owned();
    });
    webhook.stays_silent();
    service.clock.advance(MINUTE);
    // It is refused, and comes again.
    webhook.next();
    let (head, text) = webhook.next_while_waiting(&service);
    let has = |line: &str| head.iter().any(|other| other.eq_ignore_ascii_case(line));
    assert!(has("title: wattkeeper: weekly"), "{head:?}");
    let text = text.replace('\u{202F}', " ");
    assert!(
        text.starts_with("Diese Woche hat das Haus 163 kWh für 81,50 € verbraucht: 9"),
        "{text}"
    );
    for secret in ["s3cret", "t0ken", "127.0.0.1"] {
        assert!(!text.contains(secret), "{text}");
    }
    thread::sleep(Duration::from_millis(300));
    service.restart();
    for ms in [MINUTE, 12 * HOUR, MINUTE] {
        service.clock.advance(ms);
        webhook.stays_silent();
    }
    service.clock.jump(-13 * HOUR);
    service.clock.advance(MINUTE);
    webhook.stays_silent();
}

#[test]
fn reports_are_off_until_a_person_chooses_them() {
    let webhook = Webhook::start(&[]);
    let service = house(receiver(webhook.port, WebhookFormat::Json));
    let browser = Browser::set_up(&service);
    service.clock.advance(HOUR);
    webhook.stays_silent();
    let page = "/settings/messages";
    let shown = browser.page(page);
    assert!(
        shown.contains("name=\"weekly\" value=\"off\" checked"),
        "{shown}"
    );
    let choose = |weekly, statement| {
        let fields = [
            ("format", "json"),
            ("weekly", weekly),
            ("statement", statement),
        ];
        browser.submit(page, page, &fields)
    };
    for (weekly, statement) in [("tuesday", "off"), ("off", "sensor:")] {
        let refused = choose(weekly, statement);
        assert_eq!(refused.status(), 422);
        assert!(refused.text().contains("Choose one of these."));
    }
    assert_eq!(choose("sunday", "house").status(), 303);
    let (_, body) = webhook.next_while_waiting(&service);
    let sent: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        json!([sent["state"], sent["account"], sent["from"], sent["to"]]),
        json!([
            "weekly",
            "home",
            "2026-11-23T00:00:00.000Z",
            "2026-11-30T00:00:00.000Z"
        ])
    );
    // The statement of November, on the first of December.
    draw(&service, 332..=400);
    thread::sleep(Duration::from_millis(300));
    service.clock.set(at("2026-12-01T06:59:00"));
    webhook.stays_silent();
    service.clock.advance(MINUTE);
    let (_, body) = webhook.next_while_waiting(&service);
    let sent: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(sent["state"], "monthly");
    let text = sent["text"].as_str().unwrap().replace('\u{202F}', " ");
    assert_eq!(
        text,
        "Statement Nov 2026: House. The total is 138.00 € without 50 % of the time."
    );
    thread::sleep(Duration::from_millis(300));
    service.clock.advance(HOUR);
    webhook.stays_silent();
    // It was turned off again.
    assert_eq!(choose("off", "off").status(), 303);
    service.clock.set(at("2026-12-06T20:01:00"));
    webhook.stays_silent();
}

#[test]
fn a_receiver_that_never_answers_delays_nobody() {
    let hostile = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = hostile.local_addr().unwrap().port();
    let (tell, told) = std::sync::mpsc::channel();
    thread::spawn(move || {
        // Kept open, so that it waits.
        let mut held = Vec::new();
        for stream in hostile.incoming() {
            held.push(stream);
            // The test may be over.
            let _ = tell.send(());
        }
    });
    let service = house(|config| {
        receiver(port, WebhookFormat::Gotify)(config);
        config.notices.weekly = "sunday".parse().unwrap();
    });
    service.clock.advance(MINUTE);
    told.recv_timeout(Duration::from_mins(1)).unwrap();
    // While it waits, uploads are taken, and notices are found.
    for watts in [1, 2] {
        service.clock.advance(MINUTE);
        service.accept(&json!({ "watts": watts }));
    }
    service.clock.advance(10 * MINUTE + 1);
    service.await_notices(&["sensor-silent:house"]);
}
