//! Why the sum of a statistic grew by other energy than the ledger measured: one step of it, from a row
//! to the next one.
//!
//! Home Assistant adds up how a register rises. Where the register falls by a tenth or more, it takes
//! that for a reset, and counts all that the register shows from then on. So a register that shows 0
//! for a moment adds all of its energy again, and a spike adds its height and then the register.

use serde::{Deserialize, Serialize};

use crate::domain::words::words;
use crate::ledger::EventKind;

/// Why Home Assistant counted other energy than the meter measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountReason {
    /// The register fell or jumped, and its new value was counted as energy.
    Reset,
    /// A value that was far too high was counted.
    Spike,
    /// Nothing was recorded for hours, so that all of their energy counts in the hour after them.
    Gap,
    /// A value came late, and counts in the hour when it came.
    Late,
    /// The entity has no statistic at that time, or a new one: it was renamed, or added again.
    Renamed,
    /// Values were in another unit than they said.
    Unit,
    /// The sum was changed by hand.
    Edited,
    /// A person corrected the ledger.
    Corrected,
    /// The ledger has no readings of that time.
    Unread,
    /// None of these.
    Unknown,
}

words! {
    CountReason: Reset "reset", Spike "spike", Gap "gap", Late "late", Renamed "renamed", Unit "unit", Edited "edited",
    Corrected "corrected", Unread "unread", Unknown "unknown";
    "reset, spike, gap, late, renamed, unit, edited, corrected, unread or unknown"
}

/// A step of a statistic. Energies and registers are in watt-hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SumStep {
    /// The register before and after it.
    pub(super) state: [f64; 2],
    /// The sum before and after it.
    pub(super) sum: [f64; 2],
    /// The energy by the ledger.
    pub(super) measured: f64,
    /// Whether rows are missing in it.
    pub(super) has_gap: bool,
    /// The event that the ledger found in it.
    pub(super) event: Option<EventKind>,
    /// Whether the register is back below its height soon after.
    pub(super) falls_back: bool,
}

/// Less than this is rounding.
pub(super) const ROUNDING_WH: f64 = 0.5;
/// From one unit to another one.
const UNIT_FACTORS: [f64; 4] = [1e3, 1e6, 1e-3, 1e-6];
/// A fall by more than a tenth is a reset for Home Assistant.
const RESET_BELOW: f64 = 0.9;
/// So many times the measured energy is implausible.
const IMPLAUSIBLE: f64 = 10.0;

/// How a register left its course, until it is back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OffCourse {
    /// The reason of its first step away.
    pub(super) reason: CountReason,
    /// The register before that.
    pub(super) level: f64,
}

impl SumStep {
    /// By how much the sum grew.
    pub(super) fn counted(&self) -> f64 {
        self.sum[1] - self.sum[0]
    }

    /// By how much more that is than the ledger measured.
    pub(super) fn difference(&self) -> f64 {
        self.counted() - self.measured
    }

    /// The reason, if this step alone, and how the register left its course before, tell it.
    pub(super) fn reason(&self, off: Option<OffCourse>) -> Option<CountReason> {
        if self.is_other_unit(off) {
            return Some(CountReason::Unit);
        }
        if self.begins_again() {
            return Some(CountReason::Renamed);
        }
        let rise = self.state[1] - self.state[0];
        let excess = self.counted() - rise;
        let is_register = excess.abs() <= ROUNDING_WH.max(rise.abs() * 0.005);
        if is_register {
            return self.reason_of_register(off);
        }
        if self.state[1] < self.state[0] * RESET_BELOW {
            return Some(self.reason_of_fall(off));
        }
        Some(self.reason_of_excess(excess))
    }

    /// Whether the register changed, or the energy differs, by the factor of a unit.
    fn is_other_unit(&self, off: Option<OffCourse>) -> bool {
        let [before, after] = self.state;
        let is_jump = before.abs() > ROUNDING_WH && is_unit_factor(after / before, 0.05);
        let has_energy = self.measured > 10.0 * ROUNDING_WH;
        let is_scaled = has_energy && is_unit_factor(self.counted() / self.measured, 0.02);
        let is_still = off.is_some_and(|off| {
            let factor = after / off.level;
            off.reason == CountReason::Unit && !(0.01..=100.0).contains(&factor)
        });
        is_jump || is_scaled || is_still
    }

