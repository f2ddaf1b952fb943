//! JSON as devices write it. Programs print numbers that JSON does not allow (`NaN`, `-inf`, `.5`),
//! templates leave a value empty, and firmware sends its whole buffer, including leftovers after
//! the text. The rest of such a message is still read.

use std::borrow::Cow;

use serde_json::Value;

use super::wanted::WantedPlaces;

/// Words that devices send instead of a number: Home Assistant, openHAB, ESPHome, Tasmota, Arduino,
/// the C libraries, Python, people. Case and a sign do not matter.
const NO_NUMBER: [&str; 24] = [
    "",
    "nan",
    "nan(ind)",
    "nan(snan)",
    "1.#ind",
    "1.#inf",
    "1.#qnan",
    "inf",
    "infinity",
    "ovf",
    "n/a",
    "n.a.",
    "na",
    "nil",
    "none",
    "null",
    "undef",
    "undefined",
    "unavailable",
    "unknown",
    "invalid",
    "error",
    "err",
    "?",
];

/// Characters that are never part of a value without quotes.
const STRUCTURE: [char; 8] = ['{', '}', '[', ']', ',', ':', '"', '\0'];

/// Whether `text` is a word for no number, as opposed to a number or something unreadable.
pub(crate) fn is_no_number(text: &str) -> bool {
    // Dashes alone mean nothing.
    let word = text.trim().trim_start_matches(['+', '-']);
    NO_NUMBER
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

/// The wanted places of the JSON in a message or, if it is not JSON, in the result of [`repaired`].
///
/// # Errors
/// The parser's error for the message as received, if the repaired message is not JSON either.
pub(crate) fn read(message: &[u8], wanted: &WantedPlaces) -> serde_json::Result<Value> {
    wanted.read(message).or_else(|error| {
        let repaired = repaired(message).ok_or(error)?;
        wanted.read(repaired.as_bytes())
    })
}

/// The JSON that a message most likely means. It may still not be JSON; `None` if it would be far
/// longer than the message.
///
/// - A byte order mark is removed, and so is everything after a NUL outside texts. UTF-16 and
///   invalid UTF-8 are read.
/// - A value without quotes that JSON does not allow becomes a text: `NaN`, `0012.5`, `1e999`,
///   `True`, `12 W`. So does a name.
/// - A missing value becomes null, and a comma before a closing bracket is removed.
/// - A control character in a text becomes a space.
pub(crate) fn repaired(message: &[u8]) -> Option<String> {
    let text = text_of(message);
    // Enough for quotes around all names and values, and for some bytes that are not UTF-8.
    let most = 3 * message.len() + 64;
    let mut json = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\0' => break,
            '"' => length_of_text(rest),
            first if STRUCTURE.contains(&first) => 1,
            _ => rest.find(STRUCTURE).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at_checked(length)?;
        rest = after;
        match first {
            '"' => json.extend(token.chars().map(printable)),
            first if STRUCTURE.contains(&first) => {
                let end = json.trim_end().len();
                let before = json.get(..end).and_then(|json| json.chars().next_back());
                match (before, first) {
                    (Some(':'), ',' | '}') | (Some(',' | '['), ',') => json.push_str("null"),
                    (Some(','), '}' | ']') => json.truncate(end - 1),
                    _ => {}
                }
                json.push(first);
            }
            _ => {
                let word = token.trim();
                let is_name = rest.starts_with(':');
                if word.is_empty() || !is_name && is_value(word) {
                    json.push_str(word);
                } else {
                    push_text(word, &mut json);
                }
            }
        }
        if json.len() > most {
            return None;
        }
    }
    Some(json)
}

/// A message without a byte order mark, and without trailing NULs.
pub(crate) fn unpadded(message: &[u8]) -> &[u8] {
    let text = message.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(message);
    let end = text.iter().rposition(|byte| *byte != 0);
    text.get(..end.map_or(0, |end| end + 1)).unwrap_or_default()
}

