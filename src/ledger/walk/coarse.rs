//! Coarse registers: a register of whole kilowatt-hours is unchanged for hours, and then rises by a
//! kilowatt-hour at once, although energy flowed all the time.

use crate::domain::time::MS_PER_DAY;
use crate::domain::{MicroWh, Timestamp};

/// The steps of coarse registers. A finer step is too little energy to look like a peak.
const STEPS: [MicroWh; 2] = [MicroWh::new(100_000_000), MicroWh::new(1_000_000_000)];

/// The longest time before a step over which its energy is spread.
const LONGEST_MS: i64 = MS_PER_DAY;

/// Whether a register with this value can have such steps.
pub(super) fn may_be_coarse(shown: MicroWh) -> bool {
    STEPS.iter().any(|step| is_multiple(shown, *step))
}

/// Whether a register rose or fell by one step from `before` to `after`.
pub(super) fn is_one_step(before: MicroWh, after: MicroWh) -> bool {
    let step = (after - before).max(before - after);
    STEPS.contains(&step) && is_multiple(before, step)
}

/// The earliest start of the next step's energy, for a register that is still unchanged at `now`.
pub(super) fn spread_from(still_since: Timestamp, now: Timestamp) -> Timestamp {
    still_since.max(now.saturating_add_millis(-LONGEST_MS))
}

fn is_multiple(shown: MicroWh, step: MicroWh) -> bool {
    shown.millionths() % step.millionths() == 0
}
