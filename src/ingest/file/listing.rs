//! The series in a file, for people to choose from.

use serde::Serialize;

use crate::ingest::table::ImportMeasure;

/// A series of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FileSeries {
    /// Its name, in the form that the options expect.
    pub(crate) series: String,
    /// Its unit, if the file has it.
    pub(crate) unit: Option<String>,
    /// The number of its values.
    pub(crate) values: u64,
    /// The first time, in the API's form.
    pub(crate) first: Option<String>,
    /// The last time.
    pub(crate) last: Option<String>,
}

/// Asks which of the `listed` series to take. `missing` is a requested series that is not among them.
pub(super) fn which_of(listed: Option<&str>, missing: Option<(&str, ImportMeasure)>) -> String {
    let asked = match missing {
        Some((name, measure)) => {
            format!("there is no series {name:?} in it, as {} says", measure.option())
        }
        None => "choose the series with --watts-column SERIES for power, --watthours-column SERIES for a meter's \
                 register"
            .to_owned(),
    };
    match listed {
        Some(names) => format!("{asked}: they are {names}; --list says more about each"),
        None => format!("{asked}; it has no series of power or energy"),
    }
}
