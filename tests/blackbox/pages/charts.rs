//! Charts: their values against those of the API, and the links between views.

use wattkeeper::MeterKind;
use wattkeeper::Role;
use wattkeeper::SensorId;

use crate::pages::browser::{Browser, location, plain};
use crate::pages::dashboard::{hourly, kilowatthours, live_in, put_sensor};
use crate::support::{HOUR, MINUTE, SENSOR, Service, at, points_of, power, register};

/// A page has the chart in so many sizes.
const PICTURES: usize = 4;

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
    let (_, rest) = page.split_once("id=\"chart-period\">").unwrap();
    rest.split("</h2>").next().unwrap()
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
    assert_eq!(page.matches("class=\"chart-bar\"").count(), PICTURES * 23);
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
    // By quarter-hour, a month would have too many bars.
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
    let shown = [80_000.0, 81_000.0, 500.0];
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
    assert_eq!(page.matches("class=\"chart-reset\"").count(), PICTURES);
    assert!(page.contains("1.50\u{202F}kWh"), "{page}");
    // By the hour, and the readings come at half past.
    assert_eq!(rows(&browser, "show=energy").len(), 3);
}

#[test]
fn the_grid_is_the_sum_of_its_sensors_and_the_house_what_it_uses() {
    let service = with_two_meters_and_panels();
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
    // The house is another thing: with what its panels give.
    let used = rows(&browser, &format!("{hour}&of=house"));
    assert_eq!(used[3].1, 7_079.0);
    let used = rows(&browser, &format!("{hour}&of=house&show=energy"));
    assert_eq!(used[0].1, 7_070.0);
    let page = browser.page(&format!("/chart?{hour}"));
    for (place, name, address) in [
        (1, "House", format!("/chart?of=house&{hour}")),
        (2, "Grid", format!("/chart?{hour}")),
    ] {
        let link = way(&page, &format!("subject-{place}"));
        assert_eq!(link, address.replace("00Z", "00.000Z"));
        let shown = browser.page(&link);
        assert!(
            shown.contains(&format!("<bdi>{name}</bdi></h1>")),
            "{name}: {shown}"
        );
    }
}

/// A service with an hour of two meters at the grid and of panels: power each minute, and registers
/// at its ends.
fn with_two_meters_and_panels() -> Service {
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
    service
}

#[test]
fn a_spreadsheet_has_the_clocks_and_decimals_of_the_account() {
    let service = with_two_meters_and_panels();
    let browser = Browser::set_up(&service);
    let hour = "range=hour&at=2026-01-05T08:00:00Z";
    // For spreadsheets: the clocks of the account, kilowatt-hours, and decimals as the language has
    // them.
    let table = |show: &str, separator| {
        let answer = browser.get(&format!("/chart-spreadsheet.csv?{hour}{show}"));
        let name = answer.head.header("content-disposition").unwrap();
        assert!(name.ends_with("-2026-01-05.csv\""), "{name}");
        let rows: Vec<String> = answer.text().lines().map(str::to_owned).collect();
        assert!(rows[0].starts_with('\u{FEFF}') && rows[0].contains(separator));
        rows
    };
    let english = table("&show=energy", ',');
    assert_eq!(english[1..], ["2026-01-05 08:00,0.070"]);
    browser.set_cookie("wattkeeper_language", "de");
    assert!(
        browser
            .page("/chart")
            .contains("href=\"/chart-spreadsheet.csv\"")
    );
    let german = table("&show=energy", ';');
    assert_eq!(german[1..], ["2026-01-05 08:00;0,070"]);
    assert_eq!(table("", ';')[4], "2026-01-05 08:03;76,000");
}

#[test]
fn charts_require_a_session() {
    let service = Service::start();
    drop(Browser::set_up(&service));
    let stranger = Browser::new(&service);
    for address in [
        "/chart",
        "/chart.csv",
        "/chart-spreadsheet.csv",
        "/chart?sensor=house&range=day",
        "/live",
    ] {
        let answer = stranger.get(address);
        assert!(location(&answer).starts_with("/sign-in?to="), "{address}");
        assert_eq!(answer.text(), "", "{address}");
    }
}

