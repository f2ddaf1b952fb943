//! Finds the columns of power and of the register.

use super::super::day_columns::DayColumns;
use super::super::header::{Header, Unclear, brief};
use super::super::layout::{CellKind, TableLayout};
use super::super::role_words::fits;
use super::super::time_place::TimePlace;
use super::super::unit::{ImportMeasure, SeriesUnit, with_unit};
use super::super::wishes::Wishes;
use super::super::words::{Meaning, means, unit_in};
use super::{MeasurePlace, Shape};
use crate::domain::Role;

fn sample_unit(layout: &TableLayout, column: usize) -> Option<SeriesUnit> {
    SeriesUnit::parse_any(&String::from_utf8_lossy(layout.sample(column)))
}

/// The column with the unit of each row: one with a unit, otherwise the first with such a name. Of
/// several, the first one behind the column `of` of a measure.
pub(super) fn unit_column(
    header: &Header,
    layout: &TableLayout,
    of: Option<usize>,
) -> Option<usize> {
    let is_text = |column| matches!(layout.kind(column), CellKind::Text | CellKind::Unknown);
    let named = |(column, name): (usize, &String)| {
        let is_one = header.headerless_time.is_none() && means(name, Meaning::Unit);
        (is_one && is_text(column)).then_some(column)
    };
    let named = header.names.iter().enumerate().filter_map(named);
    let found = named
        .clone()
        .filter(|column| sample_unit(layout, *column).is_some());
    let mut behind = found.clone().filter(|column| Some(*column) > of);
    behind
        .next()
        .or_else(|| found.clone().next())
        .or_else(|| named.clone().next())
}

/// Finds the columns of power and of the register.
pub(super) struct MeasureFinder<'a> {
    pub(super) header: &'a Header<'a>,
    pub(super) layout: &'a TableLayout,
    pub(super) time: &'a TimePlace,
    pub(super) long: Option<(usize, usize)>,
    pub(super) shape: Shape,
    /// The role of the sensor.
    pub(super) role: Option<Role>,
}

type FoundMeasures = (Option<MeasurePlace>, Option<MeasurePlace>);

impl MeasureFinder<'_> {
    pub(super) fn find(&self, wishes: &Wishes) -> Result<FoundMeasures, Unclear> {
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
        let place = self.place(days.column());
        MeasurePlace {
            days: Some(days),
            ..place
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
        let measure = place.unit.and_then(ImportMeasure::of_unit);
        let measure = measure.or(self.measure_of_rows());
        let is_power = measure == Some(ImportMeasure::Power);
        Some(Ok(if is_power {
            (Some(place), None)
        } else {
            (None, Some(place))
        }))
    }

    /// The measure of the unit that the first row has in a column of its own.
    fn measure_of_rows(&self) -> Option<ImportMeasure> {
        let column = unit_column(self.header, self.layout, None)?;
        Some(sample_unit(self.layout, column)?.measure())
    }

    /// Those of these columns whose names say the direction of the sensor; all, if none does.
    fn of_role(&self, columns: Vec<usize>) -> Vec<usize> {
        let name = |column: usize| self.header.names.get(column).map_or("", String::as_str);
        let says = |column: &usize| self.role.is_some_and(|role| fits(role, name(*column)));
        match columns.iter().copied().filter(says).collect::<Vec<_>>() {
            fitting if fitting.is_empty() => columns,
            fitting => fitting,
        }
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
            self.of_role(numbers.iter().copied().filter(of).collect())
        };
        let (powers, energies) = (with(ImportMeasure::Power), with(ImportMeasure::Register));
        match (powers.as_slice(), energies.as_slice()) {
            ([], []) => {}
            // Energy is enough: several powers beside it are often extremes.
            (powers, [energy]) => {
                let only = powers.first().filter(|_| powers.len() == 1);
                let watts = only.map(|it| self.place(*it));
                return Ok((watts, Some(self.place(*energy))));
            }
            ([power], []) => return Ok((Some(self.place(*power)), None)),
            (powers, []) => {
                return Err(self.header.several("power", "--watts-column", powers));
            }
            (_, energies) => {
                return Err(self
                    .header
                    .several("energy", "--watthours-column", energies));
            }
        }
        if let ([only], Some(measure)) = (numbers.as_slice(), self.measure_of_rows()) {
            let place = Some(self.place(*only));
            return Ok(match measure {
                ImportMeasure::Power => (place, None),
                ImportMeasure::Register => (None, place),
            });
        }
        let is_energy = |column: &usize| {
            let name = self.header.names.get(*column).map_or("", String::as_str);
            means(name, Meaning::Energy)
                && !means(name, Meaning::Money)
                && !means(name, Meaning::Currency)
                && !means(name, Meaning::Unit)
        };
        let named = self.of_role(numbers.into_iter().filter(is_energy).collect());
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
