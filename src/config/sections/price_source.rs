//! The sections `[[price_source]]`.

use std::path::PathBuf;
use std::sync::Arc;

use toml::{Table, Value};

use super::section::{ListedSection, PlaceOf};
use crate::config::environment::PREFIX;
use crate::config::error::ConfigError;
use crate::domain::{AccountName, LocalDate};
use crate::ledger::contract::{DayList, Label};
use crate::poll::PasswordPlace;
use crate::price_sources::{FormError, KnownSource, PriceSourceSettings, SourceForm};

/// The maximum number of sources.
pub(super) const MAX_SOURCES: usize = 16;

/// The fields of a section in addition to those of a form.
const OWN_FIELDS: [&str; 8] = [
    "source",
    "zone",
    "account",
    "series",
    "since",
    "key_file",
    "key_env",
    "allow_private",
];

const ACCOUNT: &str = "an account's name";
const HTTPS: &str = "an address over https, because the key is sent there";
const KEY: &str = "the path of a file whose first line is the key; or key_env, the name of a variable that does not begin with WATTKEEPER_";
const SERIES: &str = "the name of a price series, such as day-ahead, that no other section fills; for colours of days, of a day list without a colon";
const SINCE: &str = "the first day to fetch, from 2000-01-01 on, such as \"2024-01-01\"";
const ZONE: &str = "the zone or region that the source names, such as \"DE-LU\", of at most 64 letters, digits and - _ ( )";

/// A price source.
pub(super) fn source(section: &ListedSection<'_>) -> Result<PriceSourceSettings, ConfigError> {
    section.check_fields(&[&OWN_FIELDS[..], &SourceForm::FIELDS[..]].concat())?;
    let ids = KnownSource::all().iter().map(KnownSource::id);
    let ids = ids.collect::<Vec<_>>().join(", ");
    let expected = format!("one of {ids}; or none, with url and the other fields of a source");
    let with_id = |id: &str| KnownSource::with_id(id).ok_or(());
    let source = section.optional("source", &expected, with_id)?;
    let form = form(section, source)?;
    let zone = section.optional("zone", ZONE, zone)?.unwrap_or_default();
    if form.has_zone() == zone.is_empty() {
        let none = "none: this source has no zones";
        return Err(section.invalid("zone", if zone.is_empty() { ZONE } else { none }));
    }
    let series = section.required("series", SERIES, Label::new)?;
    let settings = PriceSourceSettings {
        source,
        form: Arc::new(form),
        zone,
        account: section.optional("account", ACCOUNT, AccountName::new)?,
        series,
        since: section.optional("since", SINCE, first_day)?,
        key: key(section)?,
        allow_private: match section.table.get("allow_private") {
            None => false,
            Some(Value::Boolean(allows)) => *allows,
            Some(_) => return Err(section.invalid("allow_private", "true or false")),
        },
    };
    check_series_name(section, &settings)?;
    let needs_key = settings.form.needs_key();
    if needs_key && !settings.allow_private && !settings.form.key_url().is_encrypted() {
        return Err(not_shown(section, "url", HTTPS));
    }
    if settings.key.is_some() && !needs_key {
        let none = "none: this source has no key";
        return Err(section.invalid("key_file", none));
    }
    Ok(settings)
}

/// Refuses two sources that fill the same series.
pub(super) fn check_series(
    sources: &[PriceSourceSettings],
    key: &str,
    place_of: PlaceOf<'_>,
) -> Result<(), ConfigError> {
    let twice = sources.iter().enumerate().find(|(index, source)| {
        let mut before = sources.iter().take(*index);
        before.any(|other| other.fills_the_same(source))
    });
    twice.map_or(Ok(()), |(index, source)| {
        let key = format!("{key}[{index}].series");
        Err(ConfigError::Invalid {
            place: place_of(&key),
            key,
            value: format!("{:?}", source.series.as_str()),
            expected: SERIES.to_owned(),
        })
    })
}

/// The form of a known source with the section's own fields, or that of the section alone.
fn form(
    section: &ListedSection<'_>,
    source: Option<&KnownSource>,
) -> Result<SourceForm, ConfigError> {
    let is_of_form = |(name, _): &(&String, &Value)| SourceForm::FIELDS.contains(&name.as_str());
    let fields: Table = section
        .table
        .iter()
        .filter(is_of_form)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let form = match source {
        Some(known) => known.form_with(&fields),
        None => SourceForm::read(&fields),
    };
    form.map_err(|FormError { field, expected }| not_shown(section, field, &expected))
}

/// The error of a field whose value may contain a key.
fn not_shown(section: &ListedSection<'_>, field: &str, expected: &str) -> ConfigError {
    match section.invalid(field, expected) {
        ConfigError::Invalid {
            place,
            key,
            expected,
            ..
        } if section.table.contains_key(field) => ConfigError::Invalid {
            place,
            key,
            value: "something else (not shown)".to_owned(),
            expected,
        },
        other => other,
    }
}

fn check_series_name(
    section: &ListedSection<'_>,
    settings: &PriceSourceSettings,
) -> Result<(), ConfigError> {
    let name = settings.series.as_str();
    if settings.has_days() && DayList::parse_name(name).is_err() {
        return Err(section.invalid("series", SERIES));
    }
    Ok(())
}

fn zone(text: &str) -> Result<String, ()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_()".contains(c);
    let is_zone = text.len() <= 64 && text.chars().all(is_plain);
    is_zone.then(|| text.to_owned()).ok_or(())
}

fn first_day(text: &str) -> Result<LocalDate, ()> {
    let day = LocalDate::parse(text).map_err(|_| ())?;
    let first = LocalDate::parse(PriceSourceSettings::FIRST_DAY).map_err(|_| ())?;
    (first <= day).then_some(day).ok_or(())
}

fn key(section: &ListedSection<'_>) -> Result<Option<PasswordPlace>, ConfigError> {
    let file = section.optional("key_file", KEY, str::parse::<PathBuf>)?;
    // Variables with our prefix are settings, and nothing else.
    let is_free = |name: &str| {
        (!name.starts_with(PREFIX))
            .then(|| name.to_owned())
            .ok_or(())
    };
    let variable = section.optional("key_env", KEY, is_free)?;
    match (file, variable) {
        (None, None) => Ok(None),
        (Some(file), None) => Ok(Some(PasswordPlace::File(file))),
        (None, Some(variable)) => Ok(Some(PasswordPlace::Variable(variable))),
        (Some(_), Some(_)) => Err(section.invalid("key_file", KEY)),
    }
}
