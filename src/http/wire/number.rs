//! Numbers in responses: the shortest text that parses to the same `f64`, `234` rather than
//! `234.0`.

use serde_json::value::RawValue;

/// Writes a finite number to the front of `room`, which has 24 bytes or more, and returns its
/// length.
pub(crate) fn set_number(number: f64, room: &mut [u8]) -> usize {
    if let Some(integer) = small_integer(number) {
        return match four_digits(integer) {
            Some(digits) => set_digits(digits, room),
            None => set_integer(integer, room),
        };
    }
    let mut buffer = zmij::Buffer::new();
    let text = shortest(&mut buffer, number).as_bytes();
    if let Some(place) = room.get_mut(..text.len()) {
        place.copy_from_slice(text);
    }
    text.len()
}

/// A finite number for a struct that serde serializes.
pub(crate) fn raw_number(number: f64) -> Option<Box<RawValue>> {
    RawValue::from_string(shortest(&mut zmij::Buffer::new(), number).to_owned()).ok()
}

fn shortest(buffer: &mut zmij::Buffer, number: f64) -> &str {
    let text = buffer.format_finite(number);
    text.strip_suffix(".0").unwrap_or(text)
}

/// Most power readings are whole watts and need no search for the shortest text. Zero is excluded:
/// it may be `-0`.
fn small_integer(number: f64) -> Option<i32> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "what is cut off or saturated is compared"
    )]
    let integer = number as i32;
    // At most eight digits, as `eight_digits` requires.
    let is_small = 0 < integer.unsigned_abs() && integer.unsigned_abs() < 100_000_000;
    (is_small && f64::from(integer) == number).then_some(integer)
}

/// The digits of an integer from 1 to 9,999, the usual range of power, with leading zeros.
fn four_digits(integer: i32) -> Option<[u8; 4]> {
    let place = usize::try_from(integer).ok()?;
    FOUR_DIGITS.get(place).copied()
}

/// Writes the digits without leading zeros.
fn set_digits(digits: [u8; 4], room: &mut [u8]) -> usize {
    // The first digit is in the lowest byte, so leading zeros are trailing zero bits after the XOR.
    // At least one digit is not 0.
    let digits = u32::from_le_bytes(digits);
    let zeros = (digits ^ u32::from_le_bytes(*b"0000")).trailing_zeros() / 8;
    if let Some(place) = room.first_chunk_mut() {
        *place = (digits >> (8 * zeros)).to_le_bytes();
    }
    4 - zeros as usize
}

/// The numbers from 0000 to 9999, because a look-up is faster than formatting.
static FOUR_DIGITS: [[u8; 4]; 10_000] = {
    let mut numbers = [*b"0000"; 10_000];
    let mut rest: &mut [[u8; 4]] = &mut numbers;
    let mut number = *b"0000";
    while let [first, others @ ..] = rest {
        *first = number;
        rest = others;
        number = match number {
            [a, b'9', b'9', b'9'] => [a + 1, b'0', b'0', b'0'],
            [a, b, b'9', b'9'] => [a, b + 1, b'0', b'0'],
            [a, b, c, b'9'] => [a, b, c + 1, b'0'],
            [a, b, c, d] => [a, b, c, d + 1],
        };
    }
    numbers
};

/// Writes a nonzero integer of at most eight digits. All eight are computed and written, because
/// their number varies from value to value, and the processor would mispredict branches on it.
fn set_integer(integer: i32, room: &mut [u8]) -> usize {
    let sign = usize::from(integer < 0);
    if let Some([minus]) = room.get_mut(..sign) {
        *minus = b'-';
    }
    // The first digit is in the lowest byte, so leading zeros are trailing zero bits.
    let digits = eight_digits(integer.unsigned_abs());
    let leading_zeros = digits.trailing_zeros() / 8;
    let text = (digits >> (8 * leading_zeros)) + u64::from_le_bytes([b'0'; 8]);
    if let Some(place) = room.get_mut(sign..sign + 8) {
        place.copy_from_slice(&text.to_le_bytes());
    }
    sign + 8 - leading_zeros as usize
}

/// The eight digits of a number below 10^8, one byte each, the first digit in the lowest byte. The
/// number is split in half three times, all parts at once: 10,486 / 2^20 approximates a hundredth
/// and 103 / 2^10 a tenth, closely enough for four and two digits.
fn eight_digits(number: u32) -> u64 {
    let number = u64::from(number);
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000F_000F_000F_000F;
    tens | ((twos - 10 * tens) << 8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(number: f64) -> String {
        let mut room = [b'x'; 24];
        let length = set_number(number, &mut room);
        String::from_utf8(room[..length].to_vec()).unwrap()
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        for (number, expected) in [
            (234.0, "234"),
            (7.0, "7"),
            (-10.0, "-10"),
            (0.0, "0"),
            (-0.0, "-0"),
            (10.1, "10.1"),
            (-1e-7, "-1e-7"),
            (99_999_999.0, "99999999"),
            (-99_999_999.0, "-99999999"),
            (100_000_000.0, "100000000"),
            (2_147_483_647.0, "2147483647"),
            (-2_147_483_648.0, "-2147483648"),
            (2_147_483_648.0, "2147483648"),
            (-f64::MIN_POSITIVE, "-2.2250738585072014e-308"),
        ] {
            assert_eq!(text(number), expected);
            assert_eq!(raw_number(number).unwrap().get(), expected);
        }
    }

    proptest! {
        #[test]
        fn integers_are_formatted_like_other_numbers(integer in any::<i32>(), places in 0_u32..31) {
            let number = f64::from(integer >> places);
            let text = text(number);
            let expected = raw_number(number).unwrap();
            prop_assert_eq!(expected.get(), text);
        }
    }
}
