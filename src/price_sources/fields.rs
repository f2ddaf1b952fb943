//! The fields of a source, one by one, so that an error names the wrong one.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use thiserror::Error;
use toml::{Table, Value};

/// A wrong field of a source. It does not contain the value, which may be an address with a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: expected {expected}")]
pub struct FormError {
    /// The field.
    pub field: &'static str,
    /// The values that it accepts.
    pub expected: String,
}

/// Reads the fields of a table.
pub(super) struct FormFieldReader<'t>(pub(super) &'t Table);

impl FormFieldReader<'_> {
    /// A text, which may be empty; `None` if the field is missing.
    pub(super) fn text(
        &self,
        field: &'static str,
        expected: &str,
    ) -> Result<Option<&str>, FormError> {
        let value = self.0.get(field);
        let text = value.map(|value| value.as_str().ok_or_else(|| wrong(field, expected)));
        text.transpose()
    }

    /// A parsed text; `None` if the field is missing.
    pub(super) fn parsed<T>(
        &self,
        field: &'static str,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, FormError> {
        let parsed = self.text(field, expected)?.map(parse);
        parsed.map_or(Ok(None), |parsed| {
            parsed.map(Some).ok_or_else(|| wrong(field, expected))
        })
    }

    /// A whole number in this range; `otherwise` if the field is missing.
    pub(super) fn number(
        &self,
        field: &'static str,
        range: RangeInclusive<u16>,
        otherwise: u16,
    ) -> Result<u16, FormError> {
        let Some(value) = self.0.get(field) else {
            return Ok(otherwise);
        };
        let number = value.as_integer().and_then(|it| u16::try_from(it).ok());
        let number = number.filter(|number| range.contains(number));
        let expected = || format!("a whole number from {} to {}", range.start(), range.end());
        number.ok_or_else(|| wrong(field, expected()))
    }

    /// A text, or a list of some that `is_fit`; empty if the field is missing.
    pub(super) fn list(
        &self,
        field: &'static str,
        expected: &str,
        is_fit: impl FnOnce(&[String]) -> bool,
    ) -> Result<Vec<String>, FormError> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let all = match self.0.get(field) {
            None => return Ok(Vec::new()),
            Some(Value::Array(all)) => all.iter().map(text).collect::<Option<Vec<_>>>(),
            Some(one) => text(one).map(|one| vec![one]),
        };
        let all = all.filter(|all| !all.is_empty() && is_fit(all));
        all.ok_or_else(|| wrong(field, expected))
    }

    /// Texts by name; empty if the field is missing.
    pub(super) fn texts(
        &self,
        field: &'static str,
        expected: &str,
    ) -> Result<BTreeMap<String, String>, FormError> {
        let Some(value) = self.0.get(field) else {
            return Ok(BTreeMap::new());
        };
        let table = value.as_table().ok_or_else(|| wrong(field, expected))?;
        let pairs = table.iter().map(|(name, value)| match value {
            Value::String(text) => Ok((name.clone(), text.clone())),
            _ => Err(wrong(field, expected)),
        });
        pairs.collect()
    }
}

/// The error of a field.
pub(super) fn wrong(field: &'static str, expected: impl Into<String>) -> FormError {
    FormError {
        field,
        expected: expected.into(),
    }
}
