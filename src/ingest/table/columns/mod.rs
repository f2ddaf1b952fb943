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

use super::header::{Header, Unclear};

/// The user's choices. Columns have names, or numbers from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wishes {
    /// The column of times.
    pub(crate) time: Option<String>,
    /// The column of power; with one row per value, the key of the values.
    pub(crate) watts: Option<String>,
    /// The column of the meter's register; likewise.
    pub(crate) watthours: Option<String>,
    /// Columns, each with the value of the rows to take.
    pub(crate) filters: Vec<(String, String)>,
}

/// The meaning of each column of a table. Columns count from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TableColumns {
    /// The time.
    pub(crate) time: usize,
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
    /// The system that wrote it.
    pub(crate) shape: Shape,
}

/// The place of a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MeasurePlace {
    /// The column of its numbers.
    pub(crate) column: usize,
    /// With one row per value: the key of its rows.
    pub(crate) key: Option<Vec<u8>>,
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
    /// Influx's command line.
    InfluxCli,
    /// Flux's result.
    Flux,
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
        } else if header.names.first().is_some_and(|name| name == "name") && has("time") {
            Self::InfluxCli
        } else {
            Self::Plain
        }
    }

    /// Whether rows without any value are usual.
    pub(crate) const fn has_empty_rows(self) -> bool {
        matches!(self, Self::HomeAssistant | Self::InfluxCli | Self::Flux)
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
    /// The columns of a table with this header.
    ///
    /// # Errors
    /// [`Unclear`], with the option that resolves it.
    pub(crate) fn find(header: &Header, wishes: &Wishes) -> Result<Self, Unclear> {
        let shape = Shape::of(header);
        let long = Self::key_and_value(header);
        let key = long.map(|(key, _)| key);
        let time = header.time(wishes.time.as_deref())?;
        // The name of a column takes precedence over the same name of an entity or a field.
        let measure = |wish: Option<&str>, usual: &str| match (wish, long) {
            (Some(wish), _) if header.column(wish).is_some() => Ok(header.column(wish).map(column)),
            (Some(wish), Some((_, value))) => Ok(Some(keyed(value, wish))),
            (Some(wish), None) => Err(header.no_column(wish)),
            (None, _) if header.position(usual).is_some() => Ok(header.position(usual).map(column)),
            // A field may be called `watts`. An entity cannot: its name contains a dot, as in
            // `sensor.power`.
            (None, Some((_, value))) if shape == Shape::Flux => Ok(Some(keyed(value, usual))),
            (None, _) => Ok(None),
        };
        let watts = measure(wishes.watts.as_deref(), "watts")?;
        let watthours = measure(wishes.watthours.as_deref(), "watthours")?;
        if watts.is_none() && watthours.is_none() {
            return Err(match long {
                Some(_) => Unclear::WhichKeys,
                None => header.no_measure(),
            });
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
        self.time == column
            || self.key == Some(column)
            || self.filters.iter().any(|(filter, _)| *filter == column)
            || measures
                .into_iter()
                .flatten()
                .any(|measure| measure.column == column)
    }

    fn find_series(&self, header: &Header) -> Vec<usize> {
        /// The columns that Flux adds to every table.
        const FLUX: [&str; 8] = [
            "", "result", "table", "_start", "_stop", "_time", "_value", "_field",
        ];
        let distinguishes = |column: usize, name: &str| match self.shape {
            Shape::HomeAssistant => name == "entity_id",
            Shape::InfluxCli => column == 0 || name == "tags",
            Shape::Plain => name == "statistic_id",
            Shape::Headerless => false,
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

const fn column(column: usize) -> MeasurePlace {
    MeasurePlace { column, key: None }
}

fn keyed(column: usize, key: &str) -> MeasurePlace {
    MeasurePlace {
        column,
        key: Some(key.as_bytes().to_vec()),
    }
}

#[cfg(test)]
mod tests;
