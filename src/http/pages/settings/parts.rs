//! Parts shared by several pages of the settings.

use crate::admin::{NewAccount, Request, SensorRow};
use crate::chart::Wording;
use crate::domain::{AccountName, Credential, Phases, Plan, Scope, Timestamp, Zone};
use crate::http::gate::AppState;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::{Layout, PageError, Tab, Visit, figures};
use crate::texts::Language;

/// The layout of a settings page. The parameter `done` in its address names the change that led to
/// it.
pub(in crate::http::pages) fn layout(visit: &Visit) -> Result<Layout, PageError> {
    let language = visit.language();
    let done = match visit.param("done")?.as_str() {
        "password" => Some(language.say("settings-done-password")),
        "account-added" => Some(language.say("settings-done-account-added")),
        "account-removed" => Some(language.say("settings-done-account-removed")),
        "key-added" => Some(language.say("settings-done-key-added")),
        "key-revoked" => Some(language.say("settings-done-key-revoked")),
        "sensor-added" => Some(language.say("settings-done-sensor-added")),
        "sensor-removed" => Some(language.say("settings-done-sensor-removed")),
        "saved" => Some(language.say("settings-done-saved")),
        "imported" => visit.param("count")?.parse().ok().map(|count: u64| {
            let shown = figures::count(count, language);
            language.fill("settings-done-imported", [("count", shown.as_str().into())])
        }),
        "undone" => Some(language.say("settings-done-undone")),
        "format-removed" => Some(language.say("history-format-removed")),
        "authorized" => Some(language.say("settings-done-authorized")),
        "device-added" => Some(language.say("found-added")),
        "polled" => Some(language.say("polled-done")),
        "ha" => Some(language.say("ha-done")),
        "ha-sensors" => Some(language.say("ha-sensors")),
        "ha-sends" => Some(language.say("ha-sends")),
        "ha-sends-not" => Some(language.say("ha-sends-not")),
        "ha-prices" => Some(language.say("ha-prices")),
        "ha-removed" => Some(language.say("ha-removed")),
        "source" => Some(language.say("sources-done")),
        "source-removed" => Some(language.say("sources-removed")),
        "unsubscribed" => Some(language.say("broker-unsubscribed")),
        "revoked" => Some(language.say("settings-done-revoked")),
        // Anyone can write an address; unknown words show nothing.
        _ => None,
    };
    Ok(Layout {
        done,
        ..visit.layout(Tab::Settings)
    })
}

/// A sensor, as shown in the settings.
pub(super) struct SensorView {
    pub(super) row: SensorRow,
    /// In the time zone of its account.
    pub(super) last_upload: Option<String>,
    pub(super) zone: String,
    /// The number of its readings.
    pub(super) readings: String,
    /// The same in words.
    pub(super) readings_in_words: String,
}

impl SensorView {
    pub(super) fn new(app: &AppState, row: SensorRow, language: &Language) -> Self {
        let zone = zone_of(app, &row.account);
        let last_upload = row.last_upload.as_deref();
        let last_upload = last_upload.and_then(|time| Timestamp::parse(time).ok());
        let readings = figures::count(row.readings, language);
        Self {
            last_upload: last_upload.map(|time| Wording::new(&zone, language).date_and_clock(time)),
            zone: zone.name().to_owned(),
            readings_in_words: language.fill(
                "settings-readings",
                [
                    ("count", row.readings.into()),
                    ("shown", readings.as_str().into()),
                ],
            ),
            readings,
            row,
        }
    }
}

/// The names of all accounts.
pub(in crate::http::pages) fn account_names(app: &AppState) -> Vec<String> {
    let registry = app.store.registry();
    let names = registry.accounts().map(|account| account.name.to_string());
    names.collect()
}

/// Adds the account of the form, in its fields `account` and `tz`, if there is none yet.
pub(in crate::http::pages) async fn add_first_account(visit: &Visit) -> Result<(), PageError> {
    if !account_names(&visit.app).is_empty() {
        return Ok(());
    }
    let first = Request::AddAccount(NewAccount {
        name: visit.field("account")?,
        plan: Plan::Paid,
        zone: visit.field("tz")?,
        phases: Phases::Separate,
    });
    let added = admin_call(&visit.app, first, |field| match field {
        "tz" => "tz",
        _ => "account",
    });
    added.await.map(drop)
}

/// The available time zones. Includes `chosen`, which a newer time zone database may lack.
pub(in crate::http::pages) fn zones(chosen: &str) -> Vec<String> {
    let mut zones = Zone::names();
    if !chosen.is_empty() && !zones.iter().any(|zone| zone == chosen) {
        zones.insert(0, chosen.to_owned());
    }
    zones
}

/// The time zone of an account; UTC if there is no such account.
pub(in crate::http::pages) fn zone_of(app: &AppState, account: &str) -> Zone {
    let registry = app.store.registry();
    let account = AccountName::new(account)
        .ok()
        .and_then(|name| registry.account(&name).cloned());
    account.map_or(Zone::UTC, |account| account.zone)
}

/// An API key, as shown in the settings.
pub(super) struct KeyView {
    pub(super) credential: Credential,
    /// The actions that the key allows.
    pub(super) scope: String,
    /// In the time zone of its account, like all times.
    pub(super) created: String,
    pub(super) last_used: Option<String>,
}

impl KeyView {
    pub(super) fn new(app: &AppState, credential: Credential, language: &Language) -> Self {
        let zone = zone_of(app, credential.account.as_str());
        let when = |time| Wording::new(&zone, language).date_and_clock(time);
        Self {
            scope: match credential.scope {
                Scope::Full => language.say("key-does-full"),
                Scope::Read => language.say("key-does-read"),
                Scope::Write => language.say("key-does-write"),
            },
            created: when(credential.created),
            last_used: app.store.last_use(&credential.api_id).map(when),
            credential,
        }
    }
}
