//! Settings of the service that the administrator sets in the browser: in force at once, kept, and
//! their secrets never shown.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use wattkeeper::{Flags, load_config};

use crate::mqtt::hostile::{accept, introduced, message, wait_for_ack};
use crate::mqtt::house::eventually;
use crate::pages::browser::{Browser, PASSWORD, hidden_fields, location, plain};
use crate::place::{Place, Serving};
use crate::support::{MINUTE, Response, SENSOR, Service};

const CONNACK: &[u8] = b"\x20\x02\x00\x00";
const SUBSCRIPTIONS: &str =
    "[[mqtt.subscriptions]]\ntopic = \"m/+\"\nsensor = \"house\"\nwatts = \"/w\"";

/// A service with a subscription, and no broker.
fn service() -> Service {
    let place = Place::new();
    place.file("config.toml", SUBSCRIPTIONS.as_bytes());
    let flags = Flags {
        config: Some(place.dir.path().join("config.toml")),
        ..Flags::default()
    };
    let subscriptions = load_config(&flags, []).unwrap().config.mqtt.subscriptions;
    Service::start_with(|config| config.mqtt.subscriptions = subscriptions)
}

fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

pub(crate) fn save(browser: &Browser<'_>, page: &str, fields: &[(&str, &str)]) -> Response {
    let answer = browser.submit_own(page, fields);
    assert_eq!(location(&answer), format!("{page}?done=saved"));
    answer
}

fn has(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|it| it == part.as_bytes())
}

/// Sends a reading, and waits until it is stored: a client that is still connecting sends no
/// goodbye.
fn talk(stream: &mut TcpStream, packet_id: u16) {
    let reading = message(b"m/a", b"{\"w\":5}", packet_id, false);
    stream.write_all(&reading).unwrap();
    wait_for_ack(stream, packet_id);
}

/// Whether the other side says goodbye, and closes.
fn is_left(mut stream: &TcpStream) -> bool {
    let mut rest = Vec::new();
    stream
        .set_read_timeout(Some(Duration::from_mins(10)))
        .unwrap();
    stream.read_to_end(&mut rest).unwrap();
    rest.ends_with(b"\xe0\x00")
}

#[test]
fn a_broker_is_used_at_once_and_left_at_once() {
    let mut service = service();
    let (first, first_address) = listener();
    let (second, second_address) = listener();
    let (mut old, mut new);
    {
        let browser = Browser::set_up(&service);
        let fields = [
            ("address", first_address.as_str()),
            ("user", "meter"),
            ("password", "hunter2"),
        ];
        save(&browser, "/settings/broker", &fields);
        let (stream, hello) = introduced(&first);
        old = stream;
        assert!(has(&hello, "meter") && has(&hello, "hunter2"));
        old.write_all(CONNACK).unwrap();
        talk(&mut old, 7);
        assert_eq!(service.all_watts().len(), 1);

        // Saved again without changes: nothing happens, and the password stays.
        save(&browser, "/settings/broker", &fields[..2]);
        talk(&mut old, 8);

        // Another broker does not get the password that was meant for this one.
        let fields = [("address", second_address.as_str()), ("user", "meter")];
        save(&browser, "/settings/broker", &fields);
        assert!(is_left(&old));
        let (stream, hello) = introduced(&second);
        new = stream;
        assert!(has(&hello, "meter") && !has(&hello, "hunter2"));
        new.write_all(CONNACK).unwrap();
        talk(&mut new, 9);
    }
    // It is kept.
    service.restart();
    assert!(is_left(&new));
    let mut again = accept(&second);
    talk(&mut again, 10);
    let browser = Browser::signed_in(&service);
    save(&browser, "/settings/broker", &[("address", "")]);
    assert!(is_left(&again));
}

