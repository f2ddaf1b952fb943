//! Import of a table by form.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use wattkeeper::Plan;

use crate::pages::browser::{Browser, hidden_fields, location, plain};
use crate::support::{Response, Service, house_basic, request};
use crate::workbook::workbook;

const PAGE: &str = "/settings/sensor/import?id=house";
const ACTION: &str = "/settings/sensor/import";

/// An export of another system: ambiguous dates, decimal commas, and an invalid row.
const TABLE: &str = "Zeit;Leistung <kW>;Zähler;Ort\r\n\
    03/01/2026 10:00;1,5;9410,938;Haus\r\n\
    03/01/2026 10:15;;9411;Haus\r\n\
    04/01/2026 12:00;-0,25;x;Haus\r\n";

fn look(browser: &Browser<'_>, table: &str) -> Response {
    browser.submit(PAGE, ACTION, &[("table", table), ("do", "look")])
}

/// The form of `answer` again, with the table that is in it and these fields.
fn again(browser: &Browser<'_>, answer: &Response, fields: &[(&str, &str)]) -> Response {
    let page = answer.text();
    let mut form = hidden_fields(page, ACTION);
    let (_, rest) = page.split_once("name=\"table\" hidden>\n").unwrap();
    let (table, _) = rest.split_once("</textarea>").unwrap();
    form.push(("table".to_owned(), plain(table)));
    let fields = fields.iter();
    form.extend(fields.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    browser.post(ACTION, &form)
}

const CHOICES: [(&str, &str); 6] = [
    ("time", "Zeit"),
    ("power", "Leistung <kW>"),
    ("power-unit", "kW"),
    ("register", "Zähler"),
    ("register-unit", "kWh"),
    ("tz", "Europe/Berlin"),
];

fn with<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&CHOICES[..], more].concat()
}

fn stored(service: &Service, kind: &str) -> Vec<(String, f64)> {
    service.points(kind, "2026-01-01T00:00:00", "2026-01-05T00:00:00")
}

#[test]
fn rows_columns_and_contents_are_shown_before_anything_is_stored() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    assert!(
        browser
            .page("/settings/sensor?id=house")
            .contains(&PAGE.replace('&', "&amp;"))
    );
    let answer = look(&browser, TABLE);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let page = plain(answer.text());
    assert!(page.contains("<td><bdi>9410,938</bdi></td>"), "{page}");
    assert!(page.contains("<option value=\"Leistung <kW>\">"), "{page}");
    assert!(!page.contains("value=\"store\""), "{page}");
    // The dates are not clear, and nothing is guessed.
    let refused = again(&browser, &answer, &with(&[("do", "look")]));
    assert_eq!(refused.status(), 422);
    assert!(
        refused
            .text()
            .contains("Choose whether the day or the month")
    );
    let checked = again(
        &browser,
        &refused,
        &with(&[("dates", "dmy"), ("do", "look")]),
    );
    let page = plain(checked.text());
    assert_eq!(checked.status(), 200, "{page}");
    assert!(
        page.contains("Readings: 2, from 3 Jan 2026, 10:00 to 3 Jan 2026, 10:15"),
        "{page}"
    );
    assert!(
        page.contains("line 4: Zähler: expected a number, got \"x\""),
        "{page}"
    );
    for chosen in ["\"dmy\"", "\"Zeit\"", "\"Zähler\""] {
        assert!(
            page.contains(&format!("<option value={chosen} selected>")),
            "{page}"
        );
    }
    let bad = again(
        &browser,
        &checked,
        &with(&[("dates", "dmy"), ("do", "store")]),
    );
    assert_eq!(bad.status(), 422);
    assert!(
        bad.text().contains("id=\"skip-bad-error\""),
        "{}",
        bad.text()
    );
    assert!(stored(&service, "rate").is_empty());
    let fields = with(&[("dates", "dmy"), ("skip-bad", "yes"), ("do", "store")]);
    let done = again(&browser, &bad, &fields);
    let page = browser.page(location(&done));
    assert!(page.contains("Readings imported: "), "{page}");
    assert_eq!(
        stored(&service, "rate"),
        [("2026-01-03T09:00:00.000Z".to_owned(), 1_500.0)]
    );
    assert_eq!(
        stored(&service, "consumption"),
        [("2026-01-03T09:15:00.000Z".to_owned(), 62.0)]
    );
}

