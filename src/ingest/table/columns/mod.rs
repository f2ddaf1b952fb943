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
//!
//! `measures` finds the columns of power and of energy, with their units.

use self::measures::{MeasureFinder, unit_column};
use super::day_columns::DayColumns;
use super::header::{Header, Unclear};
use super::layout::TableLayout;
use super::time_place::TimePlace;
use super::wishes::{TimesAre, Wishes};

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
        let unit = unit_column(header, layout);
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
            unit,
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

mod measures;
#[cfg(test)]
mod tests;
