//! Reads a backup, and checks every frame, by itself and against those before it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use crate::domain::{
    AccountName, ApiId, EntryKind, LocalDate, Person, PersonName, Reading, SensorId, Timestamp,
    WallName, WallTablet,
};
use crate::ledger::Correction;
use crate::ledger::contract::{Contract, ContractChange, Contracts, DayList, Label, PriceSeries};
use crate::ledger::notice::{KnownNotice, NoticeKey};
use crate::store::care::backup::error::BackupError;
use crate::store::care::backup::frame::{DIGEST_BYTES, FrameKind, FrameReader};
use crate::store::care::backup::item::BackupItem;
use crate::store::care::backup::record;
use crate::store::handle::counts::StoreCounts;
use crate::store::registry::{AccountEntry, EntryName};

/// Reads a backup item by item.
struct BackupReader<R> {
    frames: FrameReader<R>,
    last_kind: FrameKind,
    accounts: BTreeSet<AccountName>,
    credentials: BTreeSet<ApiId>,
    people: BTreeSet<PersonName>,
    tablets: BTreeSet<WallName>,
    sensors: BTreeSet<SensorId>,
    corrections: BTreeSet<(AccountName, u32)>,
    contracts: BTreeMap<AccountName, Contracts>,
    entries: BTreeSet<(AccountName, EntryKind, EntryName)>,
    /// The last day of a list so far.
    last_day: Option<(AccountName, Label, LocalDate)>,
    notices: BTreeSet<NoticeKey>,
    arrivals: BTreeSet<SensorId>,
    /// The end of the prices so far.
    last_prices: Option<(AccountName, Label, Timestamp)>,
    /// The last reading so far.
    last_reading: Option<(SensorId, Timestamp)>,
    counts: StoreCounts,
}

/// A complete backup: it was read to its end and is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenBackup {
    /// When it was begun.
    pub taken: Timestamp,
    /// Its length.
    pub bytes: u64,
    /// The number of its items of each kind.
    pub counts: StoreCounts,
    /// The SHA-256 at its end.
    pub(crate) digest: [u8; DIGEST_BYTES],
}

/// Reads all of a backup. Calls `each` with every item and the number of bytes read so far.
pub(crate) fn read_all<R: Read, E: From<BackupError>>(
    source: R,
    mut each: impl FnMut(BackupItem, u64) -> Result<(), E>,
) -> Result<WrittenBackup, E> {
    let mut reader = BackupReader {
        frames: FrameReader::open(source)?,
        // The smallest kind: any frame may come first.
        last_kind: FrameKind::Settings,
        accounts: BTreeSet::new(),
        credentials: BTreeSet::new(),
        people: BTreeSet::new(),
        tablets: BTreeSet::new(),
        sensors: BTreeSet::new(),
        corrections: BTreeSet::new(),
        contracts: BTreeMap::new(),
        entries: BTreeSet::new(),
        last_day: None,
        notices: BTreeSet::new(),
        arrivals: BTreeSet::new(),
        last_prices: None,
        last_reading: None,
        counts: StoreCounts::default(),
    };
    while let Some(item) = reader.next()? {
        each(item, reader.frames.offset())?;
    }
    Ok(WrittenBackup {
        taken: reader.frames.taken,
        // The digest is not read yet: `finish` does so, and consumes the reader.
        bytes: reader.frames.offset() + DIGEST_BYTES as u64,
        counts: reader.counts,
        digest: reader.frames.finish()?,
    })
}

