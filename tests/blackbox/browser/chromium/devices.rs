//! A device of the broker: one click, and its first reading comes.

use crate::browser::house::House;
use crate::browser::window::Scripts;
use crate::mqtt::house::eventually;
use crate::mqtt::played::{METER, PLUG, PlayedBroker};

#[test]
#[ignore = "needs chromium"]
fn a_device_is_added_with_one_click() {
    for scripts in [Scripts::On, Scripts::Off] {
        let (house, broker) = (House::start(), PlayedBroker::start());
        house.visit(scripts, |browser| {
            browser.open("/settings/sensor/new?device=tasmota-mqtt");
            assert!(browser.has("a[href='settings/broker']"));
            browser.open("/settings/broker");
            browser.fill("#address", &broker.address);
            browser.click("form[action='settings/broker'] button");
            browser.wait_for_text(".note", "Saved.");
            eventually("the state", || {
                // With scripts, it changes by itself.
                if matches!(scripts, Scripts::Off) {
                    browser.open("/settings/broker");
                }
                let text = browser.text("[data-fresh]");
                text.contains("Connected to the broker since").then_some(())
            });
            eventually("the device", || {
                broker.pass(PLUG);
                broker.pass(METER);
                browser.open("/settings/sensor/new?device=tasmota-mqtt");
                browser.has("a[href='settings/devices']").then_some(())
            });
            browser.click("a[href='settings/devices']");
            browser.wait_for_text("h1", "Devices on the broker");
            let form = "form:has(input[name=device][value=plug])";
            browser.click(&format!("{form} button"));
            browser.wait_for_text(".note", "Added.");
            assert!(!browser.has(form));
            assert!(browser.has("input[name=device][value=shellypro3em-a0]"));
            eventually("the first reading", || {
                broker.pass(PLUG);
                browser.open("/settings/sensor/check?id=plug");
                browser
                    .source()
                    .contains("These readings match")
                    .then_some(())
            });
            browser.open("/settings/devices");
            assert!(!browser.has(form));
            assert_eq!(browser.complaints(), Vec::<String>::new());
        });
    }
}
