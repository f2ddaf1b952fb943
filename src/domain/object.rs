//! Values that must be JSON objects: serde would also take a list of the fields without their names.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// A value that was an object with named fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromObject<T>(pub T);

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FromObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = FromObject<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(FromObject)
    }
}

/// The names of the fields that lead to a place in a JSON text, such as `lines.amount`; `None` at
/// its top. The place is a line and a column, from 1, as errors of `serde_json` have them.
#[must_use]
pub fn field_at(text: &str, (line, column): (usize, usize)) -> Option<String> {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.checked_sub(1)?)
        .map(str::len)
        .sum();
    let end = before.saturating_add(column).min(text.len());
    let bytes = text.as_bytes().get(..end)?;
    // For each open object or list, the name of its newest field.
    let mut open: Vec<Option<&[u8]>> = Vec::new();
    let mut newest: Option<&[u8]> = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let start = at + 1;
                at = start;
                while let Some(&inner) = bytes.get(at).filter(|inner| **inner != b'"') {
                    at += if inner == b'\\' { 2 } else { 1 };
                }
                newest = bytes.get(start..at);
            }
            b':' => {
                if let Some(last) = open.last_mut() {
                    *last = newest.take();
                }
            }
            b'{' | b'[' => open.push(None),
            // The error is about the value that ends here.
            b'}' | b']' if at + 1 < end => {
                open.pop();
            }
            _ => {}
        }
        at += 1;
    }
    let names = open.into_iter().flatten();
    let names: Vec<&str> = names.filter_map(|it| str::from_utf8(it).ok()).collect();
    (!names.is_empty()).then(|| names.join("."))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Posted<'a> {
        name: &'a str,
        #[serde(default)]
        lines: Vec<FromObject<PostedLine>>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct PostedLine {
        amount: i64,
    }

    fn read(text: &str) -> Result<FromObject<Posted<'_>>, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn a_list_of_fields_is_no_object() {
        assert_eq!(read(r#"{"name":"x"}"#).unwrap().0.name, "x");
        let line = &read(r#"{"lines":[{"amount":3}],"name":"x"}"#)
            .unwrap()
            .0
            .lines[0];
        assert_eq!(line.0.amount, 3);
        for text in ["[]", r#"["x",[]]"#, r#"{"name":"x","lines":[[3]]}"#, "3"] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("expected an object"), "{error}");
        }
    }

    #[test]
    fn an_error_has_a_field() {
        for (text, field) in [
            (r#"{"name":5}"#, Some("name")),
            ("{\n \"name\": 5\n}", Some("name")),
            (
                r#"{"name":"x","lines":[{"amount":"a\"b"}]}"#,
                Some("lines.amount"),
            ),
            (r#"{"name":"x","lines":[[3]]}"#, Some("lines")),
            ("[]", None),
            ("", None),
        ] {
            let error = read(text).unwrap_err();
            let place = (error.line(), error.column());
            assert_eq!(field_at(text, place).as_deref(), field, "{text}: {error}");
        }
        for end in 0..40 {
            let _ = field_at("{\"a\\\":[{\"ü\":1}]}\n\n", (end / 10, end));
        }
    }
}
