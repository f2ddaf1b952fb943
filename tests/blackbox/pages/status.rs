//! `/status`: figures and warnings.

use serde_json::json;
use wattkeeper::last_error;

use crate::pages::browser::Browser;
use crate::pages::dashboard::live_in;
use crate::support::{HOUR, Service, at};

#[test]
fn figures_are_shown() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for watts in 0..3 {
        service.accept(&json!({ "watts": watts }));
        service.clock.advance(60_000);
    }
    let page = browser.page("/status");
    assert!(page.contains("Storing readings"), "{page}");
    assert!(page.contains("<dt>Readings</dt><dd>3</dd>"), "{page}");
    assert!(
        page.contains("there is room for more than ten years"),
        "{page}"
    );
    assert!(page.contains("available after ten minutes"), "{page}");
    assert!(
        page.contains(", part of the program</dd>"),
        "the time zones: {page}"
    );
    service.clock.advance(HOUR / 2);
    let page = browser.page("/status");
    assert!(page.contains(" per day</dd>"), "{page}");
    service.clock.advance(25 * HOUR);
    assert!(browser.page("/status").contains("its growth is not known"));
}

#[test]
fn warnings_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let copies = folder.path().join("copies");
    std::fs::create_dir(&copies).unwrap();
    let service = Service::start_with(|config| config.backup.dir.clone_from(&copies));
    let browser = Browser::set_up(&service);
    for _ in 0..2 {
        service.clock.advance(HOUR);
        service.accept(&json!({"watts": 1}));
    }
    service.clock.advance(3 * HOUR);
    assert!(!browser.page("/status").contains("no longer uploads"));
    service.clock.advance(HOUR);
    service.await_notices(&["sensor-silent:house"]);
    let page = browser.page("/status");
    assert!(
        page.contains("The sensor the house no longer uploads anything."),
        "{page}"
    );
    assert!(
        page.contains("Check its power") && page.contains("Since "),
        "{page}"
    );
    service.clock.advance(72 * HOUR);
    std::fs::remove_dir_all(&copies).unwrap();
    let page = browser.page("/status");
    assert!(page.contains("cannot be read"), "{page}");
    service.store().close().unwrap();
    let page = browser.page("/status");
    assert!(page.contains("uploads are refused"), "{page}");
    assert!(page.contains("store is read-only"), "{page}");
}

#[test]
fn missing_backups_are_a_warning() {
    let service = Service::start();
    let page = Browser::set_up(&service).page("/status");
    assert!(page.contains("No backups are taken"), "{page}");
}

#[test]
fn the_last_error_is_shown_as_text() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    last_error::keep(
        at("2026-01-05T09:00:00"),
        "<script>alert(1)</script>".to_owned(),
    );
    let page = browser.page("/status");
    assert!(page.contains("&#60;script&#62;alert(1)"), "{page}");
    assert!(page.contains("ago (5 Jan 2026, 09:00 UTC)"), "{page}");
    // In the time zone of the house.
    live_in(&service, "Europe/Berlin", None);
    let page = browser.page("/status");
    assert!(
        page.contains("ago (5 Jan 2026, 10:00 Europe/Berlin)"),
        "{page}"
    );
    assert!(!page.contains("<script>alert"), "{page}");
}
