//! The energy of a house in a quarter of an hour, and the same without its panels or its battery.

use std::ops::{Add, Neg, Range};

use crate::domain::number::to_millionth;
use crate::domain::time::MS_PER_MINUTE;
use crate::domain::{MicroWh, Timestamp};
use crate::ledger::house::{HouseSum, HouseSums};
use crate::ledger::stretch::Flow;

/// The energy of a house in a quarter of an hour, or in a part of one: a price may change within
/// it. `None` is unknown; a house that has no panels, no battery or no sensor for its export has zero
/// there.
///
/// The use of the house is imported - exported + produced + discharged - charged. A change of a
/// quarter keeps it, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HouseQuarter {
    /// Its beginning.
    pub start: Timestamp,
    /// Its end.
    pub end: Timestamp,
    /// Drawn from the grid.
    pub imported: Option<MicroWh>,
    /// Fed into the grid.
    pub exported: Option<MicroWh>,
    /// Produced by the house's own panels.
    pub produced: Option<MicroWh>,
    /// Taken by batteries.
    pub charged: Option<MicroWh>,
    /// Given by batteries.
    pub discharged: Option<MicroWh>,
    /// Whether any of it was read less often than each quarter of an hour.
    pub is_coarse: bool,
}

impl HouseQuarter {
    /// The length of a whole one, in milliseconds. It begins at a multiple of this.
    pub const LENGTH_MS: i64 = 15 * MS_PER_MINUTE;

    /// The quarter with these sums of the house, estimated or not.
    #[must_use]
    pub fn of(times: Range<Timestamp>, sums: &HouseSums) -> Self {
        Self::with_sums(times, sums, |_| true)
    }

    /// The same without the energy of sensors that did not measure all of it.
    #[must_use]
    pub fn measured(times: Range<Timestamp>, sums: &HouseSums) -> Self {
        Self::with_sums(times, sums, HouseSum::is_measured)
    }

    fn with_sums(times: Range<Timestamp>, sums: &HouseSums, counts: fn(&HouseSum) -> bool) -> Self {
        // Nothing is missing where no sensor measures: before the first reading of its panels, the
        // house had none.
        let known = |sum: HouseSum| {
            let is_absent = sum.missing_ms == 0;
            let energy = sum.energy().or(is_absent.then_some(MicroWh::ZERO));
            energy.filter(|_| counts(&sum))
        };
        Self {
            start: times.start,
            end: times.end,
            imported: sums.imported.energy().filter(|_| counts(&sums.imported)),
            exported: known(sums.exported),
            produced: known(sums.produced),
            charged: known(sums.charged),
            discharged: known(sums.discharged),
            // The use has the longest such time of all parts.
            is_coarse: sums.used.coarse_ms > 0,
        }
    }

