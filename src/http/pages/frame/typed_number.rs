//! Numbers and energies as people type them in forms: with a point or a comma.

use crate::domain::{Decimal, MicroWh};

/// The energy in a field, in kilowatt-hours with a point or a comma; `None` if the field contains
/// none.
pub(crate) fn kilowatthours(text: &str) -> Option<MicroWh> {
    let number = decimal(text)?;
    // A millionth of a kilowatt-hour is a thousand millionths of a watt-hour.
    Some(MicroWh::new(number.millionths().saturating_mul(1_000)))
}

/// The number in a field, with a point or a comma; `None` if the field contains none.
pub(crate) fn decimal(text: &str) -> Option<Decimal> {
    Decimal::parse(&plain_number(text)).ok()
}

/// Normalizes a typed number: no spaces, no marks between thousands, and a decimal point.
pub(crate) fn plain_number(text: &str) -> String {
    let is_mark = |c: char| c == '.' || c == ',';
    // In `12.345,6` and `12,345.6` the last mark is the decimal one.
    let last = text.rfind(is_mark);
    let first = text.find(is_mark);
    let both = last
        .and_then(|last| text.get(last..))
        .map(|it| it.starts_with('.'))
        != first
            .and_then(|first| text.get(first..))
            .map(|it| it.starts_with('.'));
    let mut plain = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            c if c.is_whitespace() => {}
            '.' | ',' if both && Some(at) != last => {}
            ',' => plain.push('.'),
            '\u{2212}' => plain.push('-'),
            c => plain.push(c),
        }
    }
    plain
}

/// An energy as a field shows it: in kilowatt-hours, to a millionth.
pub(crate) fn kilowatthours_text(energy: MicroWh) -> String {
    let rounded = (energy.millionths().saturating_add(500)).div_euclid(1_000);
    Decimal::from_millionths(rounded).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energies_have_a_point_or_a_comma() {
        for (text, millionths) in [
            ("12345.6", 12_345_600_000_000),
            ("12 345,6", 12_345_600_000_000),
            ("12.345,6", 12_345_600_000_000),
            ("12,345.6", 12_345_600_000_000),
            ("\u{2212}1", -1_000_000_000),
            ("0.000001", 1_000),
        ] {
            assert_eq!(
                kilowatthours(text),
                Some(MicroWh::new(millionths)),
                "{text}"
            );
        }
        for wrong in ["", "1.2.3", "1,2,3.4,5", "1e3", "12 kWh", "0.0000001"] {
            assert_eq!(kilowatthours(wrong), None, "{wrong}");
        }
        let shown = MicroWh::from_watthours(12_345_600.000_4);
        assert_eq!(kilowatthours_text(shown), "12345.6");
    }
}
