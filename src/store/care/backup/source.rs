//! A backup being read: every frame checked, by itself and against those before it.

use std::collections::BTreeSet;
use std::io::Read;

use crate::domain::account::{Account, AccountName, ApiId, Credential};
use crate::domain::password::PasswordHash;
use crate::domain::reading::Reading;
use crate::domain::sensor::{Arrivals, Sensor, SensorId};
use crate::domain::time::Timestamp;
use crate::store::blocks::block;
use crate::store::care::backup::error::BackupError;
use crate::store::care::backup::frame::{DIGEST_BYTES, Frame, Frames, Kind};
use crate::store::care::backup::{Counts, record};

/// Something that a backup holds.
pub(crate) enum Item {
    /// The administrator's password.
    Administrator(PasswordHash),
    Account(Account),
    Credential(Credential),
    Sensor(Sensor),
    /// A sensor's arrivals, and the last time that was assigned to a reading of its.
    Arrivals(SensorId, Option<Arrivals>, Option<Timestamp>),
    /// Readings of a sensor, ascending; those that follow are later.
    Readings(SensorId, Vec<Reading>),
}

/// Reads a backup, one item after the other.
pub(crate) struct Source<R> {
    frames: Frames<R>,
    last_kind: Kind,
    accounts: BTreeSet<AccountName>,
    credentials: BTreeSet<ApiId>,
    sensors: BTreeSet<SensorId>,
    arrivals: BTreeSet<SensorId>,
    /// The last reading so far.
    last_reading: Option<(SensorId, Timestamp)>,
    pub(crate) counts: Counts,
}

/// What a backup that was read to its end, and is whole, holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verified {
    pub(crate) taken: Timestamp,
    pub(crate) bytes: u64,
    pub(crate) counts: Counts,
    pub(crate) digest: [u8; DIGEST_BYTES],
}

/// Reads all of a backup and hands over what it holds; `each` is told how many bytes were read, too.
pub(crate) fn read_all<R: Read, E: From<BackupError>>(
    source: R,
    mut each: impl FnMut(Item, u64) -> Result<(), E>,
) -> Result<Verified, E> {
    let mut source = Source {
        frames: Frames::open(source)?,
        last_kind: Kind::Administrator,
        accounts: BTreeSet::new(),
        credentials: BTreeSet::new(),
        sensors: BTreeSet::new(),
        arrivals: BTreeSet::new(),
        last_reading: None,
        counts: Counts::default(),
    };
    while let Some(item) = source.next()? {
        each(item, source.frames.offset())?;
    }
    let (taken, counts) = (source.frames.taken, source.counts);
    let bytes = source.frames.offset() + DIGEST_BYTES as u64;
    Ok(Verified {
        taken,
        bytes,
        counts,
        digest: source.frames.finish()?,
    })
}

impl<R: Read> Source<R> {
    /// The next item; none after the last.
    fn next(&mut self) -> Result<Option<Item>, BackupError> {
        let Frame { kind, content } = self.frames.next()?;
        if kind < self.last_kind {
            return Err(self.frames.damaged("a frame is not where its kind belongs"));
        }
        self.last_kind = kind;
        let item = match kind {
            Kind::Administrator => self.administrator(&content),
            Kind::Account => self.account(&content),
            Kind::Credential => self.credential(&content),
            Kind::Sensor => self.sensor(&content),
            Kind::Arrivals => self.arrivals(&content),
            Kind::Readings => self.readings(&content),
            Kind::End => {
                return match record::parse::<Counts>(&content) {
                    Some(counts) if counts == self.counts => Ok(None),
                    Some(_) => Err(self.frames.damaged("the numbers at its end do not fit")),
                    None => Err(self.frames.damaged("its end is not one")),
                };
            }
        };
        item.map(Some).map_err(|what| self.frames.damaged(&what))
    }

    fn administrator(&mut self, content: &[u8]) -> Result<Item, String> {
        let password = record::administrator(content).ok_or("the administrator is not one")?;
        if self.counts.administrators > 0 {
            return Err("there are two administrators".into());
        }
        self.counts.administrators += 1;
        Ok(Item::Administrator(password))
    }

    fn account(&mut self, content: &[u8]) -> Result<Item, String> {
        let account = record::account(content).ok_or("an account is not one")?;
        if !self.accounts.insert(account.name.clone()) {
            return Err(format!(
                "the account {:?} comes twice",
                account.name.as_str()
            ));
        }
        self.counts.accounts += 1;
        Ok(Item::Account(account))
    }

    fn credential(&mut self, content: &[u8]) -> Result<Item, String> {
        let credential = record::credential(content).ok_or("a credential is not one")?;
        if !self.accounts.contains(&credential.account) {
            return Err("a credential belongs to no account".into());
        }
        if !self.credentials.insert(credential.api_id.clone()) {
            return Err("a credential comes twice".into());
        }
        self.counts.credentials += 1;
        Ok(Item::Credential(credential))
    }

    fn sensor(&mut self, content: &[u8]) -> Result<Item, String> {
        let sensor = record::sensor(content).ok_or("a sensor is not one")?;
        if !self.accounts.contains(&sensor.account) {
            return Err(format!("the sensor {:?} belongs to no account", sensor.id));
        }
        if !self.sensors.insert(sensor.id.clone()) {
            return Err(format!("the sensor {:?} comes twice", sensor.id));
        }
        self.counts.sensors += 1;
        Ok(Item::Sensor(sensor))
    }

    fn arrivals(&mut self, content: &[u8]) -> Result<Item, String> {
        let (sensor, arrivals, last_assigned) =
            record::arrivals(content).ok_or("arrivals are none")?;
        self.check_known(&sensor)?;
        if !self.arrivals.insert(sensor.clone()) {
            return Err(format!("the arrivals of sensor {sensor:?} come twice"));
        }
        self.counts.arrivals += 1;
        Ok(Item::Arrivals(sensor, arrivals, last_assigned))
    }

    fn readings(&mut self, content: &[u8]) -> Result<Item, String> {
        let parts = content
            .split_first()
            .and_then(|(length, rest)| rest.split_at_checked(usize::from(*length)));
        let (id, bytes) = parts.ok_or("readings are cut short")?;
        let sensor = std::str::from_utf8(id)
            .ok()
            .and_then(|id| SensorId::new(id).ok())
            .ok_or("readings are of no sensor")?;
        self.check_known(&sensor)?;
        let readings = block::decode(bytes)
            .map_err(|error| format!("a block of sensor {sensor:?}: {error}"))?;
        let (Some(first), Some(last)) = (readings.first(), readings.last()) else {
            return Err("a block is empty".into());
        };
        let begins = (sensor.clone(), first.time);
        if self
            .last_reading
            .as_ref()
            .is_some_and(|last| *last >= begins)
        {
            return Err(format!("readings of sensor {sensor:?} are out of order"));
        }
        self.last_reading = Some((sensor.clone(), last.time));
        self.counts.readings = self.counts.readings.saturating_add(readings.len() as u64);
        Ok(Item::Readings(sensor, readings))
    }

    fn check_known(&self, sensor: &SensorId) -> Result<(), String> {
        if self.sensors.contains(sensor) {
            return Ok(());
        }
        Err(format!("the sensor {sensor:?} is not among its sensors"))
    }
}
