//! Power at this moment in words: what the dashboard says when it is loaded, and what `/live` sends afterwards.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::domain::account::AccountName;
use crate::domain::calendar::Zone;
use crate::domain::role::Role;
use crate::domain::time::Timestamp;
use crate::house::{Now, PowerNow, Presence};
use crate::http::pages::frame::figures;
use crate::store::Store;

/// What is said of a sensor, or of some together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Said {
    /// `1.23 kW`.
    pub(crate) power: String,
    /// Where it comes from, or goes.
    pub(crate) way: &'static str,
    /// Whether it is fed back.
    pub(crate) gives: bool,
    /// Whether its uploads keep arriving.
    pub(crate) active: bool,
    /// The same in a word.
    pub(crate) state: &'static str,
    /// Since when it is silent.
    pub(crate) since: String,
}

/// All that is said of a house, by `grid`, `solar`, `used`, and `sensor:` with a sensor's id behind it.
pub(crate) type SaidOf = BTreeMap<String, Said>;

/// What a number of power is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Role(Role),
    Used,
}

/// What is to be said of the house of `account` at `now`. It does not block.
pub(crate) fn said(store: &Store, account: &AccountName, zone: &Zone, now: Timestamp) -> SaidOf {
    let house = Now::at(store, account, now);
    let say = |of, power: PowerNow| Said::of(of, power, now, zone);
    let totals = [
        ("grid", Of::Role(Role::Grid), house.grid),
        ("solar", Of::Role(Role::Solar), house.solar),
        ("used", Of::Used, house.used),
    ];
    let totals = totals
        .into_iter()
        .filter_map(|(key, of, power)| Some((key.to_owned(), say(of, power?))));
    let sensors = house.sensors.iter().map(|(sensor, live)| {
        let said = say(Of::Role(sensor.role), PowerNow::of(*live));
        (key_of(sensor.id.as_str()), said)
    });
    totals.chain(sensors).collect()
}

/// The key of a sensor.
pub(crate) fn key_of(sensor: &str) -> String {
    format!("sensor:{sensor}")
}

impl Said {
    fn of(of: Of, power: PowerNow, now: Timestamp, zone: &Zone) -> Self {
        let gives = power.watts.is_some_and(|watts| watts.round() < 0.0);
        let way = match (of, power.watts) {
            (_, None) => "unknown",
            (Of::Role(Role::Grid), _) if gives => "fed into the grid",
            (Of::Role(Role::Grid), _) => "from the grid",
            (Of::Role(Role::Solar), _) if gives => "drawn by the inverter",
            (Of::Role(Role::Solar), _) => "generated",
            (Of::Role(Role::SubMeter), _) if gives => "fed back",
            (Of::Role(Role::SubMeter) | Of::Used, _) => "used",
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
    fn words_for_power() {
        let now = Timestamp::parse("2026-07-08T12:00:00").unwrap();
        let said = |of, watts, presence| {
            let power = PowerNow { watts, presence };
            Said::of(of, power, now, &Zone::UTC)
        };
        let grid = Of::Role(Role::Grid);
        let given = said(grid, Some(-1_500.0), Presence::Active);
        assert_eq!(
            (given.power.as_str(), given.way, given.gives, given.state),
            ("−1.50\u{202F}kW", "fed into the grid", true, "active")
        );
        // Less than a watt is neither given nor taken.
        let nothing = said(grid, Some(-0.3), Presence::Active);
        assert_eq!(
            (nothing.power.as_str(), nothing.gives),
            ("0\u{202F}W", false)
        );
        let earlier = now.saturating_add_millis(-3_600_000);
        let silent = said(Of::Used, None, Presence::SilentSince(earlier));
        assert_eq!(
            (silent.power.as_str(), silent.way, silent.since.as_str()),
            ("–", "unknown", "since 11:00")
        );
        let never = said(Of::Role(Role::Solar), None, Presence::Never);
        assert_eq!(
            (never.active, never.since.as_str()),
            (false, "no data received yet")
        );
    }
}
