//! `input/bulk`: several nodes, each with its time:
//! `[[0,16,1137],[2,"emonpi",{"power1":1437},null,3164]]`.

use std::fmt;

use serde::de::{Deserializer as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::input::{InputObject, InputValue, MAX_INPUTS, NamedInputs};
use super::mapping::InputMapping;
use super::read::{FormatError, InputReadings, time_of};
use crate::domain::Timestamp;
use crate::ingest::batch::TooManyReadings;
use crate::ingest::tolerant::repaired;

/// The origin of the times of the items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// `sentat` or `offset`: the sender's clock at sending, in seconds; the times of the items are
    /// by the same clock.
    SentAt(f64),
    /// `time`: another time.
    Since(Timestamp),
    /// Neither: the last item is from now.
    LastItem,
}

/// Reads at most `most` items of a bulk that arrived at `now`, with at most as many readings. An
/// invalid item does not affect the others.
///
/// # Errors
/// [`FormatError`] if the bulk is invalid as a whole.
pub fn read_bulk(
    data: &str,
    reference: Reference,
    now: Timestamp,
    mapping: &InputMapping,
    most: usize,
) -> Result<InputReadings, FormatError> {
    if let Ok(items) = list(data, most) {
        return read_items(items?, reference, now, mapping, most);
    }
    // A client without a measurement may write NaN, which is not JSON.
    let repaired = repaired(data.as_bytes()).ok_or(FormatError::NoList)?;
    let items = list(&repaired, most).map_err(|_| FormatError::NoList)??;
    read_items(items, reference, now, mapping, most)
}

fn read_items(
    items: Vec<&RawValue>,
    reference: Reference,
    now: Timestamp,
    mapping: &InputMapping,
    most: usize,
) -> Result<InputReadings, FormatError> {
    let last = items.last().ok_or(FormatError::NoList)?;
    let now = whole_seconds(now);
    // Emoncms also casts the reference to whole seconds.
    let base = match reference {
        Reference::SentAt(clock) => now - clock.trunc(),
        Reference::Since(time) => whole_seconds(time),
        Reference::LastItem => {
            let last = BulkItem::parse(last).ok_or(FormatError::NoTime)?;
            now - last.seconds.ok_or(FormatError::NoTime)?.trunc()
        }
    };
    let mut read = InputReadings::default();
    for (index, item) in items.into_iter().enumerate() {
        let taken = BulkItem::parse(item)
            .ok_or(FormatError::Item(index, "expected [time, node, values]"))
            .and_then(|item| add(&mut read, mapping, base, index, &item));
        if let Err(error) = taken {
            read.refused.add(1, error);
        }
        read.batch.check_count(most)?;
    }
    Ok(read)
}

/// The values of a list, at most `most`. Further ones are counted, but not kept.
fn list(json: &str, most: usize) -> serde_json::Result<Result<Vec<&RawValue>, TooManyReadings>> {
    struct LimitedList(usize);

    impl<'de> Visitor<'de> for LimitedList {
        type Value = Result<Vec<&'de RawValue>, TooManyReadings>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let Self(most) = self;
            let mut kept = Vec::new();
            while kept.len() < most {
                match list.next_element()? {
                    Some(value) => kept.push(value),
                    None => return Ok(Ok(kept)),
                }
            }
            let mut came = most;
            while list.next_element::<IgnoredAny>()?.is_some() {
                came += 1;
            }
            Ok(if came > most {
                Err(TooManyReadings { most, came })
            } else {
                Ok(kept)
            })
        }
    }

    let mut json = serde_json::Deserializer::from_str(json);
    let list = json.deserialize_seq(LimitedList(most))?;
    json.end()?;
    Ok(list)
}

fn add(
    read: &mut InputReadings,
    mapping: &InputMapping,
    base: f64,
    index: usize,
    item: &BulkItem,
) -> Result<(), FormatError> {
    // Emoncms also skips items without values, with any time and node.
    if item.inputs.is_empty() {
        return Ok(());
    }
    let is_no_time = FormatError::Item(index, "expected its time in seconds first");
    let Some(seconds) = item.seconds else {
        return Err(is_no_time);
    };
    let Some(node) = &item.node else {
        return Err(FormatError::Item(index, "node must not be an object"));
    };
    let time = time_of(base + seconds).map_err(|_| is_no_time)?;
    read.add(mapping, node, Some(time), &item.inputs);
    Ok(())
}

