//! Rescue of readings: blocks first, then hot rows, then the journal. Later ones replace earlier ones.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::domain::{Reading, SensorId, TimeRange, Timestamp};
use crate::store::blocks::{Summary, block, summary_record};
use crate::store::embedded::care::salvage::readable::read_readable;
use crate::store::embedded::care::salvage::report::Lost;
use crate::store::embedded::care::salvage::rescue::Rescue;
use crate::store::embedded::care::salvage::rows::{Gap, TreeRow, TreeRows, get};
use crate::store::embedded::rows::Commit;
use crate::store::embedded::rows::commit::CommittedSensor;
use crate::store::embedded::rows::{chunk, hot_log, log_files};
use crate::store::error::StoreError;
use crate::store::records::keys;
use crate::store::rows::{Activities, Rows};

impl Rescue<'_, '_> {
    /// Rescues every valid block.
    pub(crate) fn blocks(&mut self) -> Result<(), StoreError> {
        let sealed = self.trees.sealed.clone();
        let mut located = Vec::new();
        let mut gaps = Vec::new();
        for row in TreeRows::all(&sealed.blocks, self.hints()) {
            match row {
                TreeRow::Whole(key, location) => located.push((key, location)),
                TreeRow::Gap(gap) => gaps.push(gap),
            }
        }
        // First, because blocks found in gaps may be outdated: whatever is imported later wins.
        for gap in gaps {
            self.blocks_in(&gap)?;
        }
        for (key, location) in located {
            self.block(&key, &location)?;
        }
        for row in TreeRows::all(&sealed.summaries, self.hints()) {
            // Gaps were reported above.
            if let TreeRow::Whole(key, value) = row
                && get(&sealed.blocks, &key) == Ok(None)
            {
                self.indexed_block(
                    &key,
                    summary_record::decode(&value).as_ref(),
                    "only its summary exists",
                )?;
            }
        }
        Ok(())
    }

    fn block(&mut self, key: &[u8], location: &[u8]) -> Result<(), StoreError> {
        let Some((sensor, _)) = self.parse_key(key) else {
            return Ok(());
        };
        let bytes = self.trees.sealed.bytes_at(key, location);
        let bytes = bytes.map_err(|error| error.damage());
        let readings =
            bytes.and_then(|bytes| block::decode(&bytes).map_err(|error| error.to_string()));
        match readings {
            Ok(readings) => self.rescue(&sensor, readings),
            Err(why) => {
                let summary = get(&self.trees.sealed.summaries, key).unwrap_or_default();
                let summary = summary.and_then(|value| summary_record::decode(&value));
                self.indexed_block(key, summary.as_ref(), &why)
            }
        }
    }

    /// Rescues blocks in a gap. The tree does not give their keys, but summaries and volumes have the same ones.
    fn blocks_in(&mut self, gap: &Gap) -> Result<(), StoreError> {
        let Gap { after, before, why } = gap;
        let sealed = self.trees.sealed.clone();
        // Sorted, so that blocks are rescued in order of time.
        let mut keys: BTreeSet<Vec<u8>> = self
            .volume_index
            .between(after.as_ref(), before.as_ref())
            .into_iter()
            .collect();
        let summaries = TreeRows::between(
            &sealed.summaries,
            after.clone(),
            before.clone(),
            self.hints(),
        );
        for row in summaries {
            match row {
                TreeRow::Whole(key, _) => drop(keys.insert(key.to_vec())),
                TreeRow::Gap(gap) => self.lose_gap(&gap, &format!("blocks: {why}")),
            }
        }
        for key in keys {
            match (get(&sealed.blocks, &key), get(&sealed.summaries, &key)) {
                (Ok(Some(location)), _) => self.block(&key, &location)?,
                // Reported with the summaries, or else replaced or deleted long ago.
                (Ok(None), _) | (Err(_), Ok(None)) => {}
                (Err(why), Ok(Some(value))) => {
                    let summary = summary_record::decode(&value);
                    self.indexed_block(&key, summary.as_ref(), &why)?;
                }
                (Err(why), Err(_)) => self.indexed_block(&key, None, &why)?,
            }
        }
        Ok(())
    }

    /// Takes the newest record in the volumes for a block that cannot be read at its location. If its summary does not match,
    /// the record may be outdated or deleted, so the block is also reported.
    fn indexed_block(
        &mut self,
        key: &[u8],
        summary: Option<&Summary>,
        why: &str,
    ) -> Result<(), StoreError> {
        let location = self.volume_index.get(key);
        let bytes = location.and_then(|found| self.trees.sealed.volumes.read(found, key).ok());
        let readings = bytes.and_then(|bytes| block::decode(&bytes).ok());
        let (Some(readings), Ok((sensor, _))) = (readings, keys::parse(key)) else {
            return self.lose_block(key, summary, why);
        };
        let is_same = summary.is_some() && summary == Summary::of(&readings).as_ref();
        self.rescue(&sensor, readings)?;
        if is_same {
            return Ok(());
        }
        let why = format!("{why}; an older copy of it may have been used");
        self.lose_block(key, summary, &why)
    }

