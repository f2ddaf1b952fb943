//! Charts as SVG: power over a range, and energy as bars. All but `drawn` is pure: from values to text.
//!
//! By hand, because none of the libraries that were looked at (plotters, charming) gives its shapes classes, without which
//! neither a page's own style sheet nor a strict Content-Security-Policy can be had.
//!
//! A picture goes into a page, which styles its classes (`chart.css` shows how) and reads the `data-` attributes, or stands by
//! itself with that style sheet in it.

mod drawn;
mod energy;
mod frame;
mod power;
mod quantity;
mod scales;
mod svg;

pub use self::drawn::{Drawn, Figure, Kind, draw};
pub use self::energy::EnergyChart;
pub use self::frame::{Look, Picture, Size, Theme};
pub use self::power::PowerChart;
pub use self::quantity::{grouped, quantity, with_unit};
pub use self::scales::{bucket_name, date, moment};

/// The style sheet of a picture that stands by itself.
pub const STYLE: &str = include_str!("chart.css");

#[cfg(test)]
mod tests;