impl<R: Read> BackupReader<R> {
    /// The next item; `None` after the last.
    fn next(&mut self) -> Result<Option<BackupItem>, BackupError> {
        let (kind, content) = self.frames.next()?;
        if kind.place() < self.last_kind.place() {
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

    /// Checks an item against those before it. One arm for each rule: `insert` returns whether the
    /// item is new.
    fn check(&mut self, item: &BackupItem) -> Result<(), String> {
        let broken = match item {
            BackupItem::Settings(_) if self.counts.settings > 0 => "the settings twice".into(),
            BackupItem::Administrator(_) if self.counts.administrators > 0 => {
                "a second administrator".into()
            }
            BackupItem::Account(account) if !self.accounts.insert(account.name.clone()) => {
                format!("a second account {:?}", account.name.as_str())
            }
            BackupItem::Credential(it, _) if !self.accounts.contains(&it.account) => {
                "a credential belongs to an unknown account".into()
            }
            BackupItem::Credential(it, _) if !self.credentials.insert(it.api_id.clone()) => {
                "a credential occurs twice".into()
            }
            BackupItem::Person(person) => return self.check_person(person),
            BackupItem::Tablet(tablet) => return self.check_tablet(tablet),
            BackupItem::Sensor(sensor) if !self.accounts.contains(&sensor.account) => {
                format!("sensor {:?} belongs to an unknown account", sensor.id)
            }
            // Before the sensor itself is known: it is not part of itself.
            BackupItem::Sensor(sensor)
                if sensor
                    .part_of
                    .as_ref()
                    .is_some_and(|id| !self.sensors.contains(id)) =>
            {
                format!("sensor {:?} comes before its parent", sensor.id)
            }
            BackupItem::Sensor(sensor) if !self.sensors.insert(sensor.id.clone()) => {
                format!("a second sensor {:?}", sensor.id)
            }
            BackupItem::Arrivals(sensor, ..) | BackupItem::Readings(sensor, _)
                if !self.sensors.contains(sensor) =>
            {
                format!("data of an unknown sensor {sensor:?}")
            }
            BackupItem::Arrivals(sensor, ..) if !self.arrivals.insert(sensor.clone()) => {
                format!("arrivals of sensor {sensor:?} occur twice")
            }
            BackupItem::Correction(account, one) => return self.check_correction(account, one),
            BackupItem::Notice(key, known) => return self.check_notice(key, known),
            BackupItem::Entry(account, entry) => return self.check_entry(account, entry),
            BackupItem::Contract(account, one) => return self.check_contract(account, one),
            BackupItem::Days(account, list) => return self.check_days(account, list),
            BackupItem::Prices(account, series) => return self.check_prices(account, series),
            BackupItem::Readings(sensor, readings) => return self.check_order(sensor, readings),
            _ => return Ok(()),
        };
        Err(broken)
    }

    /// Checks that a person is new, that the limit is not exceeded, and that their accounts are
    /// known.
    fn check_person(&mut self, person: &Person) -> Result<(), String> {
        let name = &person.name;
        if !person.accounts.keys().all(|it| self.accounts.contains(it)) {
            return Err(format!("person {name:?} has an unknown account"));
        }
        if !self.people.insert(name.clone()) {
            return Err(format!("a second person {name:?}"));
        }
        if self.people.len() > Person::MOST {
            return Err("too many people".into());
        }
        Ok(())
    }

    /// The same for a wall tablet.
    fn check_tablet(&mut self, tablet: &WallTablet) -> Result<(), String> {
        let name = &tablet.name;
        if !self.accounts.contains(&tablet.account) {
            return Err(format!("wall tablet {name:?} has an unknown account"));
        }
        if !self.tablets.insert(name.clone()) {
            return Err(format!("a second wall tablet {name:?}"));
        }
        if self.tablets.len() > WallTablet::MOST {
            return Err("too many wall tablets".into());
        }
        Ok(())
    }

    /// Checks that the sensor of a correction is known, and that its number is new.
    fn check_correction(&mut self, account: &AccountName, one: &Correction) -> Result<(), String> {
        let (sensor, number) = (one.sensor(), one.number());
        if !self.sensors.contains(sensor) {
            return Err(format!("a correction of an unknown sensor {sensor:?}"));
        }
        let is_new = self.corrections.insert((account.clone(), number));
        let second = || format!("a second correction {number} of account {account}");
        is_new.then_some(()).ok_or_else(second)
    }

    /// Checks that the account of an entry is known, and that its name is new.
    fn check_entry(&mut self, account: &AccountName, entry: &AccountEntry) -> Result<(), String> {
        let (kind, name) = (entry.kind(), entry.name());
        let what = format!("{} {name:?}", kind.as_str());
        if !self.accounts.contains(account) {
            return Err(format!("the {what} belongs to an unknown account"));
        }
        let is_new = self.entries.insert((account.clone(), kind, name));
        let second = || format!("a second {what} of account {account}");
        is_new.then_some(()).ok_or_else(second)
    }

    /// Checks that a contract fits those before it.
    fn check_contract(&mut self, account: &AccountName, one: &Contract) -> Result<(), String> {
        if !self.accounts.contains(account) {
            return Err("a contract belongs to an unknown account".into());
        }
        let known = self.contracts.entry(account.clone()).or_default();
        let is_second = known.all().iter().any(|it| it.from() == one.from());
        let changed = known.changed(ContractChange::Put(Box::new(one.clone())));
        match changed {
            Ok(contracts) if !is_second => *known = contracts,
            Ok(_) => return Err(format!("a second contract from {}", one.from())),
            Err(error) => return Err(error.to_string()),
        }
        Ok(())
    }

    /// Checks the order of days: by account, by list, then by date.
    fn check_days(&mut self, account: &AccountName, list: &DayList) -> Result<(), String> {
        if !self.accounts.contains(account) {
            return Err("a day list belongs to an unknown account".into());
        }
        for date in list.days().keys() {
            let day = Some((account.clone(), list.name().clone(), *date));
            if self.last_day >= day {
                return Err(format!("days of list {} are out of order", list.name()));
            }
            self.last_day = day;
        }
        Ok(())
    }

    /// Checks the order of prices: by account, by series, then by time.
    fn check_prices(&mut self, account: &AccountName, series: &PriceSeries) -> Result<(), String> {
        if !self.accounts.contains(account) {
            return Err("prices belong to an unknown account".into());
        }
        let (Some(first), Some(last)) = (series.prices().first(), series.prices().last()) else {
            return Err("a chunk without prices".into());
        };
        let at = |time| Some((account.clone(), series.name().clone(), time));
        // `None`, before the first prices, is less than anything.
        if self.last_prices > at(first.from) {
            return Err(format!(
                "prices of series {} are out of order",
                series.name()
            ));
        }
        self.last_prices = at(last.to);
        Ok(())
    }

    /// Checks that the account and the sensor of a notice are known, and that the notice is new.
    fn check_notice(&mut self, key: &NoticeKey, known: &KnownNotice) -> Result<(), String> {
        let (account, sensor) = (key.account.as_ref(), known.notice.sensor());
        if account.is_some_and(|account| !self.accounts.contains(account))
            || sensor.is_some_and(|sensor| !self.sensors.contains(sensor))
        {
            return Err(format!(
                "a notice {:?} of an unknown account or sensor",
                key.id
            ));
        }
        let is_new = self.notices.insert(key.clone());
        let second = || format!("a second notice {:?}", key.id);
        is_new.then_some(()).ok_or_else(second)
    }

    /// Checks the order of readings: by sensor, then by time.
    fn check_order(&mut self, sensor: &SensorId, readings: &[Reading]) -> Result<(), String> {
        let (Some(first), Some(last)) = (readings.first(), readings.last()) else {
            return Err("an empty block".into());
        };
        // `None`, before the first readings, is less than anything.
        if self.last_reading.as_ref() >= Some(&(sensor.clone(), first.time)) {
            return Err(format!("readings of sensor {sensor:?} are out of order"));
        }
        self.last_reading = Some((sensor.clone(), last.time));
        Ok(())
    }

    fn check_end(&self, content: &[u8]) -> Result<(), String> {
        match record::parse::<StoreCounts>(content) {
            Some(counts) if counts == self.counts => Ok(()),
            Some(_) => Err("the counts at the end differ from the content".into()),
            None => Err("invalid record of the end".into()),
        }
    }
}
