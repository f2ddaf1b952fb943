//! A month of a sensor as Home Assistant counted it, beside what the ledger measured: the difference,
//! taken apart into steps with a reason each. Pure: rows and hours are given.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::answer::{CountEvent, CountedDifference};
use super::reason::{CountReason, OffCourse, ROUNDING_WH, SumStep};
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{Decimal, Timestamp};
use crate::ledger::{Event, EventKind, Facts};

/// A row of a statistic: the register and the sum at its end, in watt-hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CountedRow {
    pub(super) end: Timestamp,
    pub(super) state: Option<f64>,
    pub(super) sum: f64,
}

/// A month, or its part until now, with some days around it.
#[derive(Debug)]
pub(super) struct MonthCounts<'a> {
    /// The month: full hours in UTC.
    pub(super) range: Range<Timestamp>,
    /// The rows of it and around it, and the last one before, in order.
    pub(super) rows: &'a [CountedRow],
    /// Whether the statistic begins with the first of them.
    pub(super) is_beginning: bool,
    /// Whether it has later rows, or may still get them.
    pub(super) goes_on: bool,
}

/// The ledger's part of a month, and of some days around it.
#[derive(Debug, Default)]
pub(super) struct MeasuredHours {
    /// The energy by the beginning of each hour, where it is known.
    pub(super) hours: BTreeMap<Timestamp, f64>,
    pub(super) events: Vec<Event>,
    /// People's corrections.
    pub(super) facts: Facts,
}

/// How far around a month a late value is looked for.
pub(super) const AROUND_MS: i64 = 2 * MS_PER_DAY;
/// The most differences of a month that are kept: the largest.
const MOST_TOLD: usize = 12;
/// Within so many hours, a register that is off its course is back, and a late value has come.
const SOON_MS: i64 = 2 * MS_PER_DAY;

/// A part of the difference.
#[derive(Clone, Debug)]
struct CountPart {
    span: Range<Timestamp>,
    /// In the month.
    energy: f64,
    /// As a whole: rows may be missing at the end of the month before.
    whole: f64,
    /// The largest energy of an hour near it, by the ledger.
    usual: f64,
    reason: Option<CountReason>,
}

