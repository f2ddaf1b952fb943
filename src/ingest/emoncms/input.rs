//! The value of an input, as texts and JSON have it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The value of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Input {
    /// A number, which may be infinite.
    Number(f64),
    /// Null: nothing was measured.
    Nothing,
    /// Something else.
    Other,
}

/// Inputs by name, in the order in which they came.
pub(super) type Inputs = Vec<(String, Input)>;

/// The most inputs that a node has at a time: what comes in one breath, however large the body is.
pub(super) const INPUTS_AT_MOST: usize = 1_024;

impl Input {
    /// A number as PHP's `is_numeric` has it, or `null`.
    pub(super) fn of_text(text: &str) -> Self {
        let text = text.trim();
        if text == "null" {
            return Self::Nothing;
        }
        // The parser would read `inf` and `nan` too.
        let is_plain = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        let number = text.bytes().all(is_plain).then(|| text.parse().ok());
        number.flatten().map_or(Self::Other, Self::Number)
    }
}

/// Any JSON. What is in lists and objects is passed over.
impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct AnyValue;

        impl<'de> Visitor<'de> for AnyValue {
            type Value = Input;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_f64<E>(self, number: f64) -> Result<Input, E> {
                Ok(Input::Number(number))
            }

            #[expect(clippy::cast_precision_loss, reason = "a reading is a `f64`")]
            fn visit_i64<E>(self, number: i64) -> Result<Input, E> {
                Ok(Input::Number(number as f64))
            }

            #[expect(clippy::cast_precision_loss, reason = "a reading is a `f64`")]
            fn visit_u64<E>(self, number: u64) -> Result<Input, E> {
                Ok(Input::Number(number as f64))
            }

            fn visit_str<E>(self, text: &str) -> Result<Input, E> {
                Ok(Input::of_text(text))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Input, E> {
                Ok(Input::Other)
            }

            fn visit_unit<E>(self) -> Result<Input, E> {
                Ok(Input::Nothing)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Input, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Input::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Input, A::Error> {
                while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Input::Other)
            }
        }

        json.deserialize_any(AnyValue)
    }
}

/// The members of an object.
pub(super) struct Members(pub(super) Inputs);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct AnyObject;

        impl<'de> Visitor<'de> for AnyObject {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an object of at most {INPUTS_AT_MOST} members")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Members, A::Error> {
                let mut inputs = Vec::new();
                while let Some(member) = object.next_entry()? {
                    if inputs.len() == INPUTS_AT_MOST {
                        return Err(serde::de::Error::custom("too many members"));
                    }
                    inputs.push(member);
                }
                Ok(Members(inputs))
            }
        }

        json.deserialize_map(AnyObject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_nothing_or_no_reading() {
        for (json, expected) in [
            ("1.5", Input::Number(1.5)),
            ("-2", Input::Number(-2.0)),
            ("\" 3e2 \"", Input::Number(300.0)),
            ("null", Input::Nothing),
            ("\"null\"", Input::Nothing),
            ("\"\"", Input::Other),
            ("\"nan\"", Input::Other),
            ("true", Input::Other),
            ("[1,[2]]", Input::Other),
            ("{\"a\":{}}", Input::Other),
        ] {
            assert_eq!(
                serde_json::from_str::<Input>(json).unwrap(),
                expected,
                "{json}"
            );
        }
    }

    #[test]
    fn an_object_has_so_many_members() {
        let object = |count: usize| {
            let members: Vec<String> = (0..count).map(|n| format!("\"{n}\":{n}")).collect();
            format!("{{{}}}", members.join(","))
        };
        let most: Members = serde_json::from_str(&object(INPUTS_AT_MOST)).unwrap();
        assert_eq!(most.0.len(), INPUTS_AT_MOST);
        assert!(serde_json::from_str::<Members>(&object(INPUTS_AT_MOST + 1)).is_err());
    }
}
