//! Where values are on a picture, and the round ones among them that label its axis.

use super::quantity::ScaledUnit;
use crate::domain::number::finite;
use crate::query::Units;
use crate::texts::Language;

/// The part of a picture inside its axes, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Values from bottom to top; zero is always among them.
pub(super) struct ValueScale {
    low: f64,
    high: f64,
    step: f64,
    /// `None` of plain numbers.
    units: Option<Units>,
}

impl ValueScale {
    /// A scale for values from `least` to `greatest`, `height` pixels high, with its ends widened
    /// to round values.
    pub(super) fn new(least: f64, greatest: f64, height: f64, units: Option<Units>) -> Self {
        /// The height of a label and the space above it.
        const ROOM_PX: f64 = 34.0;
        /// Half of a thousandth of a watt, the smallest difference that is shown.
        const LEAST_HALF: f64 = 0.0005;
        let (low, high) = (least.min(0.0), greatest.max(0.0));
        // Halves, because the whole difference may exceed the range of a f64.
        let half = (high / 2.0 - low / 2.0).max(LEAST_HALF);
        let steps = (height / ROOM_PX).max(1.0);
        // Halves are divided by the number of steps, which is at least two, so doubling the result
        // cannot overflow.
        let step = round_up(half / steps * 2.0_f64.min(steps)).max(2.0 * LEAST_HALF);
        let out = |end: f64| finite((end.abs() / step).ceil() * step).copysign(end);
        let (low, high) = (out(low), out(high));
        let is_empty = high == 0.0 && low == 0.0;
        Self {
            // Not -0.0, which `data-values` would show.
            low: if low == 0.0 { 0.0 } else { low },
            high: if is_empty { step } else { high },
            step,
            units,
        }
    }

    /// The values at its bottom and its top.
    pub(super) const fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Where `value` is in `plot`; the nearer edge if it lies outside the scale.
    pub(super) fn y(&self, value: f64, plot: Plot) -> f64 {
        // By halves, as in `new`: the difference may exceed the range of a f64.
        let share = (self.high / 2.0 - value / 2.0) / (self.high / 2.0 - self.low / 2.0);
        plot.top + share.clamp(0.0, 1.0) * plot.height
    }

    /// Round values with their labels, ascending.
    pub(super) fn ticks(&self, language: &Language) -> Vec<(f64, String)> {
        let unit = self.units.map_or(ScaledUnit::NONE, |units| {
            ScaledUnit::of(self.high.max(-self.low), units)
        });
        // By the step, so that all labels of an axis have as many decimals.
        let decimals = (0..3_i32)
            .find(|decimals| {
                let scaled = self.step / unit.size * 10_f64.powi(*decimals);
                (scaled - scaled.round()).abs() < 1e-6
            })
            .unwrap_or(3);
        let decimals = usize::try_from(decimals).unwrap_or_default();
        // A scale has a few steps; the limit is for rounding errors of huge numbers.
        let count = |end: f64| (end / self.step).round().clamp(-50.0, 50.0);
        #[expect(clippy::cast_possible_truncation, reason = "at most 50")]
        let (first, last) = (count(self.low) as i32, count(self.high) as i32);
        (first..=last)
            .map(|nth| {
                let value = finite(f64::from(nth) * self.step);
                // Zero needs no decimals.
                let decimals = if nth == 0 { 0 } else { decimals };
                (value, unit.text(value, decimals, language))
            })
            .collect()
    }
}

/// The least of 1, 2 and 5 times a power of ten that is not below `number`, which is positive.
fn round_up(number: f64) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no f64 has more than 324 places"
    )]
    let place = number.log10().floor() as i32;
    // Not `powf`: in the last digit of a broken power, C libraries differ.
    let power = 10_f64.powi(place.saturating_abs());
    let power = if place < 0 { power.recip() } else { power };
    let round = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let found = round
        .into_iter()
        // With a tolerance, because powers of ten and quotients are rounded: 5.000000000001 is 5.
        .find(|round| number <= *round * (1.0 + 1e-9));
    finite(found.unwrap_or(number))
}
