//! The direction of a number that has no sign, in a field of its own.

use serde_json::Value;

use super::payload::{PlacedNumber, Pointer};

/// Words for energy that flows back, in a field that says the direction of a number without a sign. Capitals do not matter.
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
/// The same of what flows forth.
const FORWARDS: [&str; 7] = [
    "consuming",
    "consumption",
    "consume",
    "importing",
    "import",
    "forward",
    "obverse",
];

/// Gives numbers without a sign the direction that the message says at `direction`.
pub(super) fn turn(direction: &Pointer, message: &Value, numbers: &mut [PlacedNumber]) {
    let Ok(word) = direction.text(message) else {
        return;
    };
    let is_one_of = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    // Any other word says that the sign is that of the number.
    let sign = match (is_one_of(&BACKWARDS), is_one_of(&FORWARDS)) {
        (true, _) => -1.0,
        (false, true) => 1.0,
        (false, false) => return,
    };
    for number in numbers {
        number.value = sign * number.value.abs();
    }
}
