//! `/energy`: its tiles, bars and table against each other and against the API, and where the
//! energy goes.

use serde_json::Value;
use wattkeeper::AccountName;
use wattkeeper::Reading;
use wattkeeper::Role;
use wattkeeper::{ContractChange, FlatContract, FlatTerms};
use wattkeeper::{Meter, MeterKind};
use wattkeeper::{Sensor, SensorId};

use crate::pages::browser::Browser;
use crate::pages::dashboard::{kilowatthours, live_in};
use crate::support::{ACCOUNT, HOUR, Service, at, house_basic, register, request};

/// Adds a sensor whose register begins with a million watt-hours at `start`, and rises by so many
/// watt-hours in each hour from there on.
pub(crate) fn add(
    service: &Service,
    id: &str,
    role: Role,
    part_of: Option<&str>,
    start: &str,
    hourly: &[i32],
) {
    let start = at(start);
    let kind = match role {
        Role::Grid => MeterKind::Net,
        _ => MeterKind::Counter,
    };
    let account = AccountName::new(ACCOUNT).unwrap();
    let sensor = Sensor {
        role,
        name: format!("the {id}"),
        meter: Meter::new(kind),
        part_of: part_of.map(|id| SensorId::new(id).unwrap()),
        ..Sensor::new(SensorId::new(id).unwrap(), account, start)
    };
    service.store().put_sensor_durably(sensor.clone()).unwrap();
    let mut shown = 1_000_000;
    let mut readings: Vec<Reading> = vec![register(start, f64::from(shown))];
    for (hour, rise) in (1..).zip(hourly) {
        shown += rise;
        let time = start.saturating_add_millis(hour * HOUR);
        readings.push(register(time, f64::from(shown)));
    }
    service
        .store()
        .import_durably(&sensor.id, readings)
        .unwrap();
}

/// A service in Berlin, on 8 April 2026 at noon, without sensors that uploaded.
pub(crate) fn in_berlin(price: Option<&str>) -> Service {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", price);
    service.clock.set(at("2026-04-08T10:00:00"));
    service
}

/// The rows of a day or more, as the API has them.
fn rows(service: &Service, query: &str) -> Vec<Value> {
    let target = format!("/api/v0.2/energy?{query}");
    let answer = service.send(&request(
        "GET",
        &target,
        &[("Authorization", &house_basic())],
        b"",
    ));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    answer.json()["data"].as_array().unwrap().clone()
}

/// The part between two texts.
#[track_caller]
pub(crate) fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = page
        .split_once(start)
        .unwrap_or_else(|| panic!("no {start} in {page}"));
    rest.split_once(end).unwrap().0
}

/// The value of a tile.
#[track_caller]
fn tile<'a>(page: &'a str, name: &str) -> &'a str {
    let tile = between(page, &format!("<h3>{name}</h3>"), "</li>");
    between(tile, "<p class=\"energy\">", "</p>")
}

/// The cells of a row of the table, which begins with this name.
#[track_caller]
fn cells<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let row = between(page, &format!("<tr><th scope=\"row\">{name}"), "</tr>");
    let cells = row.split("<td class=\"number\">").skip(1);
    cells.map(|cell| cell.split('<').next().unwrap()).collect()
}

/// A house with a register for each direction, panels and a battery.
pub(crate) fn with_battery() -> Service {
    let service = in_berlin(Some("0.5"));
    let midnight = "2026-04-06T22:00:00";
    for (id, role, hourly) in [
        ("import", Role::GridImport, 400),
        ("export", Role::GridExport, 300),
        ("roof", Role::Solar, 900),
        ("charge", Role::BatteryCharge, 100),
        ("discharge", Role::BatteryDischarge, 50),
    ] {
        add(&service, id, role, None, midnight, &[hourly; 36]);
    }
    service
}

#[test]
fn tiles_equal_the_api() {
    let service = with_battery();
    let browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=day&at=2026-04-07");
    let api = &rows(&service, "start_time=2026-04-07&end_time=2026-04-08")[0];
    for (name, field, kwh) in [
        ("Used", "used", 22.8),
        ("Produced", "produced", 21.6),
        ("Charged", "charged", 2.4),
        ("Discharged", "discharged", 1.2),
        ("Imported", "imported", 9.6),
        ("Exported", "exported", 7.2),
    ] {
        assert_eq!(api[field].as_f64(), Some(kwh * 1_000.0), "{field}");
        assert_eq!(tile(&page, name), kilowatthours(kwh * 1_000.0), "{name}");
    }
    // 14.4 of 21.6 kWh, and 13.2 of 22.8 kWh.
    assert_eq!(tile(&page, "Self-consumption"), "67\u{202F}%");
    assert_eq!(tile(&page, "Self-sufficiency"), "58\u{202F}%");
    assert_eq!(tile(&page, "Cost"), "4.80\u{202F}€");
    // Feed-in is not paid.
    assert!(!page.contains("<h3>Total</h3>"));
}

