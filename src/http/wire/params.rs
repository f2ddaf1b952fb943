//! The parameters of a query string.

use crate::domain::{SensorId, Timestamp, Zone, percent_decoded};
use crate::http::wire::error::ApiError;

/// Returns the value of the parameter `name`, decoded like a form: `+` is a space. `None` if it is
/// missing or empty. Other parameters are not decoded, so they may be anything.
///
/// # Errors
/// [`ApiError::InvalidField`] if it occurs twice, because either could be meant, or if it cannot be
/// decoded.
pub(crate) fn param(query: &str, name: &str) -> Result<Option<String>, ApiError> {
    let mut values = query
        .split('&')
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .filter(|(key, _)| is_named(key, name))
        .map(|(_, value)| value);
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(twice(name));
    }
    let text = decode(value).ok_or_else(|| not_text(name))?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// Returns all values of a parameter that may occur several times, without empty ones.
///
/// # Errors
/// [`ApiError::InvalidField`] if one cannot be decoded.
pub(crate) fn params(query: &str, name: &str) -> Result<Vec<String>, ApiError> {
    let values = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .filter(|(key, value)| is_named(key, name) && !value.is_empty())
        .map(|(_, value)| decode(value).ok_or_else(|| not_text(name)));
    values.collect()
}

/// Whether a key, once decoded, is `name`. Keys without escapes are compared directly: a query
/// string may have many, and is searched for each parameter.
fn is_named(key: &str, name: &str) -> bool {
    if key.contains(['%', '+']) {
        decode(key).is_some_and(|key| key == name)
    } else {
        key == name
    }
}

/// The error for a name that occurs twice.
pub(super) fn twice(name: &str) -> ApiError {
    ApiError::unfit(name, "expected only once")
}

/// The error for a value that cannot be decoded. The value is not shown, because it may be a key.
pub(super) fn not_text(name: &str) -> ApiError {
    ApiError::unfit(name, "expected UTF-8, percent-encoded where needed")
}

/// A text with its escapes decoded; `None` if they are invalid, or if the result is not UTF-8.
pub(super) fn decode(text: &str) -> Option<String> {
    percent_decoded(&text.replace('+', " "))
}

/// Returns the value of a required parameter.
///
/// # Errors
/// [`ApiError::MissingField`]; as [`param`].
pub(crate) fn required(query: &str, name: &str) -> Result<String, ApiError> {
    param(query, name)?.ok_or_else(|| ApiError::MissingField(name.to_owned()))
}

/// Returns the meaning of a parameter's value; `None` if the parameter is missing.
///
/// # Errors
/// [`ApiError::InvalidField`] if the value is not one of those `known`; as [`param`].
pub(crate) fn one_of<T: Copy>(
    query: &str,
    name: &str,
    known: &[(&str, T)],
) -> Result<Option<T>, ApiError> {
    let Some(text) = param(query, name)? else {
        return Ok(None);
    };
    let Some((_, meant)) = known.iter().find(|(known, _)| *known == text) else {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let expected = format!("expected one of {}", names.join(", "));
        return Err(ApiError::invalid(name, expected, &text));
    };
    Ok(Some(*meant))
}

/// Returns the sensor id in a required parameter.
///
/// # Errors
/// [`ApiError::InvalidField`]; as [`required`].
pub(crate) fn sensor(query: &str, name: &str) -> Result<SensorId, ApiError> {
    let text = required(query, name)?;
    SensorId::new(&text).map_err(|error| ApiError::invalid(name, error, &text))
}

/// Parses a time. A date alone is the start of that day in `zone`.
///
/// # Errors
/// [`ApiError::InvalidField`].
pub(crate) fn time(name: &str, text: &str, zone: &Zone) -> Result<Timestamp, ApiError> {
    if let Ok(midnight) = Timestamp::parse_date(text) {
        return Ok(zone.start_of_day(midnight));
    }
    // No valid time contains a space: it was the `+` of an offset that the client did not encode.
    Timestamp::parse_or_date(&text.replace(' ', "+"))
        .map_err(|error| ApiError::invalid(name, format!("{error}; or a date alone"), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(query: &str) -> Option<String> {
        param(query, "a").unwrap()
    }

    #[test]
    fn values_are_decoded() {
        assert_eq!(value("a=1").as_deref(), Some("1"));
        assert_eq!(
            value("x=2&a=W%C3%A4rme+%2b%26=&b").as_deref(),
            Some("Wärme +&=")
        );
        assert_eq!(value("%61=1").as_deref(), Some("1"));
        for absent in ["", "a", "a=", "A=1", "b=1", "&&"] {
            assert_eq!(value(absent), None, "{absent:?}");
        }
    }

    #[test]
    fn what_nobody_asks_for_may_be_anything() {
        assert_eq!(value("b=%zz&b=1&%=&a=1").as_deref(), Some("1"));
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for query in [
            "a=%", "a=%4", "a=%zz", "a=%+1", "a=%ff", "a=1&a=1", "a=&%61",
        ] {
            let error = param(query, "a").unwrap_err().to_string();
            assert!(error.starts_with("a: expected"), "{query:?}: {error}");
        }
    }
}
