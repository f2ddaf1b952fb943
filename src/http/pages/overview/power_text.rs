//! The current power in words, for the dashboard when it loads and for `/live` afterwards.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::domain::{AccountName, Role, Timestamp, Zone};
use crate::house::{House, PowerNow, Presence};
use crate::http::pages::frame::figures;
use crate::store::Store;

/// The current power of a sensor, or of several together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PowerText {
    /// `1.23 kW`.
    pub(crate) power: String,
    /// Its direction or use: `from the grid`.
    pub(crate) way: &'static str,
    /// Whether it is negative: fed into the grid.
    pub(crate) gives: bool,
    /// Whether the sensor is uploading.
    pub(crate) active: bool,
    /// `active` or `silent`.
    pub(crate) state: &'static str,
    /// How long it has been silent: `since 14:05`.
    pub(crate) since: String,
}

/// All power of a house, by `grid`, `solar`, `used`, and `sensor:` followed by a sensor id.
pub(crate) type PowerTexts = BTreeMap<String, PowerText>;

/// The power of the house of `account` at `now`. Does not block.
pub(crate) fn power_texts(
    store: &Store,
    account: &AccountName,
    zone: &Zone,
    now: Timestamp,
) -> PowerTexts {
    let house = House::power_at(store, account, now);
    let text = |role, power: PowerNow| PowerText::of(role, power, now, zone);
    let totals = [
        ("grid", Some(Role::Grid), house.grid),
        ("solar", Some(Role::Solar), house.solar),
        ("used", None, house.used),
    ];
    let totals = totals
        .into_iter()
        .filter_map(|(key, role, power)| Some((key.to_owned(), text(role, power?))));
    let sensors = house.sensors.iter().map(|(sensor, power)| {
        let text = text(Some(sensor.role), *power);
        (key_of(sensor.id.as_str()), text)
    });
    totals.chain(sensors).collect()
}

/// The key of a sensor in [`PowerTexts`].
pub(crate) fn key_of(sensor: &str) -> String {
    format!("sensor:{sensor}")
}

impl PowerText {
    /// `role` is `None` for what the house uses itself.
    fn of(role: Option<Role>, power: PowerNow, now: Timestamp, zone: &Zone) -> Self {
        // By what is shown: less than half a watt has no direction.
        let gives = power.watts.is_some_and(|watts| watts.round() < 0.0);
        let way = match (role, power.watts) {
            (_, None) => "unknown",
            (Some(Role::GridExport), _) if gives => "from the grid",
            (Some(Role::Grid | Role::GridImport), _) if gives => "fed into the grid",
            (Some(Role::GridExport), _) => "fed into the grid",
            (Some(Role::Grid | Role::GridImport), _) => "from the grid",
            (Some(Role::Solar), _) if gives => "drawn by the inverter",
            (Some(Role::Solar), _) => "generated",
            (Some(Role::BatteryDischarge), _) if gives => "charging",
            (Some(Role::Battery | Role::BatteryCharge), _) if gives => "discharging",
            (Some(Role::BatteryDischarge), _) => "discharging",
            (Some(Role::Battery | Role::BatteryCharge), _) => "charging",
            (Some(Role::SubMeter), _) if gives => "fed back",
            (Some(Role::SubMeter) | None, _) => "used",
        };
        let (state, since) = match power.presence {
            Presence::Active => ("active", String::new()),
            Presence::SilentSince(time) => {
                let since = figures::when(time, now, zone);
                ("silent", format!("since {since}"))
            }
            Presence::Never => ("silent", "no data received yet".into()),
        };
        Self {
            power: power
                .watts
                .map_or_else(|| figures::UNKNOWN.into(), figures::power),
            way,
            gives,
            active: power.presence == Presence::Active,
            state,
            since,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_has_direction_and_state() {
        let now = Timestamp::parse("2026-07-08T12:00:00").unwrap();
        let text = |role, watts, presence| {
            let power = PowerNow { watts, presence };
            PowerText::of(role, power, now, &Zone::UTC)
        };
        let grid = Some(Role::Grid);
        let given = text(grid, Some(-1_500.0), Presence::Active);
        assert_eq!(
            (given.power.as_str(), given.way, given.gives, given.state),
            ("−1.50\u{202F}kW", "fed into the grid", true, "active")
        );
        // Less than half a watt has no direction.
        let nothing = text(grid, Some(-0.3), Presence::Active);
        assert_eq!(
            (nothing.power.as_str(), nothing.gives),
            ("0\u{202F}W", false)
        );
        let earlier = now.saturating_add_millis(-3_600_000);
        let silent = text(None, None, Presence::SilentSince(earlier));
        assert_eq!(
            (silent.power.as_str(), silent.way, silent.since.as_str()),
            ("–", "unknown", "since 11:00")
        );
        let never = text(Some(Role::Solar), None, Presence::Never);
        assert_eq!(
            (never.active, never.since.as_str()),
            (false, "no data received yet")
        );
    }
}