/// A time in whole seconds since 1970, as in Emoncms: a bulk repeated within the second has the
/// same times.
#[expect(
    clippy::cast_precision_loss,
    reason = "the supported years have fewer milliseconds than an `f64` can count"
)]
const fn whole_seconds(time: Timestamp) -> f64 {
    time.millis().div_euclid(1_000) as f64
}

/// One item: a time, a node, its inputs.
struct BulkItem {
    seconds: Option<f64>,
    node: Option<String>,
    inputs: NamedInputs,
}

impl BulkItem {
    /// `None` if it is not a list, or has too many inputs.
    fn parse(item: &RawValue) -> Option<Self> {
        // The time and the node come before the inputs.
        let parts = list(item.get(), MAX_INPUTS + 2).ok()?.ok()?;
        let mut parts = parts.into_iter();
        let seconds = match parts.next().map(InputValue::of_json) {
            Some(InputValue::Number(number)) if number.is_finite() => Some(number),
            _ => None,
        };
        let node = parts.next().and_then(node_name);
        let mut inputs = NamedInputs::new();
        let mut number = 0_usize;
        for part in parts {
            // An object names its values; other values are numbered.
            if part.get().starts_with('{') {
                inputs.extend(serde_json::from_str::<InputObject>(part.get()).ok()?.0);
            } else {
                // A null keeps its number, so that it does not shift the values after it, as in
                // Emoncms.
                number += 1;
                inputs.insert(number.to_string(), InputValue::of_json(part));
            }
            if inputs.len() > MAX_INPUTS {
                return None;
            }
        }
        Some(Self {
            seconds,
            node,
            inputs,
        })
    }
}

