//! Forecasts against a plain model, made-up houses, the worked example, and a measured house.

mod houses;
mod measured;
mod rules;
mod tested;