/// The addresses that the bars of the chart's first picture lead to.
fn bars(page: &str) -> Vec<String> {
    let (_, chart) = page.split_once("id=\"chart\"").unwrap();
    let (_, picture) = chart.split_once("<svg xmlns").unwrap();
    let picture = picture.split("</svg>").next().unwrap();
    let links = picture.split("<a href=\"").skip(1);
    links
        .map(|link| link.split('"').next().unwrap().replace("&amp;", "&"))
        .collect()
}

#[test]
fn bars_lead_to_what_they_are_made_of() {
    let service = Service::start();
    service.import(&hourly("2025-12-01T00:00:00", "2026-01-05T10:00:00"));
    let browser = Browser::set_up(&service);
    let mut address = "/chart?show=energy&range=all&by=year".to_owned();
    for (title_of_first, expected) in [
        (None, "/chart?show=energy&range=year&at=2025-01-01"),
        (Some("2025"), "/chart?show=energy&range=month&at=2025-12-01"),
        (Some("Dec 2025"), "/chart?range=day&at=2025-12-01"),
    ] {
        let page = browser.page(&address);
        if let Some(expected) = title_of_first {
            assert_eq!(title(&page), expected);
        }
        address = bars(&page).swap_remove(0);
        assert_eq!(address, expected);
    }
    let page = browser.page(&address);
    assert_eq!(title(&page), "1 Dec 2025");
    assert_eq!(bars(&page), [""; 0]);
    let hours = browser.page("/?show=energy&range=day&at=2025-12-24");
    assert_eq!(
        bars(&hours)[1],
        "/?range=hour&at=2025-12-24T01:00:00.000Z#chart"
    );
    let quarters = browser.page("/chart?show=energy&by=quarter&range=day&at=2025-12-24");
    assert_eq!(bars(&quarters).len(), 4 * 24);
    assert!(quarters.contains("By quarter-hour") && quarters.contains("24 Dec 2025 23:45: "));
}

#[test]
fn units_lead_to_wider_ranges_and_a_form_to_other_days() {
    let service = Service::start();
    service.import(&hourly("2025-12-01T00:00:00", "2026-01-05T10:00:00"));
    let browser = Browser::set_up(&service);
    let day = browser.page("/chart?show=energy&range=day&at=2025-12-24");
    let units =
        (3..=7).map(|nth| title(&browser.page(&way(&day, &format!("range-{nth}")))).to_owned());
    let names: Vec<String> = units.collect();
    let expected = [
        "24 Dec 2025",
        "Week of 22 Dec 2025",
        "Dec 2025",
        "2025",
        "Since 1 Dec 2025, whole days",
    ];
    assert_eq!(names, expected);
    // The form has the days of the week, and leads to others of the same sensor.
    let week = browser.page("/chart?sensor=house&show=energy&range=week&at=2025-12-24");
    let (_, form) = week
        .split_once("<form method=\"get\" action=\"/chart\">")
        .unwrap();
    let form = form.split("</form>").next().unwrap();
    for field in [
        "name=\"sensor\" value=\"house\"",
        "name=\"show\" value=\"energy\"",
        "name=\"from\" type=\"date\" value=\"2025-12-22\"",
        "name=\"to\" type=\"date\" value=\"2025-12-28\"",
    ] {
        assert!(form.contains(field), "{field} in {form}");
    }
    assert_eq!(form.matches("<input").count(), 4);
}

#[test]
fn old_readings_are_shown_instead_of_nothing() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let empty = browser.page("/chart");
    assert!(empty.contains("No readings in this range") && !empty.contains("class=\"note\""));
    service.import(&hourly("2010-11-01T00:00:00", "2010-12-31T22:00:00"));
    let page = browser.page("/chart");
    assert_eq!(title(&page), "31 Dec 2010");
    assert!(
        page.contains("The newest reading is from 31 Dec 2010 22:00"),
        "{page}"
    );
    assert_eq!(way(&page, "newest"), "/chart?range=day&at=2010-12-31");
    assert_eq!(way(&page, "before"), "/chart?range=day&at=2010-12-30");
    // The download is of the same range: the last reading ends an hour.
    assert_eq!(rows(&browser, "show=energy").len(), 22);
    let month = browser.page("/chart?show=energy&range=month");
    assert_eq!(title(&month), "Dec 2010");
    // A request for a day shows that day.
    let day = browser.page("/chart?range=day&at=2026-01-05");
    assert_eq!(title(&day), "5 Jan 2026");
    assert!(!day.contains("class=\"note\""));
    // A new reading leads back to now.
    let a_minute_ago = service.clock.now().saturating_add_millis(-MINUTE);
    service.import(&[power(a_minute_ago, 100.0)]);
    let page = browser.page("/chart");
    assert_eq!(title(&page), "Last 24 hours");
    assert_eq!(page.matches("class=\"chart-point\"").count(), PICTURES);
}

