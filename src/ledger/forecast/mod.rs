//! Energy of days to come, from the daily sums of a house (docs/DECIDE.md). It knows neither dates
//! nor clocks: days are numbers.
//!
//! - `sums`: the energy of consecutive days
//! - `method`: the methods, and the days that each looks at
//! - `basis`: the known days as of one day, and the energy of days to come by each method
//! - `errors`: how far a method was off in the house's own past
//! - `back_test`: months of the past as they would have been forecast, and days to come by the method
//!   that they choose

mod back_test;
mod basis;
mod errors;
mod method;
mod sums;

pub use self::back_test::{
    BackTest, ChoiceReason, DayForecast, ErrorSpread, MethodScore, TestedForecast,
};
pub use self::basis::DayBasis;
pub use self::errors::{ErrorBounds, LikelyRange};
pub use self::method::ForecastMethod;
pub use self::sums::{DailySums, DaySum};

#[cfg(test)]
mod tests;