#[test]
fn a_table_that_says_all_is_checked_at_once() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let answer = look(
        &browser,
        "time,watts\n2026-01-03T10:00:00Z,5\n2026-01-03T11:00:00Z,<7>",
    );
    assert!(
        plain(answer.text()).contains("got \"<7>\""),
        "{}",
        answer.text()
    );
    let answer = look(&browser, "\n\ntime,watts\n2026-01-03T10:00:00Z,5");
    let page = answer.text();
    assert!(page.contains("Readings: 1, from"), "{page}");
    let fields = [
        ("time", "time"),
        ("power", "watts"),
        ("tz", "UTC"),
        ("do", "store"),
    ];
    location(&again(&browser, &answer, &fields));
    assert_eq!(stored(&service, "rate").len(), 1);
}

#[test]
fn columns_are_added_up() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let table = "time,HT (kWh),NT (kWh)\n2026-01-03T10:00:00Z,1,2\n2026-01-03T10:15:00Z,1.5,2.25\n";
    let asked = look(&browser, table);
    let box_of = |name: &str| format!("name=\"register-more\" value=\"{name}\"");
    assert!(
        asked.text().contains(&box_of("HT (kWh)")),
        "{}",
        asked.text()
    );
    let both = [
        ("time", "time"),
        ("register-more", "HT (kWh)"),
        ("register-more", "NT (kWh)"),
        ("tz", "UTC"),
    ];
    let shown = again(&browser, &asked, &[&both[..], &[("do", "look")]].concat());
    let page = shown.text();
    assert!(page.contains("Rows read: 2"), "{page}");
    assert!(
        page.contains(&format!("{} checked", box_of("NT (kWh)"))),
        "{page}"
    );
    let done = again(&browser, &shown, &[&both[..], &[("do", "store")]].concat());
    assert!(
        browser
            .page(location(&done))
            .contains("Readings imported: 2")
    );
    let stored = stored(&service, "consumption");
    assert_eq!(stored, [("2026-01-03T10:15:00.000Z".to_owned(), 750.0)]);
}

#[test]
fn a_group_of_columns_is_chosen_at_once() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let names: Vec<_> = (1..=24).map(|hour| format!("H{hour:02}")).collect();
    let table = format!(
        "Day,{}\n2026-01-03,{}\n",
        names.join(","),
        vec!["5"; 24].join(",")
    );
    let answer = look(&browser, &table);
    let page = answer.text();
    assert!(
        page.contains("<option value=\"H01..H24\" selected>"),
        "{page}"
    );
}

#[test]
fn a_file_of_a_supplier_is_recognised() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let gas = "\"Datum\",\"EAN\",\"Verbruik\",\"Type\",\"Piek\"\n\
        \"2026-01-03T09:00:00+01:00\",\"1\",\"1.002\",\"Elektriciteit\",\"false\"\n\
        \"2026-01-03T09:00:00+01:00\",\"2\",\"1.179\",\"Gas\",\"0\"\n";
    let page = plain(look(&browser, gas).text());
    assert!(
        page.contains("It was recognised as a file of ENGIE."),
        "{page}"
    );
    assert!(page.contains("Type=Elektriciteit</textarea>"), "{page}");
    assert!(page.contains("<option value=\"start\" selected>"), "{page}");
    // This sensor has no register of intervals, as the question says.
    assert!(
        page.contains("its values are energies of intervals"),
        "{page}"
    );
}