impl MonthCounts<'_> {
    /// The energy that was counted in the month; `None` without any row.
    pub(super) fn counted(&self) -> Option<f64> {
        let last = self.rows.iter().rfind(|row| row.end <= self.range.end)?;
        let before = self.rows.iter().rfind(|row| row.end <= self.range.start);
        let before = match before {
            Some(before) => before.sum,
            // The very first sum counts as a whole.
            None if self.is_beginning => 0.0,
            None => self.rows.first()?.sum,
        };
        Some(last.sum - before)
    }

    /// The differences of the month with their reasons, the largest first.
    pub(super) fn explain(&self, ledger: &MeasuredHours) -> Vec<CountedDifference> {
        let mut parts = self.parts(ledger);
        settle_late(&mut parts);
        let mut told: Vec<CountedDifference> = Vec::new();
        for part in parts.iter().filter(|part| part.energy.abs() > 0.0) {
            let reason = part.reason.unwrap_or(CountReason::Unknown);
            let same = told.iter_mut().rev().find(|one| {
                let is_near = part.span.start.millis() - one.to.millis() <= SOON_MS;
                one.reason == reason && (is_near || reason == CountReason::Late)
            });
            match same {
                Some(one) => {
                    one.to = part.span.end;
                    one.energy += part.energy;
                }
                None => told.push(CountedDifference {
                    reason,
                    from: part.span.start,
                    to: part.span.end,
                    energy: part.energy,
                    event: None,
                }),
            }
        }
        told.retain(|one| one.energy.abs() > ROUNDING_WH);
        told.sort_by(|one, other| other.energy.abs().total_cmp(&one.energy.abs()));
        told.truncate(MOST_TOLD);
        for one in &mut told {
            one.energy = rounded(one.energy);
            one.event = ledger.event_of(&(one.from..one.to)).map(|it| CountEvent {
                kind: it.kind,
                time: it.time,
            });
        }
        told
    }

    /// All parts, in order, also those of the days around.
    fn parts(&self, ledger: &MeasuredHours) -> Vec<CountPart> {
        let mut parts = Vec::new();
        let mut off: Option<(OffCourse, Timestamp)> = None;
        let from = self.range.start.saturating_add_millis(-AROUND_MS);
        let mut rows: VecDeque<CountedRow> = self.rows.iter().copied().collect();
        let Some(first) = rows.front().copied() else {
            parts.extend(self.missing(ledger, &self.range));
            return parts;
        };
        if self.is_beginning {
            let begin = first.end.saturating_add_millis(-MS_PER_HOUR);
            parts.extend(self.missing(ledger, &(self.range.start..begin)));
            // The register before it is not known: the ledger tells.
            let hour = ledger.energy(&(begin..first.end)).unwrap_or(0.0);
            rows.push_front(CountedRow {
                end: begin,
                state: first.state.map(|state| state - hour),
                sum: 0.0,
            });
        }
        for (place, (before, row)) in rows.iter().zip(rows.iter().skip(1)).enumerate() {
            if row.end <= from {
                continue;
            }
            let later = || rows.iter().skip(place + 2);
            let span = before.end..row.end;
            let known = ledger.energy(&span);
            let measured = known.unwrap_or(0.0);
            let step = Self::step((before, row), measured, later(), ledger);
            off = off.filter(|(_, since)| row.end.millis() - since.millis() <= SOON_MS);
            let known_off = off.map(|(off, _)| off);
            let whole = step.difference();
            let in_month = self.in_month(&span, step.counted(), ledger);
            let reason = if known.is_none() && step.counted().abs() > ROUNDING_WH {
                Some(CountReason::Unread)
            } else if whole.abs() > ROUNDING_WH {
                let corrected = || ledger.is_corrected(&span).then_some(CountReason::Corrected);
                step.reason(known_off).or_else(corrected)
            } else {
                // Only a part of it lies in the month.
                step.has_gap.then_some(CountReason::Gap)
            };
            let told = reason.filter(|_| whole.abs() > ROUNDING_WH);
            off = step.off_course(told, known_off).map(|left| {
                let since = off.map_or(before.end, |(_, since)| since);
                (left, since)
            });
            if in_month.abs() > ROUNDING_WH || whole.abs() > ROUNDING_WH {
                parts.push(CountPart {
                    energy: in_month,
                    whole,
                    usual: ledger.usual(&span),
                    span,
                    reason,
                });
            }
        }
        let last = rows.back().map_or(self.range.start, |row| row.end);
        parts.extend(self.missing(ledger, &(last..self.range.end)));
        parts
    }

    /// The step from a row to the next one.
    fn step<'r>(
        (before, row): (&CountedRow, &CountedRow),
        measured: f64,
        later: impl Iterator<Item = &'r CountedRow>,
        ledger: &MeasuredHours,
    ) -> SumStep {
        let after = row.state.or(before.state.map(|state| state + measured));
        let after = after.unwrap_or(row.sum);
        // Without a register, the sum may be one.
        let state = [before.state.unwrap_or(after - measured), after];
        let soon = row.end.saturating_add_millis(SOON_MS);
        let mut later = later.take_while(|it| it.end <= soon);
        SumStep {
            state,
            sum: [before.sum, row.sum],
            measured,
            has_gap: row.end.millis() - before.end.millis() > MS_PER_HOUR,
            event: ledger.event_of(&(before.end..row.end)).map(|it| it.kind),
            falls_back: later.any(|it| it.state.is_some_and(|state| state < after * 0.9)),
        }
    }

    /// By how much more was counted in a step than the ledger measured in its part of the month.
    fn in_month(&self, span: &Range<Timestamp>, counted: f64, ledger: &MeasuredHours) -> f64 {
        let part = span.start.max(self.range.start)..span.end.min(self.range.end);
        let measured = ledger.energy(&part).unwrap_or(0.0);
        // All of it counts in the month of its end.
        let is_counted = self.range.start < span.end && span.end <= self.range.end;
        if is_counted {
            counted - measured
        } else {
            -measured
        }
    }

    /// The energy of time before the first row, or after the last one, in the month.
    fn missing(&self, ledger: &MeasuredHours, range: &Range<Timestamp>) -> Option<CountPart> {
        let from = range.start.max(self.range.start);
        let to = range.end.min(self.range.end);
        let energy = -ledger.energy(&(from..to)).filter(|_| from < to)?;
        let is_gap = self.goes_on && !self.rows.is_empty() && !self.is_before_all(to);
        Some(CountPart {
            span: from..to,
            energy,
            whole: energy,
            usual: 0.0,
            reason: Some(if is_gap {
                CountReason::Gap
            } else {
                CountReason::Renamed
            }),
        })
    }

    fn is_before_all(&self, time: Timestamp) -> bool {
        self.is_beginning && self.rows.first().is_some_and(|first| time < first.end)
    }
}