#[test]
fn the_total_is_what_the_dashboard_calls_the_cost() {
    let service = with_battery();
    let terms = FlatTerms {
        price: "0.5",
        currency: "€",
        feed_in: Some("0.1"),
        ..FlatTerms::default()
    };
    let contract = FlatContract::new(terms).unwrap().contract();
    let put = ContractChange::Put(Box::new(contract));
    let home = AccountName::new(ACCOUNT).unwrap();
    service
        .store()
        .edit(move |edit| edit.change_contracts(&home, put))
        .unwrap();
    let browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=day");
    // Twelve hours of 0.4 kWh drawn, and of 0.3 kWh fed in.
    for (name, amount) in [("Cost", "2.40"), ("Credit", "0.36"), ("Total", "2.04")] {
        assert_eq!(tile(&page, name), format!("{amount}\u{202F}€"), "{name}");
        let tile = between(&page, &format!("<h3>{name}</h3>"), "</li>");
        assert!(
            tile.contains("no change") && tile.contains("before: "),
            "{tile}"
        );
    }
    // More of it is better.
    for (name, is_good) in [
        ("Used", false),
        ("Produced", true),
        ("Exported", true),
        ("Credit", true),
        ("Total", false),
    ] {
        let class = if is_good { "tile made" } else { "tile" };
        assert!(
            page.contains(&format!("<li class=\"{class}\">\n<h3>{name}</h3>")),
            "{name}"
        );
    }
    let dashboard = browser.page("/");
    let today = crate::pages::dashboard::tile(&dashboard, "Today");
    assert!(today.contains("2.04\u{202F}€"), "{today}");
    // The page names the comparison: the same hours of the day before.
    assert!(
        page.contains("Compared with 7 Apr 2026 until 12:00."),
        "{page}"
    );
    assert!(page.contains("<li class=\"flow-before\">Used, 7 Apr 2026</li>"));
}

#[test]
fn bars_say_what_they_are_and_lead_to_it() {
    let service = with_battery();
    let browser = Browser::set_up(&service);
    let bars = |page: &str| -> Vec<(String, String)> {
        let (_, picture) = page.split_once("class=\"plot plot-wide\"").unwrap();
        let picture = picture.split("</svg>").next().unwrap();
        // Nothing known is no bar.
        let bars = picture.split("<a href=\"").skip(1);
        bars.map(|bar| {
            let (address, rest) = bar.split_once('"').unwrap();
            let (_, rest) = rest.split_once("<title>").unwrap();
            let words = rest.split("</title>").next().unwrap();
            (address.replace("&amp;", "&"), words.to_owned())
        })
        .collect()
    };
    let months = bars(&browser.page("/energy?range=year"));
    let addresses: Vec<&str> = months.iter().map(|(address, _)| &**address).collect();
    assert_eq!(addresses, ["/energy?range=month&at=2026-04-01"]);
    let days = bars(&browser.page(addresses[0]));
    assert_eq!(days.len(), 2);
    assert_eq!(days[0].0, "/energy?range=day&at=2026-04-07");
    assert_eq!(
        days[0].1.replace('\u{202F}', " "),
        "7 Apr 2026: Used 22.8 kWh, Own solar 12.0 kWh, From the battery 1.20 kWh, From the grid 9.60 kWh, Exported 7.20 kWh, Charged 2.40 kWh"
    );
    let today = bars(&browser.page("/energy?range=day"));
    // Twelve hours of today, and twelve known hours of the day before.
    assert_eq!(today.len(), 24);
    assert_eq!(
        today[1].0,
        "/chart?of=house&range=hour&at=2026-04-07T23:00:00.000Z"
    );
    assert!(
        today[0].1.ends_with(", before: 0.95\u{202F}kWh"),
        "{}",
        today[0].1
    );
    assert_eq!(
        today[23].1.replace('\u{202F}', " "),
        "8 Apr 2026 23:00: before: 0.95 kWh"
    );
    assert_eq!(browser.get(&today[1].0).status(), 200);
    // Its numbers, for scripts.
    let page = browser.page("/energy?range=day");
    assert!(page.contains("data-points=") && page.contains("data-read-out"));
}

