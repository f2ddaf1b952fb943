//! Which way the energy of a column flows, by its name, beside the role of a sensor.

use super::words::{Meaning, means};
use crate::domain::Role;

/// Whether a name says that energy flows to the grid, or comes from panels.
pub(super) fn is_outward(name: &str) -> bool {
    means(name, Meaning::Export) || means(name, Meaning::Production)
}

/// Whether a name says only the direction opposite to that of a sensor.
pub(crate) fn opposes(role: Role, name: &str) -> bool {
    let says = |meaning| means(name, meaning);
    let (inward, outward) = (says(Meaning::Import), is_outward(name));
    let (charge, discharge) = (says(Meaning::Charge), says(Meaning::Discharge));
    match role {
        Role::GridImport => outward && !inward,
        Role::GridExport | Role::Solar => inward && !outward,
        Role::BatteryCharge => discharge && !charge,
        Role::BatteryDischarge => charge && !discharge,
        Role::Grid | Role::Battery | Role::SubMeter => false,
    }
}

/// Whether a name says the direction of a sensor, and no other.
pub(crate) fn fits(role: Role, name: &str) -> bool {
    let own = match role {
        Role::GridImport => Meaning::Import,
        Role::GridExport => Meaning::Export,
        Role::Solar => Meaning::Production,
        Role::BatteryCharge => Meaning::Charge,
        Role::BatteryDischarge => Meaning::Discharge,
        Role::Grid | Role::Battery | Role::SubMeter => return false,
    };
    let says = |meaning| means(name, meaning);
    let others = [
        Meaning::Import,
        Meaning::Export,
        Meaning::Production,
        Meaning::Charge,
        Meaning::Discharge,
    ];
    let mut others = others.into_iter().filter(|other| *other != own);
    says(own) && !others.any(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_fits_a_sensor_of_its_direction() {
        for (role, name) in [
            (Role::GridImport, "Import T1 kWh"),
            (Role::GridImport, "Netzbezug (kWh)"),
            (Role::GridExport, "Injectie Dag"),
            (Role::Solar, "Energy Produced (Wh)"),
            (Role::BatteryCharge, "Charged (kWh)"),
            (Role::BatteryDischarge, "Entladung"),
        ] {
            assert!(fits(role, name), "{role:?} {name}");
        }
        for (role, name) in [
            (Role::GridImport, "Verbrauch (kWh)"),
            (Role::GridImport, "Export T1 kWh"),
            (Role::GridImport, "Import - Export"),
            (Role::Grid, "Import kWh"),
            (Role::SubMeter, "Import kWh"),
        ] {
            assert!(!fits(role, name), "{role:?} {name}");
        }
    }

    #[test]
    fn a_name_opposes_a_sensor_of_the_other_direction() {
        for (role, name) in [
            (Role::GridImport, "Einspeisung (kWh)"),
            (Role::GridImport, "Exported to grid"),
            (Role::GridImport, "Produktion"),
            (Role::GridImport, "teruglevering_kwh"),
            (Role::GridExport, "Bezug [kWh]"),
            (Role::GridExport, "Imported (kWh)"),
            (Role::Solar, "Netzbezug"),
            (Role::BatteryCharge, "Discharged (kWh)"),
            (Role::BatteryCharge, "Batterieentladung"),
            (Role::BatteryCharge, "Entladung"),
            (Role::BatteryDischarge, "Ladung"),
            (Role::BatteryDischarge, "batteryCharge"),
        ] {
            assert!(opposes(role, name), "{role:?} {name}");
        }
        for (role, name) in [
            (Role::GridImport, "Verbrauch (kWh)"),
            (Role::GridImport, "Imported (kWh)"),
            (Role::GridImport, "Import - Export"),
            (Role::GridExport, "Produktion"),
            (Role::GridExport, "consumption"),
            (Role::BatteryCharge, "Charge, discharge"),
            (Role::BatteryCharge, "Ladung"),
            (Role::Grid, "Einspeisung"),
            (Role::SubMeter, "Discharged"),
        ] {
            assert!(!opposes(role, name), "{role:?} {name}");
        }
    }
}
