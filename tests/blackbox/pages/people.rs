//! People: who sees what, and how that changes.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use wattkeeper::Plan;
use wattkeeper::{AccountName, Membership, Password, Person, PersonName, Scope};

use crate::pages::browser::{Browser, PASSWORD, SESSION, location};
use crate::pages::live::Stream;
use crate::support::{Response, Service};

/// The password of each person in these tests.
pub(crate) const THEIRS: &str = "battery staple";

/// Adds a person with these accounts, past the pages.
pub(crate) fn add_person(service: &Service, name: &str, accounts: &[(&str, Membership)]) {
    let accounts = accounts.iter();
    let accounts = accounts.map(|(name, it)| (AccountName::new(name).unwrap(), *it));
    let person = Person {
        name: PersonName::new(name).unwrap(),
        password: Password::new(THEIRS).unwrap().hash([5; 16]).unwrap(),
        accounts: accounts.collect(),
        created: service.clock.now(),
    };
    assert!(
        service
            .store()
            .edit(move |edit| edit.add_person(person))
            .unwrap()
    );
}

/// A browser with this person signed in.
#[track_caller]
pub(crate) fn browser_of<'a>(service: &'a Service, name: &str) -> Browser<'a> {
    let browser = Browser::new(service);
    let answer = sign_in(&browser, name, THEIRS);
    assert_eq!(answer.status(), 303, "{}", answer.text());
    browser
}

fn sign_in(browser: &Browser<'_>, name: &str, password: &str) -> Response {
    browser.submit_own("/sign-in", &[("name", name), ("password", password)])
}

/// A service with another account, `shop`, its sensor `till` and its key `shop-id`.
fn two_accounts() -> Service {
    let service = Service::start();
    service.add_account("shop", Plan::Paid);
    service.add_sensor("shop", "till");
    service.add_key("shop", "shop-id", Scope::Full);
    service
}

#[test]
fn the_administrator_adds_a_person_who_sees_one_account() {
    let service = two_accounts();
    let administrator = Browser::set_up(&service);
    let fields = [
        ("name", "Anna"),
        ("password", THEIRS),
        ("again", THEIRS),
        ("may-home", "viewer"),
        ("may-shop", "none"),
    ];
    let answer = administrator.submit_own("/settings/person/new", &fields);
    let list = administrator.page(location(&answer));
    assert!(list.contains("Person added") && list.contains("home: viewer"));

    let anna = Browser::new(&service);
    assert_eq!(sign_in(&anna, "Anna", PASSWORD).status(), 403);
    assert_eq!(location(&sign_in(&anna, " Anna ", THEIRS)), "/");
    let page = anna.page("/");
    assert!(page.contains("the house") && !page.contains("shop") && !page.contains("till"));
    assert!(!page.contains("href=\"/settings") && !page.contains("href=\"/status"));
    assert!(page.contains("href=\"/me\""));
    for theirs in ["/?account=home", "/chart", "/chart.csv?account=home"] {
        assert_eq!(anna.get(theirs).status(), 200, "{theirs}");
    }
    // As if it did not exist: the same answer as for an account that does not.
    for path in ["/", "/chart", "/chart.csv", "/live"] {
        let [other, none] = ["shop", "nothing"].map(|account| {
            let answer = anna.get(&format!("{path}?account={account}"));
            (answer.status(), answer.text().to_owned())
        });
        assert_eq!(other, none, "{path}");
        assert_eq!(other.0, 404, "{path}");
    }
    assert_eq!(anna.get("/chart?sensor=till").status(), 404);
    assert_eq!(anna.get("/chart?account=home&sensor=till").status(), 404);
    assert_eq!(anna.get("/chart.csv?sensor=till&show=power").status(), 404);
    // Named twice, it is refused, not guessed.
    assert_eq!(anna.get("/?account=home&account=shop").status(), 400);
}

