//! Green Button: energies of intervals as XML.
//!
//! - `green_button`: the series of a feed; `espi`: the elements of its XML

mod espi;
mod green_button;

pub(super) use self::green_button::read_green_button;
