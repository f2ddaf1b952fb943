//! `input/post`: the inputs of one node at one time.

use super::input::{InputObject, InputValue, MAX_INPUTS, NamedInputs};
use super::mapping::InputMapping;
use super::read::{self, FormatError, InputReadings};
use crate::domain::Timestamp;
use crate::ingest::tolerant::{is_no_number, repaired};

/// The form of the inputs in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputFormat<'a> {
    /// The parameters `json`, `csv` and `data`: `{power:100,energy:200}`, with or without quotes,
    /// or `100,200` for unnamed inputs, which are numbered from 1.
    Pairs(&'a str),
    /// The parameter `fulljson`: a JSON object, which may also contain `time`.
    Object(&'a str),
}

/// Reads the inputs of `node`. `time` is in seconds since 1970 or a date and time, and takes
/// precedence over the object's time.
///
/// # Errors
/// [`FormatError`] if the request is invalid as a whole.
pub fn read_post(
    form: InputFormat<'_>,
    node: &str,
    time: Option<&str>,
    mapping: &InputMapping,
) -> Result<InputReadings, FormatError> {
    let given = time.map(read::time).transpose()?;
    let (inputs, own_time) = match form {
        InputFormat::Pairs(text) => (pairs(text)?, None),
        InputFormat::Object(text) => match object(text) {
            Err(FormatError::NoObject) => {
                object(&repaired(text.as_bytes()).ok_or(FormatError::NoObject)?)?
            }
            read => read?,
        },
    };
    let mut read = InputReadings::default();
    read.add(mapping, node, given.or(own_time), &inputs);
    Ok(read)
}

/// Pairs of name and value, and values without a name. Other characters, such as quotes and braces,
/// are skipped, as in Emoncms.
fn pairs(text: &str) -> Result<NamedInputs, FormatError> {
    let ours = |c: &char| c.is_alphanumeric() || c.is_whitespace() || "_-.:,".contains(*c);
    let text: String = text.chars().filter(ours).collect();
    let mut inputs = NamedInputs::new();
    let mut unnamed = 0_usize;
    for pair in text.split(',') {
        if inputs.len() == MAX_INPUTS {
            return Err(FormatError::TooMany);
        }
        let (name, value) = if let Some((name, value)) = pair.split_once(':') {
            (name.trim().to_owned(), value)
        } else {
            unnamed += 1;
            (unnamed.to_string(), pair)
        };
        if name.is_empty() {
            return Err(FormatError::NoKey);
        }
        inputs.insert(name, InputValue::of_text(value));
    }
    Ok(inputs)
}

/// The members of an object, and the time among them: seconds since 1970, or a date and time.
fn object(text: &str) -> Result<(NamedInputs, Option<Timestamp>), FormatError> {
    #[derive(serde::Deserialize)]
    struct Timed<'a> {
        #[serde(borrow)]
        time: Option<&'a serde_json::value::RawValue>,
    }
    let InputObject(mut inputs) = serde_json::from_str(text).map_err(|_| FormatError::NoObject)?;
    if inputs.remove("time").is_none() {
        return Ok((inputs, None));
    }
    // A second pass, because inputs are numbers, but the time may be text.
    let timed: Timed<'_> = serde_json::from_str(text).map_err(|_| FormatError::Time)?;
    let raw = timed.time.map(serde_json::value::RawValue::get);
    // A number has no quotes, so its own text is parsed.
    let written = |raw: &str| serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned());
    let written = raw.map(written).filter(|text: &String| !is_no_number(text));
    Ok((inputs, written.map(|text| read::time(&text)).transpose()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ingest::emoncms::mapping::tests::mapping;

    const NO_TIME: &str = "Format error, time is not in seconds since 1970, nor a date and time such as 2026-01-05 10:00:00";

    /// `sensor ms watts watthours` of each reading, or the error.
    fn read(form: InputFormat<'_>, node: &str, time: Option<&str>) -> Vec<String> {
        match read_post(form, node, time, &mapping()) {
            Ok(read) => read.batch.shown(),
            Err(error) => vec![error.to_string()],
        }
    }

    #[test]
    fn pairs_have_names_or_not() {
        let both = ["house Some(5000) Some(100.0) Some(2500.5)"];
        for text in [
            "{power:100,energy:2500.5}",
            "{\"power\":100, \"energy\":2500.5}",
            "power:100,energy:2500.5,vrms:230",
            "{\"POWER\":\"100\",\"Wh\":\"2500.5\",\"t1\":null}",
        ] {
            assert_eq!(
                read(InputFormat::Pairs(text), "house", Some("5")),
                both,
                "{text}"
            );
        }
        assert_eq!(
            read(InputFormat::Pairs("7,8,1.5"), "10", Some("5")),
            ["heat pump Some(5000) Some(1500.0) None"]
        );
        assert_eq!(
            read(InputFormat::Pairs("power:1"), "house", None),
            ["house None Some(1.0) None"]
        );
        assert!(read(InputFormat::Pairs("power:null"), "house", None).is_empty());
    }

    #[test]
    fn an_object_may_contain_the_time() {
        for text in [
            "{\"power\":100,\"time\":5}",
            "{\"time\":\"5\",\"power\":\"100\"}",
            "{\"time\":\"1970-01-01T01:00:05+01:00\",\"power\":100,\"on\":true}",
            "{\"time\":\"1970-01-01 00:00:05\",\"power\":100,\"energy\":nan}",
        ] {
            assert_eq!(
                read(InputFormat::Object(text), "house", None),
                ["house Some(5000) Some(100.0) None"],
                "{text}"
            );
            assert_eq!(
                read(InputFormat::Object(text), "house", Some("6.5")),
                ["house Some(6500) Some(100.0) None"]
            );
        }
        for no_time in ["null", "NaN", "\"\""] {
            let text = format!("{{\"power\":1,\"time\":{no_time}}}");
            let found = read(InputFormat::Object(&text), "house", None);
            assert_eq!(found, ["house None Some(1.0) None"], "{no_time}");
        }
        let pairs = InputFormat::Pairs("power:100");
        assert_eq!(
            read(pairs, "house", Some("1970-01-01 00:00:05")),
            ["house Some(5000) Some(100.0) None"]
        );
    }

    #[test]
    fn a_sensor_gets_one_reading_and_the_last_value_counts() {
        for text in [
            "{\"power\":1,\"energy\":7,\"power\":2}",
            "{\"power\":\"x\",\"energy\":7,\"power\":2}",
            "{\"P1\":1,\"energy\":7,\"power\":2}",
        ] {
            let found = read(InputFormat::Object(text), "house", None);
            assert_eq!(found, ["house None Some(2.0) Some(7.0)"], "{text}");
        }
        let pairs = InputFormat::Pairs("power:1,power:2");
        assert_eq!(read(pairs, "house", None), ["house None Some(2.0) None"]);
    }

    #[test]
    fn a_value_that_is_no_number_costs_itself_alone() {
        fn read(form: InputFormat<'_>) -> (Vec<String>, usize, (usize, String)) {
            let read = read_post(form, "house", Some("5"), &mapping()).unwrap();
            let refused = (read.refused.count(), read.refused.to_string());
            (read.batch.shown(), read.dropped, refused)
        }
        let stored = ["house Some(5000) None Some(7.0)"];
        let nothing = (0, String::new());
        for word in [
            "NaN", "nan", "-nan", "-inf", "Infinity", "n/a", "-", "--", "error", "",
        ] {
            let pairs = format!("{{power:{word},energy:7}}");
            let expected = (stored.map(str::to_owned).to_vec(), 1, nothing.clone());
            assert_eq!(read(InputFormat::Pairs(&pairs)), expected, "{word}");
            for quote in ["", "\""] {
                let object = format!("\u{feff}{{\"power\":{quote}{word}{quote},\"energy\":7}}\0");
                let dropped = usize::from(!(word.is_empty() && quote.is_empty()));
                let expected = (expected.0.clone(), dropped, nothing.clone());
                assert_eq!(read(InputFormat::Object(&object)), expected, "{object}");
            }
        }
        let problem = "Format error, value of input power is not numeric";
        for value in ["a lot", "1:2", "x", "1e999"] {
            let pairs = format!("power:{value},energy:7,power1:{value}");
            let (found, dropped, (count, reasons)) = read(InputFormat::Pairs(&pairs));
            assert_eq!(
                (found.as_slice(), dropped, count),
                (&stored.map(str::to_owned)[..], 0, 2)
            );
            assert!(reasons.starts_with(problem), "{reasons}");
        }
        for value in ["true", "{}", "[1]", "\"x\"", "a lot", "1e999", "0x5"] {
            let object = format!("{{\"power\":{value},\"energy\":7}}");
            let expected = (
                stored.map(str::to_owned).to_vec(),
                0,
                (1, problem.to_owned()),
            );
            assert_eq!(read(InputFormat::Object(&object)), expected, "{value}");
        }
        // Numbers that programs write, and JSON does not allow.
        for number in ["007", "+7", "7.", "7", "\"7\""] {
            let object = format!("{{\"energy\":{number}}}");
            assert_eq!(read(InputFormat::Object(&object)).0, stored, "{number}");
        }
    }

    #[test]
    fn invalid_pairs_are_refused() {
        for (form, time, expected) in [
            (
                InputFormat::Pairs(":1"),
                None,
                "Format error, json key missing or invalid character",
            ),
            (InputFormat::Pairs("power:1"), Some("now"), NO_TIME),
            (InputFormat::Pairs("power:1"), Some("1e300"), NO_TIME),
        ] {
            assert_eq!(read(form, "house", time), [expected], "{form:?}");
        }
        let many = "1,".repeat(2_000);
        assert_eq!(
            read(InputFormat::Pairs(&many), "house", None),
            ["Format error, more than 1024 inputs"]
        );
    }

    #[test]
    fn invalid_objects_are_refused() {
        for (text, expected) in [
            ("[1]", "Input in not a valid JSON object"),
            ("{\"power\":1", "Input in not a valid JSON object"),
            ("{\"time\":\"noon\"}", NO_TIME),
            ("{\"time\":[]}", NO_TIME),
        ] {
            assert_eq!(
                read(InputFormat::Object(text), "house", None),
                [expected],
                "{text}"
            );
        }
    }

    #[test]
    fn deep_nesting_is_harmless() {
        let deep = "[".repeat(100_000);
        for text in [
            format!("{{\"power\":{deep}"),
            format!("{{\"x\":{deep}{}}}", "]".repeat(100_000)),
        ] {
            assert!(read(InputFormat::Object(&text), "house", None).len() <= 1);
        }
    }

    proptest! {
        #[test]
        fn pairs_and_objects_read_back(
            inputs in prop::collection::vec(("[a-su-z][a-z0-9_.]{0,8}", -1e9_f64..1e9), 1..10),
        ) {
            let written = |quote: &str| {
                let pairs = inputs.iter().map(|(name, number)| format!("{quote}{name}{quote}:{number}"));
                format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
            };
            let expected = inputs.iter().map(|(name, number)| (name.clone(), InputValue::Number(*number)));
            let expected: NamedInputs = expected.collect();
            for quote in ["", "\""] {
                let found = pairs(&written(quote));
                prop_assert_eq!(found.as_ref(), Ok(&expected));
            }
            prop_assert_eq!(object(&written("\"")), Ok((expected, None)));
        }
    }

    #[test]
    fn a_node_without_readings_is_reported() {
        let read =
            |node: &str, text| read_post(InputFormat::Pairs(text), node, None, &mapping()).unwrap();
        assert_eq!(read("house", "t1:5").unmapped, ["house"]);
        assert!(read("emonth5", "t1:5").unmapped.is_empty());
        assert!(read("house", "t1:5,power:null").unmapped.is_empty());
    }
}
