//! The single stream of values for all formats: a reader offers its series and passes on each
//! wanted value, with its time or interval. Listing, choice, units, counts and checks happen here.

use anyhow::{Result, bail};

use super::checked::CheckedValues;
use super::counts::SeriesCounts;
use super::in_order::{FileEnergies, ValueRules};
use super::listing::FileSeries;
use super::nothing::why_nothing;
use super::options::ImportTarget;
use super::passes::{Passes, empty};
use super::selection::{LabeledSeries, SeriesSelection};
use super::spool::{Spool, Spooled};
use super::tally::RowTally;
use crate::domain::MeterKind;
use crate::ingest::table::{OtherUnits, RowTraits};
use crate::ingest::table::{ParsedRow, PlanPart, When, Wishes};
use crate::ingest::table::{SeriesUnit, UnitWishes};

/// The purpose of reading a file.
pub(crate) enum Purpose {
    /// To list its series.
    List,
    /// To check its values and keep them.
    Take(Spool),
}

/// The answer to a reader that offers a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Offer {
    /// Pass on its values, in this unit.
    Take(SeriesUnit),
    /// Count its values.
    Count,
    /// Skip it.
    Pass,
}

/// The values of a file being read.
pub(crate) struct FileIntake {
    selection: SeriesSelection,
    counts: Option<SeriesCounts>,
    spool: Option<Spool>,
    /// Rows whose times the others decide.
    pub(super) passes: Passes,
    /// Series whose extent is known without reading their values.
    known: Vec<FileSeries>,
    pub(crate) tally: RowTally,
    /// The other columns of rows.
    pub(super) traits: RowTraits,
    pub(crate) rules: ValueRules,
    /// The word for a place in the file, such as `line`.
    pub(super) place_word: &'static str,
    /// The supplier, if the format is known.
    pub(super) format: Option<String>,
    /// How a table is read.
    pub(super) plan: Vec<PlanPart>,
    /// Remarks for the user about the file, one sentence each.
    pub(crate) remarks: Vec<String>,
    /// Whether the reader chooses columns, not series.
    pub(super) has_columns: bool,
    /// Sheets with times that are not read.
    pub(super) other_sheets: Vec<String>,
    /// Units of rows that are of neither power nor energy.
    pub(super) other_units: OtherUnits,
    /// The sensor that the values are for.
    pub(crate) sensor: Option<ImportTarget>,
    /// A question about the whole file, asked after its last row.
    pub(super) question: Option<String>,
}

/// A file whose values were kept.
pub(crate) struct TakenFile {
    pub(crate) tally: RowTally,
    pub(crate) values: CheckedValues,
    pub(crate) format: Option<String>,
    /// How a table was read; empty for other files.
    pub(crate) plan: Vec<PlanPart>,
    pub(crate) remarks: Vec<String>,
    other_units: OtherUnits,
    energies: FileEnergies,
}

impl TakenFile {
    /// Why there is nothing to store, in words; `None` if there is something.
    pub(crate) fn nothing(&self) -> Option<String> {
        let is_empty = self.values.summary.readings == 0;
        is_empty.then(|| why_nothing(&self.tally, &self.other_units, self.energies))
    }
}

impl FileIntake {
    /// An intake of the series that `wishes` name.
    pub(crate) fn new(wishes: &Wishes, units: UnitWishes, purpose: Purpose) -> Self {
        let (counts, spool) = match purpose {
            Purpose::List => (Some(SeriesCounts::default()), None),
            Purpose::Take(spool) => (None, Some(spool)),
        };
        Self {
            selection: SeriesSelection::new(wishes, units),
            counts,
            spool,
            passes: Passes::default(),
            known: Vec::new(),
            tally: RowTally::default(),
            traits: RowTraits::default(),
            rules: ValueRules {
                energies: if wishes.from_registers {
                    FileEnergies::BetweenRegisters
                } else {
                    FileEnergies::Registers
                },
                ..ValueRules::default()
            },
            place_word: "line",
            format: None,
            plan: Vec::new(),
            remarks: Vec::new(),
            has_columns: false,
            other_sheets: Vec::new(),
            other_units: OtherUnits::default(),
            sensor: None,
            question: None,
        }
    }

    /// Notes that the values are energies of intervals.
    ///
    /// # Errors
    /// If the sensor has another kind of register.
    pub(super) fn begin_intervals(&mut self) -> Result<()> {
        if self.rules.energies == FileEnergies::BetweenRegisters {
            bail!("its values are energies of intervals: leave out --from-registers");
        }
        self.rules.energies = FileEnergies::Intervals;
        match &self.sensor {
            Some(target) if target.register != MeterKind::Interval => bail!(
                "its values are energies of intervals, but the register of {} is {}: add a sensor for them, with --register interval",
                target.sensor,
                target.register.as_str()
            ),
            _ => Ok(()),
        }
    }

    /// Notes that the values are those of a meter's register.
    ///
    /// # Errors
    /// If the sensor stores energies of intervals, and the user did not ask for those between registers.
    pub(super) fn begin_registers(&self) -> Result<()> {
        let is_between = self.rules.energies == FileEnergies::BetweenRegisters;
        match &self.sensor {
            Some(target) if target.register == MeterKind::Interval && !is_between => bail!(
                "its values are those of a meter's register, but each value of {} is the energy of an interval: store the energy between them, with --from-registers, or add a sensor for registers, with --register counter",
                target.sensor
            ),
            _ => Ok(()),
        }
    }

    /// Whether to list the series only.
    pub(super) const fn lists(&self) -> bool {
        self.counts.is_some()
    }

