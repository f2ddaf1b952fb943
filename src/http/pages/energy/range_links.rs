//! The name of a range, and links to others.

use crate::http::pages::frame::range::{
    RangeCalendar, RangeChoice, RangeRules, RangeWord, ShownRange,
};

/// The name of a range, and links to others.
pub(super) struct RangeLinks {
    pub(super) title: String,
    /// The name of the previous range.
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
    /// it shows, if any. `named` is the account, if the address names it.
    pub(super) fn on(
        (page, show): (&str, Option<&str>),
        rules: RangeRules,
        (choice, shown): (RangeChoice, &ShownRange),
        (calendar, named): (&RangeCalendar, Option<&str>),
    ) -> Self {
        let wording = calendar.wording();
        let show = show.map_or(String::new(), |show| format!("&show={show}"));
        let to = |choice: RangeChoice| {
            let address = choice.address(page, named, wording.zone);
            format!("{address}{show}")
        };
        let running = RangeChoice::Named(choice.word().unwrap_or(RangeWord::Month), None);
        let title_of = |choice| calendar.in_bars(choice).title;
        Self {
            title: shown.title.clone(),
            before: shown.earlier.map(title_of).unwrap_or_default(),
            compared: compared(shown, calendar),
            notes: notes(shown, calendar),
            units: rules.links(choice, calendar, to),
            earlier: shown.earlier.map(to),
            later: shown.later.map(to),
            now: shown.later.is_some().then(|| to(running)),
            csv: choice.address("energy.csv", named, wording.zone),
        }
    }
}

/// The name of the range that the sums are compared with: whole days, or up to the current time of
/// day.
fn compared(shown: &ShownRange, calendar: &RangeCalendar) -> String {
    let (wording, before) = (calendar.wording(), shown.so_far.before);
    let from = wording.date(before.start());
    let to = if shown.range.contains(&calendar.now()) {
        wording.date_and_clock(before.end())
    } else {
        wording.date(before.end().saturating_add_millis(-1))
    };
    let ends = [("from", from.into()), ("to", to.into())];
    wording.language.fill("energy-compared", ends)
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