/// The text of a message, without a byte order mark.
fn text_of(message: &[u8]) -> Cow<'_, str> {
    let (pairs, odd) = message.as_chunks::<2>();
    // The first characters of JSON are ASCII, so one half of each is zero.
    let is_zero = |half: usize| {
        let mut first = pairs.iter().take(4);
        odd.is_empty() && !pairs.is_empty() && first.all(|pair| pair.get(half) == Some(&0))
    };
    let units: fn([u8; 2]) -> u16 = match message {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ if is_zero(1) => u16::from_le_bytes,
        _ if is_zero(0) => u16::from_be_bytes,
        _ => {
            return String::from_utf8_lossy(unpadded(message));
        }
    };
    let units = pairs.iter().map(|pair| units(*pair));
    let text: String = char::decode_utf16(units)
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .filter(|c| *c != '\u{FEFF}')
        .collect();
    Cow::Owned(text)
}

/// The length of the quoted text at the beginning, including its quotes; all of the rest if the
/// closing quote is missing.
fn length_of_text(rest: &str) -> usize {
    let mut bytes = rest.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return at + 1,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    rest.len()
}

/// Whether JSON allows this value without quotes, and an `f64` can represent it.
fn is_value(word: &str) -> bool {
    let is_number = || serde_json::from_str::<serde_json::Number>(word).is_ok();
    matches!(word, "null" | "true" | "false") || is_number()
}

/// Appends `word` as a JSON string.
fn push_text(word: &str, json: &mut String) {
    json.push('"');
    for c in word.chars() {
        // A quote would have ended the word.
        if c == '\\' {
            json.push('\\');
        }
        json.push(printable(c));
    }
    json.push('"');
}

