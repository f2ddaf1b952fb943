//! Energy of days to come, from the daily sums of a house (docs/DECIDE.md). It knows neither dates
//! nor clocks: days are numbers.
//!
//! - `sums`: the energy of consecutive days
//! - `method`: the energy of a day to come
//! - `errors`: how far the method was off in the house's own past
//! - `rest`: days to come with their range, and days of the past as they would have been forecast

mod errors;
mod method;
mod rest;
mod sums;

pub use self::errors::ErrorBounds;
pub use self::method::{DayForecast, ForecastMethod};
pub use self::rest::{LikelyRange, TestedForecast};
pub use self::sums::DailySums;

#[cfg(test)]
mod tests;
