//! Mistakes in forms, shown above the form and at the field.

use crate::admin::AdminError;

/// A mistake in a form.
#[derive(Debug)]
pub(crate) struct FormProblem {
    /// The id of the field.
    pub(crate) field: &'static str,
    /// A sentence.
    pub(crate) text: String,
}

impl FormProblem {
    /// `message` as a sentence, at this field.
    pub(crate) fn new(field: &'static str, message: &str) -> Self {
        let mut text = message.to_owned();
        // Messages are written for the command line, where they follow a prefix.
        // `None` if the first character has several bytes; it stays as it is.
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        if !text.ends_with(['.', '!', '?']) {
            text.push('.');
        }
        Self { field, text }
    }

    /// An error at the first of `fields` with a prefix of its text, or else at the first field.
    pub(crate) fn of(error: &AdminError, fields: &[(&str, &'static str)]) -> Self {
        let text = error.to_string();
        let named = fields.iter().find(|(prefix, _)| text.starts_with(prefix));
        let field = named.or(fields.first()).map_or("main", |(_, field)| field);
        Self::new(field, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_shown_at_its_field() {
        let fields = [("there is", "id"), ("name:", "name")];
        let invalid = |text: &str| AdminError(text.into());
        let problem = FormProblem::of(&invalid("name: too long"), &fields);
        assert_eq!((problem.field, &*problem.text), ("name", "Name: too long."));
        let problem = FormProblem::of(&AdminError("ä disk".into()), &fields);
        assert_eq!((problem.field, &*problem.text), ("id", "ä disk."));
    }
}
