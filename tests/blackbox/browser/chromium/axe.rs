//! Accessibility of every page by axe-core, in both themes and both window sizes. scripts/test fetches it to `target/axe`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::browser::house::{FirstRun, House};
use crate::browser::pages::{Demo, PAGES, new_key, steps};
use crate::browser::window::{Browser, DESK, PHONE, Scripts, Theme};

fn axe() -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let file = target.join("axe/node_modules/axe-core/axe.min.js");
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The violations on the open page, one per line.
fn violations(browser: &Browser, name: &str, axe: &str) -> Vec<String> {
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
        new_key(browser);
        look("a new key");
        steps(browser);
        look("steps");
        assert_eq!(browser.complaints(), [""; 0]);
        browser.open("/settings/key?id=none");
        look("an error");
        // A form with a mistake.
        browser.open("/settings/sensor/new");
        browser.run("document.querySelector('#id').required = false", &[]);
        browser.click("main form button");
        assert!(browser.has("#id-error"));
        look("an error in a form");
        // The console notes the statuses 404 and 422, and nothing else.
        let noted = browser.complaints();
        assert_eq!(noted.len(), 2, "{noted:?}");
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
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
        browser.run("document.querySelector('label').remove()", &[]);
        let found = violations(browser, "sign-in", &axe);
        assert!(found.len() == 4 && found[0].contains("label"), "{found:?}");
    });
}
