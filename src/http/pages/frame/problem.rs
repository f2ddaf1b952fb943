//! Mistakes in forms, shown above the form and at the field.

use std::fmt::Display;

use crate::texts::Language;

/// A mistake in a form.
#[derive(Clone, Debug)]
pub(crate) struct FormProblem {
    /// The id of the field.
    pub(crate) field: &'static str,
    text: ProblemText,
    /// The value of the box that answers it, if it is a question.
    sure: Option<String>,
}

/// The text of a mistake.
#[derive(Clone, Debug)]
enum ProblemText {
    /// The name of a text in `web/texts`.
    Named(&'static str),
    /// A sentence in the visitor's language.
    Said(String),
    /// The sentence of a lower room, in English.
    English(String),
}

impl FormProblem {
    /// The text of this name, at this field.
    pub(crate) const fn named(text: &'static str, field: &'static str) -> Self {
        let text = ProblemText::Named(text);
        Self {
            field,
            text,
            sure: None,
        }
    }

    /// A sentence in the visitor's language, at this field.
    pub(crate) fn new(field: &'static str, text: impl Into<String>) -> Self {
        let text = ProblemText::Said(text.into());
        Self {
            field,
            text,
            sure: None,
        }
    }

    /// Questions before saving; a box with the value `sure` answers them.
    pub(crate) fn question(text: String, sure: String) -> Self {
        Self {
            sure: Some(sure),
            ..Self::new("sure", text)
        }
    }

    /// The value of the box that answers it, if it is a question.
    pub(crate) fn sure(&self) -> Option<&str> {
        self.sure.as_deref()
    }

    /// An error of a lower room, at this field.
    pub(crate) fn refused(field: &'static str, error: &impl Display) -> Self {
        let mut text = error.to_string();
        // Messages are written for the command line, where they follow a prefix.
        // `None` if the first character has several bytes; it stays as it is.
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        if !text.ends_with(['.', '!', '?']) {
            text.push('.');
        }
        let text = ProblemText::English(text);
        Self {
            field,
            text,
            sure: None,
        }
    }

    /// The problem as a sentence. For an error from a lower room, other languages say which value
    /// the field expects.
    pub(crate) fn text(&self, language: &Language) -> String {
        let detail = match &self.text {
            ProblemText::Named(name) => return language.say(name),
            ProblemText::Said(text) => return text.clone(),
            ProblemText::English(detail) => detail.as_str(),
        };
        let values = [("detail", detail.into())];
        match self.field {
            "name" | "account" | "label" => language.fill("problem-name", values),
            "id" => language.fill("problem-id", values),
            "tz" => language.fill("problem-zone", values),
            "price" | "feed_in" => language.fill("problem-price", values),
            "currency" => language.fill("problem-currency", values),
            "from" => language.fill("problem-date", values),
            "password" => language.fill("problem-password", values),
            _ => language.fill("problem-other", values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_shown_at_its_field() {
        let problem = FormProblem::refused("name", &"name: too long");
        let english = Language::english();
        let text = problem.text(english);
        assert_eq!((problem.field, text.as_str()), ("name", "Name: too long."));
        let german = problem.text(Language::of_tag("de").unwrap());
        assert!(german.starts_with("Der Name") && !german.contains("long"));
        let problem = FormProblem::refused("id", &"ä disk");
        assert_eq!(problem.text(english), "ä disk.");
        // Sentences in the visitor's language are left unchanged.
        assert_eq!(
            FormProblem::new("name", "schon da").text(english),
            "schon da"
        );
    }
}
