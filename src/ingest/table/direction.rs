//! Whether a sensor measures the other way than a column says.

use super::header::brief;
use super::options::TableOptions;
use super::plan::TablePlan;
use super::role_words::opposes;
use super::unit::ImportMeasure;
use super::wishes::shell_word;

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
