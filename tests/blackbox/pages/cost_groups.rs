//! The pages about costs: five tabs, each with its further pages.

use std::collections::BTreeSet;

use wattkeeper::Membership;

use crate::pages::browser::Browser;
use crate::pages::energy::between;
use crate::pages::people::{add_person, browser_of};
use crate::support::Service;

/// The addresses, without their parameters, of the links in the part of a page with this label.
fn links(page: &str, label: &str) -> Vec<String> {
    let part = between(page, &format!("aria-label=\"{label}\">"), "</nav>");
    let links = part.split("<a href=\"/").skip(1);
    links
        .map(|link| link.split(['?', '"']).next().unwrap().to_owned())
        .collect()
}

/// The pages that can be reached by the tabs on the first page.
fn reached(browser: &Browser<'_>, labels: [&str; 5]) -> BTreeSet<String> {
    let first = browser.page("/costs?account=home");
    let tabs = links(&first, "Pages about costs");
    assert_eq!(tabs.len(), labels.len(), "{first}");
    let mut all = BTreeSet::new();
    for (tab, label) in tabs.iter().zip(labels) {
        let page = browser.page(&format!("/{tab}?account=home"));
        let has_more = page.contains(&format!("class=\"subs no-print\" aria-label=\"{label}\""));
        let pages = if has_more {
            links(&page, label)
        } else {
            vec![tab.clone()]
        };
        for path in pages {
            let page = browser.page(&format!("/{path}?account=home"));
            assert_eq!(links(&page, "Pages about costs"), tabs, "{path}");
            let marked = format!("aria-current=\"true\">{label}</a>");
            assert!(page.contains(&marked), "{path}: {page}");
            if has_more {
                let here = format!("<a href=\"/{path}?account=home\" aria-current=\"page\">");
                assert_eq!(page.matches(&here).count(), 1, "{path}: {page}");
            }
            assert!(all.insert(path), "twice: {label}");
        }
    }
    all
}

#[test]
fn each_page_about_costs_is_in_one_tab() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let for_all = [
        "costs",
        "costs/sensor",
        "costs/tenancies",
        "bills",
        "costs/forecast",
        "costs/cheapest",
        "costs/savings",
        "costs/purchases",
        "costs/what-if",
        "costs/compare",
    ];
    let for_members = [
        "costs/offers",
        "costs/contracts",
        "costs/prices",
        "costs/days",
    ];
    let labels = ["Statement", "Forecast", "Cheapest", "Savings", "Contracts"];
    let all = for_all.iter().chain(&for_members);
    let expected: BTreeSet<String> = all.map(|path| (*path).to_owned()).collect();
    assert_eq!(reached(&browser, labels), expected);
    // Those who only look have no page that is for changes alone.
    add_person(&service, "guest", &[("home", Membership::Viewer)]);
    let guest = browser_of(&service, "guest");
    let expected: BTreeSet<String> = for_all.map(str::to_owned).into();
    assert_eq!(reached(&guest, labels), expected);
    let mut german = Browser::signed_in(&service);
    german.headers = vec![("Accept-Language", "de".to_owned())];
    let page = german.page("/costs/what-if?account=home");
    assert_eq!(links(&page, "Seiten über Kosten").len(), 5);
}

#[test]
fn the_period_has_the_same_control_on_each_page() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for (page, units) in [
        ("/energy?account=home", 4),
        ("/energy/hours?account=home", 3),
        ("/costs?account=home", 2),
        ("/costs/sensor?account=home", 0),
        ("/costs/compare?account=home", 2),
        ("/costs/savings?account=home", 2),
        ("/chart?account=home", 7),
    ] {
        let text = browser.page(page);
        if units == 0 {
            // There is no device.
            assert!(!text.contains("class=\"period\""), "{page}");
            continue;
        }
        let control = between(&text, "<div class=\"period\">", "</h2>");
        assert_eq!(
            control.matches("data-way=\"range-").count(),
            units,
            "{page}: {control}"
        );
        for part in [
            "data-way=\"before\"",
            "name=\"from\"",
            "name=\"to\"",
            "value=\"home\"",
        ] {
            assert!(control.contains(part), "{part} on {page}: {control}");
        }
    }
}
