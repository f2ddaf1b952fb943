//! Parsing of single settings: from TOML to the value that the service uses, within its limits.
//!
//! The message of an error is the expected value; the rest of the sentence is added where the
//! setting's name and place are known.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use ipnet::IpNet;
use jiff::SignedDuration;
use log::LevelFilter;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Value;

use super::host_pattern::HostPattern;
use super::web_origin::WebOrigin;
use crate::domain::{AccountName, HomeAssistantAddress, NotHomeAssistantAddress, Secret};
use crate::mqtt::client::BrokerAddress;
use crate::notices::{
    MonthlyStatement, NotMonthlyStatement, NotWebhookAddress, WebhookAddress, WebhookFormat,
    WeeklyReport, is_mail_address,
};
use crate::store::{Durability, PostgresUrl, PostgresUrlError};
use crate::texts::Language;

/// The longest user name and password that MQTT allows, in bytes.
const MAX_MQTT_TEXT_BYTES: usize = 65_535;

/// A whole number from `MIN` to `MAX`.
pub(super) fn count<'de, D: Deserializer<'de>, const MIN: usize, const MAX: usize>(
    toml: D,
) -> Result<usize, D::Error> {
    let expected = format_args!("a whole number from {MIN} to {MAX}");
    parse(toml, expected, |value| {
        let number = usize::try_from(value.as_integer()?).ok()?;
        (MIN..=MAX).contains(&number).then_some(number)
    })
}

/// A size from `MIN` to `MAX` bytes.
pub(super) fn size<'de, D, T, const MIN: u64, const MAX: u64>(toml: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let (least, most) = (ByteSize::b(MIN), ByteSize::b(MAX));
    let expected = format_args!("a size from {least:.0} to {most:.0}");
    parse(toml, expected, |value| {
        let size: u64 = match value {
            Value::Integer(bytes) => bytes.try_into().ok()?,
            Value::String(text) => text.parse::<ByteSize>().ok()?.as_u64(),
            _ => return None,
        };
        let is_within = (MIN..=MAX).contains(&size);
        is_within.then(|| T::try_from(size).ok())?
    })
}

/// A span of time from `MIN` to `MAX` seconds.
pub(super) fn span<'de, D: Deserializer<'de>, const MIN: i64, const MAX: i64>(
    toml: D,
) -> Result<Duration, D::Error> {
    parse(toml, expected_span(MIN, MAX), |value| {
        span_within(value.as_str()?, MIN, MAX)
    })
}

/// `"always"`, or a span of time.
pub(super) fn durability<'de, D: Deserializer<'de>>(toml: D) -> Result<Durability, D::Error> {
    let expected = format_args!("\"always\", or {}", expected_span(1, 3_600));
    parse(toml, expected, |value| match value.as_str()? {
        "always" => Some(Durability::Always),
        text => span_within(text, 1, 3_600).map(Durability::Interval),
    })
}

pub(super) fn span_within(text: &str, least: i64, most: i64) -> Option<Duration> {
    let span: SignedDuration = text.parse().ok()?;
    let is_within =
        (SignedDuration::from_secs(least)..=SignedDuration::from_secs(most)).contains(&span);
    // No loss: `least` is positive at each call.
    is_within.then(|| span.unsigned_abs())
}

pub(super) fn expected_span(least: i64, most: i64) -> String {
    let (least, most) = (
        SignedDuration::from_secs(least),
        SignedDuration::from_secs(most),
    );
    format!("a span of time from {least:#} to {most:#}, such as \"90s\"")
}

pub(super) fn listen<'de, D: Deserializer<'de>>(toml: D) -> Result<SocketAddr, D::Error> {
    let expected = "an address and port, such as \"0.0.0.0:8080\" or \"[::]:8080\"";
    parse(toml, expected, |value| value.as_str()?.parse().ok())
}

/// Events per minute.
pub(super) fn per_minute<'de, D: Deserializer<'de>>(toml: D) -> Result<u32, D::Error> {
    parse(toml, "a whole number, 0 for no limit", |value| {
        value.as_integer()?.try_into().ok()
    })
}

/// A path that is not empty.
pub(super) fn folder<'de, D: Deserializer<'de>>(toml: D) -> Result<PathBuf, D::Error> {
    text(toml, "the path of a folder", |text| !text.is_empty()).map(PathBuf::from)
}

