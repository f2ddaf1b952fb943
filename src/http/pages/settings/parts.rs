//! What several pages of the settings show.

use crate::admin::SensorRow;
use crate::domain::{AccountName, Credential, Scope, SensorId, Zone};
use crate::http::gate::AppState;
use crate::http::pages::frame::{Layout, PageError, Tab, Visit, figures};

/// The frame of a settings page. The parameter `done` of its address names the change that led to it.
pub(super) fn layout(visit: &Visit) -> Result<Layout, PageError> {
    let done = match visit.param("done")?.as_str() {
        "password" => Some("Password changed. All other browsers were signed out."),
        "account-added" => Some("Account added."),
        "account-removed" => Some("Account and its API keys removed."),
        "key-revoked" => Some("API key revoked."),
        "sensor-added" => Some("Sensor added."),
        "sensor-removed" => Some("Sensor and its readings removed."),
        "saved" => Some("Saved."),
        "authorized" => {
            Some("Sensor authorized: it can upload, and its readings can be downloaded.")
        }
        "revoked" => Some(
            "Sensor revoked: it cannot upload, and its readings cannot be downloaded. They are kept.",
        ),
        // Anyone can write an address; unknown words show nothing.
        _ => None,
    };
    Ok(Layout {
        done,
        ..visit.layout(Tab::Settings)
    })
}

/// A sensor as the settings show it.
pub(super) struct SensorView {
    pub(super) row: SensorRow,
    /// In the time zone of its account.
    pub(super) last_upload: Option<String>,
    pub(super) zone: String,
    pub(super) readings: String,
}

impl SensorView {
    pub(super) fn new(app: &AppState, row: SensorRow) -> Self {
        let zone = zone_of(app, &row.account);
        let last_upload = SensorId::new(&row.sensor_id)
            .ok()
            .and_then(|id| app.store.activity(&id)?.arrivals)
            .and_then(|arrivals| arrivals.last_upload(app.counted_now()));
        Self {
            last_upload: last_upload.map(|time| figures::date_and_clock(time, &zone)),
            zone: zone.name().to_owned(),
            readings: figures::count(row.readings),
            row,
        }
    }
}

/// The names of all accounts.
pub(super) fn account_names(app: &AppState) -> Vec<String> {
    let registry = app.store.registry();
    let names = registry.accounts().map(|account| account.name.to_string());
    names.collect()
}

/// The time zones to choose from. Includes `chosen`, which a newer time zone database may lack.
pub(super) fn zones(chosen: &str) -> Vec<String> {
    let mut zones = Zone::names();
    if !chosen.is_empty() && !zones.iter().any(|zone| zone == chosen) {
        zones.insert(0, chosen.to_owned());
    }
    zones
}

/// The time zone of an account; UTC if there is no such account.
pub(super) fn zone_of(app: &AppState, account: &str) -> Zone {
    let registry = app.store.registry();
    let account = AccountName::new(account)
        .ok()
        .and_then(|name| registry.account(&name).cloned());
    account.map_or(Zone::UTC, |account| account.zone)
}

/// An API key as the settings show it.
pub(super) struct KeyView {
    pub(super) credential: Credential,
    /// What the key can do.
    pub(super) scope: &'static str,
    /// In the time zone of its account, like all times.
    pub(super) created: String,
    pub(super) last_used: Option<String>,
}

impl KeyView {
    pub(super) fn new(app: &AppState, credential: Credential) -> Self {
        let zone = zone_of(app, credential.account.as_str());
        let when = |time| figures::date_and_clock(time, &zone);
        Self {
            scope: match credential.scope {
                Scope::Full => "upload and download",
                Scope::Read => "download only",
                Scope::Write => "upload only",
            },
            created: when(credential.created),
            last_used: app.store.last_use(&credential.api_id).map(when),
            credential,
        }
    }
}
