//! Produces a backup page by page, while the store takes uploads.
//!
//! The pages contain everything that was durable before the first was requested: the registry is of
//! that moment, and readings come from a scan, which sees rows and blocks consistently
//! (`read/scan.rs`). No lock is held between two pages, so a page can be sent to a command before
//! the next is made.

use std::io;

use serde::{Deserialize, Serialize};

use crate::domain::{AccountName, EntryKind, SensorId, TimeRange, Timestamp};
use crate::ledger::contract::{DayList, Label, PriceSeries};
use crate::store::blocks::{block, seal};
use crate::store::care::backup::error::BackupError;
use crate::store::care::backup::frame;
use crate::store::care::backup::frame::FrameKind;
use crate::store::care::backup::item::{BackupItem, join_readings};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::handle::counts::StoreCounts;
use crate::store::prices::chunk;
use crate::store::read::StoredRun;
use crate::store::registry::Registry;
use crate::store::registry::entry::KindEntries;

/// A page of readings ends once it has this many bytes.
const PAGE_BYTES: usize = 512 * 1024;
/// A page of readings ends after this many blocks, however short they are.
const PAGE_BLOCKS: usize = 512;

/// The position at which a backup continues. The default is its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupCursor {
    /// The sensors whose readings are still missing, in order; `None` if the registry comes first.
    sensors: Option<Vec<String>>,
    /// The price series that are still missing, each with its account; after the sensors.
    series: Vec<(String, String)>,
    /// The first of these continues at this time.
    from_ms: Option<i64>,
}

/// A piece of a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupPage {
    /// Whole frames.
    pub(crate) frames: Vec<u8>,
    /// The number of items in them.
    pub(crate) counts: StoreCounts,
    /// Where the backup continues; `None` after the last page.
    pub(crate) next: Option<BackupCursor>,
}

impl Store {
    /// Returns the piece of a backup that begins at `cursor`: about half a megabyte, or the whole
    /// registry. Blocks.
    ///
    /// # Errors
    /// [`BackupError::Store`] if something cannot be read or is damaged; [`BackupError::Cursor`].
    pub fn backup_page(&self, cursor: &BackupCursor) -> Result<BackupPage, BackupError> {
        let Some(sensors) = &cursor.sensors else {
            return self.registry_page();
        };
        let mut page = BackupPage::default();
        let mut from_ms = cursor.from_ms;
        // A sensor that was removed since the first page has no readings left: it adds nothing.
        for (index, id) in sensors.iter().enumerate() {
            // A cursor is sent to the command and back, so it is checked like any input.
            let sensor = SensorId::new(id).map_err(|_| BackupError::Cursor)?;
            // Only the first sensor continues somewhere in between.
            let from = from_ms
                .take()
                .map_or(Some(Timestamp::MIN), Timestamp::from_millis);
            let from = from.ok_or(BackupError::Cursor)?;
            if let Some(next) = self.add_readings(&mut page, &sensor, from)? {
                let rest = sensors.get(index..).unwrap_or_default().to_vec();
                page.next = Some(BackupCursor {
                    sensors: Some(rest),
                    series: cursor.series.clone(),
                    from_ms: Some(next.millis()),
                });
                return Ok(page);
            }
        }
        // Only the sensor that the page began with may leave a time to continue at.
        let from_ms = if sensors.is_empty() { from_ms } else { None };
        page.next = self.add_prices(&mut page, &cursor.series, from_ms)?;
        Ok(page)
    }

    /// Adds a page of prices of the first of these series. Returns where to continue.
    fn add_prices(
        &self,
        page: &mut BackupPage,
        series: &[(String, String)],
        from_ms: Option<i64>,
    ) -> Result<Option<BackupCursor>, BackupError> {
        let Some(((account, name), rest)) = series.split_first() else {
            return Ok(None);
        };
        let account = AccountName::new(account).map_err(|_| BackupError::Cursor)?;
        let name = Label::new(name).map_err(|_| BackupError::Cursor)?;
        let from = from_ms.map_or(Some(Timestamp::MIN), Timestamp::from_millis);
        let from = from.ok_or(BackupError::Cursor)?;
        let found = self.price_page(&account, &name, (from, Timestamp::MAX))?;
        let currency = self.series_currency(&account, &name);
        let mut chunks = Vec::new();
        chunk::encode_all(&found.prices, &mut chunks);
        for (prices, _) in chunks {
            let all = PriceSeries::new(name.clone(), prices.to_vec());
            let all = all.map_err(|error| StoreError::Damaged(error.to_string()))?;
            let all = all.in_currency(currency.clone());
            let item = BackupItem::Prices(account.clone(), all);
            page.push(&item).map_err(|error| unwritten(&error))?;
        }
        let rest = if found.next.is_some() { series } else { rest };
        Ok((!rest.is_empty()).then(|| BackupCursor {
            sensors: Some(Vec::new()),
            series: rest.to_vec(),
            from_ms: found.next.map(Timestamp::millis),
        }))
    }

