//! Accessibility of every page by axe-core, in both themes and both window sizes. scripts/test fetches it to `target/axe`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::browser::house::{FirstRun, House, pay_by_the_hour};
use crate::browser::pages::{
    Demo, PAGES, found as found_devices, in_language, new_key, open_link, person, steps, wall_link,
};
use crate::browser::window::{Browser, DESK, PHONE, Scripts, Theme};
use crate::mqtt::played::PlayedBroker;

pub(super) fn axe() -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let file = target.join("axe/node_modules/axe-core/axe.min.js");
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The violations on the open page, one per line.
pub(super) fn violations(browser: &Browser, name: &str, axe: &str) -> Vec<String> {
    let mut found = Vec::new();
    for window in [PHONE, DESK] {
        for theme in Theme::BOTH {
            browser.look(window, theme);
            // Injected once per page. WebDriver bypasses the Content-Security-Policy.
            browser.run(&format!("if (!window.axe) {{ {axe} }}"), &[]);
            let answer = browser.run_to_the_end(
                "const done = arguments[arguments.length - 1];
                 axe.run(document, {resultTypes: ['violations']})
                   .then((result) => done(result.violations.map(({id, help, nodes}) =>
                     [id, help, nodes.map((node) => node.html + ': ' + node.failureSummary).join('; ')])))
                   .catch((error) => done([['error', String(error), '']]));",
                &[],
            );
            let Value::Array(violations) = answer else {
                panic!("{name}: {answer}");
            };
            let place = format!("{name}, {}, {} px", theme.word(), window.0);
            found.extend(violations.iter().map(|it| format!("{place}: {it}")));
        }
    }
    found
}

#[test]
#[ignore = "needs chromium and axe"]
fn axe_finds_nothing_on_any_page() {
    let (axe, demo) = (axe(), Demo::start());
    let mut found = Vec::new();
    Browser::visit(&demo.service.url, Scripts::On, |browser| {
        let mut look = |name: &str| found.extend(violations(browser, name, &axe));
        browser.open("/sign-in");
        look("sign-in");
        demo.sign_in(browser);
        for (name, page) in PAGES {
            browser.open(&demo.address(page));
            look(name);
        }
        browser.open("/costs/contract?account=demo");
        browser.click("[name=rate][value=hours]");
        look("hours of a contract");
        new_key(browser);
        look("a new key");
        steps(browser);
        look("steps");
        person(browser);
        look("a person");
        let link = wall_link(browser);
        look("a new link");
        open_link(browser, &link);
        look("a wall tablet");
        let broker = PlayedBroker::start();
        found_devices(browser, &broker);
        look("devices on the broker");
        browser.open("/settings/devices?sensor=solar");
        look("a device for a sensor");
        browser.open("/settings/broker");
        look("a broker with a subscription");
        assert_eq!(browser.complaints(), [""; 0]);
        browser.open("/settings/key?id=none");
        look("an error");
        // A form with a mistake.
        browser.open("/settings/sensor/new?device=script");
        browser.fill("#name", "House");
        browser.run(
            "for (const it of document.querySelectorAll('input[name=role]')) it.required = false",
            &[],
        );
        browser.click("main form button");
        let is_there = || browser.has("#role-error").then_some(());
        browser.wait("the form again", is_there);
        look("an error in a form");
        // The console notes the statuses 404 and 422, and nothing else.
        let noted = browser.complaints();
        assert_eq!(noted.len(), 2, "{noted:?}");
        browser.open("/");
        browser.click(".sign-out button");
        browser.wait_for_page("/sign-in");
        browser.fill("#name", "Anna");
        browser.fill("#password", "battery staple");
        browser.click("main button");
        browser.wait_for_page("/");
        browser.open("/me");
        look("me");
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
#[ignore = "needs chromium and axe"]
fn axe_finds_nothing_on_any_page_in_german() {
    let (axe, demo) = (axe(), Demo::start());
    let mut found = Vec::new();
    Browser::visit(&demo.service.url, Scripts::On, |browser| {
        let mut look = |name: &str| found.extend(violations(browser, name, &axe));
        browser.open("/sign-in");
        in_language(browser, "de");
        look("sign-in");
        demo.sign_in(browser);
        for (name, page) in PAGES {
            browser.open(&demo.address(page));
            assert_eq!(browser.attribute("html", "lang"), "de", "{name}");
            look(name);
        }
        assert_eq!(browser.complaints(), [""; 0]);
        browser.open("/nothing");
        look("an error");
        // The console notes the status 404.
        assert_eq!(browser.complaints().len(), 1);
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
#[ignore = "needs chromium and axe"]
fn axe_finds_nothing_at_prices_by_the_hour() {
    let (axe, house) = (axe(), House::start_with(pay_by_the_hour));
    house.upload(1_234.0);
    house.visit(Scripts::On, |browser| {
        assert!(browser.has(".day-prices .chart-price-now"));
        browser.click(".day-prices summary");
        let found = violations(browser, "prices", &axe);
        assert!(found.is_empty(), "{}", found.join("\n"));
    });
}

#[test]
#[ignore = "needs chromium and axe"]
fn axe_finds_nothing_at_the_first_run() {
    let (axe, run) = (axe(), FirstRun::start());
    let mut found = Vec::new();
    Browser::visit(&run.url, Scripts::On, |browser| {
        let mut look = |name: &str| found.extend(violations(browser, name, &axe));
        browser.open("/sign-in");
        look("sign-in, not set up");
        browser.open(&run.setup);
        look("setup");
        browser.fill("#password", "correct horse");
        browser.fill("#again", "correct horse");
        browser.click("main button");
        browser.wait_for_page("/settings/sensor/new");
        look("first device");
        browser.open("/settings/sensor/new?device=person");
        look("first sensor");
        browser.open("/");
        look("dashboard without an account");
        browser.open("/settings");
        look("settings without an account");
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Checks the checker: it must find a violation.
#[test]
#[ignore = "needs chromium and axe"]
fn axe_finds_a_missing_label() {
    let (axe, house) = (axe(), House::start());
    Browser::visit(&house.service.url, Scripts::On, |browser| {
        browser.open("/sign-in");
        browser.run(
            "document.querySelector('label[for=password]').remove()",
            &[],
        );
        let found = violations(browser, "sign-in", &axe);
        assert!(found.len() == 4 && found[0].contains("label"), "{found:?}");
    });
}
