//! Names and labels with markup stay text on every page.

use crate::pages::browser::{Browser, encoded, plain};
use crate::support::Service;

const NAMES: [&str; 4] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'; {{ 7 }} </title></h1>&amp;",
    "\u{202e}thgil\u{2066}&#60;b&#62;",
];

/// The tags of a page, in order.
fn elements(page: &str) -> Vec<String> {
    page.split('<')
        .skip(1)
        .map(|rest| {
            let end = rest.find(|c: char| c.is_whitespace() || c == '>');
            rest[..end.unwrap_or(rest.len())].to_owned()
        })
        .collect()
}

#[test]
fn names_stay_text() {
    // The tags of the pages with a harmless name, to compare with those of each hostile name.
    let mut seen: Option<Vec<Vec<String>>> = None;
    for name in ["harmless"].into_iter().chain(NAMES) {
        let service = Service::start();
        let browser = Browser::set_up(&service);
        let new = "/settings/account/new";
        let fields = [("name", name), ("plan", "paid"), ("tz", "UTC")];
        assert_eq!(browser.submit_own(new, &fields).status(), 303);
        let new = "/settings/key/new";
        let fields = [("account", name), ("scope", "full"), ("label", name)];
        assert_eq!(browser.submit_own(new, &fields).status(), 200);
        let registry = service.store().registry();
        let key = registry.credentials().find(|it| it.label == name).unwrap();
        let new = "/settings/sensor/new";
        let fields = [
            ("account", name),
            ("name", name),
            ("id", name),
            ("role", "grid"),
        ];
        let form = "/settings/sensor/new?device=script";
        let steps = browser.submit(form, new, &fields);
        assert_eq!(steps.status(), 200);
        let again = browser.submit(form, new, &fields);
        assert_eq!(again.status(), 422);

        let id = encoded(name);
        let mut pages = vec![steps.text().to_owned(), again.text().to_owned()];
        for address in [
            "/".to_owned(),
            "/settings".to_owned(),
            format!("/settings/sensor?id={id}"),
            format!("/settings/account?name={id}"),
            format!("/events?sensor={id}"),
            format!("/meter?sensor={id}"),
            format!("/meter/change?sensor={id}"),
            format!("/bills?account={id}"),
            format!("/settings/key?id={}", key.api_id),
            "/settings/sensor/new?device=shelly".to_owned(),
            format!("/settings/sensor/connect?id={id}&device=home-assistant"),
            format!("/settings/sensor/check?id={id}"),
            "/settings/key/new".to_owned(),
            format!("/sign-in?to=/{id}"),
        ] {
            if address.starts_with("/sign-in") {
                pages.push(Browser::new(&service).page(&address));
            } else {
                let page = browser.page(&address);
                let shows = address == "/" || plain(&page).contains(name);
                assert!(shows, "{name} not on {address}");
                pages.push(page);
            }
        }
        let shape: Vec<Vec<String>> = pages.iter().map(|page| elements(page)).collect();
        match &seen {
            None => seen = Some(shape),
            Some(seen) => assert_eq!(&shape, seen, "{name}"),
        }
    }
}
