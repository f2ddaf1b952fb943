//! The settings of accounts.

use crate::pages::browser::{Browser, location};
use crate::support::Service;

#[test]
fn an_account_is_added_changed_and_removed() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let page = browser.page("/settings/account/new");
    assert!(page.contains("<option>Europe/Berlin</option>"));
    // Plans are shown once an account has another one.
    assert!(!page.contains("id=\"plan\""), "{page}");
    let fields = [
        ("name", "garden"),
        ("plan", "free"),
        ("tz", "Europe/Berlin"),
    ];
    let answer = browser.submit_own("/settings/account/new", &fields);
    let next = location(&answer).to_owned();
    let page = browser.page(&next);
    assert!(page.contains("Account added") && page.contains("garden"));

    let address = "/settings/account?name=garden";
    let page = browser.page(address);
    assert!(page.contains("<option selected>Europe/Berlin") && page.contains("id=\"plan\""));
    let plan = || {
        let registry = service.store().registry();
        let garden = registry.accounts().find(|it| it.name.as_str() == "garden");
        garden.unwrap().plan.as_str()
    };
    browser.submit(
        address,
        "/settings/account",
        &[("tz", "Europe/Berlin"), ("plan", "")],
    );
    assert_eq!(plan(), "free", "a form without a plan keeps it");
    let fields = [("plan", "paid"), ("tz", "Asia/Tokyo")];
    let answer = browser.submit(address, "/settings/account", &fields);
    assert!(browser.page(location(&answer)).contains("Saved."));
    let registry = service.store().registry();
    let garden = registry.accounts().find(|it| it.name.as_str() == "garden");
    let garden = garden.unwrap();
    assert_eq!(
        (garden.plan.as_str(), garden.zone.name()),
        ("paid", "Asia/Tokyo")
    );

    // A form without phases keeps them.
    let phases = |fields: &[(&str, &str)]| {
        let fields = [&[("plan", "paid"), ("tz", "Asia/Tokyo")][..], fields].concat();
        let answer = browser.submit(address, "/settings/account", &fields);
        let registry = service.store().registry();
        let garden = registry.accounts().find(|it| it.name.as_str() == "garden");
        (answer.status(), garden.unwrap().phases.as_str())
    };
    assert_eq!(phases(&[("phases", "balanced")]), (303, "balanced"));
    let page = browser.page(address);
    assert!(page.contains("value=\"balanced\" checked"), "{page}");
    assert_eq!(phases(&[("phases", "")]), (303, "balanced"));
    assert_eq!(phases(&[("phases", "three")]), (422, "balanced"));
    assert_eq!(phases(&[("phases", "separate")]), (303, "separate"));

    let answer = browser.submit(address, "/settings/account/remove", &[]);
    assert!(browser.page(location(&answer)).contains("removed"));
    assert_eq!(browser.get(address).status(), 404);
}

#[test]
fn mistakes_are_shown_at_their_field() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for (name, plan, tz, reason, field) in [
        ("home", "paid", "UTC", "already", "name"),
        ("", "paid", "UTC", "expected 1 to 64 bytes", "name"),
        ("x", "paid", "", "time zone", "tz"),
        ("x", "paid", "Mars/Olympus", "time zone", "tz"),
        ("x", "gold", "UTC", "free or paid", "plan"),
    ] {
        let fields = [("name", name), ("plan", plan), ("tz", tz)];
        let answer = browser.submit_own("/settings/account/new", &fields);
        assert_eq!(answer.status(), 422, "{name}");
        let page = answer.text();
        assert!(page.to_lowercase().contains(reason), "{reason}: {page}");
        assert!(page.contains(&format!("#{field}\">")), "{page}");
        // The form keeps what was typed.
        assert!(page.contains(&format!("value=\"{name}\"")), "{page}");
    }
    assert_eq!(service.store().registry().accounts().count(), 1);
    // Of a store that takes nothing no field is to blame.
    service.store().close().unwrap();
    let fields = [("name", "x"), ("plan", "paid"), ("tz", "UTC")];
    let answer = browser.submit_own("/settings/account/new", &fields);
    assert_eq!(answer.status(), 503, "{}", answer.text());
    assert!(!answer.text().contains("#name\">"), "{}", answer.text());
}

#[test]
fn an_account_with_sensors_cannot_be_removed() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let address = "/settings/account?name=home";
    let page = browser.page(address);
    assert!(!page.contains("/settings/account/remove"));
    let mut form = crate::pages::browser::hidden_fields(&page, "/settings/account");
    form.retain(|(name, _)| name == "csrf" || name == "name");
    let answer = browser.post("/settings/account/remove", &form);
    assert_eq!(answer.status(), 422);
    assert!(answer.text().contains("sensors"), "{}", answer.text());
    assert_eq!(service.store().registry().accounts().count(), 1);
}
