//! The meaning of each column of a table: from its header, the user's options, and the layouts of
//! other systems.
//!
//! | from | header |
//! | --- | --- |
//! | wattkeeper | `time,watts,watthours` |
//! | Emoncms | none: `1357003243,239` |
//! | Home Assistant, history | `entity_id,state,last_changed`: one row per value |
//! | Home Assistant, statistics | `statistic_id,unit,start,min,max,mean,sum,state` |
//! | Influx, command line | `name,time,power,...` or `name,tags,time,power,...` |
//! | Influx, Flux | `,result,table,_start,_stop,_time,_value,_field,_measurement,...`: one row per value |
//! | suppliers | a row for each day, with a column for each interval (`day_columns`) |
//! | suppliers | any: names in several languages, with units (`words`) |

use super::day_columns::DayColumns;
use super::header::{Header, Unclear, brief};
use super::layout::{CellKind, TableLayout};
use super::time_place::TimePlace;
use super::unit::{ImportMeasure, SeriesUnit, with_unit};
use super::wishes::{TimesAre, Wishes};
use super::words::{Meaning, means, unit_in};

/// The meaning of each column of a table. Columns count from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TableColumns {
    /// The time.
    pub(crate) time: TimePlace,
    /// Power.
    pub(crate) watts: Option<MeasurePlace>,
    /// The register.
    pub(crate) watthours: Option<MeasurePlace>,
    /// With one row per value: the column with the key of a value.
    pub(crate) key: Option<usize>,
    /// Columns, each with the value of the rows to take.
    pub(crate) filters: Vec<(usize, Vec<u8>)>,
    /// Columns that distinguish series: an import takes only one series.
    pub(crate) series: Vec<usize>,
    /// The names of all columns; without a header, the cells of the first row.
    pub(crate) names: Vec<String>,
    /// The column with the unit of each row.
    pub(crate) unit: Option<usize>,
    /// The system that wrote it.
    pub(crate) shape: Shape,
}

/// The place of a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MeasurePlace {
    /// The column of its numbers.
    pub(crate) column: usize,
    /// Columns whose numbers are added.
    pub(crate) more: Vec<usize>,
    /// With one row per value: the key of its rows.
    pub(crate) key: Option<Vec<u8>>,
    /// The unit in the column's name.
    pub(crate) unit: Option<&'static str>,
    /// With a row for each day: the columns of its intervals.
    pub(crate) days: Option<DayColumns>,
}

/// The known layouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any table with a header.
    #[default]
    Plain,
    /// A table without a header.
    Headerless,
    /// Home Assistant's history.
    HomeAssistant,
    /// Home Assistant's statistics.
    Statistics,
    /// Influx's command line.
    InfluxCli,
    /// Flux's result.
    Flux,
}

impl MeasurePlace {
    fn uses(&self, column: usize) -> bool {
        let is_of_day = self.days.as_ref().is_some_and(|days| days.uses(column));
        is_of_day || self.column == column || self.more.contains(&column)
    }
}

impl Shape {
    fn of(header: &Header) -> Self {
        let has = |name: &str| header.names.iter().any(|other| other == name);
        if header.headerless_time.is_some() {
            Self::Headerless
        } else if has("_time") {
            Self::Flux
        } else if has("entity_id") && has("state") {
            Self::HomeAssistant
        } else if has("statistic_id") && has("start") {
            Self::Statistics
        } else if header.names.first().is_some_and(|name| name == "name") && has("time") {
            Self::InfluxCli
        } else {
            Self::Plain
        }
    }

    /// Whether rows may end early.
    pub(crate) const fn has_short_rows(self) -> bool {
        matches!(self, Self::HomeAssistant)
    }

    /// The system's word for keys.
    pub(crate) const fn key_word(self) -> &'static str {
        match self {
            Self::HomeAssistant => "entities",
            _ => "fields",
        }
    }
}

