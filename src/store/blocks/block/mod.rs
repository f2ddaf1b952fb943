//! A sealed block: readings of one sensor as compressed columns under a checksum, in pages that can
//! be unpacked one by one. It only knows bytes; `volumes.rs` stores blocks.
//!
//! | file | content |
//! | --- | --- |
//! | `format` | constants and errors |
//! | `varint`, `presence`, `steps`, `packed` | the parts: integers, missing measures, scaled integers and their predictors, pco |
//! | `directory`, `timing` | facts about pages that are known without unpacking them |
//! | `totals` | the totals of a page, to the directory and back |
//! | `columns`, `encode` | encoding |
//! | `times`, `numbers`, `pages` | decoding: times, measures, the whole |
//!
//! # Format
//!
//! docs/FORMATS.md describes it for readers without this code, including pco's additions: change it
//! together with this.
//!
//! Numbers of more than a byte are little-endian. Varints are those of `varint.rs`.
//!
//! | offset | bytes | content |
//! | --- | --- | --- |
//! | 0 | 1 | version: 2 |
//! | 1 | 4 | CRC-32 (IEEE) of all that follows |
//! | 5 | 2 | number of readings, at least 1 |
//! | 7 | 1 | presence: bits 0 and 1 of watts, bits 2 and 3 of watt-hours: 0 no reading has it, 1 all have it, 2 a map follows |
//! | 8 | 3 | coding of times, of watts, of watt-hours; 0 for a measure that no reading has |
//! | 11 | | map of watts; map of watt-hours: `presence.rs` |
//! | | | for each column coded as steps, in the order times, watts, watt-hours: base (signed varint), unit (signed varint) |
//! | | | the directory: for each page a varint, eight times its length in bytes plus the columns that are packed in it (1 times, 2 watts, 4 watt-hours), then the fields below |
//! | | | the header of pco's wrapped format; pco's chunk metadata of times, watts, watt-hours |
//! | | | the pages: for each the packed numbers of times, watts, watt-hours, each one pco page |
//!
//! A page has 256 readings; the last one has the rest. Readings without a measure are omitted from
//! its column. A column without packed numbers takes no bytes, neither in a page nor in the
//! metadata.
//!
//! The coding of a column is 0xFF if its numbers are stored unchanged (f64; measures only).
//! Otherwise the column is coded as steps (i64; `steps.rs`): bits 4 to 7 are the decimals, 0 to 6
//! (0 for times, which are milliseconds since 1970), bits 0 to 3 the predictor. A number is (base +
//! unit * step) / 10^decimals. The directory holds the first step of each page. Of the others, the
//! differences from the prediction are packed, unless all are 0 or the page's times are equally
//! spaced.
//!
//! | predictor | predicts |
//! | --- | --- |
//! | 0 | 0 |
//! | 1 | the step before |
//! | 2 | the step before plus its own difference, which is 0 for the first step of a page |
//! | 3 | watt-hours only: the step before plus the energy since: each reading's power over the time since the reading before |
//! | 4 | watt-hours only: the same, with the mean of the two readings' power |
//!
//! The directory describes a page in steps. It omits a measure that is not coded as steps or that
//! the page lacks:
//!
//! | column | fields, as signed varints except for the phase |
//! | --- | --- |
//! | times | the first: its distance from the first of the page before, minus the distance before that. If the page has no packed times: their spacing, as a varint |
//! | watts | the first, minus that of the page before; the first minus the minimum; the maximum minus the first; the sum; the energy, see below |
//! | watt-hours | the first, minus the last of the page before; the last minus the first; a byte: the phase, how much of the next step had accrued at the first reading, in 1/256; the falls, see below |
//! | timing | see below |
//!
//! The energy, the falls and the timing are values that the ledger needs (`ledger::RegisterRun`,
//! `ledger::PowerRun`) and cannot derive. All but the last power are varints.
//!
//! - The energy, if no reading of the block has watt-hours, and the page has two readings: the last
//!   power, minus the first, as a signed varint; the energy imported and exported in millionths of
//!   a watt-hour.
//! - The falls, if the page has two registers: the sum of the falls in steps; the steepest rise in
//!   watts, if the sum of the rises is not 0; the steepest fall, if that of the falls is not 0; for
//!   how long before the last register all had the same value, in steps of time.
//! - The timing, of the readings with watt-hours, or of all in a block without any; omitted if
//!   nothing is described, or if all readings of the page count and their times are not packed. In
//!   steps of time: the first, since the page's first reading; if there are two, the last minus the
//!   first; if there are three, the longest spacing, and that minus the last one, and minus the one
//!   before it.
//!
//! A block has at most 6,000 bytes, so that damage costs little, and reading one stays cheap.

mod columns;
mod directory;
mod encode;
mod format;
mod numbers;
mod packed;
mod pages;
mod presence;
mod steps;
mod times;
mod timing;
mod totals;
pub(crate) mod varint;

pub use self::encode::encode;
pub use self::format::{DecodeError, EncodeError};
pub(crate) use self::format::{MAX_BYTES, MAX_READINGS};
pub(crate) use self::pages::Pages;
use crate::domain::{Reading, TimeRange, Timestamp};
use crate::store::blocks::measure::{Measure, Values};

/// The readings of a block, in ascending order of time.
///
/// # Errors
/// [`DecodeError`] if the bytes are not a valid block.
pub fn decode(block: &[u8]) -> Result<Vec<Reading>, DecodeError> {
    Pages::open(block.to_vec(), None)?.readings()
}

/// The values of one measure in a range, in ascending order of time. Unpacks only the pages that
/// extend into the range.
///
/// # Errors
/// [`DecodeError`] if the bytes are not a valid block.
pub fn decode_measure(
    block: &[u8],
    measure: Measure,
    range: TimeRange,
) -> Result<Values, DecodeError> {
    let mut pages = Pages::open(block.to_vec(), Some(measure))?;
    let mut values = Values::default();
    for page in 0..pages.len() {
        let reach = pages.reach(page, Timestamp::MAX);
        if reach.is_some_and(|r| r.start() <= range.end() && range.start() <= r.end()) {
            values = values.overlaid_by(pages.values(page, measure)?);
        }
    }
    Ok(values.clipped(range))
}

#[cfg(test)]
mod tests;
