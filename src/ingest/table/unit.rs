//! The units of series, from the file or from the user.

use std::str::FromStr;

use super::parsed_row::{FileValue, ParsedRow};
use super::times::When;
use crate::domain::words::UnknownWord;
use crate::domain::{EnergyUnit, PowerUnit};
use crate::ingest::Quantity;

/// A unit of `--unit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeasureUnit {
    Power(PowerUnit),
    Energy(EnergyUnit),
}

impl MeasureUnit {
    /// Its word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Power(unit) => unit.as_str(),
            Self::Energy(unit) => unit.as_str(),
        }
    }
}

impl FromStr for MeasureUnit {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "W" => Self::Power(PowerUnit::Watts),
            "kW" => Self::Power(PowerUnit::Kilowatts),
            "Wh" => Self::Energy(EnergyUnit::WattHours),
            "kWh" => Self::Energy(EnergyUnit::KilowattHours),
            "MWh" => Self::Energy(EnergyUnit::MegawattHours),
            _ => {
                return Err(UnknownWord {
                    expected: "W, kW, Wh, kWh or MWh",
                });
            }
        })
    }
}

/// The units given by the user: one for power, and one for energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnitWishes {
    power: Option<PowerUnit>,
    energy: Option<EnergyUnit>,
}

impl UnitWishes {
    /// The units given with `--unit`.
    ///
    /// # Errors
    /// An error, in words, if a measure has two units.
    pub(crate) fn new(units: &[MeasureUnit]) -> Result<Self, &'static str> {
        let mut wishes = Self::default();
        for unit in units {
            let is_second = match *unit {
                MeasureUnit::Power(unit) => wishes.power.replace(unit).is_some(),
                MeasureUnit::Energy(unit) => wishes.energy.replace(unit).is_some(),
            };
            if is_second {
                return Err(
                    "--unit may be given once for power (W or kW) and once for energy (Wh or kWh)",
                );
            }
        }
        Ok(wishes)
    }

    /// Adds a unit, unless its measure has one.
    pub(crate) fn or(&mut self, unit: MeasureUnit) {
        match unit {
            MeasureUnit::Power(unit) => self.power = self.power.or(Some(unit)),
            MeasureUnit::Energy(unit) => self.energy = self.energy.or(Some(unit)),
        }
    }

    /// The unit of `measure`, if there is one.
    pub(crate) fn given(self, measure: ImportMeasure) -> Option<SeriesUnit> {
        match measure {
            ImportMeasure::Power => self.power.map(Quantity::Power),
            ImportMeasure::Register => self.energy.map(Quantity::Register),
        }
        .map(SeriesUnit::one)
    }

    /// The name of the unit of `measure`, if there is one.
    pub(crate) fn given_name(self, measure: ImportMeasure) -> Option<&'static str> {
        match measure {
            ImportMeasure::Power => self.power.map(PowerUnit::as_str),
            ImportMeasure::Register => self.energy.map(EnergyUnit::as_str),
        }
    }

    /// The unit of the series `name`, which the file gives as `own`, if it does.
    ///
    /// # Errors
    /// With advice for the user, if it is not a unit of `measure`, or unknown.
    pub(crate) fn of(
        self,
        own: Option<&str>,
        measure: ImportMeasure,
        name: &str,
    ) -> Result<SeriesUnit, String> {
        let wish = self.given(measure);
        let Some(text) = own.filter(|text| !text.is_empty()) else {
            return match (wish, measure) {
                (Some(wish), _) => Ok(wish),
                (None, ImportMeasure::Power) => Ok(SeriesUnit::one(Quantity::WATTS)),
                (None, ImportMeasure::Register) => Err(format!(
                    "the file does not say whether {name} is in Wh or kWh: add --unit Wh or --unit kWh"
                )),
            };
        };
        let Some(unit) = SeriesUnit::parse(text) else {
            return Err(format!(
                "{name} is in {text}, which is neither power nor energy"
            ));
        };
        if unit.measure() != measure {
            return Err(match measure {
                ImportMeasure::Power => {
                    format!("{name} is in {text}, which is energy: name it with --watthours-column")
                }
                ImportMeasure::Register => {
                    format!("{name} is in {text}, which is power: name it with --watts-column")
                }
            });
        }
        if wish.is_some_and(|wish| wish != unit) {
            return Err(format!(
                "the file has {name} in {text}: leave out --unit for it"
            ));
        }
        Ok(unit)
    }
}