    /// It, with the energies of `other` where its own are not known.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            imported: self.imported.or(other.imported),
            exported: self.exported.or(other.exported),
            produced: self.produced.or(other.produced),
            charged: self.charged.or(other.charged),
            discharged: self.discharged.or(other.discharged),
            ..self
        }
    }

    /// The energy at the grid; `None` if either direction is unknown.
    #[must_use]
    pub fn at_grid(&self) -> Option<Flow> {
        Some(Flow {
            imported: self.imported?,
            exported: self.exported?,
        })
    }

    /// All that its panels produced, and that its batteries took and gave, as far as it is known.
    #[must_use]
    pub fn own(&self) -> MicroWh {
        let parts = [self.produced, self.charged, self.discharged];
        parts.into_iter().flatten().sum()
    }

    /// The energy that the house used; `None` if a part is unknown.
    #[must_use]
    pub fn used(&self) -> Option<MicroWh> {
        let given = self.produced? + self.discharged?;
        Some(self.at_grid()?.net() + given - self.charged?)
    }

    /// The quarter without the panels: their energy comes from the grid. The house feeds in less
    /// first, and draws more for the rest. A battery goes on as it did.
    #[must_use]
    pub fn without_panels(self) -> Self {
        let flow = self.at_grid().zip(self.produced);
        let flow = flow.map(|(flow, produced)| drawing(flow, produced));
        Self {
            produced: Some(MicroWh::ZERO),
            ..self.with(flow)
        }
    }

    /// The quarter without the battery: the grid gives and takes in its place. The battery fed the
    /// grid as far as the house fed in, and took from the grid as far as the house drew. Both by the
    /// energy of the whole quarter.
    #[must_use]
    pub fn without_battery(self) -> Self {
        let stored = self.charged.zip(self.discharged);
        let flow = self.at_grid().zip(stored);
        let flow = flow.map(|(flow, stored)| without_storage(flow, stored));
        Self {
            charged: Some(MicroWh::ZERO),
            discharged: Some(MicroWh::ZERO),
            ..self.with(flow)
        }
    }

    /// The quarter if the house used so much more, or less if it is negative; `None` is unknown. A
    /// battery goes on as it did.
    #[must_use]
    pub fn using(self, more: Option<MicroWh>) -> Self {
        let flow = self.at_grid().zip(more);
        self.with(flow.map(|(flow, more)| drawing(flow, more)))
    }

    /// The quarter if its panels produced so much more, or less if it is negative; `None` is unknown.
    #[must_use]
    pub fn producing(self, more: Option<MicroWh>) -> Self {
        Self {
            produced: self.produced.zip(more).map(|(own, more)| own + more),
            ..self.using(more.map(Neg::neg))
        }
    }

    /// The number of the quarter since 1970, without gaps.
    #[must_use]
    pub const fn number(&self) -> i64 {
        Self::number_of(self.start)
    }

    /// The number of the quarter that a time lies in.
    #[must_use]
    pub const fn number_of(time: Timestamp) -> i64 {
        time.millis().div_euclid(Self::LENGTH_MS)
    }

    /// Its part of an energy of the whole quarter, spread evenly. The parts of a quarter add up to
    /// the whole.
    #[must_use]
    pub fn part_of(&self, whole: MicroWh) -> MicroWh {
        let begin = self.number() * Self::LENGTH_MS;
        let until = |time: Timestamp| whole.part(time.millis() - begin, Self::LENGTH_MS);
        until(self.end) - until(self.start)
    }

    /// The share of the use that did not come from the grid, from 0 to 1; `None` without use, or if
    /// a part is unknown.
    #[must_use]
    pub fn self_sufficiency(&self) -> Option<f64> {
        let used = self.used()?;
        let own = used - self.imported?;
        (used > MicroWh::ZERO)
            .then(|| to_millionth(own.watthours() / used.watthours()).clamp(0.0, 1.0))
    }

    /// It with other energy at the grid.
    #[must_use]
    pub fn with(self, flow: Option<Flow>) -> Self {
        Self {
            imported: flow.map(|flow| flow.imported),
            exported: flow.map(|flow| flow.exported),
            ..self
        }
    }
}

/// The energy at the grid if the house drew so much more: it exports less first. If it drew less, it
/// imports less first.
fn drawing(flow: Flow, more: MicroWh) -> Flow {
    let Flow { imported, exported } = flow;
    if more < MicroWh::ZERO {
        let saved = (-more).min(imported.max(MicroWh::ZERO));
        return Flow {
            imported: imported - saved,
            exported: exported + (-more - saved),
        };
    }
    let kept = more.min(exported.max(MicroWh::ZERO));
    Flow {
        imported: imported + (more - kept),
        exported: exported - kept,
    }
}

/// The energy at the grid without energy that a battery took and gave.
fn without_storage(flow: Flow, (charged, discharged): (MicroWh, MicroWh)) -> Flow {
    // Registers that ran backwards gave what they seem to have taken.
    let zero = MicroWh::ZERO;
    let taken = charged.max(zero) + (-discharged).max(zero);
    let given = discharged.max(zero) + (-charged).max(zero);
    // Each by itself: within a quarter, a battery may take what the sun has too much, and give it
    // back when a cloud comes.
    let without_taken = drawing(flow, -taken);
    let without_given = drawing(flow, given);
    without_taken + without_given - flow
}

/// The sums of consecutive quarters, as far as they are known.
impl Add for HouseQuarter {
    type Output = Self;

    fn add(self, later: Self) -> Self {
        let sum = |one: Option<MicroWh>, other: Option<MicroWh>| match (one, other) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        Self {
            start: self.start,
            end: later.end,
            imported: sum(self.imported, later.imported),
            exported: sum(self.exported, later.exported),
            produced: sum(self.produced, later.produced),
            charged: sum(self.charged, later.charged),
            discharged: sum(self.discharged, later.discharged),
            is_coarse: self.is_coarse || later.is_coarse,
        }
    }
}
