//! Sums: one number from several fields of a message, or from several topics.
//!
//! As text: `/in_1 + /in_2`, `/P - /PO`, `/power * -1`, `meter/l1# + meter/l2#`. Two parts are
//! separated by `+` or `-` with a space on either side. A part is a JSON pointer, empty for a
//! message that is only a number. It may be preceded by its topic and a `#`, and followed by `?`,
//! for a part that not every device sends, and by `*` with a factor.

use std::str::FromStr;

use thiserror::Error;

use super::payload::Pointer;
use super::topic::TopicFilter;

/// The most parts of a sum.
const MAX_PARTS: usize = 16;

/// A sum as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    /// At least one.
    pub(crate) parts: Vec<SumPart>,
}

/// A part of a sum as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SumPart {
    /// `None` for the topic of the subscription.
    pub(crate) topic: Option<TopicFilter>,
    pub(crate) pointer: Pointer,
    /// The factor that the number is multiplied by. Never 0, always finite.
    pub(crate) factor: f64,
    /// Whether it counts as 0 for devices that do not have it.
    pub(crate) is_optional: bool,
}

/// The error for a text that is not a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected JSON pointers with + or - between them, such as \"/in_1 + /in_2\"")]
pub struct SumError;

impl FromStr for Sum {
    type Err = SumError;

    fn from_str(text: &str) -> Result<Self, SumError> {
        let mut parts = Vec::new();
        let mut rest = text;
        let mut sign = 1.0;
        if let Some(negated) = rest.strip_prefix('-') {
            (rest, sign) = (negated.trim_start_matches(' '), -1.0);
        }
        loop {
            let marks = [(" + ", 1.0), (" - ", -1.0)];
            let next = marks.map(|(mark, sign)| Some((rest.split_once(mark)?, sign)));
            // The first of the two.
            let next = next.into_iter().flatten();
            let next = next.min_by_key(|((before, _), _)| before.len());
            let part = next.map_or(rest, |((before, _), _)| before);
            parts.push(part_of(part, sign)?);
            let Some(((_, after), next_sign)) = next else {
                break;
            };
            if parts.len() == MAX_PARTS {
                return Err(SumError);
            }
            (rest, sign) = (after, next_sign);
        }
        // The whole message cannot be one of several parts.
        let is_whole = |part: &SumPart| part.topic.is_none() && part.pointer.is_whole();
        if parts.len() > 1 && parts.iter().any(is_whole) {
            return Err(SumError);
        }
        Ok(Self { parts })
    }
}

fn part_of(text: &str, sign: f64) -> Result<SumPart, SumError> {
    let (text, factor) = match text.split_once(" * ") {
        Some((text, factor)) => (text, factor.trim().parse().map_err(|_| SumError)?),
        None => (text, 1.0),
    };
    let factor: f64 = sign * factor;
    // A factor that cannot be inverted is not a conversion of units.
    if !factor.is_normal() {
        return Err(SumError);
    }
    // A topic has no `#` of its own here: a multi-level wildcard would make one part of many
    // values.
    let (topic, text) = match text.split_once('#') {
        Some((topic, rest)) if rest.is_empty() || rest.starts_with(['/', '?']) => {
            (Some(topic.parse().map_err(|_| SumError)?), rest)
        }
        _ => (None, text),
    };
    let (text, is_optional) = match text.strip_suffix('?') {
        Some(text) => (text, true),
        None => (text, false),
    };
    Ok(SumPart {
        topic,
        pointer: text.parse().map_err(|_| SumError)?,
        factor,
        is_optional,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(text: &str, factor: f64) -> SumPart {
        SumPart {
            topic: None,
            pointer: text.parse().unwrap(),
            factor,
            is_optional: false,
        }
    }

    #[test]
    fn sums_are_read() {
        let parts = |text: &str| text.parse::<Sum>().unwrap().parts;
        assert_eq!(parts(""), [part("", 1.0)]);
        assert_eq!(parts("-/P"), [part("/P", -1.0)]);
        assert_eq!(parts("- /P"), [part("/P", -1.0)]);
        assert_eq!(parts("/a b-c"), [part("/a b-c", 1.0)]);
        assert_eq!(
            parts("/P - /PO + /x * 2.5"),
            [part("/P", 1.0), part("/PO", -1.0), part("/x", 2.5)]
        );
        let topics = parts("m/+/l1# + m/+/l2#/value? * -1");
        let topic = |part: &SumPart| part.topic.as_ref().unwrap().as_str().to_owned();
        assert_eq!(topic(&topics[0]), "m/+/l1");
        assert_eq!(topics[0].pointer, "".parse().unwrap());
        assert_eq!(topic(&topics[1]), "m/+/l2");
        assert!(topics[1].is_optional && !topics[0].is_optional);
        assert_eq!(topics[1].factor, -1.0);
    }

    #[test]
    fn other_texts_are_no_sums() {
        let long = ["/a"; 17].join(" + ");
        for text in [
            "P", "/a + b", "/a * x", "/a * 0", "/a * inf", "/a + ", "/a~", "#/a", &long,
        ] {
            assert_eq!(text.parse::<Sum>(), Err(SumError), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,30}|[-+*#?/ab0-9 ]{0,20}") {
            if let Ok(sum) = text.parse::<Sum>() {
                prop_assert!((1..=MAX_PARTS).contains(&sum.parts.len()));
                prop_assert!(sum.parts.iter().all(|part| part.factor.is_normal()));
            }
        }
    }
}
