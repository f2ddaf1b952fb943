//! The readings of a file that was sent to the page, read as the command reads it.

use std::path::Path;
use std::sync::Arc;

use crate::domain::{Timestamp, Zone};
use crate::ingest::file::{
    ImportFile, ImportOptions, ImportSource, ImportTarget, Purpose, ReadableFile, RegisterColumn,
    Spool, TakenFile, readable,
};
use crate::ingest::table::{
    DateOrder, KnownFormat, MeasureUnit, TimeReader, UnitWishes, Wishes, unit_in,
};

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

impl TableTerms {
    /// The units in use: those of chosen measures whose column does not name one.
    pub(super) fn open_units(&self) -> Vec<MeasureUnit> {
        let [power, energy] = self.units;
        let is_open =
            |wish: &Option<String>| wish.as_deref().is_some_and(|wish| unit_in(wish).is_none());
        let power = power.filter(|_| is_open(&self.wishes.watts));
        let energy = energy.filter(|_| is_open(&self.wishes.watthours));
        power.into_iter().chain(energy).collect()
    }
}

/// The destination of a file: a sensor, a folder for values, and the present time.
pub(super) struct Destination<'a> {
    pub(super) sensor: ImportTarget,
    pub(super) spool_dir: &'a Path,
    pub(super) now: Timestamp,
    /// The described formats of the account.
    pub(super) formats: Arc<[KnownFormat]>,
}

/// A file for display. `sheet` names one of a workbook; empty for the only one with times.
///
/// # Errors
/// The reason, in words, if the file cannot be read.
pub(super) fn read_as_text(
    bytes: Vec<u8>,
    sheet: &str,
    now: Timestamp,
    most: usize,
) -> Result<ReadableFile, String> {
    let sheet = Some(sheet).filter(|sheet| !sheet.is_empty());
    let options = ImportOptions {
        wishes: Wishes::default(),
        times: TimeReader::new(None, None, now),
        units: UnitWishes::default(),
        registers: RegisterColumn::Sum,
        sensor: None,
        zone: None,
        formats: Arc::default(),
    };
    readable(bytes, sheet, &options, most).map_err(|error| format!("{error:#}"))
}

/// Reads and checks a file whose text has at most `most` bytes. Bad rows are counted and left out.
///
/// # Errors
/// If the file cannot be read, or a choice is missing; in the words of the command.
pub(super) fn check(
    file: &[u8],
    terms: &TableTerms,
    destination: Destination<'_>,
    most: usize,
) -> Result<TakenFile, String> {
    let in_words = |error: &dyn std::fmt::Display| format!("{error:#}");
    let options = ImportOptions {
        wishes: terms.wishes.clone(),
        times: TimeReader::new(terms.zone.clone(), terms.order, destination.now),
        units: UnitWishes::new(&terms.open_units())?,
        registers: RegisterColumn::Sum,
        sensor: Some(destination.sensor),
        zone: None,
        formats: destination.formats,
    };
    // The text may look like a packed file, or like one of another format than before.
    let source =
        ImportSource::of_small(file.to_vec(), None, most).map_err(|error| in_words(&error))?;
    let spool = Spool::new(destination.spool_dir);
    let intake = ImportFile::Stream(source).read(&options, Purpose::Take(spool));
    let taken = intake.and_then(|intake| intake.finish(true));
    taken.map_err(|error| in_words(&error))
}
