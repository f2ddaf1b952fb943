//! Days start at midnight in the time zone of the account.

use wattkeeper::system_clock;

use crate::browser::house::House;
use crate::browser::window::{Browser, Scripts};

const HOUR_MS: i64 = 3_600_000;
/// Zones without daylight saving time, by their offset from UTC in hours, from -11 to 12.
const ZONES: [&str; 24] = [
    "Pacific/Pago_Pago",
    "Pacific/Honolulu",
    "Pacific/Gambier",
    "Pacific/Pitcairn",
    "America/Phoenix",
    "America/Costa_Rica",
    "America/Panama",
    "America/Puerto_Rico",
    "America/Cayenne",
    "Atlantic/South_Georgia",
    "Atlantic/Cape_Verde",
    "Africa/Abidjan",
    "Africa/Lagos",
    "Africa/Maputo",
    "Africa/Nairobi",
    "Asia/Dubai",
    "Asia/Tashkent",
    "Asia/Dhaka",
    "Asia/Bangkok",
    "Asia/Singapore",
    "Asia/Tokyo",
    "Australia/Brisbane",
    "Pacific/Guadalcanal",
    "Pacific/Tarawa",
];

fn choose(browser: &Browser, zone: &str) {
    browser.open("/settings/account?name=home");
    browser.choose("#tz", zone);
    browser.click("form[action='settings/account'] button");
    browser.wait_for_page("/settings/account?name=home&done=saved");
    browser.open("/");
}

#[test]
#[ignore = "needs chromium"]
fn today_starts_at_midnight_in_the_zone_of_the_account() {
    let house = House::start();
    let now = system_clock()().time.millis();
    let this_hour = now - now % HOUR_MS;
    // A kilowatt-hour each hour.
    let reading = |hour| (this_hour + hour * HOUR_MS, 1_000, hour * 1_000);
    house.upload_readings((-48..=0).map(reading));
    house.visit(Scripts::On, |browser| {
        let hour_of_utc = this_hour / HOUR_MS % 24;
        for local in [3, 15] {
            // The zone with this hour now.
            let ahead = (local - hour_of_utc + 11).rem_euclid(24);
            let zone = ZONES[usize::try_from(ahead).unwrap()];
            choose(browser, zone);
            let today = browser.text(".sum .energy");
            let expected = [format!("{local}.00 kWh"), format!("{local}.0 kWh")];
            assert!(expected.contains(&today), "{today} in {zone}");
            let head = browser.text(".dash-head");
            // The hour may change during the test.
            let clocks = [local, local + 1].map(|hour| format!(", {hour:02}:"));
            let is_shown = clocks.iter().any(|clock| head.contains(clock));
            assert!(head.contains(zone) && is_shown, "{head}");
            assert_eq!(browser.attribute(".plot-wide svg.chart", "data-zone"), zone);
        }
    });
}
