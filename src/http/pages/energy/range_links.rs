//! The name of a range, and links to others.

use crate::http::pages::frame::range::{
    AskedAgainst, RangeCalendar, RangeChoice, RangeRules, RangeWord, ShownRange,
};

/// The name of a range, and links to others.
pub(super) struct RangeLinks {
    pub(super) title: String,
    /// The name of the range that the bars are compared with.
    pub(super) before: String,
    /// The name of the range that its sums are compared with.
    pub(super) compared: String,
    /// Notes for the reader about its ends.
    pub(super) notes: Vec<String>,
    /// Name and address of each calendar unit, and whether it is this one.
    pub(super) units: Vec<(String, String, bool)>,
    pub(super) earlier: Option<String>,
    pub(super) later: Option<String>,
    /// The current range of the same kind; `None` if this is it.
    pub(super) now: Option<String>,
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
        let running = RangeChoice::Named(choice.word().unwrap_or(RangeWord::Month), None);
        Self {
            title: shown.title.clone(),
            before: shown.before_title(choice, calendar),
            compared: shown.compared_words(calendar),
            notes: notes(shown, calendar),
            units: rules.links(choice, calendar, to),
            earlier: shown.earlier.map(to),
            later: shown.later.map(to),
            now: shown.later.is_some().then(|| to(running)),
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
