//! Charts: their values against those of the API, and the links between views.

use wattkeeper::domain::meter::MeterKind;
use wattkeeper::domain::role::Role;
use wattkeeper::domain::sensor::SensorId;

use crate::pages::browser::{Browser, location, plain};
use crate::pages::dashboard::{hourly, kilowatthours, live_in, put_sensor};
use crate::support::{HOUR, MINUTE, SENSOR, Service, at, points_of, power, register};

/// The rows of a download.
#[track_caller]
fn rows(browser: &Browser<'_>, query: &str) -> Vec<(String, f64)> {
    let answer = browser.get(&format!("/chart.csv?{query}"));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let header = |name| answer.head.header(name).unwrap();
    assert_eq!(header("content-type"), "text/csv; charset=utf-8");
    assert!(header("content-disposition").starts_with("attachment; filename=\""));
    let mut lines = answer.text().lines();
    assert_eq!(lines.next(), Some("t,v"));
    let row = |line: &str| {
        let (time, value) = line.split_once(',').unwrap();
        (time.to_owned(), value.parse().unwrap())
    };
    lines.map(row).collect()
}

/// The address of a link of the chart.
#[track_caller]
fn way(page: &str, name: &str) -> String {
    let (before, _) = page
        .split_once(&format!("data-way=\"{name}\""))
        .unwrap_or_else(|| panic!("no {name} in {page}"));
    let (_, address) = before.rsplit_once("href=\"").unwrap();
    plain(address.split('"').next().unwrap()).replace("&amp;", "&")
}

fn title(page: &str) -> &str {
    let (_, rest) = page.split_once("<p class=\"chart-range\">").unwrap();
    rest.split("</p>").next().unwrap()
}

#[test]
fn downloads_match_the_api() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    service.clock.set(at("2026-04-02T10:00:00"));
    let mut readings = hourly("2026-03-01T00:00:00", "2026-04-02T09:00:00");
    let begin = at("2026-03-28T20:00:00");
    readings.extend((0_i32..3_000).map(|minute| {
        let time = begin.saturating_add_millis(i64::from(minute) * MINUTE);
        power(time, f64::from(minute % 50) - 10.0)
    }));
    service.import(&readings);
    let browser = Browser::set_up(&service);

    // Clocks go forward on this day: it has 23 hours.
    let (start, end) = ("2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z");
    let day = "range=day&at=2026-03-29";
    let watts = rows(&browser, day);
    assert_eq!(
        watts,
        service.points("rate", start, "2026-03-29T21:59:59.999Z")
    );
    assert_eq!(watts.len(), 23 * 60);
    let by = |interval: &str, start: &str, end: &str| {
        let asked = format!(
            "type=consumption&start_time={start}&end_time={end}&tz=Europe/Berlin&interval={interval}"
        );
        points_of(&service.ask(&asked))
    };
    let hours = rows(&browser, &format!("{day}&show=energy"));
    assert_eq!(hours, by("1h", start, end));
    assert_eq!(hours.len(), 23);
    // March in whole days of the time zone of the account.
    let (start, end) = ("2026-02-28T23:00:00.000Z", "2026-03-31T22:00:00.000Z");
    let march = rows(&browser, "show=energy&range=month&at=2026-03-15");
    assert_eq!(march, by("1d", start, end));
    assert_eq!(march.len(), 31);
    let all = rows(&browser, "show=energy&range=all&by=month");
    assert_eq!(all, by("1mo", start, "2026-04-30T22:00:00.000Z"));

    // The sum next to the chart is that of its bars.
    let page = browser.page("/chart?show=energy&range=day&at=2026-03-29");
    let sum: f64 = hours.iter().map(|(_, watthours)| watthours).sum();
    let sum = kilowatthours(sum);
    assert!(page.contains(&sum), "{sum} in {page}");
    assert_eq!(page.matches("class=\"chart-bar\"").count(), 2 * 23);
    let shown = browser.page(&format!("/chart?{day}"));
    assert!(shown.contains("39\u{202F}W") && shown.contains("Peak"));
}