#[test]
fn secrets_are_never_sent_back() {
    let service = service();
    let browser = Browser::set_up(&service);
    let (broker, address) = listener();
    let fields = [
        ("address", address.as_str()),
        ("user", "meter"),
        ("password", "hunter2"),
    ];
    save(&browser, "/settings/broker", &fields);
    drop(accept(&broker));
    let receiver = listener().1;
    let webhook = format!("http://{receiver}/s3cret");
    let fields = [
        ("webhook", webhook.as_str()),
        ("format", "ntfy"),
        ("token", "t0ken"),
    ];
    save(&browser, "/settings/messages", &fields);
    let mistakes = [
        browser.submit_own(
            "/settings/broker",
            &[("address", "a b"), ("password", "hunter3")],
        ),
        browser.submit_own(
            "/settings/messages",
            &[("webhook", "ftp://s3cret"), ("format", "ntfy")],
        ),
    ];
    for mistake in &mistakes {
        assert_eq!(mistake.status(), 422);
    }
    let mut pages: Vec<String> = [
        "/settings/broker",
        "/settings/messages",
        "/settings",
        "/status",
    ]
    .map(|page| browser.page(page))
    .into();
    pages.extend(mistakes.iter().map(|it| it.text().to_owned()));
    for page in &pages {
        for secret in ["hunter2", "hunter3", "s3cret", "t0ken"] {
            assert!(!page.contains(secret), "{secret}: {page}");
        }
    }
    assert!(
        pages[0].contains("One is set, and never shown"),
        "{}",
        pages[0]
    );
    assert!(pages[1].contains(&format!("Messages go to http://{receiver}.")));
    // A mistake changes nothing.
    assert!(pages[0].contains(&format!("value=\"{address}\"")));

    // Removed, as the box says.
    let fields = [
        ("address", address.as_str()),
        ("user", "meter"),
        ("remove-password", "yes"),
    ];
    save(&browser, "/settings/broker", &fields);
    // Those that connected before the password was removed come first; after them none has it.
    let mut hellos = (0..5).map(|_| introduced(&broker).1);
    let hello = hellos.find(|hello| !has(hello, "hunter2"));
    assert!(has(&hello.unwrap(), "meter"));
    assert!(!has(&introduced(&broker).1, "hunter2"));
    let page = browser.page("/settings/broker");
    assert!(!page.contains("One is set") && !page.contains("remove-password"));
}

#[test]
fn a_test_says_what_is_wrong() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    assert!(!browser.page("/settings/broker").contains("broker/test"));
    let (broker, address) = listener();
    let fields = [
        ("address", address.as_str()),
        ("user", "meter"),
        ("password", "wrong"),
    ];
    save(&browser, "/settings/broker", &fields);
    // Ours first, then that of the test; both are refused.
    let refusing = std::thread::spawn(move || {
        let mut names = Vec::new();
        loop {
            let (mut stream, hello) = introduced(&broker);
            stream.write_all(b"\x20\x02\x00\x05").unwrap();
            names.push(hello.clone());
            if has(&hello, "wattkeeper-test") {
                return names;
            }
        }
    });
    let tested = browser.submit("/settings/broker", "/settings/broker/test", &[]);
    assert_eq!(tested.status(), 200);
    assert!(
        tested.text().contains("refuses the user or the password"),
        "{}",
        tested.text()
    );
    assert!(!tested.text().contains("wrong\""));
    let hello = refusing.join().unwrap().pop().unwrap();
    assert!(has(&hello, "meter") && has(&hello, "wrong"));
    // The broker is gone.
    let tested = browser.submit("/settings/broker", "/settings/broker/test", &[]);
    assert!(tested.text().contains("nothing listens at this port"));
    // One at a time, and a broker that is silent ends it after ten seconds.
    let (silent, address) = listener();
    save(&browser, "/settings/broker", &[("address", &address)]);
    let other = Browser::signed_in(&service);
    std::thread::scope(|scope| {
        let slow = scope.spawn(move || {
            let begun = std::time::Instant::now();
            let tested = other.submit("/settings/broker", "/settings/broker/test", &[]);
            (tested, begun.elapsed())
        });
        // Held open: ours, and that of the test.
        let mut held: Vec<(TcpStream, Vec<u8>)> = Vec::new();
        while !held
            .last()
            .is_some_and(|(_, hello)| has(hello, "wattkeeper-test"))
        {
            held.push(introduced(&silent));
        }
        let second = browser.submit("/settings/broker", "/settings/broker/test", &[]);
        assert!(second.text().contains("Another test is running"));
        let (tested, took) = slow.join().unwrap();
        assert!(tested.text().contains("No answer within ten seconds"));
        assert!(took < Duration::from_mins(1), "{took:?}");
    });
}

