//! What a store holds as frames of a backup, a page at a time, while it goes on taking uploads.
//!
//! Whatever was durable before the first page was asked for is in one of the pages: the registry is of that moment, and
//! readings are read as every scan does, rows and blocks in one look (`store/scan.rs`). No lock is held between two
//! pages, so a page can travel to a command before the next is made.

use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::sensor::SensorId;
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::blocks::{block, seal};
use crate::store::care::backup::Counts;
use crate::store::care::backup::error::BackupError;
use crate::store::care::backup::frame;
use crate::store::care::backup::frame::Kind;
use crate::store::care::backup::record::{
    AccountRecord, AdministratorRecord, ArrivalsRecord, CredentialRecord, SensorRecord,
};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::read::scan::{Scan, Stored};

/// A page of readings ends once it has so many bytes.
const PAGE_BYTES: usize = 512 * 1024;
/// A page of readings ends after so many blocks, however short they are.
const PAGE_BLOCKS: usize = 512;

/// Where a backup goes on. The default is its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// The sensors whose readings are still to come, in order; none where the registry is.
    sensors: Option<Vec<String>>,
    /// From when on the readings of the first of them are.
    from_ms: Option<i64>,
}

/// A piece of a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Whole frames.
    pub(crate) frames: Vec<u8>,
    /// What they hold.
    pub(crate) counts: Counts,
    /// Where it goes on.
    pub(crate) next: Option<Cursor>,
}

impl Store {
    /// The piece of a backup that begins at `cursor`: about half a megabyte, or the whole registry. Blocks.
    ///
    /// # Errors
    /// [`BackupError::Store`] where something could not be read, or is damaged; [`BackupError::Cursor`].
    pub fn backup_page(&self, cursor: &Cursor) -> Result<Page, BackupError> {
        let Some(sensors) = &cursor.sensors else {
            return self.registry_page();
        };
        let mut page = Page::default();
        let mut from_ms = cursor.from_ms;
        for (index, id) in sensors.iter().enumerate() {
            let sensor = SensorId::new(id).map_err(|_| BackupError::Cursor)?;
            let from = from_ms
                .take()
                .map_or(Some(Timestamp::MIN), Timestamp::from_millis);
            let from = from.ok_or(BackupError::Cursor)?;
            if let Some(next) = self.add_readings(&mut page, &sensor, from)? {
                let rest = sensors.get(index..).unwrap_or_default().to_vec();
                page.next = Some(Cursor {
                    sensors: Some(rest),
                    from_ms: Some(next.millis()),
                });
                break;
            }
        }
        Ok(page)
    }

    fn registry_page(&self) -> Result<Page, BackupError> {
        let registry = self.registry();
        let mut page = Page::default();
        if let Some(password) = registry.administrator() {
            page.push(Kind::Administrator, &AdministratorRecord::from(password))?;
            page.counts.administrators += 1;
        }
        for account in registry.accounts() {
            page.push(Kind::Account, &AccountRecord::from(account))?;
            page.counts.accounts += 1;
        }
        for credential in registry.credentials() {
            page.push(Kind::Credential, &CredentialRecord::from(credential))?;
            page.counts.credentials += 1;
        }
        for sensor in registry.sensors() {
            page.push(Kind::Sensor, &SensorRecord::from(sensor))?;
            page.counts.sensors += 1;
        }
        for sensor in registry.sensors() {
            let Some(activity) = self.activity(&sensor.id) else {
                continue;
            };
            let record = ArrivalsRecord::new(&sensor.id, activity.arrivals, activity.last_assigned);
            page.push(Kind::Arrivals, &record)?;
            page.counts.arrivals += 1;
        }
        let ids = registry
            .sensors()
            .map(|sensor| sensor.id.as_str().to_owned());
        page.next = Some(Cursor {
            sensors: Some(ids.collect()),
            from_ms: None,
        });
        Ok(page)
    }

    /// Adds readings of `sensor` from `from` on; where the page is full before their end, says from when on the rest is.
    fn add_readings(
        &self,
        page: &mut Page,
        sensor: &SensorId,
        from: Timestamp,
    ) -> Result<Option<Timestamp>, BackupError> {
        let range = TimeRange::new(from, Timestamp::MAX).unwrap_or(TimeRange::ALL);
        let mut scan = Scan::new(Arc::clone(&self.shared), sensor.clone(), range);
        let mut blocks = 0;
        while let Some(Stored { readings, block }) = scan.next_stored()? {
            match block {
                Some(block) => page.push_block(sensor, &block)?,
                None => {
                    for pack in seal::pack(&readings, block::MAX_READINGS)? {
                        page.push_block(sensor, &pack.bytes)?;
                    }
                }
            }
            page.counts.readings += readings.len() as u64;
            blocks += 1;
            let last = readings.last().map_or(Timestamp::MAX, |last| last.time);
            let is_full = page.frames.len() >= PAGE_BYTES || blocks >= PAGE_BLOCKS;
            if is_full && last < Timestamp::MAX {
                return Ok(Some(last.saturating_add_millis(1)));
            }
        }
        Ok(None)
    }
}

impl Page {
    fn push(&mut self, kind: Kind, record: &impl Serialize) -> Result<(), BackupError> {
        let content = serde_json::to_vec(record).map_err(|error| unwritten(&error.into()))?;
        frame::push(&mut self.frames, kind, &content).map_err(|error| unwritten(&error))
    }

    fn push_block(&mut self, sensor: &SensorId, block: &[u8]) -> Result<(), BackupError> {
        let id = sensor.as_str().as_bytes();
        let length = u8::try_from(id.len()).map_err(|error| unwritten(&io::Error::other(error)))?;
        let content = [&[length], id, block].concat();
        frame::push(&mut self.frames, Kind::Readings, &content).map_err(|error| unwritten(&error))
    }
}

fn unwritten(error: &io::Error) -> BackupError {
    BackupError::Store(StoreError::io("writing a frame of a backup", error))
}
