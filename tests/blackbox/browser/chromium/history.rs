//! Import of a table in the browser.

use std::fs;

use serde_json::json;

use super::axe::{axe, violations};
use super::large_text::beyond;
use crate::browser::house::House;
use crate::browser::window::{Browser, DESK, PHONE, Scripts, Theme};

const PAGE: &str = "/settings/sensor/import?id=house";
const DONE: &str = "/settings/sensor?id=house&done=imported&count=1";
/// Separators of form fields must not split a table.
const TABLE: &str = "when;Power & more+;Register of the meter in the cellar;Place\r\n\
    03/01/2026 10:00;1,5;9410,938;Haus 1%&power=x\r\n\
    03/01/2026 10:15;then;9411;Haus 2\r\n";

fn press(browser: &Browser, name: &str) {
    browser.click(&format!("button[value={name}]"));
}

fn choose(browser: &Browser, fields: &[(&str, &str)]) {
    for (field, text) in fields {
        browser.choose(&format!("#{field}"), text);
    }
}

/// From the rows of [`TABLE`] to its reading.
fn columns_to_reading(browser: &Browser, mut look: impl FnMut(&str)) {
    browser.wait_for_text("#rows-title", "The first rows");
    look("columns");
    choose(browser, &[("time", "when"), ("power", "Power & more+")]);
    browser.click("[name=power-unit][value=kW]");
    press(browser, "look");
    browser.wait_for_text("#dates-error", "Choose whether the day");
    look("a question");
    choose(browser, &[("dates", "The day first")]);
    press(browser, "look");
    browser.wait_for_text("#found-title", "Contents");
    look("what is in it");
    browser.click("#skip-bad");
    press(browser, "store");
    browser.wait_for_page(DONE);
    browser.wait_for_text("[role=status]", "Readings imported: ");
    // The console notes the status 422.
    assert_eq!(browser.complaints().len(), 1);
}

#[test]
#[ignore = "needs chromium and axe"]
fn a_file_becomes_readings() {
    let (axe, house) = (axe(), House::start());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.csv");
    fs::write(&file, TABLE).unwrap();
    let mut found = Vec::new();
    house.visit(Scripts::On, |browser| {
        browser.open(PAGE);
        browser.keys("#file", file.to_str().unwrap());
        browser.wait("the text of the file", || {
            let length = browser.run("return document.querySelector('#table').value.length", &[]);
            (length != json!(0)).then_some(())
        });
        press(browser, "look");
        columns_to_reading(browser, |name| {
            found.extend(violations(browser, name, &axe));
            browser.look(PHONE, Theme::Light);
            found.extend(beyond(browser, name));
            browser.look(DESK, Theme::Light);
        });
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
#[ignore = "needs chromium"]
fn a_table_becomes_readings_without_scripts() {
    House::start().visit(Scripts::Off, |browser| {
        browser.open(PAGE);
        assert!(!browser.has("[data-file]:not([hidden])"));
        browser.fill("#table", &TABLE.replace('\r', ""));
        press(browser, "look");
        columns_to_reading(browser, |_| {});
    });
}
