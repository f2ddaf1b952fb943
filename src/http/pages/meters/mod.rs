//! What people do about meters: they decide events, say what readings do not show, type in what a meter shows, and enter the utility's
//! bills. What that means for energy and cost is for the rooms below to say.
//!
//! - `wording`, `fields`: texts and figures; energies and times as forms have them
//! - `posted`: facts from forms become corrections
//! - `event_view`, `decision`: an event in words, and what can be decided about it; `made`: corrections in words
//! - `section`: the events of a range, on a page; `events`: `/events` and its forms
//! - `change`: `/meter/change`
//! - `typed`: `/meter`, for what a meter shows; `beside`: that beside the ledger
//! - `bills`: `/bills`; `bill_form`: the form of a bill

mod beside;
mod bill_form;
pub(crate) mod bills;
pub(crate) mod change;
mod decision;
mod event_view;
pub(crate) mod events;
mod fields;
mod made;
mod posted;
mod section;
pub(crate) mod typed;
mod wording;

pub(crate) use self::posted::done;
pub(crate) use self::section::{EventScope, EventSection};
