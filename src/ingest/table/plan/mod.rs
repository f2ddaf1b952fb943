//! The plan of a table: the meaning of each of its columns, from its header, the user's options, and
//! the layouts of other systems. `table_row` reads rows as it says, and `told` says it to people.
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
pub(super) use self::told::AskedTerms;
pub(crate) use self::told::{Decider, PlanPart};
use super::day_columns::DayColumns;
use super::header::{Header, Unclear, brief};
use super::layout::TableLayout;
use super::time_place::TimePlace;
use super::unit::{ImportMeasure, SeriesUnit, UnitWishes};
use super::wishes::{TimesAre, Wishes};
use super::words::unit_in;
use crate::domain::Role;
use crate::ingest::Quantity;

/// The meaning of a table. Columns count from 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TablePlan {
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
    /// The units of power and registers, unless a row has its own.
    pub(crate) units: [SeriesUnit; 2],
    /// Whether registers are energies of intervals.
    pub(crate) has_intervals: bool,
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

    /// The system's word for keys.
    pub(crate) const fn key_word(self) -> &'static str {
        match self {
            Self::HomeAssistant => "entities",
            _ => "fields",
        }
    }
}

impl Default for TablePlan {
    fn default() -> Self {
        Self {
            time: TimePlace::default(),
            watts: None,
            watthours: None,
            key: None,
            filters: Vec::new(),
            series: Vec::new(),
            names: Vec::new(),
            unit: None,
            shape: Shape::default(),
            units: [Quantity::WATTS, Quantity::WATTHOURS].map(SeriesUnit::one),
            has_intervals: false,
        }
    }
}

impl TablePlan {
    /// The columns of a table with this header and layout. Of several that fit, the role of the
    /// sensor chooses the one whose name says its direction.
    ///
    /// # Errors
    /// [`Unclear`], with the option that resolves it.
    pub(crate) fn find(
        header: &Header,
        wishes: &Wishes,
        layout: &TableLayout,
        role: Option<Role>,
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
            role,
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
        let measure = watthours.as_ref().or(watts.as_ref()).map(|it| it.column);
        let unit = unit_column(header, layout, measure);
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
            ..Self::default()
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

    /// Sets the units of the columns. The unit of energy must be known: some meters show Wh, others
    /// kWh.
    ///
    /// # Errors
    /// In words, with the option to add or leave out.
    pub(crate) fn set_units(&mut self, units: UnitWishes) -> Result<(), String> {
        let mut found = self.units;
        let places = [&self.watts, &self.watthours];
        let measures = [ImportMeasure::Power, ImportMeasure::Register];
        for ((own, measure), place) in found.iter_mut().zip(measures).zip(places) {
            let given = units.given(measure);
            let Some(place) = place else {
                // Either the column or the unit is a mistake.
                if given.is_some_and(|given| given != *own) {
                    return Err(match measure {
                        ImportMeasure::Power => "--unit kW is for power, but no column of power is chosen: see --watts-column",
                        ImportMeasure::Register => "--unit kWh is for energy, but no column of a register is chosen: see --watthours-column",
                    }
                    .to_owned());
                }
                continue;
            };
            let is_key = place.key.as_ref().is_some_and(|key| &**key == b"watthours");
            let is_own = is_key || self.name(place.column).eq_ignore_ascii_case("watthours");
            let said = place
                .unit
                .filter(|unit| ImportMeasure::of_unit(unit).is_some());
            let is_needed = !is_own && self.unit.is_none();
            if said.is_some() || given.is_some() || is_needed {
                *own = units.of(said, measure, &brief(&self.name(place.column)))?;
            }
        }
        self.units = found;
        Ok(())
    }

    /// The columns of numbers with a unit of power or energy that are not used.
    pub(crate) fn not_used(&self) -> impl Iterator<Item = (usize, SeriesUnit)> {
        let columns = self.names.iter().enumerate();
        columns.filter_map(|(column, name)| {
            let is_free = self.shape == Shape::Plain && !self.uses(column);
            let unit = unit_in(name).filter(|_| is_free)?;
            Some((column, SeriesUnit::parse(unit)?))
        })
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
mod told;
