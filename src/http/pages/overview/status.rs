//! `/status`: warnings and figures of the service. Times are in the time zone of the first account,
//! except that those of a sensor are in its own account's time zone.

use std::time::Duration;

use askama::Template;

use super::notices::{NoticeView, shown_notices};
use crate::chart::Wording;
use crate::domain::{Account, ServiceSetting, Timestamp, Zone, ZoneData};
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageResult, Tab, Visit, figures};
use crate::http::pages::service::history::{self, HistoryView};
use crate::http::pages::service::polled::{self, PolledView};
use crate::http::pages::service::price_sources::{self, SourceView};
use crate::http::wire::body::in_background;
use crate::last_error;
use crate::status::{BackupState, ServiceStatus, Warning};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage {
    layout: Layout,
    /// Whether the store refuses all changes.
    is_out_of_order: bool,
    warnings: Vec<WarningView>,
    facts: Vec<(String, String)>,
    /// Whether the disk is large enough, as a sentence.
    disk: String,
    /// The state of the scheduled backups as a sentence.
    backups: String,
    /// The path of the newest backup or of the folder.
    backup_path: Option<String>,
    polled: Vec<PolledView>,
    price_sources: Vec<SourceView>,
    histories: Vec<HistoryView>,
    /// The time when it was logged, and its text.
    last_error: Option<(String, String)>,
}

/// A warning, and its remedy.
struct WarningView {
    is_bad: bool,
    title: String,
    remedy: String,
    /// The page with details: its address and its title.
    link: Option<(String, String)>,
}

/// `GET /status`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let app = &visit.app;
    let now = app.now();
    let (monitor, store) = (app.monitor.clone(), app.store.clone());
    let in_force = app.settings.in_force();
    let backups = in_force.config.backup.settings();
    let status = in_background(move || monitor.look(&store, now, backups.as_ref())).await??;
    let registry = app.store.registry();
    let language = visit.language();
    let clocks = Clocks {
        language,
        now: now.time,
        zone: zone_of(registry.accounts().next()),
    };
    let (notices, _) = shown_notices(&visit, &registry, now.time, usize::MAX);
    let has_accounts = registry.accounts().nth(1).is_some();
    let notices = notices
        .into_iter()
        .map(|notice| WarningView::of_notice(notice, has_accounts, language));
    let missing = in_force.missing();
    let missing = missing.map(|setting| WarningView::of_missing(setting, language));
    let warnings = status
        .warnings
        .iter()
        .map(|it| WarningView::of(it, language))
        .chain(missing)
        .chain(notices);
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
        facts: facts(&status, language),
        disk: disk_text(&status, language),
        backups: backup_text(&status.backups, &clocks),
        backup_path: backup_path.map(|path| path.display().to_string()),
        polled: polled::views(app, language),
        price_sources: price_sources::views(app, language),
        histories: history::views(app, language),
        last_error: last_error::last().map(|last| (clocks.ago(last.time), last.text)),
    }))
}

fn facts(status: &ServiceStatus, language: &Language) -> Vec<(String, String)> {
    let written = status.written_a_day.map_or_else(
        || language.say("status-written-later"),
        |bytes| {
            let size = figures::size(bytes, language);
            language.fill("status-written-a-day", [("size", size.into())])
        },
    );
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let readings = figures::count(status.readings, language);
    let free = status
        .disk
        .free
        .map(|free| (language.say("status-free"), figures::size(free, language)));
    let rows = vec![
        (language.say("status-version"), version),
        (language.say("status-uptime"), span(status.up, language)),
        (language.say("status-zones"), zones(language)),
        (language.say("status-readings"), readings),
        (language.say("status-sensors"), status.sensors.to_string()),
        (
            language.say("status-size"),
            figures::size(status.disk.bytes, language),
        ),
    ];
    let written = (language.say("status-written"), written);
    rows.into_iter().chain(free).chain([written]).collect()
}

/// The version of the time zones, and their source.
fn zones(language: &Language) -> String {
    let zones = ZoneData::in_use();
    let version = zones.version();
    let Some(folder) = zones.folder() else {
        return language.fill("status-zones-built-in", [("version", version.into())]);
    };
    let folder = folder.display().to_string();
    let values = [("version", version.into()), ("folder", folder.into())];
    language.fill("status-zones-of-system", values)
}

/// The size of the store, and how long the disk's space will last.
fn disk_text(status: &ServiceStatus, language: &Language) -> String {
    const TEN_YEARS_DAYS: u64 = 3_652;
    let own = figures::size(status.disk.bytes, language);
    let Some((growth, days)) = status.growth_a_day.zip(status.days_left()) else {
        return language.fill("status-disk-unknown", [("size", own.into())]);
    };
    let growth = figures::size(growth, language);
    if days >= TEN_YEARS_DAYS {
        let values = [("size", own.into()), ("growth", growth.into())];
        return language.fill("status-disk-fine", values);
    }
    let values = [
        ("size", own.into()),
        ("growth", growth.into()),
        ("days", days.into()),
    ];
    language.fill("status-disk-days", values)
}

