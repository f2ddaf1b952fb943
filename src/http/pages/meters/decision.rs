//! Decisions that people can take on an event, and the facts that express them.

use crate::domain::words::words;
use crate::domain::{MicroWh, Timestamp};
use crate::http::pages::frame::typed_number::Numbers;
use crate::http::pages::frame::{PageError, Visit};
use crate::ledger::{Event, EventKind, Fact, FactRange, Spread};

/// A decision about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// The readings are real.
    Count,
    /// Nothing flowed.
    Ignore,
    /// The energy by the registers flowed evenly over all of its time.
    Spread,
    /// A different energy flowed in that time.
    Energy,
    /// The readings are wrong.
    Wrong,
}

words! {
    Decision: Count "count", Ignore "ignore", Spread "spread", Energy "energy", Wrong "wrong";
    "count, ignore, spread, energy or wrong"
}

impl Decision {
    /// The decisions that make a difference to an event.
    pub(super) fn of(event: &Event) -> Vec<Self> {
        let makes_sense = |decision: &Self| match decision {
            Self::Count => true,
            Self::Ignore => !matches!(
                event.kind,
                EventKind::Dip | EventKind::Spike | EventKind::ImplausiblePower
            ),
            Self::Spread => time_of(event).is_some() && energy_of(event).is_some(),
            Self::Energy => time_of(event).is_some(),
            // A lasting change does not go away with one reading.
            Self::Wrong => matches!(
                event.kind,
                EventKind::Dip | EventKind::Spike | EventKind::ImplausiblePower
            ),
        };
        Self::ALL.into_iter().filter(makes_sense).collect()
    }
}

/// The time in which its energy flowed; `None` if the event begins with the first reading.
fn time_of(event: &Event) -> Option<FactRange> {
    FactRange::new(event.since, event.until).ok()
}

/// The energy in that time if its registers are right; `None` if they do not tell.
pub(super) fn energy_of(event: &Event) -> Option<MicroWh> {
    match event.kind {
        EventKind::Reset => event.after,
        EventKind::Jump | EventKind::Gap => Some(event.after? - event.before?),
        EventKind::Rollover => Some(event.counted).filter(|counted| *counted != MicroWh::ZERO),
        EventKind::Dip | EventKind::Spike | EventKind::ImplausiblePower => None,
    }
}

/// The range of the wrong readings.
fn readings_of(event: &Event) -> Option<FactRange> {
    let is_last_off = event.kind == EventKind::ImplausiblePower || event.until == event.time;
    let after_ms = i64::from(is_last_off);
    FactRange::new(event.time, event.until.saturating_add_millis(after_ms)).ok()
}

/// A decision as typed.
#[derive(Clone, Default)]
pub(super) struct DecisionForm {
    /// The time of the event.
    pub(super) at: Option<Timestamp>,
    pub(super) decision: Option<Decision>,
    /// In kilowatt-hours.
    pub(super) kwh: String,
    pub(super) spread: Spread,
    pub(super) note: String,
}

impl DecisionForm {
    pub(super) fn posted(visit: &Visit) -> Result<Self, PageError> {
        Ok(Self {
            at: Timestamp::parse(&visit.field("at")?).ok(),
            decision: visit.field("decision")?.parse().ok(),
            kwh: visit.field("kwh")?,
            // The form offers only known words.
            spread: visit.field("spread")?.parse().unwrap_or_default(),
            note: visit.trimmed("note")?,
        })
    }

