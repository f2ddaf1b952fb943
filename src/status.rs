//! How the service is, and what a person should look after.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::backups::{self, Settings};
use crate::domain::clock::Moment;
use crate::domain::sensor::SensorId;
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::{DiskUse, Store, StoreError};

/// A sensor that was silent for longer may be broken, or out of reach.
const SILENT_AFTER: Duration = Duration::from_hours(1);
/// A disk is nearly full with less than this left, in bytes, or less than one part in [`NEARLY_FULL_PART`] of what is stored
/// and left together.
const NEARLY_FULL_BYTES: u64 = 256 * 1024 * 1024;
const NEARLY_FULL_PART: u64 = 50;
/// What is written in a shorter time says little about a day.
const TELLING: Duration = Duration::from_mins(10);
const DAY: Duration = Duration::from_hours(24);

/// What is watched since the service started.
#[derive(Clone, Debug)]
pub struct Watch {
    /// When it started, on the clock that only goes forward.
    started: Duration,
    /// How many bytes had been written by then.
    written: u64,
    backups: Option<Settings>,
}

/// How the service is.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// How long it has run.
    pub up: Duration,
    /// How many readings there are.
    pub readings: u64,
    /// How many sensors.
    pub sensors: usize,
    /// What the store takes of its disk.
    pub disk: DiskUse,
    /// Bytes written into the store's files in a day, at the pace since the start; none in its first ten minutes. What the
    /// file system adds is not among them.
    pub written_a_day: Option<u64>,
    /// The scheduled copies.
    pub copies: Copies,
    /// What a person should look after.
    pub warnings: Vec<Warning>,
}

/// How it stands with the scheduled copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Copies {
    /// None are to be taken.
    NotSet,
    /// None is there yet.
    None {
        /// Where it will be.
        dir: PathBuf,
    },
    /// The newest one.
    Newest(backups::Copy),
    /// Their folder cannot be read.
    Unreadable {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        why: String,
    },
}

/// What a person should look after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The store takes no changes.
    OutOfOrder(String),
    /// Nothing came from an authorized sensor for long.
    Silent {
        /// Which one.
        sensor: SensorId,
        /// When it last uploaded.
        since: Timestamp,
    },
    /// Little is left on the store's disk.
    DiskNearlyFull {
        /// How many bytes.
        free: u64,
    },
    /// No copies are to be taken.
    NoCopiesSet,
    /// Copies are to be taken, and none is there after the time in which one was due.
    NoCopy,
    /// The newest copy is older than twice the time from one to the next.
    CopyOld {
        /// When it was taken.
        taken: Timestamp,
    },
    /// The folder of the copies cannot be read.
    CopiesUnreadable,
}

impl Watch {
    /// Starts watching, at `now`. `backups` tells of the copies that are to be taken.
    #[must_use]
    pub fn start(now: Moment, backups: Option<Settings>) -> Self {
        Self {
            started: now.elapsed,
            written: Store::bytes_written(),
            backups,
        }
    }

    /// How the service on `store` is at `now`. Blocks: looks at each file of the store and at the folder of the copies.
    ///
    /// # Errors
    /// [`StoreError`] where something could not be read.
    pub fn look(&self, store: &Store, now: Moment) -> Result<Status, StoreError> {
        let up = self.up(now);
        let registry = store.registry();
        let (mut readings, mut sensors, mut warnings) = (0_u64, 0, Vec::new());
        if let Some(failure) = store.unavailable() {
            warnings.push(Warning::OutOfOrder(failure.to_string()));
        }
        let disk = store.disk_use()?;
        if is_nearly_full(disk) {
            warnings.push(Warning::DiskNearlyFull { free: disk.free });
        }
        let copies = self.copies(now.time);
        warnings.extend(self.warning_of(&copies, up, now.time));
        for sensor in registry.sensors() {
            sensors += 1;
            readings = readings.saturating_add(store.count_readings(&sensor.id, TimeRange::ALL)?);
            let last = store.activity(&sensor.id).and_then(|known| known.arrivals);
            if let Some(since) = last.and_then(|arrivals| arrivals.last_upload(now.time))
                && sensor.authorized
                && since.saturating_add(SILENT_AFTER) < now.time
            {
                let sensor = sensor.id.clone();
                warnings.push(Warning::Silent { sensor, since });
            }
        }
        Ok(Status {
            up,
            readings,
            sensors,
            disk,
            written_a_day: self.written_a_day(up),
            copies,
            warnings,
        })
    }

