//! Numbers in the notations of other systems, read without rounding twice.

use std::borrow::Cow;

/// The content of a cell in a measure's column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// A finite number, in watts or watt-hours.
    Value(f64),
    /// Nothing at all.
    Empty,
    /// A word for a missing value, such as Home Assistant's `unavailable`.
    NoValue,
}

impl Cell {
    pub(crate) const fn value(self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(value),
            Self::Empty | Self::NoValue => None,
        }
    }
}

/// The notation of a column's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notation {
    /// A comma precedes the decimals: `1,5`.
    pub(crate) decimal_comma: bool,
    /// The unit is kW or kWh.
    pub(crate) thousands: bool,
}

/// Words for a missing value.
const NO_VALUE: [&str; 6] = ["null", "none", "nan", "unknown", "unavailable", "n/a"];

impl Notation {
    /// Reads a cell.
    ///
    /// # Errors
    /// The expected value, if the cell is neither a number nor a word for a missing value.
    pub(crate) fn read(self, cell: &[u8]) -> Result<Cell, &'static str> {
        let cell = cell.trim_ascii();
        let Some(first) = cell.first() else {
            return Ok(Cell::Empty);
        };
        // Rust would read `nan` and `infinity` as numbers.
        if first.is_ascii_alphabetic() {
            let no_value = NO_VALUE
                .iter()
                .any(|word| cell.eq_ignore_ascii_case(word.as_bytes()));
            return if no_value {
                Ok(Cell::NoValue)
            } else {
                Err("expected a number")
            };
        }
        self.number(cell).map(Cell::Value)
    }

    fn number(self, cell: &[u8]) -> Result<f64, &'static str> {
        let expected = "expected a number";
        let mut text = Cow::from(std::str::from_utf8(cell).map_err(|_| expected)?);
        if self.decimal_comma {
            // Only the first, because a second comma is an error.
            text = text.replacen(',', ".", 1).into();
        }
        let number: Result<f64, _> = if !self.thousands {
            text.parse()
        } else if text.contains(['e', 'E']) {
            text.parse().map(|number: f64| number * 1_000.0)
        } else {
            // 1.1 kWh is 1100 Wh: moving the decimal point is exact, multiplying the nearest f64 is
            // not.
            format!("{text}e3").parse()
        };
        match number {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err("expected a finite number"),
            Err(_) => Err(expected),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(notation: Notation, cell: &str) -> Result<Cell, &'static str> {
        notation.read(cell.as_bytes())
    }

    #[test]
    fn numbers() {
        let plain = Notation::default();
        for (cell, number) in [
            ("234", 234.0),
            (" -0.5 ", -0.5),
            ("1e3", 1_000.0),
            ("+7", 7.0),
            (".25", 0.25),
            ("70.3", 70.3),
            ("0.1000000000000000055511151231257827", 0.1),
        ] {
            assert_eq!(read(plain, cell), Ok(Cell::Value(number)), "{cell}");
        }
        for cell in [
            "1,5", "1 5", "0x10", "12W", "abc", "-inf", "1.2.3", "-", "\"1\"", "１",
        ] {
            assert!(read(plain, cell).is_err(), "{cell}");
        }
        assert_eq!(read(plain, "1e999"), Err("expected a finite number"));
        assert_eq!(
            read(plain, &format!("{:.400}", 1e-300)),
            Ok(Cell::Value(1e-300))
        );
    }

    #[test]
    fn no_value() {
        let plain = Notation::default();
        assert_eq!(read(plain, ""), Ok(Cell::Empty));
        assert_eq!(read(plain, "  "), Ok(Cell::Empty));
        for cell in ["unknown", "unavailable", "null", "NaN", "None", "NULL"] {
            assert_eq!(read(plain, cell), Ok(Cell::NoValue), "{cell}");
        }
        assert!(read(plain, "inf").is_err());
    }

    #[test]
    fn thousands_move_the_point() {
        let kilo = Notation {
            thousands: true,
            ..Notation::default()
        };
        for (cell, number) in [
            ("1.1", 1_100.0),
            ("4.35", 4_350.0),
            ("12345.6789", 12_345_678.9),
        ] {
            assert_eq!(read(kilo, cell), Ok(Cell::Value(number)), "{cell}");
        }
        assert_eq!(read(kilo, "1.5e-3"), Ok(Cell::Value(1.5)));
        assert_eq!(read(kilo, "-2"), Ok(Cell::Value(-2_000.0)));
    }

    #[test]
    fn decimal_commas() {
        let comma = Notation {
            decimal_comma: true,
            ..Notation::default()
        };
        assert_eq!(read(comma, "1234,5"), Ok(Cell::Value(1_234.5)));
        assert_eq!(read(comma, "1234.5"), Ok(Cell::Value(1_234.5)));
        assert!(read(comma, "1.234,5").is_err());
        assert!(read(comma, "1,234,5").is_err());
    }
}
