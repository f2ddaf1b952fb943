//! The sums of a house: imported, exported, produced, stored and used.

use std::ops::Add;

use crate::domain::MicroWh;
use crate::domain::number::to_millionth;
use crate::ledger::stretch::Flow;

/// A sensor's energy in a slot of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeasuredSlot {
    /// The energy, as far as it is known; `None` if none is.
    pub flow: Option<Flow>,
    /// For how long that is known, in milliseconds.
    pub known_ms: i64,
    /// For how long only the sum is measured, in milliseconds.
    pub estimated_ms: i64,
    /// In a slot of at most a quarter of an hour: for how long the energy was read less often, in
    /// milliseconds.
    pub coarse_ms: i64,
    /// For how long nothing is known, in milliseconds. Time after the newest reading is not missing
    /// while the next one is not late.
    pub missing_ms: i64,
}

/// Energy of one or several sensors, without unknown energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HouseSum {
    energy: MicroWh,
    is_known: bool,
    /// For how long only the sum of a sensor is measured, in milliseconds: of the sensor with the
    /// longest such time in each slot.
    pub estimated_ms: i64,
    /// In slots of at most a quarter of an hour: for how long the energy of a sensor was read less
    /// often, in milliseconds; likewise.
    pub coarse_ms: i64,
    /// For how long nothing is known of a sensor, in milliseconds: of the sensor with the longest
    /// such time in each slot.
    pub missing_ms: i64,
}

/// The sums of a house in a slot, or in consecutive slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HouseSums {
    /// Drawn from the grid.
    pub imported: HouseSum,
    /// Fed into the grid.
    pub exported: HouseSum,
    /// Produced by the house's own panels.
    pub produced: HouseSum,
    /// Taken by batteries.
    pub charged: HouseSum,
    /// Given by batteries.
    pub discharged: HouseSum,
    /// Imported - exported + produced + discharged - charged. Unknown where the imported energy is
    /// unknown.
    pub used: HouseSum,
    /// The energy of each sensor, in the order of the plan: drawn less fed back.
    pub sensors: Vec<HouseSum>,
    /// The energy of each sensor without the sub-meters inside it; `None` where there are none.
    pub others: Vec<Option<HouseSum>>,
    /// The consumption that no sub-meter measured; `None` without sub-meters.
    pub other: Option<HouseSum>,
}

/// Whether a time is measured as a whole. This one rule decides what savings, sources and *what if*
/// count: nothing is concluded from energy whose course nobody measured (docs/DECIDE.md).
const fn is_measured(estimated_ms: i64, missing_ms: i64) -> bool {
    estimated_ms == 0 && missing_ms == 0
}

impl MeasuredSlot {
    /// Whether all of it is measured, or nothing was there to measure.
    #[must_use]
    pub const fn is_measured(&self) -> bool {
        is_measured(self.estimated_ms, self.missing_ms)
    }

    /// A slot without known energy.
    #[must_use]
    pub const fn unknown(length_ms: i64) -> Self {
        Self {
            flow: None,
            known_ms: 0,
            estimated_ms: 0,
            coarse_ms: 0,
            missing_ms: length_ms,
        }
    }
}

impl HouseSum {
    /// The energy of a sensor, as `energy` reads it from the flow.
    pub(super) fn of(slot: &MeasuredSlot, energy: impl Fn(Flow) -> MicroWh) -> Self {
        Self {
            energy: slot.flow.map(energy).unwrap_or_default(),
            is_known: slot.flow.is_some(),
            estimated_ms: slot.estimated_ms,
            coarse_ms: slot.coarse_ms,
            missing_ms: slot.missing_ms,
        }
    }

    /// The energy; `None` if nothing of it is known.
    #[must_use]
    pub fn energy(self) -> Option<MicroWh> {
        self.is_known.then_some(self.energy)
    }

    /// Whether all of it is measured, or nothing was there to measure.
    #[must_use]
    pub const fn is_measured(&self) -> bool {
        is_measured(self.estimated_ms, self.missing_ms)
    }

    /// The sum with another sensor's of the same slot.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            energy: self.energy + other.energy,
            is_known: self.is_known || other.is_known,
            estimated_ms: self.estimated_ms.max(other.estimated_ms),
            coarse_ms: self.coarse_ms.max(other.coarse_ms),
            missing_ms: self.missing_ms.max(other.missing_ms),
        }
    }

    /// This without another sensor's of the same slot.
    pub(super) fn less(self, other: Self) -> Self {
        let energy = -other.energy;
        self.and(Self { energy, ..other })
    }

    /// This without a part of its energy.
    pub(super) fn without(self, part: MicroWh) -> Self {
        let energy = self.energy - part;
        Self { energy, ..self }
    }

    /// This, known if `other` is.
    pub(super) fn known_with(self, other: Self) -> Self {
        let is_known = other.is_known;
        Self { is_known, ..self }
    }
}

impl HouseSums {
    pub(super) fn nothing(sensors: usize) -> Self {
        let nothing = HouseSum::default();
        Self {
            imported: nothing,
            exported: nothing,
            produced: nothing,
            charged: nothing,
            discharged: nothing,
            used: nothing,
            sensors: vec![nothing; sensors],
            others: vec![None; sensors],
            other: None,
        }
    }

    /// Energy from the grid less energy fed into it.
    #[must_use]
    pub fn net_of_grid(&self) -> HouseSum {
        self.imported.less(self.exported)
    }

    /// Produced less exported energy; not below 0. `None` if either is unknown.
    ///
    /// The balance over the whole time counts: energy that a battery takes at noon and feeds back
    /// at night was not consumed.
    #[must_use]
    pub fn self_consumed(&self) -> Option<MicroWh> {
        let kept = self.produced.energy()? - self.exported.energy()?;
        Some(kept.max(MicroWh::ZERO))
    }

    /// The share of the production that was not exported, from 0 to 1. `None` without production,
    /// or if something is unknown.
    #[must_use]
    pub fn self_consumption(&self) -> Option<f64> {
        share(self.self_consumed()?, self.produced.energy()?)
    }

    /// The share of the consumption that did not come from the grid, from 0 to 1. `None` without
    /// consumption, or if something is unknown.
    #[must_use]
    pub fn self_sufficiency(&self) -> Option<f64> {
        let used = self.used.energy()?;
        share(used - self.imported.energy()?, used)
    }
}

/// The share of `part` in `whole`, from 0 to 1; `None` if there is nothing to have a share in.
fn share(part: MicroWh, whole: MicroWh) -> Option<f64> {
    let is_share = whole > MicroWh::ZERO;
    is_share.then(|| to_millionth(part.watthours() / whole.watthours()).clamp(0.0, 1.0))
}

/// The sums of consecutive slots.
impl Add for MeasuredSlot {
    type Output = Self;

    fn add(self, later: Self) -> Self {
        let both = self.flow.zip(later.flow).map(|(flow, later)| flow + later);
        Self {
            flow: both.or(self.flow).or(later.flow),
            known_ms: self.known_ms.saturating_add(later.known_ms),
            estimated_ms: self.estimated_ms.saturating_add(later.estimated_ms),
            coarse_ms: self.coarse_ms.saturating_add(later.coarse_ms),
            missing_ms: self.missing_ms.saturating_add(later.missing_ms),
        }
    }
}
