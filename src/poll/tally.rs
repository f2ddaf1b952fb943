//! Counts and the last outcome of each device since the start, for the metrics and the pages.

use super::error::PollError;
use super::settings::PollSettings;
use crate::domain::Timestamp;
use crate::ingest::DeviceReading;
use crate::tally::{Tallies, Tally};

/// The devices that are polled, with their counts.
pub type PolledDevices = Tallies<PollSettings, Option<LastPoll>>;

/// Counts and the last outcome of one device since the start.
pub type DeviceTally = Tally<PollSettings, Option<LastPoll>>;

/// The outcome of a device's last poll.
#[derive(Clone, Debug, PartialEq)]
pub struct LastPoll {
    /// The time of the answer, or of the failure.
    pub time: Timestamp,
    /// The readings of its sensors, or why there are none.
    pub answer: Result<Vec<DeviceReading>, PollError>,
}

impl DeviceTally {
    /// The name of the device: its first sensor, which is unique.
    #[must_use]
    pub fn name(&self) -> &str {
        self.settings().sensor.as_str()
    }

    /// The outcome of the last poll; `None` before the first one.
    #[must_use]
    pub fn last(&self) -> Option<LastPoll> {
        self.with_last(|last| last.clone())
    }

    pub(super) fn count_poll(&self, poll: LastPoll) {
        self.count(poll.answer.is_ok());
        self.with_last(|last| *last = Some(poll));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::SensorId;
    use crate::ingest::DeviceAccount;
    use crate::ingest::devices::PollPreset;
    use crate::poll::DeviceAddress;

    fn device(sensor: &str, address: &str) -> PollSettings {
        PollSettings {
            preset: PollPreset::with_id("shelly").unwrap(),
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
        one[0].count_poll(failed.clone());
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
