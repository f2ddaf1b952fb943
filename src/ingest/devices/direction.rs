//! The direction of an unsigned number, in its own field.

use serde_json::Value;

use super::payload::{PlacedNumber, Pointer};

/// Words for reverse flow in a field with the direction of an unsigned number. Case does not
/// matter.
const BACKWARDS: [&str; 8] = [
    "producing",
    "production",
    "produce",
    "exporting",
    "export",
    "reverse",
    "backward",
    "return",
];
/// The same for forward flow.
const FORWARDS: [&str; 7] = [
    "consuming",
    "consumption",
    "consume",
    "importing",
    "import",
    "forward",
    "obverse",
];

/// Applies the direction in the message at `direction` to unsigned numbers.
pub(super) fn turn(direction: &Pointer, message: &Value, numbers: &mut [PlacedNumber]) {
    let Ok(word) = direction.text(message) else {
        return;
    };
    let is_one_of = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    // Any other word means that the number's own sign counts.
    let sign = match (is_one_of(&BACKWARDS), is_one_of(&FORWARDS)) {
        (true, _) => -1.0,
        (false, true) => 1.0,
        (false, false) => return,
    };
    for number in numbers {
        number.value = sign * number.value.abs();
    }
}
