//! Readings of the chosen series.

use std::collections::VecDeque;

use anyhow::{Context as _, Result};

use super::tables::{
    PartRow, PartValue, RecorderTable, beginning, extent, rows_after, state_and_sum,
    unit_of_attributes,
};
use super::{RecorderDb, RecorderSeries, RegisterColumn};
use crate::domain::Timestamp;
use crate::ingest::file::intake::FileIntake;
use crate::ingest::file::selection::LabeledSeries;
use crate::ingest::table::{
    Cell, ImportMeasure, ParsedRow, SeriesUnit, TimeReader, When, Wishes, plain_number, shown,
};

/// The number of rows read at once.
const BATCH: u32 = 4_096;

/// The rows of the chosen series, table by table.
struct RecorderRows<'a> {
    db: &'a RecorderDb,
    times: TimeReader,
    /// The tables left to read; the first is being read.
    steps: VecDeque<RecorderStep>,
    batch: VecDeque<PartRow>,
    /// The row that was returned last.
    place: String,
    /// The attributes of the last state, and their unit.
    attributes: Option<(i64, Option<String>)>,
    /// The registers of a sum: its series, and the last register.
    sum: Option<(RecorderSeries, SeriesUnit)>,
    last_register: Option<(Timestamp, f64)>,
}

/// A table to read.
struct RecorderStep {
    table: RecorderTable,
    id: i64,
    /// The unit of its values; for states, if their attributes have none.
    unit: SeriesUnit,
    /// Added to each value, in watt-hours.
    base: f64,
    /// The last row that was read.
    after: (f64, i64),
    /// Readings at these times, in seconds, are in another table in more detail.
    leave_out: Option<(f64, f64)>,
}

/// Reads the wanted series of `db`.
///
/// # Errors
/// If the database cannot be read, or a unit is wrong.
pub(in crate::ingest::file) fn read_recorder(
    db: &RecorderDb,
    wishes: &Wishes,
    times: TimeReader,
    registers: RegisterColumn,
    intake: &mut FileIntake,
) -> Result<()> {
    let mut rows = RecorderRows {
        db,
        times,
        steps: VecDeque::new(),
        batch: VecDeque::new(),
        place: String::new(),
        attributes: None,
        sum: None,
        last_register: None,
    };
    for name in db.names().with_context(|| db.hint())? {
        let Some(series) = db.find(&name).with_context(|| db.hint())? else {
            continue;
        };
        // A series without a unit may be anything, unless the user names it.
        let is_named = [&wishes.watts, &wishes.watthours].contains(&&Some(name.clone()));
        if series.unit.is_none() && !is_named {
            continue;
        }
        let labeled = LabeledSeries {
            name: &name,
            labels: &[],
            full: name.clone(),
            unit: series.unit.as_deref(),
            is_only_energy: false,
        };
        let extent = || db.describe(&series).with_context(|| db.hint());
        if let Some(unit) = intake.offer_known(&labeled, extent)? {
            rows.plan(series, unit, registers)
                .with_context(|| db.hint())?;
        }
    }
    let mut number = 0;
    while let Some(part) = rows.next_part()? {
        number += 1;
        if let Some(row) = rows.row(&part)? {
            intake.take_at(row, number, || rows.place.clone())?;
        }
    }
    intake.place_word = "value";
    intake.remarks.extend(rows.remark());
    Ok(())
}

