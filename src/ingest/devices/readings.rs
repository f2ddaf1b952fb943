//! The readings of a message.

use super::payload::PayloadError;
use crate::domain::{Measures, SensorId, StateOfCharge, UploadedReading};
use crate::ingest::{BACK_SUFFIX, DeviceKind, DeviceReading, Way};

/// The readings of a message, by one mapping.
#[derive(Debug, Default)]
pub struct MessageReadings {
    /// The readings.
    pub readings: Vec<DeviceReading>,
    /// The states of charge of batteries, by the id of the sensor.
    pub(crate) charges: Vec<(String, StateOfCharge)>,
    /// Why numbers, the time or an id cannot be used. Each affects only its own part.
    pub problems: Vec<PayloadError>,
    /// The sums that the message did not complete although their other parts had time to arrive:
    /// the id of the sensor, and the index of the filter without messages.
    pub(crate) silent: Vec<(String, usize)>,
}

impl MessageReadings {
    /// Merges measures into those of the same sensor: power and register of a sensor are one
    /// reading.
    pub(super) fn add(
        &mut self,
        id: &str,
        kind: DeviceKind,
        way: Way,
        measures: Measures,
    ) -> Result<(), PayloadError> {
        let id = match way {
            Way::Back => format!("{id}{BACK_SUFFIX}"),
            Way::Forth | Way::Both => id.to_owned(),
        };
        let known = self.readings.iter_mut();
        let mut known = known.filter(|known| known.sensor.as_str() == id);
        if let Some(known) = known.next() {
            let so_far = &mut known.reading.measures;
            *so_far = so_far.overlaid_by(measures);
            return Ok(());
        }
        self.readings.push(DeviceReading {
            sensor: SensorId::new(&id)?,
            kind,
            way,
            reading: UploadedReading {
                time: None,
                measures,
            },
        });
        Ok(())
    }
}
