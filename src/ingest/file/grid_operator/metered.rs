//! A series of a grid operator's message: an OBIS code of a metering point.

use anyhow::{Result, bail};

use super::obis::ObisCode;
use crate::ingest::file::intake::{FileIntake, Offer};
use crate::ingest::file::selection::LabeledSeries;
use crate::ingest::table::{Cell, ImportMeasure, ParsedRow, RowWhen, SeriesUnit};

/// The names of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SeriesNames {
    /// The OBIS code.
    pub(super) code: String,
    /// The metering point, or else the number of the meter.
    pub(super) point: String,
    /// The unit by the message; empty if it says none.
    pub(super) unit: String,
    pub(super) is_interval: bool,
}

/// The values of a message on their way to the sensor.
pub(super) struct MeteredRows<'a> {
    pub(super) intake: &'a mut FileIntake,
    /// The series of the last value.
    series: Option<MeteredSeries>,
    substitutes: u64,
}

/// A series, and what to do with its values.
struct MeteredSeries {
    names: SeriesNames,
    full: String,
    unit: String,
    offer: Offer,
}

impl<'a> MeteredRows<'a> {
    pub(super) const fn new(intake: &'a mut FileIntake) -> Self {
        Self {
            intake,
            series: None,
            substitutes: 0,
        }
    }

    /// Takes a value of a series; returns whether the sensor gets it. The grid operator may have
    /// estimated it.
    ///
    /// # Errors
    /// If it cannot be stored, or a choice is missing.
    pub(super) fn take(
        &mut self,
        names: &SeriesNames,
        (value, is_substitute): (Result<(RowWhen, Cell), String>, bool),
        place: u64,
    ) -> Result<bool> {
        let known = self.series.take().filter(|series| series.names == *names);
        let offered = match known {
            Some(series) => Ok(series),
            None => MeteredSeries::offer(names.clone(), self.intake),
        };
        let series = match offered {
            Ok(series) => series,
            Err(why) => bail!("{} {place}: {why}", self.intake.place_word),
        };
        let is_taken = matches!(series.offer, Offer::Take(_));
        let has_value = matches!(value, Ok((_, Cell::Value(_))));
        self.substitutes += u64::from(is_taken && is_substitute && has_value);
        series.take(value, place, self.intake)?;
        self.series = Some(series);
        Ok(is_taken)
    }

    /// Says how many values are substitutes.
    pub(super) fn tell_substitutes(&mut self) {
        if self.substitutes > 0 {
            self.intake.remarks.push(format!(
                "{} of its values are substitutes, which the grid operator estimated",
                self.substitutes
            ));
        }
    }
}

impl MeteredSeries {
    /// Offers a series. One that flows against the role of the sensor, and one that is no energy or
    /// power, is passed over.
    ///
    /// # Errors
    /// As [`FileIntake::offer`], and if the sensor has another kind of register.
    fn offer(names: SeriesNames, intake: &mut FileIntake) -> Result<Self, String> {
        let code = ObisCode::parse(&names.code);
        let unit = unit_of(&names.unit)
            .or_else(|| Some(code?.unit().to_owned()).filter(|_| names.unit.is_empty()));
        let kind = if names.is_interval {
            "intervals"
        } else {
            "readings"
        };
        let of = if names.is_interval {
            "of"
        } else {
            "readings of"
        };
        let full = format!("{} {of} {}", names.code, names.point);
        let mut series = Self {
            full,
            unit: unit.clone().unwrap_or_else(|| names.unit.clone()),
            offer: Offer::Pass,
            names,
        };
        let (Some(code), Some(unit)) = (code, unit) else {
            // Reactive energy, gas and highest values are listed, and never taken.
            if intake.lists() {
                series.offer = Offer::Count;
            }
            return Ok(series);
        };
        let labels = [("meter", series.names.point.as_str()), ("kind", kind)];
        let labeled = LabeledSeries {
            name: &series.names.code,
            labels: &labels,
            full: series.full.clone(),
            unit: Some(&unit),
            is_only_energy: true,
        };
        let role = intake.sensor.as_ref().map(|sensor| sensor.role);
        series.offer = intake.offer_if(&labeled, code.suits(role))?;
        if let Offer::Take(unit) = series.offer
            && unit.measure() == ImportMeasure::Register
        {
            let begun = if series.names.is_interval {
                intake.begin_intervals()
            } else {
                intake.begin_registers()
            };
            begun.map_err(|error| error.to_string())?;
        }
        Ok(series)
    }

    /// Takes a value, or counts it.
    ///
    /// # Errors
    /// If it cannot be stored.
    fn take(
        &self,
        value: Result<(RowWhen, Cell), String>,
        place: u64,
        intake: &mut FileIntake,
    ) -> Result<()> {
        let row = match (self.offer, value) {
            (Offer::Pass, _) => ParsedRow::Other,
            (Offer::Count, Ok((at, Cell::Value(_)))) => {
                intake.count(&self.full, Some(&self.unit), at.when);
                return Ok(());
            }
            (Offer::Count, Ok(_)) => ParsedRow::NoValue,
            (Offer::Take(unit), Ok((at, cell))) => row(unit, at, cell),
            (_, Err(why)) => ParsedRow::Bad(why),
        };
        intake.take(row, place)
    }
}

fn row(unit: SeriesUnit, at: RowWhen, cell: Cell) -> ParsedRow {
    let cell = match cell {
        Cell::Value(number) => match unit.convert(number) {
            Some(value) => Cell::Value(value),
            None => return ParsedRow::Bad(format!("expected a finite number, got {number}")),
        },
        // The message says that there is none.
        Cell::Empty | Cell::NoValue => Cell::NoValue,
    };
    let cells = match unit.measure() {
        ImportMeasure::Power => [cell, Cell::Empty],
        ImportMeasure::Register => [Cell::Empty, cell],
    };
    ParsedRow::new(at, cells, true, String::new)
}

/// The unit of energy or power with a code of EDIFACT or ebUtilities.
fn unit_of(code: &str) -> Option<String> {
    let unit = match code.to_ascii_uppercase().as_str() {
        "KWH" => "kWh",
        "WHR" | "WH" => "Wh",
        "MWH" => "MWh",
        "KWT" | "KW" => "kW",
        "WTT" | "W" => "W",
        "MAW" | "MW" => "MW",
        _ => return None,
    };
    Some(unit.to_owned())
}
