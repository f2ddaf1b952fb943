//! The walk over power, for sensors without a register: energy is the integral.

use super::anchor::flow;
use super::event::{Entry, Event, EventKind};
use super::facts::Facts;
use super::limits::{self, is_beyond, is_limit};
use super::spacing::{Spacings, are_regular};
use crate::domain::{Between, Meter, MicroWh, Timestamp};
use crate::ledger::stretch::{Flow, Stretch};
use std::ops::Bound;

const MS_PER_HOUR: f64 = 3_600_000.0;

/// Power at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerAt {
    /// When it was measured.
    pub time: Timestamp,
    /// In watts; negative if fed back.
    pub watts: f64,
}

/// Totals of one or more readings of power that follow each other: of no use where power stays
/// until the next reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerRun {
    /// The first reading.
    pub first: PowerAt,
    /// The last reading.
    pub last: PowerAt,
    /// How many readings; at least one.
    pub count: u64,
    /// The integral over all pairs of neighbours, each pair by its mean power.
    pub flow: Flow,
    /// The highest power in either direction, in watts.
    pub highest_watts: f64,
    /// Whether a reading may be the limit of an integer: yes if that is not known.
    pub may_have_limit: bool,
    /// The longest spacing in milliseconds; 0 of one reading.
    pub longest_ms: i64,
    /// The last spacings.
    pub spacings: Spacings,
}

impl PowerRun {
    /// The totals of readings in time order; `None` without any.
    #[must_use]
    pub fn of(readings: impl IntoIterator<Item = PowerAt>) -> Option<Self> {
        readings.into_iter().map(Self::at).reduce(Self::merge)
    }

    /// The totals of one reading.
    #[must_use]
    pub fn at(reading: PowerAt) -> Self {
        Self {
            first: reading,
            last: reading,
            count: 1,
            flow: Flow::default(),
            highest_watts: reading.watts.abs(),
            may_have_limit: is_limit(reading.watts),
            longest_ms: 0,
            spacings: Spacings::default(),
        }
    }

    /// The totals of these readings and of those that follow them.
    #[must_use]
    pub fn merge(self, later: Self) -> Self {
        let ms = spacing(self.last, later.first);
        Self {
            first: self.first,
            last: later.last,
            count: self.count + later.count,
            flow: self.flow + flow_between(Between::Line, self.last, later.first) + later.flow,
            highest_watts: self.highest_watts.max(later.highest_watts),
            may_have_limit: self.may_have_limit || later.may_have_limit,
            longest_ms: ms.max(self.longest_ms).max(later.longest_ms),
            spacings: self.spacings.then(ms).then_all(later.spacings),
        }
    }

    /// Whether these totals are those of readings whose exact totals are `exact`.
    #[must_use]
    pub fn agrees_with(&self, exact: &Self) -> bool {
        *self
            == Self {
                may_have_limit: self.may_have_limit || exact.may_have_limit,
                ..*exact
            }
    }

    /// The totals with the sign of the flow that `meter` measures.
    fn signed(self, meter: &Meter) -> Self {
        if !meter.power_sign.is_inverted() {
            return self;
        }
        Self {
            first: signed(meter, self.first),
            last: signed(meter, self.last),
            flow: Flow {
                imported: self.flow.exported,
                exported: self.flow.imported,
            },
            ..self
        }
    }
}

/// A walk over a sensor's power in time order. Of the facts, wrong ranges and decisions about events
/// concern it.
pub struct PowerWalk {
    meter: Meter,
    facts: Facts,
    newest: Option<PowerAt>,
    spacings: Spacings,
    /// The first and the last of the implausible readings since the newest good one.
    off: Option<(Timestamp, Timestamp)>,
    /// Readings of the same limit of an integer: the next one tells whether they are real.
    doubtful: Vec<PowerAt>,
    /// Odd readings since the newest other one that are real, as a person said.
    believed: Option<Event>,
}

impl PowerWalk {
    /// A walk over the power of `meter`; `facts` are those in effect.
    #[must_use]
    pub fn new(meter: Meter, facts: Facts) -> Self {
        Self {
            meter,
            facts,
            newest: None,
            spacings: Spacings::default(),
            off: None,
            doubtful: Vec::new(),
            believed: None,
        }
    }

