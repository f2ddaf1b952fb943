//! Rotated and revoked keys, revoked sensors: the effect on a device.

use crate::browser::house::House;
use crate::browser::window::{Browser, Scripts};

fn open_key(browser: &Browser, house: &House) {
    browser.open("/settings");
    browser.click(&format!("a.row[href='settings/key?id={}']", house.api_id));
    browser.wait_for_text("main", &house.api_id);
}

#[test]
#[ignore = "needs chromium"]
fn rotating_a_key_disables_the_old_one() {
    let house = House::start();
    house.visit(Scripts::On, |browser| {
        house.upload(1.0);
        open_key(browser, &house);
        browser.click(".ask:has(form[action='settings/key/rotate']) summary");
        browser.click("form[action='settings/key/rotate'] button");
        browser.wait_for_text("h1", "New api_key");
        let new = browser.text("code[data-copy='the api_key']");
        assert_ne!(new, house.api_key);
        assert_eq!(house.upload_with(&house.api_key, 2.0), 401);
        assert_eq!(house.upload_with(&new, 3.0), 200);
        // The key is shown only once.
        browser.click("main a.button");
        browser.wait_for_page("/settings");
        open_key(browser, &house);
        assert!(!browser.source().contains(&new));
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_revoked_key_cannot_upload() {
    let house = House::start();
    house.visit(Scripts::On, |browser| {
        house.upload(1.0);
        open_key(browser, &house);
        browser.click(".ask:has(form[action='settings/key/revoke']) summary");
        browser.click("form[action='settings/key/revoke'] button");
        browser.wait_for_page("/settings?done=key-revoked");
        assert!(!browser.source().contains(&house.api_id));
        assert_eq!(house.upload_with(&house.api_key, 2.0), 401);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_revoked_sensor_cannot_upload() {
    let house = House::start();
    house.visit(Scripts::On, |browser| {
        house.upload(1.0);
        browser.open("/settings");
        browser.click("a.row[href='settings/sensor?id=house']");
        let button = "form[action='settings/sensor/authorize'] button";
        for (word, status) in [("revoked", 403), ("authorized", 200)] {
            if word == "revoked" {
                browser.click(".ask summary");
            }
            browser.click(button);
            browser.wait_for_page(&format!("/settings/sensor?id=house&done={word}"));
            assert_eq!(house.upload_with(&house.api_key, 2.0), status, "{word}");
        }
    });
}
