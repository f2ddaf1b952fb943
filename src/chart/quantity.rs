//! Power and energy as people read them: about three digits, a thin space before the unit, and a
//! true minus. The examples are English.
//!
//! The largest units are kW and kWh, which meters and bills use, too.

use crate::query::Units;
use crate::texts::Language;

/// A thin no-break space.
const THIN: char = '\u{202F}';

/// A unit of power or energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScaledUnit {
    /// Its size in watts or watt-hours.
    pub(super) size: f64,
    symbol: &'static str,
}

impl ScaledUnit {
    /// For plain numbers with a unit elsewhere.
    pub(super) const NONE: Self = Self {
        size: 1.0,
        symbol: "",
    };

    /// The unit for numbers up to `most`: watts below a kilowatt, watt-hours below a tenth of a
    /// kilowatt-hour.
    pub(super) fn of(most: f64, units: Units) -> Self {
        let (large_from, small, large) = match units {
            Units::Watts => (1_000.0, "W", "kW"),
            Units::Watthours => (100.0, "Wh", "kWh"),
        };
        // Rounded first: 999.6 W would read as 1000 W.
        let (size, symbol) = if most.abs().round() < large_from {
            (1.0, small)
        } else {
            (1_000.0, large)
        };
        Self { size, symbol }
    }

    /// A number of watts or watt-hours in this unit, with so many decimals.
    pub(super) fn text(self, number: f64, decimals: usize, language: &Language) -> String {
        let mut text = with_unit(number / self.size, decimals, self.symbol, language);
        if self.symbol.is_empty() {
            text.truncate(text.trim_end().len());
        }
        text
    }
}

/// A number of watts or watt-hours with its unit: `234 W`, `1.23 kW`, `42 Wh`, `0.42 kWh`, `12 346
/// kWh`.
#[must_use]
pub fn quantity(number: f64, units: Units, language: &Language) -> String {
    let unit = ScaledUnit::of(number, units);
    let decimals = match (number / unit.size).abs() {
        _ if unit.size == 1.0 => 0,
        // The limits are those of rounding: 9.995 with two decimals would read as 10.00.
        shown if shown < 9.995 => 2,
        shown if shown < 99.95 => 1,
        _ => 0,
    };
    unit.text(number, decimals, language)
}

/// A share as percent: `30 %`.
pub(super) fn percent(share: f64, language: &Language) -> String {
    with_unit(share * 100.0, 0, "%", language)
}

/// A number with so many decimals, and its unit: `−1.25 €`.
#[must_use]
pub fn with_unit(number: f64, decimals: usize, unit: &str, language: &Language) -> String {
    let plain = if number.abs() < 1e12 {
        format!("{:.decimals$}", number.abs())
    } else {
        format!("{:.2e}", number.abs())
    };
    // Zero has no minus, even if it was rounded from a negative number: so the rounded text
    // decides.
    let is_zero = plain.chars().all(|c| matches!(c, '0' | '.'));
    let mut text = language.number(&plain);
    if number < 0.0 && !is_zero {
        text.insert(0, '\u{2212}');
    }
    text.push(THIN);
    text.push_str(unit);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let plain = |number, units| quantity(number, units, Language::english()).replace(THIN, " ");
        for (watts, text) in [
            (0.0, "0 W"),
            (-0.2, "0 W"),
            (7.25, "7 W"),
            (234.4, "234 W"),
            (-512.0, "−512 W"),
            (999.4, "999 W"),
            (999.6, "1.00 kW"),
            (1_234.0, "1.23 kW"),
            (-12_345.0, "−12.3 kW"),
            (1_500_000.0, "1 500 kW"),
            (f64::MAX, "1.80e305 kW"),
        ] {
            assert_eq!(plain(watts, Units::Watts), text, "{watts}");
        }
        for (watthours, text) in [
            (0.0, "0 Wh"),
            (4.2, "4 Wh"),
            (99.4, "99 Wh"),
            (99.6, "0.10 kWh"),
            (420.0, "0.42 kWh"),
            (9_996.0, "10.0 kWh"),
            (12_345.0, "12.3 kWh"),
            (123_456.0, "123 kWh"),
            (-1_234_567.0, "−1 235 kWh"),
            (12_345_678.0, "12 346 kWh"),
            (1_234_567_890.0, "1 234 568 kWh"),
        ] {
            assert_eq!(plain(watthours, Units::Watthours), text, "{watthours}");
        }
        let euros = |language| with_unit(-12_345.678, 2, "€", language).replace(THIN, " ");
        assert_eq!(euros(Language::english()), "−12 345.68 €");
        assert_eq!(euros(Language::of_tag("de").unwrap()), "−12.345,68 €");
    }
}
