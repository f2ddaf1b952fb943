//! Charts of power and energy: their data from the store, and their picture as SVG. Pages and the API choose what is shown, and
//! put the picture where it is seen.
//!
//! - `data`: readings become the data of a chart; all other files are pure
//! - `drawing`: [`Chart`]: data and picture together
//! - `power`: a line, or a band from least to greatest
//! - `energy`: bars, and a counter's resets
//! - `frame`: size and look, title and description, axes
//! - `figure`: the numbers beside a chart, which also describe it
//! - `points`: what is drawn, for scripts
//! - `scales`: where times and values are, and the round ones
//! - `dates`: dates and times as text
//! - `quantity`: numbers with their units
//! - `svg`: elements, paths, escaping
//!
//! The SVG is written by hand: no library that was tried (plotters, charming) gives its shapes classes, and without them neither a
//! page's own style sheet nor a strict Content-Security-Policy is possible. A picture in a page is styled by the page
//! (`chart.css` shows how), and scripts read its `data-` attributes; a picture by itself contains that style sheet.

mod data;
mod dates;
mod drawing;
mod energy;
mod figure;
mod frame;
mod points;
mod power;
mod quantity;
mod scales;
mod svg;

pub use self::data::{ChartData, ChartKind};
pub use self::dates::{bucket_name, date, moment};
pub use self::drawing::Chart;
pub use self::figure::Figure;
pub use self::frame::{Look, Picture, PictureSize, Theme};
pub use self::quantity::{grouped, quantity, with_unit};

#[cfg(test)]
mod tests;
