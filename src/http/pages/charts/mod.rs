//! Charts on pages: their content, and the links to other views. Drawing them is the job of the
//! crate's `chart`.
//!
//! - `view`: the parameters of a chart in an address
//! - `selection`: the sensors, the range and the bars that a view selects
//! - `links`: links to other views
//! - `sources`: the sensors to choose from
//! - `section`: a chart in a page
//! - `chart`: `/chart` and `/chart.csv`; `spreadsheet`: `/chart-spreadsheet.csv`

pub(crate) mod chart;
pub(crate) mod links;
pub(crate) mod section;
mod selection;
mod sources;
pub(crate) mod spreadsheet;
pub(crate) mod view;

pub(crate) use crate::http::pages::frame::AccountScope;

pub(crate) use self::links::ChartPage;
pub(crate) use self::section::ChartSection;
pub(crate) use self::selection::is_use_known;
pub(crate) use self::view::{ChartSubject, View};
