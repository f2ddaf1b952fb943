//! What says the unit of a number: the kind of device, the text, or an announcement.

use super::payload::PayloadError;
use super::text_number::TextUnit;
use crate::ingest::Quantity;
use crate::store::Measure;

/// What says whether a number is power or a register, and its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberUnit {
    /// All devices of the kind have this one.
    Known(Quantity),
    /// The text of the number.
    InText,
    /// It is of this measure; the unit is what the device announces to Home Assistant, or else what the settings say.
    Announced(Measure, Option<Quantity>),
}

impl NumberUnit {
    /// What the number is; `None` if its text says so. The error is why it cannot be read; none if it is something else.
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
