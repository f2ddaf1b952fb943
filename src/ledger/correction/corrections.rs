//! The corrections of an account, and what of them is in effect.

use std::collections::BTreeMap;

use super::{Correction, Fact, FactRange, Made, Spread};
use crate::domain::{MicroWh, SensorId};
use crate::ledger::{Facts, Flow, Replacement, Stretch};

/// The corrections of an account, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corrections(BTreeMap<u32, Correction>);

/// What is known of the energy of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownEnergy {
    /// The range.
    pub range: FactRange,
    /// Its energy, drawn less fed back.
    pub energy: MicroWh,
    /// How it is spread over the range.
    pub spread: Spread,
}

impl KnownEnergy {
    /// The energy spread evenly, in the place of what readings say.
    #[must_use]
    pub fn evenly(&self) -> Option<Replacement> {
        let flow = if self.energy < MicroWh::ZERO {
            Flow {
                exported: -self.energy,
                ..Flow::default()
            }
        } else {
            Flow {
                imported: self.energy,
                ..Flow::default()
            }
        };
        let piece = Stretch {
            from: self.range.from(),
            to: self.range.to(),
            flow,
            is_estimated: true,
        };
        Replacement::new(self.range.times(), vec![piece])
    }
}

impl Corrections {
    /// The most corrections of an account, revoked ones included.
    pub const MOST: usize = 10_000;

    /// The number of the next one.
    #[must_use]
    pub fn next_number(&self) -> u32 {
        let last = self.0.last_key_value();
        last.map_or(1, |(number, _)| number.saturating_add(1))
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Correction> {
        self.0.values()
    }

    /// The one with this number.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&Correction> {
        self.0.get(&number)
    }

    /// Adds one, or replaces the one with its number.
    pub(crate) fn put(&mut self, correction: Correction) {
        self.0.insert(correction.number(), correction);
    }

    /// Revokes the one with this number, and returns it; `None` if there is none in effect.
    pub(crate) fn revoke(&mut self, number: u32, by: Made) -> Option<&Correction> {
        let known = self.0.get(&number)?;
        if known.revoked().is_some() {
            return None;
        }
        let revoked = known.clone().revoked_by(by);
        let slot = self.0.get_mut(&number)?;
        *slot = revoked;
        Some(slot)
    }

    /// Forgets those of a sensor, and returns their numbers.
    pub(crate) fn forget(&mut self, sensor: &SensorId) -> Vec<u32> {
        let of_sensor = self
            .0
            .extract_if(.., |_, correction| correction.sensor() == sensor);
        of_sensor.map(|(number, _)| number).collect()
    }

    /// What is known about the readings of a sensor, of the corrections in effect. Of two about the same meter change or event the
    /// later one holds.
    #[must_use]
    pub fn facts_of(&self, sensor: &SensorId) -> Facts {
        let mut facts = Facts::default();
        for fact in self.in_effect(sensor) {
            match fact {
                Fact::MeterChanged(at, change) => drop(facts.changes.insert(*at, *change)),
                Fact::Event(time, counts) => drop(facts.decisions.insert(*time, *counts)),
                Fact::Wrong(range) => facts.wrong.push(range.times()),
                Fact::Energy(..) | Fact::Utility(..) => {}
            }
        }
        facts
    }

    /// The energies that are known of ranges of a sensor, of the corrections in effect. Where two overlap, the later one in the list
    /// holds.
    #[must_use]
    pub fn energies_of(&self, sensor: &SensorId) -> Vec<KnownEnergy> {
        let energy = |fact: &Fact| match fact {
            Fact::Energy(range, energy, spread) => Some(KnownEnergy {
                range: *range,
                energy: *energy,
                spread: *spread,
            }),
            _ => None,
        };
        self.in_effect(sensor).filter_map(energy).collect()
    }

    fn in_effect(&self, sensor: &SensorId) -> impl Iterator<Item = &Fact> {
        let all = self.0.values();
        let of_sensor = all.filter(move |it| it.sensor() == sensor && it.revoked().is_none());
        of_sensor.map(Correction::fact)
    }
}
