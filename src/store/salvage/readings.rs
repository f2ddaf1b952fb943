//! The readings of a damaged store: blocks, then the hot rows, which win over them.

use super::super::error::StoreError;
use super::super::journal::Commit;
use super::super::{block, hot, keys, sealed};
use super::rows::{Gap, Row, Rows, get};
use super::{Lost, Rescue};
use crate::domain::reading::Reading;
use crate::domain::sensor::SensorId;
use crate::domain::summary::Summary;
use crate::domain::time::{TimeRange, Timestamp};

impl Rescue<'_, '_> {
    /// Every block that is whole. Summaries are made anew.
    pub(super) fn blocks(&mut self) -> Result<(), StoreError> {
        let sealed = self.trees.sealed.clone();
        for row in Rows::all(&sealed.blocks, self.hints()) {
            match row {
                Row::Whole(key, bytes) => self.block(&key, &bytes)?,
                Row::Gap(gap) => self.blocks_in(gap)?,
            }
        }
        for row in Rows::all(&sealed.summaries, self.hints()) {
            // What else can't be read of the blocks was told above.
            if let Row::Whole(key, value) = row
                && get(&sealed.blocks, &key) == Ok(None)
            {
                let summary = sealed::decode(&value);
                self.lose_block(&key, summary, "there is only its summary")?;
            }
        }
        Ok(())
    }

    fn block(&mut self, key: &[u8], bytes: &[u8]) -> Result<(), StoreError> {
        match (keys::parse(key), block::decode(bytes)) {
            (Ok((sensor, _)), Ok(readings)) => self.rescue(&sensor, readings),
            (Err(error), _) => {
                self.report.lose(error.damage());
                Ok(())
            }
            (_, Err(error)) => {
                let summary = get(&self.trees.sealed.summaries, key).unwrap_or_default();
                let summary = summary.and_then(|value| sealed::decode(&value));
                self.lose_block(key, summary, &error.to_string())
            }
        }
    }

    /// Blocks whose keys are not told: the summaries have the same.
    fn blocks_in(&mut self, gap: Gap) -> Result<(), StoreError> {
        let Gap { after, before, why } = gap;
        let sealed = self.trees.sealed.clone();
        for row in Rows::between(&sealed.summaries, after, before, self.hints()) {
            match row {
                Row::Whole(key, value) => match get(&sealed.blocks, &key) {
                    Ok(Some(bytes)) => self.block(&key, &bytes)?,
                    // Told with the summaries.
                    Ok(None) => {}
                    Err(why) => self.lose_block(&key, sealed::decode(&value), &why)?,
                },
                Row::Gap(gap) => self.lose_gap(&gap, &format!("blocks: {why}")),
            }
        }
        Ok(())
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
    pub(super) fn hot_rows(&mut self) -> Result<(), StoreError> {
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
    pub(super) fn journalled(&mut self, commits: Vec<Commit>) -> Result<(), StoreError> {
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
