//! Tables of other systems -> values: CSV and its relatives, from files of the commands and text
//! of a form.
//!
//! - `reader`: rows of a table, with `header`, `columns`, `series`, `table_row`; `parsed_row`: the
//!   result of a row; `traits`: what else it says
//! - `layout`: where a table begins, and what its columns hold; `words`: what their names mean
//! - `known`: files of suppliers that are known
//! - `number`, `times`, `unit`: cells; `time_place`: the columns of times
//! - `preview`: the beginning of a table, to choose its columns from

mod columns;
mod header;
mod known;
mod layout;
mod number;
mod parsed_row;
mod preview;
mod reader;
mod series;
mod table_row;
mod time_place;
mod times;
mod traits;
mod unit;
mod words;

pub(crate) use self::columns::Wishes;
pub(crate) use self::known::{KnownFormat, described};
pub(crate) use self::layout::begins_like_table;
pub(crate) use self::number::{Cell, DecimalMark, plain_number};
pub(crate) use self::parsed_row::{FileValue, ParsedRow, When};
pub(crate) use self::preview::TablePreview;
pub(crate) use self::reader::{ColumnCounts, TableBytes, TableOptions, TableRows};
pub(crate) use self::time_place::TimesAre;
pub(crate) use self::times::{DateOrder, TimeReader, shown};
pub(crate) use self::traits::RowTraits;
pub(crate) use self::unit::{ImportMeasure, MeasureUnit, SeriesUnit, UnitWishes};
