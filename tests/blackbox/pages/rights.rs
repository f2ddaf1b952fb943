//! Access rights: each route of the pages, by each kind of visitor.

use std::collections::BTreeSet;

use wattkeeper::Plan;
use wattkeeper::{
    AccountName, Membership, MeterKind, Role, Scope, SessionToken, WallName, WallTablet,
};

use crate::pages::browser::{Browser, SESSION, hidden_fields};
use crate::pages::dashboard::put_sensor;
use crate::pages::people::{add_person, browser_of};
use crate::support::Service;

/// The token of the wall tablet in these tests.
fn token() -> SessionToken {
    SessionToken::from_random([7; 32])
}

/// Method, address, the fields of a form; and what becomes of it for nobody, a wall tablet, a
/// viewer of `home`, a member of `home`, a member of another account, the administrator: `Y` it is
/// carried out, or its mistakes are shown; `s` they are to sign in first; `n` it does not exist;
/// `f` it is forbidden, for everyone or for all but tablets.
///
/// Each row of `/settings` that changes something names a thing of its own, which is there until
/// the administrator comes, last.
#[rustfmt::skip] // A table: one route per line.
const ROUTES: &[(&str, &str, &str, &str)] = &[
    ("GET",  "/sign-in", "", "YYYYYY"),
    ("POST", "/sign-in", "name=Nobody&password=wrong", "ffffff"),
    ("GET",  "/setup", "", "ffffff"),
    ("POST", "/setup", "", "ffffff"),
    ("GET",  "/openapi", "", "YYYYYY"),
    ("GET",  "/offline", "", "YYYYYY"),
    ("GET",  "/", "", "ssYYYY"),
    ("GET",  "/?account=home", "", "ssYYnY"),
    ("GET",  "/chart", "", "ssYYYY"),
    ("GET",  "/chart?account=home", "", "ssYYnY"),
    ("GET",  "/chart?account=home&sensor=house", "", "ssYYnY"),
    ("GET",  "/chart?sensor=house", "", "ssYYnY"),
    ("GET",  "/chart.csv?account=home", "", "ssYYnY"),
    ("GET",  "/live?account=home", "", "ssYYnY"),
    ("POST", "/language", "to=/&language=en", "YYYYYY"),
    ("GET",  "/chart-spreadsheet.csv?account=home", "", "ssYYnY"),
    ("GET",  "/energy", "", "ssYYYY"),
    ("GET",  "/energy?account=home", "", "ssYYnY"),
    ("GET",  "/energy.csv?account=home", "", "ssYYnY"),
    ("GET",  "/energy/hours?account=home", "", "ssYYnY"),
    ("GET",  "/events", "", "ssYYYY"),
    ("GET",  "/events?account=home", "", "ssYYnY"),
    ("GET",  "/events?sensor=house", "", "ssYYnY"),
    ("GET",  "/events?account=shop&sensor=house", "", "ssnnnY"),
    ("POST", "/events/decide", "sensor=house&at=2026-01-05T10:00:00Z&decision=ignore", "ssnYnY"),
    ("POST", "/events/decide", "account=shop&sensor=house&at=2026-01-05T10:00:00Z&decision=ignore", "ssnnnY"),
    ("POST", "/events/range", "sensor=house", "ssnYnY"),
    ("POST", "/events/revoke", "account=home&number=1", "ssnYnY"),
    ("GET",  "/meter?sensor=house", "", "ssnYnY"),
    ("POST", "/meter", "sensor=house&shown=x", "ssnYnY"),
    ("POST", "/meter/calibrate", "sensor=house&from=2026-01-05T10:00:00Z&factor=1.01", "ssnYnY"),
    ("POST", "/meter/remove", "account=home&number=99", "ssnYnY"),
    ("GET",  "/meter/change?sensor=house", "", "ssnYnY"),
    ("POST", "/meter/change", "sensor=house", "ssnYnY"),
    ("GET",  "/bills?account=home", "", "ssYYnY"),
    ("POST", "/bills", "account=home", "ssnYnY"),
    ("POST", "/bills/remove", "account=home&number=99", "ssnYnY"),
    ("GET",  "/costs", "", "ssYYYY"),
    ("GET",  "/costs?account=home", "", "ssYYnY"),
    ("GET",  "/costs.csv?account=home", "", "ssYYnY"),
    ("GET",  "/costs.json?account=home", "", "ssYYnY"),
    ("GET",  "/costs/sensor?account=home", "", "ssYYnY"),
    ("GET",  "/costs/sensor.csv?account=home&sensor=plug", "", "ssYYnY"),
    ("GET",  "/costs/forecast?account=home", "", "ssYYnY"),
    ("GET",  "/costs/compare?account=home", "", "ssYYnY"),
    ("GET",  "/costs/what-if", "", "ssYYYY"),
    ("GET",  "/costs/what-if?account=home&battery=5", "", "ssYYnY"),
    ("POST", "/costs/what-if", "account=home&battery=5", "ssYYnY"),
    ("GET",  "/costs/offers?account=home", "", "ssnYnY"),
    ("GET",  "/costs/offer?account=home", "", "ssnYnY"),
    ("POST", "/costs/offer", "account=home", "ssnYnY"),
    ("POST", "/costs/offer/remove", "account=home&old=none", "ssnnnn"),
    ("GET",  "/costs/savings?account=home", "", "ssYYnY"),
    ("GET",  "/costs/purchases?account=home", "", "ssYYnY"),
    ("POST", "/costs/purchases", "account=home", "ssnYnY"),
    ("POST", "/costs/purchases/remove", "account=home&old=none", "ssnnnn"),
    ("GET",  "/costs/contracts?account=home", "", "ssnYnY"),
    ("GET",  "/costs/templates?account=home", "", "ssnYnY"),
    ("GET",  "/costs/tariff?account=home&template=de-dynamic", "", "ssnYnY"),
    ("POST", "/costs/tariff", "account=home&template=de-dynamic", "ssnYnY"),
    ("GET",  "/costs/contract?account=home", "", "ssnYnY"),
    ("POST", "/costs/contract", "account=home", "ssnYnY"),
    ("POST", "/costs/contract/remove", "account=home&old=none", "ssnnnn"),
    ("GET",  "/costs/prices?account=home", "", "ssnYnY"),
    ("POST", "/costs/prices", "account=home", "ssnYnY"),
    ("GET",  "/costs/series?account=home&name=none", "", "ssnnnn"),
    ("POST", "/costs/series/remove", "account=home&name=none", "ssnnnn"),
    ("GET",  "/costs/cheapest", "", "ssYYYY"),
    ("GET",  "/costs/cheapest?account=home", "", "ssYYnY"),
    ("GET",  "/costs/days?account=home", "", "ssnYnY"),
    ("POST", "/costs/days", "account=home", "ssnYnY"),
    ("POST", "/costs/days/remove", "account=home&of=none", "ssnnnn"),
    ("POST", "/notices/dismiss", "account=home&id=none", "ssnYnY"),
    ("POST", "/notices/dismiss", "id=none", "ssnnnY"),
    ("POST", "/notices/dismiss", "sensor=house&id=none", "ssnnnY"),
    ("GET",  "/wall", "", "fYffff"),
    ("GET",  "/wall?account=shop", "", "fnffff"),
    ("GET",  "/wall/live", "", "fYffff"),
    ("GET",  "/wall/open", "", "ffffff"),
    ("GET",  "/me", "", "ssYYYY"),
    ("POST", "/me", "current=wrong&password=a&again=a", "ssYYYn"),
    ("POST", "/me/unlink", "user=0f3c", "ssYYYn"),
    ("GET",  "/status", "", "ssnnnY"),
    ("GET",  "/settings", "", "ssnYYY"),
    ("GET",  "/settings?account=home", "", "ssnYnY"),
    ("POST", "/settings/password", "current=wrong&password=a&again=a", "ssnnnY"),
    ("GET",  "/settings/account?name=home", "", "ssnnnY"),
    ("POST", "/settings/account", "name=home&plan=paid&tz=UTC&account=home", "ssnnnY"),
    ("GET",  "/settings/account/new", "", "ssnnnY"),
    ("POST", "/settings/account/new", "name=third&plan=paid&tz=UTC", "ssnnnY"),
    ("POST", "/settings/account/remove", "name=unused&account=home", "ssnnnY"),
    ("GET",  "/settings/key?id=old-key", "", "ssnnnY"),
    ("GET",  "/settings/key/new", "", "ssnnnY"),
    ("POST", "/settings/key/new", "account=home&scope=full", "ssnnnY"),
    ("POST", "/settings/key/rotate", "id=old-key&account=home", "ssnnnY"),
    ("POST", "/settings/key/revoke", "id=old-key&account=home", "ssnnnY"),
    ("GET",  "/settings/sensor?id=old", "", "ssnnnY"),
    ("GET",  "/settings/sensor/new", "", "ssnnnY"),
    ("POST", "/settings/sensor/new", "account=home&name=new&role=grid&id=new", "ssnnnY"),
    ("GET",  "/settings/sensor/connect?id=old", "", "ssnnnY"),
    ("POST", "/settings/sensor/connect", "id=old&device=person", "ssnnnY"),
    ("POST", "/settings/sensor/connect/poll", "id=old&device=shelly&sensor=old&preset=shelly&address=", "ssnnnY"),
    ("POST", "/settings/sensor/connect/topic", "id=old&device=tasmota-mqtt&topic=", "ssnnnY"),
    ("GET",  "/settings/sensor/check?id=old", "", "ssnnnY"),
    ("POST", "/settings/sensor/check", "id=old", "ssnnnY"),
    ("GET",  "/settings/sensor/state?id=old", "", "ssnnnY"),
    ("GET",  "/settings/sensor/import?id=old", "", "ssnnnY"),
    ("POST", "/settings/sensor/import", "id=old&account=home", "ssnnnY"),
    ("POST", "/settings/sensor/import/forget", "id=old&name=x&account=home", "ssnnnY"),
    ("POST", "/settings/sensor/change", "id=old&name=x&role=grid&account=home", "ssnnnY"),
    ("POST", "/settings/sensor/authorize", "id=old&authorized=no&account=home", "ssnnnY"),
    ("POST", "/settings/sensor/remove", "id=old&account=home", "ssnnnY"),
    ("GET",  "/settings/broker", "", "ssnnnY"),
    ("POST", "/settings/broker", "address=&account=home", "ssnnnY"),
    ("POST", "/settings/broker/test", "account=home", "ssnnnY"),
    ("POST", "/settings/broker/unsubscribe", "section=x&account=home", "ssnnnY"),
    ("GET",  "/settings/devices", "", "ssnnnY"),
    ("POST", "/settings/devices", "topic=a&device=a&account=home", "ssnnnY"),
    ("GET",  "/settings/polled", "", "ssnnnY"),
    ("POST", "/settings/polled", "sensor=house&preset=shelly&address=&account=home", "ssnnnY"),
    ("POST", "/settings/polled/remove", "section=x&account=home", "ssnnnY"),
    ("GET",  "/settings/home-assistant", "", "ssnnnY"),
    ("POST", "/settings/home-assistant", "account=home&address=&token=", "ssnnnY"),
    ("POST", "/settings/home-assistant/prices", "account=home&entity=sensor.price", "ssnnnn"),
    ("POST", "/settings/home-assistant/send", "account=home", "ssnnnn"),
    ("GET",  "/settings/home-assistant/counted?account=home", "", "ssnnnn"),
    ("POST", "/settings/home-assistant/house", "account=home", "ssnnnn"),
    ("POST", "/settings/home-assistant/sensors", "account=home&role=", "ssnnnY"),
    ("POST", "/settings/home-assistant/remove", "account=home", "ssnnnY"),
    ("GET",  "/settings/price-sources", "", "ssnnnY"),
    ("POST", "/settings/price-sources", "source=energy-charts&account=home", "ssnnnY"),
    ("POST", "/settings/price-sources/remove", "section=x&account=home", "ssnnnY"),
    ("GET",  "/settings/backups", "", "ssnnnY"),
    ("POST", "/settings/backups", "dir=&every=24h&keep=7&account=home", "ssnnnY"),
    ("GET",  "/settings/store", "", "ssnnnY"),
    ("POST", "/settings/store/check", "account=home", "ssnnnY"),
    ("POST", "/settings/store/confirm", "account=home", "ssnnnY"),
    ("POST", "/settings/store/close", "account=home", "ssnnnY"),
    ("POST", "/settings/store/remove", "name=../data", "ssnnnn"),
    ("GET",  "/settings/messages", "", "ssnnnY"),
    ("POST", "/settings/messages", "format=json&account=home", "ssnnnY"),
    ("POST", "/settings/messages/test", "account=home", "ssnnnY"),
    ("GET",  "/settings/people", "", "ssnnnY"),
    ("POST", "/settings/people/unlink", "user=0f3c", "ssnnnY"),
    ("GET",  "/settings/person?name=Old", "", "ssnnnY"),
    ("POST", "/settings/person", "name=Old&may-home=member&account=home", "ssnnnY"),
    ("GET",  "/settings/person/new", "", "ssnnnY"),
    ("POST", "/settings/person/new", "name=Eve&password=a&again=a&account=home", "ssnnnY"),
    ("POST", "/settings/person/password", "name=Old&password=a&again=a", "ssnnnY"),
    ("POST", "/settings/person/remove", "name=Old&account=home", "ssnnnY"),
    ("GET",  "/settings/walls", "", "ssnnnY"),
    ("POST", "/settings/walls", "name=new&account=home", "ssnnnY"),
    ("POST", "/settings/wall/revoke", "name=old&account=home", "ssnnnY"),
    // Last: it ends the session.
    ("POST", "/sign-out", "", "ssYYYY"),
];