pub(super) fn base_path<'de, D: Deserializer<'de>>(toml: D) -> Result<String, D::Error> {
    let expected = "a path that begins with / and does not end with one, of letters, digits and - . _ ~, such as \"/api/v0.2\"; or \"/\" alone";
    text(toml, expected, is_base_path)
}

fn is_base_path(path: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
    let is_segment = |segment: &str| !segment.is_empty() && segment.chars().all(is_plain);
    let segments = path.strip_prefix('/');
    path == "/" || segments.is_some_and(|rest| rest.split('/').all(is_segment))
}

pub(super) fn networks<'de, D: Deserializer<'de>>(toml: D) -> Result<Vec<IpNet>, D::Error> {
    let expected = "a list of addresses or networks, such as [\"127.0.0.1\", \"10.0.0.0/8\"]";
    list(toml, expected, |text| {
        // `IpNet` requires a prefix length; an address without one is a network of one address.
        let address = text.parse::<IpAddr>().map(IpNet::from);
        address.ok().or_else(|| text.parse().ok())
    })
}

pub(super) fn hosts<'de, D: Deserializer<'de>>(toml: D) -> Result<Vec<HostPattern>, D::Error> {
    let expected = "a list of names without a port, such as [\"energy.example.org\", \"*.lan\"]";
    list(toml, expected, |text| text.parse().ok())
}

pub(super) fn cors_origins<'de, D: Deserializer<'de>>(toml: D) -> Result<Vec<WebOrigin>, D::Error> {
    let expected = "a list of web sites such as [\"https://house.example\", \"http://localhost:3000\"], in lower case and without a path; or [\"*\"] for any";
    let origins: Vec<WebOrigin> = list(toml, expected, |text| text.parse().ok())?;
    if origins.len() > 1 && origins.iter().any(WebOrigin::is_any) {
        return Err(D::Error::custom(expected));
    }
    Ok(origins)
}

/// A list of names.
pub(super) fn names<'de, D: Deserializer<'de>>(toml: D) -> Result<Vec<String>, D::Error> {
    list(toml, "a list of names, each in quotes", |name| {
        Some(name.to_owned())
    })
}

pub(super) fn metrics_token<'de, D: Deserializer<'de>>(toml: D) -> Result<Secret, D::Error> {
    let expected =
        "at least 16 letters, digits or other visible ASCII characters, or \"\" for none";
    text(toml, expected, |token| {
        // A request sends the token in a header, which allows no other characters.
        let is_visible = token.bytes().all(|byte| byte.is_ascii_graphic());
        token.is_empty() || token.len() >= 16 && is_visible
    })
    .map(Secret::new)
}

/// An address, or `None` for an empty text.
pub(super) fn broker<'de, D: Deserializer<'de>>(
    toml: D,
) -> Result<Option<BrokerAddress>, D::Error> {
    let expected = "an address such as \"mqtt://broker.lan:1883\", \"mqtts://...\" for TLS, \"\" for none; the user and the password are settings of their own";
    parse(toml, expected, |value| match value.as_str()? {
        "" => Some(None),
        text => text.parse().ok().map(Some),
    })
}

/// An address, or `None` for an empty text.
pub(super) fn engine<'de, D: Deserializer<'de>>(toml: D) -> Result<Option<PostgresUrl>, D::Error> {
    let value = Value::deserialize(toml)?;
    match value.as_str() {
        Some("") => Ok(None),
        // The error contains the fault of the address, and does not show it.
        Some(text) => text.parse().map(Some).map_err(D::Error::custom),
        None => Err(D::Error::custom(PostgresUrlError::Scheme)),
    }
}

pub(super) fn webhook<'de, D: Deserializer<'de>>(
    toml: D,
) -> Result<Option<WebhookAddress>, D::Error> {
    let expected = NotWebhookAddress.to_string();
    parse(toml, &expected, |value| match value.as_str()? {
        "" => Some(None),
        text => text.parse().ok().map(Some),
    })
}

/// An address, or `None` for an empty text.
pub(super) fn home_assistant<'de, D: Deserializer<'de>>(
    toml: D,
) -> Result<Option<HomeAssistantAddress>, D::Error> {
    parse(toml, NotHomeAssistantAddress, |value| {
        match value.as_str()? {
            "" => Some(None),
            text => text.parse().ok().map(Some),
        }
    })
}