#[test]
fn several_sensors_are_lines_in_one_chart() {
    let service = Service::start();
    let start = at("2026-01-04T00:00:00");
    let readings: Vec<_> = (0..30_i32)
        .flat_map(|hour| {
            let time = start.saturating_add_millis(i64::from(hour) * HOUR);
            [power(time, 500.0), register(time, f64::from(hour) * 500.0)]
        })
        .collect();
    service.import(&readings);
    put_sensor(
        &service,
        "heat",
        "Heat & pump",
        Role::SubMeter,
        MeterKind::Counter,
    );
    let id = SensorId::new("heat").unwrap();
    service.store().import_durably(&id, readings).unwrap();
    let browser = Browser::set_up(&service);
    let lines = |address: &str| {
        let page = browser.page(address);
        let named = page.contains("<bdi>Heat &#38; pump</bdi> <strong>");
        // The last one is beside the name.
        (page.matches("class=\"beside\"").count(), named)
    };
    for address in [
        "/chart?sensor=house&with=heat&range=day&at=2026-01-04",
        "/chart?with=heat&show=energy&range=day&at=2026-01-04",
    ] {
        assert_eq!(lines(address), (PICTURES + 1, true), "{address}");
    }
    // The subject is no second line, and neither is a sensor that is not there any more.
    for address in ["/chart?sensor=heat&with=heat", "/chart?with=gone"] {
        assert_eq!(lines(address).0, 0, "{address}");
    }
    let refused = browser.get("/chart?with=a&with=b&with=c&with=d&with=e");
    assert_eq!(refused.status(), 400);
    assert!(
        refused.text().contains("at most 4 sensors"),
        "{}",
        refused.text()
    );
}

#[test]
fn fifty_sensors_are_a_sorted_list_with_groups() {
    let service = Service::start();
    for nth in 1..=50_u8 {
        let name = format!("Plug {nth}");
        put_sensor(
            &service,
            &format!("plug{nth}"),
            &name,
            Role::SubMeter,
            MeterKind::Counter,
        );
    }
    put_sensor(
        &service,
        "attic",
        "Ärztezimmer",
        Role::SubMeter,
        MeterKind::Counter,
    );
    put_sensor(&service, "roof", "Roof", Role::Solar, MeterKind::Counter);
    let browser = Browser::set_up(&service);
    let page = browser.page("/chart?sensor=plug7");
    let chips = page.matches("data-way=\"subject-").count();
    assert!((1..6).contains(&chips), "{chips}");
    let (_, list) = page.split_once("<details class=\"sources\"").unwrap();
    let list = list.split("</details>").next().unwrap();
    let place = |text: &str| list.find(text).unwrap_or_else(|| panic!("{text}: {list}"));
    let order = [
        "<legend>Grid</legend>",
        "<legend>Solar</legend>",
        ">Roof<",
        "<legend>Devices</legend>",
        ">Ärztezimmer<",
        ">Plug 1<",
        ">Plug 2<",
        ">Plug 10<",
    ]
    .map(place);
    assert!(order.is_sorted(), "{order:?}");
    assert!(list.contains("data-search"));
    // Each is a link and can be shown beside another one, without scripts, too.
    assert_eq!(list.matches("type=\"checkbox\" name=\"with\"").count(), 53);
}

#[test]
fn each_kind_of_sensor_has_its_colour() {
    let service = Service::start();
    put_sensor(&service, "roof", "Roof", Role::Solar, MeterKind::Net);
    let browser = Browser::set_up(&service);
    for (address, class) in [
        ("/chart", "plots of-grid"),
        ("/chart?sensor=roof", "plots of-solar"),
    ] {
        let page = browser.page(address);
        assert!(page.contains(class), "{address}: {page}");
    }
    let styles = crate::pages::assets::files(&browser.page("/chart"));
    let style = styles.iter().find(|it| it.contains("dashboard")).unwrap();
    assert!(browser.get(style).text().contains(".plots.of-solar"));
}
