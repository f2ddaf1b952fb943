//! The readings of a damaged store: blocks, then the hot rows, which win over them.

use std::collections::BTreeSet;

use crate::domain::reading::Reading;
use crate::domain::sensor::SensorId;
use crate::domain::summary::Summary;
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::blocks::{block, sealed};
use crate::store::care::salvage::rows::{Gap, Row, Rows, get};
use crate::store::care::salvage::{Lost, Rescue};
use crate::store::engine::keys;
use crate::store::error::StoreError;
use crate::store::rows::hot;
use crate::store::writer::journal::Commit;

impl Rescue<'_, '_> {
    /// Every block that is whole. Summaries are made anew.
    pub(crate) fn blocks(&mut self) -> Result<(), StoreError> {
        let sealed = self.trees.sealed.clone();
        let mut told = Vec::new();
        let mut gaps = Vec::new();
        for row in Rows::all(&sealed.blocks, self.hints()) {
            match row {
                Row::Whole(key, location) => told.push((key, location)),
                Row::Gap(gap) => gaps.push(gap),
            }
        }
        // What is found there may have been replaced: what comes later wins.
        for gap in gaps {
            self.blocks_in(&gap)?;
        }
        for (key, location) in told {
            self.block(&key, &location)?;
        }
        for row in Rows::all(&sealed.summaries, self.hints()) {
            // What else can't be read of the blocks was told above.
            if let Row::Whole(key, value) = row
                && get(&sealed.blocks, &key) == Ok(None)
            {
                self.written_block(&key, sealed::decode(&value), "there is only its summary")?;
            }
        }
        Ok(())
    }

    fn block(&mut self, key: &[u8], location: &[u8]) -> Result<(), StoreError> {
        let sensor = match keys::parse(key) {
            Ok((sensor, _)) => sensor,
            Err(error) => {
                self.report.lose(error.damage());
                return Ok(());
            }
        };
        let bytes = self.trees.sealed.bytes_at(key, location);
        let bytes = bytes.map_err(|error| error.damage());
        let readings =
            bytes.and_then(|bytes| block::decode(&bytes).map_err(|error| error.to_string()));
        match readings {
            Ok(readings) => self.rescue(&sensor, readings),
            Err(why) => {
                let summary = get(&self.trees.sealed.summaries, key).unwrap_or_default();
                let summary = summary.and_then(|value| sealed::decode(&value));
                self.written_block(key, summary, &why)
            }
        }
    }

    /// Blocks whose keys are not told: the summaries have the same, and so have the records.
    fn blocks_in(&mut self, gap: &Gap) -> Result<(), StoreError> {
        let Gap { after, before, why } = gap;
        let sealed = self.trees.sealed.clone();
        let mut keys: BTreeSet<Vec<u8>> = self
            .written
            .between(after.as_ref(), before.as_ref())
            .into_iter()
            .collect();
        let summaries = Rows::between(
            &sealed.summaries,
            after.clone(),
            before.clone(),
            self.hints(),
        );
        for row in summaries {
            match row {
                Row::Whole(key, _) => drop(keys.insert(key.to_vec())),
                Row::Gap(gap) => self.lose_gap(&gap, &format!("blocks: {why}")),
            }
        }
        for key in keys {
            match (get(&sealed.blocks, &key), get(&sealed.summaries, &key)) {
                (Ok(Some(location)), _) => self.block(&key, &location)?,
                // Told with the summaries, or replaced or deleted long ago.
                (Ok(None), _) | (Err(_), Ok(None)) => {}
                (Err(why), Ok(Some(value))) => {
                    self.written_block(&key, sealed::decode(&value), &why)?;
                }
                (Err(why), Err(_)) => self.written_block(&key, None, &why)?,
            }
        }
        Ok(())
    }

    /// A block that can't be read where it should be: what was last written of it takes its place. Unless its summary
    /// says the same it may be older, or be gone for good reason, and that is told.
    fn written_block(
        &mut self,
        key: &[u8],
        summary: Option<Summary>,
        why: &str,
    ) -> Result<(), StoreError> {
        let location = self.written.get(key);
        let bytes = location.and_then(|found| self.trees.sealed.volumes.read(found, key).ok());
        let readings = bytes.and_then(|bytes| block::decode(&bytes).ok());
        let (Some(readings), Ok((sensor, _))) = (readings, keys::parse(key)) else {
            return self.lose_block(key, summary, why);
        };
        let is_same = summary.is_some() && summary == Summary::of(&readings);
        self.rescue(&sensor, readings)?;
        if is_same {
            return Ok(());
        }
        let why = format!("{why}; what was last written of it was taken, it may be older");
        self.lose_block(key, summary, &why)
    }