#[test]
fn rights_change_with_the_next_request() {
    let service = two_accounts();
    let administrator = Browser::set_up(&service);
    add_person(&service, "Bert", &[("home", Membership::Member)]);
    let bert = browser_of(&service, "Bert");
    assert_eq!(bert.get("/settings").status(), 200);
    let mut stream = Stream::open(&bert, "/live?account=home");
    stream.data();
    let address = "/settings/person?name=Bert";
    let fields = [("may-home", "none"), ("may-shop", "viewer")];
    let answer = administrator.submit(address, "/settings/person", &fields);
    assert!(administrator.page(location(&answer)).contains("Saved"));
    stream.assert_ends("signed out");
    assert_eq!(bert.get("/settings").status(), 404);
    assert_eq!(bert.get("/?account=home").status(), 404);
    assert!(bert.page("/").contains("the till"));

    let fields = [("may-home", "none"), ("may-shop", "none")];
    administrator.submit(address, "/settings/person", &fields);
    assert!(bert.page("/").contains("You see no account yet"));
    assert_eq!(bert.get("/live").status(), 404);
    let answer = administrator.submit(address, "/settings/person/remove", &[]);
    assert!(
        administrator
            .page(location(&answer))
            .contains("Person removed")
    );
    assert!(!bert.is_signed_in());
    assert_eq!(
        sign_in(&Browser::new(&service), "Bert", THEIRS).status(),
        403
    );
    assert_eq!(administrator.get(address).status(), 404);
}

#[test]
fn a_member_sees_the_settings_of_their_accounts() {
    let service = two_accounts();
    drop(Browser::set_up(&service));
    let rights = [("home", Membership::Viewer), ("shop", Membership::Member)];
    add_person(&service, "Cleo", &rights);
    let cleo = browser_of(&service, "Cleo");
    let page = cleo.page("/settings");
    assert!(page.contains("the till") && page.contains("shop-id"));
    assert!(!page.contains("the house") && !page.contains("house-id"));
    // A member can download their account. Nothing that only the administrator may do is offered.
    let own = "href=\"/settings/export?account=shop\"";
    assert!(page.contains(own));
    let page = page.replace(own, "");
    for offered in ["href=\"/settings/", "action=\"/settings/"] {
        assert!(!page.contains(offered), "{offered}");
    }
    assert!(page.contains("href=\"/settings\"") && !page.contains("href=\"/status\""));
}

#[test]
fn mistakes_are_shown_and_nothing_typed_is_lost() {
    let service = Service::start();
    let administrator = Browser::set_up(&service);
    add_person(&service, "Anna", &[]);
    for (name, password, again, mentions) in [
        ("Dora", "short", "short", "too short"),
        ("Dora", THEIRS, "battery stapler", "do not match"),
        ("Anna", THEIRS, THEIRS, "there is a person"),
        ("Administrator", THEIRS, THEIRS, "than the administrator"),
        (" Dora", THEIRS, THEIRS, "no spaces around it"),
    ] {
        let fields = [
            ("name", name),
            ("password", password),
            ("again", again),
            ("may-home", "viewer"),
        ];
        let answer = administrator.submit_own("/settings/person/new", &fields);
        assert_eq!(answer.status(), 422, "{name}");
        let page = answer.text();
        assert!(page.contains(mentions), "{mentions}: {page}");
        assert!(page.contains(&format!("name=\"name\" value=\"{name}\"")));
        assert!(page.contains("value=\"viewer\" checked"));
        let sent_back = format!("value=\"{password}\"");
        assert!(!page.contains(&sent_back), "a password is sent back");
    }
    assert_eq!(service.store().registry().people().count(), 1);
}