#[test]
fn the_range_is_in_the_address() {
    let service = Service::start();
    service.import(&hourly("2025-12-01T00:00:00", "2026-01-05T10:00:00"));
    let browser = Browser::set_up(&service);
    let page = browser.page("/");
    assert_eq!(title(&page), "Last 24 hours");
    assert!(!page.contains("data-way=\"after\""));
    let month = way(&page, "range-5");
    assert_eq!(month, "/?range=month#chart");
    // Browsers do not send the fragment.
    let page = browser.page("/chart?range=month");
    assert_eq!(title(&page), "Jan 2026");
    let before = way(&page, "before");
    assert_eq!(before, "/chart?range=month&at=2025-12-01");
    let page = browser.page(&before);
    assert_eq!(title(&page), "Dec 2025");
    assert_eq!(way(&page, "after"), "/chart?range=month");
    assert_eq!(
        way(&page, "kind-2"),
        "/chart?show=energy&range=month&at=2025-12-01"
    );
    // A shorter range is within the previous one.
    assert_eq!(way(&page, "range-3"), "/chart?range=day&at=2025-12-01");
    let page = browser.page("/chart?show=energy&range=month&at=2025-12-01");
    assert_eq!(
        way(&page, "by-1"),
        "/chart?show=energy&by=hour&range=month&at=2025-12-01"
    );
    let page = browser.page(&way(&page, "by-1"));
    assert!(page.contains("By hour") && page.matches("class=\"chart-bar\"").count() > 1_000);
    let page = browser.page("/chart?from=2025-12-24&to=2025-12-25T06:00:00Z");
    assert_eq!(title(&page), "24 Dec 2025 00:00 – 25 Dec 2025 06:00");
    assert_eq!(
        way(&page, "after"),
        "/chart?from=2025-12-25T06:00:00.000Z&to=2025-12-26T12:00:00.000Z"
    );
    for range in ["24h", "hour", "day", "week", "month", "year", "all"] {
        for show in ["power", "energy"] {
            browser.page(&format!("/?range={range}&show={show}"));
        }
    }
}

#[test]
fn a_reset_of_a_counter_is_marked() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let now = service.clock.now();
    let times = [3, 2, 1].map(|hours: i64| now.saturating_add_millis(-hours * HOUR));
    let shown = [80_000_000.0, 80_001_000.0, 500.0];
    let readings: Vec<_> = times
        .into_iter()
        .zip(shown)
        .map(|(time, it)| register(time, it))
        .collect();
    service.import(&readings);
    // To a net register, this is energy fed into the grid.
    let page = browser.page("/chart?show=energy");
    assert!(page.contains("chart-bar-give") && !page.contains("chart-reset"));
    put_sensor(&service, SENSOR, "House", Role::Grid, MeterKind::Counter);
    let page = browser.page("/chart?show=energy");
    assert!(!page.contains("chart-bar-give"), "{page}");
    assert_eq!(page.matches("class=\"chart-reset\"").count(), 2);
    assert!(page.contains("1.50\u{202F}kWh"), "{page}");
    assert_eq!(rows(&browser, "show=energy").len(), 2);
}

#[test]
fn the_house_is_the_sum_of_its_grid_sensors() {
    let service = Service::start();
    put_sensor(&service, "west", "West", Role::Grid, MeterKind::Net);
    put_sensor(&service, "roof", "Roof", Role::Solar, MeterKind::Net);
    let begin = at("2026-01-05T08:00:00");
    for (sensor, watts) in [(SENSOR, 100.0), ("west", -30.0), ("roof", 7_000.0)] {
        let readings = (0_i32..60).map(|minute| {
            let time = begin.saturating_add_millis(i64::from(minute) * MINUTE);
            power(time, watts + f64::from(minute))
        });
        let mut readings: Vec<_> = readings.collect();
        readings.extend([
            register(begin, 0.0),
            register(begin.saturating_add_millis(HOUR), watts),
        ]);
        let id = SensorId::new(sensor).unwrap();
        service.store().import_durably(&id, readings).unwrap();
    }
    let browser = Browser::set_up(&service);
    let hour = "range=hour&at=2026-01-05T08:00:00Z";
    let sums = rows(&browser, hour);
    assert_eq!(sums.len(), 60);
    assert_eq!(sums[3], ("2026-01-05T08:03:00.000Z".to_owned(), 76.0));
    let page = browser.page(&format!("/chart?{hour}"));
    assert!(
        page.contains("188\u{202F}W") && page.contains("70\u{202F}Wh"),
        "{page}"
    );
    let energy = rows(&browser, &format!("{hour}&show=energy"));
    assert_eq!(energy, [("2026-01-05T08:00:00.000Z".to_owned(), 70.0)]);
    // A single sensor.
    let west = rows(&browser, &format!("{hour}&sensor=west"));
    assert_eq!(west[0].1, -30.0);
}

#[test]
fn charts_require_a_session() {
    let service = Service::start();
    drop(Browser::set_up(&service));
    let stranger = Browser::new(&service);
    for address in [
        "/chart",
        "/chart.csv",
        "/chart?sensor=house&range=day",
        "/live",
    ] {
        let answer = stranger.get(address);
        assert!(location(&answer).starts_with("/sign-in?to="), "{address}");
        assert_eq!(answer.text(), "", "{address}");
    }
}
