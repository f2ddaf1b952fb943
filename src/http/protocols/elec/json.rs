//! JSON: bodies as raw members, and answers. A body is scanned once, and each known member is a
//! slice of it.
//!
//! No tree is built, so a body of any content takes no more memory than its own bytes. If several
//! members have the same name, the last one counts; unknown members are skipped.

use std::borrow::Cow;
use std::fmt;

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;
use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::domain::{FromObject, field_at};

/// An answer that no cache may keep.
pub(super) fn uncached(answer: impl Serialize) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "no-store"))
        .json(answer)
}

/// The value of a body that must be an object with these fields.
///
/// # Errors
/// The reason, with the name of the field where a value is wrong.
pub(super) fn posted<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
    let parsed: Result<FromObject<T>, serde_json::Error> = serde_json::from_slice(bytes);
    parsed.map(|FromObject(value)| value).map_err(|error| {
        let text = String::from_utf8_lossy(bytes);
        let told = error.to_string();
        // Errors about missing and unknown fields name them.
        let field = field_at(&text, (error.line(), error.column()));
        match field.filter(|_| error.is_data() && told.starts_with("invalid")) {
            Some(field) => format!("{field}: {told}"),
            None => told,
        }
    })
}

/// A number as typed, or as text: a binary number would not have all of its digits.
pub(super) fn number_text(number: &RawValue) -> String {
    number.get().trim_matches('"').to_owned()
}

/// The members of an object that are named in `names`, in the same order. Null counts as absent.
///
/// # Errors
/// [`serde_json::Error`] if `text` is not JSON or not an object.
pub(crate) fn members<'a, const N: usize>(
    text: &'a [u8],
    names: &[&str; N],
) -> Result<[Option<&'a RawValue>; N], serde_json::Error> {
    members_and_others(text, names, |_| {})
}

/// As [`members`]; also calls `other` with the name of each other member.
pub(crate) fn members_and_others<'a, const N: usize>(
    text: &'a [u8],
    names: &[&str; N],
    other: impl FnMut(&str),
) -> Result<[Option<&'a RawValue>; N], serde_json::Error> {
    // Checked once: checking member by member would take three times as long.
    let text = str::from_utf8(text).map_err(serde_json::Error::custom)?;
    let mut json = serde_json::Deserializer::from_str(text);
    let members = json.deserialize_map(MemberVisitor { names, other })?;
    // Without this, anything could follow the object.
    json.end()?;
    Ok(members)
}

/// The text of a JSON string; `None` for any other value.
pub(crate) fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let between = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if between.contains('\\') {
        serde_json::from_str(raw.get()).ok()
    } else {
        Some(Cow::Borrowed(between))
    }
}

struct MemberVisitor<'n, F, const N: usize> {
    names: &'n [&'n str; N],
    other: F,
}

impl<'de, F: FnMut(&str), const N: usize> Visitor<'de> for MemberVisitor<'_, F, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = [None; N];
        while let Some(Name(name)) = map.next_key()? {
            let mut places = self.names.iter().zip(&mut members);
            if let Some((_, member)) = places.find(|(known, _)| **known == name) {
                *member = map.next_value()?;
            } else {
                (self.other)(&name);
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(members)
    }
}

/// The name of a member: a slice of the body, unless it has escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Result<[Option<&str>; 2], serde_json::Error> {
        let members = members(text.as_bytes(), &["a", "b"])?;
        Ok(members.map(|member| member.map(RawValue::get)))
    }

    #[test]
    fn known_members_are_raw_slices() {
        assert_eq!(raw("{}").unwrap(), [None, None]);
        assert_eq!(
            raw(r#" {"x": [{}], "b" : 1e999 , "a":"\u00e4"} "#).unwrap(),
            [Some(r#""\u00e4""#), Some("1e999")]
        );
        assert_eq!(raw(r#"{"a":1,"\u0061":2}"#).unwrap(), [Some("2"), None]);
        assert_eq!(raw(r#"{"a":1,"a":null}"#).unwrap(), [None, None]);
    }

    #[test]
    fn of_strings_the_text_is_taken() {
        let text = |json| {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            text(raw).map(Cow::into_owned)
        };
        let escaped = r#""\" \u00e4\\""#;
        for json in [r#""""#, r#""ä b""#, escaped] {
            assert_eq!(text(json), serde_json::from_str(json).unwrap(), "{json}");
        }
        assert_eq!(text(escaped).unwrap(), r#"" ä\"#);
        for json in ["1", "null", "[\"a\"]"] {
            assert_eq!(text(json), None, "{json}");
        }
    }

    #[test]
    fn anything_but_an_object_is_refused() {
        for text in [
            "",
            "[]",
            "1",
            "{",
            "{}x",
            r#"{"a":}"#,
            r#"{"a":1 "b":2}"#,
            "{'a':1}",
            r#"{"x":tru}"#,
            "{\"a\":\"line\nfeed\"}",
        ] {
            assert!(raw(text).is_err(), "{text}");
        }
        assert!(members(b"{\"a\":\"\xE4\"}", &["a"]).is_err());
        let deep = format!("{{\"x\":{}}}", "[".repeat(500_000));
        assert!(raw(&deep).is_err());
    }
}
