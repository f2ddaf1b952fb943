//! Setting the broker, with scripts and without.

use crate::browser::house::House;
use crate::browser::window::Scripts;
use crate::port::free_port;

#[test]
#[ignore = "needs chromium"]
fn a_broker_is_set_and_tested() {
    for scripts in [Scripts::On, Scripts::Off] {
        let house = House::start();
        let address = format!("127.0.0.1:{}", free_port());
        house.visit(scripts, |browser| {
            browser.open("/settings");
            browser.click("a.row[href='settings/broker']");
            browser.wait_for_text("h1", "MQTT broker");
            assert!(!browser.has("form[action='settings/broker/test']"));
            browser.fill("#address", &address);
            browser.fill("#user", "meter");
            browser.fill("#password", "hunter2");
            browser.click("form[action='settings/broker'] button");
            browser.wait_for_text(".note", "Saved.");
            browser.wait_for_text("#password-hint", "One is set, and never shown");
            assert!(!browser.source().contains("hunter2"));
            browser.click("form[action='settings/broker/test'] button");
            browser.wait_for_text(".note", "nothing listens at this port");
            browser.fill("#address", "a b");
            browser.click("form[action='settings/broker'] button");
            browser.wait_for_text("#address-error", "Enter a name or an IP address");
            // The console notes the status 422, and nothing else.
            assert_eq!(browser.complaints().len(), 1);
        });
    }
}