    /// Whether the sum began again, as that of an entity that was added again.
    fn begins_again(&self) -> bool {
        let [before, after] = self.sum;
        let rise = self.state[1] - self.state[0];
        let since = rise.max(self.measured) + ROUNDING_WH;
        before > since && (-ROUNDING_WH..=since).contains(&after)
    }

    /// The sum followed the register, and the ledger did not.
    fn reason_of_register(&self, off: Option<OffCourse>) -> Option<CountReason> {
        if let Some(off) = off {
            return Some(off.reason);
        }
        let is_high = self.counted() > IMPLAUSIBLE * self.measured.max(ROUNDING_WH);
        let by_event = self.event.map(reason_of_event);
        if is_high && self.falls_back {
            return Some(CountReason::Spike);
        }
        match by_event {
            // Its energy is known as a sum, and the ledger spreads it.
            Some(CountReason::Gap) | None if self.has_gap => Some(CountReason::Gap),
            other => other,
        }
    }

    /// The register fell, and Home Assistant counts what it shows.
    fn reason_of_fall(&self, off: Option<OffCourse>) -> CountReason {
        if self.counted() < self.state[1] - ROUNDING_WH {
            return CountReason::Edited;
        }
        let spike = Some(CountReason::Spike);
        if let Some(off) = off.filter(|off| off.reason != CountReason::Reset) {
            off.reason
        } else if self.event.map(reason_of_event) == spike {
            CountReason::Spike
        } else {
            CountReason::Reset
        }
    }

    /// The sum grew by more or less than the register, which rose.
    fn reason_of_excess(&self, excess: f64) -> CountReason {
        let [before, after] = self.state;
        let register = before * 0.98 - ROUNDING_WH..=after * 1.02 + ROUNDING_WH;
        if excess > 0.0 && register.contains(&excess) {
            CountReason::Reset
        } else if excess > after {
            // Its height counted, and then the register.
            CountReason::Spike
        } else {
            CountReason::Edited
        }
    }

    /// How the register is off its course after this step of that reason.
    pub(super) fn off_course(
        &self,
        reason: Option<CountReason>,
        before: Option<OffCourse>,
    ) -> Option<OffCourse> {
        let [from, to] = self.state;
        if let Some(off) = before {
            let is_back = match off.reason {
                CountReason::Reset => to >= off.level * RESET_BELOW,
                CountReason::Spike => to <= off.level * 1.1 + self.measured,
                _ => (0.1..=10.0).contains(&(to / off.level)),
            };
            return (!is_back).then_some(off);
        }
        let reason = reason?;
        let has_left = match reason {
            CountReason::Reset => to < from * RESET_BELOW,
            CountReason::Spike => to > from + IMPLAUSIBLE * self.measured.max(ROUNDING_WH),
            CountReason::Unit => is_unit_factor(to / from, 0.05),
            _ => false,
        };
        has_left.then_some(OffCourse {
            reason,
            level: from,
        })
    }
}

fn is_unit_factor(factor: f64, within: f64) -> bool {
    let mut all = UNIT_FACTORS.into_iter();
    all.any(|unit| (factor / unit - 1.0).abs() <= within)
}

