//! Decides registers that do not fit the last good one, the anchor.

use super::anchor::{Anchor, Shown};
use super::event::EventKind;
use super::facts::DailyRestart;
use super::register_run::energy_of_step;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{Meter, MeterKind, MicroWh};

/// How long registers are held at most.
const LONGEST_HELD_MS: i64 = MS_PER_DAY;

/// The verdict on an unusual register.
pub(super) struct Verdict {
    pub(super) kind: EventKind,
    /// Its energy, if it counts.
    pub(super) energy: MicroWh,
    /// Whether it counts; `None` if a person has to decide.
    pub(super) counts: Option<bool>,
}

impl Verdict {
    /// The energy that counts, after a person's decision if there is one.
    pub(super) fn counted(&self, decision: Option<bool>) -> MicroWh {
        let counts = decision.or(self.counts) == Some(true);
        if counts { self.energy } else { MicroWh::ZERO }
    }

    /// Whether a person has to decide, and has not.
    pub(super) fn is_open(&self, decision: Option<bool>) -> bool {
        decision.or(self.counts).is_none()
    }
}

/// How a register ends a hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Return {
    /// It fits the anchor: the held ones were bad.
    ToAnchor,
    /// The held ones were bad, but it is below the anchor itself.
    Below,
    /// It fits the anchor by chance: the held ones are good.
    Restart,
}

/// Whether a register comes too late to end the hold of those since `first`.
pub(super) fn is_late(first: Shown, next: Shown) -> bool {
    next.time.millis() - first.time.millis() > LONGEST_HELD_MS
}

/// Whether `next` fits the anchor.
pub(super) fn fits(meter: &Meter, anchor: &Anchor, next: Shown) -> bool {
    let energy = energy_of_step(meter.kind, anchor.shown, next);
    let is_allowed = || anchor.allows(meter.limit, energy, next.time);
    match meter.kind {
        MeterKind::Net => is_allowed(),
        MeterKind::Counter => energy >= MicroWh::ZERO && is_allowed(),
        MeterKind::Interval => meter.limit.allows(energy, anchor.spacing_to(next.time)),
    }
}

/// Whether `next` is a 0 after a silence, of a register that runs both ways. Such a step would be
/// plausible, and the next register says whether it is real.
pub(super) fn is_sudden_zero(meter: &Meter, anchor: &Anchor, next: Shown) -> bool {
    meter.kind == MeterKind::Net
        && next.value == MicroWh::ZERO
        && anchor.shown.value != MicroWh::ZERO
        && anchor.is_gap(next.time)
        && fits(meter, anchor, next)
}

/// Whether `next` shows about what a counter showed at the anchor, before zeros.
pub(super) fn is_old_register(meter: &Meter, anchor: &Anchor, held: &[Shown], next: Shown) -> bool {
    let good = anchor.shown.value;
    meter.kind == MeterKind::Counter
        && are_zeros(held)
        && next.value >= good
        && is_part(next.value - good, good, (1, 10))
}

/// Whether all of these registers show 0.
pub(super) fn are_zeros(held: &[Shown]) -> bool {
    held.iter().all(|held| held.value == MicroWh::ZERO)
}

/// How `next` ends a hold; `None` if it does not.
pub(super) fn returns(
    (meter, restart): (&Meter, &DailyRestart),
    anchor: &Anchor,
    held: &[Shown],
    next: Shown,
) -> Option<Return> {
    let (good, first, newest) = (anchor.shown.value, held.first()?, held.last()?);
    let is_rise = first.value > good;
    let is_counter = meter.kind == MeterKind::Counter;
    if is_counter && is_rise && next.value < good {
        return Some(Return::Below);
    }
    if !fits(meter, anchor, next) {
        return None;
    }
    if is_counter && !is_rise {
        let is_restart = is_restart((meter, restart), anchor, held, next);
        return Some(if is_restart {
            Return::Restart
        } else {
            Return::ToAnchor
        });
    }
    // A jump that stays would be plausible, too, after long enough. So the step has to lead back,
    // and most of the way.
    let steps_back = if is_rise {
        next.value < newest.value
    } else {
        next.value > newest.value
    };
    let is_nearer = distance(good, next.value) < distance(first.value, next.value);
    (steps_back && is_nearer).then_some(Return::ToAnchor)
}

