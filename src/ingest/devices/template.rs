//! The id of a message's sensor, from the wildcards of its topic and from fields of the message.

use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

use super::payload::{PayloadError, Pointer};
use crate::domain::SensorId;

/// A text with placeholders: `{1}` for the level that the wildcard with this number matches,
/// `{/id}` for the message field at that JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SensorTemplate {
    text: String,
    parts: Vec<TemplatePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    /// The number of a wildcard, from 1.
    Wildcard(usize),
    Field(Pointer),
}

/// The error for a text that is not a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected a sensor id, where {{1}} is the level at the first + of the topic, {{2}} at the second, and {{/id}} the field of that name"
)]
pub struct TemplateError;

impl FromStr for SensorTemplate {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        if text.is_empty() || text.chars().any(char::is_control) {
            return Err(TemplateError);
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (number, after) = after.split_once('}').ok_or(TemplateError)?;
            parts.push(TemplatePart::Text(before.into()));
            parts.push(match number.parse() {
                Ok(0) => return Err(TemplateError),
                Ok(number) => TemplatePart::Wildcard(number),
                Err(_) if number.is_empty() => return Err(TemplateError),
                Err(_) => TemplatePart::Field(number.parse().map_err(|_| TemplateError)?),
            });
            rest = after;
        }
        parts.push(TemplatePart::Text(rest.into()));
        // The values of the placeholders are not known yet.
        let fixed = parts.iter().map(|piece| match piece {
            TemplatePart::Text(text) => text.len(),
            TemplatePart::Wildcard(_) | TemplatePart::Field(_) => 0,
        });
        if fixed.sum::<usize>() > SensorId::MAX_BYTES {
            return Err(TemplateError);
        }
        Ok(Self {
            text: text.to_owned(),
            parts,
        })
    }
}

impl SensorTemplate {
    /// The template as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the message contains a part of the id.
    #[must_use]
    pub fn has_fields(&self) -> bool {
        self.fields().next().is_some()
    }

    /// The places of the parts that the message contains.
    pub(super) fn fields(&self) -> impl Iterator<Item = &Pointer> {
        self.parts.iter().filter_map(|piece| match piece {
            TemplatePart::Field(pointer) => Some(pointer),
            TemplatePart::Text(_) | TemplatePart::Wildcard(_) => None,
        })
    }

    /// The highest wildcard number in it; 0 if there is none.
    #[must_use]
    pub fn highest(&self) -> usize {
        let number = |piece: &TemplatePart| match piece {
            TemplatePart::Wildcard(number) => *number,
            TemplatePart::Text(_) | TemplatePart::Field(_) => 0,
        };
        self.parts.iter().map(number).max().unwrap_or(0)
    }

    /// The id of the device, unchecked.
    ///
    /// # Errors
    /// [`PayloadError::NoId`] if the message lacks a part of it.
    pub fn text(&self, captures: &[&str], message: &Value) -> Result<String, PayloadError> {
        let mut id = String::new();
        for piece in &self.parts {
            match piece {
                TemplatePart::Text(text) => id.push_str(text),
                TemplatePart::Wildcard(number) => {
                    // `from_str` refuses 0, and the settings refuse numbers without a wildcard.
                    id.push_str(captures.get(number - 1).copied().unwrap_or_default());
                }
                TemplatePart::Field(pointer) => id.push_str(&pointer.text(message)?),
            }
        }
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn filled(template: &str, captures: &[&str]) -> Result<String, PayloadError> {
        let template: SensorTemplate = template.parse().unwrap();
        let message = json!({"model": "CM180", "id": 545, "on": true});
        template.text(captures, &message)
    }

    #[test]
    fn wildcards_are_filled_in() {
        assert_eq!(filled("{1}", &["plug"]).unwrap(), "plug");
        assert_eq!(filled("house-{2}-{1}", &["a", "b"]).unwrap(), "house-b-a");
        assert_eq!(filled("grid", &["a"]).unwrap(), "grid");
        assert_eq!(filled("{/model}-{/id}", &[]).unwrap(), "CM180-545");
        for field in ["/serial", "/on"] {
            let missing = filled(&format!("a-{{{field}}}"), &[]);
            assert_eq!(missing, Err(PayloadError::NoId(field.into())));
        }
        assert_eq!("{3}{1}".parse::<SensorTemplate>().unwrap().highest(), 3);
    }

    #[test]
    fn invalid_ids_are_refused() {
        for text in ["", "{", "{}", "{0}", "{x}", "a}{", "a\n", &"x".repeat(65)] {
            assert_eq!(
                text.parse::<SensorTemplate>(),
                Err(TemplateError),
                "{text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,30}|[a{}0-9]{0,12}", captured in "\\PC{0,9}") {
            if let Ok(template) = text.parse::<SensorTemplate>() {
                let _ = template.text(&[&captured], &Value::Null);
            }
        }
    }
}
