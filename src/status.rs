//! The state of the service, and warnings without a notice.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::backups::{self, BackupSettings, ExistingBackup};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Moment, TimeRange, Timestamp};
use crate::store::{DiskUse, Store, StoreError};

/// The write rate over a shorter time is not representative of a day.
const MIN_UPTIME: Duration = Duration::from_mins(10);
const DAY: Duration = Duration::from_hours(24);

/// The figures at the start of the service, to compare later ones with.
#[derive(Clone, Debug)]
pub struct StatusMonitor {
    /// When the service started, on the monotonic clock.
    started: Duration,
    /// The number of bytes that had been written to the store by then.
    written: u64,
}

/// The state of the service.
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceStatus {
    /// The time since the start.
    pub up: Duration,
    /// The number of stored readings.
    pub readings: u64,
    /// The number of sensors, including revoked ones.
    pub sensors: usize,
    /// The size of the store and the free space of its disk.
    pub disk: DiskUse,
    /// Bytes written to the files of the store per day, extrapolated from the time since the start.
    /// `None` in the first ten minutes. Does not include additional writes of the file system.
    pub written_a_day: Option<u64>,
    /// The growth of the store in a day, in bytes: the size of a reading times the readings of the
    /// last day. `None` without any.
    pub growth_a_day: Option<u64>,
    /// The state of the scheduled backups.
    pub backups: BackupState,
    /// Conditions that need attention, besides the notices.
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

/// A condition that needs attention and has no notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The store refuses all changes; the reason.
    OutOfOrder(String),
    /// Scheduled backups are off.
    BackupsOff,
    /// The backup folder cannot be read.
    BackupFolderUnreadable,
}

impl StatusMonitor {
    /// Starts watching at `now`.
    #[must_use]
    pub fn start(now: Moment) -> Self {
        Self {
            started: now.elapsed,
            written: Store::bytes_written(),
        }
    }

    /// The state of the service at `now`. `backups` is `None` if scheduled backups are off. Blocks:
    /// reads the size of each file of the store, and the backup folder.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub fn look(
        &self,
        store: &Store,
        now: Moment,
        backups: Option<&BackupSettings>,
    ) -> Result<ServiceStatus, StoreError> {
        let up = self.up(now);
        let registry = store.registry();
        let (mut readings, mut recent, mut sensors, mut warnings) = (0_u64, 0_u64, 0, Vec::new());
        let day_ago = now.time.saturating_add_millis(-MS_PER_DAY);
        let last_day = TimeRange::new(day_ago, now.time).unwrap_or(TimeRange::at(now.time));
        if let Some(failure) = store.unavailable() {
            warnings.push(Warning::OutOfOrder(failure.to_string()));
        }
        let disk = store.disk_use()?;
        let backups = BackupState::look(backups, now.time);
        warnings.extend(match &backups {
            BackupState::Off => Some(Warning::BackupsOff),
            BackupState::Unreadable { .. } => Some(Warning::BackupFolderUnreadable),
            BackupState::None { .. } | BackupState::Newest(_) => None,
        });
        for sensor in registry.sensors() {
            sensors += 1;
            readings = readings.saturating_add(store.count_readings(&sensor.id, TimeRange::ALL)?);
            recent = recent.saturating_add(store.count_readings(&sensor.id, last_day)?);
        }
        Ok(ServiceStatus {
            up,
            readings,
            sensors,
            disk,
            written_a_day: self.written_a_day(up),
            growth_a_day: growth_a_day(disk.bytes, readings, recent),
            backups,
            warnings,
        })
    }

    fn written_a_day(&self, up: Duration) -> Option<u64> {
        let written = Store::bytes_written().saturating_sub(self.written);
        // In 128 bits, because bytes times the milliseconds of a day exceed 64 bits from 213 GB on.
        // Right at the start `up` may be 0.
        let a_day = u128::from(written) * DAY.as_millis() / up.as_millis().max(1);
        (up >= MIN_UPTIME).then_some(u64::try_from(a_day).unwrap_or(u64::MAX))
    }

    /// The time from the start to `now`.
    #[must_use]
    pub fn up(&self, now: Moment) -> Duration {
        now.elapsed.saturating_sub(self.started)
    }
}

