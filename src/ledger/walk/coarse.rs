//! Coarse registers: one of whole kilowatt-hours stands still for hours, and then rises by a kilowatt-hour at once, although energy
//! flowed all the time.

use crate::domain::time::MS_PER_DAY;
use crate::domain::{MicroWh, Timestamp};

/// The steps of coarse registers. A finer step is too little energy to look like a peak.
const STEPS: [MicroWh; 2] = [MicroWh::new(100_000_000), MicroWh::new(1_000_000_000)];

/// A step is spread over so long a time before it at most.
const LONGEST_MS: i64 = MS_PER_DAY;

/// Whether a register that shows this may have such steps.
pub(super) fn may_be_coarse(shown: MicroWh) -> bool {
    STEPS.iter().any(|step| is_multiple(shown, *step))
}

/// Whether a register that showed `before` rose or fell by one step.
pub(super) fn is_one_step(before: MicroWh, after: MicroWh) -> bool {
    let step = (after - before).max(before - after);
    STEPS.contains(&step) && is_multiple(before, step)
}

/// From when on energy may be given out later, if the register still stands still at `now`.
pub(super) fn spread_from(still_since: Timestamp, now: Timestamp) -> Timestamp {
    still_since.max(now.saturating_add_millis(-LONGEST_MS))
}

fn is_multiple(shown: MicroWh, step: MicroWh) -> bool {
    shown.millionths() % step.millionths() == 0
}