    fn written_a_day(&self, up: Duration) -> Option<u64> {
        let written = Store::bytes_written().saturating_sub(self.written);
        let a_day = u128::from(written) * DAY.as_millis() / up.as_millis().max(1);
        (up >= TELLING).then_some(u64::try_from(a_day).unwrap_or(u64::MAX))
    }

    /// How long it has run at `now`.
    #[must_use]
    pub fn up(&self, now: Moment) -> Duration {
        now.elapsed.saturating_sub(self.started)
    }

    /// How it stands with the scheduled copies. Blocks: looks at their folder.
    #[must_use]
    pub fn copies(&self, now: Timestamp) -> Copies {
        let Some(settings) = &self.backups else {
            return Copies::NotSet;
        };
        let dir = settings.dir.clone();
        match backups::newest_copy(settings, now) {
            Ok(Some(copy)) => Copies::Newest(copy),
            Ok(None) => Copies::None { dir },
            Err(error) => Copies::Unreadable {
                dir,
                why: error.to_string(),
            },
        }
    }

    fn warning_of(&self, copies: &Copies, up: Duration, now: Timestamp) -> Option<Warning> {
        let every = self.backups.as_ref().map_or(DAY, |settings| settings.every);
        match copies {
            Copies::NotSet => Some(Warning::NoCopiesSet),
            // The first one is taken at the start.
            Copies::None { .. } => (up >= TELLING).then_some(Warning::NoCopy),
            Copies::Newest(copy) => {
                let due = copy.taken.saturating_add(every.saturating_mul(2));
                (due < now).then_some(Warning::CopyOld { taken: copy.taken })
            }
            Copies::Unreadable { .. } => Some(Warning::CopiesUnreadable),
        }
    }
}

/// The memory that this process has, in bytes, as Linux tells it; none elsewhere. Blocks.
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    let told = fs::read_to_string("/proc/self/status").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1_024)
}