fn reason_of_event(kind: EventKind) -> CountReason {
    match kind {
        EventKind::Spike | EventKind::ImplausiblePower => CountReason::Spike,
        EventKind::Dip | EventKind::Reset | EventKind::Rollover | EventKind::Jump => {
            CountReason::Reset
        }
        EventKind::Gap => CountReason::Gap,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(state: [f64; 2], sum: [f64; 2], measured: f64) -> SumStep {
        SumStep {
            state,
            sum,
            measured,
            has_gap: false,
            event: None,
            falls_back: false,
        }
    }

    #[test]
    fn a_register_that_is_counted_again_is_a_reset() {
        // It showed 0 within the hour.
        let within = step([5e6, 5.0005e6], [100.0, 5.0006e6], 500.0);
        assert_eq!(within.reason(None), Some(CountReason::Reset));
        // At the end of the hour, and back an hour later.
        let fall = step([5e6, 3.0], [100.0, 103.0], 500.0);
        assert_eq!(fall.reason(None), Some(CountReason::Reset));
        let off = fall.off_course(Some(CountReason::Reset), None);
        let back = step([3.0, 5.001e6], [103.0, 5.0011e6], 500.0);
        assert_eq!(back.reason(off), Some(CountReason::Reset));
        assert_eq!(back.off_course(Some(CountReason::Reset), off), None);
        // A new meter that does not begin at 0.
        let other = step([5e6, 2e6], [100.0, 2.0001e6], 0.0);
        assert_eq!(other.reason(None), Some(CountReason::Reset));
        // A jump that stays.
        let jump = SumStep {
            event: Some(EventKind::Jump),
            ..step([5e6, 7e6], [0.0, 2e6], 0.0)
        };
        assert_eq!(jump.reason(None), Some(CountReason::Reset));
    }

    #[test]
    fn a_value_that_is_too_high_is_a_spike() {
        let within = step([5e6, 5.0005e6], [100.0, 9.0005e7], 500.0);
        assert_eq!(within.reason(None), Some(CountReason::Spike));
        let rise = SumStep {
            falls_back: true,
            ..step([5e6, 9e7], [100.0, 8.50001e7], 500.0)
        };
        assert_eq!(rise.reason(None), Some(CountReason::Spike));
        let off = rise.off_course(Some(CountReason::Spike), None);
        let back = step([9e7, 5.001e6], [8.50001e7, 9.00011e7], 500.0);
        assert_eq!(back.reason(off), Some(CountReason::Spike));
        assert_eq!(back.off_course(Some(CountReason::Spike), off), None);
        // Without the step before it, the ledger tells.
        let told = SumStep {
            event: Some(EventKind::Spike),
            ..back
        };
        assert_eq!(told.reason(None), Some(CountReason::Spike));
    }

    #[test]
    fn missing_rows_are_a_gap() {
        let gap = SumStep {
            has_gap: true,
            ..step([5e6, 5.005e6], [0.0, 5_000.0], 100.0)
        };
        assert_eq!(gap.reason(None), Some(CountReason::Gap));
        let told = SumStep {
            event: Some(EventKind::Gap),
            ..gap
        };
        assert_eq!(told.reason(None), Some(CountReason::Gap));
    }

    #[test]
    fn a_late_value_is_not_told_by_one_step() {
        for (after, measured) in [(5e6, 500.0), (5.002e6, 500.0)] {
            let late = step([5e6, after], [0.0, after - 5e6], measured);
            assert_eq!(late.reason(None), None);
        }
    }

    #[test]
    fn a_sum_that_begins_again_is_that_of_an_entity_added_again() {
        let again = step([5e6, 5.0005e6], [8e6, 500.0], 500.0);
        assert_eq!(again.reason(None), Some(CountReason::Renamed));
    }

    #[test]
    fn a_factor_of_a_thousand_is_a_unit() {
        let jump = step([5e6, 5.0005e9], [100.0, 4.9955e9], 500.0);
        assert_eq!(jump.reason(None), Some(CountReason::Unit));
        let off = jump.off_course(Some(CountReason::Unit), None);
        let still = step([5.0005e9, 5.001e9], [4.9955e9, 4.996e9], 0.0);
        assert_eq!(still.reason(off), Some(CountReason::Unit));
        assert_eq!(still.off_course(Some(CountReason::Unit), off), off);
        let back = step([5.001e9, 5.0011e6], [4.996e9, 5.001e9], 500.0);
        assert_eq!(back.reason(off), Some(CountReason::Unit));
        assert_eq!(back.off_course(Some(CountReason::Unit), off), None);
        let always = step([5e3, 5.5e3], [0.0, 0.5], 500.0);
        assert_eq!(always.reason(None), Some(CountReason::Unit));
    }

    #[test]
    fn a_sum_that_leaves_the_register_was_edited() {
        for change in [-4e6, 1e6, -3.0] {
            let edited = step([5e6, 5.0005e6], [8e6, 8.0005e6 + change], 500.0);
            assert_eq!(edited.reason(None), Some(CountReason::Edited), "{change}");
        }
        // In the hour of a reset.
        let fall = step([5e6, 3.0], [8e6, 7e6], 3.0);
        assert_eq!(fall.reason(None), Some(CountReason::Edited));
    }
}
