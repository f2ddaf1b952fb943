//! Fields of forms. A form declares each of its fields once. Its text, its stored
//! value in a digest of all, its change and the mistake beside it follow from that.

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

    /// Its stored value, beside the typed one.
    ///
    /// # Errors
    /// As [`Visit::field`].
    pub(crate) fn stored_in(&self, stored: &S, visit: &Visit) -> Result<StoredField, PageError> {
        let language = visit.language();
        let value = (self.stored)(stored, language);
        Ok(StoredField {
            words: self.words,
            ..visit.stored_field(self.name, language.say(self.label), value)?
        })
    }
}

/// The fields of a form, as a page shows them.
pub(crate) struct ShownFields {
    /// The digest of the stored values.
    pub(crate) seen: String,
    /// Each with the text in it as its typed value.
    fields: Vec<StoredField>,
}

impl ShownFields {
    /// The text in a field.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.find(name).map_or("", |it| &it.typed)
    }

    /// The text beside a field.
    pub(crate) fn label(&self, name: &str) -> &str {
        self.find(name).map_or("", |it| &it.label)
    }

    fn find(&self, name: &str) -> Option<&StoredField> {
        self.fields.iter().find(|it| it.field == name)
    }
}

impl Visit {
    /// Fields with their stored values or, if the form `is_again` shown, with the typed ones. A word
    /// that the form does not offer is not shown again.
    pub(crate) fn shown_fields(&self, mut fields: Vec<StoredField>, is_again: bool) -> ShownFields {
        let seen = seen(&fields);
        for it in &mut fields {
            if !is_again || (it.words)(self.language(), &it.typed).is_none() {
                it.typed.clone_from(&it.stored);
            }
        }
        ShownFields { seen, fields }
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
