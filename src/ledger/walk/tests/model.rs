//! The rules of docs/ENERGY.md once more, on whole lists and by looking ahead: slow, with no state
//! but a position.

use super::*;

/// A register: milliseconds and µWh.
type Seen = (i64, i128);

/// A model's position in a history.
struct Model<'a> {
    meter: Meter,
    facts: &'a Facts,
    /// The good registers so far, in time order; the last one is the anchor.
    good: Vec<Seen>,
    changed_at: i64,
    /// The good one that the walk went on from after something odd.
    plain_since: i64,
    /// Whether another meter comes.
    is_change_ahead: bool,
    entries: Vec<Entry>,
}

/// The expected output of a walk over net registers, or those of a counter.
pub(super) fn entries(meter: Meter, facts: &Facts, registers: &[Register]) -> Vec<Entry> {
    let sign = |value: MicroWh| {
        i128::from(value.millionths())
            * if meter.register_sign.is_inverted() {
                -1
            } else {
                1
            }
    };
    let is_wrong = |time| {
        facts
            .wrong
            .iter()
            .any(|range| range.start <= time && time < range.end)
    };
    let right = registers.iter().filter(|register| !is_wrong(register.time));
    let points = right.map(|register| (register.time.millis(), sign(wh(register.watthours))));
    let points: Vec<Seen> = points.collect();
    let mut model = Model {
        meter,
        facts,
        good: Vec::new(),
        changed_at: i64::MIN,
        plain_since: i64::MIN,
        is_change_ahead: false,
        entries: Vec::new(),
    };
    let mut rest = &points[..];
    for (&time, change) in &facts.changes {
        let (old, new) = rest.split_at(rest.partition_point(|point| point.0 < time.millis()));
        rest = new;
        if model.good.is_empty() && old.is_empty() {
            continue;
        }
        model.walk(old, Some((time.millis(), sign(change.old_end))));
        model.changed_at = time.millis();
        *model.good.last_mut().unwrap() = (model.changed_at, sign(change.new_start));
        model.plain_since = model.changed_at;
        let is_passed_over = new.first().is_some_and(|next| next.0 == model.changed_at);
        rest = &new[usize::from(is_passed_over)..];
    }
    model.walk(rest, None);
    model.entries
}

