//! Saves of values that another tab or person changed meanwhile are refused, with both values.
//!
//! A form that changes stored values has the hidden field `seen`, a digest of the values that it
//! showed. After a refusal it has that of the new ones, so that saving again replaces them.

use super::{PageError, Visit};
use crate::http::wire::form::short_digest;
use crate::texts::Language;

/// A field of a form, and its stored value.
pub(crate) struct StoredField {
    pub(crate) field: String,
    /// Its name on the page.
    pub(crate) label: String,
    /// The stored value, as the form sends it.
    pub(crate) stored: String,
    /// The value in the form; empty without one.
    pub(crate) typed: String,
    /// A value as a person reads it; `None` for a word that the form does not offer, which changes
    /// nothing.
    pub(crate) words: fn(&Language, &str) -> Option<String>,
}

/// The value of the field `seen` of a form that shows these.
pub(crate) fn seen(fields: &[StoredField]) -> String {
    let values = fields.iter().map(|it| (&it.field, &it.stored));
    seen_text(&format!("{:?}", values.collect::<Vec<_>>()))
}

/// The same of a form that shows one stored text.
pub(crate) fn seen_text(stored: &str) -> String {
    short_digest(stored)
}

impl Visit {
    /// A field of the form whose value is shown as it is sent.
    ///
    /// # Errors
    /// As [`Self::field`].
    pub(crate) fn stored_field(
        &self,
        field: impl Into<String>,
        label: String,
        stored: impl Into<String>,
    ) -> Result<StoredField, PageError> {
        let field = field.into();
        Ok(StoredField {
            typed: self.field(&field)?,
            field,
            label,
            stored: stored.into(),
            words: |_, value| Some(value.to_owned()),
        })
    }

    /// Checks that these are the stored values that the form showed, or that its values are stored
    /// by now.
    ///
    /// # Errors
    /// [`PageError::Form`] with both values of each field that differs.
    pub(crate) fn check_seen(&self, fields: &[StoredField]) -> Result<(), PageError> {
        if !self.is_outdated(&seen(fields))? {
            return Ok(());
        }
        let language = self.language();
        let mut both = Vec::new();
        for it in fields {
            let typed = it.typed.trim();
            if typed != it.stored
                && let Some(typed) = (it.words)(language, typed)
            {
                let stored = (it.words)(language, &it.stored).unwrap_or_default();
                both.push(self.both_values(&it.label, [stored, typed]));
            }
        }
        if both.is_empty() {
            return Ok(());
        }
        Err(self.changed_meanwhile(&both))
    }

    /// Whether the form showed other stored values than those with this digest.
    pub(crate) fn is_outdated(&self, seen: &str) -> Result<bool, PageError> {
        let shown = self.field("seen")?;
        Ok(!shown.is_empty() && shown != seen)
    }

    /// The stored value of a field, and the typed one, in words.
    pub(crate) fn both_values(&self, label: &str, [stored, typed]: [String; 2]) -> String {
        let language = self.language();
        let or_none = |text: String| {
            if text.is_empty() {
                language.say("form-changed-none")
            } else {
                text
            }
        };
        let values = [
            ("label", label.into()),
            ("stored", or_none(stored).into()),
            ("typed", or_none(typed).into()),
        ];
        language.fill("form-changed-value", values)
    }

    /// The refusal of a form whose stored values were changed meanwhile.
    pub(crate) fn changed_meanwhile(&self, both: &[String]) -> PageError {
        let text = self.language().say("form-changed");
        PageError::form("main", format!("{text} {}", both.join(" ")))
    }
}
