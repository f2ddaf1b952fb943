//! Numbers that devices and home automation send as text, optionally with their unit: `123.4 W`,
//! `1,234.5 kWh`, `0012.5`, and words for no number.

use crate::ingest::Quantity;
use crate::ingest::tolerant::is_no_number;

/// A number in text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextNumber {
    pub(super) number: f64,
    pub(super) unit: TextUnit,
}

/// The unit after a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextUnit {
    /// The text has none.
    Unsaid,
    /// A unit of power or of energy.
    Of(Quantity),
    /// Another one, such as `°C`.
    Other,
}

/// The error for a text that is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotANumber;

/// The number in `text`; `None` if the text is a word for no number.
pub(super) fn read(text: &str) -> Result<Option<TextNumber>, NotANumber> {
    let text = text.trim();
    if is_no_number(text) {
        return Ok(None);
    }
    let (digits, unit) = text.split_at(end_of_number(text));
    let number = number(digits).filter(|number| number.is_finite());
    let number = number.ok_or(NotANumber)?;
    let unit = unit.trim_start();
    let unit = if unit.is_empty() {
        TextUnit::Unsaid
    } else if let Some(known) = Quantity::of_unit(unit) {
        TextUnit::Of(known)
    } else if unit.starts_with(|c: char| c.is_alphabetic() || "%°".contains(c)) {
        TextUnit::Other
    } else {
        return Err(NotANumber);
    };
    Ok(Some(TextNumber { number, unit }))
}

/// The end of the number at the beginning, in bytes.
fn end_of_number(text: &str) -> usize {
    let mut end = 0;
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        let is_exponent = matches!(byte, b'e' | b'E')
            && matches!(bytes.peek(), Some((_, b'0'..=b'9' | b'+' | b'-')));
        if !(byte.is_ascii_digit() || b"+-.,".contains(&byte) || is_exponent) {
            break;
        }
        end = at + 1;
    }
    end
}

/// A number with a point or a comma, or with the other of the two between thousands. `1,234` is
/// refused, because it may be either.
fn number(text: &str) -> Option<f64> {
    if !text.contains(',') {
        return text.parse().ok();
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    let (whole, fraction, mark) = match (unsigned.rfind(','), unsigned.rfind('.')) {
        (Some(comma), Some(point)) if comma < point => {
            (unsigned.get(..point)?, unsigned.get(point + 1..)?, ',')
        }
        (Some(comma), Some(_)) => (unsigned.get(..comma)?, unsigned.get(comma + 1..)?, '.'),
        _ if unsigned.matches(',').count() > 1 => (unsigned, "", ','),
        (Some(comma), None) => {
            let (whole, fraction) = (unsigned.get(..comma)?, unsigned.get(comma + 1..)?);
            let may_be_thousands = fraction.len() == 3 && (1..=3).contains(&whole.len());
            if may_be_thousands && whole != "0" {
                return None;
            }
            (whole, fraction, ',')
        }
        (None, _) => return None,
    };
    let sets_apart = whole.contains(mark);
    let mut groups = whole.split(mark);
    let first = groups.next()?;
    let is_grouped = groups.all(|group| group.len() == 3) && (1..=3).contains(&first.len());
    if sets_apart && !is_grouped {
        return None;
    }
    let plain: String = whole.chars().filter(|c| *c != mark).collect();
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if plain.is_empty() || !is_plain(&plain) || !is_plain(fraction) {
        return None;
    }
    let number: f64 = format!("{plain}.{fraction}").parse().ok()?;
    Some(if text.starts_with('-') {
        -number
    } else {
        number
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::{EnergyUnit, PowerUnit};

    fn plain(text: &str) -> Option<f64> {
        let read = read(text).unwrap().unwrap();
        (read.unit == TextUnit::Unsaid).then_some(read.number)
    }

    #[test]
    fn numbers_are_read_as_people_and_devices_write_them() {
        for (text, number) in [
            ("12.5", 12.5),
            ("+5", 5.0),
            (".5", 0.5),
            ("-0000.43", -0.43),
            ("1e3", 1_000.0),
            ("-1.5E-2", -0.015),
            ("1,234.5", 1_234.5),
            ("1.234,5", 1_234.5),
            ("12,5", 12.5),
            ("-0,123", -0.123),
            ("1,234,567", 1_234_567.0),
            ("1234,567", 1_234.567),
        ] {
            assert_eq!(plain(text), Some(number), "{text}");
        }
        // A thousand and a bit, or one and a bit; invalid groups; nothing at all.
        for text in [
            "1,234", "12,34.5", "1,23,4", ",5", "--5", "on", "W", "12:30", "5 5", "1e999", "1,2,3",
            "1.2.3",
        ] {
            assert_eq!(read(text), Err(NotANumber), "{text}");
        }
    }

    #[test]
    fn a_number_may_have_its_unit() {
        let unit = |text: &str| read(text).unwrap().unwrap().unit;
        assert_eq!(
            unit("123.4 W"),
            TextUnit::Of(Quantity::Power(PowerUnit::Watts))
        );
        assert_eq!(
            unit("1,234.5kWh"),
            TextUnit::Of(Quantity::Register(EnergyUnit::KilowattHours))
        );
        for text in ["21.5 °C", "50 %", "230 V", "5 VA"] {
            assert_eq!(unit(text), TextUnit::Other, "{text}");
        }
    }

    #[test]
    fn some_words_say_that_there_is_no_number() {
        for text in ["", "NaN", "-inf", "n/a", "--", "unavailable"] {
            assert_eq!(read(text), Ok(None), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,20}|[-+0-9.,eE ]{0,12}(W|kWh)?") {
            if let Ok(Some(read)) = read(&text) {
                prop_assert!(read.number.is_finite());
            }
        }

        #[test]
        fn a_number_is_the_same_with_thousands_and_a_unit(number in 0_u32..2_000_000_000, cents in 0..100_u32) {
            let digits = number.to_string();
            let mut grouped = String::new();
            for (index, digit) in digits.chars().enumerate() {
                if index > 0 && (digits.len() - index).is_multiple_of(3) {
                    grouped.push(',');
                }
                grouped.push(digit);
            }
            let expected: f64 = format!("{number}.{cents:02}").parse().unwrap();
            prop_assert_eq!(plain(&format!("{number}.{cents:02}")), Some(expected));
            prop_assert_eq!(read(&format!("{grouped}.{cents:02} W")).unwrap().unwrap().number, expected);
        }
    }
}