/// The name of a node, which may be a number; `None` if it is neither text nor number.
fn node_name(json: &RawValue) -> Option<String> {
    match json.get().as_bytes().first()? {
        b'"' => serde_json::from_str(json.get()).ok(),
        b'-' | b'0'..=b'9' => Some(json.get().to_owned()),
        // null is the default node, as in `input/post`.
        b'n' => Some("0".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ingest::emoncms::mapping::tests::mapping;

    const NOW: i64 = 1_767_607_200;

    fn now() -> Timestamp {
        // The fraction of the second is ignored.
        Timestamp::from_millis(NOW * 1_000 + 789).unwrap()
    }

    /// `sensor seconds-from-now watts watthours` of each reading, or the error.
    fn read(data: &str, reference: Reference) -> Vec<String> {
        match read_bulk(data, reference, now(), &mapping(), 100) {
            Ok(read) => read
                .batch
                .readings()
                .flat_map(|(sensor, readings)| {
                    readings.iter().map(move |reading| (sensor, reading))
                })
                .map(|(sensor, reading)| {
                    let ms = reading.time.unwrap().millis() - NOW * 1_000;
                    let measures = reading.measures;
                    format!(
                        "{sensor} {ms} {:?} {:?}",
                        measures.watts(),
                        measures.watthours()
                    )
                })
                .collect(),
            Err(error) => vec![error.to_string()],
        }
    }

    #[test]
    fn times_are_relative_to_the_reference() {
        let data =
            r#"[[520,"house",{"power":1}],[530,"house",{"power":2}],[535,"house",{"power":3}]]"#;
        let from = |first: i64| {
            [(0, 1.0), (10, 2.0), (15, 3.0)].map(|(after, watts)| {
                format!("house {} Some({watts:?}) None", (first + after) * 1_000)
            })
        };
        assert_eq!(read(data, Reference::SentAt(543.0)), from(-23));
        assert_eq!(read(data, Reference::LastItem), from(-15));
        let since = now().saturating_add_millis(-1_000_000);
        assert_eq!(read(data, Reference::Since(since)), from(-480));
        assert_eq!(
            read(r#"[[-2.5,"house",{"power":1}]]"#, Reference::SentAt(0.0)),
            ["house -2500 Some(1.0) None"]
        );
    }

    #[test]
    fn values_have_a_number_or_a_name() {
        let data = r#"[[0,10,5,null,1.5,{"power":7,"wh":"8"}],[0,"10",{"x":1},1,2,3],[0,7],[],[0,"house","4",{"energy":9}]]"#;
        assert_eq!(
            read(data, Reference::SentAt(0.0)),
            [
                "10 0 Some(7.0) Some(8.0)",
                "heat pump 0 Some(3000.0) None",
                "house 0 None Some(9.0)"
            ]
        );
    }

    #[test]
    fn a_bad_item_is_refused_alone() {
        let data = r#"[["soon","house",{"power":1}],[1,{"a":1},2],[2,"house",{"power":"x"}],7,[1e300,"house",{"power":1}],[5,"house",{"power":5}]]"#;
        let read = read_bulk(data, Reference::SentAt(0.0), now(), &mapping(), 100).unwrap();
        assert_eq!(read.batch.readings().count(), 1);
        assert_eq!(read.refused.count(), 5);
        assert_eq!(
            read.refused.to_string(),
            "Format error in item 0 of bulk data: expected its time in seconds first; Format error in item 1 of bulk data: node \
             must not be an object; Format error, value of input power is not numeric; Format error in item 3 of bulk data: \
             expected [time, node, values]; Format error in item 4 of bulk data: expected its time in seconds first"
        );
    }

    #[test]
    fn a_value_that_is_no_number_costs_itself_alone() {
        for (word, dropped, refused) in [
            ("NaN", 1, 0),
            ("-inf", 1, 0),
            ("\"n/a\"", 1, 0),
            ("null", 0, 0),
            ("", 0, 0),
            ("x", 0, 1),
            ("1e999", 0, 1),
            ("\"12 W\"", 0, 1),
            ("[1]", 0, 1),
        ] {
            let data = format!(
                r#"[[1,"house",{{"power":1,"wh":5}}],[2,"house",{{"power":{word},"wh":6,"x":{word}}}],[3,"house",{{"wh":7}}]]"#
            );
            let read = read_bulk(&data, Reference::SentAt(0.0), now(), &mapping(), 100).unwrap();
            let shown: Vec<String> = read.batch.shown();
            let measures = ["Some(1.0) Some(5.0)", "None Some(6.0)", "None Some(7.0)"];
            let ends = |(shown, measures): (&String, &str)| shown.ends_with(measures);
            assert!(
                shown.len() == 3 && shown.iter().zip(measures).all(ends),
                "{shown:?}"
            );
            assert_eq!(
                (read.dropped, read.refused.count()),
                (dropped, refused),
                "{word}"
            );
        }
    }

    #[test]
    fn other_values_are_not_a_bulk() {
        let no_list = ["Format error, json string supplied is not valid"];
        let no_time = ["Format error, last item in bulk data does not contain any data"];
        for data in ["", "[]", "{}", "[[0,1,2]", "null", "x"] {
            assert_eq!(read(data, Reference::LastItem), no_list, "{data}");
        }
        for data in ["[[]]", "[7]", "[[null,1,2]]"] {
            assert_eq!(read(data, Reference::LastItem), no_time, "{data}");
        }
    }

    #[test]
    fn reading_ends_at_the_limit() {
        let bulk = |item: &str, count: usize| {
            let data = format!("[{}]", vec![item; count].join(","));
            read(&data, Reference::SentAt(0.0))
        };
        // At one time, they are a single reading.
        assert_eq!(bulk(r#"[0,"house",{"power":1}]"#, 100).len(), 1);
        let count = |came| {
            [format!(
                "expected at most 100 readings in one upload; got at least {came}"
            )]
        };
        assert_eq!(bulk(r#"[0,"house",{"power":1}]"#, 5_000), count(5_000));
        let data: Vec<_> = (0..50)
            .map(|n| format!(r#"[{n},"a",{{"power":1}}],[{n},"b",{{"power":1}}]"#))
            .collect();
        let data = format!("[{}]", data.join(","));
        assert_eq!(read(&data, Reference::SentAt(0.0)).len(), 100);
        let inputs = "1,".repeat(100_000);
        let too_long = format!(r#"[[0,"house",{inputs}1]]"#);
        assert!(read(&too_long, Reference::SentAt(0.0)).is_empty());
    }

    proptest! {
        #[test]
        fn whole_bulks_are_read(
            items in prop::collection::vec((-1_000_i32..1_000, "[a-z]{1,5}", -1e9_f64..1e9), 1..20),
        ) {
            let json: Vec<String> = items
                .iter()
                .map(|(time, node, watts)| format!("[{time},\"{node}\",{{\"power\":{watts:?}}}]"))
                .collect();
            let data = format!("[{}]", json.join(","));
            let read = read_bulk(&data, Reference::SentAt(0.0), now(), &mapping(), 100).unwrap();
            for (time, node, _) in &items {
                let time = Timestamp::from_millis((NOW + i64::from(*time)) * 1_000);
                let (_, readings) = read.batch.readings().find(|(sensor, _)| sensor.as_str() == node).unwrap();
                prop_assert!(readings.iter().any(|reading| reading.time == time));
            }
            prop_assert_eq!(read.refused.count(), 0);
        }
    }
}
