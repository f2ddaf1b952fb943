//! The values of a device's channel, and its readings.

use crate::domain::{Measures, SensorId, UploadedReading};
use crate::ingest::{BACK_SUFFIX, DeviceKind, DeviceReading, Way};

/// The maximum number of channels of a device.
pub(super) const MAX_CHANNELS: usize = 16;
/// The longest suffix added to the id of a device's first sensor, in bytes: `-16-export`.
pub(super) const LONGEST_SUFFIX_BYTES: usize = 3 + BACK_SUFFIX.len();

/// The values of a device's channel. Missing values are `None`, never 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolledChannel {
    /// Its number, from 0.
    pub number: usize,
    /// The kind of the device.
    pub kind: DeviceKind,
    /// In watts; negative for reverse flow.
    pub watts: Option<f64>,
    /// In watt-hours. It only counts up, and only while the power is positive.
    pub register: Option<f64>,
    /// The same for reverse flow, from a meter that counts it.
    pub returned: Option<f64>,
}

impl PolledChannel {
    /// Whether it has no values.
    pub(super) const fn is_empty(&self) -> bool {
        self.watts.is_none() && self.register.is_none() && self.returned.is_none()
    }

    /// The same without a register of 0, which these devices show only while they start, or if they
    /// have no register. `None` if all values are 0.
    pub(super) fn once_started(self) -> Option<Self> {
        let counted = |register: Option<f64>| register.filter(|register| *register != 0.0);
        let has_register = self.register.or(self.returned).is_some();
        let started = Self {
            register: counted(self.register),
            returned: counted(self.returned),
            ..self
        };
        let counts = started.register.or(started.returned).is_some();
        let is_zero = has_register && !counts && self.watts.is_none_or(|watts| watts == 0.0);
        (!is_zero).then_some(started)
    }

    /// The readings: of the sensor, and of the one that ends with `-export`. Each has the power of
    /// its own direction, so that power and register of a sensor agree. An inverter has no reverse
    /// direction: no register counts its own use.
    pub(crate) fn readings(&self, first: &SensorId) -> Vec<DeviceReading> {
        let id = match self.number {
            0 => first.to_string(),
            number => format!("{first}-{}", number + 1),
        };
        let back = format!("{id}{BACK_SUFFIX}");
        // Adding 0 turns -0 into 0.
        let above_0 = |watts: f64| watts.max(0.0) + 0.0;
        let forth = self.reading(&id, Way::Forth, self.watts.map(above_0), self.register);
        let back = self.reading(
            &back,
            Way::Back,
            self.watts.map(|watts| above_0(-watts)),
            self.returned,
        );
        let back = back.filter(|_| self.kind != DeviceKind::Inverter);
        forth.into_iter().chain(back).collect()
    }

    /// `None` if there is no number, or if one is not finite. The settings leave space in the id.
    fn reading(
        &self,
        sensor: &str,
        way: Way,
        watts: Option<f64>,
        register: Option<f64>,
    ) -> Option<DeviceReading> {
        let measures = Measures::new(watts, register).ok()?;
        Some(DeviceReading {
            sensor: SensorId::new(sensor).ok()?,
            kind: self.kind,
            way,
            reading: UploadedReading {
                time: None,
                measures,
            },
        })
    }

