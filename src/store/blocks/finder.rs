//! Finding single sealed readings.

use crate::domain::{Reading, SensorId, Timestamp};
use crate::store::blocks::source::BlockSource;
use crate::store::error::StoreError;

/// Finds single sealed readings. Caches the last block, because callers often ask for neighbouring
/// times.
#[derive(Default)]
pub(crate) struct Finder(Option<(SensorId, Vec<Reading>)>);

impl Finder {
    /// The sealed reading at `time`.
    pub(crate) fn at(
        &mut self,
        source: &(impl BlockSource + ?Sized),
        time: Timestamp,
    ) -> Result<Option<Reading>, StoreError> {
        let sensor = source.sensor();
        let covers = |(of, readings): &(SensorId, Vec<Reading>)| {
            let ends = readings.first().zip(readings.last());
            of == sensor
                && ends.is_some_and(|(first, last)| first.time <= time && time <= last.time)
        };
        if !self.0.as_ref().is_some_and(covers) {
            let block = source
                .at_or_before(time)?
                .filter(|block| time <= block.last);
            let Some(block) = block else {
                return Ok(None);
            };
            self.0 = Some((sensor.clone(), source.readings(block.first)?));
        }
        Ok(self.0.as_ref().and_then(|(_, readings)| {
            let found = readings
                .binary_search_by_key(&time, |reading| reading.time)
                .ok()?;
            readings.get(found).copied()
        }))
    }

    /// Whether a block contains the measures of this row.
    pub(crate) fn has(
        &mut self,
        source: &(impl BlockSource + ?Sized),
        row: &Reading,
    ) -> Result<bool, StoreError> {
        let found = self.at(source, row.time)?;
        Ok(found.is_some_and(|it| it.measures.overlaid_by(row.measures) == it.measures))
    }
}