/// The measure that a series becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportMeasure {
    /// `watts`
    Power,
    /// `watthours`
    Register,
}

impl ImportMeasure {
    /// The measure of a unit with this name.
    pub(crate) fn of_unit(unit: &str) -> Option<Self> {
        SeriesUnit::parse(unit).map(SeriesUnit::measure)
    }

    /// The unit of stored readings.
    pub(crate) const fn base(self) -> &'static str {
        match self {
            Self::Power => "W",
            Self::Register => "Wh",
        }
    }

    /// The option to name its series with.
    pub(crate) const fn option(self) -> &'static str {
        match self {
            Self::Power => "--watts-column",
            Self::Register => "--watthours-column",
        }
    }
}

/// The unit of a series: a multiple of a unit of power or energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SeriesUnit {
    factor: f64,
    quantity: Quantity,
}

impl SeriesUnit {
    pub(crate) const fn one(quantity: Quantity) -> Self {
        Self {
            factor: 1.0,
            quantity,
        }
    }

    /// The unit of that name, in Home Assistant's spelling; `None` if it is neither of power nor of
    /// energy.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        use EnergyUnit::{Joules, MegawattHours, WattHours};
        use PowerUnit::{Megawatts, Watts};
        if let Ok(unit) = text.parse() {
            return Some(Self::one(Quantity::Power(unit)));
        }
        if let Ok(unit) = text.parse() {
            return Some(Self::one(Quantity::Register(unit)));
        }
        let (factor, quantity) = match text {
            "GW" => (1e3, Quantity::Power(Megawatts)),
            "TW" => (1e6, Quantity::Power(Megawatts)),
            "BTU/h" => (0.293_071_07, Quantity::Power(Watts)),
            "mWh" => (1e-3, Quantity::Register(WattHours)),
            "GWh" => (1e3, Quantity::Register(MegawattHours)),
            "TWh" => (1e6, Quantity::Register(MegawattHours)),
            "kJ" => (1e3, Quantity::Register(Joules)),
            "MJ" => (1e6, Quantity::Register(Joules)),
            "GJ" => (1e9, Quantity::Register(Joules)),
            "cal" => (4.184, Quantity::Register(Joules)),
            "kcal" => (4.184e3, Quantity::Register(Joules)),
            "Mcal" => (4.184e6, Quantity::Register(Joules)),
            "Gcal" => (4.184e9, Quantity::Register(Joules)),
            _ => return None,
        };
        Some(Self { factor, quantity })
    }

    /// The unit in the first cell of a row that contains only a unit.
    pub(crate) fn in_cells(row: &csv::ByteRecord) -> Option<Self> {
        row.iter()
            .find_map(|cell| Self::parse(std::str::from_utf8(cell).ok()?.trim()))
    }

    /// Parses a unit in any letter case.
    pub(crate) fn parse_any(text: &str) -> Option<Self> {
        let usual = ["W", "kW", "Wh", "kWh", "MWh"];
        let text = &joined_units(text);
        let found = usual
            .into_iter()
            .find(|unit| unit.eq_ignore_ascii_case(text));
        Self::parse(found.unwrap_or(text))
    }

    /// The measure that a series in this unit becomes.
    pub(crate) const fn measure(self) -> ImportMeasure {
        match self.quantity {
            Quantity::Power(_) => ImportMeasure::Power,
            Quantity::Register(_) => ImportMeasure::Register,
        }
    }

    /// `number` in watts or watt-hours; `None` if that is not finite.
    pub(crate) fn convert(self, number: f64) -> Option<f64> {
        let measures = self.quantity.measures(number * self.factor)?;
        measures.watts().or(measures.watthours())
    }

    /// The row with `number` of this unit.
    pub(crate) fn row(self, when: When, number: f64) -> ParsedRow {
        match self.convert(number) {
            Some(value) => self.row_of(when, value),
            None => ParsedRow::Bad(format!("expected a finite number, got {number}")),
        }
    }

    /// The row with a value in watts or watt-hours that [`Self::convert`] returned.
    pub(crate) fn row_of(self, when: When, value: f64) -> ParsedRow {
        let value = Some(value);
        ParsedRow::Value(match self.measure() {
            ImportMeasure::Power => FileValue::new(when, value, None),
            ImportMeasure::Register => FileValue::new(when, None, value),
        })
    }
}