    /// Checks the readings.
    ///
    /// # Panics
    /// If a reading is not finite, or its power is negative.
    #[cfg(any(test, fuzzing))]
    pub(super) fn fuzz(&self) {
        let longest = SensorId::MAX_BYTES - LONGEST_SUFFIX_BYTES;
        let Ok(sensor) = SensorId::new(&"x".repeat(longest)) else {
            return;
        };
        for DeviceReading { reading, .. } in self.readings(&sensor) {
            let (watts, watthours) = (reading.measures.watts(), reading.measures.watthours());
            assert!(watts.into_iter().chain(watthours).all(f64::is_finite));
            assert!(watts.is_none_or(|watts| watts >= 0.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(channel: PolledChannel) -> Vec<(String, Option<f64>, Option<f64>)> {
        let readings = channel.readings(&SensorId::new("m").unwrap());
        let plain = readings.into_iter().map(|it| {
            let measures = it.reading.measures;
            assert_eq!(
                it.way == Way::Back,
                it.sensor.as_str().ends_with(BACK_SUFFIX)
            );
            (
                it.sensor.to_string(),
                measures.watts(),
                measures.watthours(),
            )
        });
        plain.collect()
    }

    fn channel(number: usize, watts: f64, register: f64, returned: f64) -> PolledChannel {
        PolledChannel {
            number,
            kind: DeviceKind::Meter,
            watts: Some(watts),
            register: Some(register),
            returned: Some(returned),
        }
    }

    #[test]
    fn each_direction_has_a_sensor_with_its_own_power() {
        assert_eq!(
            shown(channel(0, -620.0, 10.0, 5.0)),
            [
                ("m".to_owned(), Some(0.0), Some(10.0)),
                ("m-export".to_owned(), Some(620.0), Some(5.0))
            ]
        );
        assert_eq!(
            shown(channel(2, 100.0, 10.0, 5.0)),
            [
                ("m-3".to_owned(), Some(100.0), Some(10.0)),
                ("m-3-export".to_owned(), Some(0.0), Some(5.0))
            ]
        );
        // Even without a register for it, reverse flow is not shown as negative power beside a
        // register that does not fall.
        let one_register = PolledChannel {
            returned: None,
            ..channel(0, -5.0, 10.0, 0.0)
        };
        assert_eq!(
            shown(one_register),
            [
                ("m".to_owned(), Some(0.0), Some(10.0)),
                ("m-export".to_owned(), Some(5.0), None)
            ]
        );
        let inverter = PolledChannel {
            kind: DeviceKind::Inverter,
            ..one_register
        };
        assert_eq!(shown(inverter), [("m".to_owned(), Some(0.0), Some(10.0))]);
    }

    #[test]
    fn what_is_not_shown_is_not_0() {
        let without_power = PolledChannel {
            watts: None,
            ..channel(0, 0.0, 10.0, 5.0)
        };
        assert_eq!(
            shown(without_power),
            [
                ("m".to_owned(), None, Some(10.0)),
                ("m-export".to_owned(), None, Some(5.0))
            ]
        );
        let nothing = PolledChannel {
            register: None,
            returned: None,
            ..without_power
        };
        assert!(nothing.is_empty() && shown(nothing).is_empty());
    }

    #[test]
    fn frames_of_zeros_are_dropped() {
        assert_eq!(channel(0, 0.0, 0.0, 0.0).once_started(), None);
        let started = channel(0, 3.0, 0.0, 7.0).once_started().unwrap();
        assert_eq!((started.register, started.returned), (None, Some(7.0)));
        let started = channel(0, 3.0, 7.0, 0.0).once_started().unwrap();
        assert_eq!((started.register, started.returned), (Some(7.0), None));
        let powered = channel(0, 3.0, 0.0, 0.0).once_started().unwrap();
        assert_eq!(powered.watts, Some(3.0));
        // A meter without registers may well have 0 W.
        let idle = PolledChannel {
            register: None,
            returned: None,
            ..channel(0, 0.0, 0.0, 0.0)
        };
        assert_eq!(idle.once_started(), Some(idle));
    }

    proptest! {
        #[test]
        fn readings_are_finite_and_of_one_direction(
            number in 0..MAX_CHANNELS,
            watts in proptest::option::of(any::<f64>()),
            register in proptest::option::of(any::<f64>()),
            returned in proptest::option::of(any::<f64>()),
        ) {
            let kind = DeviceKind::Meter;
            let channel = PolledChannel { number, kind, watts, register, returned };
            channel.fuzz();
            let is_number = |value: Option<f64>| value.is_some_and(f64::is_finite);
            if is_number(watts) && is_number(register) && is_number(returned) {
                let id = "x".repeat(SensorId::MAX_BYTES - LONGEST_SUFFIX_BYTES);
                prop_assert_eq!(channel.readings(&SensorId::new(&id).unwrap()).len(), 2);
            }
        }
    }
}