    fn registry_page(&self) -> Result<BackupPage, BackupError> {
        let registry = self.registry();
        let mut page = BackupPage::default();
        let settings = registry.settings().clone();
        let settings = (!settings.is_empty()).then_some(BackupItem::Settings(settings));
        let administrator = registry.administrator().cloned();
        let corrections = registry.corrections.iter().flat_map(|(account, all)| {
            all.iter()
                .map(|one| BackupItem::Correction(account.clone(), Box::new(one.clone())))
        });
        let notices = registry
            .notices()
            .map(|(key, known)| BackupItem::Notice(key.clone(), Box::new(known.clone())));
        let items = settings
            .into_iter()
            .chain(administrator.map(BackupItem::Administrator))
            .chain(registry.accounts().cloned().map(BackupItem::Account))
            .chain(registry.credentials().map(|credential| {
                let last_used = self.last_use(&credential.api_id);
                BackupItem::Credential(credential.clone(), last_used)
            }))
            .chain(registry.people().cloned().map(BackupItem::Person))
            .chain(registry.tablets().cloned().map(BackupItem::Tablet))
            .chain(entered_items(&registry))
            .chain(
                registry
                    .wholes_first()
                    .into_iter()
                    .cloned()
                    .map(BackupItem::Sensor),
            )
            .chain(corrections)
            .chain(notices);
        for item in items {
            page.push(&item).map_err(|error| unwritten(&error))?;
        }
        for sensor in registry.sensors() {
            if let Some(activity) = self.activity(&sensor.id)? {
                let (arrivals, assigned) = (activity.arrivals, activity.last_assigned);
                let item = BackupItem::Arrivals(sensor.id.clone(), arrivals, assigned);
                page.push(&item).map_err(|error| unwritten(&error))?;
            }
        }
        let ids = registry
            .sensors()
            .map(|sensor| sensor.id.as_str().to_owned());
        let series = registry.series.iter().flat_map(|(account, all)| {
            all.keys()
                .map(move |name| (account.to_string(), name.to_string()))
        });
        page.next = Some(BackupCursor {
            sensors: Some(ids.collect()),
            series: series.collect(),
            from_ms: None,
        });
        Ok(page)
    }

    /// Adds readings of `sensor`, starting at `from`. If the page is full before their end, returns
    /// the time at which to continue.
    fn add_readings(
        &self,
        page: &mut BackupPage,
        sensor: &SensorId,
        from: Timestamp,
    ) -> Result<Option<Timestamp>, BackupError> {
        let range = TimeRange::new(from, Timestamp::MAX).unwrap_or(TimeRange::ALL);
        let mut scan = self.scan(sensor, range);
        let mut blocks = 0;
        while let Some(StoredRun { readings, block }) = scan.next_stored()? {
            match block {
                Some(block) => page.push_block(sensor, &block),
                // These readings are no whole block: hot rows, or a part of a block. Packed in
                // blocks of the maximum size: a restore packs them again with its own setting.
                None => seal::pack(&readings, block::MAX_READINGS)?
                    .iter()
                    .try_for_each(|pack| page.push_block(sensor, &pack.bytes)),
            }
            .map_err(|error| unwritten(&error))?;
            page.counts.readings += readings.len() as u64;
            blocks += 1;
            let last = readings.last().map_or(Timestamp::MAX, |last| last.time);
            let is_full = page.frames.len() >= PAGE_BYTES || blocks >= PAGE_BLOCKS;
            // Nothing follows the last time, and no cursor could begin after it.
            if is_full && last < Timestamp::MAX {
                return Ok(Some(last.saturating_add_millis(1)));
            }
        }
        Ok(None)
    }
}

impl BackupPage {
    fn push(&mut self, item: &BackupItem) -> io::Result<()> {
        let (kind, content) = item.to_frame()?;
        item.count(&mut self.counts);
        frame::push(&mut self.frames, kind, &content)
    }

    /// A block is copied, not decoded and encoded again.
    fn push_block(&mut self, sensor: &SensorId, block: &[u8]) -> io::Result<()> {
        let content = join_readings(sensor, block)?;
        frame::push(&mut self.frames, FrameKind::Readings, &content)
    }
}

/// The contracts, bills, day lists and other entries of each account.
fn entered_items(registry: &Registry) -> impl Iterator<Item = BackupItem> {
    let contracts = registry.contracts.iter().flat_map(|(account, all)| {
        let all = all.all().iter().cloned().map(Box::new);
        all.map(|one| BackupItem::Contract(account.clone(), one))
    });
    let days = registry.days.iter().flat_map(|(account, all)| {
        all.iter().map(|((name, year), days)| {
            let days = days.of(*year).collect();
            BackupItem::Days(account.clone(), DayList::new(name.clone(), days))
        })
    });
    let entries = |kind: &EntryKind| {
        let all = registry
            .entries
            .get(kind)
            .into_iter()
            .flat_map(KindEntries::all);
        all.map(|(account, one)| BackupItem::Entry(account.clone(), one.clone()))
    };
    let bills = entries(&EntryKind::Bill);
    let others = EntryKind::ALL
        .iter()
        .filter(|kind| **kind != EntryKind::Bill);
    let others = others.flat_map(entries);
    contracts.chain(bills).chain(days).chain(others)
}

fn unwritten(error: &io::Error) -> BackupError {
    BackupError::Store(StoreError::io("writing a frame of a backup", error))
}
