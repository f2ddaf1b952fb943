//! The corrections of an account, and those in effect.

use std::collections::BTreeMap;

use super::{Correction, Fact, Made};
use crate::domain::{MicroWh, SensorId, Timestamp};
use crate::ledger::known_energy::KnownEnergy;
use crate::ledger::utility::{UtilityMeter, UtilityReading};
use crate::ledger::walk::Facts;

/// The corrections of an account, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corrections(BTreeMap<u32, Correction>);

impl Corrections {
    /// The most corrections of an account, revoked ones included.
    pub const MOST: usize = 10_000;
    /// The most calibrations of a sensor in effect: each is looked for.
    pub const MOST_CALIBRATIONS: usize = 100;
    /// The most bytes that all notes of an account have together, with those of revocations: they
    /// are kept in memory, some of them twice.
    pub const MOST_NOTE_BYTES: usize = 1024 * 1024;

    /// The number of the next one.
    #[must_use]
    pub fn next_number(&self) -> u32 {
        let last = self.0.last_key_value();
        last.map_or(1, |(number, _)| number.saturating_add(1))
    }

    /// Their number.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether this note fits beside all others.
    #[must_use]
    pub fn has_room_for(&self, note: &str) -> bool {
        let made = self.iter().map(|one| one.made().note().len());
        let revoked = self.iter().filter_map(Correction::revoked);
        let bytes = made.sum::<usize>() + revoked.map(|by| by.note().len()).sum::<usize>();
        note.is_empty() || bytes + note.len() <= Self::MOST_NOTE_BYTES
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Correction> {
        self.0.values()
    }

    /// Those from this number on, by number.
    pub fn from_number(&self, number: u32) -> impl Iterator<Item = &Correction> {
        self.0.range(number..).map(|(_, one)| one)
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

    /// The facts about a sensor's readings from the corrections in effect. Of two about the same
    /// meter change or event the later one holds, and so it does of two ranges of known energy or
    /// of two calibrations where they overlap.
    #[must_use]
    pub fn facts_of(&self, sensor: &SensorId) -> Facts {
        let mut facts = Facts::default();
        for fact in self.in_effect(sensor) {
            match fact {
                Fact::MeterChanged(at, change) => drop(facts.changes.insert(*at, *change)),
                Fact::Event(time, counts) => drop(facts.decisions.insert(*time, *counts)),
                Fact::Wrong(range) => facts.wrong.push(range.times()),
                Fact::Energy(range, energy, spread) => facts.energies.push(KnownEnergy {
                    range: range.times(),
                    energy: *energy,
                    spread: *spread,
                }),
                Fact::Calibrate(range, factor) => facts.calibrations.put(range.times(), *factor),
                Fact::Utility(..) => {}
            }
        }
        facts
    }

    /// The number of a sensor's calibrations in effect, with those that later ones hide.
    #[must_use]
    pub fn count_calibrations(&self, sensor: &SensorId) -> usize {
        let is_one = |fact: &&Fact| matches!(fact, Fact::Calibrate(..));
        self.in_effect(sensor).filter(is_one).count()
    }

    /// The readings of a sensor's utility meter from the corrections in effect. Of two about the
    /// same time the later one holds.
    #[must_use]
    pub fn utility_of(&self, sensor: &SensorId) -> UtilityMeter {
        let shown = self.in_effect(sensor).filter_map(|fact| match fact {
            Fact::Utility(time, shown) if *shown >= MicroWh::ZERO => Some((*time, *shown)),
            _ => None,
        });
        // By time, so that none comes twice.
        let shown: BTreeMap<Timestamp, MicroWh> = shown.collect();
        let readings = shown
            .into_iter()
            .map(|(time, shown)| UtilityReading { time, shown });
        UtilityMeter::new(readings.collect()).unwrap_or_default()
    }

    /// The reading of the utility's meter that is in effect and says the same as this one.
    #[must_use]
    pub(crate) fn same_reading(&self, reading: &Correction) -> Option<&Correction> {
        let Fact::Utility(time, shown) = reading.fact() else {
            return None;
        };
        let at_time = |it: &&Correction| {
            let is_its = it.sensor() == reading.sensor() && it.revoked().is_none();
            is_its && matches!(it.fact(), Fact::Utility(at, _) if at == time)
        };
        // The latest one holds.
        let holds = self.0.values().rfind(at_time)?;
        let is_same = matches!(holds.fact(), Fact::Utility(_, known) if known == shown);
        (is_same && holds.made().note() == reading.made().note()).then_some(holds)
    }

    fn in_effect(&self, sensor: &SensorId) -> impl Iterator<Item = &Fact> {
        let all = self.0.values();
        let of_sensor = all.filter(move |it| it.sensor() == sensor && it.revoked().is_none());
        of_sensor.map(Correction::fact)
    }
}