    /// Adds the next reading. One that is not later than those before it is passed over.
    pub fn add(&mut self, reading: PowerAt, sink: &mut impl FnMut(Entry)) {
        let doubtful = self.doubtful.last().map(|last| last.time);
        let newest = doubtful
            .or_else(|| self.off.map(|(_, last)| last))
            .or_else(|| self.newest.map(|newest| newest.time));
        if newest.is_some_and(|newest| reading.time <= newest) || self.facts.is_wrong(reading.time)
        {
            return;
        }
        let is_same = |first: &PowerAt| first.watts.to_bits() == reading.watts.to_bits();
        let is_more = self.doubtful.first().is_some_and(is_same);
        if is_more && self.doubtful.len() < limits::MOST {
            self.doubtful.push(reading);
            return;
        }
        self.decide(Some(reading), sink);
        let is_plausible = self.is_plausible(reading);
        let is_alone = |before: PowerAt| is_beyond(reading.watts, before.watts);
        let is_doubtful =
            is_plausible && is_limit(reading.watts) && self.newest.is_none_or(is_alone);
        if self.is_believed(reading, is_plausible && !is_doubtful) {
            self.believe(reading, sink);
        } else if is_doubtful {
            self.doubtful.push(reading);
        } else if is_plausible {
            self.take(reading, sink);
        } else {
            self.tell_believed(sink);
            self.leave_out(reading.time, reading.time);
        }
    }

    /// Whether a person said that an odd reading is real: its event, or that of those before it.
    fn is_believed(&self, reading: PowerAt, is_plain: bool) -> bool {
        let is_decided = self.facts.decisions.get(&reading.time) == Some(&true);
        let goes_on = self.believed.is_some() && !self.is_plausible(reading);
        !is_plain && self.off.is_none() && (is_decided || goes_on)
    }

    fn believe(&mut self, reading: PowerAt, sink: &mut impl FnMut(Entry)) {
        let known = self.believed.take();
        let before = self.newest.map_or(reading.time, |newest| newest.time);
        let flow = self.take_flow(reading, sink).net();
        let new = odd_power(before, (reading.time, reading.time));
        let event = known.unwrap_or(new);
        self.believed = Some(Event {
            until: reading.time,
            counted: event.counted + flow,
            is_decided: true,
            ..event
        });
    }

    /// Tells of the odd readings that are real.
    fn tell_believed(&mut self, sink: &mut impl FnMut(Entry)) {
        if let Some(event) = self.believed.take() {
            sink(Entry::Event(event));
        }
    }

    fn is_plausible(&self, reading: PowerAt) -> bool {
        reading.watts.abs() <= f64::from(self.meter.limit.watts())
    }

    fn leave_out(&mut self, from: Timestamp, to: Timestamp) {
        let first = self.off.map_or(from, |(first, _)| first);
        self.off = Some((first, to));
    }

    /// Decides the doubtful readings before `next`, or at the end.
    fn decide(&mut self, next: Option<PowerAt>, sink: &mut impl FnMut(Entry)) {
        let doubtful = std::mem::take(&mut self.doubtful);
        let (Some(first), Some(last)) = (doubtful.first(), doubtful.last()) else {
            return;
        };
        if next.is_none_or(|next| is_beyond(first.watts, next.watts)) {
            self.leave_out(first.time, last.time);
        } else {
            for reading in doubtful {
                self.take(reading, sink);
            }
        }
    }

    /// Takes a reading that is real.
    fn take(&mut self, reading: PowerAt, sink: &mut impl FnMut(Entry)) {
        let believed = self.believed.take();
        let mut gaps = Vec::new();
        let flow = self.take_flow(reading, &mut |entry| match entry {
            Entry::Stretch(_) => sink(entry),
            Entry::Event(_) => gaps.push(entry),
        });
        if let Some(event) = believed {
            sink(Entry::Event(Event {
                counted: event.counted + flow.net(),
                ..event
            }));
        }
        gaps.into_iter().for_each(sink);
    }

    /// Takes a reading, and returns the energy since the one before it.
    fn take_flow(&mut self, reading: PowerAt, sink: &mut impl FnMut(Entry)) -> Flow {
        let reading = signed(&self.meter, reading);
        self.tell_left_out(sink);
        let Some(before) = self.newest.replace(reading) else {
            return Flow::default();
        };
        let mut taken = Flow::default();
        let ms = spacing(before, reading);
        let between = self.meter.between;
        let is_gap = match between {
            Between::Line => self.spacings.is_gap(ms),
            Between::Hold => ms > Between::STAYS_MS,
        };
        if is_gap {
            let gap = event(EventKind::Gap, before.time, (reading.time, reading.time));
            sink(Entry::Event(gap));
        } else {
            taken = flow_between(between, before, reading);
            sink(Entry::Stretch(Stretch {
                from: before.time,
                to: reading.time,
                flow: taken,
                is_estimated: false,
            }));
        }
        self.spacings = self.spacings.then(ms);
        taken
    }

