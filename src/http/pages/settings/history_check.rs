//! The readings of a file that was sent to the page, read as the command reads it.

use std::path::Path;
use std::sync::Arc;

use crate::domain::{MeterKind, Timestamp, Zone};
use crate::ingest::file::{
    ImportFile, ImportOptions, ImportSource, Purpose, RegisterColumn, Spool, TakenFile,
};
use crate::ingest::table::{DateOrder, KnownFormat, MeasureUnit, TimeReader, UnitWishes, Wishes};

/// The terms for reading a file.
#[derive(Clone, Debug, Default)]
pub(super) struct TableTerms {
    pub(super) wishes: Wishes,
    /// The units of power and energy, where the file has none.
    pub(super) units: [Option<MeasureUnit>; 2],
    /// The zone of times without one.
    pub(super) zone: Option<Zone>,
    pub(super) order: Option<DateOrder>,
    /// Whether bad rows are left out.
    pub(super) skips_bad: bool,
}

/// What a file is for: a sensor with that register, whose values wait in a folder, now.
pub(super) struct Destination<'a> {
    pub(super) sensor: (String, MeterKind),
    pub(super) spool_dir: &'a Path,
    pub(super) now: Timestamp,
    /// Formats that somebody described.
    pub(super) formats: Arc<[KnownFormat]>,
}

/// Reads a file, and checks it. Bad rows are counted, and left out.
///
/// # Errors
/// If it cannot be read, or a choice is missing; in the words of the command.
pub(super) fn check(
    file: &[u8],
    terms: &TableTerms,
    destination: Destination<'_>,
) -> Result<TakenFile, String> {
    let in_words = |error: &dyn std::fmt::Display| format!("{error:#}");
    // The unit of a measure that is not chosen does not matter.
    let [power, energy] = terms.units;
    let power = power.filter(|_| terms.wishes.watts.is_some());
    let energy = energy.filter(|_| terms.wishes.watthours.is_some());
    let units: Vec<_> = power.into_iter().chain(energy).collect();
    let options = ImportOptions {
        wishes: terms.wishes.clone(),
        times: TimeReader::new(terms.zone.clone(), terms.order, destination.now),
        units: UnitWishes::new(&units)?,
        registers: RegisterColumn::Sum,
        sensor: Some(destination.sensor),
        zone: None,
        formats: destination.formats,
    };
    let source = ImportSource::of_bytes(file.to_vec()).map_err(|error| in_words(&error))?;
    let spool = Spool::new(destination.spool_dir);
    let intake = ImportFile::Stream(source).read(&options, Purpose::Take(spool));
    let taken = intake.and_then(|intake| intake.finish(true));
    taken.map_err(|error| in_words(&error))
}
