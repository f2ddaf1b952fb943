//! The pages by Home Assistant's ingress.

use std::net::{IpAddr, Ipv4Addr};

use wattkeeper::Membership;
use wattkeeper::Secret;
use wattkeeper::Supervisor;

use crate::pages::browser::{Browser, PASSWORD, SESSION, hidden_fields, location, plain};
use crate::pages::people::{THEIRS, add_person};
use crate::pages::proxy::{BELOW, Proxy};
use crate::support::{Connection, Service, request};

/// Where ingress is in these tests. Everybody else is at another address of this machine.
const INGRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// What Home Assistant sends to a browser that came by a name of its own, with TLS.
const HEADERS: &str = "Host: house.elsewhere.example:8123\r\n\
    X-Forwarded-Host: house.elsewhere.example:8123\r\n\
    X-Forwarded-Proto: https\r\n\
    X-Forwarded-For: 192.168.1.20, 172.30.32.1\r\n\
    X-Ingress-Path: /api/hassio_ingress/t0k_en-\r\n";

fn addon() -> Service {
    Service::start_with(|config| {
        let ingress = IpAddr::from(INGRESS);
        config.http.trusted_proxies.push(ingress.into());
        config.supervisor = Some(Supervisor {
            // Nothing answers there.
            url: "http://127.0.0.2:9".into(),
            ingress,
            token: Secret::new("t0ken".into()),
        });
    })
}

fn below(page: &str) -> String {
    format!("{BELOW}{page}")
}

#[test]
fn who_comes_by_home_assistant_sets_the_password() {
    let service = addon();
    let proxy = Proxy::start(service.address(), INGRESS, HEADERS);
    // Others get no access with any request.
    let stranger = Browser::new(&service);
    let sent = [
        ("X-Ingress-Path", "/api/hassio_ingress/x"),
        ("X-Forwarded-For", "127.0.0.2"),
    ];
    let answer = stranger.send("GET", "/sign-in", &sent, b"");
    assert_eq!(answer.status(), 200, "{}", answer.text());

    let browser = Browser::at(proxy.address);
    let sign_in = browser.get(&below("/"));
    let setup = browser.get(location(&sign_in));
    let setup = location(&setup);
    let fields = [("password", PASSWORD), ("again", PASSWORD)];
    let answer = browser.submit(setup, &below("/setup"), &fields);
    assert_eq!(location(&answer), below("/settings/sensor/new"));
    let cookie = answer.head.header("set-cookie").unwrap();
    assert!(cookie.starts_with(&format!("__Host-{SESSION}=")) && cookie.contains("Secure"));
    // Once: from then on the password counts.
    assert_eq!(
        browser
            .page(&below("/settings"))
            .matches("<h1>Settings</h1>")
            .count(),
        1
    );
    let next = Browser::at(proxy.address);
    assert!(next.page(&below("/sign-in")).contains("id=\"password\""));
    assert_eq!(next.get(setup).status(), 403);
    assert_eq!(proxy.strays(), [""; 0]);
}

#[test]
fn any_name_of_home_assistant_is_known_by_ingress_alone() {
    let service = addon();
    let asked =
        "GET /sign-in HTTP/1.1\r\nHost: house.elsewhere.example\r\nX-Ingress-Path: /x\r\n\r\n";
    for (from, status) in [
        (INGRESS, 303),
        (Ipv4Addr::LOCALHOST, 421),
        (Ipv4Addr::new(127, 0, 0, 3), 421),
    ] {
        let mut connection = Connection::open_from(from, service.address());
        connection.send(asked.as_bytes());
        assert_eq!(connection.receive().status(), status, "{from}");
    }
}

#[test]
fn devices_are_shown_an_address_that_they_reach() {
    let service = addon();
    let page = |from, headers: &[(&str, &str)]| {
        let mut connection = Connection::open_from(from, service.address());
        connection.send(&request("GET", "/openapi", headers, b""));
        connection.receive().text().to_owned()
    };
    let local = Ipv4Addr::LOCALHOST;
    // By TLS, the name may be one that leads here from elsewhere only.
    let by_tls = [("X-Forwarded-Proto", "https")];
    // The port of the settings; a test's service listens at any free port.
    assert!(page(INGRESS, &by_tls).contains("<code>http://homeassistant.local:0/api/v0.2"));
    assert!(page(INGRESS, &[]).contains("<code>http://localhost:0/api/v0.2"));
    assert!(
        page(local, &[("X-Forwarded-Prefix", "/energy")])
            .contains("<code>http://localhost/api/v0.2")
    );
}

