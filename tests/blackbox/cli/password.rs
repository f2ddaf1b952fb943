//! `wattkeeper password`, and what `serve` prints if no password is set.

use std::os::unix::fs::chown;

use crate::place::{Place, both_ways};

/// The set-up address in a server's output.
pub(crate) fn setup_address(said: &str) -> Option<String> {
    let (_, rest) = said.split_once("add a sensor: ")?;
    rest.lines().next().map(str::to_owned)
}

/// A minimal browser: one cookie, one form.
pub(super) struct Browser {
    agent: ureq::Agent,
    url: String,
}

impl Browser {
    pub(super) fn new(url: &str) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .build();
        Self {
            agent: config.new_agent(),
            url: url.to_owned(),
        }
    }

    /// The status of a page, its text and its cookie.
    fn get(&self, path: &str, cookie: &str) -> (u16, String, String) {
        let request = self.agent.get(format!("{}{path}", self.url));
        let mut response = request.header("Cookie", cookie).call().unwrap();
        let text = response.body_mut().read_to_string().unwrap();
        (response.status().as_u16(), text, cookie_of(&response))
    }

    /// Signs in; returns the status and the session's cookie.
    pub(super) fn sign_in(&self, password: &str) -> (u16, String) {
        let (_, page, visit) = self.get("/sign-in", "");
        let csrf = page.split("name=\"csrf\" value=\"").nth(1).unwrap();
        let csrf = csrf.split('"').next().unwrap();
        let request = self.agent.post(format!("{}/sign-in", self.url));
        let fields = [("csrf", csrf), ("password", password)];
        let response = request.header("Cookie", visit).send_form(fields).unwrap();
        (response.status().as_u16(), cookie_of(&response))
    }
}

fn cookie_of(response: &ureq::http::Response<ureq::Body>) -> String {
    let set = response.headers().get("set-cookie");
    let set = set.map_or("", |value| value.to_str().unwrap());
    set.split(';').next().unwrap().to_owned()
}

pub(crate) fn set(place: &Place, input: &[u8]) -> String {
    let run = place.run_on(input, &["password"]);
    assert_eq!(run.status, 0, "{run:?}");
    run.out
}

#[test]
fn sets_the_password_of_who_signs_in() {
    both_ways(|place| {
        place.ok(&["account", "add", "home"]);
        let said = set(place, b"correct horse\n");
        assert!(said.contains("password"), "{said}");
        assert!(!said.contains("correct horse"), "{said}");
        let run = place.run_on(b"correct horse\r\n", &["--json", "password"]);
        assert_eq!(run.json(), serde_json::json!({"password_set": true}));
    });
}

#[test]
fn a_reset_ends_all_sessions() {
    let place = Place::new();
    place.ok(&["account", "add", "home"]);
    set(&place, b"correct horse");
    let server = place.serve(&[]);
    let browser = Browser::new(&server.url);
    assert_eq!(browser.sign_in("battery staple").0, 403);
    let (status, session) = browser.sign_in("correct horse");
    assert_eq!(status, 303);
    assert_eq!(browser.get("/", &session).0, 200);

    set(&place, b"battery staple\nand more\n");
    assert_eq!(browser.get("/", &session).0, 303);
    assert_eq!(browser.sign_in("correct horse").0, 403);
    assert_eq!(browser.sign_in("battery staple").0, 303);
    server.stop();
}

#[test]
fn nothing_secret_is_logged() {
    let place = Place::new();
    let server = place.serve(&["-vv"]);
    let browser = Browser::new(&server.url);
    let (status, page, visit) = browser.get("/setup?token=a-made-up-token", "");
    assert_eq!(status, 403, "{page}");
    set(&place, b"correct horse");
    assert_eq!(browser.sign_in("staple staple").0, 403);
    let (_, session) = browser.sign_in("correct horse");
    assert_eq!(browser.get("/settings?x=y", &session).0, 200);
    let said = server.stop();
    assert!(said.contains("/settings"), "{said}");
    let said = said.replace(&setup_address(&said).unwrap(), "");
    let token = |cookie: &str| cookie.split_once('=').unwrap().1.to_owned();
    for secret in [
        "a-made-up-token",
        "correct",
        "staple",
        "$argon2id",
        &token(&visit),
        &token(&session),
    ] {
        assert!(!said.contains(secret), "{secret}: {said}");
    }
}

#[test]
fn bad_passwords_are_refused() {
    let place = Place::new();
    place.ok(&["account", "add", "home"]);
    let long = [b'x'; 257];
    let long_with_line = [&long[..], b"\r\n"].concat();
    for (input, reason) in [
        (&b"short\n"[..], "at least 10 characters"),
        (b"", "standard input"),
        (b"\n", "standard input"),
        (&long, "at most 256 bytes"),
        (&long_with_line, "at most 256 bytes"),
        (
            b"\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff\n",
            "not UTF-8",
        ),
    ] {
        let error = place.run_on(input, &["password"]).error();
        assert!(error.contains(reason), "{error}");
        assert!(!error.contains("short\n"), "{error}");
    }
    let just = [&[b'x'; 256][..], b"\r\n"].concat();
    set(&place, &just);
}

#[test]
fn needs_a_store() {
    let place = Place::new();
    let error = place.run_on(b"correct horse\n", &["password"]).error();
    assert!(error.contains("no store"), "{error}");
}

/// Who owns the socket, or the folder that it is in, could read what is sent there.
#[test]
#[ignore = "needs root"]
fn no_secret_is_sent_to_a_socket_of_another_user_as_root() {
    let place = Place::new();
    place.prepare();
    let (api_id, _) = place.key();
    set(&place, b"correct horse\n");
    let anna = place.run_on(b"battery staple\n", &["person", "add", "Anna"]);
    assert_eq!(anna.status, 0, "{anna:?}");
    let server = place.serve(&[]);
    let known = || ["key", "person", "wall"].map(|what| place.json(&[what, "list"]));
    let before = known();
    for owned in [place.data_dir().join("wattkeeper.sock"), place.data_dir()] {
        chown(&owned, Some(1), None).unwrap();
        for arguments in [
            &["password"][..],
            &["key", "add", "home"],
            &["key", "rotate", &api_id],
            &["person", "add", "Bert"],
            &["person", "password", "Anna"],
            &["wall", "add", "hall", "home"],
        ] {
            let error = place.run_on(b"staple battery\n", arguments).error();
            let why = format!("{} belongs to the user with the id 1", owned.display());
            // The command names the folder as its argument does.
            let why = why
                .replace(place.dir.path().to_str().unwrap(), "")
                .replacen('/', "", 1);
            assert!(error.contains(&why), "{arguments:?}: {error}");
        }
        // Everyone with access sees the settings that are not secret.
        assert_eq!(known(), before);
        chown(&owned, Some(0), None).unwrap();
    }
    let browser = Browser::new(&server.url);
    assert_eq!(browser.sign_in("correct horse").0, 303);
    set(&place, b"staple battery\n");
    assert_eq!(browser.sign_in("staple battery").0, 303);
    server.stop();
}
