//! Access rights: each route of the pages, by each kind of visitor.

use std::collections::BTreeSet;

use wattkeeper::Plan;
use wattkeeper::{
    AccountName, Membership, MeterKind, Role, Scope, SessionToken, WallName, WallTablet,
};

use crate::pages::browser::{Browser, SESSION, hidden_fields};
use crate::pages::dashboard::put_sensor;
use crate::pages::people::{add_person, browser_of};
use crate::support::{Service, house_basic, request};

/// The token of the wall tablet in these tests.
fn token() -> SessionToken {
    SessionToken::from_random([7; 32])
}

/// Method, address, the fields of a form; and what becomes of it for nobody, a wall tablet, a
/// viewer of `home`, a member of `home`, a member of another account, a tenant of `home`, the
/// administrator: `Y` it is carried out, or its mistakes are shown; `s` they are to sign in first; `n` it does not exist;
/// `f` it is forbidden, for everyone or for all but tablets.
///
/// Each row of `/settings` that changes something names a thing of its own, which is there until
/// the administrator comes, last.
#[rustfmt::skip] // A table: one route per line.
const ROUTES: &[(&str, &str, &str, &str)] = &[
    ("GET",  "/sign-in", "", "YYYYYYY"),
    ("POST", "/sign-in", "name=Nobody&password=wrong", "fffffff"),
    ("GET",  "/setup", "", "fffffff"),
    ("POST", "/setup", "", "fffffff"),
    ("GET",  "/openapi", "", "YYYYYYY"),
    ("GET",  "/offline", "", "YYYYYYY"),
    ("GET",  "/", "", "ssYYYYY"),
    ("GET",  "/?account=home", "", "ssYYnYY"),
    ("GET",  "/tenancy", "", "ssYYYYY"),
    ("GET",  "/tenancy?account=home&tenancy=Flat%201", "", "ssYYnYY"),
    ("GET",  "/tenancy?account=home&tenancy=Flat%202", "", "ssYYnnY"),
    ("GET",  "/tenancy?account=shop", "", "ssnnYnY"),
    ("GET",  "/tenancy.csv?account=home&tenancy=Flat%201", "", "ssYYnYY"),
    ("GET",  "/tenancy.csv?account=home&tenancy=Flat%202", "", "ssYYnnY"),
    ("GET",  "/chart", "", "ssYYYnY"),
    ("GET",  "/chart?account=home", "", "ssYYnnY"),
    ("GET",  "/chart?account=home&sensor=house", "", "ssYYnnY"),
    ("GET",  "/chart?sensor=house", "", "ssYYnnY"),
    ("GET",  "/chart.csv?account=home", "", "ssYYnnY"),
    ("GET",  "/live?account=home", "", "ssYYnnY"),
    ("POST", "/language", "to=/&language=en", "YYYYYYY"),
    ("GET",  "/chart-spreadsheet.csv?account=home", "", "ssYYnnY"),
    ("GET",  "/energy", "", "ssYYYnY"),
    ("GET",  "/energy?account=home", "", "ssYYnnY"),
    ("GET",  "/energy.csv?account=home", "", "ssYYnnY"),
    ("GET",  "/energy/hours?account=home", "", "ssYYnnY"),
    ("GET",  "/events", "", "ssYYYnY"),
    ("GET",  "/events?account=home", "", "ssYYnnY"),
    ("GET",  "/events?sensor=house", "", "ssYYnnY"),
    ("GET",  "/events?account=shop&sensor=house", "", "ssnnnnY"),
    ("POST", "/events/decide", "sensor=house&at=2026-01-05T10:00:00Z&decision=ignore", "ssnYnnY"),
    ("POST", "/events/decide", "account=shop&sensor=house&at=2026-01-05T10:00:00Z&decision=ignore", "ssnnnnY"),
    ("POST", "/events/range", "sensor=house", "ssnYnnY"),
    ("POST", "/events/revoke", "account=home&number=1", "ssnYnnY"),
    ("GET",  "/meter?sensor=house", "", "ssnYnnY"),
    ("POST", "/meter", "sensor=house&shown=x", "ssnYnnY"),
    ("POST", "/meter/calibrate", "sensor=house&from=2026-01-05T10:00:00Z&factor=1.01", "ssnYnnY"),
    ("POST", "/meter/remove", "account=home&number=99", "ssnYnnY"),
    ("GET",  "/meter/change?sensor=house", "", "ssnYnnY"),
    ("POST", "/meter/change", "sensor=house", "ssnYnnY"),
    ("GET",  "/bills?account=home", "", "ssYYnnY"),
    ("POST", "/bills", "account=home", "ssnYnnY"),
    ("POST", "/bills/remove", "account=home&number=99", "ssnYnnY"),
    ("GET",  "/costs", "", "ssYYYnY"),
    ("GET",  "/costs?account=home", "", "ssYYnnY"),
    ("GET",  "/costs.csv?account=home", "", "ssYYnnY"),
    ("GET",  "/costs.json?account=home", "", "ssYYnnY"),
    ("GET",  "/costs/sensor?account=home", "", "ssYYnnY"),
    ("GET",  "/costs/sensor.csv?account=home&sensor=plug", "", "ssYYnnY"),
    ("GET",  "/costs/forecast?account=home", "", "ssYYnnY"),
    ("GET",  "/costs/compare?account=home", "", "ssYYnnY"),
    ("GET",  "/costs/what-if", "", "ssYYYnY"),
    ("GET",  "/costs/what-if?account=home&battery=5", "", "ssYYnnY"),
    ("POST", "/costs/what-if", "account=home&battery=5", "ssYYnnY"),
    ("GET",  "/costs/offers?account=home", "", "ssnYnnY"),
    ("GET",  "/costs/offer?account=home", "", "ssnYnnY"),
    ("POST", "/costs/offer", "account=home", "ssnYnnY"),
    ("POST", "/costs/offer/remove", "account=home&old=none", "ssnnnnn"),
    ("GET",  "/costs/savings?account=home", "", "ssYYnnY"),
    ("GET",  "/costs/purchases?account=home", "", "ssYYnnY"),
    ("POST", "/costs/purchases", "account=home", "ssnYnnY"),
    ("POST", "/costs/purchases/remove", "account=home&old=none", "ssnnnnn"),
    ("GET",  "/costs/contracts?account=home", "", "ssnYnnY"),
    ("GET",  "/costs/templates?account=home", "", "ssnYnnY"),
    ("GET",  "/costs/tariff?account=home&template=de-dynamic", "", "ssnYnnY"),
    ("POST", "/costs/tariff", "account=home&template=de-dynamic", "ssnYnnY"),
    ("GET",  "/costs/contract?account=home", "", "ssnYnnY"),
    ("POST", "/costs/contract", "account=home", "ssnYnnY"),
    ("POST", "/costs/contract/remove", "account=home&old=none", "ssnnnnn"),
    ("GET",  "/costs/tenancies?account=home", "", "ssYYnnY"),
    ("POST", "/costs/tenancies", "account=home", "ssnYnnY"),
    ("POST", "/costs/tenancies/remove", "account=home&old=none", "ssnnnnn"),
    ("GET",  "/costs/tenancies/statements?account=home", "", "ssYYnnY"),
    ("GET",  "/costs/tenancies.csv?account=home", "", "ssYYnnY"),
    ("GET",  "/costs/prices?account=home", "", "ssnYnnY"),
    ("POST", "/costs/prices", "account=home", "ssnYnnY"),
    ("GET",  "/costs/series?account=home&name=none", "", "ssnnnnn"),
    ("POST", "/costs/series/remove", "account=home&name=none", "ssnnnnn"),
    ("GET",  "/costs/cheapest", "", "ssYYYnY"),
    ("GET",  "/costs/cheapest?account=home", "", "ssYYnnY"),
    ("GET",  "/costs/days?account=home", "", "ssnYnnY"),
    ("POST", "/costs/days", "account=home", "ssnYnnY"),
    ("POST", "/costs/days/remove", "account=home&of=none", "ssnnnnn"),
    ("POST", "/notices/dismiss", "account=home&id=none", "ssnYnnY"),
    ("POST", "/notices/dismiss", "id=none", "ssnnnnY"),
    ("POST", "/notices/dismiss", "sensor=house&id=none", "ssnnnnY"),
    ("GET",  "/wall", "", "fYfffff"),
    ("GET",  "/wall?account=shop", "", "fnfffff"),
    ("GET",  "/wall/live", "", "fYfffff"),
    ("GET",  "/wall/open", "", "fffffff"),
    ("GET",  "/me", "", "ssYYYYY"),
    ("POST", "/me", "current=wrong&password=a&again=a", "ssYYYYn"),
    ("POST", "/me/unlink", "user=0f3c", "ssYYYYn"),
    ("GET",  "/status", "", "ssnnnnY"),
    ("GET",  "/settings", "", "ssnYYnY"),
    ("GET",  "/settings?account=home", "", "ssnYnnY"),
    ("GET",  "/settings/export", "", "ssnnnnY"),
    ("GET",  "/settings/export?account=home", "", "ssnYnnY"),
    ("GET",  "/settings/export?account=none", "", "ssnnnnn"),
    ("POST", "/settings/password", "current=wrong&password=a&again=a", "ssnnnnY"),
    ("GET",  "/settings/account?name=home", "", "ssnnnnY"),
    ("POST", "/settings/account", "name=home&plan=paid&tz=UTC&account=home", "ssnnnnY"),
    ("GET",  "/settings/account/new", "", "ssnnnnY"),
    ("POST", "/settings/account/new", "name=third&plan=paid&tz=UTC", "ssnnnnY"),
    ("POST", "/settings/account/remove", "name=unused&account=home", "ssnnnnY"),
    ("GET",  "/settings/key?id=old-key", "", "ssnnnnY"),
    ("GET",  "/settings/key/new", "", "ssnnnnY"),
    ("POST", "/settings/key/new", "account=home&scope=full", "ssnnnnY"),
    ("POST", "/settings/key/rotate", "id=old-key&account=home", "ssnnnnY"),
    ("POST", "/settings/key/revoke", "id=old-key&account=home", "ssnnnnY"),
    ("GET",  "/settings/sensor?id=old", "", "ssnnnnY"),
    ("GET",  "/settings/sensor/new", "", "ssnnnnY"),
    ("POST", "/settings/sensor/new", "account=home&name=new&role=grid&id=new", "ssnnnnY"),
    ("GET",  "/settings/sensor/connect?id=old", "", "ssnnnnY"),
    ("POST", "/settings/sensor/connect", "id=old&device=person", "ssnnnnY"),
    ("POST", "/settings/sensor/connect/poll", "id=old&device=shelly&sensor=old&preset=shelly&address=", "ssnnnnY"),
    ("POST", "/settings/sensor/connect/topic", "id=old&device=tasmota-mqtt&topic=", "ssnnnnY"),
    ("GET",  "/settings/sensor/check?id=old", "", "ssnnnnY"),
    ("POST", "/settings/sensor/check", "id=old", "ssnnnnY"),
    ("GET",  "/settings/sensor/state?id=old", "", "ssnnnnY"),
    ("GET",  "/settings/sensor/import?id=old", "", "ssnnnnY"),
    ("POST", "/settings/sensor/import", "id=old&account=home", "ssnnnnY"),
    ("POST", "/settings/sensor/import/forget", "id=old&name=x&account=home", "ssnnnnY"),
    ("POST", "/settings/sensor/change", "id=old&name=x&role=grid&account=home", "ssnnnnY"),
    ("POST", "/settings/sensor/authorize", "id=old&authorized=no&account=home", "ssnnnnY"),
    ("POST", "/settings/sensor/remove", "id=old&account=home", "ssnnnnY"),
    ("GET",  "/settings/broker", "", "ssnnnnY"),
    ("POST", "/settings/broker", "address=&account=home", "ssnnnnY"),
    ("POST", "/settings/broker/test", "account=home", "ssnnnnY"),
    ("POST", "/settings/broker/unsubscribe", "section=x&account=home", "ssnnnnY"),
    ("GET",  "/settings/devices", "", "ssnnnnY"),
    ("POST", "/settings/devices", "topic=a&device=a&account=home", "ssnnnnY"),
    ("GET",  "/settings/polled", "", "ssnnnnY"),
    ("POST", "/settings/polled", "sensor=house&preset=shelly&address=&account=home", "ssnnnnY"),
    ("POST", "/settings/polled/remove", "section=x&account=home", "ssnnnnY"),
    ("GET",  "/settings/home-assistant", "", "ssnnnnY"),
    ("POST", "/settings/home-assistant", "account=home&address=&token=", "ssnnnnY"),
    ("POST", "/settings/home-assistant/prices", "account=home&entity=sensor.price", "ssnnnnn"),
    ("POST", "/settings/home-assistant/send", "account=home", "ssnnnnn"),
    ("GET",  "/settings/home-assistant/counted?account=home", "", "ssnnnnn"),
    ("POST", "/settings/home-assistant/house", "account=home", "ssnnnnn"),
    ("POST", "/settings/home-assistant/sensors", "account=home&role=", "ssnnnnY"),
    ("POST", "/settings/home-assistant/remove", "account=home", "ssnnnnY"),
    ("GET",  "/settings/price-sources", "", "ssnnnnY"),
    ("POST", "/settings/price-sources", "source=energy-charts&account=home", "ssnnnnY"),
    ("POST", "/settings/price-sources/remove", "section=x&account=home", "ssnnnnY"),
    ("GET",  "/settings/backups", "", "ssnnnnY"),
    ("POST", "/settings/backups", "dir=&every=24h&keep=7&account=home", "ssnnnnY"),
    ("GET",  "/settings/store", "", "ssnnnnY"),
    ("POST", "/settings/store/check", "account=home", "ssnnnnY"),
    ("POST", "/settings/store/confirm", "account=home", "ssnnnnY"),
    ("POST", "/settings/store/close", "account=home", "ssnnnnY"),
    ("POST", "/settings/store/remove", "name=../data", "ssnnnnn"),
    ("GET",  "/settings/messages", "", "ssnnnnY"),
    ("POST", "/settings/messages", "format=json&account=home", "ssnnnnY"),
    ("POST", "/settings/messages/test", "account=home", "ssnnnnY"),
    ("GET",  "/settings/people", "", "ssnnnnY"),
    ("POST", "/settings/people/unlink", "user=0f3c", "ssnnnnY"),
    ("GET",  "/settings/person?name=Old", "", "ssnnnnY"),
    ("POST", "/settings/person", "name=Old&may-home=member&account=home", "ssnnnnY"),
    ("GET",  "/settings/person/new", "", "ssnnnnY"),
    ("POST", "/settings/person/new", "name=Eve&password=a&again=a&account=home", "ssnnnnY"),
    ("POST", "/settings/person/password", "name=Old&password=a&again=a", "ssnnnnY"),
    ("POST", "/settings/person/remove", "name=Old&account=home", "ssnnnnY"),
    ("GET",  "/settings/walls", "", "ssnnnnY"),
    ("POST", "/settings/walls", "name=new&account=home", "ssnnnnY"),
    ("POST", "/settings/wall/revoke", "name=old&account=home", "ssnnnnY"),
    // Last: it ends the session.
    ("POST", "/sign-out", "", "ssYYYYY"),
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
    for (id, name) in [("plug", "Plug"), ("second", "Second")] {
        put_sensor(&service, id, name, Role::SubMeter, MeterKind::Counter);
    }
    service.add_key("home", "old-key", Scope::Full);
    add_tablet(&service, "hall", &token());
    add_tablet(&service, "old", &SessionToken::from_random([8; 32]));
    add_person(&service, "Viewer", &[("home", Membership::Viewer)]);
    add_person(&service, "Member", &[("home", Membership::Member)]);
    add_person(&service, "Stranger", &[("shop", Membership::Member)]);
    add_person(&service, "Tenant", &[("home", Membership::Tenant)]);
    add_person(&service, "Old", &[]);
    add_tenancies(&service);
    let tablet = Browser::new(&service);
    tablet.set_cookie("wattkeeper_wall", token().reveal());
    let visitors = [
        ("nobody", Browser::new(&service)),
        ("tablet", tablet),
        ("viewer", browser_of(&service, "Viewer")),
        ("member", browser_of(&service, "Member")),
        ("stranger", browser_of(&service, "Stranger")),
        ("tenant", browser_of(&service, "Tenant")),
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

/// A tenancy of the person `Tenant`, and one of somebody else.
fn add_tenancies(service: &Service) {
    for (name, sensor, person) in [("Flat 1", "plug", "Tenant"), ("Flat 2", "second", "Other")] {
        let tenancy = format!(
            r#"{{"name":"{name}","sensor":"{sensor}","from":"2020-01-01","person":"{person}"}}"#
        );
        let who = house_basic();
        let head = [("Authorization", who.as_str())];
        let answer = service.send(&request(
            "PUT",
            "/api/v0.2/tenancies",
            &head,
            tenancy.as_bytes(),
        ));
        assert_eq!(answer.status(), 200, "{}", answer.text());
    }
}

/// The result of a request, as in [`ROUTES`].
fn outcome(browser: &Browser<'_>, method: &str, address: &str, fields: &str) -> char {
    let was_in = browser.cookie(SESSION).is_some();
    let (status, location) = if method == "POST" {
        // Each form of a visitor has the same token.
        let page = ["/", "/tenancy", "/sign-in"].map(|page| browser.get(page));
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