fn is_nearly_full(disk: DiskUse) -> bool {
    let all = disk.free.saturating_add(disk.bytes);
    disk.free < NEARLY_FULL_BYTES || disk.free < all / NEARLY_FULL_PART
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::domain::account::{Account, AccountName, Plan};
    use crate::domain::calendar::Zone;
    use crate::domain::reading::{Measures, Upload, UploadedReading};
    use crate::domain::role::{RegisterKind, Role};
    use crate::domain::sensor::Sensor;
    use crate::store::{OpenMode, StoreSettings};

    const HOUR: Duration = Duration::from_hours(1);

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn moment(time: &str, elapsed: Duration) -> Moment {
        Moment {
            time: at(time),
            elapsed,
        }
    }

    fn id() -> SensorId {
        SensorId::new("house").unwrap()
    }

    /// A store with a sensor that uploaded at 10:00.
    fn store(dir: &Path) -> Store {
        let settings = StoreSettings::default();
        let store = Store::open(dir, settings, OpenMode::CreateIfMissing).unwrap();
        let name = AccountName::new("home").unwrap();
        store
            .put_account_durably(Account {
                name: name.clone(),
                plan: Plan::Paid,
                zone: Zone::UTC,
                created: at("2026-01-01T00:00:00"),
                price: None,
            })
            .unwrap();
        store
            .put_sensor_durably(Sensor {
                id: id(),
                account: name,
                name: "House".into(),
                authorized: true,
                created: at("2026-01-01T00:00:00"),
                role: Role::Grid,
                register: RegisterKind::Net,
            })
            .unwrap();
        let reading = UploadedReading {
            time: None,
            measures: Measures::new(Some(1.0), None).unwrap(),
        };
        let upload = Upload::new(id(), vec![reading; 2]).unwrap();
        store
            .append_durably_blocking(upload, at("2026-03-01T10:00:00"))
            .unwrap();
        store
    }

    #[test]
    fn what_is_stored_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let watch = Watch::start(moment("2026-03-01T10:00:00", HOUR), None);
        let status = watch.look(&store, moment("2026-03-01T10:05:00", HOUR * 2));
        let status = status.unwrap();
        assert_eq!((status.readings, status.sensors), (2, 1));
        assert_eq!(status.up, HOUR);
        assert!(status.written_a_day.is_some());
        assert_eq!(status.disk.bytes, store.disk_use().unwrap().bytes);
        let soon = watch.look(&store, moment("2026-03-01T10:05:00", HOUR));
        assert_eq!(soon.unwrap().written_a_day, None);
    }

    #[test]
    fn sensors_that_fell_silent_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let silent = |time: &str| {
            let watch = Watch::start(moment(time, HOUR), None);
            let status = watch.look(&store, moment(time, HOUR)).unwrap();
            let is_silence = |warning: &Warning| matches!(warning, Warning::Silent { .. });
            status.warnings.into_iter().find(is_silence)
        };
        assert_eq!(silent("2026-03-01T11:00:00"), None);
        assert_eq!(
            silent("2026-03-01T11:00:01"),
            Some(Warning::Silent {
                sensor: id(),
                since: at("2026-03-01T10:00:00")
            })
        );
        let mut sensor = store.registry().sensor(&id()).cloned().unwrap();
        sensor.authorized = false;
        store.put_sensor_durably(sensor).unwrap();
        assert_eq!(silent("2026-03-01T11:00:01"), None);
    }

    #[test]
    fn copies_that_are_missing_or_old_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(&dir.path().join("data"));
        let copies = dir.path().join("copies");
        let settings = Settings {
            dir: copies.clone(),
            every: Duration::from_hours(24),
            keep: 2,
        };
        let look = |settings: Option<&Settings>, time: &str, up: Duration| {
            let watch = Watch::start(moment(time, HOUR), settings.cloned());
            let status = watch.look(&store, moment(time, HOUR + up)).unwrap();
            let others = |warning: &Warning| !matches!(warning, Warning::Silent { .. });
            let warnings = status.warnings.into_iter().filter(others);
            (status.copies, warnings.collect::<Vec<_>>())
        };
        let now = "2026-03-01T10:00:00";
        let none = look(None, now, HOUR);
        assert_eq!(none, (Copies::NotSet, vec![Warning::NoCopiesSet]));
        let (unreadable, warnings) = look(Some(&settings), now, HOUR);
        assert!(matches!(unreadable, Copies::Unreadable { .. }));
        assert_eq!(warnings, [Warning::CopiesUnreadable]);
        fs::create_dir(&copies).unwrap();
        let dir = copies.clone();
        assert_eq!(
            look(Some(&settings), now, HOUR),
            (Copies::None { dir }, vec![Warning::NoCopy])
        );
        assert_eq!(look(Some(&settings), now, Duration::ZERO).1, []);
        let path = copies.join("wattkeeper-20260227T100000Z.backup");
        fs::write(&path, [7; 10]).unwrap();
        let taken = at("2026-02-27T10:00:00");
        let newest = Copies::Newest(backups::Copy {
            taken,
            path,
            bytes: 10,
        });
        assert_eq!(look(Some(&settings), now, HOUR), (newest, vec![]));
        assert_eq!(
            look(Some(&settings), "2026-03-01T10:00:01", HOUR).1,
            [Warning::CopyOld { taken }]
        );
    }

    #[test]
    fn a_disk_is_nearly_full_by_bytes_or_by_part() {
        const GIB: u64 = 1024 * 1024 * 1024;
        let disk = |bytes, free| is_nearly_full(DiskUse { bytes, free });
        assert!(disk(0, GIB / 4 - 1));
        assert!(!disk(0, GIB / 4));
        assert!(disk(100 * GIB, 2 * GIB));
        assert!(!disk(98 * GIB, 2 * GIB));
    }
}
