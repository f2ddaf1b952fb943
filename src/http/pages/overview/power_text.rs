//! The current power in words, for the dashboard when it loads and for `/live` afterwards.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::chart::Wording;
use crate::domain::{AccountName, Role, Sensor, StateOfCharge, Timestamp};
use crate::house::{HousePower, PowerNow, Presence};
use crate::http::pages::frame::figures;
use crate::ingest::Charges;
use crate::ledger::notice::SilenceState;
use crate::store::{Store, StoreError};

/// The current power of a sensor, or of several together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PowerText {
    /// `1.23 kW`, without a sign where the way says its direction.
    pub(crate) power: String,
    /// Its direction or use: `from the grid`.
    pub(crate) way: String,
    /// How full a battery is: `64 %`; of several, one after the other. Empty of all else.
    pub(crate) charge: String,
    /// Whether it is negative, as when exporting to the grid.
    pub(crate) gives: bool,
    /// How much it is, from 0, which is nothing or unknown, to 3.
    pub(crate) level: u8,
    /// How wide its line in a picture is, in pixels.
    pub(crate) width: u8,
    /// Whether the sensor uploads as usual.
    pub(crate) active: bool,
    /// `uploading`, `late` or `silent`.
    pub(crate) state: String,
    /// The last upload of a late or silent sensor: `since 14:05`.
    pub(crate) since: String,
}

/// The power of a house, by `grid`, `solar`, `battery`, `used`, and `sensor:` followed by a sensor
/// id.
pub(crate) type PowerTexts = BTreeMap<String, PowerText>;

/// The subjects whose power is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PowerOf {
    /// The house and its devices, as on a wall tablet.
    House,
    /// The house and each of its sensors.
    HouseAndSensors,
}

/// The wording of power at `now`.
#[derive(Clone, Copy)]
pub(crate) struct PowerWords<'a> {
    pub(crate) wording: Wording<'a>,
    pub(crate) charges: &'a Charges,
    pub(crate) now: Timestamp,
}

/// The power of the house of `account`. May block on disk reads.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub(crate) fn power_texts(
    store: &Store,
    (account, of): (&AccountName, PowerOf),
    words: PowerWords<'_>,
) -> Result<PowerTexts, StoreError> {
    let house = HousePower::at(store, account, words.now)?;
    let text = |role, power: PowerNow| PowerText::of(role, power, words);
    let battery = house.battery.map(|power| words.battery(&house, power));
    let totals = [
        ("grid", Some(Role::Grid), house.grid),
        ("solar", Some(Role::Solar), house.solar),
        ("used", None, house.used),
    ];
    let totals = totals
        .into_iter()
        .filter_map(|(key, role, power)| Some((key, text(role, power?))));
    let totals = totals.chain(battery.map(|text| ("battery", text)));
    let totals = totals.map(|(key, text)| (key.to_owned(), text));
    let sensors = house
        .sensors
        .iter()
        .filter(|(sensor, _)| of == PowerOf::HouseAndSensors || is_device(sensor));
    let sensors = sensors.map(|(sensor, power)| {
        let text = text(Some(sensor.role), *power).charged(words.charge(sensor), words);
        (key_of(sensor.id.as_str()), text)
    });
    Ok(totals.chain(sensors).collect())
}

impl PowerWords<'_> {
    /// The state of charge that a battery's sensor sent.
    fn charge(self, sensor: &Sensor) -> Option<StateOfCharge> {
        use Role::{Battery, BatteryCharge, BatteryDischarge};
        let is_battery = matches!(sensor.role, Battery | BatteryCharge | BatteryDischarge);
        is_battery.then(|| self.charges.of(&sensor.id, self.now))?
    }

    /// The power of all batteries of a house, with the state of charge of each.
    pub(super) fn battery(self, house: &HousePower, power: PowerNow) -> PowerText {
        let charges = house
            .sensors
            .iter()
            .filter_map(|(sensor, _)| self.charge(sensor));
        PowerText::of(Some(Role::Battery), power, self).charged(charges, self)
    }
}

/// Whether a sensor measures a device that is not part of another one.
pub(super) fn is_device(sensor: &Sensor) -> bool {
    sensor.role == Role::SubMeter && sensor.part_of.is_none()
}

/// The key of a sensor in [`PowerTexts`].
pub(crate) fn key_of(sensor: &str) -> String {
    format!("sensor:{sensor}")
}

