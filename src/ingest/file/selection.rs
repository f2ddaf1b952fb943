//! Chooses the series of a stream that become power and registers. A series has a short name, and
//! labels that distinguish it from others with the same name: tags, for InfluxDB. A measure comes
//! from one series only, because a mix of two would be meaningless.

use std::collections::BTreeSet;

use super::listing::which_of;
use crate::ingest::table::{ImportMeasure, SeriesUnit, UnitWishes};
use crate::ingest::table::{Wishes, where_option};

/// The maximum number of names in a question.
const ASKED: usize = 20;
/// The maximum number of names that are distinguished, and the length of one, in bytes.
const KNOWN: usize = 10_000;
const NAME_BYTES: usize = 1_024;

/// A series as a stream has it.
pub(super) struct LabeledSeries<'a> {
    /// Its short name, such as a field.
    pub(super) name: &'a str,
    /// Names and values that `--where` can match, in the stream's order.
    pub(super) labels: &'a [(&'a str, &'a str)],
    /// The full name, which is unique.
    pub(super) full: String,
    /// Its unit, if the stream has it.
    pub(super) unit: Option<&'a str>,
    /// Whether the file has nothing but energy and power of meters. The only such series needs no name.
    pub(super) is_only_energy: bool,
}

/// The chosen series.
pub(super) struct SeriesSelection {
    wanted: Vec<WantedSeries>,
    filters: Vec<(String, String)>,
    units: UnitWishes,
    /// Series that were not chosen, in the form of the list.
    others: BTreeSet<String>,
    in_order: Vec<String>,
    /// Series that do not suit the sensor, likewise.
    unsuited: BTreeSet<String>,
    /// Whether the user named one.
    is_named: bool,
}

/// A series that becomes a measure.
struct WantedSeries {
    name: String,
    measure: ImportMeasure,
    /// The first matching series.
    found: Option<FoundSeries>,
}

struct FoundSeries {
    full: String,
    labels: Vec<(String, String)>,
    unit: SeriesUnit,
    unit_text: Option<String>,
    is_only_energy: bool,
}

impl SeriesSelection {
    /// The series named by `wishes`: by default those with the names in our own files.
    pub(super) fn new(wishes: &Wishes, units: UnitWishes) -> Self {
        let is_named = wishes.watts.is_some() || wishes.watthours.is_some();
        let wanted = |name: &Option<String>, usual: &str, measure| {
            let usual = (!is_named).then(|| usual.to_owned());
            name.clone().or(usual).map(|name| WantedSeries {
                name,
                measure,
                found: None,
            })
        };
        let wanted = [
            wanted(&wishes.watts, "watts", ImportMeasure::Power),
            wanted(&wishes.watthours, "watthours", ImportMeasure::Register),
        ];
        Self {
            wanted: wanted.into_iter().flatten().collect(),
            filters: wishes.filters.clone(),
            units,
            others: BTreeSet::new(),
            in_order: Vec::new(),
            unsuited: BTreeSet::new(),
            is_named,
        }
    }

    /// The unit of a series if it was chosen.
    ///
    /// # Errors
    /// If its unit is unclear, or it is a different series than before: no further row can be read.
    pub(super) fn choose(&mut self, series: &LabeledSeries) -> Result<Option<SeriesUnit>, String> {
        let has = |filter: &(String, String)| {
            let mut labels = series.labels.iter();
            labels.any(|(name, value)| *name == filter.0 && *value == filter.1)
        };
        // The only series of intervals needs no name.
        let is_only = !self.is_named && series.is_only_energy && self.in_order.is_empty();
        let is_of = |wanted: &WantedSeries| {
            let is_free = wanted
                .found
                .as_ref()
                .is_none_or(|it| it.full == series.full);
            let is_unnamed = is_only && is_free && wanted.measure == ImportMeasure::Register;
            // The full name is enough.
            wanted.name == series.full
                || ((wanted.name == series.name || is_unnamed) && self.filters.iter().all(has))
        };
        let Some(wanted) = self.wanted.iter_mut().find(|it| is_of(it)) else {
            self.see(series);
            return Ok(None);
        };
        let found = match &mut wanted.found {
            Some(found) => found,
            none => {
                let unit = self.units.of(series.unit, wanted.measure, &series.full)?;
                let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
                none.insert(FoundSeries {
                    full: series.full.clone(),
                    labels: series.labels.iter().map(owned).collect(),
                    unit,
                    unit_text: series.unit.map(str::to_owned),
                    is_only_energy: series.is_only_energy,
                })
            }
        };
        if found.full == series.full && found.has_labels(series.labels) {
            return Ok(Some(found.unit));
        }
        let (one, other) = (&found.full, &series.full);
        Err(match found.difference(series.labels) {
            Some((label, value, other)) => format!(
                "it holds several series: {label} is {value}, then {other}; choose one with {}, or by its full name \
                 {one:?}",
                where_option(label, value)
            ),
            None => format!(
                "it holds several series: {one:?}, then {other:?}; choose one by its full name"
            ),
        })
    }

    /// Whether the user named a series. Otherwise those that do not suit the sensor are passed over.
    pub(super) const fn is_named(&self) -> bool {
        self.is_named
    }

    /// Passes over a series that does not suit the sensor.
    pub(super) fn pass_over(&mut self, series: &LabeledSeries) {
        if self.unsuited.len() < KNOWN && series.full.len() <= NAME_BYTES {
            self.unsuited.insert(listed(&series.full, series.unit));
        }
    }