/// The addresses that take forms.
pub(crate) fn forms() -> BTreeSet<&'static str> {
    let forms = ROUTES.iter().filter(|(method, ..)| *method == "POST");
    let path = |address: &'static str| address.split('?').next().unwrap_or_default();
    forms.map(|(_, address, ..)| path(address)).collect()
}

pub(crate) fn add_tablet(service: &Service, name: &str, token: &SessionToken) {
    let tablet = WallTablet {
        name: WallName::new(name).unwrap(),
        account: AccountName::new("home").unwrap(),
        session: token.id(),
        created: service.clock.now(),
        last_used: None,
    };
    assert!(
        service
            .store()
            .edit(move |edit| edit.add_tablet(tablet))
            .unwrap()
    );
}

#[test]
fn everybody_may_use_what_is_theirs_and_nothing_else() {
    let service = Service::start_with(|config| config.http.failed_sign_ins_per_minute = 0);
    let administrator = Browser::set_up(&service);
    for account in ["shop", "unused"] {
        service.add_account(account, Plan::Paid);
    }
    service.add_sensor("shop", "till");
    service.add_sensor("home", "old");
    put_sensor(&service, "plug", "Plug", Role::SubMeter, MeterKind::Counter);
    service.add_key("home", "old-key", Scope::Full);
    add_tablet(&service, "hall", &token());
    add_tablet(&service, "old", &SessionToken::from_random([8; 32]));
    add_person(&service, "Viewer", &[("home", Membership::Viewer)]);
    add_person(&service, "Member", &[("home", Membership::Member)]);
    add_person(&service, "Stranger", &[("shop", Membership::Member)]);
    add_person(&service, "Old", &[]);
    let tablet = Browser::new(&service);
    tablet.set_cookie("wattkeeper_wall", token().reveal());
    let visitors = [
        ("nobody", Browser::new(&service)),
        ("tablet", tablet),
        ("viewer", browser_of(&service, "Viewer")),
        ("member", browser_of(&service, "Member")),
        ("stranger", browser_of(&service, "Stranger")),
        ("administrator", administrator),
    ];
    let mut wrong = Vec::new();
    for (at, (name, browser)) in visitors.iter().enumerate() {
        for (method, address, fields, expected) in ROUTES {
            let expected = expected.chars().nth(at).unwrap();
            let found = outcome(browser, method, address, fields);
            if found != expected {
                wrong.push(format!(
                    "{name}: {method} {address}: {found}, not {expected}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The result of a request, as in [`ROUTES`].
fn outcome(browser: &Browser<'_>, method: &str, address: &str, fields: &str) -> char {
    let was_in = browser.cookie(SESSION).is_some();
    let (status, location) = if method == "POST" {
        // Each form of a visitor has the same token.
        let page = ["/", "/sign-in"].map(|page| browser.get(page));
        let csrf = page.iter().find_map(|page| {
            let form = ["/sign-out", "/sign-in"].into_iter();
            let mut form = form.filter(|form| page.text().contains(&format!("action=\"{form}\"")));
            let fields = hidden_fields(page.text(), form.next()?);
            fields.into_iter().find(|(name, _)| name == "csrf")
        });
        let fields = fields.split('&').filter_map(|field| field.split_once('='));
        let mut fields: Vec<_> = fields
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        fields.extend(csrf);
        let answer = browser.post(address, &fields);
        let location = answer.head.header("location").map(str::to_owned);
        // The page to sign in keeps what was typed.
        if answer.text().contains("name=\"kept-form\"") {
            (303, Some("/sign-in".to_owned()))
        } else {
            (answer.status(), location)
        }
    } else {
        // Not to its end: some are streams.
        let (_, head) = browser.begin(address);
        (head.status, head.header("location").map(str::to_owned))
    };
    let is_sign_in =
        location.is_some_and(|it| it.trim_start_matches(['.', '/']).starts_with("sign-in"));
    match status {
        // Signing out leads there, too.
        303 if is_sign_in && !(address == "/sign-out" && was_in) => 's',
        404 => 'n',
        403 => 'f',
        200 | 303 | 422 => 'Y',
        other => panic!("{method} {address}: {other}"),
    }
}

/// The tables of routes as they are written: a route that nobody thought of here fails.
#[test]
fn no_route_is_forgotten() {
    let source = include_str!("../../../src/http/pages/mod.rs");
    let tables = source.split(" pages = vec![").skip(1);
    let tables: Vec<&str> = tables
        .map(|rest| rest.split_once("\n    ];").unwrap().0)
        .collect();
    assert_eq!(tables.len(), 2);
    let mut written = BTreeSet::new();
    for line in tables
        .iter()
        .flat_map(|table| table.lines())
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
    {
        let (path, handlers) = line
            .strip_prefix("(\"")
            .unwrap()
            .split_once("\", vec![")
            .unwrap();
        for handler in handlers.split("), ") {
            let method = match handler.split_once('(').unwrap().0 {
                "get" | "stream" => "GET",
                "post" | "form" => "POST",
                other => panic!("{other}: {line}"),
            };
            written.insert((method, path));
        }
    }
    let path = |address: &'static str| address.split('?').next().unwrap();
    let tested = ROUTES
        .iter()
        .map(|(method, address, ..)| (*method, path(address)));
    assert_eq!(tested.collect::<BTreeSet<_>>(), written);
    // And there is no other way to make one.
    let rest = tables
        .iter()
        .fold(source.to_owned(), |rest, table| rest.replace(table, ""));
    assert_eq!(
        rest.matches("resource(").count(),
        4,
        "a resource beside the table"
    );
}
