//! `/setup`: setting the first password.

use wattkeeper::Password;

use crate::pages::browser::{Browser, PASSWORD, location};
use crate::support::Service;

const BOTH: [(&str, &str); 2] = [("password", PASSWORD), ("again", PASSWORD)];

#[test]
fn sets_the_password_and_signs_in() {
    let service = Service::start();
    let browser = Browser::new(&service);
    let address = service.setup_address().unwrap().to_owned();
    assert!(address.starts_with("/setup?token="), "{address}");
    assert!(browser.page(&address).contains("At least 10 characters"));
    let answer = browser.submit(&address, "/setup", &BOTH);
    assert_eq!(location(&answer), "/settings/sensor/new");
    assert!(browser.is_signed_in());
    assert!(Browser::signed_in(&service).is_signed_in());
}

#[test]
fn works_once() {
    let mut service = Service::start();
    let address = service.setup_address().unwrap().to_owned();
    {
        let late = Browser::new(&service);
        let page = late.page(&address);
        drop(Browser::set_up(&service));
        let answer = late.get(&address);
        assert_eq!(answer.status(), 403);
        assert!(answer.text().contains("wattkeeper password"));
        let mut form = crate::pages::browser::hidden_fields(&page, "/setup");
        form.extend(BOTH.map(|(name, value)| (name.to_owned(), value.to_owned())));
        form.iter_mut()
            .filter(|(name, _)| name != "csrf" && name != "token")
            .for_each(|(_, value)| *value = "another password".into());
        assert_eq!(late.post("/setup", &form).status(), 403);
        assert!(!late.is_signed_in());
        assert_eq!(late.sign_in("another password").status(), 403);
    }
    service.restart();
    assert_eq!(service.setup_address(), None);
    assert_eq!(Browser::new(&service).get(&address).status(), 403);
}

#[test]
fn needs_the_token_of_this_start() {
    let mut service = Service::start();
    let first = service.setup_address().unwrap().to_owned();
    {
        let browser = Browser::new(&service);
        for address in [
            "/setup",
            "/setup?token=",
            "/setup?token=x",
            &first[..first.len() - 1],
        ] {
            assert_eq!(browser.get(address).status(), 403, "{address}");
        }
        let wrong = [BOTH[0], BOTH[1], ("token", "x")];
        assert_eq!(browser.submit(&first, "/setup", &wrong).status(), 403);
    }
    service.restart();
    let second = service.setup_address().unwrap().to_owned();
    assert_ne!(first, second);
    let browser = Browser::new(&service);
    assert_eq!(browser.get(&first).status(), 403);
    assert_eq!(browser.get(&second).status(), 200);
}

#[test]
fn bad_passwords_are_refused_with_a_reason() {
    let service = Service::start();
    let browser = Browser::new(&service);
    let address = service.setup_address().unwrap();
    let long = "x".repeat(257);
    for (password, again, reason) in [
        ("123456789", "123456789", "at least 10 characters"),
        (&long, &long, "at most 256 bytes"),
        ("1234567890", "1234567891", "do not match"),
        ("", "", "at least 10 characters"),
    ] {
        let fields = [("password", password), ("again", again)];
        let answer = browser.submit(address, "/setup", &fields);
        assert_eq!(answer.status(), 422);
        assert!(answer.text().contains(reason), "{}", answer.text());
        assert!(!answer.text().contains("value=\"1234"), "{}", answer.text());
    }
    assert!(!browser.is_signed_in());
    assert_eq!(browser.submit(address, "/setup", &BOTH).status(), 303);
}

#[test]
fn a_password_set_from_the_shell_closes_it() {
    let service = Service::start();
    let browser = Browser::new(&service);
    let address = service.setup_address().unwrap();
    assert_eq!(browser.get(address).status(), 200);
    let password = Password::new(PASSWORD).unwrap().hash([1; 16]).unwrap();
    service
        .store()
        .edit(move |edit| edit.put_administrator(password))
        .unwrap();
    assert_eq!(browser.get(address).status(), 403);
}