#[test]
fn nobody_finds_out_who_there_is() {
    let service = Service::start_with(|config| config.http.failed_sign_ins_per_minute = 4);
    drop(Browser::set_up(&service));
    add_person(&service, "Anna", &[]);
    let browser = Browser::new(&service);
    let answers = ["Anna", "anna", "Nobody"].map(|name| {
        let answer = sign_in(&browser, name, "wrong password");
        assert_eq!(answer.status(), 403);
        // Without the input, and without the token of the form.
        let text = answer.text().replace(name, "NAME");
        text.lines()
            .filter(|line| !line.contains("csrf"))
            .collect::<String>()
    });
    assert!(answers[0].contains("Wrong name or password"));
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    // Names that nobody can have, too.
    assert_eq!(sign_in(&browser, "\u{7}", "wrong password").status(), 403);
    // Guessing names does not lock the administrator out, nor the other way round.
    assert_eq!(sign_in(&browser, "Anna", THEIRS).status(), 429);
    assert_eq!(sign_in(&browser, "administrator", PASSWORD).status(), 303);
    let elsewhere = Browser::new(&service);
    while elsewhere
        .sign_in_from(Ipv4Addr::new(127, 0, 0, 3), "wrong password")
        .status()
        != 429
    {}
}

#[test]
fn people_change_their_own_password() {
    let service = Service::start();
    let administrator = Browser::set_up(&service);
    add_person(&service, "Anna", &[("home", Membership::Viewer)]);
    add_person(&service, "Bert", &[]);
    let bert = browser_of(&service, "Bert");
    let (anna, elsewhere) = (browser_of(&service, "Anna"), browser_of(&service, "Anna"));
    let page = anna.page("/me");
    assert!(page.contains("<h1><bdi>Anna</bdi></h1>") && page.contains("viewer"));
    let change = |browser: &Browser<'_>, current| {
        let new = "a third password";
        let fields = [("current", current), ("password", new), ("again", new)];
        browser.submit_own("/me", &fields)
    };
    let answer = change(&anna, PASSWORD);
    assert_eq!(answer.status(), 422);
    assert!(answer.text().contains("Wrong password"));
    let answer = change(&anna, THEIRS);
    assert!(anna.page(location(&answer)).contains("Password changed"));
    assert!(anna.is_signed_in() && !elsewhere.is_signed_in());
    // Nobody else's session ends, and no other password changed.
    assert!(bert.is_signed_in() && administrator.is_signed_in());
    assert!(Browser::signed_in(&service).is_signed_in());
    assert_eq!(sign_in(&elsewhere, "Anna", THEIRS).status(), 403);
    assert_eq!(
        sign_in(&elsewhere, "Anna", "a third password").status(),
        303
    );

    // The administrator sets another one, for somebody who forgot theirs.
    let token = anna.cookie(SESSION);
    let fields = [("password", THEIRS), ("again", THEIRS)];
    let address = "/settings/person?name=Anna";
    let answer = administrator.submit(address, "/settings/person/password", &fields);
    assert!(
        administrator
            .page(location(&answer))
            .contains("Password set")
    );
    assert!(token.is_some() && !anna.is_signed_in() && !elsewhere.is_signed_in());
    assert!(browser_of(&service, "Anna").is_signed_in());
    // The administrator's own page is the settings.
    assert_eq!(location(&administrator.get("/me")), "/settings");
    assert!(!administrator.page("/").contains("href=\"/me\""));
}

#[test]
fn a_restart_keeps_people_and_their_sessions() {
    let mut service = Service::start();
    drop(Browser::set_up(&service));
    add_person(&service, "Anna", &[("home", Membership::Viewer)]);
    let token = browser_of(&service, "Anna").cookie(SESSION).unwrap();
    service.restart();
    let browser = Browser::new(&service);
    browser.set_cookie(SESSION, &token);
    assert!(browser.page("/me").contains("Anna"));
    assert_eq!(browser.get("/settings").status(), 404);
    let accounts = BTreeMap::new();
    let anna = PersonName::new("Anna").unwrap();
    let set = service
        .store()
        .edit(move |edit| edit.set_memberships(&anna, accounts));
    assert!(set.unwrap().accounts.is_empty());
    assert_eq!(browser.get("/?account=home").status(), 404);
}
