//! An event in words, with the form to decide it.

use crate::chart::Wording;
use crate::domain::{LocalDate, MicroWh, Sensor};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::typed_number::kilowatthours_text;
use crate::http::pages::meters::decision::{Decision, DecisionForm, energy_of};
use crate::http::pages::meters::fields::local_text;
use crate::ledger::{Event, EventKind, Spread};

/// An event, for `meters/event.html`.
pub(crate) struct EventView {
    pub(crate) sensor_id: String,
    pub(crate) sensor_name: String,
    /// The day of the event on a chart.
    pub(crate) chart: String,
    /// In the API's form; distinguishes the events of a sensor.
    pub(crate) time: String,
    pub(crate) title: String,
    pub(crate) sentence: String,
    /// How it counts, in words.
    pub(crate) counts: String,
    pub(crate) is_open: bool,
    /// The possible decisions: word, text, and whether it is chosen.
    pub(crate) choices: Vec<(&'static str, String, bool)>,
    /// Whether an energy can be given for its time.
    pub(crate) has_energy: bool,
    pub(crate) kwh: String,
    pub(crate) is_like_weekday: bool,
    pub(crate) note: String,
    /// The address of the form to report a change of the meter at that time.
    pub(crate) change: Option<String>,
    /// The suffix that distinguishes its fields from those of other forms; empty if a mistake in
    /// them is shown.
    pub(crate) suffix: String,
}

impl EventView {
    /// The event of a sensor, the `nth` on its page. `again` is its form with a mistake.
    pub(super) fn new(
        sensor: &Sensor,
        event: &Event,
        (wording, nth): (Wording<'_>, usize),
        again: Option<&DecisionForm>,
    ) -> Self {
        let decisions = Decision::of(event);
        let chosen = again.and_then(|form| form.decision);
        let choice = |&decision: &Decision| {
            let text = choice_text(decision, event, wording);
            (decision.as_str(), text, chosen == Some(decision))
        };
        let day = LocalDate::at(event.time, wording.zone).to_string();
        let chart = [
            ("account", sensor.account.as_str()),
            ("sensor", sensor.id.as_str()),
            ("range", "day"),
            ("at", &day),
        ];
        Self {
            sensor_id: sensor.id.to_string(),
            sensor_name: sensor.name.clone(),
            chart: address("chart", &chart),
            time: event.time.to_string(),
            title: title(event.kind, wording),
            sentence: sentence(event, wording),
            counts: counts(event, wording),
            is_open: event.is_open,
            choices: decisions.iter().map(choice).collect(),
            has_energy: decisions.contains(&Decision::Energy),
            kwh: again.map(|form| form.kwh.clone()).unwrap_or_default(),
            is_like_weekday: again.is_some_and(|form| form.spread == Spread::LikeWeekday),
            note: again.map(|form| form.note.clone()).unwrap_or_default(),
            change: change(sensor, event, wording),
            suffix: match again {
                Some(_) => String::new(),
                None => format!("-{nth}"),
            },
        }
    }
}

/// The address of the form to report a change of the meter, if that explains the event.
fn change(sensor: &Sensor, event: &Event, wording: Wording<'_>) -> Option<String> {
    let is_explained = matches!(event.kind, EventKind::Reset | EventKind::Jump);
    let (before, after) = event.before.zip(event.after).filter(|_| is_explained)?;
    let parameters = [
        ("sensor", sensor.id.as_str()),
        ("at", &local_text(event.time, wording.zone)),
        (
            "old",
            &kilowatthours_text(sensor.meter.signed(before), wording.language),
        ),
        (
            "new",
            &kilowatthours_text(sensor.meter.signed(after), wording.language),
        ),
    ];
    Some(address("meter/change", &parameters))
}

pub(super) fn title(kind: EventKind, wording: Wording<'_>) -> String {
    wording
        .language
        .word("events-kind", EventKind::as_str(kind))
}

/// The event as a sentence.
fn sentence(event: &Event, wording: Wording<'_>) -> String {
    let language = wording.language;
    let register = |shown: Option<MicroWh>| shown.map(|it| wording.register(it));
    let values = || {
        [
            ("since", wording.to_the_second(event.since).into()),
            ("time", wording.to_the_second(event.time).into()),
            ("until", wording.to_the_second(event.until).into()),
            ("before", register(event.before).unwrap_or_default().into()),
            ("after", register(event.after).unwrap_or_default().into()),
        ]
    };
    let is_back = event.time < event.until;
    match (event.kind, event.before.zip(event.after)) {
        (EventKind::Dip, Some(_)) if is_back => language.fill("events-dip", values()),
        (EventKind::Dip, _) => language.fill("events-small-dip", values()),
        (EventKind::Spike, Some(_)) => language.fill("events-spike", values()),
        (EventKind::Spike, None) => language.fill("events-interval-spike", values()),
        (EventKind::Reset, _) => language.fill("events-reset", values()),
        (EventKind::Rollover, _) => language.fill("events-rollover", values()),
        (EventKind::Jump, _) => language.fill("events-jump", values()),
        (EventKind::Gap, Some(_)) => language.fill("events-gap", values()),
        (EventKind::Gap, None) => language.fill("events-power-gap", values()),
        (EventKind::ImplausiblePower, _) => language.fill("events-implausible-power", values()),
    }
}

/// How the event counts, as a sentence.
fn counts(event: &Event, wording: Wording<'_>) -> String {
    let language = wording.language;
    let energy = wording.register(event.counted);
    if event.is_open {
        return language.say("events-counts-open");
    }
    match (event.is_decided, event.counted == MicroWh::ZERO) {
        (false, true) => language.say("events-counts-nothing"),
        (false, false) => language.fill("events-counts", [("energy", energy.into())]),
        (true, true) => language.say("events-decided-nothing"),
        (true, false) => language.fill("events-decided", [("energy", energy.into())]),
    }
}

fn choice_text(decision: Decision, event: &Event, wording: Wording<'_>) -> String {
    let language = wording.language;
    match (decision, energy_of(event)) {
        (Decision::Count, Some(energy)) => {
            let energy = wording.register(energy);
            language.fill("events-count-energy", [("energy", energy.into())])
        }
        (Decision::Count, None) => language.say("events-count"),
        (Decision::Ignore, _) => language.say("events-ignore"),
        (Decision::Spread, energy) => {
            let energy = wording.register(energy.unwrap_or_default());
            let values = [
                ("energy", energy.into()),
                ("since", wording.to_the_second(event.since).into()),
                ("until", wording.to_the_second(event.until).into()),
            ];
            language.fill("events-spread", values)
        }
        (Decision::Energy, _) => language.say("events-energy"),
        (Decision::Wrong, _) => language.say("events-wrong"),
    }
}
