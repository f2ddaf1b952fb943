//! The range of time that a page is about, as its address has it: `range` (a word, such as `month`) with `at`, a date in it, or of an
//! hour its time in UTC; or else `from` and `to`. A `to` that is a date is the last day, any other time is where the range ends. Dates
//! are those of the account's clock. Here is what all pages compute of a range: what lies beside it, what is compared, its bars, its name.
//!
//! - `choice`: what an address asks for
//! - `asked`: what a page takes, what is typed wrong in its form, and links to its ranges
//! - `calendar`: the range that a choice stands for, and what lies around it

mod asked;
mod calendar;
mod choice;

pub(crate) use self::asked::RangeRules;
pub(crate) use self::calendar::{RangeCalendar, ShownRange};
pub(crate) use self::choice::{RangeChoice, RangeWord};

#[cfg(test)]
mod tests;
