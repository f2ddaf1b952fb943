//! Forecasts against a plain model, made-up houses, the worked example, and a measured house.
//!
//! - `rules`: the rules once more, and their consequences
//! - `houses`: made-up houses; `tested`: their months beside the simplest methods
//! - `measured`: the same of a measured house

mod houses;
mod measured;
mod rules;
mod tested;
