//! Pages about meters: people decide events, correct readings, type in registers, and enter the
//! utility's bills. The effect on energy and cost is determined by the rooms below.
//!
//! - `wording`, `fields`: texts and figures; energies and times as forms have them
//! - `posted`: facts from forms become corrections
//! - `event_view`, `decision`: an event in words, and the possible decisions; `made`: corrections
//!   in words
//! - `section`: the events of a range, on a page; `events`: `/events` and its forms
//! - `change`: `/meter/change`
//! - `typed`: `/meter`, for registers that people read; `beside`: their comparison with the ledger
//! - `bills`: `/bills`; `bill_form`: the form of a bill

mod beside;
mod bill_form;
pub(crate) mod bills;
pub(crate) mod change;
mod decision;
mod event_view;
pub(crate) mod events;
mod fields;
pub(crate) mod made;
mod posted;
mod section;
pub(crate) mod typed;
mod wording;

pub(crate) use self::posted::done;
pub(crate) use self::section::{EventScope, EventSection};
