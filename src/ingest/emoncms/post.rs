//! `input/post`: the inputs of one node at one time.

use super::input::{InputObject, InputValue, MAX_INPUTS, NamedInputs};
use super::mapping::InputMapping;
use super::read::{FormatError, InputReadings, seconds, short, time_of};
use crate::domain::Timestamp;

/// The form of the inputs in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputFormat<'a> {
    /// The parameters `json`, `csv` and `data`: `{power:100,energy:200}`, with quotes or without, or `100,200` for unnamed
    /// inputs, which are numbered from 1.
    Pairs(&'a str),
    /// The parameter `fulljson`: a JSON object, which may contain `time`, too.
    Object(&'a str),
}

/// Reads the inputs of `node`. `time` is in seconds since 1970 and takes precedence over the one in the object.
///
/// # Errors
/// [`FormatError`] if the request is invalid as a whole.
pub fn read_post(
    form: InputFormat<'_>,
    node: &str,
    time: Option<&str>,
    mapping: &InputMapping,
) -> Result<InputReadings, FormatError> {
    let given = time.map(|text| time_of(seconds(text)?)).transpose()?;
    let (inputs, own_time) = match form {
        InputFormat::Pairs(text) => (pairs(text)?, None),
        InputFormat::Object(text) => object(text)?,
    };
    let mut read = InputReadings::default();
    read.add(mapping, node, given.or(own_time), &inputs)?;
    Ok(read)
}

/// Pairs of name and value, and values without a name. Other characters, such as quotes and braces, are skipped, as Emoncms
/// does.
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
        let input = InputValue::of_text(value);
        if input == InputValue::Other {
            return Err(FormatError::NotNumeric(short(&name)));
        }
        inputs.insert(name, input);
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
    // A second pass: inputs are numbers, but the time may be text.
    let timed: Timed<'_> = serde_json::from_str(text).map_err(|_| FormatError::Time)?;
    let raw = timed.time.map(serde_json::value::RawValue::get);
    let time = raw.map(|raw| {
        // A number has no quotes, so its own text is parsed.
        let written: String = serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned());
        Timestamp::parse(&written).or_else(|_| time_of(seconds(&written)?))
    });
    Ok((inputs, time.transpose()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ingest::emoncms::mapping::tests::mapping;

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
        assert_eq!(
            read(
                InputFormat::Object("{\"power\":1,\"time\":null}"),
                "house",
                None
            ),
            ["house None Some(1.0) None"]
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
    fn invalid_pairs_are_refused() {
        for (form, time, expected) in [
            (
                InputFormat::Pairs("power:a lot"),
                None,
                "Format error, value of input power is not numeric",
            ),
            (
                InputFormat::Pairs("power:1:2"),
                None,
                "Format error, value of input power is not numeric",
            ),
            (
                InputFormat::Pairs("power:"),
                None,
                "Format error, value of input power is not numeric",
            ),
            (
                InputFormat::Pairs(":1"),
                None,
                "Format error, json key missing or invalid character",
            ),
            (
                InputFormat::Pairs(""),
                None,
                "Format error, value of input 1 is not numeric",
            ),
            (
                InputFormat::Pairs("power:1"),
                Some("now"),
                "Format error, time is not in seconds since 1970",
            ),
            (
                InputFormat::Pairs("power:1"),
                Some("1e300"),
                "Format error, time is not in seconds since 1970",
            ),
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
            (
                "{\"power\":true}",
                "Format error, value of input power is not numeric",
            ),
            (
                "{\"power\":{}}",
                "Format error, value of input power is not numeric",
            ),
            (
                "{\"time\":\"noon\"}",
                "Format error, time is not in seconds since 1970",
            ),
            (
                "{\"time\":[]}",
                "Format error, time is not in seconds since 1970",
            ),
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
