//! Sources that answer something else, or without end.

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::market::{asked, await_prices, hours, house, list, market, section, url};
use crate::poll::device::{Device, head_of, ok, status};
use crate::poll::house::metrics;

/// A source that sends `piece` again and again, each after a pause, as one answer without an end.
fn endless(piece: &'static str, pause: Duration) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                head_of(&mut stream);
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[";
                let mut sent = stream.write_all(head.as_bytes());
                // Until the client closes the connection.
                while sent.is_ok() {
                    thread::sleep(pause);
                    sent = stream.write_all(piece.as_bytes());
                }
            });
        }
    });
    address
}

#[test]
fn wrong_answers_change_nothing_and_others_go_on() {
    let other = market();
    let elsewhere = format!("Location: {}/v1/marketdata?start=0&end=0\r\n", url(&other));
    let html = Device::start(|_| ok("<!DOCTYPE html><html><title>Sign in</title></html>"));
    let redirecting = Device::start(move |_| status("302 Found", &elsewhere, ""));
    let wrong = Device::start(|head| {
        ok(&hours(asked(head), |_| true).replacen(
            "\"marketprice\":",
            "\"marketprice\":\"n/a\",\"x\":",
            1,
        ))
    });
    let twice = Device::start(|head| {
        let (from, to) = asked(head);
        let one = |price: u8| {
            format!("{{\"start_timestamp\":{from},\"end_timestamp\":{to},\"marketprice\":{price}}}")
        };
        ok(&format!("{{\"data\":[{},{}]}}", one(1), one(2)))
    });
    let busy = Device::start(|_| status("429 Too Many Requests", "Retry-After: 3600\r\n", ""));
    let gone = Device::start(|_| status("404 Not Found", "", "{}"));
    let flood = endless(FLOOD, Duration::ZERO);
    let good = market();
    let sources = [
        (url(&html), "html"),
        (url(&redirecting), "redirecting"),
        (url(&wrong), "wrong"),
        (url(&twice), "twice"),
        (url(&busy), "busy"),
        (url(&gone), "gone"),
        (format!("http://{flood}"), "flood"),
        (url(&good), "good"),
    ];
    let sections: Vec<String> = sources
        .iter()
        .map(|(address, series)| section(address, series, ""))
        .collect();
    let place = house(&sections);
    let serving = place.serve(&[]);
    await_prices(&place, "good", |count| count >= 23);
    for line in [
        "for html: its answer is a web page, not json; check url",
        "for redirecting: it redirects to another server, which is not followed; check url",
        "for wrong: entry 1 of its answer has no usable price",
        "for twice: its answer has two prices for ",
        "for busy: it answered with status 429: it is busy, or asked too often; trying again in 3600 s",
        "for gone: it answered with status 404; check zone and url",
        "for flood: its answer is longer than 2097152 bytes; set a smaller most_days",
    ] {
        serving.wait_for(line);
    }
    let names: Vec<_> = list(&place)
        .iter()
        .map(|row| row["series"].clone())
        .collect();
    assert_eq!(names, ["good"]);
    assert!(other.requests().is_empty());
    let failures = "wattkeeper_price_source_failures_total{account=\"\",series=\"html\"} 1";
    assert!(metrics(&serving).contains(failures));
    drop(serving.stop());
}

const FLOOD: &str =
    "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,";

#[test]
fn a_source_that_drips_is_given_up_and_a_stop_does_not_wait_for_it() {
    let drip = endless("1,", Duration::from_millis(200));
    let place = house(&[section(&format!("http://{drip}"), "drip", "")]);
    let serving = place.serve(&[]);
    serving.wait_for("for drip: it did not answer within 30 s");
    drop(serving.stop());
    let serving = place.serve(&[]);
    // While it is asked.
    let begun = std::time::Instant::now();
    drop(serving.stop());
    assert!(begun.elapsed() < Duration::from_mins(2));
    assert!(list(&place).is_empty());
}

#[test]
fn a_private_address_is_refused_before_anything_is_sent() {
    let source = market();
    let port = source.address.port();
    let hosts = [
        ("127.0.0.1", "one"),
        ("localhost", "two"),
        ("[::ffff:127.0.0.1]", "three"),
    ];
    let sections = hosts.map(|(host, series)| {
        let section = section(&format!("http://{host}:{port}"), series, "");
        section.replace("allow_private = true\n", "")
    });
    let place = house(&sections);
    let serving = place.serve(&[]);
    for (_, series) in hosts {
        serving.wait_for(&format!(
            "for {series}: its address is in a private network"
        ));
    }
    drop(serving.stop());
    assert!(source.requests().is_empty());
}

#[test]
fn redirects_within_the_server_are_followed() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let source = Device::start(move |head| {
        if head.starts_with("GET /v2/") {
            return ok(&hours(asked(head), |_| true));
        }
        counted.fetch_add(1, Ordering::SeqCst);
        let (from, to) = asked(head);
        status(
            "301 Moved Permanently",
            &format!("Location: /v2/marketdata?start={from}&end={to}\r\n"),
            "",
        )
    });
    let place = house(&[section(&url(&source), "spot", "")]);
    let serving = place.serve(&[]);
    await_prices(&place, "spot", |count| count >= 23);
    drop(serving.stop());
    assert!(count.load(Ordering::SeqCst) >= 1);
}