    /// A block is lost: from the time of its key to the end that its summary tells, else up to the next block.
    fn lose_block(
        &mut self,
        key: &[u8],
        summary: Option<Summary>,
        why: &str,
    ) -> Result<(), StoreError> {
        let Ok((sensor, first)) = keys::parse(key) else {
            self.report.lose(why.to_owned());
            return Ok(());
        };
        if self.removed.contains(&sensor) {
            return Ok(());
        }
        self.enrol_if_unknown(&sensor)?;
        let last = match summary {
            Some(summary) => summary.last,
            None => self.before_next_block(key, &sensor),
        };
        self.report.add(Lost {
            what: format!("the block from {first}: {why}"),
            range: TimeRange::new(first, last.max(first)),
            sensor: Some(sensor),
            readings: summary.map(|summary| u64::from(summary.count)),
        });
        Ok(())
    }

    fn before_next_block(&self, key: &[u8], sensor: &SensorId) -> Timestamp {
        let blocks = &self.trees.sealed.blocks;
        let next = Rows::between(blocks, Some(key.to_vec()), None, self.hints()).next();
        let next = match next {
            Some(Row::Whole(key, _)) => keys::parse(&key).ok(),
            _ => None,
        };
        next.filter(|(of, _)| of == sensor)
            .map_or(Timestamp::MAX, |(_, first)| first.saturating_add_millis(-1))
    }

    /// Every hot row that is one.
    pub(crate) fn hot_rows(&mut self) -> Result<(), StoreError> {
        let tree = self.trees.hot.tree.clone();
        for row in Rows::all(&tree, self.hints()) {
            match row {
                Row::Whole(key, value) => self.hot_row(&key, &value)?,
                Row::Gap(gap) => self.lose_gap(&gap, &format!("hot rows: {}", gap.why)),
            }
        }
        Ok(())
    }

    fn hot_row(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let (sensor, time) = match keys::parse(key) {
            Ok(place) => place,
            Err(error) => {
                self.report.lose(error.damage());
                return Ok(());
            }
        };
        match hot::decode(value) {
            Ok(measures) => self.rescue(&sensor, vec![Reading { time, measures }]),
            Err(_) if self.removed.contains(&sensor) => Ok(()),
            Err(error) => {
                self.enrol_if_unknown(&sensor)?;
                self.report.add(Lost {
                    what: error.damage(),
                    sensor: Some(sensor),
                    range: TimeRange::new(time, time),
                    readings: Some(1),
                });
                Ok(())
            }
        }
    }

    /// What came last, and wins.
    pub(crate) fn journalled(&mut self, commits: Vec<Commit>) -> Result<(), StoreError> {
        for Commit { rows, activities } in commits {
            for (key, measures) in rows {
                match keys::parse(&key) {
                    Ok((sensor, time)) => self.rescue(&sensor, vec![Reading { time, measures }])?,
                    Err(error) => self.report.lose(error.damage()),
                }
            }
            for (sensor, activity) in activities {
                self.arrived(sensor, &activity)?;
            }
        }
        Ok(())
    }

    fn rescue(&mut self, sensor: &SensorId, readings: Vec<Reading>) -> Result<(), StoreError> {
        // Its removal was cut short, and is finished by leaving it out.
        if self.removed.contains(sensor) {
            return Ok(());
        }
        self.enrol_if_unknown(sensor)?;
        self.rescued += readings.len() as u64;
        self.import.readings(sensor, readings)?;
        (self.watch)(self.rescued);
        Ok(())
    }

    /// What of each sensor lies in a gap is lost.
    fn lose_gap(&mut self, gap: &Gap, why: &str) {
        let place = |key: &Option<Vec<u8>>| key.as_ref().and_then(|key| keys::parse(key).ok());
        let (after, before) = (place(&gap.after), place(&gap.before));
        let registry = self.import.store.registry();
        let mut is_told = false;
        for sensor in registry.sensors().map(|sensor| &sensor.id) {
            let start = match &after {
                Some((of, _)) if sensor < of => continue,
                Some((of, last)) if sensor == of => last.saturating_add_millis(1),
                _ => Timestamp::MIN,
            };
            let end = match &before {
                Some((of, _)) if sensor > of => continue,
                Some((of, first)) if sensor == of => first.saturating_add_millis(-1),
                _ => Timestamp::MAX,
            };
            let Some(range) = TimeRange::new(start, end) else {
                continue;
            };
            is_told = true;
            self.report.add(Lost {
                what: why.to_owned(),
                sensor: Some(sensor.clone()),
                range: Some(range),
                readings: None,
            });
        }
        if !is_told {
            self.report.lose(why.to_owned());
        }
    }
}
