//! The dashboard right after the very first upload.

use serde_json::json;
use wattkeeper::MeterKind;
use wattkeeper::Role;

use crate::pages::browser::Browser;
use crate::pages::dashboard::{hourly, live_in, put_sensor, tile};
use crate::support::{HOUR, MINUTE, SENSOR, Service, at};

/// The dashboard so many milliseconds after the first upload of a sensor in this role.
fn after_one_upload(role: Role, upload: &serde_json::Value, later_ms: i64) -> String {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.3215"));
    put_sensor(&service, SENSOR, "House", role, MeterKind::Net);
    service.accept(upload);
    service.clock.advance(later_ms);
    Browser::set_up(&service).page("/")
}

/// A single upload teaches no spacing: as long as its power is shown, the next one is not late.
#[test]
fn the_first_upload_after_an_import_is_complete() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.3215"));
    service.clock.set(at("2026-01-06T11:00:00"));
    service.import(&hourly("2025-12-28T00:00:00", "2026-01-06T10:00:00"));
    let browser = Browser::set_up(&service);
    let is_incomplete = || tile(&browser.page("/"), "Today").contains("incomplete");
    // Nobody knows when the next import comes.
    assert!(is_incomplete());
    service.accept(&json!({"watts": 1_234, "watthours": 100_000}));
    for minutes in [0, 2, 58] {
        service.clock.advance(minutes * MINUTE);
        let page = browser.page("/");
        assert!(page.contains("1.23\u{202F}kW"));
        assert!(!is_incomplete(), "{minutes}");
    }
    service.clock.advance(2 * HOUR);
    assert!(is_incomplete());
}

/// A sensor that joins others does not make their sums incomplete.
#[test]
fn the_first_upload_of_a_second_meter_is_complete() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    service.clock.set(at("2026-01-06T10:50:00"));
    service.import(&hourly("2025-12-28T00:00:00", "2026-01-06T10:00:00"));
    for watthours in [100_000, 100_100] {
        service.accept(&json!({"watts": 600, "watthours": watthours}));
        service.clock.advance(10 * MINUTE);
    }
    let browser = Browser::set_up(&service);
    assert!(!tile(&browser.page("/"), "Today").contains("incomplete"));
    put_sensor(
        &service,
        "feed",
        "Feed",
        Role::GridExport,
        MeterKind::Counter,
    );
    let upload = json!({"sensor_id": "feed", "watts": 5, "watthours": 1});
    service.accept(&upload);
    service.clock.advance(2 * MINUTE);
    let page = browser.page("/");
    assert!(page.contains("5\u{202F}W"));
    let today = tile(&page, "Today");
    assert!(!today.contains("incomplete"), "{today}");
}

#[test]
fn the_first_upload_of_a_sensor_is_complete() {
    let mut wrong = Vec::new();
    for role in [Role::Grid, Role::GridImport, Role::Solar, Role::SubMeter] {
        for upload in [
            json!({"watts": 1_234}),
            json!({"watts": 1_234, "watthours": 5_000}),
        ] {
            for later_ms in [0, 1_000, 5 * MINUTE, HOUR] {
                let page = after_one_upload(role, &upload, later_ms);
                let (shows, lacks) = (page.contains("1.23\u{202F}kW"), page.contains("incomplete"));
                if !shows || lacks {
                    wrong.push(format!(
                        "{role:?}, {upload}, {later_ms} ms: {shows}, {lacks}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
