//! Charts of power and energy: their data from the store, and their picture as SVG. Pages and the
//! API choose the data and place the picture.
//!
//! - `data`: readings become the data of a chart; all other files are pure
//! - `drawing`: [`Chart`]: data and picture together
//! - `power`: a line, or a band from least to greatest
//! - `energy`: bars, and a counter's resets
//! - `flows`: stacked bars of a house's energy; `day_marks`: the marks of today on them
//! - `prices`: the price of a kilowatt-hour, as steps
//! - `small_bars`: bars without axes, such as those of months
//! - `frame`: look, title and description, axes; `size`: how large pictures are
//! - `now`: the power of a house now, with moving dots
//! - `heat`: hours by days
//! - `sankey`: sources, house and devices of a range, and the bands between them
//! - `figure`: the numbers beside a chart, which also describe it
//! - `points`: the values, for scripts
//! - `scales`: where values are, and the round ones
//! - `times`: where times are, and the round ones
//! - `bars`: the parts that all energy bars share
//! - `beside`: lines of further sensors
//! - `bar_labels`: the labels of bars
//! - `dates`: dates and times as text
//! - `quantity`: numbers with their units
//! - `svg`: elements, paths, escaping
//!
//! The SVG is written by hand: no library that was tried (plotters, charming) gives its shapes
//! classes, and without them neither a page's own style sheet nor a strict Content-Security-Policy
//! is possible. A picture in a page is styled by the page (`chart.css` shows how), and scripts read
//! its `data-` attributes; a picture by itself contains that style sheet.

mod bar_labels;
mod bars;
mod beside;
mod data;
mod dates;
mod day_marks;
mod drawing;
mod energy;
mod figure;
mod flows;
mod frame;
mod heat;
mod now;
mod points;
mod power;
mod prices;
mod quantity;
mod sankey;
mod scales;
mod size;
mod small_bars;
mod svg;
mod times;

pub use self::data::{ChartData, ChartKind};
pub use self::dates::Wording;
pub use self::day_marks::{DayMarks, PriceMark};
pub use self::drawing::Chart;
pub use self::figure::Figure;
pub use self::flows::{FlowBar, FlowChart, FlowKind};
pub use self::frame::{Look, Picture, Theme};
pub use self::heat::HeatMap;
pub use self::now::{NowNode, NowPicture};
pub use self::prices::{PriceBar, PriceChart};
pub use self::quantity::{quantity, with_unit};
pub use self::sankey::{Sankey, SankeyFlow, SankeyPlace};
pub use self::size::PictureSize;
pub use self::small_bars::SmallBars;

#[cfg(test)]
mod tests;