#[test]
fn a_proxy_says_below_which_path_devices_find_the_service() {
    let service = Service::start_with(|config| {
        config.http.trusted_proxies = vec!["127.0.0.2/32".parse().unwrap()];
    });
    let page = |from, prefix: &str| {
        let mut connection = Connection::open_from(from, service.address());
        connection.send(&request(
            "GET",
            "/openapi",
            &[("X-Forwarded-Prefix", prefix)],
            b"",
        ));
        connection.receive().text().to_owned()
    };
    assert!(page(INGRESS, "/energy/").contains("<code>http://localhost/energy/api/v0.2</code>"));
    for (from, prefix) in [
        (Ipv4Addr::LOCALHOST, "/energy"),
        (INGRESS, "//evil.example"),
        (INGRESS, "/\"><script>"),
        (INGRESS, "/$(reboot)"),
    ] {
        let page = page(from, prefix);
        assert!(
            page.contains("<code>http://localhost/api/v0.2</code>"),
            "{prefix}: {page}"
        );
    }
}

/// The way of a user of Home Assistant to the service.
fn by_user(service: &Service, id: &str, name: &str) -> Proxy {
    let user = format!("X-Remote-User-Id: {id}\r\nX-Remote-User-Name: {name}\r\n");
    Proxy::start(service.address(), INGRESS, &(HEADERS.to_owned() + &user))
}

/// Signs somebody in through ingress, and links the user who visits.
#[track_caller]
fn sign_in_and_link(browser: &Browser<'_>, name: &str, password: &str) {
    let fields = [("name", name), ("password", password), ("link", "yes")];
    let answer = browser.submit(&below("/sign-in"), &below("/sign-in"), &fields);
    assert_eq!(location(&answer), below("/"));
}

/// Answers a button of a page that asks first, whose form has this user.
fn unlink(browser: &Browser<'_>, page: &str, action: &str, user: &str) -> String {
    let fields = hidden_fields(&browser.page(page), action);
    assert!(
        fields.contains(&("user".to_owned(), user.to_owned())),
        "{fields:?}"
    );
    let answer = browser.post(action, &fields);
    location(&answer).to_owned()
}

#[test]
fn a_linked_user_opens_the_pages_without_a_password() {
    let service = addon();
    drop(Browser::set_up(&service));
    add_person(&service, "Anna", &[("home", Membership::Member)]);
    let (hers, his) = (
        by_user(&service, "a11a", "Ännchen"),
        by_user(&service, "b0b0", "bert"),
    );
    let first = Browser::at(hers.address);
    let page = first.page(&below("/sign-in"));
    assert!(
        page.contains("name=\"link\"") && page.contains("Ännchen"),
        "{page}"
    );
    // Without the box, nothing is linked.
    let fields = [("name", "Anna"), ("password", THEIRS)];
    let answer = first.submit(&below("/sign-in"), &below("/sign-in"), &fields);
    assert_eq!(location(&answer), below("/"));
    assert_eq!(Browser::at(hers.address).get(&below("/")).status(), 303);

    sign_in_and_link(&Browser::at(hers.address), "Anna", THEIRS);
    // Any page, in any browser of this user, with the cookie of an ordinary session.
    let next = Browser::at(hers.address);
    let answer = next.get(&below("/energy?account=home"));
    assert_eq!(answer.status(), 200);
    let cookie = answer.head.header("set-cookie").unwrap();
    assert!(
        cookie.starts_with(&format!("__Host-{SESSION}=")),
        "{cookie}"
    );
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    let before = service.store().registry();
    assert!(next.page(&below("/me")).contains("<bdi>Anna</bdi>"));
    // The same session, and Anna's rights alone.
    let after = service.store().registry();
    assert_eq!(format!("{before:?}"), format!("{after:?}"));
    assert_eq!(next.get(&below("/status")).status(), 404);
    // Forms work, and need the token of the session.
    let forged = [("csrf".to_owned(), "x".to_owned())];
    assert_eq!(next.post(&below("/sign-out"), &forged).status(), 403);
    // Others in Home Assistant sign in.
    let other = Browser::at(his.address);
    assert_eq!(other.get(&below("/")).status(), 303);
    assert!(!other.page(&below("/sign-in")).contains("Continue as"));
    assert_eq!(hers.strays(), [""; 0]);
}

