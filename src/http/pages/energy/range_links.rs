//! The name of a range, and links to others.

use crate::http::pages::frame::range::{
    AskedAgainst, PeriodLinks, RangeCalendar, RangeChoice, RangeRules, ShownRange,
};

/// The name of a range, and links to others.
pub(super) struct RangeLinks {
    pub(super) period: PeriodLinks,
    /// The name of the range that the bars are compared with.
    pub(super) before: String,
    /// The name of the range that its sums are compared with.
    pub(super) compared: String,
    /// Notes for the reader about its ends.
    pub(super) notes: Vec<String>,
    pub(super) csv: String,
}

impl RangeLinks {
    /// The links from the shown range to others of a page, whose addresses name the quantity that
    /// it shows and the comparison, if any. `named` is the account, if the address names it.
    pub(super) fn on(
        (page, show, against): (&str, Option<&str>, AskedAgainst),
        rules: RangeRules,
        (choice, shown): (RangeChoice, &ShownRange),
        (calendar, named): (&RangeCalendar, Option<&str>),
    ) -> Self {
        let wording = calendar.wording();
        let show = show.map_or(String::new(), |show| format!("&show={show}"));
        let to = |choice: RangeChoice| {
            let address = choice.address(page, named, wording.zone);
            against.added_to(format!("{address}{show}"))
        };
        Self {
            before: shown.before_title(choice, calendar),
            compared: shown.compared_words(calendar),
            notes: notes(shown, calendar),
            period: PeriodLinks::of(rules, (choice, shown), calendar, to),
            csv: choice.address("energy.csv", named, wording.zone),
        }
    }
}

fn notes(shown: &ShownRange, calendar: &RangeCalendar) -> Vec<String> {
    let (mut notes, language) = (Vec::new(), calendar.wording().language);
    if shown.is_cut {
        notes.push(language.say("energy-cut"));
    }
    if shown.range.contains(&calendar.now()) {
        notes.push(language.say("energy-running"));
    }
    notes
}
