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
    /// The state of the scheduled backups as a sentence.
    backups: String,
    /// The path of the newest backup or of the folder.
    backup_path: Option<String>,
    /// When it was logged, and its text.
    last_error: Option<(String, String)>,
}

/// A warning, and what to do about it.
struct WarningView {
    is_bad: bool,
    title: String,
    remedy: String,
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
    let backup_path = match &status.backups {
        // There is no folder.
        BackupState::Off => None,
        BackupState::None { dir } | BackupState::Unreadable { dir, .. } => Some(dir),
        BackupState::Newest(backup) => Some(&backup.path),
    };
    Ok(ok(&StatusPage {
        layout: visit.layout(Tab::Status),
        is_out_of_order: app.store.unavailable().is_some(),
        warnings: warnings.collect(),
        facts: facts(&status),
        backups: backup_text(&status.backups, &clocks),
        backup_path: backup_path.map(|path| path.display().to_string()),
        last_error: last_error::last().map(|last| (clocks.ago(last.time), last.text)),
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
        match warning {
            Warning::OutOfOrder(why) => Self::bad(
                "The store is read-only",
                format!("{why}. Fix the cause, then restart wattkeeper. Every acknowledged reading is safe."),
            ),
            Warning::Silent { sensor, since } => {
                // It may have been removed since the look.
                let known = registry.sensor(sensor);
                let name = known.map_or(sensor.as_str(), |sensor| sensor.name.as_str());
                let account = known.and_then(|sensor| registry.account(&sensor.account));
                let clocks = Clocks {
                    zone: zone_of(account),
                    ..*clocks
                };
                let ago = clocks.ago(*since);
                Self {
                    is_bad: false,
                    title: format!("No data from {name}"),
                    remedy: format!("Last upload: {ago}. Check its power and its network connection. If it is no longer in use, revoke it in the settings."),
                }
            }
            Warning::DiskNearlyFull { free } => Self::bad(
                "The disk is nearly full",
                format!("{} left. Free some space: once the disk is full, uploads are refused.", size(*free)),
            ),
            Warning::BackupsOff => Self {
                is_bad: false,
                title: "No backups are taken".to_owned(),
                remedy: "Set backup.dir in the configuration, preferably to a folder on another disk: an SD card can fail completely.".to_owned(),
            },
            Warning::NoBackup => Self::bad(
                "No backup yet",
                "A backup was due at startup. See the log for the reason.",
            ),
            Warning::BackupOld { taken } => Self::bad(
                "The newest backup is old",
                format!("It was taken {}. See the log for the reason.", clocks.ago(*taken)),
            ),
            Warning::BackupFolderUnreadable => Self::bad(
                "The backup folder cannot be read",
                "Check that its disk is mounted and that wattkeeper has read and write permission.",
            ),
        }
    }

    fn bad(title: &str, remedy: impl Into<String>) -> Self {
        Self {
            is_bad: true,
            title: title.to_owned(),
            remedy: remedy.into(),
        }
    }
}

fn backup_text(state: &BackupState, clocks: &Clocks) -> String {
    match state {
        BackupState::Off => "Scheduled backups are off.".to_owned(),
        BackupState::None { .. } => "No backup yet.".to_owned(),
        BackupState::Newest(backup) => {
            let (size, ago) = (size(backup.bytes), clocks.ago(backup.taken));
            format!("Newest backup: {size}, taken and verified {ago}.")
        }
        BackupState::Unreadable { why, .. } => {
            format!("The backup folder cannot be read: {why}.")
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
        // After the clock was set back, a time may lie ahead: then it was 0 seconds ago.
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
        // Up to two of the next unit: "1 hour" for 119 minutes would be far off.
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