/// Rows are filtered, stored and undone, and the choices are remembered.
#[test]
fn rows_are_chosen_stored_undone_and_remembered() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let two = "day,meter,watts\n2026-01-03T10:00:00Z,a,5\n2026-01-03T10:00:00Z,b,6\n";
    let answer = look(&browser, two);
    let choices = [("time", "day"), ("power", "watts"), ("tz", "UTC")];
    let fields = |more: &[(&'static str, &'static str)]| [&choices[..], more].concat();
    let asked = again(&browser, &answer, &fields(&[("do", "look")]));
    assert_eq!(asked.status(), 422);
    assert!(
        plain(asked.text()).contains("--where 'meter=a'"),
        "{}",
        asked.text()
    );
    let wrong = again(
        &browser,
        &answer,
        &fields(&[("where", "meter"), ("do", "look")]),
    );
    assert!(wrong.text().contains("Write each line as COLUMN=VALUE."));
    let done = again(
        &browser,
        &asked,
        &fields(&[("where", "meter=b"), ("do", "store")]),
    );
    assert!(
        browser
            .page(location(&done))
            .contains("Readings imported: ")
    );
    assert_eq!(
        stored(&service, "rate"),
        [("2026-01-03T10:00:00.000Z".to_owned(), 6.0)]
    );
    let undone = again(
        &browser,
        &asked,
        &fields(&[("where", "meter=b"), ("do", "undo")]),
    );
    assert!(browser.page(location(&undone)).contains("Import undone."));
    assert!(stored(&service, "rate").is_empty());

    let fields = fields(&[
        ("where", "meter=b"),
        ("format-name", "Mine"),
        ("do", "remember"),
    ]);
    let remembered = again(&browser, &asked, &fields);
    assert!(
        remembered.text().contains("The choices were remembered."),
        "{}",
        remembered.text()
    );
    let page = plain(look(&browser, two).text());
    assert!(
        page.contains("It was recognised as a file of Mine."),
        "{page}"
    );
    assert!(page.contains("meter=b</textarea>"), "{page}");
}

/// A unit that nobody named is asked for, and one that the file has needs no choice.
#[test]
fn no_unit_is_taken_silently() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let table = "time,counter\n2026-01-03T10:00:00Z,5\n2026-01-03T10:15:00Z,5.5\n";
    let answer = look(&browser, table);
    let page = answer.text();
    assert!(!page.contains("value=\"Wh\" checked") && !page.contains("value=\"kWh\" checked"));
    let choices = [("time", "time"), ("register", "counter"), ("tz", "UTC")];
    let asked = again(&browser, &answer, &choices);
    assert_eq!(asked.status(), 422);
    let page = plain(asked.text());
    assert!(page.contains("id=\"register-error\""), "{page}");
    assert!(page.contains("--unit kWh"), "{page}");
    let chosen = [&choices[..], &[("register-unit", "kWh"), ("do", "store")]].concat();
    location(&again(&browser, &asked, &chosen));
    assert_eq!(
        stored(&service, "consumption"),
        [("2026-01-03T10:15:00.000Z".to_owned(), 500.0)]
    );
    let series = "{\"metric\":{\"__name__\":\"house_energy_kwh\"},\"values\":[5,6],\"timestamps\":[1767434400000,1767435300000]}\n";
    let answer = look(&browser, series);
    let fields = [
        ("register", "house_energy_kwh"),
        ("tz", "UTC"),
        ("do", "store"),
    ];
    location(&again(&browser, &answer, &fields));
    assert_eq!(
        stored(&service, "consumption"),
        [("2026-01-03T10:15:00.000Z".to_owned(), 1000.0)]
    );
}

/// A question says what to choose in the language of the page, and quotes the command.
#[test]
fn questions_are_in_the_language_of_the_page() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    for (table, choices, question, quoted) in [
        (
            "time,counter\n2026-01-03T10:00:00Z,5\n2026-01-03T10:15:00Z,5.5\n",
            [("time", "time"), ("register", "counter"), ("tz", "UTC")],
            "Bitte die Einheit dieser Werte wählen.",
            "--unit kWh",
        ),
        (
            "day,meter,watts\n2026-01-03T10:00:00Z,a,5\n2026-01-03T10:00:00Z,b,6\n",
            [("time", "day"), ("power", "watts"), ("tz", "UTC")],
            "Die Tabelle enthält mehrere Reihen.",
            "--where 'meter=a'",
        ),
    ] {
        let answer = look(&browser, table);
        let choices = [&choices[..], &[("do", "look")]].concat();
        let asked = again(&browser, &answer, &choices);
        assert_eq!(asked.status(), 422);
        let page = plain(asked.text());
        assert!(page.contains(question) && page.contains(quoted), "{page}");
    }
}

