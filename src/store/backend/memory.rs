//! A backend in memory, for tests to compare the others with. Simple rather than fast.

use std::collections::BTreeMap;
use std::sync::RwLock;

use crate::domain::{Measures, Reading, SensorId, TimeRange, Timestamp};
use crate::locks::{read, write};
use crate::store::backend::readings::{ReadingsBackend, ReadingsWriter, SensorJob};
use crate::store::backend::sensor::{ReadingsChange, ReadingsView, RowsTurn, SensorTurn};
use crate::store::blocks::{BlockSource, Measure, Summary};
use crate::store::error::StoreError;
use crate::store::records::Order;
use crate::store::rows::Activity;

/// How many blocks a reader asks for at a time: few, so that tests reach the blocks after them.
const BLOCKS_AHEAD: usize = 3;

/// Sensors in memory.
#[derive(Default)]
pub(crate) struct MemoryBackend {
    sensors: RwLock<BTreeMap<SensorId, MemorySensor>>,
}

/// The readings of one sensor.
#[derive(Clone)]
pub(crate) struct MemorySensor {
    sensor: SensorId,
    block_readings: usize,
    blocks: BTreeMap<Timestamp, (Summary, Vec<u8>)>,
    rows: BTreeMap<Timestamp, Measures>,
    activity: Option<Activity>,
}

impl MemoryBackend {
    /// Registers a sensor without readings. `block_readings` is the size limit of its blocks.
    pub(crate) fn put_sensor(&self, sensor: &SensorId, block_readings: usize) {
        let stored = MemorySensor {
            sensor: sensor.clone(),
            block_readings,
            blocks: BTreeMap::new(),
            rows: BTreeMap::new(),
            activity: None,
        };
        write(&self.sensors).insert(sensor.clone(), stored);
    }

    /// Adds readings as an upload does: as rows, each with all measures that an older row of its
    /// time had.
    pub(crate) fn append(&self, sensor: &SensorId, readings: &[Reading]) {
        let mut sensors = write(&self.sensors);
        let stored = sensors.get_mut(sensor).unwrap();
        let mut activity = stored.activity.unwrap_or_default();
        for reading in readings {
            activity = activity.with_reading(reading);
            let row = stored.rows.entry(reading.time).or_insert(reading.measures);
            *row = row.overlaid_by(reading.measures);
        }
        stored.activity = Some(activity);
    }

    fn stored(&self, sensor: &SensorId) -> Result<MemorySensor, StoreError> {
        let stored = read(&self.sensors).get(sensor).cloned();
        stored.ok_or_else(|| StoreError::UnknownSensor(sensor.as_str().to_owned()))
    }
}

impl ReadingsBackend for MemoryBackend {
    fn view<'a>(&'a self, sensor: &'a SensorId) -> Result<Box<dyn ReadingsView + 'a>, StoreError> {
        Ok(Box::new(self.stored(sensor)?))
    }
}

impl ReadingsWriter for MemoryBackend {
    fn change(&self, sensor: &SensorId, job: SensorJob) -> Result<usize, StoreError> {
        let mut stored = self.stored(sensor)?;
        let count = job(&mut stored)?;
        write(&self.sensors).insert(sensor.clone(), stored);
        Ok(count)
    }
}

impl BlockSource for MemorySensor {
    fn sensor(&self) -> &SensorId {
        &self.sensor
    }

    fn summaries(
        &self,
        range: TimeRange,
        order: Order,
        most: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        let blocks = self.blocks.range(range.start()..=range.end());
        let summaries = blocks.map(|(_, (summary, _))| *summary);
        Ok(match order {
            Order::Ascending => summaries.take(most).collect(),
            Order::Descending => summaries.rev().take(most).collect(),
        })
    }

    fn bytes(&self, first: Timestamp) -> Result<Vec<u8>, StoreError> {
        let block = self.blocks.get(&first).map(|(_, bytes)| bytes.clone());
        block.ok_or_else(|| StoreError::Damaged(format!("no block begins at {first}")))
    }
}

impl ReadingsView for MemorySensor {
    fn rows(
        &self,
        range: TimeRange,
        measure: Option<Measure>,
        order: Order,
        most: usize,
    ) -> Result<Vec<Reading>, StoreError> {
        let rows = self.rows.range(range.start()..=range.end());
        let rows = rows.map(|(&time, &measures)| Reading { time, measures });
        let has_measure = |row: &Reading| measure.is_none_or(|measure| measure.of(row).is_some());
        let rows = rows.filter(has_measure);
        Ok(match order {
            Order::Ascending => rows.take(most).collect(),
            Order::Descending => rows.rev().take(most).collect(),
        })
    }

    fn blocks_ahead(&self) -> usize {
        BLOCKS_AHEAD
    }
}

impl ReadingsChange for MemorySensor {
    fn view(&self) -> Box<dyn ReadingsView + '_> {
        Box::new(self.clone())
    }

    fn block_readings(&self) -> usize {
        self.block_readings
    }

    fn activity(&self) -> Result<Option<Activity>, StoreError> {
        Ok(self.activity)
    }

    fn turn_over(&mut self, turn: SensorTurn) -> Result<(), StoreError> {
        for first in turn.removed {
            assert!(self.blocks.remove(&first).is_some(), "no block at {first}");
        }
        for pack in turn.packs {
            let first = pack.summary.first;
            let before = self.blocks.insert(first, (pack.summary, pack.bytes));
            assert!(before.is_none(), "a second block at {first}");
        }
        match turn.rows {
            RowsTurn::Kept => {}
            RowsTurn::Corrected(rows) => {
                assert!(rows.is_sorted_by_key(|row| row.time));
                let rows = rows.into_iter().map(|row| (row.time, row.measures));
                self.rows.extend(rows);
            }
            RowsTurn::Deleted { range, .. } => self.rows.retain(|time, _| !range.contains(*time)),
        }
        self.activity = turn.activity.or(self.activity);
        Ok(())
    }
}
