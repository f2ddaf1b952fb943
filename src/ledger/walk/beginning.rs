//! Where a walk can begin, so that from some time on it equals a walk from the first reading says.
//!
//! A walk may not begin anywhere: registers may be held by then, from an anchor long ago. But at
//! most 100 are held beside zeros of a counter, each hold begins with the first register that is off, and in a chain of
//! registers that fit each other none is off as soon as one of them is the anchor. So after 100
//! registers of such a chain one of them is the anchor, for any history. The state of an anchor is
//! known two registers later (spacings), and when the register has changed (since when it shows
//! what it shows).

use std::ops::Bound;

use super::facts::Facts;
use super::power::{self, PowerRun};
use super::register_run::{RegisterRun, is_clean, shown};
use crate::domain::{Meter, MeterKind, MicroWh, Timestamp};

/// After so many registers that fit each other, no earlier ones are held.
const CHAIN: u64 = 101;

/// The two spacings before a reading decide whether there is a gap after it.
const SPACED: u64 = 3;

/// Looks for the beginning of a walk in readings that come in time order. Give it readings of one
/// measure only.
pub struct Beginning {
    meter: Meter,
    facts: Facts,
    /// The registers of the current chain.
    chain: Option<RegisterRun>,
    /// How many zeros of a counter it begins with: any number of these can be held.
    zeros: u64,
    /// The chain's last register when it was long enough; later changes are known.
    long_at: Option<Timestamp>,
    /// The power of the current chain.
    power: Option<PowerRun>,
    found: Option<Timestamp>,
    /// How long the longest chain so far is, and its first reading.
    longest: Option<(u64, Timestamp)>,
}

impl Beginning {
    /// Looks for the beginning of a walk over the readings of `meter`; `facts` are those in effect.
    #[must_use]
    pub const fn new(meter: Meter, facts: Facts) -> Self {
        Self {
            meter,
            facts,
            chain: None,
            zeros: 0,
            long_at: None,
            power: None,
            found: None,
            longest: None,
        }
    }

    /// The first reading of the latest chain that is long enough.
    #[must_use]
    pub const fn found(&self) -> Option<Timestamp> {
        self.found
    }

    /// The first reading of the longest chain, even of a short one; of several, the latest.
    #[must_use]
    pub fn longest(&self) -> Option<Timestamp> {
        self.longest.map(|(_, first)| first)
    }

    /// Whether a run of registers may be part of a chain as a whole.
    #[must_use]
    pub fn is_link(&self, run: &RegisterRun) -> bool {
        // Nothing is held of intervals.
        self.meter.kind == MeterKind::Interval
            || self.zeros_of(run).is_some() && self.fit_each_other(run)
    }

    /// Whether each of these registers fits the one before it, as far as anybody knows.
    fn fit_each_other(&self, run: &RegisterRun) -> bool {
        self.meter.kind == MeterKind::Interval
            || is_clean(&self.meter, run) && !self.concern(run.first.time, run.last.time)
    }

    /// How many zeros of a counter a run begins with; `None` if its totals do not tell.
    fn zeros_of(&self, run: &RegisterRun) -> Option<u64> {
        let is_zero = |register| shown(register).value == MicroWh::ZERO;
        if self.meter.kind != MeterKind::Counter || !is_zero(run.first) {
            return Some(0);
        }
        run.is_unchanged().then_some(run.count)
    }

    /// Adds the next registers.
    pub fn add(&mut self, run: &RegisterRun) {
        let longer = self.chain.map(|chain| chain.merge(*run));
        let zeros = self.zeros_of(run);
        let longer = longer.filter(|longer| zeros.is_some() && self.fit_each_other(longer));
        if longer.is_none() {
            self.long_at = None;
            self.zeros = 0;
        }
        self.zeros += zeros.unwrap_or(0);
        self.chain = longer.or_else(|| Some(*run).filter(|run| self.is_link(run)));
        let Some(chain) = self.chain else {
            return;
        };
        self.note_chain(chain.count, chain.first.time);
        let is_known = match self.meter.kind {
            MeterKind::Interval => chain.count >= SPACED,
            MeterKind::Net | MeterKind::Counter => self
                .long_at
                .is_some_and(|long_at| long_at < chain.unchanged_since),
        };
        if is_known {
            self.found = Some(chain.first.time);
        }
        if chain.count.saturating_sub(self.zeros) >= CHAIN {
            self.long_at.get_or_insert(chain.last.time);
        }
    }

    /// Whether a run of power may be part of a chain as a whole.
    #[must_use]
    pub fn is_power_link(&self, run: &PowerRun) -> bool {
        !run.may_have_limit && self.is_clean(run)
    }

    fn is_clean(&self, run: &PowerRun) -> bool {
        power::is_clean(&self.meter, run) && !self.concern(run.first.time, run.last.time)
    }

    /// Adds the next readings of power.
    pub fn add_power(&mut self, run: &PowerRun) {
        let longer = self.power.filter(|_| !run.may_have_limit);
        let longer = longer.map(|chain| chain.merge(*run));
        self.power = longer
            .filter(|longer| self.is_clean(longer))
            .or_else(|| Some(*run).filter(|run| self.is_power_link(run)));
        let Some(chain) = self.power else {
            return;
        };
        self.note_chain(chain.count, chain.first.time);
        if chain.count >= SPACED {
            self.found = Some(chain.first.time);
        }
    }

    fn note_chain(&mut self, count: u64, first: Timestamp) {
        if self.longest.is_none_or(|(longest, _)| longest <= count) {
            self.longest = Some((count, first));
        }
    }

    fn concern(&self, first: Timestamp, last: Timestamp) -> bool {
        self.facts.concern(Bound::Included(first), last)
    }
}
