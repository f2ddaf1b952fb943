//! Tables of other systems -> readings: CSV and its relatives, from files of the commands and text
//! of a form.
//!
//! - `reader`: rows of a table, with `header`, `columns`, `series`, `table_row`; `parsed_row`: the
//!   result of a row
//! - `number`, `times`: cells
//! - `preview`: the beginning of a table, to choose its columns from

mod columns;
mod header;
mod number;
mod parsed_row;
mod preview;
mod reader;
mod series;
mod table_row;
mod times;

pub(crate) use self::columns::Wishes;
pub(crate) use self::header::Header;
pub(crate) use self::number::{Cell, Notation};
pub(crate) use self::parsed_row::{ParsedRow, Scales};
pub(crate) use self::preview::TablePreview;
pub(crate) use self::reader::{TableBytes, TableError, TableRows, TextRows, delimiter, records};
pub(crate) use self::series::KeyNames;
pub(crate) use self::times::{DateOrder, TimeReader, shown};