/// A register of a day that stood still or was silent for so long, and for three usual spacings,
/// before it shows 0 may pass the anchor in one step.
const DARK_MS: i64 = MS_PER_HOUR;

/// Whether the held registers, and `next` after them, are a counter that restarted and has passed
/// the anchor by now. An inverter's counter of the day does that within a day. It climbs in several
/// steps, or after a dark day in one; a bad reading comes back in one.
fn is_restart(
    (meter, restart): (&Meter, &DailyRestart),
    anchor: &Anchor,
    held: &[Shown],
    next: Shown,
) -> bool {
    let Some((&first, climb)) = held.split_first() else {
        return false;
    };
    let good = anchor.shown.value;
    let depth = good - first.value;
    let dark_ms = first.time.millis() - anchor.unchanged_since.millis();
    let is_dark = dark_ms >= DARK_MS && anchor.spacings.is_gap(dark_ms);
    let is_new_day = is_dark
        && next.value > good
        && is_part(first.value, good, (1, 100))
        && restarts_with(restart, anchor, first);
    let mut at = Anchor::at(first);
    let climbs = climb.iter().chain([&next]).all(|&higher| {
        let step = higher.value.min(good) - at.shown.value;
        let is_step = fits(meter, &at, higher) && (is_new_day || is_part(step, depth, (3, 4)));
        at = at.then(higher);
        is_step
    });
    climbs && verdict(meter, anchor, first, None).counts == Some(true)
}

/// Whether a counter may begin again at 0 with `first`, as one of the day does.
pub(super) fn restarts_with(restart: &DailyRestart, anchor: &Anchor, first: Shown) -> bool {
    let times = (anchor.shown.time, first.time);
    restart.is_between(times, anchor.is_gap(first.time))
}

/// What `first` is, which does not fit the anchor and stays.
pub(super) fn verdict(
    meter: &Meter,
    anchor: &Anchor,
    first: Shown,
    decision: Option<bool>,
) -> Verdict {
    let (before, after) = (anchor.shown.value, first.value);
    if meter.kind != MeterKind::Counter || after > before {
        return Verdict {
            kind: EventKind::Jump,
            energy: after - before,
            counts: None,
        };
    }
    // A counter's restart so near is rarer than a float's last digit, or an older value after a
    // power cut.
    if is_part(before - after, before, (1, 100)) && decision != Some(true) {
        return Verdict {
            kind: EventKind::Dip,
            energy: MicroWh::ZERO,
            counts: Some(false),
        };
    }
    let is_plausible =
        |energy: MicroWh| energy >= MicroWh::ZERO && anchor.allows(meter.limit, energy, first.time);
    if let Some(rollover) = meter.rollover {
        let energy = rollover.register() - before + after;
        // The way around is the shorter one; it is as long as readings are far apart.
        let is_shorter = energy <= rollover.register() - energy;
        if is_shorter && is_plausible(energy) {
            return Verdict {
                kind: EventKind::Rollover,
                energy,
                counts: Some(true),
            };
        }
    }
    Verdict {
        kind: EventKind::Reset,
        energy: after.max(MicroWh::ZERO),
        counts: is_plausible(after).then_some(true),
    }
}

/// How far apart two registers are.
fn distance(a: MicroWh, b: MicroWh) -> MicroWh {
    a.max(b) - a.min(b)
}

/// Whether a part is at most this fraction of a positive whole.
fn is_part(part: MicroWh, whole: MicroWh, (above, below): (i128, i128)) -> bool {
    i128::from(part.millionths()) * below <= i128::from(whole.millionths()) * above
}