#[test]
fn bars_and_table_have_the_sums_of_the_tiles() {
    let service = with_battery();
    let browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=day&at=2026-04-07");
    // The sources of the consumption add up to it.
    for (class, name, kwh) in [
        ("flow-solar", "Own solar", 12.0),
        ("flow-battery", "From the battery", 1.2),
        ("flow-grid", "From the grid", 9.6),
        ("flow-exported", "Exported", 7.2),
        ("flow-charged", "Charged", 2.4),
    ] {
        let sum = between(
            &page,
            &format!("<li class=\"{class}\">{name} <strong>"),
            "<",
        );
        assert_eq!(sum, kilowatthours(kwh * 1_000.0), "{name}");
    }
    let kwh = |kwh: f64| kilowatthours(kwh * 1_000.0);
    let heads: Vec<&str> = between(&page, "<thead>", "</thead>")
        .split("class=\"number\">")
        .skip(1)
        .collect();
    let heads: Vec<&str> = heads
        .iter()
        .map(|head| head.split('<').next().unwrap())
        .collect();
    assert_eq!(
        heads,
        [
            "Used",
            "Own solar",
            "From the battery",
            "From the grid",
            "Imported",
            "Exported",
            "Produced",
            "Charged",
            "Cost"
        ]
    );
    let sums = cells(&page, "Sum");
    assert_eq!(
        sums[..8],
        [22.8, 12.0, 1.2, 9.6, 9.6, 7.2, 21.6, 2.4].map(kwh)
    );
    let hour = cells(&page, "7 Apr 2026 13:00");
    assert_eq!(
        hour[..8],
        [0.95, 0.5, 0.05, 0.4, 0.4, 0.3, 0.9, 0.1].map(|it| match it {
            // Less than a tenth of a kilowatt-hour.
            0.05 => "50\u{202F}Wh".to_owned(),
            it => kwh(it),
        })
    );
    assert_eq!(page.matches("<tr><th scope=\"row\">7 Apr 2026").count(), 24);
    // One picture for each of four widths.
    assert_eq!(page.matches("class=\"flow-bar\"").count(), 4 * 24);
}

#[test]
fn the_bars_as_csv_have_the_same_sums() {
    let service = with_battery();
    let browser = Browser::set_up(&service);
    // The bars as a table have the same sums.
    let csv = browser.get("/energy.csv?range=day&at=2026-04-07");
    let disposition = csv.head.header("content-disposition");
    assert_eq!(
        disposition,
        Some("attachment; filename=\"energy-2026-04-07-to-2026-04-07.csv\"")
    );
    let lines: Vec<&str> = csv.text().lines().collect();
    let place = lines[0].split(',').position(|name| name == "used").unwrap();
    let used = lines[1..]
        .iter()
        .map(|line| line.split(',').nth(place).unwrap());
    let used: f64 = used.map(|used| used.parse::<f64>().unwrap()).sum();
    assert_eq!((lines.len(), used), (25, 22_800.0));
}

#[test]
fn what_runs_is_compared_with_as_much() {
    let service = with_battery();
    let browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=day");
    assert!(page.contains("This range is not over"));
    // Twelve hours, and the twelve before noon of the day before.
    assert_eq!(tile(&page, "Used"), kilowatthours(11_400.0));
    let used = between(&page, "<h3>Used</h3>", "</li>");
    assert!(used.contains("before: 11.4\u{202F}kWh"), "{used}");
    assert!(page.contains("rel=\"prev\"") && !page.contains("rel=\"next\""));
    let page = browser.page("/energy?range=day&at=2026-04-07");
    assert!(
        page.contains("rel=\"next\"")
            && page.contains("href=\"/energy?range=day\" data-way=\"now\">Today")
    );
}

