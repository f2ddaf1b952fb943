//! The pages in a frame of another site of the same host, below a path: as Home Assistant shows
//! them.

use std::net::Ipv4Addr;

use serde_json::json;

use crate::browser::house::{House, PASSWORD};
use crate::browser::window::{Browser, Scripts};
use crate::pages::proxy::{BELOW, Proxy};

#[test]
#[ignore = "needs chromium"]
fn the_dashboard_lives_in_a_frame_below_a_path() {
    let house = House::start();
    let service = house.service.url.strip_prefix("http://").unwrap();
    let proxy = Proxy::start(service.parse().unwrap(), Ipv4Addr::LOCALHOST, "");
    let home = format!("http://{}", proxy.address);
    Browser::visit(&home, Scripts::On, |browser| {
        browser.open("/");
        browser.enter_frame();
        browser.fill("#password", PASSWORD);
        browser.click("main button");
        browser.wait_for_text(".live-state", "live");
        for (watts, text) in [(1_234.0, "1.23 kW"), (-512.0, "512 W")] {
            house.upload(watts);
            // The frame is narrow: it shows another picture than a window.
            browser.wait_for_text(".now-plots", text);
        }
        // A view of the chart, and a page further down.
        browser.click("[data-way=range-3]");
        let path = || browser.run("return location.pathname + location.search", &[]);
        browser.wait("the day", || {
            let address = path().to_string();
            (address.contains(BELOW) && address.contains("range=day")).then_some(())
        });
        browser.click("nav a[href='settings']");
        browser.wait_for_text("h1", "Settings");
        browser.click("a[href='settings/sensor/new']");
        browser.wait("the devices", || browser.has(".back").then_some(()));
        browser.click(".back a");
        browser.wait_for_text("h1", "Settings");
        assert_eq!(path(), json!(format!("{BELOW}/settings")));
        // The worker serves only addresses below the path.
        let scope = browser.run_to_the_end(
            "const done = arguments[arguments.length - 1];
             navigator.serviceWorker.ready.then((it) => done(new URL(it.scope).pathname))",
            &[],
        );
        assert_eq!(scope, json!(format!("{BELOW}/")));
    });
    assert_eq!(proxy.strays(), [""; 0]);
}
