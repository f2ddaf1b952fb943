//! Reading a backup: checks every frame, by itself and against those before it.

use std::collections::BTreeSet;
use std::io::Read;

use crate::domain::{AccountName, ApiId, SensorId, Timestamp};
use crate::store::care::backup::error::BackupError;
use crate::store::care::backup::frame::{BackupFrame, DIGEST_BYTES, FrameKind, FrameReader};
use crate::store::care::backup::item::BackupItem;
use crate::store::care::backup::record;
use crate::store::care::counts::StoreCounts;

/// Reads a backup item by item.
struct BackupReader<R> {
    frames: FrameReader<R>,
    last_kind: FrameKind,
    accounts: BTreeSet<AccountName>,
    credentials: BTreeSet<ApiId>,
    sensors: BTreeSet<SensorId>,
    arrivals: BTreeSet<SensorId>,
    /// The last reading so far.
    last_reading: Option<(SensorId, Timestamp)>,
    counts: StoreCounts,
}

/// A backup that was read to its end and is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verified {
    pub(crate) taken: Timestamp,
    pub(crate) bytes: u64,
    pub(crate) counts: StoreCounts,
    pub(crate) digest: [u8; DIGEST_BYTES],
}

/// Reads all of a backup. Calls `each` with every item and with how many bytes have been read so far.
pub(crate) fn read_all<R: Read, E: From<BackupError>>(
    source: R,
    mut each: impl FnMut(BackupItem, u64) -> Result<(), E>,
) -> Result<Verified, E> {
    let mut reader = BackupReader {
        frames: FrameReader::open(source)?,
        last_kind: FrameKind::Administrator,
        accounts: BTreeSet::new(),
        credentials: BTreeSet::new(),
        sensors: BTreeSet::new(),
        arrivals: BTreeSet::new(),
        last_reading: None,
        counts: StoreCounts::default(),
    };
    while let Some(item) = reader.next()? {
        each(item, reader.frames.offset())?;
    }
    Ok(Verified {
        taken: reader.frames.taken,
        bytes: reader.frames.offset() + DIGEST_BYTES as u64,
        counts: reader.counts,
        digest: reader.frames.finish()?,
    })
}

impl<R: Read> BackupReader<R> {
    /// The next item; `None` after the last.
    fn next(&mut self) -> Result<Option<BackupItem>, BackupError> {
        let BackupFrame { kind, content } = self.frames.next()?;
        if kind < self.last_kind {
            return Err(self.frames.damaged("a frame out of order"));
        }
        self.last_kind = kind;
        let item = BackupItem::parse(kind, &content).map_err(|what| self.frames.damaged(&what))?;
        let checked = match &item {
            Some(item) => self.check(item),
            None => self.check_end(&content),
        };
        checked.map_err(|what| self.frames.damaged(&what))?;
        if let Some(item) = &item {
            item.count(&mut self.counts);
        }
        Ok(item)
    }

    /// Checks an item against those before it.
    fn check(&mut self, item: &BackupItem) -> Result<(), String> {
        match item {
            BackupItem::Administrator(_) if self.counts.administrators > 0 => {
                Err("a second administrator".into())
            }
            BackupItem::Administrator(_) => Ok(()),
            BackupItem::Account(account) => {
                let is_new = self.accounts.insert(account.name.clone());
                ensure(is_new, || {
                    format!("a second account {:?}", account.name.as_str())
                })
            }
            BackupItem::Credential(credential) => {
                self.check_account(&credential.account, || "a credential".into())?;
                let is_new = self.credentials.insert(credential.api_id.clone());
                ensure(is_new, || "a credential occurs twice".into())
            }
            BackupItem::Sensor(sensor) => {
                self.check_account(&sensor.account, || format!("sensor {:?}", sensor.id))?;
                let is_new = self.sensors.insert(sensor.id.clone());
                ensure(is_new, || format!("a second sensor {:?}", sensor.id))
            }
            BackupItem::Arrivals(sensor, ..) => {
                self.check_sensor(sensor)?;
                let is_new = self.arrivals.insert(sensor.clone());
                ensure(is_new, || {
                    format!("arrivals of sensor {sensor:?} occur twice")
                })
            }
            BackupItem::Readings(sensor, readings) => {
                self.check_sensor(sensor)?;
                let (Some(first), Some(last)) = (readings.first(), readings.last()) else {
                    return Err("an empty block".into());
                };
                let begin = (sensor.clone(), first.time);
                let is_later = self.last_reading.as_ref() < Some(&begin);
                ensure(is_later, || {
                    format!("readings of sensor {sensor:?} are out of order")
                })?;
                self.last_reading = Some((sensor.clone(), last.time));
                Ok(())
            }
        }
    }

    fn check_end(&self, content: &[u8]) -> Result<(), String> {
        match record::parse::<StoreCounts>(content) {
            Some(counts) if counts == self.counts => Ok(()),
            Some(_) => Err("the counts at the end differ from the content".into()),
            None => Err("invalid record of the end".into()),
        }
    }

    fn check_account(&self, name: &AccountName, of: impl FnOnce() -> String) -> Result<(), String> {
        let is_known = self.accounts.contains(name);
        ensure(is_known, || {
            format!("{} belongs to an unknown account", of())
        })
    }

    fn check_sensor(&self, sensor: &SensorId) -> Result<(), String> {
        let is_known = self.sensors.contains(sensor);
        ensure(is_known, || format!("data of an unknown sensor {sensor:?}"))
    }
}

fn ensure(is_true: bool, error: impl FnOnce() -> String) -> Result<(), String> {
    if is_true { Ok(()) } else { Err(error()) }
}