#[test]
fn the_running_bucket_is_never_the_least() {
    let service = in_berlin(None);
    // Two days of 24 and 48 kWh, and half a day of 6 kWh.
    let hourly: Vec<i32> = [[1_000; 24], [2_000; 24], [500; 24]].concat();
    add(
        &service,
        "import",
        Role::GridImport,
        None,
        "2026-04-05T22:00:00",
        &hourly[..60],
    );
    let page = Browser::set_up(&service).page("/energy?range=month");
    assert!(
        page.contains("Least used 24.0\u{202F}kWh (6 Apr 2026)"),
        "{page}"
    );
    assert!(
        page.contains("Most used 48.0\u{202F}kWh (7 Apr 2026)"),
        "{page}"
    );
    assert!(between(&page, "<th scope=\"row\">8 Apr 2026", "</th>").contains("so far"));
}

#[test]
fn a_day_has_23_hours_when_clocks_go_forward() {
    let service = in_berlin(None);
    add(
        &service,
        "import",
        Role::GridImport,
        None,
        "2026-03-28T23:00:00",
        &[1_000; 23],
    );
    let page = Browser::set_up(&service).page("/energy?range=day&at=2026-03-29");
    assert_eq!(tile(&page, "Imported"), "23.0\u{202F}kWh");
    assert_eq!(
        page.matches("<tr><th scope=\"row\">29 Mar 2026").count(),
        23
    );
    assert!(!page.contains("29 Mar 2026 02:00"));
    assert!(!page.contains('€') && !page.contains("Missing") && !page.contains("incomplete"));
}

#[test]
fn what_is_not_known_is_no_zero() {
    let service = in_berlin(Some("0.5"));
    // From noon on.
    add(
        &service,
        "import",
        Role::GridImport,
        None,
        "2026-04-07T10:00:00",
        &[1_000; 24],
    );
    let browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=day&at=2026-04-07");
    assert!(
        page.contains("Readings are missing in 50\u{202F}% of the time"),
        "{page}"
    );
    assert_eq!(tile(&page, "Used"), "12.0\u{202F}kWh");
    let page = browser.page("/energy?range=day&at=2026-04-01");
    assert!(page.contains("No readings in this range."));
    for name in ["Used", "Imported", "Cost"] {
        assert_eq!(tile(&page, name), "–", "{name}");
    }
    assert!(!page.contains("<svg class=\"chart\"") && !page.contains("0.00"));
    let page = browser.page("/energy?range=year&at=2027-01-01");
    assert!(page.contains("This range lies in the future."));
    // A price from later on.
    let page = browser.page("/energy?range=day&at=2026-04-08");
    assert_eq!(tile(&page, "Cost"), "6.00\u{202F}€");
}

#[test]
fn a_net_meter_tells_both_directions() {
    let service = in_berlin(None);
    let hourly: Vec<i32> = [400, -300].repeat(12);
    add(
        &service,
        "grid",
        Role::Grid,
        None,
        "2026-04-06T22:00:00",
        &hourly,
    );
    add(
        &service,
        "roof",
        Role::Solar,
        None,
        "2026-04-06T22:00:00",
        &[500; 24],
    );
    let page = Browser::set_up(&service).page("/energy?range=day&at=2026-04-07");
    for (name, kwh) in [
        ("Imported", 4.8),
        ("Exported", 3.6),
        ("Produced", 12.0),
        ("Used", 13.2),
    ] {
        assert_eq!(tile(&page, name), kilowatthours(kwh * 1_000.0), "{name}");
    }
    // 500 produced and 300 fed back, or 500 and nothing: 12 times 200 and 12 times 500.
    let own = between(&page, "<li class=\"flow-solar\">Own solar <strong>", "<");
    assert_eq!(own, kilowatthours(8_400.0));
    assert!(!page.contains("flow-battery\">"));
}

#[test]
fn devices_fold_where_they_lie_inside_of_each_other() {
    let service = in_berlin(Some("0.5"));
    for (id, role, part_of, hourly) in [
        ("import", Role::GridImport, None, 1_000),
        ("board", Role::SubMeter, None, 600),
        ("heat", Role::SubMeter, Some("board"), 350),
        ("tv", Role::SubMeter, None, 100),
    ] {
        add(
            &service,
            id,
            role,
            part_of,
            "2026-04-05T22:00:00",
            &[hourly; 60],
        );
    }
    let browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=day&at=2026-04-07");
    let (_, list) = page.split_once("<ul class=\"uses\">").unwrap();
    let place = |text: &str| {
        list.find(text)
            .unwrap_or_else(|| panic!("no {text} in {list}"))
    };
    // The largest first, and what nothing explains last.
    let order = [
        "the board",
        "Includes the heat",
        ">the heat<",
        ">Other<",
        "the tv",
    ]
    .map(place);
    assert!(order.is_sorted(), "{order:?}");
    assert!(list.rfind(">Other<").unwrap() > place("the tv"));
    let board = between(list, "the board", "<details>");
    for fact in [
        "14.4\u{202F}kWh",
        "60\u{202F}%",
        "7.20\u{202F}€ at the grid price",
        "base load at night 600\u{202F}W",
    ] {
        assert!(board.contains(fact), "{fact}: {board}");
    }
    assert!(page.contains("/chart?sensor=board&#38;show=energy&#38;from="));
    assert!(!list.contains("the import"), "a meter is no device");
}