impl TableColumns {
    /// The columns of a table with this header and layout.
    ///
    /// # Errors
    /// [`Unclear`], with the option that resolves it.
    pub(crate) fn find(
        header: &Header,
        wishes: &Wishes,
        layout: &TableLayout,
    ) -> Result<Self, Unclear> {
        let shape = Shape::of(header);
        let long = Self::key_and_value(header);
        let key = long.map(|(key, _)| key);
        let mut time = TimePlace::find(header, wishes, layout)?;
        let finder = MeasureFinder {
            header,
            layout,
            time: &time,
            long,
            shape,
        };
        let (mut watts, mut watthours) = finder.find(wishes)?;
        let places = [&mut watts, &mut watthours].into_iter().flatten();
        for days in places.filter_map(|place| place.days.as_mut()) {
            days.asked = wishes.times;
            // The names of the columns say which part of the day it is.
            time.are = Some(TimesAre::Starts);
            (time.end, time.length) = (None, None);
        }
        let filters = wishes
            .filters
            .iter()
            .map(|(name, value)| {
                let column = header.column(name).ok_or_else(|| header.no_column(name))?;
                Ok((column, value.as_bytes().to_vec()))
            })
            .collect::<Result<Vec<_>, Unclear>>()?;
        let is_keyed = [&watts, &watthours]
            .into_iter()
            .flatten()
            .any(|measure| measure.key.is_some());
        let mut units = header.names.iter().enumerate();
        let unit = units.find(|(column, name)| {
            shape != Shape::Headerless
                && means(name, Meaning::Unit)
                && matches!(layout.kind(*column), CellKind::Text | CellKind::Unknown)
        });
        let mut columns = Self {
            time,
            watts,
            watthours,
            // If all measures have their own columns, the key selects no rows; it only
            // distinguishes series.
            key: key.filter(|_| is_keyed),
            filters,
            series: Vec::new(),
            names: header.names.clone(),
            unit: unit.map(|(column, _)| column),
            shape,
        };
        columns.series = columns.find_series(header);
        Ok(columns)
    }

    /// With one row per value: the column with the key of a value, and the column of the values.
    pub(crate) fn key_and_value(header: &Header) -> Option<(usize, usize)> {
        let [key, value] = match Shape::of(header) {
            Shape::HomeAssistant => ["entity_id", "state"],
            Shape::Flux => ["_field", "_value"],
            _ => return None,
        };
        header.position(key).zip(header.position(value))
    }

    /// The number of columns.
    pub(crate) const fn width(&self) -> usize {
        self.names.len()
    }

    /// Whether the table says how long its intervals are.
    pub(crate) fn has_bounds(&self) -> bool {
        let is_of_days =
            |place: &Option<MeasurePlace>| place.as_ref().is_some_and(|it| it.days.is_some());
        self.time.has_bounds() || is_of_days(&self.watthours)
    }

    /// A column's name, for messages.
    pub(crate) fn name(&self, column: usize) -> String {
        match self.names.get(column) {
            Some(name) if self.shape != Shape::Headerless => name.clone(),
            _ => format!("column {}", column + 1),
        }
    }

    /// Whether a column is used for more than distinguishing series.
    pub(crate) fn uses(&self, column: usize) -> bool {
        let measures = [&self.watts, &self.watthours];
        self.time.uses(column)
            || self.key == Some(column)
            || self.unit == Some(column)
            || self.filters.iter().any(|(filter, _)| *filter == column)
            || measures
                .into_iter()
                .flatten()
                .any(|measure| measure.uses(column))
    }

