//! The period that a page shows: its name, and the links to others. All pages show it in the same way.

use super::asked::RangeRules;
use super::calendar::{RangeCalendar, ShownRange};
use super::choice::{RangeChoice, RangeWord};

/// The content of `period.html`.
pub(crate) struct PeriodLinks {
    /// The name of the period.
    pub(crate) title: String,
    /// Name and address of each calendar unit, and whether it is this one.
    pub(crate) units: Vec<(String, String, bool)>,
    pub(crate) earlier: Option<String>,
    pub(crate) later: Option<String>,
    /// The current period of the same kind; `None` if this is it.
    pub(crate) now: Option<String>,
}

impl PeriodLinks {
    /// The links from a shown period; `to` makes the address of another one.
    pub(crate) fn of(
        rules: RangeRules,
        (choice, shown): (RangeChoice, &ShownRange),
        calendar: &RangeCalendar,
        to: impl Fn(RangeChoice) -> String,
    ) -> Self {
        let running = RangeChoice::Named(choice.word().unwrap_or(RangeWord::Month), None);
        Self {
            title: shown.title.clone(),
            units: rules.links(choice, calendar, &to),
            earlier: shown.earlier.map(&to),
            later: shown.later.map(&to),
            now: shown.later.is_some().then(|| to(running)),
        }
    }
}