impl BackupState {
    /// The state of the scheduled backups; `None` if they are off. Blocks: reads the backup folder.
    #[must_use]
    pub fn look(settings: Option<&BackupSettings>, now: Timestamp) -> Self {
        let Some(settings) = settings else {
            return Self::Off;
        };
        let dir = settings.dir.clone();
        match backups::newest(settings, now) {
            Ok(Some(backup)) => Self::Newest(backup),
            Ok(None) => Self::None { dir },
            Err(error) => Self::Unreadable {
                dir,
                why: error.to_string(),
            },
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
    // Linux writes kB, and means 1,024 bytes.
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1_024)
}

/// The growth in a day of a store with this many bytes and readings; `None` if there were no
/// readings in that day.
fn growth_a_day(bytes: u64, readings: u64, recent: u64) -> Option<u64> {
    let a_day = u128::from(bytes) * u128::from(recent) / u128::from(readings.max(1));
    (recent > 0).then_some(u64::try_from(a_day).unwrap_or(u64::MAX))
}

impl ServiceStatus {
    /// The number of days until the disk is full if the store keeps growing like this; `None` if
    /// that is unknown.
    #[must_use]
    pub fn days_left(&self) -> Option<u64> {
        let growth = self.growth_a_day?.max(1);
        Some(self.disk.free? / growth)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::domain::time::at;
    use crate::domain::{
        Account, AccountName, Measures, Meter, MeterKind, Phases, Plan, Role, Sensor, SensorId,
        SentParts, Upload, UploadedReading, Zone,
    };
    use crate::store::{OpenMode, StoreSettings};

    const HOUR: Duration = Duration::from_hours(1);

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
        let account = Account {
            name: name.clone(),
            plan: Plan::Paid,
            zone: Zone::UTC,
            phases: Phases::default(),
            created: at("2026-01-01T00:00:00"),
        };
        store.edit(move |edit| edit.put_account(account)).unwrap();
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
                is_announced: true,
                sent_parts: SentParts::default(),
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
        let watch = StatusMonitor::start(moment("2026-03-01T10:00:00", HOUR));
        let status = watch.look(&store, moment("2026-03-01T10:05:00", HOUR * 2), None);
        let status = status.unwrap();
        assert_eq!((status.readings, status.sensors), (2, 1));
        assert_eq!(status.up, HOUR);
        assert!(status.written_a_day.is_some());
        assert_eq!(status.disk.bytes, store.disk_use().unwrap().bytes);
        let soon = watch.look(&store, moment("2026-03-01T10:05:00", HOUR), None);
        assert_eq!(soon.unwrap().written_a_day, None);
    }

    #[test]
    fn the_state_of_backups_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(&dir.path().join("data"));
        let copies = dir.path().join("copies");
        let settings = BackupSettings {
            dir: copies.clone(),
            every: Duration::from_hours(24),
            keep: 2,
        };
        let look = |settings: Option<&BackupSettings>| {
            let now = moment("2026-03-01T10:00:00", HOUR);
            let watch = StatusMonitor::start(now);
            let status = watch.look(&store, now, settings).unwrap();
            (status.backups, status.warnings)
        };
        let none = look(None);
        assert_eq!(none, (BackupState::Off, vec![Warning::BackupsOff]));
        let (unreadable, warnings) = look(Some(&settings));
        assert!(matches!(unreadable, BackupState::Unreadable { .. }));
        assert_eq!(warnings, [Warning::BackupFolderUnreadable]);
        fs::create_dir(&copies).unwrap();
        let dir = copies.clone();
        let none = (BackupState::None { dir }, vec![]);
        assert_eq!(look(Some(&settings)), none);
        let path = copies.join("wattkeeper-20260227T100000Z.backup");
        fs::write(&path, [7; 10]).unwrap();
        let taken = at("2026-02-27T10:00:00");
        let newest = BackupState::Newest(ExistingBackup {
            taken,
            path,
            bytes: 10,
        });
        assert_eq!(look(Some(&settings)), (newest, vec![]));
    }

    #[test]
    fn a_store_grows_by_the_readings_of_a_day() {
        // 100 bytes per reading.
        assert_eq!(growth_a_day(100_000, 1_000, 24), Some(2_400));
        assert_eq!(growth_a_day(100_000, 1_000, 0), None);
        assert_eq!(growth_a_day(u64::MAX, 1, u64::MAX), Some(u64::MAX));
        assert_eq!(growth_a_day(100, 0, 0), None);
    }
}
