//! The name of a range, and links to others.

use crate::chart::{bucket_name, date};
use crate::domain::Interval;
use crate::http::pages::frame::figures;
use crate::http::pages::frame::span::{ShownSpan, SpanCalendar, SpanChoice, SpanRules, SpanUnit};
use crate::texts::Language;

/// The name of a range, and links to others.
pub(super) struct RangeLinks {
    pub(super) title: String,
    /// The name of the range before.
    pub(super) before: String,
    /// With what its sums are compared.
    pub(super) compared: String,
    /// What the reader should know about its ends.
    pub(super) notes: Vec<String>,
    /// Name and address of each part of the calendar, and whether it is this one.
    pub(super) units: Vec<(String, String, bool)>,
    pub(super) earlier: String,
    pub(super) later: Option<String>,
    /// The running range of the same kind; `None` if this is it.
    pub(super) now: Option<String>,
    pub(super) csv: String,
}

impl RangeLinks {
    /// The links from a range that is shown. `named` is the account, if the address names it.
    pub(super) fn of(
        span: SpanChoice,
        shown: &ShownSpan,
        calendar: &SpanCalendar,
        (named, language): (Option<&str>, &Language),
    ) -> Self {
        let to = |span: SpanChoice| span.address("energy", named);
        let here = match span {
            SpanChoice::Unit(unit, _) => Some(unit),
            SpanChoice::Days(..) => None,
        };
        let running = SpanChoice::Unit(here.unwrap_or(SpanUnit::Month), None);
        Self {
            title: title(span, shown, calendar, language),
            before: title(
                shown.earlier,
                &shown.earlier.shown(calendar),
                calendar,
                language,
            ),
            compared: compared(shown, calendar, language),
            notes: notes(shown, calendar, language),
            units: SpanRules::ANY.links(span, calendar, (language, to)),
            earlier: to(shown.earlier),
            later: shown.later.map(to),
            now: shown.later.is_some().then(|| to(running)),
            csv: span.address("energy.csv", named),
        }
    }
}

fn title(
    span: SpanChoice,
    shown: &ShownSpan,
    calendar: &SpanCalendar,
    language: &Language,
) -> String {
    let (start, zone) = (shown.range.start, calendar.zone());
    let by = |interval| bucket_name(start, interval, zone, language);
    match span {
        SpanChoice::Unit(SpanUnit::Day, _) => by(Interval::Day),
        SpanChoice::Unit(SpanUnit::Month, _) => by(Interval::Month),
        SpanChoice::Unit(SpanUnit::Year, _) => by(Interval::Year),
        _ => {
            let last = shown.range.end.saturating_add_millis(-1);
            let [first, last] = [start, last].map(|time| date(time, zone, language));
            if first == last {
                first
            } else {
                language.fill(
                    "energy-range",
                    [("from", first.into()), ("to", last.into())],
                )
            }
        }
    }
}

/// With what the sums of a range are compared: whole days, or up to the time of day that it is now.
fn compared(shown: &ShownSpan, calendar: &SpanCalendar, language: &Language) -> String {
    let (zone, before) = (calendar.zone(), shown.so_far.before);
    let from = date(before.start(), zone, language);
    let to = if shown.range.contains(&calendar.now()) {
        figures::date_and_clock(before.end(), zone, language)
    } else {
        date(before.end().saturating_add_millis(-1), zone, language)
    };
    let ends = [("from", from.into()), ("to", to.into())];
    language.fill("energy-compared", ends)
}

fn notes(shown: &ShownSpan, calendar: &SpanCalendar, language: &Language) -> Vec<String> {
    let mut notes = Vec::new();
    if shown.is_widened {
        notes.push(match shown.interval {
            Interval::Month => language.say("energy-widened-months"),
            _ => language.say("energy-widened-years"),
        });
    }
    if shown.is_cut {
        notes.push(language.say("energy-cut"));
    }
    if shown.range.contains(&calendar.now()) {
        notes.push(language.say("energy-running"));
    }
    notes
}
