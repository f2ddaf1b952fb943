//! The contents of frames, as domain types, and their numbers.

use std::io;

use crate::domain::{
    Account, AccountName, Arrivals, Credential, Currency, PasswordHash, Person, Reading, Sensor,
    SensorId, ServiceSettings, Timestamp, WallTablet,
};
use crate::ledger::Correction;
use crate::ledger::contract::{Contract, DayList, Label, PriceSeries};
use crate::ledger::notice::{KnownNotice, NoticeKey};
use crate::store::blocks::block;
use crate::store::care::backup::account_record::{self, BackupAccount};
use crate::store::care::backup::days_record::{self, BackupDays};
use crate::store::care::backup::entry_record;
use crate::store::care::backup::frame::{FrameKind, json};
use crate::store::care::backup::people_record::{self, BackupPerson, BackupTablet};
use crate::store::care::backup::record;
use crate::store::care::backup::record::{
    BackupAdministrator, BackupArrivals, BackupContract, BackupCorrection, BackupCredential,
    BackupNotice, BackupSensor,
};
use crate::store::care::backup::settings_record::{self, BackupServiceSettings};
use crate::store::handle::counts::StoreCounts;
use crate::store::prices::chunk;
use crate::store::registry::AccountEntry;

/// The content of a frame.
pub(crate) enum BackupItem {
    /// The settings of the service, without secrets.
    Settings(ServiceSettings),
    /// The hash of the administrator's password.
    Administrator(PasswordHash),
    Account(Account),
    /// A credential, and its last use, if any.
    Credential(Credential, Option<Timestamp>),
    Person(Person),
    Tablet(WallTablet),
    Sensor(Sensor),
    /// A correction of an account.
    Correction(AccountName, Box<Correction>),
    /// A contract of an account.
    Contract(AccountName, Box<Contract>),
    /// A notice, with its state.
    Notice(NoticeKey, Box<KnownNotice>),
    /// A sensor's arrivals, and the last time assigned to one of its readings.
    Arrivals(SensorId, Option<Arrivals>, Option<Timestamp>),
    /// Days of a list of an account, ascending, of one year.
    Days(AccountName, DayList),
    /// A bill, a format of files, an offer, a purchase, a tenancy or the Home Assistant of an account.
    Entry(AccountName, AccountEntry),
    /// Prices of a series of an account, in order of time.
    Prices(AccountName, PriceSeries),
    /// Readings of a sensor, ascending.
    Readings(SensorId, Vec<Reading>),
}

impl BackupItem {
    /// Parses the content of a frame; `None` for [`FrameKind::End`].
    pub(crate) fn parse(kind: FrameKind, content: &[u8]) -> Result<Option<Self>, String> {
        let item = match kind {
            FrameKind::Settings => settings_record::settings(content).map(Self::Settings),
            FrameKind::Administrator => record::administrator(content).map(Self::Administrator),
            FrameKind::Account => account_record::account(content).map(Self::Account),
            FrameKind::Credential => record::credential(content)
                .map(|(credential, last_used)| Self::Credential(credential, last_used)),
            FrameKind::Person => people_record::person(content).map(Self::Person),
            FrameKind::Tablet => people_record::tablet(content).map(Self::Tablet),
            FrameKind::Sensor => record::sensor(content).map(Self::Sensor),
            FrameKind::Correction => record::correction(content)
                .map(|(account, one)| Self::Correction(account, Box::new(one))),
            FrameKind::Contract => record::contract(content)
                .map(|(account, one)| Self::Contract(account, Box::new(one))),
            FrameKind::Notice => {
                record::notice(content).map(|(key, known)| Self::Notice(key, Box::new(known)))
            }
            FrameKind::Arrivals => record::arrivals(content)
                .map(|(sensor, all, last)| Self::Arrivals(sensor, all, last)),
            FrameKind::Readings => {
                let (sensor, bytes) =
                    split_readings(content).ok_or("readings without a valid sensor ID")?;
                // Decoded even for a mere verification: the checksums of frames do not show whether
                // a block is valid.
                let readings = block::decode(bytes)
                    .map_err(|error| format!("a block of sensor {sensor:?}: {error}"))?;
                Some(Self::Readings(sensor, readings))
            }
            FrameKind::Days => {
                days_record::days(content).map(|(account, all)| Self::Days(account, all))
            }
            FrameKind::Bill
            | FrameKind::Format
            | FrameKind::Offer
            | FrameKind::Purchase
            | FrameKind::Tenancy
            | FrameKind::HomeAssistant => {
                entry_record::entry(kind, content).map(|(account, one)| Self::Entry(account, one))
            }
            FrameKind::Prices => prices(content).map(|(account, all)| Self::Prices(account, all)),
            FrameKind::End => return Ok(None),
        };
        let invalid = || format!("invalid record of {}", kind.name());
        item.map(Some).ok_or_else(invalid)
    }