#[test]
fn backups_begin_where_a_page_says() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    assert!(browser.page("/status").contains("Choose a folder"));
    let folder = tempfile::tempdir().unwrap();
    let copies = folder.path().join("a/copies");
    let inside = service.data_dir().join("data/copies");
    for (dir, every, keep, expected) in [
        ("copies", "24h", "7", "the whole path of a folder"),
        (inside.to_str().unwrap(), "24h", "7", "in the data folder"),
        ("/proc/copies", "24h", "7", "cannot be made"),
        (copies.to_str().unwrap(), "1s", "7", "from 1m to 8760h"),
        (copies.to_str().unwrap(), "24h", "0", "from 1 to 1000"),
    ] {
        let fields = [("dir", dir), ("every", every), ("keep", keep)];
        let refused = browser.submit_own("/settings/backups", &fields);
        assert_eq!(refused.status(), 422, "{dir}");
        assert!(refused.text().contains(expected), "{}", refused.text());
        // The input is there again.
        assert!(refused.text().contains(&format!("value=\"{dir}\"")));
    }
    assert!(!inside.exists());
    let fields = [
        ("dir", copies.to_str().unwrap()),
        ("every", "90m"),
        ("keep", "2"),
    ];
    save(&browser, "/settings/backups", &fields);
    let count = || {
        std::fs::read_dir(&copies)
            .unwrap()
            .flatten()
            .filter(|file| file.path().extension().is_some_and(|it| it == "backup"))
            .count()
    };
    eventually("a backup", || (count() == 1).then_some(()));
    assert!(browser.page("/status").contains(copies.to_str().unwrap()));
    assert!(browser.page("/settings/backups").contains("value=\"90m\""));
    let off = [("dir", ""), ("every", "90m"), ("keep", "2")];
    save(&browser, "/settings/backups", &off);
    assert!(browser.page("/status").contains("Choose a folder"));
}

#[test]
fn messages_go_where_a_page_says() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let (webhook_listener, address) = listener();
    let webhook = format!("http://{address}/s3cret");
    let fields = [
        ("webhook", webhook.as_str()),
        ("format", "gotify"),
        ("token", "t0ken"),
    ];
    save(&browser, "/settings/messages", &fields);
    // A sensor that was there goes silent.
    for _ in 0..5 {
        service.accept(&serde_json::json!({"watts": 1}));
        service.clock.advance(MINUTE);
    }
    service.clock.advance(24 * 60 * MINUTE);
    let text = answer(&webhook_listener, SENSOR, "200 OK");
    assert!(text.starts_with("post /s3cret "), "{text}");
    assert!(text.contains("x-gotify-key: t0ken"), "{text}");
}

/// Reads a request with `text` in it, and answers it.
fn answer(listener: &TcpListener, text: &str, status: &str) -> String {
    let (mut stream, _) = listener.accept().unwrap();
    let mut received = Vec::new();
    let mut bytes = [0; 4_096];
    while !has(&received, text) {
        let count = stream.read(&mut bytes).unwrap();
        assert_ne!(count, 0, "{}", String::from_utf8_lossy(&received));
        received.extend_from_slice(&bytes[..count]);
    }
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(answer.as_bytes()).unwrap();
    String::from_utf8(received).unwrap().to_lowercase()
}

#[test]
fn a_test_message_shows_whether_messages_arrive() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let form = "action=\"/settings/messages/test\"";
    assert!(!browser.page("/settings/messages").contains(form));
    let test = || browser.submit("/settings/messages", "/settings/messages/test", &[]);
    let (receiver, address) = listener();
    let webhook = format!("http://{address}/s3cret");
    for (format, header) in [
        ("json", "{\"state\":\"test\",\"happened\":\"this is"),
        ("ntfy", "title: wattkeeper: test"),
        ("gotify", "\"title\":\"wattkeeper: test\""),
        ("home-assistant", "\"title\":\"wattkeeper\",\"message\":"),
    ] {
        let fields = [("webhook", webhook.as_str()), ("format", format)];
        save(&browser, "/settings/messages", &fields);
        assert!(browser.page("/settings/messages").contains(form));
        for (status, expected) in [
            ("200 OK", "The receiver took the message."),
            ("403 Forbidden", "answered with status 403"),
        ] {
            let (tested, request) = std::thread::scope(|scope| {
                let answering = scope.spawn(|| answer(&receiver, "arrive here.", status));
                (test(), answering.join().unwrap())
            });
            assert!(tested.text().contains(expected), "{}", tested.text());
            assert!(!tested.text().contains("s3cret"));
            assert!(request.starts_with("post /s3cret"), "{request}");
            assert!(request.contains(header), "{request}");
        }
    }
    drop(receiver);
    assert!(test().text().contains("could not be sent"));
    // Meanwhile somebody else has removed the address.
    let address = "/settings/messages/test";
    let fields = hidden_fields(&browser.page("/settings/messages"), address);
    let remove = [("remove-webhook", "yes"), ("format", "json")];
    save(&browser, "/settings/messages", &remove);
    let nowhere = browser.post(address, &fields);
    assert!(nowhere.text().contains("save an address first"));
}

