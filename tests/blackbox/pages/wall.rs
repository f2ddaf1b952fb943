//! Wall tablets: a link opens one account, for looking only.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use serde_json::json;
use wattkeeper::Plan;

use crate::pages::browser::{Browser, PASSWORD, SESSION, location};
use crate::pages::live::Stream;
use crate::support::{HOUR, MINUTE, Service};

const WALL: &str = "wattkeeper_wall";

/// Makes a link for a tablet; returns its path and query.
#[track_caller]
pub(crate) fn link(administrator: &Browser<'_>, name: &str, account: &str) -> String {
    let fields = [("name", name), ("account", account)];
    let answer = administrator.submit_own("/settings/walls", &fields);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let (_, shown) = answer.text().split_once("http://localhost").unwrap();
    shown.split('<').next().unwrap().to_owned()
}

/// A browser that has opened this link.
#[track_caller]
fn tablet<'a>(service: &'a Service, link: &str) -> Browser<'a> {
    let tablet = Browser::new(service);
    let answer = tablet.get(link);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    // Leads on without a script, to an address without the token.
    let leads_on = "<meta http-equiv=\"refresh\" content=\"0; url=/wall\">";
    assert!(answer.text().contains(leads_on));
    let token = link.split_once('=').unwrap().1;
    assert!(!answer.text().contains(token));
    tablet
}

#[test]
fn a_tablet_shows_one_account_and_leads_nowhere() {
    let service = Service::start();
    service.add_account("shop", Plan::Paid);
    service.add_sensor("shop", "till");
    let administrator = Browser::set_up(&service);
    service.accept(&json!({"watts": 1_234}));
    let link = link(&administrator, "hall", "home");
    let tablet = tablet(&service, &link);
    let page = tablet.page("/wall");
    assert!(page.contains("<bdi>home</bdi>") && page.contains("1.23\u{202F}kW"));
    // Refreshed without scripts.
    assert!(page.contains("<noscript><meta http-equiv=\"refresh\" content=\"60\"></noscript>"));
    for way_out in ["<a ", "<form", "<button", "shop", "till"] {
        assert!(!page.contains(way_out), "{way_out}: {page}");
    }
    // Not known is not nothing.
    assert!(page.contains("<td class=\"number\">–</td>") && !page.contains("0.00"));
    let mut stream = Stream::open(&tablet, "/wall/live");
    // The page's figures, and nothing about single sensors.
    let sent = stream.data();
    assert_eq!(sent["grid"]["power"], "1.23\u{202F}kW");
    let keys: Vec<&String> = sent.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["grid"], "{sent}");

    // It opens nothing else, and is nobody who has signed in.
    for elsewhere in ["/", "/chart", "/chart.csv", "/live", "/me", "/settings"] {
        let answer = tablet.get(elsewhere);
        assert!(location(&answer).starts_with("/sign-in"), "{elsewhere}");
    }
    for account in ["/wall?account=shop", "/wall/live?account=shop"] {
        assert_eq!(tablet.get(account).status(), 404);
    }
    // Its token is no session, and a session is no tablet.
    let token = tablet.cookie(WALL).unwrap();
    let other = Browser::new(&service);
    other.set_cookie(SESSION, &token);
    assert!(!other.is_signed_in());
    other.set_cookie(WALL, &administrator.cookie(SESSION).unwrap());
    assert_eq!(other.get("/wall").status(), 403);
    assert_eq!(Browser::new(&service).get("/wall").status(), 403);
}

