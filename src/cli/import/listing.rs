//! The series in a file, for people to choose from.

use serde::Serialize;

use super::unit::ImportMeasure;
use crate::cli::output::TableRow;

/// The maximum number of names in a question.
const ASKED: usize = 20;

/// A series of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct FileSeries {
    /// Its name, as in the options.
    pub series: String,
    /// Its unit, if the file has it.
    pub unit: Option<String>,
    /// Its values.
    pub values: u64,
    /// The first time, in the API's form.
    pub first: Option<String>,
    /// The last time.
    pub last: Option<String>,
}

impl TableRow for FileSeries {
    const HEADER: &[&str] = &["series", "unit", "values", "first", "last"];

    fn cells(&self) -> Vec<String> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        vec![
            self.series.clone(),
            text(&self.unit),
            self.values.to_string(),
            text(&self.first),
            text(&self.last),
        ]
    }
}

/// Asks which of the series to take. `missing` is a requested series that is not among them.
pub(super) fn which(series: &[FileSeries], missing: Option<(&str, ImportMeasure)>) -> String {
    let label = |series: &FileSeries| match &series.unit {
        Some(unit) => format!("{} ({unit})", series.series),
        None => series.series.clone(),
    };
    let mut names: Vec<_> = series.iter().take(ASKED).map(label).collect();
    if series.len() > ASKED {
        names.push(format!("… and {} more", series.len() - ASKED));
    }
    let listed = (!names.is_empty()).then(|| names.join(", "));
    which_of(listed.as_deref(), missing)
}

/// The same, with the names of the series.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_has_room_for_some_names() {
        let named = |n: usize| FileSeries {
            series: format!("s{n}"),
            unit: (n == 0).then(|| "W".to_owned()),
            values: 3,
            first: None,
            last: None,
        };
        let series: Vec<_> = (0..30).map(named).collect();
        assert_eq!(series[0].cells(), ["s0", "W", "3", "", ""]);
        let asked = which(&series, None);
        assert!(asked.contains("they are s0 (W), s1, s2, "), "{asked}");
        assert!(asked.contains("s19, … and 10 more;"), "{asked}");
        let missing = which(&series[..1], Some(("c", ImportMeasure::Register)));
        assert!(missing.starts_with("there is no series \"c\""), "{missing}");
        assert!(which(&[], None).ends_with("it has no series of power or energy"));
    }
}