/// Joins the parts of `kW·h` and its other spellings.
pub(crate) fn joined_units(text: &str) -> String {
    const BETWEEN: [char; 12] = [
        ' ', '\u{a0}', '\u{202f}', '·', '⋅', '∙', '•', '×', '.', '-', '*', '‧',
    ];
    let letters: Vec<char> = text.chars().collect();
    let at = |index: usize| letters.get(index).copied();
    let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let mut joined = String::with_capacity(text.len());
    for (index, letter) in letters.iter().enumerate() {
        // Between the W and the h of a unit that is a word of its own.
        let of_unit = || {
            let w = index.checked_sub(1)?;
            at(w).filter(|w| matches!(w, 'w' | 'W'))?;
            let prefix = w.checked_sub(1);
            let has_prefix = prefix
                .and_then(at)
                .is_some_and(|letter| matches!(letter, 'k' | 'K' | 'M' | 'm' | 'G'));
            let before = if has_prefix {
                prefix?.checked_sub(1)
            } else {
                prefix
            };
            let is_unit = !before.is_some_and(|before| is_word(at(before)))
                && at(index + 1).is_some_and(|h| matches!(h, 'h' | 'H'))
                && !is_word(at(index + 2));
            is_unit.then_some(())
        };
        if !BETWEEN.contains(letter) || of_unit().is_none() {
            joined.push(*letter);
        }
    }
    joined
}

/// The number in a cell such as `1.25 kW`, and its unit.
pub(crate) fn with_unit(cell: &[u8]) -> Option<(&[u8], &'static str)> {
    const UNITS: [&str; 6] = ["kWh", "Wh", "MWh", "kW", "W", "MW"];
    if !cell.last()?.is_ascii_alphabetic() {
        return None;
    }
    let end = cell.iter().rposition(u8::is_ascii_digit)? + 1;
    let (number, unit) = cell.split_at_checked(end)?;
    let unit = joined_units(std::str::from_utf8(unit.trim_ascii()).ok()?);
    let found = UNITS
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(&unit));
    found.map(|unit| (number, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_other_systems() {
        for (text, number, value) in [
            ("W", 1.5, 1.5),
            ("kW", 0.2345, 234.5),
            ("GW", 1e-6, 1_000.0),
            ("BTU/h", 100.0, 29.307_107),
            ("Wh", 0.1, 0.1),
            ("kWh", 4.56, 4_560.0),
            ("MWh", 9.410_882, 9_410_882.0),
            ("TWh", 1e-9, 1_000.0),
            ("mWh", 1_500.0, 1.5),
            ("kJ", 3.6, 1.0),
            ("MJ", 3.6, 1_000.0),
            ("GJ", 3.6, 1e6),
            ("kcal", 3_600.0, 4_184.0),
        ] {
            assert_eq!(
                SeriesUnit::parse(text).unwrap().convert(number),
                Some(value),
                "{text}"
            );
        }
        for text in ["", "€", "m³", "kwh", "VA"] {
            assert_eq!(SeriesUnit::parse(text), None, "{text}");
        }
        assert_eq!(SeriesUnit::parse("TWh").unwrap().convert(1e300), None);
    }

    #[test]
    fn the_file_and_the_user_agree_about_units() {
        use ImportMeasure::{Power, Register};
        let kilo = UnitWishes::new(&["kW", "kWh"].map(|unit| unit.parse().unwrap())).unwrap();
        let none = UnitWishes::default();
        let unit = |text| Ok(SeriesUnit::parse(text).unwrap());
        assert_eq!(none.of(None, Power, "x"), unit("W"));
        assert_eq!(kilo.of(Some(""), Power, "x"), unit("kW"));
        assert_eq!(kilo.of(None, Register, "x"), unit("kWh"));
        assert_eq!(kilo.of(Some("kWh"), Register, "x"), unit("kWh"));
        let error = |wishes: UnitWishes, own, measure| wishes.of(own, measure, "x").unwrap_err();
        assert!(error(none, None, Register).contains("--unit kWh"));
        assert!(error(none, Some("€"), Register).contains("neither power nor energy"));
        assert!(error(none, Some("W"), Register).contains("--watts-column"));
        assert!(error(none, Some("Wh"), Power).contains("--watthours-column"));
        assert!(error(kilo, Some("Wh"), Register).contains("leave out --unit"));
        assert!(UnitWishes::new(&["W", "kW"].map(|unit| unit.parse().unwrap())).is_err());
    }
}