#[test]
fn a_revoked_link_shows_nothing_at_once() {
    let service = Service::start();
    let administrator = Browser::set_up(&service);
    let [first, second] = ["hall", "kitchen"].map(|name| link(&administrator, name, "home"));
    let (hall, kitchen) = (tablet(&service, &first), tablet(&service, &second));
    let mut stream = Stream::open(&hall, "/wall/live");
    stream.data();
    let page = administrator.page("/settings/walls");
    assert!(page.contains("hall") && page.contains("kitchen") && page.contains("never used"));
    let token = first.split_once('=').unwrap().1;
    assert!(!page.contains(token), "shown twice");

    let fields = [("name", "hall")];
    let answer = administrator.submit("/settings/walls", "/settings/wall/revoke", &fields);
    assert!(
        administrator
            .page(location(&answer))
            .contains("Link revoked")
    );
    stream.assert_ends("signed out");
    assert_eq!(hall.get("/wall").status(), 403);
    assert_eq!(hall.get("/wall/live").status(), 403);
    assert_eq!(hall.get(&first).status(), 403);
    assert_eq!(kitchen.get("/wall").status(), 200);
}

#[test]
fn a_tablet_needs_no_care() {
    let mut service = Service::start();
    let (path, token);
    {
        let administrator = Browser::set_up(&service);
        path = link(&administrator, "hall", "home");
        let tablet = tablet(&service, &path);
        let answer = tablet.get("/wall");
        // The use is written, and the cookie lasts as long as browsers let it.
        let cookie = answer.head.header("set-cookie").unwrap();
        assert!(cookie.contains("Max-Age=34560000"), "{cookie}");
        for flag in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(cookie.contains(flag), "{cookie}");
        }
        assert_eq!(tablet.get("/wall").head.header("set-cookie"), None);
        let page = administrator.page("/settings/walls");
        assert!(page.contains("last used 5 Jan 2026"), "{page}");
        // A person who opens a link stays signed in.
        assert_eq!(administrator.get(&path).status(), 200);
        assert!(administrator.is_signed_in());
        token = tablet.cookie(WALL).unwrap();
    }
    service.restart();
    // Longer than a session.
    service.clock.advance(100 * 24 * HOUR + MINUTE);
    let tablet = Browser::new(&service);
    tablet.set_cookie(WALL, &token);
    assert_eq!(tablet.get("/wall").status(), 200);
    for bad in ["/wall/open", "/wall/open?token=x", "/wall/open?token="] {
        let browser = Browser::new(&service);
        assert_eq!(browser.get(bad).status(), 403, "{bad}");
        assert_eq!(browser.cookie(WALL), None);
    }
}

#[test]
fn mistakes_are_shown_at_the_form() {
    let service = Service::start();
    let administrator = Browser::set_up(&service);
    link(&administrator, "hall", "home");
    for (name, account, mentions) in [
        ("hall", "home", "there is a wall tablet"),
        ("", "home", "Name: expected"),
        ("attic", "nothing", "There is no account"),
    ] {
        let fields = [("name", name), ("account", account)];
        let answer = administrator.submit_own("/settings/walls", &fields);
        assert_eq!(answer.status(), 422, "{name}");
        assert!(answer.text().contains(mentions), "{}", answer.text());
    }
    // The password is the administrator's alone, as ever.
    assert_eq!(Browser::new(&service).sign_in(PASSWORD).status(), 303);
}

/// The address of this machine in its network, if it has one.
fn lan_address() -> Option<Ipv4Addr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    match socket.local_addr().ok()? {
        SocketAddr::V4(own) if !own.ip().is_loopback() => Some(*own.ip()),
        _ => None,
    }
}

#[test]
fn links_made_at_this_machine_lead_others_here() {
    let Some(lan) = lan_address() else {
        eprintln!("skipped: this machine is in no network");
        return;
    };
    let service = Service::start_with(|config| {
        config.http.listen = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    });
    let administrator = Browser::set_up(&service);
    let fields = [("name", "hall"), ("account", "home")];
    let answer = administrator.submit_own("/settings/walls", &fields);
    let link = format!("http://{lan}/wall/open?token=");
    assert!(answer.text().contains(&link), "{}", answer.text());
    let page = administrator.page("/settings/sensor/connect?id=house&device=script");
    let own = format!("http://{lan}/api/v0.2/elec");
    assert!(page.contains(&own) && !page.contains("http://localhost"));
    let page = Browser::new(&service).page("/openapi");
    assert!(
        page.contains(&format!("<code>http://{lan}/api/v0.2</code>")),
        "{page}"
    );
}