#[test]
fn headers_of_others_open_nothing() {
    let service = addon();
    drop(Browser::set_up(&service));
    add_person(&service, "Anna", &[("home", Membership::Member)]);
    let hers = by_user(&service, "a11a", "anna");
    sign_in_and_link(&Browser::at(hers.address), "Anna", THEIRS);
    let user = [("X-Remote-User-Id", "a11a"), ("X-Remote-User-Name", "anna")];
    let status = |from: Ipv4Addr, more: &[(&str, &str)]| {
        let mut connection = Connection::open_from(from, service.address());
        connection.send(&request("GET", "/me", &[&user, more].concat(), b""));
        connection.receive().status()
    };
    let forwarded = [("X-Forwarded-For", "127.0.0.2"), ("X-Ingress-Path", "/x")];
    for other in [Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 3)] {
        assert_eq!(status(other, &[]), 303, "{other}");
        assert_eq!(status(other, &forwarded), 303, "{other}");
    }
    assert_eq!(status(INGRESS, &forwarded), 200);
    // One of the two is a client's own.
    assert_eq!(status(INGRESS, &[("x-remote-user-id", "b0b0")]), 303);
    // The sign-in page offers others neither box nor button.
    let stranger = Browser::new(&service);
    let page = stranger.send("GET", "/sign-in", &user, b"");
    assert!(!page.text().contains("name=\"link\"") && !page.text().contains("Continue"));
    let fields = [("linked", "yes")];
    let mut form = hidden_fields(&stranger.page("/sign-in"), "/sign-in");
    form.extend(fields.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(stranger.post("/sign-in", &form).status(), 403);
}

#[test]
fn the_session_of_a_visit_is_of_that_user_alone() {
    let service = addon();
    drop(Browser::set_up(&service));
    add_person(&service, "Anna", &[("home", Membership::Member)]);
    let (hers, his) = (
        by_user(&service, "a11a", "anna"),
        by_user(&service, "b0b0", "bert"),
    );
    let anna = Browser::at(hers.address);
    sign_in_and_link(&anna, "Anna", THEIRS);
    let name = format!("__Host-{SESSION}");
    let cookie = anna.cookie(&name).unwrap();
    // Bert uses the same tablet, and somebody took the cookie along.
    let bert = Browser::at(his.address);
    bert.set_cookie(&name, &cookie);
    assert_eq!(bert.get(&below("/")).status(), 303);
    let direct = Browser::new(&service);
    direct.set_cookie(SESSION, &cookie);
    assert_eq!(direct.get("/").status(), 303);
    assert_eq!(anna.get(&below("/")).status(), 200);

    // At most eight sessions, as for those who sign in.
    let sessions = || {
        format!("{:?}", service.store().registry())
            .matches("by: Some")
            .count()
    };
    for _ in 0..10 {
        assert_eq!(Browser::at(hers.address).get(&below("/me")).status(), 200);
    }
    assert_eq!(sessions(), 8);
    // A browser that never keeps its cookie does not write without end.
    let refused = (0..100).any(|_| Browser::at(hers.address).get(&below("/me")).status() == 303);
    assert!(refused);
    assert_eq!(sessions(), 8);
}