/// A remembered file has the units that were chosen, and is no other one that has more columns.
#[test]
fn what_is_remembered_is_for_such_files_alone() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let answer = look(&browser, "time,now,counter\n2026-01-03T10:00:00Z,5,7\n");
    let fields = [
        ("time", "time"),
        ("power", "now"),
        ("power-unit", "kW"),
        ("register", "counter"),
        ("register-unit", "kWh"),
        ("tz", "UTC"),
        ("format-name", "Mine"),
        ("do", "remember"),
    ];
    let remembered = again(&browser, &answer, &fields);
    assert!(plain(remembered.text()).contains("The choices were remembered."));
    let page = plain(look(&browser, "time,now,counter\n2026-01-04T10:00:00Z,5,7\n").text());
    assert!(
        page.contains("It was recognised as a file of Mine."),
        "{page}"
    );
    assert!(page.contains("value=\"kW\" checked") && page.contains("value=\"kWh\" checked"));
    let more = "time,now,counter,watts\n2026-01-04T10:00:00Z,5,7,9\n";
    assert!(!look(&browser, more).text().contains("It was recognised"));
}

/// Formats belong to the account of the sensor, and are listed and removed on the page.
#[test]
fn what_is_remembered_belongs_to_the_account() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    service.add_account("other", Plan::Paid);
    service.add_sensor("other", "theirs");
    assert!(!browser.page(PAGE).contains("Remembered formats"));
    let table = "day,used\n2026-01-03T10:00:00Z,5\n";
    let answer = look(&browser, table);
    let choices = [("time", "day"), ("power", "used"), ("tz", "UTC")];
    let named =
        |name: &'static str| [&choices[..], &[("format-name", name), ("do", "remember")]].concat();
    for name in ["", &*"x".repeat(65).leak()] {
        let refused = again(&browser, &answer, &named(name));
        assert_eq!(refused.status(), 422);
        assert!(refused.text().contains("Give it a name of at most 64"));
    }
    let remembered = again(&browser, &answer, &named("Mine <b>"));
    assert!(remembered.text().contains("The choices were remembered."));
    let page = plain(&browser.page(PAGE));
    assert!(page.contains("Remembered formats"), "{page}");
    assert!(page.contains("<bdi>Mine <b></bdi>"), "{page}");
    let theirs = PAGE.replace("house", "theirs");
    assert!(!browser.page(&theirs).contains("Remembered formats"));
    let looked = browser.submit(&theirs, ACTION, &[("table", table), ("do", "look")]);
    assert!(!looked.text().contains("It was recognised"));

    let forget = |name: &str| {
        let form = "/settings/sensor/import/forget";
        browser.submit(PAGE, form, &[("id", "house"), ("name", name)])
    };
    let removed = forget("Mine <b>");
    let page = browser.page(location(&removed));
    assert!(page.contains("The format was removed."), "{page}");
    assert!(!page.contains("Remembered formats"), "{page}");
    for number in 0..50 {
        let text = format!("name = \"f{number}\"\ncolumns = [\"a\"]");
        let headers = [("Authorization", &*house_basic())];
        let put = request("PUT", "/api/v0.2/formats", &headers, text.as_bytes());
        assert_eq!(service.send(&put).status(), 200);
    }
    let full = again(&browser, &answer, &named("more"));
    assert_eq!(full.status(), 422);
    assert!(
        full.text().contains("50 remembered formats"),
        "{}",
        full.text()
    );
    assert_eq!(forget("unknown").status(), 422);
}

/// Files that are not text are sent as data URLs; files that are not tables have series.
#[test]
fn files_that_are_no_tables() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let utf16: Vec<u8> = "time,watts\n2026-01-03T10:00:00Z,5\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let sent = format!(
        "data:application/octet-stream;base64,{}",
        BASE64_STANDARD.encode(utf16)
    );
    let page = plain(look(&browser, &sent).text());
    assert!(page.contains("Readings: 1, from 3 Jan 2026"), "{page}");
    let page = plain(look(&browser, "data:;base64,?").text());
    assert!(page.contains("The table cannot be read"), "{page}");
    let series = "{\"metric\":{\"__name__\":\"house_power_w\"},\"values\":[5],\"timestamps\":[1767434400000]}\n";
    let answer = look(&browser, series);
    assert!(
        answer.text().contains("house_power_w (W)"),
        "{}",
        answer.text()
    );
    let fields = [("power", "house_power_w"), ("tz", "UTC"), ("do", "store")];
    location(&again(&browser, &answer, &fields));
    assert_eq!(
        stored(&service, "rate"),
        [("2026-01-03T10:00:00.000Z".to_owned(), 5.0)]
    );
}