    /// Reports a block as lost: from the time of its key to the end in its summary, or else up to the next block.
    fn lose_block(
        &mut self,
        key: &[u8],
        summary: Option<&Summary>,
        why: &str,
    ) -> Result<(), StoreError> {
        let Ok((sensor, first)) = keys::parse(key) else {
            self.report.lose(why.to_owned());
            return Ok(());
        };
        if self.removed.contains(&sensor) {
            return Ok(());
        }
        self.register_if_unknown(&sensor)?;
        let last = summary.map_or_else(
            || self.before_next_block(key, &sensor),
            |summary| summary.last,
        );
        self.report.lost.push(Lost {
            what: format!("the block from {first}: {why}"),
            // A damaged summary may end before its block begins.
            range: TimeRange::new(first, last.max(first)),
            sensor: Some(sensor),
            readings: summary.map(|summary| u64::from(summary.count)),
        });
        Ok(())
    }

    fn before_next_block(&self, key: &[u8], sensor: &SensorId) -> Timestamp {
        let blocks = &self.trees.sealed.blocks;
        let next = TreeRows::between(blocks, Some(key.to_vec()), None, self.hints()).next();
        let next = match next {
            Some(TreeRow::Whole(key, _)) => keys::parse(&key).ok(),
            _ => None,
        };
        // Behind a gap or before another sensor, the end is unknown.
        next.filter(|(of, _)| of == sensor)
            .map_or(Timestamp::MAX, |(_, first)| first.saturating_add_millis(-1))
    }

    /// Rescues the hot rows and the activities in every valid chunk.
    pub(crate) fn hot_rows(&mut self) -> Result<(), StoreError> {
        let files = &self.trees.hot.files;
        let numbers = log_files::numbers(&self.trees.meta);
        if let Err(error) = &numbers {
            self.report.lose(lost_rows(&error.damage()));
        }
        // Without the numbers, all chunks that there are count.
        let numbers = numbers.unwrap_or(0..u64::MAX);
        let mut next = numbers.start;
        let (mut rows, mut activities) = (Rows::default(), Activities::default());
        let paths = files.numbers().unwrap_or_default();
        let paths = paths.into_iter().map(|file| files.path(file));
        let contents: Vec<_> = paths.filter_map(|path| read_readable(&path).ok()).collect();
        let chunks = log_files::all_in(&contents);
        for (&number, value) in chunks.range(numbers.start..) {
            let is_named = numbers.contains(&number);
            if is_named {
                self.lose_chunks(next..number);
                next = number.saturating_add(1);
            }
            match chunk::decode(value) {
                Ok(groups) => {
                    for mut group in groups {
                        // What the database does not name may not have come to its end, and the journal has it. But if the database is
                        // outdated by damage, it counts: so it adds what it has, and takes nothing away.
                        group.is_anew &= is_named;
                        if group.is_end() {
                            activities.remove(&group.sensor);
                        }
                        let activity = group.activity.map(|it| (group.sensor.clone(), it));
                        activities.extend(activity);
                        hot_log::apply(group, &mut rows);
                    }
                }
                Err(error) => self.report.lose(lost_rows(&error.damage())),
            }
        }
        if numbers.end < u64::MAX {
            self.lose_chunks(next..numbers.end);
        }
        for (sensor, rows) in rows.iter() {
            self.rescue(sensor, rows.to_vec())?;
        }
        // Behind the rows: what they have of one sensor is gathered.
        for (sensor, activity) in activities {
            self.arrived(&sensor, &activity)?;
        }
        Ok(())
    }

    /// Reports missing chunks of hot rows.
    fn lose_chunks(&mut self, missing: Range<u64>) {
        if let Some(count) = missing.end.checked_sub(missing.start).filter(|it| *it > 0) {
            let why = format!("{count} chunks from number {} are missing", missing.start);
            self.report.lose(lost_rows(&why));
        }
    }

    /// Rescues commits of the journal, which are the newest.
    pub(crate) fn journalled(&mut self, commits: Vec<Commit>) -> Result<(), StoreError> {
        for (sensor, CommittedSensor { rows, activity }) in commits.into_iter().flatten() {
            self.rescue(&sensor, rows)?;
            self.arrived(&sensor, &activity)?;
        }
        Ok(())
    }

    /// The sensor and the time of a key. Reports an invalid one.
    fn parse_key(&mut self, key: &[u8]) -> Option<(SensorId, Timestamp)> {
        let parsed = keys::parse(key);
        parsed
            .map_err(|error| self.report.lose(error.damage()))
            .ok()
    }

    fn rescue(&mut self, sensor: &SensorId, readings: Vec<Reading>) -> Result<(), StoreError> {
        // Leaving it out completes its removal.
        if self.removed.contains(sensor) {
            return Ok(());
        }
        self.register_if_unknown(sensor)?;
        self.rescued += readings.len() as u64;
        // Gathered there: a hot row at a time would otherwise be an import each.
        self.import.readings(sensor, readings)?;
        (self.watch)(self.rescued);
        Ok(())
    }

    /// Reports what each sensor may have lost in a gap.
    fn lose_gap(&mut self, gap: &Gap, why: &str) {
        let place = |key: &Option<Vec<u8>>| key.as_ref().and_then(|key| keys::parse(key).ok());
        let (after, before) = (place(&gap.after), place(&gap.before));
        let registry = self.import.store.registry();
        let mut is_reported = false;
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
            is_reported = true;
            self.report.lost.push(Lost {
                what: why.to_owned(),
                sensor: Some(sensor.clone()),
                range: Some(range),
                readings: None,
            });
        }
        if !is_reported {
            self.report.lose(why.to_owned());
        }
    }
}

/// What is lost with chunks of hot rows: they have the newest rows of any sensors, and when these uploaded.
fn lost_rows(why: &str) -> String {
    format!(
        "hot rows: {why}; the newest readings of any sensor, and the time of its last upload, may be missing or outdated"
    )
}
