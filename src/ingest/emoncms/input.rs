//! The value of an input, in text and in JSON.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The value of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum InputValue {
    /// A number; may be infinite.
    Number(f64),
    /// Null: nothing was measured.
    Nothing,
    /// Not a number.
    Other,
}

/// Inputs by name, in their order.
pub(super) type NamedInputs = Vec<(String, InputValue)>;

/// The most inputs of a node at one time, however large the body is.
pub(super) const MAX_INPUTS: usize = 1_024;

impl InputValue {
    /// A number as PHP's `is_numeric` has it, or `null`.
    pub(super) fn of_text(text: &str) -> Self {
        let text = text.trim();
        if text == "null" {
            return Self::Nothing;
        }
        // The standard parser accepts `inf` and `nan`, too.
        let is_plain = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        let number = text.bytes().all(is_plain).then(|| text.parse().ok());
        number.flatten().map_or(Self::Other, Self::Number)
    }
}

/// Any JSON; the content of lists and objects is skipped.
impl<'de> Deserialize<'de> for InputValue {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct AnyValue;

        impl<'de> Visitor<'de> for AnyValue {
            type Value = InputValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_f64<E>(self, number: f64) -> Result<InputValue, E> {
                Ok(InputValue::Number(number))
            }

            #[expect(clippy::cast_precision_loss, reason = "a reading is an `f64`")]
            fn visit_i64<E>(self, number: i64) -> Result<InputValue, E> {
                Ok(InputValue::Number(number as f64))
            }

            #[expect(clippy::cast_precision_loss, reason = "a reading is an `f64`")]
            fn visit_u64<E>(self, number: u64) -> Result<InputValue, E> {
                Ok(InputValue::Number(number as f64))
            }

            fn visit_str<E>(self, text: &str) -> Result<InputValue, E> {
                Ok(InputValue::of_text(text))
            }

            fn visit_bool<E>(self, _: bool) -> Result<InputValue, E> {
                Ok(InputValue::Other)
            }

            fn visit_unit<E>(self) -> Result<InputValue, E> {
                Ok(InputValue::Nothing)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<InputValue, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(InputValue::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<InputValue, A::Error> {
                while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(InputValue::Other)
            }
        }

        json.deserialize_any(AnyValue)
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
                let mut inputs = Vec::new();
                while let Some(member) = object.next_entry()? {
                    if inputs.len() == MAX_INPUTS {
                        return Err(serde::de::Error::custom("too many members"));
                    }
                    inputs.push(member);
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
            ("\"\"", InputValue::Other),
            ("\"nan\"", InputValue::Other),
            ("true", InputValue::Other),
            ("[1,[2]]", InputValue::Other),
            ("{\"a\":{}}", InputValue::Other),
        ] {
            assert_eq!(
                serde_json::from_str::<InputValue>(json).unwrap(),
                expected,
                "{json}"
            );
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