    /// Whether the totals of a run say as much as its readings, wherever the walk is when it comes:
    /// [`Self::accepts`] says whether they do so next.
    #[must_use]
    pub fn is_plain(&self, run: &PowerRun) -> bool {
        let first = Bound::Included(run.first.time);
        self.meter.between == Between::Line
            && are_regular(
                run.count.saturating_sub(1),
                spacing(run.first, run.last),
                run.longest_ms,
            )
            && is_clean(&self.meter, run)
            && !run.may_have_limit
            && !self.facts.concern(first, run.last.time)
    }

    /// Whether the totals of a run say as much as its readings, if it comes next.
    #[must_use]
    pub fn accepts(&self, run: &PowerRun) -> bool {
        let follows = self.newest.is_none_or(|newest| {
            let ms = spacing(newest, run.first);
            self.spacings.go_on(ms, run.longest_ms)
        });
        let is_sure = self.off.is_none() && self.doubtful.is_empty() && self.believed.is_none();
        follows && is_sure && self.is_plain(run)
    }

    /// Adds a run that [`Self::accepts`] accepted: one stretch to its first reading, and one from
    /// there to its last.
    pub fn add_run(&mut self, run: &PowerRun, sink: &mut impl FnMut(Entry)) {
        let run = run.signed(&self.meter);
        let mut stretch = |from: PowerAt, to: PowerAt, flow| {
            sink(Entry::Stretch(Stretch {
                from: from.time,
                to: to.time,
                flow,
                is_estimated: false,
            }));
        };
        if let Some(before) = self.newest.replace(run.last) {
            stretch(
                before,
                run.first,
                flow_between(Between::Line, before, run.first),
            );
            self.spacings = self.spacings.then(spacing(before, run.first));
        }
        if run.first.time < run.last.time {
            stretch(run.first, run.last, run.flow);
        }
        self.spacings = self.spacings.then_all(run.spacings);
    }

    /// The last good reading's time. Later readings change nothing before it; `None` before the
    /// first reading.
    #[must_use]
    pub fn decided_until(&self) -> Option<Timestamp> {
        self.newest.map(|newest| newest.time)
    }

    /// Tells of implausible readings, if the last ones were.
    pub fn finish(&mut self, sink: &mut impl FnMut(Entry)) {
        self.decide(None, sink);
        self.tell_believed(sink);
        self.tell_left_out(sink);
    }

    fn tell_left_out(&mut self, sink: &mut impl FnMut(Entry)) {
        if let Some(off) = self.off.take() {
            let since = self.newest.map_or(off.0, |newest| newest.time);
            sink(Entry::Event(odd_power(since, off)));
        }
    }
}

/// Whether all readings are plausible.
pub(super) fn is_clean(meter: &Meter, run: &PowerRun) -> bool {
    run.highest_watts <= f64::from(meter.limit.watts())
}

fn signed(meter: &Meter, reading: PowerAt) -> PowerAt {
    PowerAt {
        watts: meter.power_sign.of(reading.watts),
        ..reading
    }
}

fn spacing(before: PowerAt, after: PowerAt) -> i64 {
    after.time.millis() - before.time.millis()
}

/// The energy between two readings. Rounded here, so that sums do not depend on how readings are
/// grouped.
fn flow_between(between: Between, before: PowerAt, after: PowerAt) -> Flow {
    let watts = match between {
        Between::Line => before.watts / 2.0 + after.watts / 2.0,
        Between::Hold => before.watts,
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "below 2^53: the supported years have fewer milliseconds"
    )]
    let hours = spacing(before, after) as f64 / MS_PER_HOUR;
    flow(MicroWh::from_watthours(watts * hours))
}

/// The event of odd power.
fn odd_power(since: Timestamp, (time, until): (Timestamp, Timestamp)) -> Event {
    event(EventKind::ImplausiblePower, since, (time, until))
}

fn event(kind: EventKind, since: Timestamp, (time, until): (Timestamp, Timestamp)) -> Event {
    Event {
        kind,
        since,
        time,
        until,
        before: None,
        after: None,
        counted: MicroWh::ZERO,
        is_open: false,
        is_decided: false,
    }
}
