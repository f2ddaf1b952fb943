//! The state of the service, and warnings about what needs attention.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::backups::{self, BackupSettings, ExistingBackup};
use crate::domain::{Moment, SensorId, TimeRange, Timestamp};
use crate::store::{DiskUse, Store, StoreError};

/// A sensor that is silent for longer may be broken or unreachable.
const SILENT_AFTER: Duration = Duration::from_hours(1);
// More than backups leave free (64 MiB): on the same disk this warns before they fail.
/// A disk is nearly full if less than this is free, in bytes, or less than one part in [`NEARLY_FULL_PART`] of the store's size
/// and the free space together.
const NEARLY_FULL_BYTES: u64 = 256 * 1024 * 1024;
const NEARLY_FULL_PART: u64 = 50;
/// The write rate of a shorter time says little about a day.
const MIN_UPTIME: Duration = Duration::from_mins(10);
const DAY: Duration = Duration::from_hours(24);

/// The figures of the start of the service, to compare later ones with.
#[derive(Clone, Debug)]
pub struct StatusMonitor {
    /// When the service started, on the monotonic clock.
    started: Duration,
    /// How many bytes had been written into the store by then.
    written: u64,
    settings: Option<BackupSettings>,
}

/// The state of the service.
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceStatus {
    /// The time since the start.
    pub up: Duration,
    /// The number of stored readings.
    pub readings: u64,
    /// The number of sensors, revoked ones included.
    pub sensors: usize,
    /// The size of the store and the free space of its disk.
    pub disk: DiskUse,
    /// Bytes written into the files of the store per day, extrapolated from the time since the start. `None` in the first ten
    /// minutes. Does not count what the file system writes in addition.
    pub written_a_day: Option<u64>,
    /// The state of the scheduled backups.
    pub backups: BackupState,
    /// What needs attention.
    pub warnings: Vec<Warning>,
}

/// The state of the scheduled backups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackupState {
    /// Scheduled backups are off.
    Off,
    /// There is none yet.
    None {
        /// The backup folder.
        dir: PathBuf,
    },
    /// The newest backup.
    Newest(ExistingBackup),
    /// The backup folder cannot be read.
    Unreadable {
        /// The backup folder.
        dir: PathBuf,
        /// The error of the operating system.
        why: String,
    },
}

/// A condition that needs attention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The store refuses all changes, for this reason.
    OutOfOrder(String),
    /// An authorized sensor has not uploaded for more than an hour.
    Silent {
        /// The sensor.
        sensor: SensorId,
        /// Its last upload.
        since: Timestamp,
    },
    /// Little space is left on the disk of the store.
    DiskNearlyFull {
        /// The free space in bytes.
        free: u64,
    },
    /// Scheduled backups are off.
    BackupsOff,
    /// The first scheduled backup is overdue.
    NoBackup,
    /// The newest backup is older than two backup intervals.
    BackupOld {
        /// When the newest backup was taken.
        taken: Timestamp,
    },
    /// The backup folder cannot be read.
    BackupFolderUnreadable,
}

impl StatusMonitor {
    /// Starts watching at `now`. `backups` is `None` if scheduled backups are off.
    #[must_use]
    pub fn start(now: Moment, backups: Option<BackupSettings>) -> Self {
        Self {
            started: now.elapsed,
            written: Store::bytes_written(),
            settings: backups,
        }
    }

    /// The state of the service at `now`. Blocks: reads the size of each file of the store, and the backup folder.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub fn look(&self, store: &Store, now: Moment) -> Result<ServiceStatus, StoreError> {
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
        let backups = self.backups(now.time);
        warnings.extend(self.warning_of(&backups, up, now.time));
        for sensor in registry.sensors() {
            sensors += 1;
            readings = readings.saturating_add(store.count_readings(&sensor.id, TimeRange::ALL)?);
            let last = store.activity(&sensor.id).and_then(|known| known.arrivals);
            // A sensor without any upload is new, not silent. An arrival after now does not count: the clock was or is wrong.
            if let Some(since) = last.and_then(|arrivals| arrivals.last_upload(now.time))
                && sensor.authorized
                && since.saturating_add(SILENT_AFTER) < now.time
            {
                let sensor = sensor.id.clone();
                warnings.push(Warning::Silent { sensor, since });
            }
        }
        Ok(ServiceStatus {
            up,
            readings,
            sensors,
            disk,
            written_a_day: self.written_a_day(up),
            backups,
            warnings,
        })
    }

    fn written_a_day(&self, up: Duration) -> Option<u64> {
        let written = Store::bytes_written().saturating_sub(self.written);
        // In 128 bits: bytes times the milliseconds of a day exceed 64 bits from 213 GB on. Right at the start `up` may be 0.
        let a_day = u128::from(written) * DAY.as_millis() / up.as_millis().max(1);
        (up >= MIN_UPTIME).then_some(u64::try_from(a_day).unwrap_or(u64::MAX))
    }

    /// The time from the start to `now`.
    #[must_use]
    pub fn up(&self, now: Moment) -> Duration {
        now.elapsed.saturating_sub(self.started)
    }

    /// The state of the scheduled backups. Blocks: reads the backup folder.
    #[must_use]
    pub fn backups(&self, now: Timestamp) -> BackupState {
        let Some(settings) = &self.settings else {
            return BackupState::Off;
        };
        let dir = settings.dir.clone();
        match backups::newest(settings, now) {
            Ok(Some(backup)) => BackupState::Newest(backup),
            Ok(None) => BackupState::None { dir },
            Err(error) => BackupState::Unreadable {
                dir,
                why: error.to_string(),
            },
        }
    }

    fn warning_of(&self, state: &BackupState, up: Duration, now: Timestamp) -> Option<Warning> {
        let every = self
            .settings
            .as_ref()
            .map_or(DAY, |settings| settings.every);
        match state {
            BackupState::Off => Some(Warning::BackupsOff),
            // The first backup is due at the start; give it time to finish.
            BackupState::None { .. } => (up >= MIN_UPTIME).then_some(Warning::NoBackup),
            BackupState::Newest(backup) => {
                let due = backup.taken.saturating_add(every.saturating_mul(2));
                (due < now).then_some(Warning::BackupOld {
                    taken: backup.taken,
                })
            }
            BackupState::Unreadable { .. } => Some(Warning::BackupFolderUnreadable),
        }
    }
}

