//! A store that is repaired in the browser.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout};
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::password;
use crate::cli::salvage::filled;
use crate::pages::browser::{Browser, plain};
use crate::place::{Place, Serving, names, signal, wait};
use crate::port::free_port;

/// `serve` with text output, killed when dropped.
struct Texts {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Texts {
    fn start(place: &Place, address: &str) -> Self {
        let mut child = place
            .command(&["serve", "--listen", address])
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// The rest of the next line after `beginning`.
    fn next(&mut self, beginning: &str) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix(beginning);
        rest.unwrap_or_else(|| panic!("{line:?}")).to_owned()
    }
}

impl Drop for Texts {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A form of the page whose address has this token.
fn ask(browser: &Browser, token: &str, action: &str, file: &str) -> u16 {
    let fields = [("token", token), ("do", action), ("file", file)];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    browser.post("/repair", &fields).status()
}

/// The page once nothing is under way.
fn result(browser: &Browser, token: &str) -> String {
    let begun = Instant::now();
    loop {
        let page = browser.page(&format!("/repair?token={token}"));
        if !page.contains("http-equiv=\"refresh\"") {
            return plain(&page);
        }
        assert!(begun.elapsed() < Duration::from_mins(2), "it hangs");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until the page at `path` is there; meanwhile connections may be refused or cut off.
fn wait_for(address: &str, path: &str) {
    let begun = Instant::now();
    let url = format!("http://{address}{path}");
    while ureq::get(&url).call().is_err() {
        assert!(begun.elapsed() < Duration::from_mins(2), "it hangs");
        thread::sleep(Duration::from_millis(50));
    }
}

fn exported(place: &Place) -> String {
    place.ok(&["export", "--sensor", "house"])
}

#[test]
fn a_store_that_cannot_be_opened_is_salvaged_or_restored() {
    let place = filled();
    let before = exported(&place);
    place.ok(&["backup", "copy.backup"]);
    let copy = place.dir.path().join("copy.backup").display().to_string();
    std::fs::remove_dir_all(place.data_dir().join("facts")).unwrap();
    let address = format!("127.0.0.1:{}", free_port());
    let mut service = Texts::start(&place, &address);
    let url = service.next("The store is not open. Open this to repair it: ");
    let (url, token) = url.split_once("/repair?token=").unwrap();
    assert_eq!(url, format!("http://{address}"));
    let address: SocketAddr = address.parse().unwrap();
    let browser = Browser::at(address);

    // Nobody without the secret learns or changes anything.
    for path in ["/", "/readyz", "/healthz", "/api/v0.2/elec", "/settings"] {
        let answer = browser.get(path);
        assert_eq!(answer.status(), 503, "{path}");
        assert!(answer.head.header("retry-after").is_some(), "{path}");
    }
    for path in ["/repair", "/repair?token=x", "/repair?token="] {
        let answer = browser.get(path);
        assert_eq!(answer.status(), 403, "{path}");
        assert!(!answer.text().contains("facts"), "{path}");
    }
    assert_eq!(ask(&browser, "x", "restore", &copy), 403);
    let sent = browser.send("POST", "/repair/upload", &[("X-Repair-Token", "x")], b"x");
    assert_eq!(sent.status(), 403);
    assert!(!names(&place.data_dir()).contains(&"uploaded.part".to_owned()));

    let page = result(&browser, token);
    assert!(page.contains("The store cannot be opened"), "{page}");
    assert_eq!(ask(&browser, token, "restore", "copy.backup"), 422);
    assert_eq!(ask(&browser, token, "restore", "/no/such/file"), 200);
    let page = result(&browser, token);
    assert!(page.contains("the store is as it was: opening"), "{page}");
    assert!(!names(&place.data_dir()).contains(&"facts".to_owned()));

    assert_eq!(ask(&browser, token, "salvage", ""), 200);
    let page = result(&browser, token);
    assert!(
        page.contains("The store was salvaged: 9\u{202f}000"),
        "{page}"
    );
    assert!(page.contains("everything that people entered"), "{page}");
    assert_eq!(ask(&browser, token, "restore", &copy), 200);
    let page = result(&browser, token);
    assert!(
        page.contains("The backup was restored: 9\u{202f}000"),
        "{page}"
    );
    assert_eq!(ask(&browser, token, "open", ""), 200);
    service.next("wattkeeper is listening on ");
    assert_eq!(exported(&place), before);
    signal(&service.child, "TERM");
    assert_eq!(wait(&mut service.child), Some(0));
    let kept = names(&place.data_dir());
    let kept = kept.iter().filter(|name| name.starts_with("replaced-"));
    assert_eq!(kept.count(), 2);
    place.ok(&["check"]);
}

/// A stop without a repair is an error, as a start that failed.
#[test]
fn a_service_that_was_not_repaired_fails() {
    let place = filled();
    std::fs::remove_dir_all(place.data_dir().join("facts")).unwrap();
    let mut service = Texts::start(&place, "127.0.0.1:0");
    service.next("The store is not open. Open this to repair it: ");
    signal(&service.child, "TERM");
    assert_eq!(wait(&mut service.child), Some(1));
}

/// Sends a backup to the page with this token. One that is broken off before does not keep it out.
fn send_after_one_that_broke_off(browser: &Browser, (address, token): (&str, &str), bytes: &[u8]) {
    let header = [("X-Repair-Token", token)];
    let head = format!(
        "POST /repair/upload HTTP/1.1\r\nHost: {address}\r\nX-Repair-Token: {token}\r\nContent-Length: 9000\r\n\r\nx"
    );
    let send = || browser.send("POST", "/repair/upload", &header, bytes);
    let begun = Instant::now();
    // One that comes during another is refused, so each attempt makes its own.
    let cut = loop {
        let mut cut = std::net::TcpStream::connect(address).unwrap();
        cut.write_all(head.as_bytes()).unwrap();
        if send().status() == 409 {
            break cut;
        }
        assert!(begun.elapsed() < Duration::from_mins(10), "it never began");
    };
    drop(cut);
    while send().status() != 204 {
        assert!(begun.elapsed() < Duration::from_mins(10), "it is kept out");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_administrator_checks_closes_restores_and_opens_the_store() {
    let place = filled();
    password::set(&place, b"correct horse battery\n");
    let before = exported(&place);
    place.ok(&["backup", "copy.backup"]);
    let address = format!("127.0.0.1:{}", free_port());
    let command = ["--json", "serve", "--listen", &address];
    let service = Serving::start(place.command(&command));
    place.ok(&[
        "sensor",
        "add",
        "later",
        "--account",
        "home",
        "--role",
        "solar",
    ]);
    let browser = Browser::at(address.parse().unwrap());
    assert_eq!(browser.sign_in("correct horse battery").status(), 303);

    let checked = browser.submit("/settings/store", "/settings/store/check", &[]);
    assert!(plain(checked.text()).contains("The store is in order: 9\u{202f}000"));
    let closed = browser.submit("/settings/store", "/settings/store/close", &[]);
    let page = plain(closed.text());
    let (_, rest) = page.split_once("url=repair?token=").unwrap();
    let token = rest.split('"').next().unwrap();
    service.wait_for("closed the store");
    wait_for(&address, &format!("/repair?token={token}"));
    let bytes = std::fs::read(place.dir.path().join("copy.backup")).unwrap();
    send_after_one_that_broke_off(&browser, (&address, token), &bytes);
    let page = result(&browser, token);
    assert!(page.contains("sent by a browser"), "{page}");
    let copy = place
        .data_dir()
        .canonicalize()
        .unwrap()
        .join("uploaded.backup");
    assert_eq!(ask(&browser, token, "restore", copy.to_str().unwrap()), 200);
    assert!(result(&browser, token).contains("The backup was restored"));
    assert_eq!(ask(&browser, token, "open", ""), 200);
    wait_for(&address, "/sign-in");
    assert!(!copy.exists());
    assert_eq!(exported(&place), before);
    assert!(!place.ok(&["sensor", "list"]).contains("later"));
    assert_eq!(browser.sign_in("correct horse battery").status(), 303);
    let page = browser.page("/settings/store");
    let (_, name) = page.split_once("<code>replaced-").unwrap();
    let name = format!("replaced-{}", name.split('<').next().unwrap());
    let fields = [("name", name.as_str())];
    let removed = browser.submit("/settings/store", "/settings/store/remove", &fields);
    assert_eq!(removed.status(), 303);
    assert!(!browser.page("/settings/store").contains("replaced-"));
    // The page says that only its browser has the address.
    let log = service.stop();
    assert!(log.contains("Only the browser that closed it"), "{log}");
    assert!(!log.contains(token), "{log}");
}
