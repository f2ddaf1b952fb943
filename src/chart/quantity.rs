//! Power and energy as people read them: with a unit that keeps the number short.

use crate::query::Units;

/// A unit with its prefix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    /// How many watts or watt-hours it is.
    pub(super) size: f64,
    prefix: &'static str,
    units: Units,
}

const PREFIXES: [(f64, &str); 4] = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];

impl Unit {
    /// The unit in which numbers up to `most` are short.
    pub(super) fn of(most: f64, units: Units) -> Self {
        let most = most.abs();
        let (size, prefix) = PREFIXES
            .into_iter()
            .find(|(size, _)| *size <= most)
            .unwrap_or((1.0, ""));
        Self {
            size,
            prefix,
            units,
        }
    }

    /// A number of watts or watt-hours in this unit, to so many decimals.
    pub(super) fn text(self, number: f64, decimals: usize) -> String {
        let symbol = match self.units {
            Units::Watts => "W",
            Units::Watthours => "Wh",
        };
        let (prefix, number) = (self.prefix, number / self.size);
        let text = if number.abs() < 1e6 {
            format!("{number:.decimals$}")
        } else {
            format!("{number:.2e}")
        };
        // Minus zero is zero.
        let is_zero = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
        let text = if is_zero {
            text.trim_start_matches('-')
        } else {
            &text
        };
        format!("{} {prefix}{symbol}", text.replace('-', "\u{2212}"))
    }
}

/// A number of watts or watt-hours with its unit, to three digits: `1.23 kWh`.
#[must_use]
pub fn quantity(number: f64, units: Units) -> String {
    let unit = Unit::of(rounded(number), units);
    let shown = (rounded(number) / unit.size).abs();
    let decimals = if unit.size == 1.0 {
        // A watt is exact enough, but for a little lamp.
        usize::from(0.0 < shown && shown < 10.0)
    } else if shown >= 100.0 {
        0
    } else {
        usize::from(shown < 10.0) + 1
    };
    unit.text(number, decimals)
}

/// The number to three digits, so that 999.9 W is 1.00 kW.
fn rounded(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.0, "0 W"),
            (-0.0, "0 W"),
            (-0.01, "0.0 W"),
            (7.25, "7.2 W"),
            (234.4, "234 W"),
            (-234.0, "\u{2212}234 W"),
            (999.4, "999 W"),
            (999.9, "1.00 kW"),
            (1_234.0, "1.23 kW"),
            (12_345.0, "12.3 kW"),
            (123_456.0, "123 kW"),
            (1.5e6, "1.50 MW"),
            (2.5e9, "2.50 GW"),
            (f64::MAX, "1.80e299 GW"),
        ] {
            assert_eq!(quantity(number, Units::Watts), text, "{number}");
        }
        assert_eq!(quantity(5_610.0, Units::Watthours), "5.61 kWh");
    }
}
