//! Numbers in answers: the shortest text that reads back as the same `f64`, `234` and not `234.0`.

use serde_json::value::RawValue;

/// Appends a finite number.
pub(super) fn write_number(number: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(shortest(&mut zmij::Buffer::new(), number).as_bytes());
}

/// A finite number, for a struct that serde writes.
pub(super) fn raw_number(number: f64) -> Option<Box<RawValue>> {
    RawValue::from_string(shortest(&mut zmij::Buffer::new(), number).to_owned()).ok()
}

fn shortest(buffer: &mut zmij::Buffer, number: f64) -> &str {
    let text = buffer.format_finite(number);
    text.strip_suffix(".0").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_no_fraction() {
        for (number, text) in [
            (234.0, "234"),
            (-0.0, "-0"),
            (10.1, "10.1"),
            (-1e-7, "-1e-7"),
        ] {
            let mut out = Vec::new();
            write_number(number, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
            assert_eq!(raw_number(number).unwrap().get(), text);
        }
    }
}