#[test]
fn mail_is_set_up_on_a_page() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    let page = "/settings/messages";
    let (receiver, address) = listener();
    let server = format!("smtp://{address}");
    let fields = |to| {
        [
            ("webhook", server.as_str()),
            ("format", "email"),
            ("token", "S3CRET"),
            ("mail_to", to),
            ("mail_from", ""),
            ("weekly", "off"),
            ("statement", "off"),
        ]
    };
    let refused = browser.submit(page, page, &fields("nobody"));
    assert_eq!(refused.status(), 422);
    assert!(refused.text().contains("Enter an e-mail address"));
    let with_password = [
        ("webhook", "smtps://me:S3CRET@mail.example"),
        ("format", "email"),
    ];
    let refused = browser.submit(page, page, &with_password);
    assert!(refused.text().contains("a mail server, without a password"));
    assert!(!refused.text().contains("S3CRET"));
    save(&browser, page, &fields("Haus <home@example.org>"));
    let shown = plain(&browser.page(page));
    assert!(
        shown.contains(&server) && shown.contains("Haus <home@example.org>"),
        "{shown}"
    );
    assert!(!shown.contains("S3CRET"), "{shown}");
    // Without TLS, it gets neither the password nor the message.
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let (tested, got) = std::thread::scope(|scope| {
        let answering = scope.spawn(|| {
            let (mut stream, _) = receiver.accept().unwrap();
            stream
                .write_all(b"220 mail ESMTP\r\n250 no TLS here\r\n")
                .unwrap();
            let mut got = String::new();
            // It ends when the service leaves.
            let _ = stream.read_to_string(&mut got);
            got
        });
        let tested = browser.submit(page, "/settings/messages/test", &[]);
        (tested, answering.join().unwrap())
    });
    assert!(
        tested.text().contains("konnte nicht gesendet werden"),
        "{}",
        tested.text()
    );
    assert!(
        got.starts_with("EHLO") && !got.contains("AUTH") && !got.contains("MAIL"),
        "{got}"
    );
}

/// Messages for people have the language of the page with their form; those for programs that of
/// the API.
#[test]
fn messages_have_the_language_of_the_page_of_their_form() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    let (receiver, address) = listener();
    let webhook = format!("http://{address}/");
    for (language, format, text) in [
        ("de", "ntfy", "Das ist ein Test."),
        ("en", "ntfy", "This is a test"),
        ("de", "gotify", "Das ist ein Test."),
        ("de", "json", "This is a test"),
    ] {
        browser.headers = vec![("Accept-Language", language.to_owned())];
        let fields = [("webhook", webhook.as_str()), ("format", format)];
        save(&browser, "/settings/messages", &fields);
        // The test is started from a page in another language.
        browser.headers = vec![("Accept-Language", "en".to_owned())];
        let request = std::thread::scope(|scope| {
            let answering = scope.spawn(|| answer(&receiver, text, "200 OK"));
            browser.submit("/settings/messages", "/settings/messages/test", &[]);
            answering.join().unwrap()
        });
        assert!(request.contains(&text.to_lowercase()), "{request}");
    }
}

pub(crate) fn set_password(place: &Place) {
    place.ok(&["account", "add", "home"]);
    let run = place.run_on(format!("{PASSWORD}\n").as_bytes(), &["password"]);
    assert_eq!(run.status, 0, "{run:?}");
}

/// A place with an administrator, and a browser at a service there.
pub(crate) fn administered(place: &Place) -> (Serving, Browser<'static>) {
    set_password(place);
    let serving = place.serve(&[]);
    let browser = browser_at(&serving);
    (serving, browser)
}

