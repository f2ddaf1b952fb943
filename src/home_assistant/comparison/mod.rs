//! The energy that Home Assistant counted, beside that of the ledger, month by month.
//!
//! - `question`: the months and the sensors
//! - `reader`: asks Home Assistant and the ledger
//! - `counts`: a month of a sensor, taken apart; `reason`: why a step differs
//! - `answer`: the result

mod answer;
mod counts;
mod question;
mod reader;
mod reason;

pub use self::answer::{CountedDifference, CountedMonth, HomeComparison};
pub use self::question::{CountQuestion, CountQuestionError};
pub use self::reader::HomeComparisons;
pub use self::reason::CountReason;

#[cfg(test)]
mod tests;
