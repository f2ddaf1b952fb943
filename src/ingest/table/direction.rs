//! Which way the energy of a column flows, by its name, and whether a sensor measures the other way.

use super::header::brief;
use super::options::TableOptions;
use super::plan::TablePlan;
use super::unit::ImportMeasure;
use super::wishes::shell_word;
use super::words::{Meaning, means};
use crate::domain::Role;

/// Whether a name says only the direction opposite to that of a sensor.
pub(crate) fn opposes(role: Role, name: &str) -> bool {
    let says = |meaning| means(name, meaning);
    let (inward, outward) = (
        says(Meaning::Import),
        says(Meaning::Export) || says(Meaning::Production),
    );
    let (charge, discharge) = (says(Meaning::Charge), says(Meaning::Discharge));
    match role {
        Role::GridImport => outward && !inward,
        Role::GridExport | Role::Solar => inward && !outward,
        Role::BatteryCharge => discharge && !charge,
        Role::BatteryDischarge => charge && !discharge,
        Role::Grid | Role::Battery | Role::SubMeter => false,
    }
}

impl TableOptions {
    /// Asks before energy of the other direction than the sensor's is taken. A format may have chosen
    /// its rows.
    pub(super) fn other_direction(&self, columns: &TablePlan) -> Option<String> {
        let (sensor, role) = self.sensor.as_ref()?;
        let rows = self.wishes.filters.iter();
        let rows: Vec<_> = rows.map(|(_, value)| value.as_str()).collect();
        let measures = [
            (&columns.watts, ImportMeasure::Power),
            (&columns.watthours, ImportMeasure::Register),
        ];
        measures.into_iter().find_map(|(place, measure)| {
            let name = columns.name(place.as_ref()?.column);
            let said = [&[name.as_str()], rows.as_slice()].concat().join(" ");
            opposes(*role, &said).then(|| {
                format!(
                    "{} is of the other direction than {sensor}, which measures {}: choose another column, or rows with --where, or name this one with {} {}",
                    brief(&said),
                    role.as_str(),
                    measure.option(),
                    shell_word(&name)
                )
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