/// The resident memory of this process in bytes; `None` if this is not Linux. Blocks.
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    // Linux writes kB and means 1,024 bytes.
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1_024)
}

fn is_nearly_full(disk: DiskUse) -> bool {
    // Space that other programs use counts for nothing: wattkeeper cannot grow into it.
    let all = disk.free.saturating_add(disk.bytes);
    disk.free < NEARLY_FULL_BYTES || disk.free < all / NEARLY_FULL_PART
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::domain::{
        Account, AccountName, Measures, Meter, MeterKind, Plan, Role, Sensor, Upload,
        UploadedReading, Zone,
    };
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
                meter: Meter::new(MeterKind::Net),
                part_of: None,
                silent_after: None,
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
    fn readings_and_sensors_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let watch = StatusMonitor::start(moment("2026-03-01T10:00:00", HOUR), None);
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
    fn silent_sensors_are_reported() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let silent = |time: &str| {
            let watch = StatusMonitor::start(moment(time, HOUR), None);
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
    fn missing_and_old_backups_are_reported() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(&dir.path().join("data"));
        let copies = dir.path().join("copies");
        let settings = BackupSettings {
            dir: copies.clone(),
            every: Duration::from_hours(24),
            keep: 2,
        };
        let look = |settings: Option<&BackupSettings>, time: &str, up: Duration| {
            let watch = StatusMonitor::start(moment(time, HOUR), settings.cloned());
            let status = watch.look(&store, moment(time, HOUR + up)).unwrap();
            let others = |warning: &Warning| !matches!(warning, Warning::Silent { .. });
            let warnings = status.warnings.into_iter().filter(others);
            (status.backups, warnings.collect::<Vec<_>>())
        };
        let now = "2026-03-01T10:00:00";
        let none = look(None, now, HOUR);
        assert_eq!(none, (BackupState::Off, vec![Warning::BackupsOff]));
        let (unreadable, warnings) = look(Some(&settings), now, HOUR);
        assert!(matches!(unreadable, BackupState::Unreadable { .. }));
        assert_eq!(warnings, [Warning::BackupFolderUnreadable]);
        fs::create_dir(&copies).unwrap();
        let dir = copies.clone();
        assert_eq!(
            look(Some(&settings), now, HOUR),
            (BackupState::None { dir }, vec![Warning::NoBackup])
        );
        assert_eq!(look(Some(&settings), now, Duration::ZERO).1, []);
        let path = copies.join("wattkeeper-20260227T100000Z.backup");
        fs::write(&path, [7; 10]).unwrap();
        let taken = at("2026-02-27T10:00:00");
        let newest = BackupState::Newest(ExistingBackup {
            taken,
            path,
            bytes: 10,
        });
        assert_eq!(look(Some(&settings), now, HOUR), (newest, vec![]));
        assert_eq!(
            look(Some(&settings), "2026-03-01T10:00:01", HOUR).1,
            [Warning::BackupOld { taken }]
        );
    }

    #[test]
    fn a_disk_is_nearly_full_by_bytes_or_by_share() {
        const GIB: u64 = 1024 * 1024 * 1024;
        let disk = |bytes, free| is_nearly_full(DiskUse { bytes, free });
        assert!(disk(0, GIB / 4 - 1));
        assert!(!disk(0, GIB / 4));
        assert!(disk(100 * GIB, 2 * GIB));
        assert!(!disk(98 * GIB, 2 * GIB));
    }
}
