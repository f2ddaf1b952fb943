//! A Home Assistant that refuses, breaks off, or is something else.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use super::fake::{HomeAssistant, NEW, TOKEN};
use super::{has_night, place, put_token, set};
use crate::mqtt::house::eventually;
use crate::place::{Place, Serving};
use crate::poll::device::{Device, head_of, ok, status};
use crate::poll::house::metrics;

/// A service that sends to this address; waits until its log has `text`. Its token is in no log.
fn fails_with(url: &str, text: &str) -> (Place, Serving) {
    let place = place(url, "");
    let serving = place.serve(&[]);
    serving.wait_for(text);
    eventually("the failure", || {
        metrics(&serving)
            .contains("wattkeeper_home_assistant_failures_total 1")
            .then_some(())
    });
    (place, serving)
}

fn end((place, serving): (Place, Serving)) -> String {
    let stderr = serving.stop();
    assert!(!stderr.contains(TOKEN), "{stderr}");
    drop(place);
    stderr
}

#[test]
fn a_wrong_token_is_told_once_and_a_right_one_is_taken() {
    let home = HomeAssistant::start(NEW);
    let place = place(&home.url(), "");
    put_token(&place, "wrong-token");
    let serving = place.serve(&[]);
    serving.wait_for("it refuses the token");
    // Corrections do not make it try again.
    place.ok(&[
        "correct",
        "utility",
        "house",
        "--at",
        "2026-01-31T20:00:00Z",
        "--kwh",
        "1",
    ]);
    thread::sleep(Duration::from_secs(8));
    assert_eq!(home.with(|state| state.failed_sign_ins), 1);
    put_token(&place, TOKEN);
    eventually("the night", || has_night(&home));
    assert_eq!(home.with(|state| state.failed_sign_ins), 1);
    let stderr = serving.stop();
    assert_eq!(
        stderr.matches("it refuses the token").count(),
        1,
        "{stderr}"
    );
    assert!(
        !stderr.contains("wrong-token") && !stderr.contains(TOKEN),
        "{stderr}"
    );
}

#[test]
fn without_a_token_or_an_account_nobody_is_asked() {
    let home = HomeAssistant::start(NEW);
    let place = place(&home.url(), "account = \"nobody\"");
    let serving = place.serve(&[]);
    serving.wait_for("there is no account \"nobody\"; set home_assistant.account");
    serving.stop();
    set(&place, &home.url(), "");
    place.ok(&["account", "add", "other"]);
    let serving = place.serve(&[]);
    serving.wait_for("there is more than one account, or none; set home_assistant.account");
    serving.stop();
    place.ok(&["account", "remove", "other"]);
    std::fs::remove_file(place.dir.path().join("token")).unwrap();
    let serving = place.serve(&[]);
    serving.wait_for("cannot read the token in token: ");
    serving.stop();
    assert_eq!(home.with(|state| state.connections), 0);
    set(&place, "ftp://a", "");
    let error = place.error(&["--config", "config.toml", "config"]);
    assert!(
        error.contains("home_assistant.url") && error.contains("homeassistant.local:8123"),
        "{error}"
    );
}

#[test]
fn what_is_not_home_assistant_is_told() {
    let elsewhere = HomeAssistant::start(NEW);
    let location = format!("Location: {}/api/websocket\r\n", elsewhere.url());
    let redirecting = Device::start(move |_| status("301 Moved Permanently", &location, ""));
    let html = Device::start(|_| ok("<!DOCTYPE html><title>Router</title>"));
    let garbage = Device::start(|_| "SSH-2.0-OpenSSH_9.2\r\n\r\n\r\n".to_owned());
    let closing = Device::start(|_| String::new());
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    for (address, text) in [
        (
            redirecting.address,
            "it answered with status 301 instead of a WebSocket",
        ),
        (
            html.address,
            "it answered with status 200 instead of a WebSocket",
        ),
        (
            garbage.address,
            "it does not speak the WebSocket API of Home Assistant",
        ),
        (closing.address, "it ended the connection"),
        (nobody, "it cannot be reached: Connection refused"),
    ] {
        end(fails_with(&format!("http://{address}"), text));
    }
    assert_eq!(elsewhere.with(|state| state.connections), 0);
}

/// A WebSocket that sends this after the upgrade.
fn after_upgrade(bytes: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let head = head_of(&mut stream);
            let key = head.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case("sec-websocket-key")
                    .then(|| value.trim().to_owned())
            });
            let accept = tungstenite::handshake::derive_accept_key(key.unwrap().as_bytes());
            let answer = format!(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
            );
            // The service may end the connection before it has read all.
            let _ = stream.write_all(answer.as_bytes());
            let _ = stream.write_all(&bytes);
            let _ = stream.read(&mut [0; 1_024]);
        }
    });
    format!("http://{address}")
}

#[test]
fn huge_and_strange_messages_end_the_connection() {
    let text = |text: &str| {
        let mut frame = vec![0x81, u8::try_from(text.len()).unwrap()];
        frame.extend(text.as_bytes());
        frame
    };
    // The head of a frame of 1 TB.
    let huge = [&[0x81, 127][..], &(1_u64 << 40).to_be_bytes()].concat();
    let required = text("{\"type\":\"auth_required\"}");
    let welcome = text("{\"type\":\"auth_ok\"}");
    let accepted = [required, welcome, huge.clone()].concat();
    for (bytes, told) in [
        (huge, "it sent a message of more than 16384 bytes"),
        (accepted, "it sent a message of more than 4194304 bytes"),
        (text("hello"), "it does not speak the WebSocket API"),
        (
            text("{\"type\":\"auth_ok\"}"),
            "it does not speak the WebSocket API",
        ),
        (vec![0x82, 1, 0], "it does not speak the WebSocket API"),
        (vec![0x88, 0], "it ended the connection"),
        (vec![0xff, 1, 0], "it does not speak the WebSocket API"),
    ] {
        end(fails_with(&after_upgrade(bytes), told));
    }
}

#[test]
fn one_that_never_ends_its_message_is_left() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut sent = stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\n");
            // Until the service closes the connection.
            while sent.is_ok() {
                thread::sleep(Duration::from_secs(1));
                sent = stream.write_all(b"A: b\r\n");
            }
        }
    });
    end(fails_with(
        &format!("http://{address}"),
        "it did not answer within 30 s; trying again in 60 s",
    ));
}

#[test]
fn a_stop_does_not_wait_for_an_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = place(&format!("http://{}", listener.local_addr().unwrap()), "");
    let serving = place.serve(&[]);
    let (_silent, _) = listener.accept().unwrap();
    let begun = std::time::Instant::now();
    serving.stop();
    // It would wait for half a minute.
    assert!(begun.elapsed() < Duration::from_secs(25));
}

#[test]
fn refused_hours_are_told_and_a_broken_connection_is_resumed() {
    let home = HomeAssistant::start(NEW);
    home.with(|state| state.refuses = Some("unauthorized"));
    end(fails_with(
        &home.url(),
        "the token belongs to somebody who is not an administrator there",
    ));
    home.with(|state| state.refuses = Some("home_assistant_error"));
    end(fails_with(
        &home.url(),
        "it refuses import_statistics, with the code \"home_assistant_error\"",
    ));
    home.with(|state| {
        state.refuses = None;
        state.closes_at = Some(state.commands.len() + 4);
    });
    let (place, serving) = fails_with(&home.url(), "it ended the connection; trying again in ");
    // It tries again after a minute.
    eventually("the night", || has_night(&home));
    serving.wait_for("takes the history again, after 1 failed attempts");
    end((place, serving));
}
