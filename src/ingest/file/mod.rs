//! Files of other systems -> readings, for the command and the page. All formats become one stream
//! of values. Each value belongs to a series and has a unit, and a time or an interval.
//!
//! - `options`: the user's choices; `formats`: the format of a file; `source`: opening and
//!   decompressing, with `archive`, `workbook` and `encoding`; `size_limits`: how large it may become
//! - `intake`: the stream: listing, choice by `selection`, counts by `tally` and `counts`; `nothing`: why no
//!   value is left
//! - `passes`, `repetition`: rows of hours that come twice
//! - `spool`: values in time order; `checked`, `in_order`: their readings; `register_course`: whether these
//!   look like a register; `covering`: sums among them; `summary`: their contents
//! - `tables`, `markup`, `ndjson`, `json_records`, `csv_row`: rows and objects; tables are read by `ingest/table`
//! - `home_assistant`, `emoncms`: their databases and files
//! - `line_protocol`, `metrics`: series of InfluxDB, Prometheus and `VictoriaMetrics`
//! - `intervals`: Green Button; `nem12`: NEM12 of Australia; `grid_operator`: MSCONS and ebUtilities
//! - `xml_walk`: the elements of XML
//! - `listing`: the series of a file, to choose from
//! - `prices`: files of prices

mod archive;
mod checked;
mod counts;
mod covering;
mod csv_row;
mod emoncms;
mod encoding;
mod formats;
mod grid_operator;
mod home_assistant;
mod in_order;
mod intake;
mod intervals;
mod json_records;
mod line_protocol;
mod listing;
mod markup;
mod metrics;
mod ndjson;
mod nem12;
mod nothing;
mod options;
mod passes;
mod prices;
mod register_course;
mod repetition;
mod selection;
mod size_limits;
mod source;
mod spool;
mod summary;
mod tables;
mod tally;
mod workbook;
mod xml_walk;

pub(crate) use self::checked::CheckedValues;
pub(crate) use self::formats::{ImportFile, ReadableFile, readable};
pub(crate) use self::home_assistant::RegisterColumn;
pub(crate) use self::intake::{BadRows, Purpose, TakenFile};
pub(crate) use self::listing::FileSeries;
pub(crate) use self::options::{ImportOptions, ImportTarget};
pub(crate) use self::prices::{FilePrices, PriceFile};
pub(crate) use self::source::ImportSource;
pub(crate) use self::spool::Spool;
pub(crate) use self::summary::ImportSummary;
pub(crate) use self::tally::RowTally;

/// Parses a dump of Emoncms' database, for a fuzzer.
#[cfg(any(test, fuzzing))]
pub(crate) use self::emoncms::fuzz_dump;