#[test]
fn a_sheet_of_a_workbook_is_named() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let look = |sheets: &[(&str, u32)], name: &str| {
        let packed = BASE64_STANDARD.encode(workbook(sheets));
        let file = format!("data:application/octet-stream;base64,{packed}");
        let fields = [("table", file.as_str()), ("sheet", name), ("do", "look")];
        browser.submit(PAGE, ACTION, &fields)
    };
    let two = [("Drawn", 5), ("Fed", 7)];
    let question = look(&two, "");
    assert_eq!(question.status(), 422);
    let text = question.text();
    assert!(
        text.contains("id=\"sheet-error\"") && text.contains("base64,"),
        "{text}"
    );
    assert!(
        plain(text).contains("they are \"Drawn\", \"Fed\""),
        "{text}"
    );
    assert!(plain(look(&two, "None").text()).contains("no sheet \"None\""));
    let named = look(&two, "Fed");
    assert_eq!(named.status(), 200, "{}", named.text());
    let others = "Other sheets with times, which are not read: Drawn";
    assert!(plain(named.text()).contains(others), "{}", named.text());
    let seen = again(
        &browser,
        &named,
        &[("time", "time"), ("register", "watthours"), ("tz", "UTC")],
    );
    assert!(
        plain(seen.text()).contains(others) && seen.text().contains("Readings: 1"),
        "{}",
        seen.text()
    );
    assert_eq!(look(&two[..1], "").status(), 200);
}

#[test]
fn mistakes_are_shown_and_store_nothing() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for (table, said) in [
        (String::new(), "Choose a file, or paste a table."),
        (" \n\n".to_owned(), "Choose a file, or paste a table."),
        (
            format!("time,watts\n{}", "2026-01-03T10:00:00Z,5\n".repeat(200_000)),
            "longer than 4 MiB",
        ),
    ] {
        let answer = look(&browser, &table);
        assert_eq!(answer.status(), 422);
        assert!(answer.text().contains(said), "{said}");
        assert!(answer.text().len() < 100_000);
    }
    let wide = format!("time,watts{}\n", ",".repeat(10_000));
    let answer = look(&browser, &wide);
    assert_eq!(answer.status(), 422);
    assert!(answer.text().contains("10002 columns"));
    let answer = look(&browser, "a,b\n1,2\n");
    assert_eq!(answer.status(), 200, "{}", answer.text());
    for (fields, said) in [
        (&[("tz", "UTC")][..], "Choose the column with the times."),
        (
            &[("tz", "UTC"), ("time", "a")],
            "Choose the column of power",
        ),
        (
            &[("tz", "Mars"), ("time", "a"), ("power", "b")],
            "id=\"tz-error\"",
        ),
        (
            &[("tz", "UTC"), ("time", "a"), ("power", "c")],
            "there is no column \"c\"",
        ),
        (
            &[
                ("tz", "UTC"),
                ("time", "a"),
                ("power", "b"),
                ("skip-bad", "yes"),
                ("do", "store"),
            ],
            "There is no reading in it.",
        ),
    ] {
        let refused = again(&browser, &answer, fields);
        assert_eq!(refused.status(), 422, "{fields:?}");
        let page = plain(refused.text());
        assert!(page.contains(said), "{said}: {page}");
    }
    assert_eq!(browser.get("/settings/sensor/import?id=none").status(), 404);
    assert!(stored(&service, "rate").is_empty());
}

/// The page has the table once, and never more of it than was allowed.
#[test]
fn a_page_repeats_little_of_a_table() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let many = 1 << 20;
    for (table, is_refused) in [
        (format!("time,{}\n1,2\n", "&".repeat(many)), true),
        (format!("time,watts\n1,2\n{}\n", "<".repeat(2 * many)), true),
        (format!("time{}\n1\n", ",".repeat(many)), true),
        (format!("time,watts\n1{}\n", ";".repeat(many)), true),
        (format!("time,watts\n{}", "a\n".repeat(many)), false),
        (format!("time,{}\n1,2\n", "x".repeat(100_000)), false),
    ] {
        let answer = look(&browser, &table);
        assert_eq!(answer.status() == 422, is_refused, "{}", answer.status());
        let most = if is_refused { 0 } else { table.len() } + 100_000;
        assert!(answer.text().len() < most, "{}", answer.text().len());
    }
}