/// The name of an account, or `None` for an empty text.
pub(super) fn account<'de, D: Deserializer<'de>>(toml: D) -> Result<Option<AccountName>, D::Error> {
    let expected = "an account's name, or \"\" for the only one";
    parse(toml, expected, |value| match value.as_str()? {
        "" => Some(None),
        text => AccountName::new(text).ok().map(Some),
    })
}

pub(super) fn webhook_format<'de, D: Deserializer<'de>>(
    toml: D,
) -> Result<WebhookFormat, D::Error> {
    let expected = "json, ntfy, gotify, home-assistant or email";
    parse(toml, expected, |value| value.as_str()?.parse().ok())
}

pub(super) fn mail_address<'de, D: Deserializer<'de>>(toml: D) -> Result<String, D::Error> {
    let expected = "an address such as \"me@example.org\", or \"\" for none";
    text(toml, expected, |text| {
        text.is_empty() || text.len() <= 320 && is_mail_address(text)
    })
}

pub(super) fn weekly_report<'de, D: Deserializer<'de>>(toml: D) -> Result<WeeklyReport, D::Error> {
    parse(toml, "off, sunday or monday", |value| {
        value.as_str()?.parse().ok()
    })
}

pub(super) fn statement_of<'de, D: Deserializer<'de>>(
    toml: D,
) -> Result<MonthlyStatement, D::Error> {
    parse(toml, NotMonthlyStatement, |value| {
        value.as_str()?.parse().ok()
    })
}

/// The tag of a language.
pub(super) fn language<'de, D: Deserializer<'de>>(toml: D) -> Result<String, D::Error> {
    parse(
        toml,
        "the tag of a language of the pages, such as en or de",
        |value| Some(Language::of_tag(value.as_str()?)?.tag().to_owned()),
    )
}

pub(super) fn webhook_token<'de, D: Deserializer<'de>>(toml: D) -> Result<Secret, D::Error> {
    let expected = "a token of at most 1,000 visible characters, or \"\" for none";
    let is_visible = |token: &str| token.bytes().all(|byte| byte.is_ascii_graphic());
    text(toml, expected, |token| {
        token.len() <= 1_000 && is_visible(token)
    })
    .map(Secret::new)
}

pub(super) fn mqtt_user<'de, D: Deserializer<'de>>(toml: D) -> Result<String, D::Error> {
    text(toml, "a user name, or \"\" for none", is_mqtt_text)
}

pub(super) fn mqtt_password<'de, D: Deserializer<'de>>(toml: D) -> Result<Secret, D::Error> {
    text(toml, "a password, or \"\" for none", |password| {
        // Passwords are binary data in MQTT, so unlike user names they may contain any characters.
        password.len() <= MAX_MQTT_TEXT_BYTES
    })
    .map(Secret::new)
}

pub(super) fn client_id<'de, D: Deserializer<'de>>(toml: D) -> Result<String, D::Error> {
    text(toml, "1 to 64 letters, digits, - and _", |id| {
        // It is also the node in topics of Home Assistant's discovery, which allows only these
        // characters.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        (1..=64).contains(&id.len()) && id.bytes().all(is_plain)
    })
}

pub(super) fn topic_prefix<'de, D: Deserializer<'de>>(toml: D) -> Result<String, D::Error> {
    let expected = "a topic without + and #, such as \"homeassistant\"";
    text(toml, expected, |topic| {
        let is_level = |level: &str| !level.is_empty() && !level.contains(['+', '#']);
        is_mqtt_text(topic) && topic.len() <= 128 && topic.split('/').all(is_level)
    })
}

fn is_mqtt_text(text: &str) -> bool {
    // MQTT forbids U+0000 in its strings, and advises against other control characters.
    text.len() <= MAX_MQTT_TEXT_BYTES && !text.chars().any(char::is_control)
}

pub(super) fn log_filter<'de, D: Deserializer<'de>>(toml: D) -> Result<String, D::Error> {
    let expected =
        "off, error, warn, info, debug or trace, or a filter such as \"info,access=off\"";
    text(toml, expected, is_log_filter)
}

