//! The units of series, from the file or from the user.

use clap::ValueEnum;

use crate::cli::args::usage;
use crate::domain::{EnergyUnit, Measures, PowerUnit, Reading, Timestamp};
use crate::ingest::Quantity;
use crate::ingest::table::{ParsedRow, Scales};

/// A unit of `--unit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MeasureUnit {
    #[value(name = "W")]
    Watt,
    #[value(name = "kW")]
    Kilowatt,
    #[value(name = "Wh")]
    WattHour,
    #[value(name = "kWh")]
    KilowattHour,
}

/// The units given by the user: one for power, and one for energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UnitWishes {
    power: Option<PowerUnit>,
    energy: Option<EnergyUnit>,
}

impl UnitWishes {
    /// The units given with `--unit`.
    ///
    /// # Errors
    /// Wrong usage, if there are two for one measure.
    pub(super) fn new(units: &[MeasureUnit]) -> anyhow::Result<Self> {
        let mut wishes = Self::default();
        for unit in units {
            let is_second = match unit {
                MeasureUnit::Watt => wishes.power.replace(PowerUnit::Watts).is_some(),
                MeasureUnit::Kilowatt => wishes.power.replace(PowerUnit::Kilowatts).is_some(),
                MeasureUnit::WattHour => wishes.energy.replace(EnergyUnit::WattHours).is_some(),
                MeasureUnit::KilowattHour => {
                    wishes.energy.replace(EnergyUnit::KilowattHours).is_some()
                }
            };
            if is_second {
                return Err(usage(
                    "--unit may be given once for power (W or kW) and once for energy (Wh or kWh)",
                ));
            }
        }
        Ok(wishes)
    }

    /// Whether there is one for energy.
    pub(super) const fn has_energy(self) -> bool {
        self.energy.is_some()
    }

    /// For files without units: W and Wh, unless the user gives others.
    pub(super) fn scales(self) -> Scales {
        Scales {
            kilowatts: self.power == Some(PowerUnit::Kilowatts),
            kilowatthours: self.energy == Some(EnergyUnit::KilowattHours),
        }
    }

    /// The unit of the series `name`, which the file gives as `own`, if it does.
    ///
    /// # Errors
    /// With advice for the user, if it is not a unit of `measure`, or unknown.
    pub(super) fn of(
        self,
        own: Option<&str>,
        measure: ImportMeasure,
        name: &str,
    ) -> Result<SeriesUnit, String> {
        let wish = match measure {
            ImportMeasure::Power => self.power.map(Quantity::Power),
            ImportMeasure::Register => self.energy.map(Quantity::Register),
        };
        let Some(text) = own.filter(|text| !text.is_empty()) else {
            let quantity = match (wish, measure) {
                (Some(wish), _) => wish,
                (None, ImportMeasure::Power) => Quantity::WATTS,
                (None, ImportMeasure::Register) => {
                    return Err(format!(
                        "the file does not say whether {name} is in Wh or kWh: add --unit Wh or --unit kWh"
                    ));
                }
            };
            return Ok(SeriesUnit::one(quantity));
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
        if wish.is_some_and(|wish| SeriesUnit::one(wish) != unit) {
            return Err(format!(
                "the file has {name} in {text}: leave out --unit for it"
            ));
        }
        Ok(unit)
    }
}

/// The measure that a series becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportMeasure {
    /// `watts`
    Power,
    /// `watthours`
    Register,
}

impl ImportMeasure {
    /// The option to name its series with.
    pub(super) const fn option(self) -> &'static str {
        match self {
            Self::Power => "--watts-column",
            Self::Register => "--watthours-column",
        }
    }
}

/// The unit of a series: a multiple of a unit of power or energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SeriesUnit {
    factor: f64,
    quantity: Quantity,
}

impl SeriesUnit {
    const fn one(quantity: Quantity) -> Self {
        Self {
            factor: 1.0,
            quantity,
        }
    }

    /// The unit of that name, in Home Assistant's spelling; `None` if it is neither of power nor of
    /// energy.
    pub(super) fn parse(text: &str) -> Option<Self> {
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

    /// The measure that a series in this unit becomes.
    pub(super) const fn measure(self) -> ImportMeasure {
        match self.quantity {
            Quantity::Power(_) => ImportMeasure::Power,
            Quantity::Register(_) => ImportMeasure::Register,
        }
    }

    /// `number` in watts or watt-hours; `None` if that is not finite.
    pub(super) fn convert(self, number: f64) -> Option<f64> {
        let measures = self.quantity.measures(number * self.factor)?;
        measures.watts().or(measures.watthours())
    }

    /// The row with `number` of this unit at `time`.
    pub(super) fn row(self, time: Timestamp, number: f64) -> ParsedRow {
        match self.quantity.measures(number * self.factor) {
            Some(measures) => ParsedRow::Reading(Reading { time, measures }),
            None => ParsedRow::Bad(format!("expected a finite number, got {number}")),
        }
    }

    /// The row with a value in watts or watt-hours that [`Self::convert`] returned.
    pub(super) fn row_of(self, time: Timestamp, value: f64) -> ParsedRow {
        let measures = match self.measure() {
            ImportMeasure::Power => Measures::new(Some(value), None),
            ImportMeasure::Register => Measures::new(None, Some(value)),
        };
        match measures {
            Ok(measures) => ParsedRow::Reading(Reading { time, measures }),
            Err(_) => ParsedRow::Bad(format!("expected a finite number, got {value}")),
        }
    }
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
        let kilo = UnitWishes::new(&[MeasureUnit::Kilowatt, MeasureUnit::KilowattHour]).unwrap();
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
        assert!(UnitWishes::new(&[MeasureUnit::Watt, MeasureUnit::Kilowatt]).is_err());
    }
}
