//! The last values of the parts of sums, for devices that send each part in a message of its own.

use std::collections::HashMap;
use std::time::Duration;

use crate::store::Measure;

/// How long power counts after it came. A phase that fell silent must not be added for ever.
const POWER_COUNTS_FOR: Duration = Duration::from_mins(10);
/// How long a register counts. Some devices send only what changed, and the register of a tariff stands still over a long
/// weekend.
const REGISTER_COUNTS_FOR: Duration = Duration::from_hours(7 * 24);
/// How long a device may take for all parts of a sum to come once.
const PARTS_COME_WITHIN: Duration = Duration::from_mins(1);
/// The most devices remembered. With one more, the one that has been silent longest is forgotten.
const MAX_DEVICES: usize = 256;

/// The last values of the parts of one mapping, by device.
#[derive(Debug, Default)]
pub struct PartMemory {
    devices: HashMap<String, DeviceParts>,
}

#[derive(Debug, Default)]
struct DeviceParts {
    /// By the number of the part in its mapping.
    values: HashMap<usize, KeptValue>,
    /// When the first one came, since the start of this run.
    oldest: Duration,
    /// When the last one came, since the start of this run.
    newest: Duration,
}

#[derive(Clone, Copy, Debug)]
struct KeptValue {
    value: f64,
    until: Duration,
}

impl PartMemory {
    /// Remembers a value that came at `elapsed` since the start of this run.
    pub(super) fn keep(
        &mut self,
        device: &str,
        part: usize,
        measure: Measure,
        value: f64,
        elapsed: Duration,
    ) {
        if !self.devices.contains_key(device) {
            self.make_room();
        }
        let parts = self.devices.entry(device.to_owned());
        let parts = parts.or_insert_with(|| DeviceParts {
            oldest: elapsed,
            ..DeviceParts::default()
        });
        parts.newest = elapsed;
        let lasts = match measure {
            Measure::Watts => POWER_COUNTS_FOR,
            Measure::Watthours => REGISTER_COUNTS_FOR,
        };
        let until = elapsed.saturating_add(lasts);
        parts.values.insert(part, KeptValue { value, until });
    }

    /// The last value of a part, if it still counts.
    pub(super) fn value(&self, device: &str, part: usize, elapsed: Duration) -> Option<f64> {
        let kept = self.devices.get(device)?.values.get(&part)?;
        (elapsed < kept.until).then_some(kept.value)
    }

    /// Whether the device has sent for so long that a part that never came is not one of its own.
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