/// JSON does not allow control characters in texts.
const fn printable(c: char) -> char {
    if c < ' ' { ' ' } else { c }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// The values at the places of these tests.
    fn value(message: &[u8]) -> serde_json::Result<Value> {
        let at = [
            "/power", "/list", "/energy", "/n", "/w", "/x", "/name", "/a", "/b", "/c", "/b c",
        ];
        let at = at.into_iter().chain(["/0", "/1", "/2", "/0/a", "/0/b"]);
        read(message, &WantedPlaces::at(at))
    }

    #[test]
    fn a_value_that_json_does_not_have_is_a_text() {
        for word in [
            "NaN",
            "nan",
            "-nan",
            "-inf",
            "inf",
            "Infinity",
            "0012.5",
            ".5",
            "+5",
            "5.",
            "1e999",
            "-1e999",
            "None",
            "True",
            "N/A",
            "-",
            "--",
            "0x1F",
            "12.5 W",
            "12\u{a0}kWh",
            "1 234",
            "1.#QNAN",
            "a\\b",
            "ä",
            "nul",
            "undefined",
        ] {
            let message = format!("{{\"power\": {word} ,\"list\":[{word},1],\"energy\":1500}}");
            let expected = json!({"power": word, "list": [word, 1], "energy": 1500});
            assert_eq!(value(message.as_bytes()).unwrap(), expected, "{word}");
            assert_eq!(value(word.as_bytes()).unwrap(), json!(word));
        }
    }

    #[test]
    fn what_surrounds_json_does_not_matter() {
        let expected = json!({"n": "x\u{e4}", "w": 1.5});
        let text = "{\"n\":\"x\u{e4}\",\"w\":1.5}";
        let utf16 = |to: fn(u16) -> [u8; 2], mark: &str| {
            let units: Vec<u16> = format!("{mark}{text}").encode_utf16().collect();
            units.into_iter().flat_map(to).collect::<Vec<u8>>()
        };
        let text = text.as_bytes();
        for message in [
            text.to_vec(),
            [b"\xEF\xBB\xBF", text].concat(),
            [text, b"\0"].concat(),
            [text, b"\r\n\0\0\0"].concat(),
            // The rest of an older message follows the end of this one.
            [text, b"\0:3,\"x\":\"\xff"].concat(),
            utf16(u16::to_le_bytes, ""),
            utf16(u16::to_be_bytes, ""),
            utf16(u16::to_le_bytes, "\u{FEFF}"),
            utf16(u16::to_be_bytes, "\u{FEFF}"),
        ] {
            assert_eq!(value(&message).unwrap(), expected, "{message:?}");
        }
        for message in [
            &b"5\0"[..],
            b"5\0\0\0",
            b"5\0xy",
            b"\xEF\xBB\xBF5\n",
            b" 5 \0",
        ] {
            assert_eq!(value(message).unwrap(), json!(5), "{message:?}");
        }
        assert_eq!(
            value(b"{\"name\":\"a\0\0\n\",\"w\":5,\"x\":\"\xe4\"}").unwrap(),
            json!({"name": "a   ", "w": 5, "x": "\u{FFFD}"})
        );
    }

    #[test]
    fn empty_places_and_last_commas_are_borne() {
        for (message, expected) in [
            (
                "{\"a\":,\"b\": , \"c\":}",
                json!({"a": null, "b": null, "c": null}),
            ),
            ("{\"a\":1,}", json!({"a": 1})),
            ("[1, , 2,\n]", json!([1, null, 2])),
            ("[,1]", json!([null, 1])),
            ("{a:1,b c:nan,1:2}", json!({"a": 1, "b c": "nan", "1": 2})),
            (
                r#"{"a":"x,\"NaN: ]","b":nan}"#,
                json!({"a": "x,\"NaN: ]", "b": "nan"}),
            ),
        ] {
            assert_eq!(value(message.as_bytes()).unwrap(), expected, "{message}");
        }
    }

    #[test]
    fn json_that_is_broken_stays_so() {
        for message in [
            "",
            "\0",
            "{",
            "{\"a\":1",
            "{\"a\":1 \"b\":2}",
            "{\"a\":\"b}",
            "{\"a\":1}{\"a\":2}",
            "{\"a\":[1}",
            "{\"t\":10:30}",
        ] {
            assert!(value(message.as_bytes()).is_err(), "{message}");
        }
        let deep = "[".repeat(100_000);
        assert!(value(deep.as_bytes()).is_err());
    }

    #[test]
    fn some_words_say_that_there_is_no_number() {
        for text in [
            "",
            " ",
            "-",
            "--",
            "---",
            "nan",
            "NaN",
            "-nan",
            "-NAN(ind)",
            "+inf",
            "-Infinity",
            "N/A",
            "na",
            "None",
            "NULL",
            "Error",
            "ERR",
            "unavailable",
            "unknown",
            "1.#INF",
            "ovf",
        ] {
            assert!(is_no_number(text), "{text:?}");
        }
        for text in [
            "0", "-5", "1e999", "on", "a lot", "infinite", "nano", "12 W", "0-",
        ] {
            assert!(!is_no_number(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn json_stays_as_it_is(texts in prop::collection::vec("[ -~ä\\\\\"]{0,6}", 1..6), number in any::<f64>()) {
            let value = json!({"texts": texts, "number": number, "more": [{"x": [null, true]}, -0.5e-7]});
            let written = value.to_string();
            let found = repaired(written.as_bytes());
            prop_assert_eq!(found.as_deref(), Some(written.as_str()));
        }

        #[test]
        fn any_bytes_are_read_in_little_room(message in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Some(json) = repaired(&message) {
                prop_assert!(json.len() <= 3 * message.len() + 64);
            }
        }

        #[test]
        fn a_bad_value_costs_itself_alone(bad in "[a-zA-Z0-9+./#()-]{1,8}", watts in -1e6_f64..1e6) {
            let message = format!("[{{\"a\":{bad}, \"b\":{watts:?}}}]");
            let found = value(message.as_bytes()).unwrap();
            prop_assert_eq!(found[0]["b"].as_f64(), Some(watts));
            let text = found[0]["a"].as_str().map(str::to_owned);
            prop_assert!(text.is_none_or(|text| text == bad));
        }

        #[test]
        fn structure_in_any_order_does_not_panic(message in "[\\[\\]{},:\" \\\\0a\u{0}-]{0,40}") {
            if let Some(json) = repaired(message.as_bytes()) {
                prop_assert!(json.len() <= 3 * message.len() + 64);
            }
        }
    }
}