pub(crate) fn browser_at(serving: &Serving) -> Browser<'static> {
    let address = serving.url.strip_prefix("http://").unwrap();
    let address: SocketAddr = address.parse().unwrap();
    let browser = Browser::at(address);
    assert_eq!(browser.sign_in(PASSWORD).status(), 303);
    browser
}

#[test]
fn the_file_and_the_environment_win_and_the_page_says_so() {
    let place = Place::new();
    let (broker, address) = listener();
    let text = format!(
        "[mqtt]\nbroker = \"mqtt://{address}\"\nuser = \"meter\"\npassword = \"hunter2\"\n[backup]\nkeep = 3"
    );
    place.file("config.toml", text.as_bytes());
    set_password(&place);
    let mut command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    command.env("WATTKEEPER_NOTICES_WEBHOOK", "https://ntfy.sh/s3cret");
    let serving = Serving::start(command);
    let held = accept(&broker);
    let browser = browser_at(&serving);
    let page = browser.page("/settings/broker");
    assert!(
        page.contains("Set by ./config.toml. Change it there."),
        "{page}"
    );
    assert!(page.contains(&format!("value=\"{address}\"")) && page.contains(" readonly"));
    assert!(!page.contains("hunter2"), "{page}");
    let (other, other_address) = listener();
    other.set_nonblocking(true).unwrap();
    let fields = [("address", other_address.as_str()), ("password", "other")];
    save(&browser, "/settings/broker", &fields);
    let page = browser.page("/settings/broker");
    assert!(page.contains(&address) && !page.contains(&other_address));
    let page = browser.page("/settings/backups");
    assert_eq!(page.matches("Set by ./config.toml").count(), 1);
    let page = browser.page("/settings/messages");
    assert!(page.contains("Set by WATTKEEPER_NOTICES_WEBHOOK"), "{page}");
    assert!(
        page.contains("https://ntfy.sh") && !page.contains("s3cret"),
        "{page}"
    );
    assert!(other.accept().is_err());
    let log = serving.stop();
    assert!(is_left(&held));
    for secret in ["hunter2", "s3cret", "other"] {
        assert!(!log.contains(secret), "{log}");
    }
}

#[test]
fn a_kill_keeps_what_was_saved_and_a_backup_has_no_secrets() {
    let place = Place::new();
    let (broker, address) = listener();
    let (serving, browser) = administered(&place);
    let fields = [
        ("address", address.as_str()),
        ("user", "meter"),
        ("password", "hunter2"),
    ];
    save(&browser, "/settings/broker", &fields);
    serving.signal("KILL");
    drop(serving);
    // By the service that was killed, or the next one.
    let serving = place.serve(&[]);
    let hello = loop {
        let (mut stream, hello) = introduced(&broker);
        if stream.write_all(CONNACK).is_ok() && stream.read(&mut [0; 1]).is_ok_and(|it| it > 0) {
            break hello;
        }
    };
    assert!(has(&hello, "hunter2"));
    place.json(&["backup", "copy"]);
    let copy = std::fs::read(place.dir.path().join("copy")).unwrap();
    assert!(!has(&copy, "hunter2"));
    let log = serving.stop();
    assert!(!log.contains("hunter2"), "{log}");
    for shown in [place.ok(&["config"]), place.ok(&["--json", "config"])] {
        assert!(!shown.contains("hunter2"), "{shown}");
    }

    let other = Place::new();
    let file = place.dir.path().join("copy");
    let run = other.run(&["restore", file.to_str().unwrap()]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("mqtt.password is missing"), "{run:?}");
    broker.set_nonblocking(true).unwrap();
    while broker.accept().is_ok() {}
    let serving = other.serve(&[]);
    serving.wait_for("mqtt.password is missing");
    let browser = browser_at(&serving);
    let page = browser.page("/settings/broker");
    assert!(page.contains("missing since the restore") && page.contains(&address));
    assert!(
        browser
            .page("/status")
            .contains("The password of the broker is missing")
    );
    // Nobody tries without it.
    assert!(broker.accept().is_err());
    broker.set_nonblocking(false).unwrap();
    save(&browser, "/settings/broker", &fields);
    assert!(has(&introduced(&broker).1, "hunter2"));
    assert!(!browser.page("/status").contains("is missing"));
}
