//! The pages about costs, in groups: each is two links away from any other.

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

/// The pages that can be reached by the groups on the first page.
fn reached(browser: &Browser<'_>, labels: &[&str]) -> BTreeSet<String> {
    let first = browser.page("/costs?account=home");
    let groups = links(&first, "Pages about costs");
    assert_eq!(groups.len(), labels.len(), "{first}");
    let mut all = BTreeSet::new();
    for (group, label) in groups.iter().zip(labels) {
        let page = browser.page(&format!("/{group}?account=home"));
        let pages = links(&page, label);
        assert!((2..=5).contains(&pages.len()), "{label}: {pages:?}");
        for path in pages {
            let page = browser.page(&format!("/{path}?account=home"));
            // Bills have groups of their own.
            if path != "bills" {
                let here = format!("<a href=\"/{path}?account=home\" aria-current=\"page\">");
                assert_eq!(page.matches(&here).count(), 1, "{path}: {page}");
                assert_eq!(links(&page, "Pages about costs"), groups, "{path}");
                let marked = format!("aria-current=\"true\"><strong>{label}</strong>");
                assert!(page.contains(&marked), "{path}: {page}");
            }
            assert!(all.insert(path), "twice: {label}");
        }
    }
    all
}

#[test]
fn each_page_about_costs_is_in_one_group() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let for_all = [
        "costs",
        "costs/sensor",
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
    let labels = [
        "Past costs",
        "Costs ahead",
        "Savings and offers",
        "Contracts and prices",
    ];
    let all = for_all.iter().chain(&for_members);
    let expected: BTreeSet<String> = all.map(|path| (*path).to_owned()).collect();
    assert_eq!(reached(&browser, &labels), expected);
    // Those who only look have no group that is for changes alone.
    add_person(&service, "guest", &[("home", Membership::Viewer)]);
    let guest = browser_of(&service, "guest");
    let expected: BTreeSet<String> = for_all.map(str::to_owned).into();
    assert_eq!(reached(&guest, &labels[..3]), expected);
    let mut german = Browser::signed_in(&service);
    german.headers = vec![("Accept-Language", "de".to_owned())];
    let page = german.page("/costs/what-if?account=home");
    let groups = links(&page, "Seiten über Kosten");
    assert_eq!(
        (groups.len(), links(&page, "Ersparnis und Angebote").len()),
        (4, 5)
    );
}