    /// The frame of this item.
    ///
    /// # Errors
    /// If readings do not fit into one block.
    pub(crate) fn to_frame(&self) -> io::Result<(FrameKind, Vec<u8>)> {
        match self {
            Self::Settings(settings) => {
                json(FrameKind::Settings, &BackupServiceSettings::from(settings))
            }
            Self::Administrator(password) => json(
                FrameKind::Administrator,
                &BackupAdministrator::from(password),
            ),
            Self::Account(account) => json(FrameKind::Account, &BackupAccount::from(account)),
            Self::Credential(credential, last_used) => json(
                FrameKind::Credential,
                &BackupCredential::new(credential, *last_used),
            ),
            Self::Person(person) => json(FrameKind::Person, &BackupPerson::from(person)),
            Self::Tablet(tablet) => json(FrameKind::Tablet, &BackupTablet::from(tablet)),
            Self::Sensor(sensor) => json(FrameKind::Sensor, &BackupSensor::from(sensor)),
            Self::Correction(account, one) => {
                json(FrameKind::Correction, &BackupCorrection::new(account, one))
            }
            Self::Contract(account, one) => {
                json(FrameKind::Contract, &BackupContract::new(account, one)?)
            }
            Self::Notice(key, known) => json(FrameKind::Notice, &BackupNotice::new(key, known)),
            Self::Arrivals(sensor, arrivals, last_assigned) => json(
                FrameKind::Arrivals,
                &BackupArrivals::new(sensor, *arrivals, *last_assigned),
            ),
            Self::Days(account, list) => json(FrameKind::Days, &BackupDays::new(account, list)),
            Self::Entry(account, entry) => entry_record::to_frame(account, entry),
            Self::Prices(account, series) => {
                let chunk = chunk::encode(series.prices());
                let name = series.name().as_str();
                let currency = series.currency().map(|it| prefixed(it.as_str()));
                let currency = currency.transpose()?.map(|it| [&[0], &*it].concat());
                let currency = currency.unwrap_or_default();
                let names = [prefixed(account.as_str())?, prefixed(name)?, currency];
                let content = [names.concat(), chunk].concat();
                Ok((FrameKind::Prices, content))
            }
            Self::Readings(sensor, readings) => {
                let block = block::encode(readings).map_err(io::Error::other)?;
                Ok((FrameKind::Readings, join_readings(sensor, &block)?))
            }
        }
    }

    /// Adds this item to `counts`.
    pub(crate) fn count(&self, counts: &mut StoreCounts) {
        let (count, more) = match self {
            Self::Settings(settings) => (&mut counts.settings, settings.len() as u64),
            Self::Administrator(_) => (&mut counts.administrators, 1),
            Self::Account(_) => (&mut counts.accounts, 1),
            Self::Credential(..) => (&mut counts.credentials, 1),
            Self::Person(_) => (&mut counts.people, 1),
            Self::Tablet(_) => (&mut counts.tablets, 1),
            Self::Sensor(_) => (&mut counts.sensors, 1),
            Self::Correction(..) => (&mut counts.corrections, 1),
            Self::Contract(..) => (&mut counts.contracts, 1),
            Self::Notice(..) => (&mut counts.notices, 1),
            Self::Arrivals(..) => (&mut counts.arrivals, 1),
            Self::Days(_, list) => (&mut counts.days, list.days().len() as u64),
            Self::Entry(_, entry) => (counts.entries(entry.kind()), 1),
            Self::Prices(_, series) => (&mut counts.prices, series.prices().len() as u64),
            Self::Readings(_, readings) => (&mut counts.readings, readings.len() as u64),
        };
        *count = count.saturating_add(more);
    }
}

/// The content of a frame of readings.
pub(crate) fn join_readings(sensor: &SensorId, block: &[u8]) -> io::Result<Vec<u8>> {
    Ok([&prefixed(sensor.as_str())?, block].concat())
}

/// A name after its length.
fn prefixed(name: &str) -> io::Result<Vec<u8>> {
    // Cannot fail: a name has at most 64 bytes.
    let length = u8::try_from(name.len()).map_err(io::Error::other)?;
    Ok([&[length], name.as_bytes()].concat())
}

/// The sensor and the block in the content of a frame of readings.
fn split_readings(content: &[u8]) -> Option<(SensorId, &[u8])> {
    let (id, block) = split_name(content)?;
    Some((SensorId::new(id).ok()?, block))
}

/// Reads a name after its length, and the rest.
fn split_name(content: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = content.split_first()?;
    let (name, rest) = rest.split_at_checked(usize::from(*length))?;
    Some((std::str::from_utf8(name).ok()?, rest))
}

/// The account and the prices in the content of a frame of prices.
fn prices(content: &[u8]) -> Option<(AccountName, PriceSeries)> {
    let (account, rest) = split_name(content)?;
    let (name, rest) = split_name(rest)?;
    // A chunk begins with its version, which is not 0.
    let (currency, chunk) = match rest.split_first() {
        Some((0, rest)) => {
            let (currency, chunk) = split_name(rest)?;
            (Some(Currency::new(currency).ok()?), chunk)
        }
        _ => (None, rest),
    };
    let series = PriceSeries::new(Label::new(name).ok()?, chunk::decode(chunk)?);
    let series = series.ok()?.in_currency(currency);
    Some((AccountName::new(account).ok()?, series))
}
