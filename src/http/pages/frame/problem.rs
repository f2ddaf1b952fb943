//! What is wrong with a form, told above it and at its field.

use crate::admin::AdminError;

/// What is wrong with a form, and where.
pub(crate) struct Problem {
    /// The id of the field.
    pub(crate) field: &'static str,
    /// What, in a sentence.
    pub(crate) text: String,
}

impl Problem {
    pub(crate) fn new(field: &'static str, text: impl Into<String>) -> Self {
        Self {
            field,
            text: text.into(),
        }
    }

    /// Why what a form asked for was not done; at that of `fields` which the error begins with, else at the first.
    pub(crate) fn of(error: &AdminError, fields: &[(&str, &'static str)]) -> Self {
        let text = error.to_string();
        let named = fields.iter().find(|(begin, _)| text.starts_with(begin));
        let field = named.or(fields.first()).map_or("main", |(_, field)| field);
        Self::new(field, sentence(&text))
    }
}

/// A problem with this field of a form, if it is there.
pub(crate) fn at<'a>(problem: Option<&'a Problem>, field: &str) -> Option<&'a str> {
    problem
        .filter(|problem| problem.field == field)
        .map(|problem| problem.text.as_str())
}

/// A sentence of a page, made from the message of an error.
pub(crate) fn sentence(message: &str) -> String {
    let mut sentence = message.to_owned();
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_told_at_its_field() {
        let fields = [("there is", "id"), ("name:", "name")];
        let invalid = |text: &str| AdminError::Invalid(text.into());
        let problem = Problem::of(&invalid("name: too long"), &fields);
        assert_eq!((problem.field, &*problem.text), ("name", "Name: too long."));
        let problem = Problem::of(&AdminError::Store("ä disk".into()), &fields);
        assert_eq!((problem.field, &*problem.text), ("id", "ä disk."));
        assert_eq!(at(Some(&problem), "id"), Some("ä disk."));
        assert_eq!(at(Some(&problem), "name"), None);
    }
}