#[test]
fn ranges_are_widened_to_whole_bars_and_say_so() {
    let service = with_battery();
    let mut browser = Browser::set_up(&service);
    let page = browser.page("/energy?from=2026-01-05&to=2026-06-08");
    assert!(page.contains("1 Jan 2026 – 30 Jun 2026, whole months"));
    // The contract is from 1970 on, so its year begins in January.
    assert!(
        browser
            .page("/energy?range=contract")
            .contains("1 Jan 2026 – 31 Dec 2026")
    );
    for (query, field) in [
        ("from=2026-02-02&to=2026-01-01", "to"),
        ("from=&to=2026-01-01", "from"),
    ] {
        let answer = browser.get(&format!("/energy?{query}"));
        assert_eq!(answer.status(), 422, "{query}");
        let page = answer.text();
        assert!(page.contains(&format!("id=\"{field}-error\"")), "{query}");
        assert!(
            page.contains("value=\"2026-01-01\""),
            "what was typed stays"
        );
    }
    assert_eq!(browser.get("/energy?range=decade").status(), 400);
    assert_eq!(browser.get("/energy?account=nobody").status(), 404);
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let page = browser.page("/energy?range=day&at=2026-04-07");
    assert_eq!(tile(&page, "Bezug"), "9,60\u{202F}kWh");
    assert!(page.contains("Autarkie") && page.contains("7. Apr. 2026"));
}

#[test]
fn without_sensors_the_page_says_what_to_do() {
    let service = Service::start();
    service.add_account("other", wattkeeper::Plan::Free);
    let browser = Browser::set_up(&service);
    let page = browser.page("/energy?account=other");
    assert!(page.contains("Add your first sensor") && !page.contains("<h3>"));
}

#[test]
fn an_api_at_the_root_leaves_the_page_to_browsers() {
    let service = Service::start_with(|config| config.http.base_path = "/".to_owned());
    let browser = Browser::set_up(&service);
    let html = browser.send("GET", "/energy", &[("Accept", "text/html,*/*;q=0.8")], b"");
    assert!(html.status() == 200 && html.text().contains("<h1>Energy</h1>"));
    let headers = [("Authorization", &*house_basic()), ("Accept", "*/*")];
    let json = service.send(&request(
        "GET",
        "/energy?start_time=2026-01-01",
        &headers,
        b"",
    ));
    assert!(json.text().starts_with('{'), "{}", json.text());
}

#[test]
fn the_chart_comes_first_and_few_tiles_follow() {
    let service = with_battery();
    let browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=day&at=2026-04-07");
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    assert!(place("class=\"chart\"") < place("class=\"tiles"));
    let shown = between(&page, "<ul class=\"tiles sums\">", "</ul>");
    assert_eq!(shown.matches("<li class=\"tile").count(), 4);
    assert!(place("<summary>All sums</summary>") < place("<h3>Produced</h3>"));
}

#[test]
fn the_paths_of_energy_have_the_sums_of_the_bars() {
    let service = with_battery();
    let browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=day&at=2026-04-07");
    let words = page.replace('\u{202F}', " ");
    let words = between(&words, "<desc>Solar → ", "</desc>");
    assert_eq!(
        words,
        "House: 12.0 kWh; Solar → Exported: 7.20 kWh; Solar → Charged: 2.40 kWh; Battery → House: 1.20 kWh; Grid → House: 9.60 kWh."
    );
    assert_eq!(page.matches("<desc>Solar → House").count(), 3);
}