    /// The series that were passed over, in words; `None` if there are none.
    pub(super) fn passed_over(&self) -> Option<String> {
        let names = shortened(self.unsuited.iter().cloned().collect());
        (!names.is_empty()).then(|| {
            format!("not used, because it does not suit the role of the sensor: {names}; take it with --watthours-column NAME")
        })
    }

    /// Remembers a series that was not chosen.
    fn see(&mut self, series: &LabeledSeries) {
        // One that was taken may come again.
        let mut found = self
            .wanted
            .iter()
            .filter_map(|wanted| wanted.found.as_ref());
        if found.any(|found| found.full == series.full) {
            return;
        }
        let is_kept = self.others.len() < KNOWN && series.full.len() <= NAME_BYTES;
        if is_kept && !self.others.contains(&series.full) {
            self.others.insert(series.full.clone());
            self.in_order.push(listed(&series.full, series.unit));
        }
    }

    /// After the last row: asks for a series that was not found, or which of several to take.
    pub(super) fn missing(&self) -> Option<String> {
        let found = self.wanted.iter().find_map(|wanted| wanted.found.as_ref());
        let missing = self.wanted.iter().find(|wanted| wanted.found.is_none());
        let unnamed = found.filter(|found| found.is_only_energy && !self.is_named);
        let is_clear = match (unnamed, missing) {
            // A single series was taken without a name, unless there are others.
            (Some(_), _) => self.in_order.is_empty(),
            (None, None) => true,
            // One of the default names may be missing, as long as the other is there.
            (None, Some(_)) => found.is_some() && !self.is_named,
        };
        if is_clear {
            return None;
        }
        let first = unnamed.map(|found| listed(&found.full, found.unit_text.as_deref()));
        let names = first.into_iter().chain(self.in_order.iter().cloned());
        let names = names.chain(self.unsuited.iter().cloned());
        let names = Some(shortened(names.collect())).filter(|names| !names.is_empty());
        let missing = missing.filter(|_| self.is_named);
        let missing = missing.map(|missing| (missing.name.as_str(), missing.measure));
        Some(which_of(names.as_deref(), missing))
    }
}

/// The first names.
fn shortened(mut names: Vec<String>) -> String {
    if names.len() > ASKED {
        let more = names.len() - ASKED;
        names.truncate(ASKED);
        names.push(format!("… and {more} more"));
    }
    names.join(", ")
}

/// Formats a series for a question.
fn listed(full: &str, unit: Option<&str>) -> String {
    match unit.filter(|unit| !unit.is_empty()) {
        Some(unit) => format!("{full} ({unit})"),
        None => full.to_owned(),
    }
}

impl FoundSeries {
    fn has_labels(&self, labels: &[(&str, &str)]) -> bool {
        let pairs = self.labels.iter().zip(labels);
        self.labels.len() == labels.len()
            && pairs
                .into_iter()
                .all(|((name, value), other)| name == other.0 && value == other.1)
    }

    /// The first label with another value: its name, its value here, and the other one.
    fn difference<'a>(&'a self, labels: &'a [(&str, &str)]) -> Option<(&'a str, &'a str, &'a str)> {
        self.labels.iter().find_map(|(name, value)| {
            let (_, other) = labels.iter().find(|label| label.0 == name)?;
            (other != value).then_some((name.as_str(), value.as_str(), *other))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(
        selection: &mut SeriesSelection,
        name: &str,
        host: &str,
        unit: Option<&str>,
    ) -> Result<bool, String> {
        let series = LabeledSeries {
            name,
            labels: &[("host", host)],
            full: format!("{name} {host}"),
            unit,
            is_only_energy: false,
        };
        selection.choose(&series).map(|unit| unit.is_some())
    }

    fn selection(watts: Option<&str>, filter: Option<&str>) -> SeriesSelection {
        let wishes = Wishes {
            watts: watts.map(str::to_owned),
            filters: filter
                .map(|value| ("host".to_owned(), value.to_owned()))
                .into_iter()
                .collect(),
            ..Wishes::default()
        };
        SeriesSelection::new(&wishes, UnitWishes::default())
    }

    #[test]
    fn a_measure_is_of_one_series() {
        let mut any = selection(Some("p"), None);
        assert_eq!(choose(&mut any, "p", "a", Some("W")), Ok(true));
        assert_eq!(choose(&mut any, "q", "a", Some("W")), Ok(false));
        let mixed = choose(&mut any, "p", "b", Some("W")).unwrap_err();
        assert!(
            mixed.contains("host is a, then b; choose one with --where 'host=a'"),
            "{mixed}"
        );
        for mut one in [
            selection(Some("p"), Some("b")),
            selection(Some("p b"), None),
        ] {
            assert_eq!(choose(&mut one, "p", "a", None), Ok(false));
            assert!(one.missing().unwrap().contains("they are p a"));
            assert_eq!(choose(&mut one, "p", "b", None), Ok(true));
            assert_eq!(one.missing(), None);
        }
        assert!(choose(&mut selection(Some("p"), None), "p", "a", Some("kWh")).is_err());
    }

    #[test]
    fn without_a_choice_it_is_the_usual_names() {
        let mut usual = selection(None, None);
        assert!(
            usual
                .missing()
                .unwrap()
                .starts_with("choose the series with")
        );
        assert_eq!(choose(&mut usual, "watts", "a", None), Ok(true));
        assert_eq!(usual.missing(), None);
    }
}