#[test]
fn a_link_can_be_removed_and_ends_with_the_password() {
    let service = addon();
    let administrator = Browser::set_up(&service);
    add_person(&service, "Anna", &[("home", Membership::Member)]);
    let (hers, his) = (
        by_user(&service, "a11a", "anna"),
        by_user(&service, "b0b0", "bert"),
    );
    // By the person: this very session ends.
    let anna = Browser::at(hers.address);
    sign_in_and_link(&anna, "Anna", THEIRS);
    let to = unlink(&anna, &below("/me"), &below("/me/unlink"), "a11a");
    assert_eq!(to, below("/me?done=unlinked"));
    assert_eq!(anna.get(&below("/me")).status(), 303);
    // By the administrator, who is linked, too.
    sign_in_and_link(&anna, "Anna", THEIRS);
    let bert = Browser::at(his.address);
    sign_in_and_link(&bert, "", PASSWORD);
    assert!(
        Browser::at(his.address)
            .page(&below("/status"))
            .contains("<h1>")
    );
    let people = plain(&administrator.page("/settings/people"));
    assert!(
        people.contains("As Anna") && people.contains("As administrator"),
        "{people}"
    );
    let action = "/settings/people/unlink";
    let to = unlink(&administrator, "/settings/people", action, "a11a");
    assert!(
        administrator
            .page(&to)
            .contains("signs in with a password from now on")
    );
    assert_eq!(anna.get(&below("/me")).status(), 303);
    assert_eq!(bert.get(&below("/status")).status(), 200);
    // Nobody removes the link of another one.
    sign_in_and_link(&anna, "Anna", THEIRS);
    let page = anna.page(&below("/me"));
    let mut form = hidden_fields(&page, &below("/me/unlink"));
    let user = form.iter_mut().find(|(name, _)| name == "user").unwrap();
    user.1 = "b0b0".into();
    assert_eq!(anna.post(&below("/me/unlink"), &form).status(), 422);
    assert_eq!(bert.get(&below("/status")).status(), 200);

    // A new password ends it: somebody else may have known the old one.
    let fields = [
        ("current", THEIRS),
        ("password", "another one"),
        ("again", "another one"),
    ];
    let answer = anna.submit(&below("/me"), &below("/me"), &fields);
    assert_eq!(location(&answer), below("/me?done=password"));
    assert_eq!(anna.get(&below("/me")).status(), 200);
    assert_eq!(Browser::at(hers.address).get(&below("/me")).status(), 303);
    let remaining: Vec<_> = service
        .store()
        .registry()
        .linked_users()
        .map(|it| it.user.id.to_string())
        .collect();
    assert_eq!(remaining, ["b0b0"]);
}

#[test]
fn who_signs_out_continues_by_a_button_and_keeps_a_form() {
    let service = addon();
    drop(Browser::set_up(&service));
    add_person(&service, "Anna", &[("home", Membership::Member)]);
    let hers = by_user(&service, "a11a", "anna");
    let anna = Browser::at(hers.address);
    sign_in_and_link(&anna, "Anna", THEIRS);
    let answer = anna.submit(&below("/"), &below("/sign-out"), &[]);
    assert_eq!(location(&answer), below("/sign-in"));
    let page = anna.page(&below("/sign-in"));
    assert!(page.contains("Continue as Anna"), "{page}");
    let continued = [("linked", "yes")];
    let answer = anna.submit(&below("/sign-in"), &below("/sign-in"), &continued);
    assert_eq!(location(&answer), below("/"));
    assert!(anna.get(&below("/me")).status() == 200);

    // The session ends while a form is filled in.
    let address = below("/costs/purchases?account=home");
    let mut form = hidden_fields(&anna.page(&address), &below("/costs/purchases"));
    form.push(("name".into(), "my panels".into()));
    let ended = Browser::at(hers.address);
    ended.page(&below("/sign-in"));
    let answer = ended.post(&below("/costs/purchases"), &form);
    assert_eq!(answer.status(), 403, "{}", answer.text());
    let page = answer.text();
    assert!(
        page.contains("Continue as Anna") && page.contains("my%20panels"),
        "{page}"
    );
    let mut kept = hidden_fields(page, &below("/sign-in"));
    kept.push(("linked".into(), "yes".into()));
    let answer = ended.post(&below("/sign-in"), &kept);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert!(
        answer.text().contains("value=\"my panels\""),
        "{}",
        answer.text()
    );
}

#[test]
fn who_sets_the_first_password_can_link_at_once() {
    let service = addon();
    let his = by_user(&service, "b0b0", "bert");
    let browser = Browser::at(his.address);
    let sign_in = browser.get(&below("/"));
    let setup = browser.get(location(&sign_in));
    let fields = [("password", PASSWORD), ("again", PASSWORD), ("link", "yes")];
    let answer = browser.submit(location(&setup), &below("/setup"), &fields);
    assert_eq!(location(&answer), below("/settings/sensor/new"));
    assert!(
        Browser::at(his.address)
            .page(&below("/settings"))
            .contains("<h1>Settings</h1>")
    );
}