    /// Offers a series, and returns what to do with it.
    ///
    /// # Errors
    /// If its unit is unclear, or another series of that name was taken before.
    pub(super) fn offer(&mut self, series: &LabeledSeries) -> Result<Offer, String> {
        if self.lists() {
            return Ok(Offer::Count);
        }
        let chosen = self.selection.choose(series)?;
        Ok(chosen.map_or(Offer::Pass, Offer::Take))
    }

    /// Offers a series that may be of no use to the sensor. `suits` tells whether it is; otherwise it
    /// is only taken if the user names it.
    ///
    /// # Errors
    /// As [`Self::offer`].
    pub(super) fn offer_if(
        &mut self,
        series: &LabeledSeries,
        suits: bool,
    ) -> Result<Offer, String> {
        if suits || self.lists() || self.selection.is_named() {
            return self.offer(series);
        }
        self.selection.pass_over(series);
        Ok(Offer::Pass)
    }

    /// Offers a series whose extent is known.
    ///
    /// # Errors
    /// As [`Self::offer`].
    pub(super) fn offer_known(
        &mut self,
        series: &LabeledSeries,
        extent: impl FnOnce() -> Result<FileSeries>,
    ) -> Result<Option<SeriesUnit>> {
        match self.offer(series).map_err(anyhow::Error::msg)? {
            Offer::Take(unit) => Ok(Some(unit)),
            Offer::Pass => Ok(None),
            Offer::Count => {
                self.known.push(extent()?);
                Ok(None)
            }
        }
    }

    /// Counts a value of a series, for the list.
    pub(super) fn count(&mut self, name: &str, unit: Option<&str>, when: When) {
        let (first, last) = match when {
            When::At(time) | When::From(time) | When::Until(time) => (time, time),
            When::Between(start, end) => (start, end),
        };
        if let Some(counts) = &mut self.counts {
            counts.see(name, unit, first, last);
        }
    }

    /// Takes the next row; `place` is its number.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub(super) fn take(&mut self, row: ParsedRow, place: u64) -> Result<()> {
        let word = self.place_word;
        self.take_at(row, place, || placed(word, place))
    }

    /// Takes the next row, where bad rows have places of their own.
    pub(super) fn take_at(
        &mut self,
        row: ParsedRow,
        place: u64,
        text: impl FnOnce() -> String,
    ) -> Result<()> {
        let without = match row {
            ParsedRow::Empty(at) => Some(empty(at)),
            _ => None,
        };
        let value = self.tally.count(row, text).or(without);
        if let Some(value) = value
            && let Some(spool) = &mut self.spool
            && let Some(value) = self.passes.take(value, place).map_err(anyhow::Error::msg)?
        {
            spool.push(Spooled { value, place })?;
        }
        Ok(())
    }

    /// The series in the file, and whether there are more.
    pub(crate) fn listed(self) -> (Vec<FileSeries>, bool) {
        let (mut series, more) = self.counts.unwrap_or_default().finish();
        let mut known = self.known;
        known.append(&mut series);
        (known, more)
    }

    /// Refuses to make energies of intervals for a sensor of registers.
    fn check_kinds(&self) -> Result<()> {
        let Some(target) = &self.sensor else {
            return Ok(());
        };
        let is_between = self.rules.energies == FileEnergies::BetweenRegisters;
        if is_between && target.register != MeterKind::Interval {
            bail!(
                "the register of {} is {}, so it takes what a meter shows as it is: leave out --from-registers",
                target.sensor,
                target.register.as_str()
            );
        }
        Ok(())
    }

    /// Checks all values, after the last row. Bad rows are refused unless they are skipped.
    ///
    /// # Errors
    /// In words, with the remedy: bad rows, a missing choice, or an unclear one.
    pub(crate) fn finish(self, skips_bad: bool) -> Result<TakenFile> {
        let (bad, read) = (self.tally.bad, self.tally.read);
        self.check_kinds()?;
        if bad > 0 && !skips_bad {
            // Too many are not to be skipped.
            match self.tally.too_many_bad() {
                Some(why) => bail!(BadRows(why)),
                None => bail!(BadRows(format!(
                    "{bad} of {read} rows are bad, nothing was stored: correct them, or leave them out with --skip-bad"
                ))),
            }
        }
        let missing = self.selection.missing().filter(|_| !self.has_columns);
        if let Some(missing) = missing {
            bail!(missing);
        }
        let Some(mut spool) = self.spool else {
            bail!("a file that is listed has no readings");
        };
        let mut remarks = self.remarks;
        remarks.extend(self.selection.passed_over());
        if !self.other_sheets.is_empty() {
            let names = self.other_sheets.join(", ");
            remarks.push(format!(
                "not read: other sheets with times: {names}; choose one with --sheet NAME"
            ));
        }
        let (waiting, once) = self.passes.resolve().map_err(anyhow::Error::msg)?;
        for (value, place) in waiting {
            spool.push(Spooled { value, place })?;
        }
        remarks.extend(once);
        let word = self.place_word;
        let place = |number| placed(word, number);
        let energies = self.rules.energies;
        let values = CheckedValues::new(spool.finish(), self.rules, &self.traits, place)?;
        if let Some(question) = self.question {
            bail!(question);
        }
        let sums = values.sums();
        if sums > 0 {
            remarks.push(format!(
                "left out: {sums} that cover others and have their sum, such as a row of a day among its hours"
            ));
        }
        // Without a sensor, nothing says what the values should be.
        let doubt = values.doubt.filter(|_| self.sensor.is_some());
        remarks.extend(doubt.map(str::to_owned));
        Ok(TakenFile {
            tally: self.tally,
            values,
            format: self.format,
            plan: self.plan,
            remarks,
            other_units: self.other_units,
            energies,
        })
    }
}

/// Bad rows, unless the user skips them.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BadRows(String);

fn placed(word: &str, number: u64) -> String {
    format!("{word} {number}")
}
