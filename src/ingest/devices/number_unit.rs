//! The source of a number's unit: the kind of device, the text, or an announcement.

use super::payload::PayloadError;
use super::text_number::TextUnit;
use crate::domain::{EnergyUnit, PowerUnit};
use crate::ingest::Quantity;
use crate::store::Measure;

/// The units of devices whose messages do not contain them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PresetUnits {
    /// The unit of power; `None` for the usual one.
    pub watts: Option<PowerUnit>,
    /// The unit of registers; `None` for the usual one.
    pub watthours: Option<EnergyUnit>,
}

impl PresetUnits {
    fn quantity(self, measure: Measure) -> Option<Quantity> {
        match measure {
            Measure::Watts => self.watts.map(Quantity::Power),
            Measure::Watthours => self.watthours.map(Quantity::Register),
        }
    }
}

/// The source of a number's unit, and of whether it is power or a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberUnit {
    /// All devices of the kind use this quantity.
    Known(Quantity),
    /// The text of the number contains it.
    InText,
    /// The number has this measure; its unit is the one announced to Home Assistant, or else the
    /// one in the settings.
    Announced(Measure, Option<Quantity>),
}

impl NumberUnit {
    /// The same with the units of the settings, as far as they have some.
    pub(super) fn set_by(self, units: PresetUnits) -> Self {
        match self {
            Self::Known(usual) => Self::Known(units.quantity(usual.measure()).unwrap_or(usual)),
            Self::Announced(measure, _) => Self::Announced(measure, units.quantity(measure)),
            Self::InText => self,
        }
    }

    /// Power or a register, in its unit; `None` if the text of the number contains it. The error is
    /// `None` if the number has another unit.
    pub(super) fn quantity(
        self,
        announced: Option<TextUnit>,
    ) -> Result<Option<Quantity>, Option<PayloadError>> {
        let (measure, set) = match self {
            Self::Known(quantity) => return Ok(Some(quantity)),
            Self::InText => return Ok(None),
            Self::Announced(measure, set) => (measure, set),
        };
        match announced {
            Some(TextUnit::Of(unit)) if unit.measure() == measure => Ok(Some(unit)),
            Some(TextUnit::Of(_) | TextUnit::Other) => Err(None),
            Some(TextUnit::Unsaid) | None => match set {
                Some(set) => Ok(Some(set)),
                None => Err(Some(PayloadError::NoUnit(match measure {
                    Measure::Watts => "power",
                    Measure::Watthours => "energy",
                }))),
            },
        }
    }
}
