//! Tables of other systems -> values: CSV and its relatives, from files of the commands and text
//! of a form.
//!
//! - `reader`: rows of a table, read by its `plan`, with `row_source`, `text_rows`, `header`, `series`, `table_row`,
//!   `row_cells`; `parsed_row`: the result of a row; `traits`, `not_used`: its other columns;
//!   `missing`: measures that no row has; `left_out`: the contents of rows that are left out
//! - `day_columns`: a column for each interval of a day; `turned`: columns of times
//! - `layout`, `layout_cells`: the start of a table and the kinds of its columns; `words`: the
//!   meaning of their names; `date_orders`: the order of day and month
//! - `direction`: whether a sensor measures the other way than a column says, by `role_words`
//! - `wishes`, `options`: the user's choices; `known`: known formats of suppliers, found by
//!   `recognised`
//! - `number`, `times`, `unit`: cells; `time_place`: the columns of times, read by `when`
//! - `column_counts`: the numbers of all columns, to list them
//! - `preview`: the beginning of a table, to choose its columns from

mod column_counts;
mod date_orders;
mod day_columns;
mod direction;
mod header;
mod known;
mod layout;
mod layout_cells;
mod left_out;
mod missing;
mod not_used;
mod number;
mod options;
mod parsed_row;
mod plan;
mod preview;
mod reader;
mod recognised;
mod role_words;
mod row_cells;
mod row_source;
mod series;
mod table_row;
mod text_rows;
mod time_place;
mod times;
mod traits;
mod turned;
mod unit;
mod when;
mod wishes;
mod words;

pub(crate) use self::column_counts::ColumnCounts;
pub(crate) use self::known::{FormatTerms, KnownFormat};
pub(crate) use self::layout::begins_like_table;
pub(crate) use self::left_out::{BadEnergy, OtherUnits};
pub(crate) use self::number::{Cell, DecimalMark, plain_number};
pub(crate) use self::options::TableOptions;
pub(crate) use self::parsed_row::{FileValue, ParsedRow};
pub(crate) use self::plan::PlanPart;
pub(crate) use self::preview::{TableChoice, TablePreview};
pub(crate) use self::reader::{TableError, TableRows};
pub(crate) use self::role_words::opposes;
pub(crate) use self::text_rows::{TableBytes, TextRows, records};
pub(crate) use self::times::{
    ClockLabel, DateOrder, RowWhen, TimeFault, TimeReader, When, WhenDoubt, clock_text, shown,
};
pub(crate) use self::traits::RowTraits;
pub(crate) use self::turned::{has_time_columns, turned};
pub(crate) use self::unit::{ImportMeasure, MeasureUnit, SeriesUnit, UnitWishes};
pub(crate) use self::when::NO_LENGTH;
pub(crate) use self::wishes::{TimesAre, Wishes, where_option};
pub(crate) use self::words::{Meaning, known_words, means, unit_in};
