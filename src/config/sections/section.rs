//! One section of a list, and its fields.

use toml::{Table, Value};

use super::shown;
use crate::config::error::ConfigError;
use crate::domain::AccountName;
use crate::ingest::{DeviceAccount, Quantity};

const MEASURE: &str = "watts or watthours";
pub(super) const UNIT: &str = "W, kW, MW or mW for watts; Wh, kWh, MWh, Wmin or J for watthours";

/// Returns the place of a key, for errors.
pub(super) type PlaceOf<'a> = &'a dyn Fn(&str) -> String;

/// One section of a list.
pub(super) struct ListedSection<'a> {
    pub(super) table: &'a Table,
    /// Its name, such as `influx.mappings[1]`.
    pub(super) name: String,
    pub(super) place_of: PlaceOf<'a>,
}

impl ListedSection<'_> {
    /// Refuses fields that are not in `known`. Called first, so that a misspelt field is not
    /// reported as missing.
    pub(super) fn check_fields(&self, known: &[&str]) -> Result<(), ConfigError> {
        let key_of = |field: &str| format!("{}.{field}", self.name);
        let unknown = self
            .table
            .keys()
            .find(|name| !known.contains(&name.as_str()));
        unknown.map_or(Ok(()), |unknown| {
            let key = key_of(unknown);
            let known = known.iter().map(|field| key_of(field));
            Err(ConfigError::unknown_key((self.place_of)(&key), key, known))
        })
    }

    /// A text, which may be empty; `None` if the field is missing.
    pub(super) fn text(&self, field: &str, expected: &str) -> Result<Option<&str>, ConfigError> {
        let text = self.table.get(field).map(|value| {
            let text = value.as_str();
            text.ok_or_else(|| self.invalid(field, expected))
        });
        text.transpose()
    }

    /// A parsed text; `None` if the field is missing or empty.
    pub(super) fn optional<'a, T, E>(
        &'a self,
        field: &str,
        expected: &str,
        parse: impl FnOnce(&'a str) -> Result<T, E>,
    ) -> Result<Option<T>, ConfigError> {
        let text = self.text(field, expected)?.filter(|text| !text.is_empty());
        let parsed = text.map(|text| parse(text).map_err(|_| self.invalid(field, expected)));
        parsed.transpose()
    }

    /// A parsed text, which must not be empty.
    pub(super) fn required<'a, T, E>(
        &'a self,
        field: &str,
        expected: &str,
        parse: impl FnOnce(&'a str) -> Result<T, E>,
    ) -> Result<T, ConfigError> {
        let parsed = self.optional(field, expected, parse)?;
        parsed.ok_or_else(|| self.invalid(field, expected))
    }

    /// The fields `measure` and `unit`.
    pub(super) fn quantity(&self) -> Result<Quantity, ConfigError> {
        let measure = self.text("measure", MEASURE)?.unwrap_or_default();
        let unit = self.text("unit", UNIT)?.filter(|unit| !unit.is_empty());
        // Without a unit any known measure is valid, so the unit is at fault only after that.
        Quantity::new(measure, None).ok_or_else(|| self.invalid("measure", MEASURE))?;
        Quantity::new(measure, unit).ok_or_else(|| self.invalid("unit", UNIT))
    }

    /// The fields `account` and `add_sensors`.
    pub(super) fn device_account(&self) -> Result<DeviceAccount, ConfigError> {
        let adds_sensors = match self.table.get("add_sensors") {
            None => false,
            Some(Value::Boolean(adds)) => *adds,
            Some(_) => return Err(self.invalid("add_sensors", "true or false")),
        };
        Ok(DeviceAccount {
            name: self.optional("account", "an account's name", AccountName::new)?,
            adds_sensors,
        })
    }

    pub(super) fn invalid(&self, field: &str, expected: &str) -> ConfigError {
        let key = format!("{}.{field}", self.name);
        let value = self.table.get(field).map(shown);
        ConfigError::Invalid {
            place: (self.place_of)(&key),
            key,
            value: value.unwrap_or_else(|| "missing".into()),
            expected: expected.to_owned(),
        }
    }
}
