//! The options for reading a table.

use std::sync::Arc;

use super::header::Header;
use super::known::KnownFormat;
use super::plan::TablePlan;
use super::times::TimeReader;
use super::unit::UnitWishes;
use super::wishes::Wishes;
use crate::domain::{Role, Zone};

/// The options for reading a table.
#[derive(Clone)]
pub(crate) struct TableOptions {
    pub(crate) wishes: Wishes,
    pub(crate) times: TimeReader,
    pub(crate) units: UnitWishes,
    /// Whether energies belong to intervals; `None` if only the table can tell.
    pub(crate) has_intervals: Option<bool>,
    /// Whether a known format says so.
    pub(crate) says_intervals: bool,
    /// Whether columns are only counted, so that their units do not matter.
    pub(crate) counts_only: bool,
    /// The sensor and its part of the house, unless the user named a column.
    pub(crate) sensor: Option<(String, Role)>,
    /// The zone of the account.
    pub(crate) account_zone: Option<Zone>,
    /// The described formats of the account.
    pub(crate) formats: Arc<[KnownFormat]>,
}

impl TableOptions {
    /// The role of the sensor, unless the user named a column.
    pub(crate) fn role(&self) -> Option<Role> {
        self.sensor.as_ref().map(|(_, role)| *role)
    }

    /// Sets the units of a table's columns, unless they do not matter.
    ///
    /// # Errors
    /// In words, if one is unclear.
    pub(super) fn set_units(&self, columns: &mut TablePlan) -> Result<(), String> {
        if self.counts_only {
            return Ok(());
        }
        columns.set_units(self.units)
    }

    /// Takes the terms that are still open from a known format.
    pub(crate) fn complete(&mut self, format: &KnownFormat, header: &Header) {
        let read = &format.read;
        format.complete_wishes(header, &mut self.wishes);
        let dates = read.dates.as_ref().and_then(|text| text.parse().ok());
        self.times.or_order(dates);
        self.times
            .or_zone(format.zone_in(self.account_zone.as_ref()));
        let units = read.unit.as_deref().unwrap_or_default().split(' ');
        units
            .filter_map(|unit| unit.parse().ok())
            .for_each(|unit| self.units.or(unit));
        self.says_intervals |= read.intervals;
        if read.intervals && self.has_intervals.is_none() {
            self.has_intervals = Some(true);
        }
    }
}
