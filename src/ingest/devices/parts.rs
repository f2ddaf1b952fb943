//! The last values of the parts of sums, for devices that send each part in its own message.

use std::collections::HashMap;
use std::time::Duration;

use crate::domain::SentParts;
use crate::store::Measure;

/// How long a power value counts after its arrival. A phase that fell silent must not be added
/// forever.
const POWER_COUNTS_FOR: Duration = Duration::from_mins(10);
/// How long a register value counts. Some devices send only changes, and the register of a tariff
/// does not change over a long weekend.
const REGISTER_COUNTS_FOR: Duration = Duration::from_hours(7 * 24);
/// The time within which all parts of a device's sum must have arrived once.
const PARTS_COME_WITHIN: Duration = Duration::from_mins(1);
/// The maximum number of devices remembered. Beyond it, the one that has been silent longest is
/// forgotten.
const MAX_DEVICES: usize = 256;
/// The maximum number of sensors with known parts.
const MAX_KNOWN: usize = 4_096;

/// The last values of the parts of one mapping, by device.
#[derive(Debug, Default)]
pub struct PartMemory {
    devices: HashMap<String, DeviceParts>,
    /// The optional parts of registers that devices have sent, by sensor: before this run and in
    /// it.
    known: HashMap<String, SentParts>,
    /// The parts that were first seen in messages since the last [`Self::take_new`].
    new: Vec<(String, SentParts)>,
}

#[derive(Debug, Default)]
struct DeviceParts {
    /// The values, by the number of the part in its mapping.
    values: HashMap<usize, KeptValue>,
    /// The arrival of the first value, since the start of this run.
    oldest: Duration,
    /// The arrival of the last value, since the start of this run.
    newest: Duration,
}

#[derive(Clone, Copy, Debug)]
struct KeptValue {
    value: f64,
    until: Duration,
}

impl PartMemory {
    /// A memory in which devices are known to have sent these optional parts.
    pub(crate) fn new(known: HashMap<String, SentParts>) -> Self {
        Self {
            known,
            ..Self::default()
        }
    }

    /// Notes that the device has sent an optional part of its register.
    pub(super) fn sent(&mut self, device: &str, part: SentParts) {
        let known = self.known.get(device).copied().unwrap_or_default();
        if known.has(part) || (self.known.len() >= MAX_KNOWN && !self.known.contains_key(device)) {
            return;
        }
        self.known.insert(device.to_owned(), known.and(part));
        self.new.push((device.to_owned(), part));
    }

    /// Forgets the parts that this device has sent, because they were not recorded; they are
    /// reported again.
    pub(crate) fn forget_sent(&mut self, device: &str) {
        self.known.remove(device);
    }

    /// Takes the optional parts that devices have sent for the first time.
    pub(crate) fn take_new(&mut self) -> Vec<(String, SentParts)> {
        std::mem::take(&mut self.new)
    }

    /// Whether an optional part will still arrive: the device has sent it before, and began to send
    /// again only recently.
    pub(super) fn expects(&mut self, device: &str, part: SentParts, elapsed: Duration) -> bool {
        let known = self.known.get(device).copied().unwrap_or_default();
        if !known.has(part) {
            return false;
        }
        let since = self.device(device, elapsed).oldest;
        elapsed < since.saturating_add(REGISTER_COUNTS_FOR)
    }

    /// Remembers a value that arrived at `elapsed` since the start of this run.
    pub(super) fn keep(
        &mut self,
        device: &str,
        part: usize,
        measure: Measure,
        value: f64,
        elapsed: Duration,
    ) {
        let lasts = match measure {
            Measure::Watts => POWER_COUNTS_FOR,
            Measure::Watthours => REGISTER_COUNTS_FOR,
        };
        let until = elapsed.saturating_add(lasts);
        let parts = self.device(device, elapsed);
        parts.newest = elapsed;
        parts.values.insert(part, KeptValue { value, until });
    }

    /// The remembered parts of a device.
    fn device(&mut self, device: &str, elapsed: Duration) -> &mut DeviceParts {
        if !self.devices.contains_key(device) {
            self.make_room();
        }
        let parts = self.devices.entry(device.to_owned());
        parts.or_insert_with(|| DeviceParts {
            oldest: elapsed,
            newest: elapsed,
            values: HashMap::new(),
        })
    }

    /// The last value of a part, if it still counts.
    pub(super) fn value(&self, device: &str, part: usize, elapsed: Duration) -> Option<f64> {
        let kept = self.devices.get(device)?.values.get(&part)?;
        (elapsed < kept.until).then_some(kept.value)
    }

    /// Whether the device has sent for so long that it cannot have a part that never arrived.
    pub(super) fn has_waited(&self, device: &str, elapsed: Duration) -> bool {
        let oldest = self.devices.get(device).map(|parts| parts.oldest);
        oldest.is_some_and(|oldest| elapsed >= oldest.saturating_add(PARTS_COME_WITHIN))
    }

    fn make_room(&mut self) {
        if self.devices.len() < MAX_DEVICES {
            return;
        }
        let silent = self.devices.iter().min_by_key(|(_, parts)| parts.newest);
        if let Some(device) = silent.map(|(device, _)| device.clone()) {
            self.devices.remove(&device);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: u64) -> Duration {
        Duration::from_mins(minutes)
    }

    #[test]
    fn values_count_for_a_while() {
        let mut memory = PartMemory::default();
        memory.keep("a", 0, Measure::Watts, 5.0, at(0));
        memory.keep("a", 1, Measure::Watthours, 7.0, at(0));
        assert_eq!(memory.value("a", 0, at(9)), Some(5.0));
        assert_eq!(memory.value("a", 0, at(10)), None);
        assert_eq!(memory.value("a", 1, at(7 * 24 * 60 - 1)), Some(7.0));
        assert_eq!(memory.value("a", 1, at(7 * 24 * 60)), None);
        assert_eq!(memory.value("b", 0, at(0)), None);
    }

    #[test]
    fn a_flood_of_devices_does_not_fill_the_memory() {
        let mut memory = PartMemory::default();
        for number in 0..10_000 {
            memory.keep("here", 0, Measure::Watts, 5.0, at(number));
            memory.keep(&number.to_string(), 0, Measure::Watts, 5.0, at(number));
            assert!(memory.devices.len() <= MAX_DEVICES);
        }
        assert_eq!(memory.value("here", 0, at(9_999)), Some(5.0));
    }
}