    /// The facts that express the decision on `event`.
    pub(super) fn facts(&self, event: &Event, numbers: &Numbers) -> Result<Vec<Fact>, PageError> {
        let choose = || PageError::mistake("events-choose", "decision");
        let offered = |it: &Decision| Decision::of(event).contains(it);
        let decision = self.decision.filter(offered).ok_or_else(choose)?;
        let energy = match decision {
            Decision::Count => return Ok(vec![Fact::Event(event.time, true)]),
            Decision::Ignore => return Ok(vec![Fact::Event(event.time, false)]),
            Decision::Wrong => {
                let range = readings_of(event).ok_or_else(choose)?;
                return Ok(vec![Fact::Wrong(range)]);
            }
            Decision::Spread => energy_of(event),
            Decision::Energy => {
                let expected = PageError::mistake("meter-kwh-expected", "kwh");
                Some(numbers.kilowatthours(&self.kwh).ok_or(expected)?)
            }
        };
        let (range, energy) = time_of(event).zip(energy).ok_or_else(choose)?;
        let mut facts = vec![Fact::Energy(range, energy, self.spread)];
        // Its energy is known now, so nobody needs to decide about the event any more.
        facts.extend(event.is_open.then_some(Fact::Event(event.time, false)));
        Ok(facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_millis(minute * 60_000).unwrap()
    }

    fn event(kind: EventKind, until: i64, is_open: bool) -> Event {
        let shown = |watthours| Some(MicroWh::from_watthours(watthours));
        Event {
            kind,
            since: at(1),
            time: at(2),
            until: at(until),
            before: shown(1_000.0),
            after: shown(501_000.0),
            counted: MicroWh::ZERO,
            is_open,
            is_decided: false,
        }
    }

    fn facts(event: &Event, decision: Decision, kwh: &str) -> Result<Vec<Fact>, String> {
        let form = DecisionForm {
            decision: Some(decision),
            kwh: kwh.into(),
            ..DecisionForm::default()
        };
        let facts = form.facts(event, &Numbers::new(crate::texts::Language::english()));
        facts.map_err(|error| match error {
            PageError::Form(problem) => problem.field.to_owned(),
            other => other.to_string(),
        })
    }

    #[test]
    fn a_jump_is_decided() {
        let jump = event(EventKind::Jump, 2, true);
        let fact = |decision| facts(&jump, decision, "1,5");
        assert_eq!(fact(Decision::Count), Ok(vec![Fact::Event(at(2), true)]));
        assert_eq!(fact(Decision::Ignore), Ok(vec![Fact::Event(at(2), false)]));
        let range = FactRange::new(at(1), at(2)).unwrap();
        let known = |watthours| {
            let energy = MicroWh::from_watthours(watthours);
            let replaced = Fact::Energy(range, energy, Spread::Even);
            Ok(vec![replaced, Fact::Event(at(2), false)])
        };
        assert_eq!(fact(Decision::Spread), known(500_000.0));
        assert_eq!(fact(Decision::Energy), known(1_500.0));
        assert_eq!(facts(&jump, Decision::Energy, "much"), Err("kwh".into()));
        assert_eq!(fact(Decision::Wrong), Err("decision".into()));
    }

    #[test]
    fn a_spike_is_left_out() {
        let spike = event(EventKind::Spike, 5, false);
        let wrong = FactRange::new(at(2), at(5)).unwrap();
        let left_out = facts(&spike, Decision::Wrong, "");
        assert_eq!(left_out, Ok(vec![Fact::Wrong(wrong)]));
        assert!(!Decision::of(&spike).contains(&Decision::Ignore));
        // The last implausible power is left out too.
        let power = event(EventKind::ImplausiblePower, 5, false);
        let to = at(5).saturating_add_millis(1);
        let wrong = FactRange::new(at(2), to).unwrap();
        let left_out = facts(&power, Decision::Wrong, "");
        assert_eq!(left_out, Ok(vec![Fact::Wrong(wrong)]));
        let real = facts(&power, Decision::Count, "");
        assert_eq!(real, Ok(vec![Fact::Event(at(2), true)]));
    }

    #[test]
    fn a_gap_keeps_what_it_counts() {
        let gap = event(EventKind::Gap, 2, false);
        // The event is not open, so only its energy is stated.
        let spread = facts(&gap, Decision::Spread, "").unwrap();
        assert_eq!(spread.len(), 1);
    }
}
