//! What a frame holds, as domain types, and the numbers of each kind.

use std::io;

use serde::Serialize;

use crate::domain::{
    Account, AccountName, Arrivals, Credential, PasswordHash, Reading, Sensor, SensorId, Timestamp,
};
use crate::ledger::Correction;
use crate::store::blocks::block;
use crate::store::care::backup::frame::FrameKind;
use crate::store::care::backup::record;
use crate::store::care::backup::record::{
    BackupAccount, BackupAdministrator, BackupArrivals, BackupCorrection, BackupCredential,
    BackupSensor,
};
use crate::store::care::counts::StoreCounts;

/// The content of a frame.
pub(crate) enum BackupItem {
    /// The hash of the administrator's password.
    Administrator(PasswordHash),
    Account(Account),
    Credential(Credential),
    Sensor(Sensor),
    /// A correction of an account.
    Correction(AccountName, Box<Correction>),
    /// A sensor's arrivals, and the last time assigned to one of its readings.
    Arrivals(SensorId, Option<Arrivals>, Option<Timestamp>),
    /// Readings of a sensor, ascending.
    Readings(SensorId, Vec<Reading>),
}

impl BackupItem {
    /// Parses the content of a frame; `None` for [`FrameKind::End`].
    pub(crate) fn parse(kind: FrameKind, content: &[u8]) -> Result<Option<Self>, String> {
        let item = match kind {
            FrameKind::Administrator => record::administrator(content).map(Self::Administrator),
            FrameKind::Account => record::account(content).map(Self::Account),
            FrameKind::Credential => record::credential(content).map(Self::Credential),
            FrameKind::Sensor => record::sensor(content).map(Self::Sensor),
            FrameKind::Correction => record::correction(content)
                .map(|(account, one)| Self::Correction(account, Box::new(one))),
            FrameKind::Arrivals => record::arrivals(content)
                .map(|(sensor, all, last)| Self::Arrivals(sensor, all, last)),
            FrameKind::Readings => {
                let (sensor, bytes) =
                    split_readings(content).ok_or("readings without a valid sensor ID")?;
                // Decoded for a mere verification, too: the checksums of frames do not show whether a block is valid.
                let readings = block::decode(bytes)
                    .map_err(|error| format!("a block of sensor {sensor:?}: {error}"))?;
                Some(Self::Readings(sensor, readings))
            }
            FrameKind::End => return Ok(None),
        };
        let invalid = || format!("invalid record of {}", kind.name());
        item.map(Some).ok_or_else(invalid)
    }

    /// The frame that holds this.
    ///
    /// # Errors
    /// Readings that do not fit into one block.
    pub(crate) fn to_frame(&self) -> io::Result<(FrameKind, Vec<u8>)> {
        match self {
            Self::Administrator(password) => json(
                FrameKind::Administrator,
                &BackupAdministrator::from(password),
            ),
            Self::Account(account) => json(FrameKind::Account, &BackupAccount::from(account)),
            Self::Credential(credential) => {
                json(FrameKind::Credential, &BackupCredential::from(credential))
            }
            Self::Sensor(sensor) => json(FrameKind::Sensor, &BackupSensor::from(sensor)),
            Self::Correction(account, one) => {
                json(FrameKind::Correction, &BackupCorrection::new(account, one))
            }
            Self::Arrivals(sensor, arrivals, last_assigned) => json(
                FrameKind::Arrivals,
                &BackupArrivals::new(sensor, *arrivals, *last_assigned),
            ),
            Self::Readings(sensor, readings) => {
                let block = block::encode(readings).map_err(io::Error::other)?;
                Ok((FrameKind::Readings, join_readings(sensor, &block)?))
            }
        }
    }

    /// Adds this to `counts`.
    pub(crate) fn count(&self, counts: &mut StoreCounts) {
        let (count, more) = match self {
            Self::Administrator(_) => (&mut counts.administrators, 1),
            Self::Account(_) => (&mut counts.accounts, 1),
            Self::Credential(_) => (&mut counts.credentials, 1),
            Self::Sensor(_) => (&mut counts.sensors, 1),
            Self::Correction(..) => (&mut counts.corrections, 1),
            Self::Arrivals(..) => (&mut counts.arrivals, 1),
            Self::Readings(_, readings) => (&mut counts.readings, readings.len() as u64),
        };
        *count = count.saturating_add(more);
    }
}

fn json(kind: FrameKind, record: &impl Serialize) -> io::Result<(FrameKind, Vec<u8>)> {
    Ok((kind, serde_json::to_vec(record)?))
}

/// The content of a frame of readings.
pub(crate) fn join_readings(sensor: &SensorId, block: &[u8]) -> io::Result<Vec<u8>> {
    let id = sensor.as_str().as_bytes();
    // Cannot fail: an ID has at most 64 bytes.
    let length = u8::try_from(id.len()).map_err(io::Error::other)?;
    Ok([&[length], id, block].concat())
}

/// The sensor and the block in the content of a frame of readings.
fn split_readings(content: &[u8]) -> Option<(SensorId, &[u8])> {
    let (length, rest) = content.split_first()?;
    let (id, block) = rest.split_at_checked(usize::from(*length))?;
    let sensor = SensorId::new(std::str::from_utf8(id).ok()?).ok()?;
    Some((sensor, block))
}
