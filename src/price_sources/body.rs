//! Bodies of requests with places to fill in, such as a question in GraphQL.

use std::str::FromStr;

use super::address::PLACES;

/// A body in JSON with places to fill in, inside of its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceBody(String);

const MAX_BYTES: usize = 4_096;
/// Keys belong into a header, since bodies are shown.
const KEY: &str = "{key}";

impl FromStr for SourceBody {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let body = Self(text.to_owned());
        let values = PLACES.map(|place| (place, "x"));
        let filled: Result<serde_json::Value, _> = serde_json::from_str(&body.fill(&values));
        let is_fit = filled.is_ok() && text.len() <= MAX_BYTES && !text.contains(KEY);
        is_fit.then_some(body).ok_or(())
    }
}

impl SourceBody {
    /// Whether it has this place.
    pub(super) fn has(&self, place: &str) -> bool {
        self.0.contains(&format!("{{{place}}}"))
    }

    /// The body with these values in its places. Other braces stay as they are.
    pub(super) fn fill(&self, values: &[(&str, &str)]) -> String {
        values.iter().fold(self.0.clone(), |text, (place, value)| {
            text.replace(&format!("{{{place}}}"), &escaped(value))
        })
    }
}

/// A value inside of a text. Braces are escaped, too, so that no value contains another place.
fn escaped(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    // Without the quotation marks around it.
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    inner.replace('{', "\\u007b").replace('}', "\\u007d")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_and_other_braces_stay() {
        let body: SourceBody =
            r#"{"query": "{viewer{home(id:\"{zone}\"){id}}}", "from": "{from}"}"#
                .parse()
                .unwrap();
        assert!(body.has("zone") && !body.has("to"));
        let filled = body.fill(&[("zone", "a\"{from}\\"), ("from", "2026-01-05")]);
        let value: serde_json::Value = serde_json::from_str(&filled).unwrap();
        assert_eq!(value["query"], "{viewer{home(id:\"a\"{from}\\\"){id}}}");
        assert_eq!(value["from"], "2026-01-05");
    }

    #[test]
    fn a_body_is_json_without_the_key() {
        let long = format!("\"{}\"", "x".repeat(MAX_BYTES));
        for text in ["", "{", "{\"a\": {zone}}", "{\"a\": \"{key}\"}", &long] {
            assert_eq!(text.parse::<SourceBody>(), Err(()), "{text}");
        }
    }
}