impl MeasuredHours {
    /// The energy of full hours; `None` if none of it is known.
    fn energy(&self, range: &Range<Timestamp>) -> Option<f64> {
        if range.start >= range.end {
            return None;
        }
        let mut hours = self.hours.range(range.clone()).map(|(_, energy)| energy);
        let first = hours.next()?;
        Some(first + hours.sum::<f64>())
    }

    /// The largest energy of an hour in a range, and of the hours beside it.
    fn usual(&self, range: &Range<Timestamp>) -> f64 {
        let around = range.start.saturating_add_millis(-MS_PER_HOUR)
            ..range.end.saturating_add_millis(MS_PER_HOUR);
        let hours = self.hours.range(around).map(|(_, energy)| *energy);
        hours.fold(0.0, f64::max)
    }

    /// Whether people's corrections change the energy of a range.
    fn is_corrected(&self, range: &Range<Timestamp>) -> bool {
        let overlaps = |it: &Range<Timestamp>| it.start < range.end && it.end > range.start;
        let mut known = self.facts.energies.iter().map(|it| &it.range);
        known.any(overlaps)
            || self.facts.wrong.iter().any(overlaps)
            || self.facts.calibrations.factor_in(range) != Some(Decimal::ONE)
    }

    /// The event that overlaps a range; rather one that is no gap.
    fn event_of(&self, range: &Range<Timestamp>) -> Option<&Event> {
        let overlaps = |it: &&Event| it.since < range.end && it.until > range.start;
        let all = self.events.iter().filter(overlaps);
        all.min_by_key(|it| it.kind == EventKind::Gap)
    }
}

/// Parts without a reason that cancel each other within some days, maybe with a gap between them, are
/// late values: the surplus of one hour is missing in others.
fn settle_late(parts: &mut [CountPart]) {
    let mut from = 0;
    while from < parts.len() {
        let mut to = from;
        let (mut sum, mut all, mut usual) = (0.0, 0.0, 0.0_f64);
        let mut last: Option<Timestamp> = None;
        while let Some(part) = parts.get(to) {
            let is_far =
                last.is_some_and(|last| part.span.start.millis() - last.millis() > SOON_MS);
            if is_far {
                break;
            }
            if part.reason.is_none_or(|reason| reason == CountReason::Gap) {
                sum += part.whole;
                last = Some(part.span.end);
            }
            if part.reason.is_none() {
                all += part.whole.abs();
                usual = usual.max(part.usual);
            }
            to += 1;
        }
        // Energy of an hour at the end of the known time does not cancel.
        let is_late = all > 0.0 && sum.abs() <= usual.max(all * 0.05);
        for part in parts.get_mut(from..to).unwrap_or_default() {
            if is_late && part.reason.is_none() {
                part.reason = Some(CountReason::Late);
            }
        }
        from = to;
    }
}

/// Sums of binary fractions have noise, and the ledger has millionths.
pub(super) fn rounded(watthours: f64) -> f64 {
    (watthours * 1e6).round() / 1e6 + 0.0
}

/// The beginning of its hour in UTC.
pub(super) fn floor_hour(time: Timestamp) -> Timestamp {
    time.saturating_add_millis(-time.millis().rem_euclid(MS_PER_HOUR))
}