impl Model<'_> {
    /// Over points, and the old meter's end after them.
    fn walk(&mut self, points: &[Seen], end: Option<Seen>) {
        self.is_change_ahead = end.is_some();
        let (mut points, mut from) = ([points, end.as_slice()].concat(), 0);
        while from < points.len() {
            if let (Some(end), Some(anchor)) = (end, self.good.last()) {
                let least = if self.is_counter() { anchor.1 } else { end.1 };
                *points.last_mut().unwrap() = (end.0, end.1.max(least));
            }
            let rest = &points[from..];
            from += if self.good.is_empty() {
                self.good.push(rest[0]);
                1
            } else if self.is_sudden_zero(rest[0]) {
                self.sudden_zero(rest)
            } else if self.is_plain(rest[0]) {
                self.plain(rest[0])
            } else if let Some(back) = self.back(rest) {
                self.returns(rest, back)
            } else {
                let is_lone = end.is_none() && self.are_lone_zeros(rest);
                self.stays(rest[0], is_lone)
            };
        }
    }

    /// A 0 of a register that runs both ways, after a silence.
    fn is_sudden_zero(&self, next: Seen) -> bool {
        let is_zero = next.1 == 0 && self.anchor().1 != 0;
        !self.is_counter() && is_zero && self.is_gap(next.0) && self.is_plain(next)
    }

    fn sudden_zero(&mut self, rest: &[Seen]) -> usize {
        let is_real = self.decision(rest[0]) == Some(true);
        match rest.get(1) {
            Some(next) if !is_real && next.0 - rest[0].0 <= 24 * HOUR && self.is_back(rest, 1) => {
                self.returns(rest, 1)
            }
            None if !is_real && !self.is_change_ahead => self.stays(rest[0], true),
            _ => self.plain(rest[0]),
        }
    }

    /// Whether a counter shows 0 from now until the end.
    fn are_lone_zeros(&self, rest: &[Seen]) -> bool {
        let is_fall = self.is_counter() && rest[0].1 < self.anchor().1;
        let is_over_midnight = self.is_over_midnight(rest[0]);
        is_fall && rest.iter().all(|point| point.1 == 0) && !is_over_midnight
    }

    /// Whether a counter of the day may begin again with this.
    fn is_over_midnight(&self, next: Seen) -> bool {
        let day = |ms: i64| ms.div_euclid(24 * HOUR);
        match self.facts.restart {
            DailyRestart::Never => false,
            // The tests' clock shows UTC.
            DailyRestart::AtMidnight(_) => {
                !self.is_gap(next.0) && day(self.anchor().0) < day(next.0)
            }
            DailyRestart::AfterDarkness => true,
        }
    }

    fn plain(&mut self, next: Seen) -> usize {
        let mut counted = next.1 - self.anchor().1;
        let is_gap = self.is_gap(next.0);
        if is_gap && self.decision(next) == Some(false) {
            counted = 0;
        }
        let from = if is_gap {
            self.anchor().0
        } else {
            self.spread_from(next.1)
        };
        self.cut_off(from);
        self.stretch(next.0, counted, false);
        if let Some(Entry::Stretch(stretch)) = self.entries.last_mut() {
            stretch.from = at(from);
        }
        if is_gap {
            self.event(EventKind::Gap, (next, next.0), counted, false);
            self.plain_since = next.0;
        }
        self.good.push(next);
        1
    }

    /// The start of the next register's energy: for one step of a coarse register, the time of its
    /// last change.
    fn spread_from(&self, next: i128) -> i64 {
        let (last, shown) = self.anchor();
        let step = (next - shown).abs();
        let is_step = [100_000_000, 1_000_000_000].contains(&step) && shown % step == 0;
        let is_still = |point: &&Seen| point.1 == shown && point.0 >= self.plain_since;
        let still = self.good.iter().rev().take_while(is_still).last();
        still
            .filter(|_| is_step)
            .map_or(last, |still| still.0.max(last - 24 * HOUR).min(last))
    }

    /// Removes the stretches without energy from then on.
    fn cut_off(&mut self, from: i64) {
        while let Some(Entry::Stretch(last)) = self.entries.last_mut() {
            if last.to <= at(from) {
                break;
            }
            assert_eq!(last.flow, Flow::default());
            last.to = at(from);
            if last.from >= last.to {
                self.entries.pop();
            } else {
                break;
            }
        }
    }

    /// The number of points until the one that proves `rest[0]` bad.
    fn back(&self, rest: &[Seen]) -> Option<usize> {
        let in_time = rest
            .iter()
            .take(100 + self.zeros(rest).saturating_sub(1))
            .take_while(|point| point.0 - rest[0].0 <= 24 * HOUR);
        let mut ahead = 1..in_time.count();
        let back = ahead.find(|&index| self.is_below(rest, index) || self.is_back(rest, index));
        let back = back.or_else(|| self.late_back(rest))?;
        let is_real = self.decision(rest[0]) == Some(true) || self.is_restart(&rest[..=back]);
        (!is_real).then_some(back)
    }

    /// The number of zeros after a counter's fall to the first of them: they count as one.
    fn zeros(&self, rest: &[Seen]) -> usize {
        let is_fall = self.is_counter() && self.anchor().1 > 0;
        let zeros = rest.iter().take_while(|point| is_fall && point.1 == 0);
        zeros.count()
    }

    /// The number of zeros until the one that is back, however late.
    fn late_back(&self, rest: &[Seen]) -> Option<usize> {
        let zeros = self.zeros(rest);
        let back = rest.get(zeros).filter(|_| zeros > 0)?;
        let rise = back.1 - self.anchor().1;
        let is_old = self.is_counter() && rise >= 0 && 10 * rise <= self.anchor().1;
        (is_old && self.is_plain(*back)).then_some(zeros)
    }

    fn is_below(&self, rest: &[Seen], index: usize) -> bool {
        self.is_counter() && rest[0].1 > self.anchor().1 && rest[index].1 < self.anchor().1
    }

    fn is_back(&self, rest: &[Seen], index: usize) -> bool {
        let (good, first, before, this) =
            (self.anchor().1, rest[0].1, rest[index - 1].1, rest[index].1);
        let steps_back = (this - before).signum() == -(first - good).signum();
        let is_nearer = (this - good).abs() < (this - first).abs();
        let is_fall_of_counter = self.is_counter() && first < good;
        self.is_plain(rest[index]) && (is_fall_of_counter || steps_back && is_nearer)
    }

    fn is_restart(&self, held: &[Seen]) -> bool {
        let depth = self.anchor().1 - held[0].1;
        let dark = held[0].0 - self.since();
        let is_new_day = dark >= HOUR
            && self.is_silence(dark)
            && held[held.len() - 1].1 > self.anchor().1
            && 100 * held[0].1 <= self.anchor().1
            && self.is_over_midnight(held[0]);
        let mut since = held[0].0;
        let climbs = held.windows(2).all(|pair| {
            let step = pair[1].1 - pair[0].1;
            let below = pair[1].1.min(self.anchor().1) - pair[0].1;
            let is_part = is_new_day || 4 * below <= 3 * depth;
            let is_step = step >= 0 && is_part && self.allows(since, step, pair[1].0);
            if step != 0 {
                since = pair[1].0;
            }
            is_step
        });
        self.is_counter()
            && depth > 0
            && climbs
            && !self.is_slip(held[0])
            && self.new_start(held[0]).2
    }

    fn returns(&mut self, rest: &[Seen], back: usize) -> usize {
        let is_fall = rest[0].1 < self.anchor().1;
        let kind = if is_fall {
            EventKind::Dip
        } else {
            EventKind::Spike
        };
        let is_below = self.is_below(rest, back);
        if !is_below {
            self.stretch(rest[back].0, rest[back].1 - self.anchor().1, false);
        }
        self.event(kind, (rest[0], rest[back].0), 0, false);
        if is_below {
            back
        } else {
            self.good.push(rest[back]);
            self.plain_since = rest[back].0;
            back + 1
        }
    }

    /// A register that is not back; `is_lone` if nobody knows yet.
    fn stays(&mut self, next: Seen, is_lone: bool) -> usize {
        let (before, decision) = (self.anchor().1, self.decision(next));
        let (kind, energy, is_certain) = if !self.is_counter() || next.1 > before {
            (EventKind::Jump, next.1 - before, false)
        } else if self.is_slip(next) && decision != Some(true) {
            (EventKind::Dip, 0, true)
        } else {
            self.new_start(next)
        };
        let is_certain = is_certain && !is_lone;
        let counted = if decision.unwrap_or(is_certain) {
            energy
        } else {
            0
        };
        let is_open = decision.is_none() && !is_certain;
        self.stretch(next.0, counted, is_open);
        self.event(kind, (next, next.0), counted, is_open);
        self.good.push(next);
        self.plain_since = next.0;
        1
    }

    /// The energy of a counter's fall to `next` if it restarted, and whether that is plausible.
    fn new_start(&self, next: Seen) -> (EventKind, i128, bool) {
        let is_plausible = |energy| energy >= 0 && self.allows(self.since(), energy, next.0);
        if let Some(rollover) = self.meter.rollover {
            let rollover = i128::from(rollover.register().millionths());
            let energy = rollover - self.anchor().1 + next.1;
            if 2 * energy <= rollover && is_plausible(energy) {
                return (EventKind::Rollover, energy, true);
            }
        }
        (EventKind::Reset, next.1.max(0), is_plausible(next.1))
    }

    fn is_slip(&self, next: Seen) -> bool {
        100 * next.1 >= 99 * self.anchor().1
    }

    fn is_plain(&self, next: Seen) -> bool {
        let step = next.1 - self.anchor().1;
        (step >= 0 || !self.is_counter()) && self.allows(self.since(), step, next.0)
    }

    /// Joules against watts times seconds, both in millionths.
    fn allows(&self, since: i64, energy: i128, until: i64) -> bool {
        let ms = i128::from((until - since).max(10_000));
        energy.abs() * 3_600 <= i128::from(self.meter.limit.watts()) * ms * 1_000
    }

    /// The time since which the register equals the anchor.
    fn since(&self) -> i64 {
        let is_same = |point: &&Seen| point.1 == self.anchor().1 && point.0 >= self.changed_at;
        self.good.iter().rev().take_while(is_same).last().unwrap().0
    }

    fn is_gap(&self, time: i64) -> bool {
        self.is_silence(time - self.anchor().0)
    }

    fn is_silence(&self, silence: i64) -> bool {
        let spacings = self
            .good
            .windows(2)
            .rev()
            .take(2)
            .map(|pair| pair[1].0 - pair[0].0);
        spacings
            .max()
            .is_some_and(|usual| silence > 3 * usual && silence > 5 * MINUTE)
    }

    fn is_counter(&self) -> bool {
        self.meter.kind == MeterKind::Counter
    }

    fn anchor(&self) -> Seen {
        self.good[self.good.len() - 1]
    }

    fn decision(&self, point: Seen) -> Option<bool> {
        self.facts.decisions.get(&at(point.0)).copied()
    }

    fn stretch(&mut self, to: i64, counted: i128, is_open: bool) {
        self.entries.push(Entry::Stretch(Stretch {
            from: at(self.anchor().0),
            to: at(to),
            flow: Flow {
                imported: micro(counted.max(0)),
                exported: micro((-counted).max(0)),
            },
            is_estimated: is_open || self.is_gap(to),
        }));
    }

    /// Told while the anchor is still the register before it.
    fn event(&mut self, kind: EventKind, (odd, until): (Seen, i64), counted: i128, is_open: bool) {
        self.entries.push(Entry::Event(Event {
            kind,
            since: at(self.anchor().0),
            time: at(odd.0),
            until: at(until),
            before: Some(micro(self.anchor().1)),
            after: Some(micro(odd.1)),
            counted: micro(counted),
            is_open,
            is_decided: self.decision(odd).is_some(),
        }));
    }
}

fn micro(value: i128) -> MicroWh {
    MicroWh::new(i64::try_from(value).unwrap())
}