impl WarningView {
    /// `has_accounts` says whether there are several accounts.
    fn of_notice(notice: NoticeView, has_accounts: bool, language: &Language) -> Self {
        let account = Some(notice.account).filter(|name| has_accounts && !name.is_empty());
        let account = account.map(|name| crate::notices::sentence::of_account(&name, language));
        let remedy = [Some(notice.advice), notice.since, account];
        Self {
            is_bad: notice.is_bad,
            title: notice.happened,
            link: notice.link,
            remedy: remedy.into_iter().flatten().collect::<Vec<_>>().join(" "),
        }
    }

    /// A secret that a restore left out.
    fn of_missing(setting: ServiceSetting, language: &Language) -> Self {
        let (title, remedy) = match setting {
            ServiceSetting::MqttPassword => (
                language.say("status-no-password"),
                language.say("status-no-password-remedy"),
            ),
            ServiceSetting::PollPasswords => (
                language.say("status-no-poll-passwords"),
                language.say("status-no-poll-passwords-remedy"),
            ),
            ServiceSetting::PriceKeys => (
                language.say("status-no-price-keys"),
                language.say("status-no-price-keys-remedy"),
            ),
            _ => (
                language.say("status-no-webhook"),
                language.say("status-no-webhook-remedy"),
            ),
        };
        Self {
            is_bad: true,
            title,
            remedy,
            link: None,
        }
    }

    fn of(warning: &Warning, language: &Language) -> Self {
        let bad = |title, remedy| Self {
            is_bad: true,
            title,
            remedy,
            link: None,
        };
        match warning {
            Warning::OutOfOrder(why) => bad(
                language.say("status-read-only"),
                language.fill("status-read-only-remedy", [("why", why.as_str().into())]),
            ),
            Warning::BackupsOff => Self {
                is_bad: false,
                ..bad(
                    language.say("status-backups-off"),
                    language.say("status-backups-off-remedy"),
                )
            },
            Warning::BackupFolderUnreadable => bad(
                language.say("status-backup-folder"),
                language.say("status-backup-folder-remedy"),
            ),
        }
    }
}

fn backup_text(state: &BackupState, clocks: &Clocks) -> String {
    let language = clocks.language;
    match state {
        BackupState::Off => language.say("status-backup-off"),
        BackupState::None { .. } => language.say("status-backup-none"),
        BackupState::Newest(backup) => {
            let (size, ago) = (
                figures::size(backup.bytes, language),
                clocks.ago(backup.taken),
            );
            let values = [("size", size.into()), ("ago", ago.into())];
            language.fill("status-backup-newest", values)
        }
        BackupState::Unreadable { why, .. } => {
            language.fill("status-backup-unreadable", [("why", why.as_str().into())])
        }
    }
}

/// The display of times: relative to now, and in a time zone.
struct Clocks {
    language: &'static Language,
    now: Timestamp,
    zone: Zone,
}

/// The time zone of an account; UTC without an account.
fn zone_of(account: Option<&Account>) -> Zone {
    account.map_or(Zone::UTC, |account| account.zone.clone())
}

impl Clocks {
    /// The time that has passed since, and the date.
    fn ago(&self, time: Timestamp) -> String {
        let ms = self.now.millis().saturating_sub(time.millis());
        // After the clock was set back, a time may be in the future; it then counts as 0 seconds
        // ago.
        let passed = Duration::from_millis(u64::try_from(ms).unwrap_or(0));
        let exactly = Wording::new(&self.zone, self.language);
        let exactly = exactly.date_and_clock(time);
        let values = [
            ("span", span(passed, self.language).into()),
            ("date", exactly.into()),
            ("zone", self.zone.name().into()),
        ];
        self.language.fill("status-ago", values)
    }
}

/// A duration in its largest unit.
fn span(span: Duration, language: &Language) -> String {
    let minutes = span.as_secs() / 60;
    match minutes {
        0 => language.fill("status-seconds", [("count", span.as_secs().into())]),
        // Up to two of the next unit: "1 hour" for 119 minutes would be far off.
        1..=119 => language.fill("status-minutes", [("count", minutes.into())]),
        120..=2_879 => language.fill("status-hours", [("count", (minutes / 60).into())]),
        _ => language.fill("status-days", [("count", (minutes / 1_440).into())]),
    }
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
            let duration = Duration::from_secs(secs);
            assert_eq!(span(duration, Language::english()), text);
        }
    }
}
