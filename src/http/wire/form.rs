//! Forms (`application/x-www-form-urlencoded`). A form is decoded once, however many of its fields
//! are read.

use std::collections::HashMap;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::body::SMALL;
use super::params::{decode, not_text, twice};
use crate::http::wire::error::ApiError;

/// The maximum number of fields in a form: far more than any page has.
const MOST_FIELDS: usize = 4_096;

/// The fields of a form.
#[derive(Default)]
pub(crate) struct Form {
    /// The values of each name, in order; `None` for a value that cannot be decoded.
    values: HashMap<String, Vec<Option<String>>>,
}

impl Form {
    /// Decodes a form. Fields whose names cannot be decoded are skipped.
    ///
    /// # Errors
    /// [`ApiError::InvalidField`] if it is not text or has too many fields.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, ApiError> {
        let wrong = |problem: String| ApiError::unfit("form", problem);
        let text = std::str::from_utf8(bytes)
            .map_err(|_| wrong("expected application/x-www-form-urlencoded".into()))?;
        let count = text.split('&').count();
        if count > MOST_FIELDS {
            let expected = format!("expected at most {MOST_FIELDS} fields; got {count}");
            return Err(wrong(expected));
        }
        let mut values = HashMap::<_, Vec<_>>::new();
        for pair in text.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if let Some(name) = decode(name) {
                values.entry(name).or_default().push(decode(value));
            }
        }
        Ok(Self { values })
    }

    /// Checks that all fields except `large` are together no longer than any other form, because
    /// the worker reads them.
    ///
    /// # Errors
    /// [`ApiError::InvalidField`].
    pub(crate) fn check_beside(&self, large: &str) -> Result<(), ApiError> {
        let others = self.values.iter().filter(|(name, _)| *name != large);
        let length = |(name, values): (&String, &Vec<Option<String>>)| {
            let values = values.iter().flatten().map(String::len);
            name.len() + values.sum::<usize>()
        };
        if others.map(length).sum::<usize>() > SMALL {
            let expected = format!("expected at most {SMALL} bytes beside {large}");
            return Err(ApiError::unfit("form", expected));
        }
        Ok(())
    }

    /// Returns the value of the field `name`; `None` if it is missing or empty.
    ///
    /// # Errors
    /// [`ApiError::InvalidField`] if it occurs twice, because either could be meant, or if it
    /// cannot be decoded.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let values = self.values.get(name).map_or(&[][..], Vec::as_slice);
        match values {
            [] => Ok(None),
            [value] => {
                let text = value.as_deref().ok_or_else(|| not_text(name))?;
                Ok(Some(text).filter(|text| !text.is_empty()))
            }
            _ => Err(twice(name)),
        }
    }

    /// Takes a large value out of the form.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub(crate) fn take(&mut self, name: &str) -> Result<String, ApiError> {
        self.get(name)?;
        let value = self.values.remove(name).and_then(|mut all| all.pop());
        Ok(value.flatten().unwrap_or_default())
    }

    /// A digest of all fields but these, and of `text`.
    pub(crate) fn digest(&self, but: &[&str], text: &str) -> String {
        let mut fields: Vec<_> = self.values.iter().collect();
        fields.retain(|(name, _)| !but.contains(&name.as_str()));
        fields.sort_unstable();
        // Quoted, so that no two forms have the same text.
        short_digest(&format!("{fields:?}{text:?}"))
    }

    /// All fields that can be decoded, those of one name in their order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.values.iter();
        all.flat_map(|(name, values)| {
            values
                .iter()
                .flatten()
                .map(|it| (name.as_str(), it.as_str()))
        })
    }

    /// Removes all fields with names that `is_removed` accepts.
    pub(crate) fn remove(&mut self, is_removed: impl Fn(&str) -> bool) {
        self.values.retain(|name, _| !is_removed(name));
    }

    /// Sets a field.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.values
            .insert(name.to_owned(), vec![Some(value.to_owned())]);
    }

    /// Returns all values of `name` that can be decoded, in order: the checked boxes that share a
    /// name.
    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        let values = self.values.get(name).into_iter().flatten();
        values.flatten().cloned().collect()
    }
}

/// The first 16 bytes of a text's SHA-256, as hexadecimal digits.
pub(crate) fn short_digest(text: &str) -> String {
    let mut digits = String::new();
    for byte in Sha256::digest(text.as_bytes()).iter().take(16) {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> Form {
        Form::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn fields_are_decoded_once() {
        let mut form = form("x=2&%61=W%C3%A4rme+%2b%26=&b&c=&d=1&d=%&d=2&%zz=1");
        assert_eq!(form.get("a").unwrap(), Some("W\u{e4}rme +&="));
        for absent in ["b", "c", "e", "A", "%zz"] {
            assert_eq!(form.get(absent).unwrap(), None, "{absent}");
        }
        assert_eq!(form.all("d"), ["1", "2"]);
        assert!(form.all("e").is_empty());
        assert_eq!(form.take("x").unwrap(), "2");
        assert_eq!(form.take("x").unwrap(), "");
        assert!(form.take("d").is_err());
    }

    #[test]
    fn what_cannot_be_read_is_refused_where_it_is_asked_for() {
        for text in ["a=%", "a=%4", "a=%zz", "a=%ff", "a=1&a=1", "a=&%61"] {
            let error = form(text).get("a").unwrap_err().to_string();
            assert!(error.starts_with("a: expected"), "{text}: {error}");
            assert!(form(text).get("b").unwrap().is_none());
        }
        assert!(Form::parse(b"a=\xff").is_err());
    }

    #[test]
    fn a_form_is_bounded() {
        assert!(Form::parse("&".repeat(MOST_FIELDS - 1).as_bytes()).is_ok());
        let error = Form::parse("&".repeat(MOST_FIELDS).as_bytes()).err();
        let error = error.unwrap().to_string();
        assert_eq!(error, "form: expected at most 4096 fields; got 4097");
        let long = "x".repeat(SMALL);
        assert!(
            form(&format!("table={long}&a=1"))
                .check_beside("table")
                .is_ok()
        );
        for text in [
            format!("table=1&a={long}"),
            format!("a={long}"),
            format!("{long}a"),
        ] {
            assert!(form(&text).check_beside("table").is_err());
        }
    }
}