/// What no device measured is one number: in the picture, in the list, and of the API.
#[test]
fn other_is_what_no_device_measured() {
    let service = in_berlin(Some("0.5"));
    let midnight = "2026-04-05T22:00:00";
    let import = [1_000; 60];
    add(
        &service,
        "import",
        Role::GridImport,
        None,
        midnight,
        &import,
    );
    // The larger ones come first: 450 Wh of the others in each hour.
    for (nth, hourly) in [90, 80, 70, 60, 50, 40, 30, 20, 10].into_iter().enumerate() {
        let hourly = [hourly; 60];
        let id = format!("plug{nth}");
        add(&service, &id, Role::SubMeter, None, midnight, &hourly);
    }
    let mut browser = Browser::set_up(&service);
    let page = browser.page("/energy?range=day&at=2026-04-07");
    let page = page.replace('\u{202F}', " ");
    let words = between(&page, "<desc>Grid → ", "</desc>");
    assert!(words.contains("House → the plug5: 0.96 kWh; House → 3 more devices: 1.44 kWh; House → Other: 13.2 kWh."), "{words}");
    let (_, list) = page.split_once("<ul class=\"uses\">").unwrap();
    let (_, other) = list.rsplit_once(">Other<").unwrap();
    assert!(other.contains("13.2 kWh"), "{other}");
    let day = "start_time=2026-04-06T22:00:00Z&end_time=2026-04-07T22:00:00Z";
    assert_eq!(rows(&service, day)[0]["other"], 13_200.0);
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let page = browser.page("/energy?range=day&at=2026-04-07");
    assert!(page.contains("3 weitere Geräte") && page.contains("→ Sonstiges: 13,2"));
    // A single one more has its name.
    service
        .store()
        .remove_sensor_durably(&SensorId::new("plug8").unwrap())
        .unwrap();
    service
        .store()
        .remove_sensor_durably(&SensorId::new("plug7").unwrap())
        .unwrap();
    let page = browser.page("/energy?range=day&at=2026-04-07");
    assert!(page.contains("→ the plug6: 0,72\u{202F}kWh") && page.contains("→ Sonstiges: 13,9"));
}

#[test]
fn hours_by_days_show_power_cost_and_price() {
    let service = in_berlin(Some("0.5"));
    // 1 kWh in each hour, and 2 kWh in the last one.
    let mut hourly = [1_000; 48];
    hourly[47] = 2_000;
    add(
        &service,
        "import",
        Role::GridImport,
        None,
        "2026-04-04T22:00:00",
        &hourly,
    );
    let browser = Browser::set_up(&service);
    let energy = browser.page("/energy?range=month");
    assert!(
        energy.contains("href=\"/energy/hours?range=month\""),
        "{energy}"
    );
    let page = |address: &str| browser.page(address).replace('\u{202F}', " ");
    let power = page("/energy/hours?range=month");
    // A line for each day but the last hour, which is the strongest one.
    assert!(power.contains("d=\"M4.5,0v24M5.5,0v23\""), "{power}");
    assert!(power.contains("d=\"M5.5,23v1\""), "{power}");
    assert!(
        power.contains("1.00 kW <svg class=\"heat\"") && power.contains("</svg> 2.00 kW ·"),
        "{power}"
    );
    let row = "<tr><th scope=\"row\">23:00</th><td class=\"number\">1.50 kW</td><td class=\"number\">1.00 kW (5 Apr 2026)</td><td class=\"number\">2.00 kW (6 Apr 2026)</td></tr>";
    assert!(power.contains(row), "{power}");
    assert_eq!(power.matches("<use class=\"hours\"").count(), 3);
    let cost = page("/energy/hours?range=month&show=cost");
    assert!(
        cost.contains("0.50 € <svg class=\"heat\"") && cost.contains("</svg> 1.00 € ·"),
        "{cost}"
    );
    let price = page("/energy/hours?range=month&show=price");
    assert!(
        price.contains("50.0 ct <svg class=\"heat\"") && price.contains("</svg> 50.0 ct ·"),
        "{price}"
    );
    let earlier = "href=\"/energy/hours?range=month&amp;at=2026-03-01&amp;show=price\"";
    assert!(
        price.contains(earlier) || price.contains(&earlier.replace("&amp;", "&#38;")),
        "{price}"
    );
    let nothing = page("/energy/hours?range=week&at=2020-01-01");
    assert!(nothing.contains("No readings in this range."), "{nothing}");
    assert_eq!(browser.get("/energy/hours?range=day").status(), 400);
    let year = browser.page("/energy/hours?range=year");
    assert!(year.contains("v24"));
}