    fn find_series(&self, header: &Header) -> Vec<usize> {
        /// The columns that Flux adds to every table.
        const FLUX: [&str; 8] = [
            "", "result", "table", "_start", "_stop", "_time", "_value", "_field",
        ];
        let distinguishes = |column: usize, name: &str| match self.shape {
            Shape::HomeAssistant => name == "entity_id",
            Shape::InfluxCli => column == 0 || name == "tags",
            Shape::Statistics => name == "statistic_id",
            Shape::Headerless | Shape::Plain => false,
            Shape::Flux => match header.group {
                Some(group) => group.get(column) == Some(&true) && !FLUX.contains(&name),
                // Without the group key, a table with a column for each field looks the same.
                None if self.key.is_none() => name == "_measurement" || name == "_field",
                None => !FLUX.contains(&name),
            },
        };
        let columns = header.names.iter().enumerate();
        columns
            .filter(|(column, name)| !self.uses(*column) && distinguishes(*column, name))
            .map(|(column, _)| column)
            .collect()
    }
}

/// Finds the columns of power and of the register.
struct MeasureFinder<'a> {
    header: &'a Header<'a>,
    layout: &'a TableLayout,
    time: &'a TimePlace,
    long: Option<(usize, usize)>,
    shape: Shape,
}

type FoundMeasures = (Option<MeasurePlace>, Option<MeasurePlace>);