impl RecorderRows<'_> {
    /// Plans the reads of a series.
    fn plan(
        &mut self,
        series: RecorderSeries,
        unit: SeriesUnit,
        registers: RegisterColumn,
    ) -> Result<()> {
        let connection = &self.db.connection;
        let is_power = unit.measure() == ImportMeasure::Power;
        let is_sum = !is_power && registers == RegisterColumn::Sum;
        let base = match series.statistics {
            // Makes registers equal to the meter's until its first reset. The base comes from the
            // first hour, which is kept forever, so it is the same for every import of the
            // database. Other statistics use this column for something else.
            Some((id, true)) if is_sum => match beginning(connection, id)? {
                Some((state, sum)) => unit.convert(state - sum).unwrap_or_default(),
                None => 0.0,
            },
            _ => 0.0,
        };
        let parts = series.parts(is_power, registers);
        // The coarser part comes first, and leaves out the times of the finer part.
        let finer = match parts.last() {
            Some(&(table, id)) if parts.len() > 1 => extent(connection, table, id)?
                // The first five minutes end then; earlier values are not in them.
                .map(|part| (part.first - table.shift(), part.last)),
            _ => None,
        };
        for (index, (table, id)) in parts.into_iter().enumerate() {
            self.steps.push_back(RecorderStep {
                table,
                id,
                unit,
                base,
                after: (f64::NEG_INFINITY, i64::MIN),
                leave_out: finer.filter(|_| index == 0),
            });
        }
        if is_sum {
            self.sum = Some((series, unit));
        }
        Ok(())
    }

    /// Returns the next row, and its step.
    fn next_part(&mut self) -> Result<Option<PartRow>> {
        while let Some(step) = self.steps.front_mut() {
            if let Some(row) = self.batch.pop_front() {
                step.after = row.key;
                return Ok(Some(row));
            }
            let (table, id) = (step.table, step.id);
            let rows = rows_after(&self.db.connection, table, id, step.after, BATCH)
                .with_context(|| self.db.hint())?;
            if rows.is_empty() {
                self.steps.pop_front();
            }
            self.batch = rows.into();
        }
        Ok(None)
    }

    /// Converts a row; `None` if it is in another table in more detail.
    fn row(&mut self, part: &PartRow) -> Result<Option<ParsedRow>> {
        let Some(step) = self.steps.front() else {
            return Ok(None);
        };
        self.place = format!("row {} of {}", part.key.1, step.table.name());
        let seconds = part.key.0 + step.table.shift();
        if step
            .leave_out
            .is_some_and(|(after, until)| seconds > after && seconds <= until)
        {
            return Ok(None);
        }
        let (unit, base) = (step.unit, step.base);
        let time = match self.times.seconds(seconds) {
            Ok(time) => time,
            Err(reason) => return Ok(Some(ParsedRow::Bad(reason))),
        };
        let row = match &part.value {
            PartValue::None => ParsedRow::NoValue,
            PartValue::Number(number) => match unit.convert(*number) {
                // After adding a constant, the rounding noise of binary fractions is cut off:
                // meters have no millionths.
                Some(value) if base != 0.0 => {
                    unit.row_of(When::At(time), ((value + base) * 1e6).round() / 1e6)
                }
                _ => unit.row(When::At(time), *number),
            },
            PartValue::Text(text) => {
                let (text, attributes) = (text.clone(), part.attributes);
                self.state(time, &text, attributes, unit)?
            }
            PartValue::Wrong => ParsedRow::Bad("expected a number".to_owned()),
        };
        if let ParsedRow::Value(value) = &row
            && let Some(register) = value.watthours
        {
            self.last_register = Some((time, register));
        }
        Ok(Some(row))
    }

    /// Converts a state.
    fn state(
        &mut self,
        time: Timestamp,
        text: &str,
        attributes: Option<i64>,
        unit: SeriesUnit,
    ) -> Result<ParsedRow> {
        let number = match plain_number(text.as_bytes()) {
            Ok(Cell::Value(number)) => number,
            Ok(Cell::Empty | Cell::NoValue) => return Ok(ParsedRow::NoValue),
            Err(expected) => {
                let got = shown(text.as_bytes());
                return Ok(ParsedRow::Bad(format!("{expected}, got {got}")));
            }
        };
        let own = match attributes {
            Some(id) => self.unit_of_state(id)?,
            None => None,
        };
        // The unit may change from state to state.
        let unit = match own {
            None => unit,
            Some(own) => match SeriesUnit::parse(&own) {
                Some(own) if own.measure() == unit.measure() => own,
                _ => {
                    let own = shown(own.as_bytes());
                    return Ok(ParsedRow::Bad(format!("its unit is {own}")));
                }
            },
        };
        Ok(unit.row(When::At(time), number))
    }

    fn unit_of_state(&mut self, id: i64) -> Result<Option<String>> {
        if let Some((known, unit)) = &self.attributes
            && *known == id
        {
            return Ok(unit.clone());
        }
        let unit = unit_of_attributes(&self.db.connection, id).with_context(|| self.db.hint())?;
        self.attributes = Some((id, unit.clone()));
        Ok(unit)
    }
}

impl RecorderRows<'_> {
    /// After a reset, the sum differs from the meter's register, and live readings would not
    /// continue from it.
    fn remark(&self) -> Option<String> {
        /// In watt-hours; rounding errors are smaller.
        const NEAR: f64 = 1.0;
        let (series, unit) = self.sum.as_ref()?;
        let (time, register) = self.last_register?;
        let (id, is_recorded) = series.statistics?;
        let (state, _) = state_and_sum(&self.db.connection, id, true).ok()??;
        let shows = unit.convert(state)?;
        (is_recorded && (shows - register).abs() > NEAR).then(|| {
            format!(
                "{name} began anew at least once, and shows {shows} kWh where the imported register ends at {register} kWh. If its live \
                 readings follow on the same sensor, record that: wattkeeper correct meter-changed SENSOR --at {at} --old-end {register} \
                 --new-start {shows}",
                name = series.name,
                shows = shows / 1e3,
                register = register / 1e3,
                at = time.saturating_add_millis(1_000),
            )
        })
    }
}
