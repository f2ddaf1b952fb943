//! The sections `[[poll]]`.

use std::path::PathBuf;
use std::time::Duration;

use toml::Value;

use super::section::{ListedSection, PlaceOf};
use crate::config::environment::PREFIX;
use crate::config::error::ConfigError;
use crate::config::values::{expected_span, span_within};
use crate::domain::SensorId;
use crate::ingest::BACK_SUFFIX;
use crate::ingest::devices::PollPreset;
use crate::poll::{DeviceAddress, PasswordPlace, PollLogin, PollSettings};

/// The maximum number of devices. Each has a connection of its own, and possibly a thread.
pub(super) const MAX_DEVICES: usize = 32;
const LONGEST_INTERVAL_SECS: i64 = 3_600;

const ADDRESS: &str = "a host, optionally with a port, such as \"192.168.1.20\" or \"meter.lan:8080\", and nothing else";
const NO_LOGIN: &str = "none: these devices know no passwords";
const PASSWORD: &str = "the path of a file whose first line is the password; or password_env, the name of a variable that does not begin with WATTKEEPER_";
const SENSOR: &str = "a sensor's id of at most 54 bytes, which no other section [[poll]] has, nor with -export at its end";
const UNIT: &str = "a whole number from 0 to 255";
const USER: &str = "a user's name of visible characters, without \" : and \\";

/// A device to poll.
pub(super) fn device(section: &ListedSection<'_>) -> Result<PollSettings, ConfigError> {
    section.check_fields(&[
        "preset",
        "address",
        "interval",
        "sensor",
        "account",
        "add_sensors",
        "user",
        "password_file",
        "password_env",
        "unit",
    ])?;
    let expected = format!("one of {}", PollPreset::ids());
    let known = |id: &str| PollPreset::with_id(id).ok_or(());
    let preset = section.required("preset", &expected, known)?;
    let address: DeviceAddress = section.required("address", ADDRESS, str::parse)?;
    let sensor = section.required("sensor", SENSOR, SensorId::new)?;
    if sensor.as_str().len() > PollSettings::LONGEST_SENSOR_BYTES {
        return Err(section.invalid("sensor", SENSOR));
    }
    Ok(PollSettings {
        preset,
        address: address.with_port(preset),
        every: interval(section, preset)?,
        sensor,
        account: section.device_account()?,
        login: login(section, preset)?,
        unit: unit(section, preset)?,
    })
}

/// Refuses two devices with the same sensor, which would get the readings of both. The second
/// sensor of a device counts too.
pub(super) fn check_names(
    devices: &[PollSettings],
    key: &str,
    place_of: PlaceOf<'_>,
) -> Result<(), ConfigError> {
    let names = devices.iter().map(|device| &device.sensor);
    let twice = names.enumerate().find(|(index, sensor)| {
        let text = sensor.as_str();
        let first_of = text.strip_suffix(BACK_SUFFIX).unwrap_or(text);
        let mut before = devices.iter().take(*index);
        let mut all = devices.iter();
        before.any(|other| other.sensor == **sensor)
            || all.any(|other| other.sensor.as_str() == first_of && first_of != text)
    });
    twice.map_or(Ok(()), |(index, sensor)| {
        let key = format!("{key}[{index}].sensor");
        Err(ConfigError::Invalid {
            place: place_of(&key),
            key,
            value: format!("{sensor:?}"),
            expected: SENSOR.to_owned(),
        })
    })
}

fn interval(section: &ListedSection<'_>, preset: &PollPreset) -> Result<Duration, ConfigError> {
    // A few seconds.
    let least = preset.terms.least().as_secs();
    let least = i64::try_from(least).unwrap_or(LONGEST_INTERVAL_SECS);
    let expected = format!(
        "{}, with the preset {}",
        expected_span(least, LONGEST_INTERVAL_SECS),
        preset.id()
    );
    let every = section.optional("interval", &expected, |text| {
        span_within(text, least, LONGEST_INTERVAL_SECS).ok_or(())
    })?;
    Ok(every.unwrap_or_else(|| preset.terms.every()))
}

fn unit(section: &ListedSection<'_>, preset: &PollPreset) -> Result<u8, ConfigError> {
    match (section.table.get("unit"), preset.terms.unit) {
        (None, usual) => Ok(usual.unwrap_or_default()),
        (Some(Value::Integer(unit)), Some(_)) => {
            u8::try_from(*unit).map_err(|_| section.invalid("unit", UNIT))
        }
        (Some(_), Some(_)) => Err(section.invalid("unit", UNIT)),
        (Some(_), None) => {
            Err(section.invalid("unit", "none: there is only one device at such an address"))
        }
    }
}

fn login(
    section: &ListedSection<'_>,
    preset: &PollPreset,
) -> Result<Option<PollLogin>, ConfigError> {
    let is_name = |name: &str| {
        let is_plain = |c: char| c.is_ascii_graphic() && !"\":\\".contains(c);
        name.chars()
            .all(is_plain)
            .then(|| name.to_owned())
            .ok_or(())
    };
    let user = section.optional("user", USER, is_name)?;
    let file = section.optional("password_file", PASSWORD, str::parse::<PathBuf>)?;
    // Variables with our prefix are settings, and nothing else.
    let is_free = |name: &str| {
        (!name.starts_with(PREFIX))
            .then(|| name.to_owned())
            .ok_or(())
    };
    let variable = section.optional("password_env", PASSWORD, is_free)?;
    let password = match (file, variable) {
        (None, None) if user.is_none() => return Ok(None),
        (Some(file), None) => PasswordPlace::File(file),
        (None, Some(variable)) => PasswordPlace::Variable(variable),
        _ => return Err(section.invalid("password_file", PASSWORD)),
    };
    if preset.terms.login.is_none() {
        let fields = ["user", "password_file", "password_env"];
        let field = fields
            .into_iter()
            .find(|field| section.table.contains_key(*field));
        return Err(section.invalid(field.unwrap_or("password_file"), NO_LOGIN));
    }
    Ok(Some(PollLogin {
        user: user.unwrap_or_else(|| PollLogin::USUAL_USER.to_owned()),
        password,
    }))
}