impl PowerText {
    /// `role` is `None` for the use of the house itself.
    pub(super) fn of(role: Option<Role>, power: PowerNow, words: PowerWords<'_>) -> Self {
        let (wording, now) = (words.wording, words.now);
        let language = wording.language;
        // By the displayed value: less than half a watt has no direction.
        let gives = power.watts.is_some_and(|watts| watts.round() < 0.0);
        let say = |name| language.say(name);
        let way = match (role, power.watts) {
            (_, None) => say("power-unknown"),
            (Some(Role::GridExport), _) if gives => say("power-from-grid"),
            (Some(Role::Grid | Role::GridImport), _) if gives => say("power-into-grid"),
            (Some(Role::GridExport), _) => say("power-into-grid"),
            (Some(Role::Grid | Role::GridImport), _) => say("power-from-grid"),
            (Some(Role::Solar), _) if gives => say("power-of-inverter"),
            (Some(Role::Solar), _) => say("power-produced"),
            (Some(Role::BatteryDischarge), _) if gives => say("power-charging"),
            (Some(Role::Battery | Role::BatteryCharge), _) if gives => say("power-discharging"),
            (Some(Role::BatteryDischarge), _) => say("power-discharging"),
            (Some(Role::Battery | Role::BatteryCharge), _) => say("power-charging"),
            (Some(Role::SubMeter), _) if gives => say("power-fed-back"),
            (Some(Role::SubMeter) | None, _) => say("power-used"),
        };
        let since = |time| {
            let time = wording.when(time, now);
            language.fill("power-since", [("time", time.into())])
        };
        let (state, since) = match power.presence {
            Presence::Uploading => (SilenceState::Uploading, String::new()),
            Presence::LateSince(time) => (SilenceState::Late, since(time)),
            Presence::SilentSince(time) => (SilenceState::Silent, since(time)),
            Presence::Never => (SilenceState::Silent, say("power-never")),
        };
        let state = language.word("silence", SilenceState::as_str(state));
        // Of a house that seems to use less than nothing, only the sign tells.
        let shown = |watts: f64| if role.is_some() { watts.abs() } else { watts };
        let watts = power.watts.map_or(0.0, |watts| watts.abs().round());
        Self {
            power: power.watts.map_or_else(
                || figures::UNKNOWN.into(),
                |watts| figures::power(shown(watts), language),
            ),
            way,
            charge: String::new(),
            gives,
            level: match watts {
                0.0 => 0,
                ..400.0 => 1,
                ..2_000.0 => 2,
                _ => 3,
            },
            width: width_of(watts),
            active: power.presence == Presence::Uploading,
            state,
            since,
        }
    }

    /// The same with states of charge.
    fn charged(
        mut self,
        charges: impl IntoIterator<Item = StateOfCharge>,
        words: PowerWords<'_>,
    ) -> Self {
        let language = words.wording.language;
        let charges = charges.into_iter();
        let percents = charges.map(|charge| figures::share(charge.percent() / 100.0, language));
        self.charge = percents.collect::<Vec<_>>().join(", ");
        self
    }
}

/// The width of a line of so many watts, in pixels. By the root, so that a lamp can be seen beside a
/// car: 2 for 100 W, 5 for 1 kW, 14 from 11 kW on.
fn width_of(watts: f64) -> u8 {
    let width = (1.0 + watts.sqrt() / 8.0).min(14.0).round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 1 to 14"
    )]
    let width = width as u8;
    width
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Zone;
    use crate::texts::Language;

    #[test]
    fn power_has_direction_and_state() {
        let now = Timestamp::parse("2026-07-08T12:00:00").unwrap();
        let (utc, charges) = (Zone::UTC, Charges::default());
        let text = |role, watts, presence| {
            let power = PowerNow { watts, presence };
            let words = PowerWords {
                wording: Wording::new(&utc, Language::english()),
                charges: &charges,
                now,
            };
            PowerText::of(role, power, words)
        };
        let grid = Some(Role::Grid);
        let given = text(grid, Some(-1_500.0), Presence::Uploading);
        assert_eq!(
            (&*given.power, &*given.way, given.gives, &*given.state),
            ("1.50\u{202F}kW", "fed into the grid", true, "uploading")
        );
        // Less than half a watt has no direction.
        let nothing = text(grid, Some(-0.3), Presence::Uploading);
        assert_eq!(
            (nothing.power.as_str(), nothing.gives),
            ("0\u{202F}W", false)
        );
        // No word says that a house uses less than nothing.
        let less = text(None, Some(-50.0), Presence::Uploading);
        assert_eq!(less.power, "−50\u{202F}W");
        let widths = [0.0, 100.0, 1_000.0, 11_000.0, 1e9];
        let widths = widths.map(|watts| text(grid, Some(watts), Presence::Uploading).width);
        assert_eq!(widths, [1, 2, 5, 14, 14]);
        let earlier = now.saturating_add_millis(-3_600_000);
        let silent = text(None, None, Presence::SilentSince(earlier));
        assert_eq!(
            (&*silent.power, &*silent.way, &*silent.since),
            ("–", "unknown", "since 11:00")
        );
        let late = text(grid, Some(5.0), Presence::LateSince(earlier));
        assert_eq!(
            (late.active, &*late.state, &*late.since),
            (false, "late", "since 11:00")
        );
        let never = text(Some(Role::Solar), None, Presence::Never);
        assert_eq!(
            (never.active, never.since.as_str()),
            (false, "no upload yet")
        );
    }
}