/// Whether each part is a level or `target=level`. `env_logger` would take a misspelt level for a
/// target, and then log nothing else, so a word that is not a level is refused.
fn is_log_filter(filter: &str) -> bool {
    filter.split(',').map(str::trim).all(|part| {
        let (target, level) = part.split_once('=').unwrap_or(("any", part));
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_:".contains(&byte);
        let is_target = !target.is_empty() && target.bytes().all(is_plain);
        is_target && level.parse::<LevelFilter>().is_ok()
    })
}

/// A text that satisfies `is_right`.
fn text<'de, D: Deserializer<'de>>(
    toml: D,
    expected: &str,
    is_right: impl FnOnce(&str) -> bool,
) -> Result<String, D::Error> {
    parse(toml, expected, |value| match value {
        Value::String(text) if is_right(&text) => Some(text),
        _ => None,
    })
}

/// A list of texts, each parsed.
fn list<'de, D: Deserializer<'de>, T>(
    toml: D,
    expected: &str,
    parse_one: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, D::Error> {
    parse(toml, expected, |value| {
        let values = value.as_array()?.iter();
        values.map(|value| parse_one(value.as_str()?)).collect()
    })
}

/// A value that `parse` accepts; `expected` describes the accepted values.
fn parse<'de, D: Deserializer<'de>, T>(
    toml: D,
    expected: impl fmt::Display,
    parse: impl FnOnce(Value) -> Option<T>,
) -> Result<T, D::Error> {
    // Through a `Value`, because serde's errors would name Rust types instead of the expected
    // value.
    let value = Value::deserialize(toml)?;
    parse(value).ok_or_else(|| D::Error::custom(expected))
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer as _;
    use serde::de::value::{Error, I64Deserializer, StrDeserializer};

    use super::*;

    fn text(text: &str) -> StrDeserializer<'_, Error> {
        text.into_deserializer()
    }

    #[test]
    fn spans_are_whole_numbers_with_a_unit() {
        for (written, ms) in [
            ("500ms", 500),
            ("30s", 30_000),
            ("90s", 90_000),
            ("5m", 300_000),
            ("2h", 7_200_000),
        ] {
            let expected = Ok(Duration::from_millis(ms));
            assert_eq!(span::<_, 0, 10_000>(text(written)), expected, "{written}");
        }
        for written in [
            "",
            "30",
            "s",
            "-1s",
            "99999999999999999999h",
            "11h",
            "999ms",
        ] {
            let error = span::<_, 1, 36_000>(text(written)).unwrap_err().to_string();
            assert_eq!(error, "a span of time from 1s to 10h, such as \"90s\"");
        }
    }

    #[test]
    fn sizes_are_bytes_or_have_a_unit() {
        for (written, bytes) in [
            ("1MiB", 1 << 20),
            ("1 MiB", 1 << 20),
            ("64KiB", 65_536),
            ("2GiB", 1 << 31),
            ("1000", 1_000),
        ] {
            assert_eq!(
                size::<_, _, 1_000, { 1 << 31 }>(text(written)),
                Ok::<u64, _>(bytes),
                "{written}"
            );
        }
        let number: I64Deserializer<Error> = 1_000_i64.into_deserializer();
        assert_eq!(size::<_, _, 1, 1_000>(number), Ok(1_000_u64));
        for written in ["", "MiB", "-1", "99999999999GiB", "3GiB", "1023"] {
            let error = size::<_, u64, 1_024, { 1 << 31 }>(text(written)).unwrap_err();
            assert_eq!(error.to_string(), "a size from 1 KiB to 2 GiB", "{written}");
        }
    }

    #[test]
    fn base_paths_are_plain() {
        for path in ["/", "/api", "/api/v0.2", "/a-b_c~d"] {
            assert!(is_base_path(path), "{path:?}");
        }
        for path in [
            "", "api", "/api/", "//", "/a//b", "/{id}", "/a b", "/a?b", "/ä",
        ] {
            assert!(!is_base_path(path), "{path:?}");
        }
    }

    #[test]
    fn log_filters_name_levels() {
        for filter in [
            "info",
            "OFF",
            "info,access=off",
            "warn, wattkeeper::store=debug",
        ] {
            assert!(is_log_filter(filter), "{filter:?}");
        }
        for filter in [
            "",
            "loud",
            "info,",
            "info/x",
            "access=",
            "=info",
            "access=loud",
            "inof",
        ] {
            assert!(!is_log_filter(filter), "{filter:?}");
        }
    }
}
