//! Tiers at work: the energy of a period so far determines the price.

use super::energy_limit::EnergyLimit;
use super::period::{Periods, days_between};
use super::tiers::Tiers;
use crate::domain::{LocalDate, MicroWh, Timestamp, Zone};

/// The energy of a period so far, which determines the tier.
#[derive(Clone, Debug)]
pub(super) struct TierCount {
    tiers: Tiers,
    /// The energy of the period so far.
    energy: EnergyLimit,
    zone: Zone,
    /// Where the contract begins and ends: a limit by day is for its days.
    in_force: (Timestamp, Timestamp),
    /// Where the season of the period or the period ends.
    end: Timestamp,
    /// The place of the season's first tier among all.
    first: usize,
    /// The ends of the season's tiers.
    ends: Vec<MicroWh>,
    /// The energy of the period before the contract or season, where it does not count for the
    /// tiers.
    before: MicroWh,
    /// The energy since the beginning of the contract or season in this period, all of which has one
    /// price in a bracket.
    in_season: MicroWh,
}

impl TierCount {
    pub(super) fn new(
        tiers: &Tiers,
        periods: Periods,
        zone: &Zone,
        in_force: (Timestamp, Timestamp),
    ) -> Self {
        Self {
            tiers: tiers.clone(),
            energy: EnergyLimit::unlimited(periods),
            zone: zone.clone(),
            in_force,
            end: Timestamp::MIN,
            first: 0,
            ends: Vec::new(),
            before: MicroWh::ZERO,
            in_season: MicroWh::ZERO,
        }
    }

    /// Where its prices may change, whatever the energy.
    pub(super) const fn end(&self) -> Timestamp {
        self.end
    }

    /// Begins the period or season that contains a time.
    pub(super) fn begin(&mut self, time: Timestamp) {
        if time < self.end {
            return;
        }
        self.energy.begin(time);
        self.start(time);
    }

    /// Goes on where the same tiers of the contract before ended at `time`.
    pub(super) fn continue_from(&mut self, before: &Self, time: Timestamp) {
        if self.energy.continue_from(&before.energy, time) {
            self.start(time);
        }
    }

    /// Starts the season of a period that contains a time.
    fn start(&mut self, time: Timestamp) {
        let period = self.energy.period(time);
        let (season, from, until) = self.season_at(period, time);
        let (in_force, end_of_force) = self.in_force;
        let days = days_between(from.max(in_force), until.min(end_of_force));
        let seasons = &self.tiers.seasons;
        self.first = seasons.iter().take(season).map(|it| it.all.len()).sum();
        let season = seasons.get(season);
        self.ends = season.map(|it| it.ends(days)).unwrap_or_default();
        self.end = until;
        // A limit by day is for the energy of its days.
        self.before = match season {
            Some(season) if season.per_day => self.energy.counted(),
            _ => MicroWh::ZERO,
        };
        self.in_season = MicroWh::ZERO;
    }

    /// The season at a time, with its part of a period.
    fn season_at(
        &self,
        (start, end): (Timestamp, Timestamp),
        time: Timestamp,
    ) -> (usize, Timestamp, Timestamp) {
        if self.tiers.seasons.len() == 1 {
            return (0, start, end);
        }
        let date = LocalDate::at(time, &self.zone);
        let season = self.tiers.season(date);
        let days = |step: i32| {
            // A period is a year at most.
            let dates = (1..=366).map_while(move |count| date.plus_days(step * count));
            dates.take_while(|date| self.tiers.season(*date) == season)
        };
        let first = days(-1).last().unwrap_or(date);
        let last = days(1).last().unwrap_or(date);
        let next = last.plus_days(1).map_or(end, |next| next.start(&self.zone));
        (season, first.start(&self.zone).max(start), next.min(end))
    }

    /// The energy so far that counts for the tiers.
    fn so_far(&self) -> MicroWh {
        self.energy.counted() - self.before
    }

    /// The index in the season of the tier after this much energy.
    fn index(&self, so_far: MicroWh) -> Option<usize> {
        self.ends.iter().position(|end| so_far < *end)
    }

    /// The place among all tiers of the one after this much more energy.
    pub(super) fn after(&self, energy: MicroWh) -> Option<usize> {
        let index = self.index(self.so_far() + energy)?;
        Some(self.first + index)
    }

    /// How much energy is left after this much more until the tier ends.
    pub(super) fn end_after(&self, energy: MicroWh) -> Option<MicroWh> {
        let end = self.ends.get(self.index(self.so_far() + energy)?)?;
        Some(*end - self.so_far())
    }

    /// Adds energy, and tells how the energy of each tier changes.
    pub(super) fn add(&mut self, energy: MicroWh, mut book: impl FnMut(usize, MicroWh)) {
        let before = self.so_far();
        self.energy.add(energy);
        let after = self.so_far();
        if self.tiers.is_bracket {
            // The end of a tier belongs to it.
            let place = |energy: MicroWh| {
                let index = self.ends.iter().position(|end| energy <= *end)?;
                Some(self.first + index)
            };
            let (was, is) = (place(before), place(after));
            let newest = self.in_season + energy;
            let earlier = std::mem::replace(&mut self.in_season, newest);
            match (was, is) {
                (Some(was), Some(is)) if was != is => {
                    book(was, -earlier);
                    book(is, newest);
                }
                (_, Some(is)) => book(is, energy),
                (_, None) => {}
            }
            return;
        }
        let mut start = MicroWh::new(i64::MIN);
        for (index, end) in self.ends.iter().enumerate() {
            let in_tier = after.clamp(start, *end) - before.clamp(start, *end);
            if in_tier != MicroWh::ZERO {
                book(self.first + index, in_tier);
            }
            start = *end;
        }
    }
}
