//! `/status`: warnings and figures of the service. Times are in the time zone of the first account; those of a sensor in the time
//! zone of its own account.

use std::time::Duration;

use askama::Template;
use bytesize::ByteSize;

use crate::domain::{Account, Timestamp, Zone};
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageResult, Tab, Visit, figures};
use crate::http::wire::body::in_background;
use crate::last_error;
use crate::status::{BackupState, ServiceStatus, Warning};
use crate::store::Registry;

#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage {
    layout: Layout,
    /// Whether the store refuses all changes.
    is_out_of_order: bool,
    warnings: Vec<WarningView>,
    facts: Vec<(&'static str, String)>,
    backups: BackupText,
    last_error: Option<ErrorText>,
}

/// A warning, and what to do about it.
struct WarningView {
    is_bad: bool,
    title: String,
    remedy: String,
}

struct BackupText {
    summary: String,
    /// The path of the newest backup or of the folder.
    path: Option<String>,
}

struct ErrorText {
    time: String,
    text: String,
}

/// `GET /status`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let app = &visit.app;
    let now = app.now();
    let (monitor, store) = (app.monitor.clone(), app.store.clone());
    let status = in_background(move || monitor.look(&store, now)).await??;
    let registry = app.store.registry();
    let clocks = Clocks {
        now: now.time,
        zone: zone_of(registry.accounts().next()),
    };
    let warnings = status
        .warnings
        .iter()
        .map(|warning| WarningView::of(warning, &registry, &clocks));
    Ok(ok(&StatusPage {
        layout: visit.layout(Tab::Status),
        is_out_of_order: app.store.unavailable().is_some(),
        warnings: warnings.collect(),
        facts: facts(&status),
        backups: BackupText::of(&status.backups, &clocks),
        last_error: last_error::last().map(|last| ErrorText {
            time: clocks.ago(last.time),
            text: last.text,
        }),
    }))
}

fn facts(status: &ServiceStatus) -> Vec<(&'static str, String)> {
    let written = status.written_a_day.map_or_else(
        || "available after ten minutes".to_owned(),
        |bytes| format!("{} per day", size(bytes)),
    );
    vec![
        ("Version", env!("CARGO_PKG_VERSION").to_owned()),
        ("Uptime", span(status.up)),
        ("Readings", figures::count(status.readings)),
        ("Sensors", status.sensors.to_string()),
        ("Store size", size(status.disk.bytes)),
        ("Free disk space", size(status.disk.free)),
        ("Written to disk", written),
    ]
}

impl WarningView {
    fn of(warning: &Warning, registry: &Registry, clocks: &Clocks) -> Self {
        let (is_bad, title, remedy) = match warning {
            Warning::OutOfOrder(why) => (
                true,
                "The store is read-only".to_owned(),
                format!("{why}. Fix the cause, then restart wattkeeper. Every acknowledged reading is safe."),
            ),
            Warning::Silent { sensor, since } => {
                let known = registry.sensor(sensor);
                let name = known.map_or(sensor.as_str(), |sensor| sensor.name.as_str());
                let account = known.and_then(|sensor| registry.account(&sensor.account));
                let clocks = Clocks {
                    zone: zone_of(account),
                    ..*clocks
                };
                (
                    false,
                    format!("No data from {name}"),
                    format!(
                        "Last upload: {}. Check its power and its network connection. If it is no longer in use, revoke it in the settings.",
                        clocks.ago(*since)
                    ),
                )
            }
            Warning::DiskNearlyFull { free } => (
                true,
                "The disk is nearly full".to_owned(),
                format!("{} left. Free some space: once the disk is full, uploads are refused.", size(*free)),
            ),
            Warning::BackupsOff => (
                false,
                "No backups are taken".to_owned(),
                "Set backup.dir in the configuration, preferably to a folder on another disk: an SD card can fail completely.".to_owned(),
            ),
            Warning::NoBackup => (
                true,
                "No backup yet".to_owned(),
                "A backup was due at startup. See the log for the reason.".to_owned(),
            ),
            Warning::BackupOld { taken } => (
                true,
                "The newest backup is old".to_owned(),
                format!("It was taken {}. See the log for the reason.", clocks.ago(*taken)),
            ),
            Warning::BackupFolderUnreadable => (
                true,
                "The backup folder cannot be read".to_owned(),
                "Check that its disk is mounted and that wattkeeper has read and write permission.".to_owned(),
            ),
        };
        Self {
            is_bad,
            title,
            remedy,
        }
    }
}

impl BackupText {
    fn of(state: &BackupState, clocks: &Clocks) -> Self {
        let (summary, path) = match state {
            BackupState::Off => ("Scheduled backups are off.".to_owned(), None),
            BackupState::None { dir } => ("No backup yet.".to_owned(), Some(dir)),
            BackupState::Newest(backup) => {
                let (size, ago) = (size(backup.bytes), clocks.ago(backup.taken));
                let summary = format!("Newest backup: {size}, taken and verified {ago}.");
                (summary, Some(&backup.path))
            }
            BackupState::Unreadable { dir, why } => {
                let summary = format!("The backup folder cannot be read: {why}.");
                (summary, Some(dir))
            }
        };
        Self {
            summary,
            path: path.map(|path| path.display().to_string()),
        }
    }
}

/// How times are shown: relative to now, and in a time zone.
struct Clocks {
    now: Timestamp,
    zone: Zone,
}

/// The time zone of an account; UTC without an account.
fn zone_of(account: Option<&Account>) -> Zone {
    account.map_or(Zone::UTC, |account| account.zone.clone())
}

impl Clocks {
    /// How long ago something was, and its date.
    fn ago(&self, time: Timestamp) -> String {
        let ms = self.now.millis().saturating_sub(time.millis());
        let span = span(Duration::from_millis(u64::try_from(ms).unwrap_or(0)));
        let exactly = figures::date_and_clock(time, &self.zone);
        format!("{span} ago ({exactly} {})", self.zone.name())
    }
}

/// A duration in its largest unit.
fn span(span: Duration) -> String {
    let minutes = span.as_secs() / 60;
    let (number, unit) = match minutes {
        0 => (span.as_secs(), "second"),
        1..=119 => (minutes, "minute"),
        120..=2_879 => (minutes / 60, "hour"),
        _ => (minutes / 1_440, "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

/// A size in a decimal unit, like the sizes of disks.
fn size(bytes: u64) -> String {
    ByteSize::b(bytes).display().si().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_one_unit() {
        for (secs, text) in [
            (1, "1 second"),
            (59, "59 seconds"),
            (60, "1 minute"),
            (7_199, "119 minutes"),
            (7_200, "2 hours"),
            (172_800, "2 days"),
        ] {
            assert_eq!(span(Duration::from_secs(secs)), text);
        }
    }
}
