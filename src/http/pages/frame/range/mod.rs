//! The range of time of a page, in its address: `range` (a word, such as `month`) with `at`, a date
//! in it, or for an hour its time in UTC; or else `from` and `to`. If `to` is a date, it is the
//! last day; any other time is the end of the range. Dates are in the account's zone. Also the
//! computations that all pages share: neighbouring ranges, compared ranges, bars and names.
//!
//! - `choice`: the range requested by an address
//! - `asked`: the ranges that a page accepts, mistakes in its form, and links to its ranges
//! - `calendar`: the range that a choice selects, and the ranges around it
//! - `against`: what a range is compared with
//! - `period`: the name of a range and links to others, as all pages show them

mod against;
mod asked;
mod calendar;
mod choice;
mod period;

pub(crate) use self::against::{AgainstSwitch, AskedAgainst};
pub(crate) use self::asked::{AskedRange, RangeRules};
pub(crate) use self::calendar::{RangeCalendar, ShownRange};
pub(crate) use self::choice::end_of;
pub(crate) use self::choice::{RangeChoice, RangeWord};
pub(crate) use self::period::PeriodLinks;

#[cfg(test)]
mod tests;