impl MeasureFinder<'_> {
    fn find(&self, wishes: &Wishes) -> Result<FoundMeasures, Unclear> {
        let named = |measure, wish: Option<&str>, usual| {
            let place = self.named(wish, usual)?;
            self.with_more(place, measure, wishes)
        };
        let watts = named(ImportMeasure::Power, wishes.watts.as_deref(), "watts")?;
        let watthours = named(
            ImportMeasure::Register,
            wishes.watthours.as_deref(),
            "watthours",
        )?;
        if watts.is_some() || watthours.is_some() {
            return Ok((watts, watthours));
        }
        if self.long.is_some() {
            return Err(Unclear::WhichKeys);
        }
        self.guess()
    }

    fn named(&self, wish: Option<&str>, usual: &str) -> Result<Option<MeasurePlace>, Unclear> {
        let header = self.header;
        // The name of a column takes precedence over the same name of an entity or a field.
        match (wish, self.long) {
            (Some(wish), _) if header.column(wish).is_some() => {
                Ok(header.column(wish).map(|it| self.place(it)))
            }
            (Some(wish), Some((_, value))) => Ok(Some(self.keyed(value, wish))),
            (Some(wish), None) => match DayColumns::named(&header.names, wish) {
                Some(days) => Ok(Some(self.of_days(days))),
                None => Err(header.no_column(wish)),
            },
            (None, _) if header.position(usual).is_some() => {
                Ok(header.position(usual).map(|it| self.place(it)))
            }
            // A field may be called `watts`. An entity cannot: its name contains a dot, as in
            // `sensor.power`.
            (None, Some((_, value))) if self.shape == Shape::Flux => {
                Ok(Some(self.keyed(value, usual)))
            }
            (None, _) => Ok(None),
        }
    }

    fn with_more(
        &self,
        place: Option<MeasurePlace>,
        measure: ImportMeasure,
        wishes: &Wishes,
    ) -> Result<Option<MeasurePlace>, Unclear> {
        let Some(mut place) = place else {
            return Ok(None);
        };
        for (_, wish) in wishes.more.iter().filter(|(of, _)| *of == measure) {
            let column = self.header.column(wish);
            let column = column.ok_or_else(|| self.header.no_column(wish))?;
            let units = [place.unit, self.unit(column)];
            if let [Some(unit), Some(other)] = units
                && unit != other
            {
                return Err(Unclear::Said(format!(
                    "columns in different units cannot be added up: one is in {unit}, and {} in {other}",
                    brief(wish)
                )));
            }
            place.more.push(column);
        }
        Ok(Some(place))
    }

    fn unit(&self, column: usize) -> Option<&'static str> {
        let name = self.header.names.get(column)?;
        let in_cell = || with_unit(self.layout.sample(column)).map(|(_, unit)| unit);
        let in_name = unit_in(name).filter(|_| self.shape != Shape::Headerless);
        in_name.or_else(in_cell)
    }

    fn place(&self, column: usize) -> MeasurePlace {
        MeasurePlace {
            column,
            more: Vec::new(),
            key: None,
            unit: self.unit(column),
            days: None,
        }
    }

    fn of_days(&self, days: DayColumns) -> MeasurePlace {
        MeasurePlace {
            days: Some(days.clone()),
            ..self.place(days.column())
        }
    }

    fn keyed(&self, column: usize, key: &str) -> MeasurePlace {
        MeasurePlace {
            key: Some(key.as_bytes().to_vec()),
            unit: None,
            ..self.place(column)
        }
    }

    /// The only group of columns for the intervals of a day.
    fn guess_days(&self) -> Option<Result<FoundMeasures, Unclear>> {
        let mut all = DayColumns::all(&self.header.names);
        if all.len() > 1 {
            let wishes: Vec<_> = all
                .iter()
                .map(|days| days.wish(&self.header.names))
                .collect();
            return Some(Err(Unclear::Said(format!(
                "it has several columns for each interval of a day: choose one group with --watthours-column GROUP: they are {}",
                wishes.join(", ")
            ))));
        }
        let place = self.of_days(all.pop()?);
        let unit_column = self
            .header
            .names
            .iter()
            .position(|name| means(name, Meaning::Unit));
        let in_rows = unit_column.and_then(|column| {
            SeriesUnit::parse_any(&String::from_utf8_lossy(self.layout.sample(column)))
        });
        let in_rows = in_rows.map(SeriesUnit::measure);
        let measure = place.unit.and_then(ImportMeasure::of_unit).or(in_rows);
        let is_power = measure == Some(ImportMeasure::Power);
        Some(Ok(if is_power {
            (Some(place), None)
        } else {
            (None, Some(place))
        }))
    }

    /// The only column with a unit of power or energy, otherwise the only one whose name means
    /// energy.
    fn guess(&self) -> Result<FoundMeasures, Unclear> {
        if matches!(
            self.shape,
            Shape::Headerless | Shape::InfluxCli | Shape::Statistics
        ) {
            return Err(self.header.no_measure());
        }
        if let Some(found) = self.guess_days() {
            return found;
        }
        let numbers: Vec<usize> = (0..self.header.names.len())
            .filter(|column| {
                let kind = self.layout.kind(*column);
                matches!(kind, CellKind::Number | CellKind::Unknown) && !self.time.uses(*column)
            })
            .collect();
        let with = |measure| {
            let of = |column: &usize| {
                self.unit(*column).map(ImportMeasure::of_unit) == Some(Some(measure))
            };
            numbers.iter().copied().filter(of).collect::<Vec<_>>()
        };
        let (powers, energies) = (with(ImportMeasure::Power), with(ImportMeasure::Register));
        match (powers.as_slice(), energies.as_slice()) {
            ([], []) => {}
            (powers, [energy]) if powers.len() < 2 => {
                let watts = powers.first().map(|it| self.place(*it));
                return Ok((watts, Some(self.place(*energy))));
            }
            ([power], []) => return Ok((Some(self.place(*power)), None)),
            (powers, energies) if energies.len() < 2 => {
                return Err(self.header.several("power", "--watts-column", powers));
            }
            (_, energies) => {
                return Err(self
                    .header
                    .several("energy", "--watthours-column", energies));
            }
        }
        let is_energy = |column: &usize| {
            let name = self.header.names.get(*column).map_or("", String::as_str);
            means(name, Meaning::Energy)
                && !means(name, Meaning::Money)
                && !means(name, Meaning::Unit)
        };
        let named: Vec<_> = numbers.into_iter().filter(is_energy).collect();
        let has_intervals = self.time.has_bounds();
        match named.as_slice() {
            [column] if has_intervals => Ok((None, Some(self.place(*column)))),
            [_, _, ..] if has_intervals => {
                Err(self.header.several("energy", "--watthours-column", &named))
            }
            _ => Err(self.header.no_measure()),
        }
    }
}

#[cfg(test)]
mod tests;
