//! Counts and the last outcome of each device since the start, for the metrics and the pages.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::channel::PolledChannel;
use super::error::PollError;
use super::settings::PollSettings;
use crate::domain::Timestamp;
use crate::locks::lock;

/// The devices that are polled, with their counts.
#[derive(Debug, Default)]
pub struct PolledDevices(Mutex<Vec<Arc<DeviceTally>>>);

/// Counts and the last outcome of one device since the start.
#[derive(Debug)]
pub struct DeviceTally {
    settings: PollSettings,
    answers: AtomicU64,
    failures: AtomicU64,
    last: Mutex<Option<LastPoll>>,
}

/// The outcome of a device's last poll.
#[derive(Clone, Debug, PartialEq)]
pub struct LastPoll {
    /// The time of the answer, or of the failure.
    pub time: Timestamp,
    /// The values of its channels, or why there are none.
    pub answer: Result<Vec<PolledChannel>, PollError>,
}

impl PolledDevices {
    /// The counts of `devices`, in their order: those of a device that was known before go on.
    pub fn follow(&self, devices: &[PollSettings]) -> Vec<Arc<DeviceTally>> {
        let mut known = lock(&self.0);
        let followed = devices.iter().map(|device| {
            let same = known.iter().find(|it| it.settings == *device);
            same.map_or_else(|| Arc::new(DeviceTally::new(device)), Arc::clone)
        });
        let followed: Vec<_> = followed.collect();
        known.clone_from(&followed);
        followed
    }

    /// The counts of all devices.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<DeviceTally>> {
        lock(&self.0).clone()
    }
}

impl DeviceTally {
    fn new(device: &PollSettings) -> Self {
        Self {
            settings: device.clone(),
            answers: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            last: Mutex::new(None),
        }
    }

    /// The device.
    #[must_use]
    pub const fn settings(&self) -> &PollSettings {
        &self.settings
    }

    /// The name of the device: its first sensor, which is unique.
    #[must_use]
    pub fn name(&self) -> &str {
        self.settings.sensor.as_str()
    }

    /// The number of polls with a usable answer.
    #[must_use]
    pub fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    /// The number of polls without one.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// The outcome of the last poll; `None` before the first one.
    #[must_use]
    pub fn last(&self) -> Option<LastPoll> {
        lock(&self.last).clone()
    }

    pub(super) fn count(&self, poll: LastPoll) {
        let count = if poll.answer.is_ok() {
            &self.answers
        } else {
            &self.failures
        };
        count.fetch_add(1, Ordering::Relaxed);
        *lock(&self.last) = Some(poll);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::SensorId;
    use crate::ingest::DeviceAccount;
    use crate::poll::{DeviceAddress, PollPreset};

    fn device(sensor: &str, address: &str) -> PollSettings {
        PollSettings {
            preset: PollPreset::Shelly,
            address: address.parse::<DeviceAddress>().unwrap(),
            every: Duration::from_secs(10),
            sensor: SensorId::new(sensor).unwrap(),
            account: DeviceAccount {
                name: None,
                adds_sensors: false,
            },
            login: None,
            unit: 0,
        }
    }

    #[test]
    fn a_device_keeps_its_counts_while_others_come_and_go() {
        let polled = PolledDevices::default();
        let one = polled.follow(&[device("a", "10.0.0.1")]);
        let failed = LastPoll {
            time: Timestamp::from_millis(1).unwrap(),
            answer: Err(PollError::NotHttp),
        };
        one[0].count(failed.clone());
        let two = polled.follow(&[device("b", "10.0.0.2"), device("a", "10.0.0.1")]);
        let shown = |tally: &DeviceTally| (tally.answers(), tally.failures(), tally.last());
        assert_eq!(shown(&two[0]), (0, 0, None));
        assert_eq!(shown(&two[1]), (0, 1, Some(failed)));
        // At another address it is another device.
        let moved = polled.follow(&[device("a", "10.0.0.3")]);
        assert_eq!(shown(&moved[0]), (0, 0, None));
        assert_eq!(polled.list().len(), 1);
    }
}
