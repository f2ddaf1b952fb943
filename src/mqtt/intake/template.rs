//! The id of a message's sensor, from the wildcards of its topic.

use std::str::FromStr;

use thiserror::Error;

use crate::domain::{NameError, SensorId};

/// A text with places such as `{1}`, each for what the wildcard of that number stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SensorTemplate {
    parts: Vec<TemplatePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    /// The number of a wildcard, from 1.
    Wildcard(usize),
}

/// The text is not a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected a sensor's id, where {{1}} is what the topic's first + stands for, {{2}} the second"
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
            let number: usize = number.parse().map_err(|_| TemplateError)?;
            if number == 0 {
                return Err(TemplateError);
            }
            parts.push(TemplatePart::Text(before.into()));
            parts.push(TemplatePart::Wildcard(number));
            rest = after;
        }
        parts.push(TemplatePart::Text(rest.into()));
        // What the wildcards stand for is not known yet.
        let fixed = parts.iter().map(|piece| match piece {
            TemplatePart::Text(text) => text.len(),
            TemplatePart::Wildcard(_) => 0,
        });
        if fixed.sum::<usize>() > SensorId::MAX_BYTES {
            return Err(TemplateError);
        }
        Ok(Self { parts })
    }
}

impl SensorTemplate {
    /// The highest wildcard number in it; 0 if there is none.
    #[must_use]
    pub fn highest(&self) -> usize {
        let number = |piece: &TemplatePart| match piece {
            TemplatePart::Wildcard(number) => *number,
            TemplatePart::Text(_) => 0,
        };
        self.parts.iter().map(number).max().unwrap_or(0)
    }

    /// The id of the sensor, with `suffix` added.
    ///
    /// # Errors
    /// [`NameError`] if that is not an id: too long, empty, or with control characters.
    pub fn fill(&self, captures: &[&str], suffix: &str) -> Result<SensorId, NameError> {
        let mut id = String::new();
        for piece in &self.parts {
            id.push_str(match piece {
                TemplatePart::Text(text) => text,
                TemplatePart::Wildcard(number) => {
                    // `from_str` refuses 0, and the settings refuse numbers without a wildcard.
                    captures.get(number - 1).copied().unwrap_or_default()
                }
            });
        }
        id.push_str(suffix);
        SensorId::new(&id)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(template: &str, captures: &[&str], suffix: &str) -> String {
        let template: SensorTemplate = template.parse().unwrap();
        template.fill(captures, suffix).unwrap().to_string()
    }

    #[test]
    fn wildcards_are_filled_in() {
        assert_eq!(filled("{1}", &["plug"], ""), "plug");
        assert_eq!(filled("house-{2}-{1}", &["a", "b"], "-2"), "house-b-a-2");
        assert_eq!(filled("grid", &["a"], ""), "grid");
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
        let template: SensorTemplate = "{1}".parse().unwrap();
        for captured in ["", "a\nb", &"x".repeat(65)] {
            assert!(template.fill(&[captured], "").is_err(), "{captured:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,30}|[a{}0-9]{0,12}", captured in "\\PC{0,9}") {
            if let Ok(template) = text.parse::<SensorTemplate>() {
                let _ = template.fill(&[&captured], "-1");
            }
        }
    }
}
