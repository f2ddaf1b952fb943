//! The pages without scripts.

use crate::browser::house::House;
use crate::browser::window::Scripts;

#[test]
#[ignore = "needs chromium"]
fn the_dashboard_and_its_chart_work() {
    let house = House::start();
    house.upload(1_234.0);
    house.visit(Scripts::Off, |browser| {
        browser.wait_for_text(".now-narrow [data-now=grid] .power", "1.23 kW");
        house.upload(456.0);
        browser.click(".live-state a");
        browser.wait_for_text(".now-narrow [data-now=grid] .power", "456 W");
        assert!(browser.has(".chart-card .plot-wide svg .chart-tick"));
        browser.click("a[data-way=kind-2]");
        browser.wait_for_text("#chart-title", "Energy");
        browser.click("a[data-way=range-3]");
        browser.wait("the day", || {
            browser
                .page()
                .starts_with("/?show=energy&range=day")
                .then_some(())
        });
        browser.click("a[data-way=before]");
        browser.wait("the day before", || {
            browser.page().contains("&at=").then_some(())
        });
        browser.back();
        browser.wait("the day", || {
            (!browser.page().contains("&at=")).then_some(())
        });
    });
}

#[test]
#[ignore = "needs chromium"]
fn settings_can_be_changed() {
    let house = House::start();
    house.visit(Scripts::Off, |browser| {
        house.upload(1.0);
        browser.open("/settings");
        browser.click(&format!("a.row[href='settings/key?id={}']", house.api_id));
        browser.click(".ask summary");
        browser.click("form[action='settings/key/rotate'] button");
        browser.wait_for_text("h1", "New api_key");
        let new = browser.text("code[data-copy='the api_key']");
        assert_eq!(house.upload_with(&house.api_key, 2.0), 401);
        assert_eq!(house.upload_with(&new, 3.0), 200);
        browser.open("/settings/account?name=home");
        browser.choose("#tz", "Asia/Tokyo");
        browser.click("form[action='settings/account'] button");
        browser.wait_for_page("/settings/account?name=home&done=saved");
        browser.open("/");
        assert!(browser.text(".dash-head").contains("Asia/Tokyo"));
        browser.open("/settings/sensor?id=house");
        browser.click(".ask summary");
        browser.click("form[action='settings/sensor/authorize'] button");
        browser.wait_for_page("/settings/sensor?id=house&done=revoked");
        assert_eq!(house.upload_with(&new, 4.0), 403);
    });
}
