//! Fields of forms. A form declares each of its fields once. What the field shows, its stored
//! value in a digest of all, the change that it makes and the mistake beside it follow from that.

use super::seen::{StoredField, seen};
use super::typed_number::Numbers;
use super::{PageError, Visit};
use crate::texts::Language;

/// A field of a form that shows values of an `S` and makes changes in a `C`.
pub(crate) struct FormField<S, C> {
    /// Its name and its id on the page.
    name: &'static str,
    /// The name of the text beside it.
    label: &'static str,
    /// Its stored value, as the form sends it.
    stored: fn(&S, &Language) -> String,
    /// A value as a person reads it; `None` for a word that the form does not offer.
    words: fn(&Language, &str) -> Option<String>,
    change: FieldChange<C>,
}

/// How the text in a field becomes a change.
enum FieldChange<C> {
    /// Any text does.
    Any(fn(&mut C, String)),
    /// The name of the mistake if the text, without spaces around it, has no valid value.
    Checked(&'static str, fn(&mut C, &str, &Numbers) -> Option<()>),
}

impl<S, C> FormField<S, C> {
    /// A field by the name of the text beside it, and by its own. It is empty and changes nothing.
    pub(crate) const fn labelled(label: &'static str, name: &'static str) -> Self {
        Self {
            name,
            label,
            stored: |_, _| String::new(),
            words: |_, text| Some(text.to_owned()),
            change: FieldChange::Any(|_, _| {}),
        }
    }

    /// The field with this stored value.
    pub(crate) const fn stored(self, stored: fn(&S, &Language) -> String) -> Self {
        Self { stored, ..self }
    }

    /// The field as a choice of words, each with its text.
    pub(crate) const fn offers(self, words: fn(&Language, &str) -> Option<String>) -> Self {
        Self { words, ..self }
    }

    /// The field, which changes this to any text.
    pub(crate) const fn changes(self, change: fn(&mut C, String)) -> Self {
        let change = FieldChange::Any(change);
        Self { change, ..self }
    }

    /// The field, which changes what `read` finds in a valid text. Others are a mistake with the
    /// text of this name.
    pub(crate) const fn mistake(
        self,
        text: &'static str,
        read: fn(&mut C, &str, &Numbers) -> Option<()>,
    ) -> Self {
        let change = FieldChange::Checked(text, read);
        Self { change, ..self }
    }

    /// Its stored value, to be compared with the one that a form showed.
    pub(crate) fn stored_in(&self, stored: &S, language: &Language) -> StoredField {
        StoredField {
            field: self.name.to_owned(),
            label: language.say(self.label),
            stored: (self.stored)(stored, language),
            words: self.words,
        }
    }
}

/// The fields of a form, as a page shows them.
pub(crate) struct ShownFields {
    /// The digest of the stored values.
    pub(crate) seen: String,
    /// Each with the text in it.
    fields: Vec<(StoredField, String)>,
}

impl ShownFields {
    /// The text in a field.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.find(name).map_or("", |(_, text)| text)
    }

    /// The text beside a field.
    pub(crate) fn label(&self, name: &str) -> &str {
        self.find(name).map_or("", |(field, _)| &field.label)
    }

    fn find(&self, name: &str) -> Option<&(StoredField, String)> {
        self.fields.iter().find(|(field, _)| field.field == name)
    }
}

impl Visit {
    /// Fields with their stored values or, if the form `is_again` shown, with the typed texts.
    ///
    /// # Errors
    /// As [`Self::field`].
    pub(crate) fn shown_fields(
        &self,
        fields: Vec<StoredField>,
        is_again: bool,
    ) -> Result<ShownFields, PageError> {
        let seen = seen(&fields);
        let shown = fields.into_iter().map(|field| {
            let typed = self.field(&field.field)?;
            let is_typed = is_again && (field.words)(self.language(), &typed).is_some();
            let text = if is_typed {
                typed
            } else {
                field.stored.clone()
            };
            Ok((field, text))
        });
        Ok(ShownFields {
            seen,
            fields: shown.collect::<Result<_, PageError>>()?,
        })
    }

    /// Makes the changes of the texts in these fields.
    ///
    /// # Errors
    /// [`PageError::Form`] with the first mistake; as [`Self::field`].
    pub(crate) fn change_by<'a, S: 'a, C: 'a>(
        &self,
        fields: impl IntoIterator<Item = &'a FormField<S, C>>,
        numbers: &Numbers,
        changed: &mut C,
    ) -> Result<(), PageError> {
        for field in fields {
            let text = self.field(field.name)?;
            match field.change {
                FieldChange::Any(change) => change(changed, text),
                FieldChange::Checked(mistake, read) => read(changed, text.trim(), numbers)
                    .ok_or(PageError::mistake(mistake, field.name))?,
            }
        }
        Ok(())
    }
}
