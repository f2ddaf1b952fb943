//! The value of an input, in text and in JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::ingest::quantity::decimal;
use crate::ingest::tolerant::is_no_number;

/// The value of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum InputValue {
    /// A number; may be infinite.
    Number(f64),
    /// Null: nothing was measured.
    Nothing,
    /// A word such as `NaN` instead of a number.
    NoNumber,
    /// Not a number.
    Other,
}

/// Inputs by name. If several have the same name, the last one counts, as in Emoncms.
pub(super) type NamedInputs = BTreeMap<String, InputValue>;

/// The maximum number of inputs of a node at one time, for any size of the body.
pub(super) const MAX_INPUTS: usize = 1_024;

impl InputValue {
    /// A number as accepted by PHP's `is_numeric`, or `null`.
    pub(super) fn of_text(text: &str) -> Self {
        match text.trim() {
            "null" => Self::Nothing,
            text => match decimal(text) {
                Some(number) => Self::Number(number),
                None if is_no_number(text) => Self::NoNumber,
                None => Self::Other,
            },
        }
    }

    /// Any JSON. Its first byte determines its type; the content of lists and objects is skipped.
    pub(super) fn of_json(json: &RawValue) -> Self {
        let json = json.get();
        match json.as_bytes().first() {
            // A text may contain invalid Unicode.
            Some(b'"') => serde_json::from_str::<String>(json)
                .map_or(Self::Other, |text| Self::of_text(&text)),
            // Infinite if it is out of range.
            Some(b'-' | b'0'..=b'9') => json.parse().map_or(Self::Other, Self::Number),
            // Only null begins with an n, because the parser has refused everything that is not
            // JSON.
            Some(b'n') => Self::Nothing,
            _ => Self::Other,
        }
    }
}

/// The members of an object.
pub(super) struct InputObject(pub(super) NamedInputs);

impl<'de> Deserialize<'de> for InputObject {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct AnyObject;

        impl<'de> Visitor<'de> for AnyObject {
            type Value = InputObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an object of at most {MAX_INPUTS} members")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<InputObject, A::Error> {
                let mut inputs = NamedInputs::new();
                while let Some((name, value)) = object.next_entry::<_, &RawValue>()? {
                    if inputs.len() == MAX_INPUTS {
                        return Err(Error::custom("too many members"));
                    }
                    inputs.insert(name, InputValue::of_json(value));
                }
                Ok(InputObject(inputs))
            }
        }

        json.deserialize_map(AnyObject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_or_nothing_or_refused() {
        for (json, expected) in [
            ("1.5", InputValue::Number(1.5)),
            ("-2", InputValue::Number(-2.0)),
            ("\" 3e2 \"", InputValue::Number(300.0)),
            ("null", InputValue::Nothing),
            ("\"null\"", InputValue::Nothing),
            ("1e999", InputValue::Number(f64::INFINITY)),
            ("\"\"", InputValue::NoNumber),
            ("\"nan\"", InputValue::NoNumber),
            ("\"N/A\"", InputValue::NoNumber),
            ("\"-\"", InputValue::NoNumber),
            ("\"on\"", InputValue::Other),
            ("\"\\ud800\"", InputValue::Other),
            ("true", InputValue::Other),
            ("[1,[2]]", InputValue::Other),
            ("{\"a\":{}}", InputValue::Other),
        ] {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            assert_eq!(InputValue::of_json(raw), expected, "{json}");
        }
    }

    #[test]
    fn the_members_of_an_object_are_limited() {
        let object = |count: usize| {
            let members: Vec<String> = (0..count).map(|n| format!("\"{n}\":{n}")).collect();
            format!("{{{}}}", members.join(","))
        };
        let most: InputObject = serde_json::from_str(&object(MAX_INPUTS)).unwrap();
        assert_eq!(most.0.len(), MAX_INPUTS);
        assert!(serde_json::from_str::<InputObject>(&object(MAX_INPUTS + 1)).is_err());
    }
}
