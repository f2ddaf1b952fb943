//! OBIS codes, which say what a meter counts: `1-1:1.29.0` is energy from the grid in intervals.

use crate::domain::Role;

/// The parts of a code that matter for electricity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ObisCode {
    flow: ObisFlow,
    unit: &'static str,
}

/// Which way energy flows at the meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ObisFlow {
    Imported,
    Exported,
    /// A share in an energy community, which the grid operator computes.
    Share,
}

impl ObisCode {
    /// The code in a text such as `1-1:1.29.0` or `1-1:1.9.0 G.01`; `None` if it is neither energy nor
    /// power of electricity.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (code, suffix) = text.split_once(' ').unwrap_or((text, ""));
        let (medium, rest) = match code.split_once(':') {
            Some((medium, rest)) => (medium.split('-').next()?, rest),
            None => ("1", code),
        };
        let mut parts = rest.split(['.', '*']);
        let (quantity, kind) = (parts.next()?, parts.next()?);
        let flow = match quantity {
            // All phases, or one of them.
            "1" | "21" | "41" | "61" => ObisFlow::Imported,
            "2" | "22" | "42" | "62" => ObisFlow::Exported,
            _ => return None,
        };
        let unit = match kind {
            // A register, and energies of intervals.
            "8" | "9" | "29" => "kWh",
            // The mean of an interval.
            "5" | "25" => "kW",
            _ => return None,
        };
        let is_share = matches!(suffix.get(..4), Some("G.02" | "G.03"));
        let flow = if is_share { ObisFlow::Share } else { flow };
        (medium == "1").then_some(Self { flow, unit })
    }

    /// The unit of values that have none of their own.
    pub(super) const fn unit(self) -> &'static str {
        self.unit
    }

    /// Whether a sensor of this role may take its values although nobody named it.
    pub(super) fn suits(self, role: Option<Role>) -> bool {
        match (self.flow, role) {
            (ObisFlow::Share, _)
            | (ObisFlow::Imported, Some(Role::GridExport | Role::Solar))
            | (ObisFlow::Exported, Some(Role::GridImport)) => false,
            (ObisFlow::Imported | ObisFlow::Exported, _) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_electricity() {
        for (text, suits_import, suits_export, unit) in [
            ("1-1:1.29.0", true, false, "kWh"),
            ("1-0:1.8.1*255", true, false, "kWh"),
            ("1-1:2.29.0", false, true, "kWh"),
            ("1-1:1.9.0 G.01", true, false, "kWh"),
            ("1-1:2.9.0 P.01T", false, true, "kWh"),
            ("1-1:2.9.0 G.03R", false, false, "kWh"),
            ("1-1:1.5.0", true, false, "kW"),
            ("2.8.0", false, true, "kWh"),
        ] {
            let code = ObisCode::parse(text).unwrap();
            let suits = [Role::GridImport, Role::GridExport].map(|role| code.suits(Some(role)));
            assert_eq!((suits, code.unit()), ([suits_import, suits_export], unit));
        }
        for text in ["", "1-1:3.29.0", "7-20:99.33.17", "1-1:1.6.0", "1-1", "x"] {
            assert_eq!(ObisCode::parse(text), None, "{text}");
        }
    }
}
