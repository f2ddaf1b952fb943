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
    assert!(page.contains("available after ten minutes"), "{page}");
    service.clock.advance(HOUR / 2);
    let page = browser.page("/status");
    assert!(page.contains(" per day</dd>"), "{page}");
}

#[test]
fn warnings_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let copies = folder.path().join("copies");
    std::fs::create_dir(&copies).unwrap();
    let service = Service::start_with(|config| config.backup.dir.clone_from(&copies));
    let browser = Browser::set_up(&service);
    service.accept(&json!({"watts": 1}));
    service.clock.advance(HOUR);
    assert!(!browser.page("/status").contains("No data from"));
    service.clock.advance(HOUR);
    let page = browser.page("/status");
    assert!(page.contains("No data from"), "{page}");
    assert!(page.contains("2 hours ago"), "{page}");
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
