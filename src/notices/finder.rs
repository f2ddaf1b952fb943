//! Decides which conditions to examine, and when: cheap ones every minute; history every hour,
//! after midnight, and after a correction.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::changes::KeptNotices;
use super::imported::ImportedSensors;
use super::meters::{LookedAt, flows_at_night};
use super::mistakes::{is_of_house, mistakes};
use super::peaks::new_peaks;
use super::prices::missing_prices;
use super::sources::{is_of_source, source_notices};
use super::spacing::learn_spacing;
use super::usage::unusual_usage;
use crate::backups::{self, BackupSettings};
use crate::domain::{Account, AccountName, Arrivals, Role, SensorId, Timestamp};
use crate::house::{AccountDays, HouseSensors, PeakGuard, sensors_of, silence_limit_of};
use crate::ingest::{Ingest, REMARK_LASTS_MS};
use crate::ledger::Corrections;
use crate::ledger::notice::{
    Notice, NoticeChange, NoticeKey, NoticeKind, NoticeSubject, backup_overdue, disk_nearly_full,
    sensor_silent, store_damaged, wrong_clock,
};
use crate::price_sources::PriceSources;
use crate::store::{Registry, Store, StoreError};

/// The interval at which history is read again.
const HISTORY_EVERY_MS: i64 = 3_600_000;

/// Finds notices, and keeps them in the store.
pub(super) struct NoticeFinder {
    store: Arc<Store>,
    ingest: Ingest,
    sources: Arc<PriceSources>,
    backups: Option<BackupSettings>,
    started: Timestamp,
    /// When history was last read, and its state then.
    read: Option<(Timestamp, Vec<HistoryMark>)>,
    imported: ImportedSensors,
    guard: PeakGuard,
    is_stopping: Arc<AtomicBool>,
}

/// A mark of an account's history: when it changes, history is read again at once.
#[derive(PartialEq, Eq)]
struct HistoryMark {
    account: AccountName,
    today: Option<Timestamp>,
    /// The number of corrections, and of those in effect.
    corrections: (usize, usize),
}

type Changes = Vec<(NoticeKey, NoticeChange)>;

impl NoticeFinder {
    /// A finder that begins at `started`. `backups` is `None` if scheduled backups are off.
    pub(super) fn new(
        (store, ingest, sources): (Arc<Store>, Ingest, Arc<PriceSources>),
        backups: Option<BackupSettings>,
        started: Timestamp,
        is_stopping: Arc<AtomicBool>,
    ) -> Self {
        Self {
            store,
            ingest,
            sources,
            backups,
            started,
            read: None,
            imported: ImportedSensors::default(),
            guard: PeakGuard::default(),
            is_stopping,
        }
    }

    /// Examines everything that is due at `now`. `newest_arrival` was read before `now`, so that an
    /// upload in between is not taken for a sign of a wrong clock. May block on disk reads.
    pub(super) fn look(
        &mut self,
        newest_arrival: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let registry = self.store.registry();
        let marks: Vec<HistoryMark> = registry
            .accounts()
            .map(|account| HistoryMark::of(&registry, account, now))
            .collect();
        let is_due = self.read.as_ref().is_none_or(|(read, before)| {
            let age_ms = now.millis() - read.millis();
            // The clock may have been set back.
            !(0..HISTORY_EVERY_MS).contains(&age_ms) || *before != marks
        });
        // A failed read of one sensor or account does not affect the others; it is tried again in
        // an hour, not every minute.
        if is_due {
            self.read = Some((now, marks));
            for account in registry.accounts() {
                for sensor in sensors_of(&registry, &account.name) {
                    if self.is_stopping() {
                        return Ok(());
                    }
                    if let Err(error) = learn_spacing(&self.store, sensor) {
                        unreadable(account, &error);
                    }
                }
            }
        }
        let mut changes = self.of_service(&registry, newest_arrival, now)?;
        // In one call, because PostgreSQL would otherwise be asked for each sensor.
        let ids: Vec<&SensorId> = registry.sensors().map(|sensor| &sensor.id).collect();
        let known = ids.iter().copied().zip(self.store.activities(&ids)?);
        let arrivals = known.filter_map(|(id, known)| Some((id, known?.arrivals?)));
        let arrivals: BTreeMap<&SensorId, Arrivals> = arrivals.collect();
        self.learn_imported(&registry, &arrivals, is_due);
        for account in registry.accounts() {
            changes.extend(self.silent(&registry, account, &arrivals, now));
            changes.extend(self.remarked(&registry, account, now));
        }
        self.keep(changes)?;
        // First, because minutes count.
        for account in registry.accounts() {
            match self.peaks_ahead(&registry, account, now) {
                Ok(changes) => self.keep(changes)?,
                Err(error) if is_due => unreadable(account, &error),
                Err(_) => {}
            }
        }
        for account in registry.accounts() {
            match self.unpriced(&registry, account, now) {
                Ok(changes) => self.keep(changes)?,
                Err(error) if is_due => unreadable(account, &error),
                Err(_) => {}
            }
            if is_due && let Err(error) = self.read_history(account, now) {
                unreadable(account, &error);
            }
        }
        Ok(())
    }

    /// Notes, at each tick of the thread, whether an import goes on.
    pub(super) fn watch_imports(&mut self) {
        self.imported.watch(self.store.history_edits());
    }

    /// Learns when imported readings end, after imports and now and then.
    fn learn_imported(
        &mut self,
        registry: &Registry,
        arrivals: &BTreeMap<&SensorId, Arrivals>,
        is_due: bool,
    ) {
        if !self.imported.begin(self.store.history_edits(), is_due) {
            return;
        }
        self.imported.retain(registry);
        for account in registry.accounts() {
            for sensor in sensors_of(registry, &account.name) {
                if self.is_stopping() {
                    return;
                }
                let arrivals = arrivals.get(&sensor.id);
                if arrivals.is_some_and(|it| it.spacing_ms().is_some()) {
                    self.imported.forget(&sensor.id);
                } else if let Err(error) = self.imported.learn(&self.store, sensor) {
                    unreadable(account, &error);
                }
            }
        }
    }

    fn of_service(
        &self,
        registry: &Registry,
        newest_arrival: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Changes, StoreError> {
        use NoticeKind::{BackupOverdue, DiskNearlyFull, StoreDamaged, WrongClock};
        let kept = KeptNotices::of(registry, None);
        let open_since = |kind| kept.open_since(kind, &NoticeSubject::Service);
        let disk = self.store.disk_use()?;
        let full = disk
            .free
            .and_then(|free| disk_nearly_full(disk.bytes, free, now, open_since(DiskNearlyFull)));
        let clock =
            newest_arrival.and_then(|newest| wrong_clock(newest, now, open_since(WrongClock)));
        let damage = store_damaged(&self.store.damage(), now, open_since(StoreDamaged));
        let mut found: Vec<Notice> = full.into_iter().chain(clock).chain(damage).collect();
        let mut is_backup_judged = true;
        if let Some(settings) = &self.backups {
            match backups::newest(settings, now) {
                Ok(newest) => {
                    let taken = newest.map(|backup| backup.taken);
                    found.extend(backup_overdue(taken, settings.every, self.started, now));
                }
                // The status page reports it. The age of the backups is unknown.
                Err(_) => is_backup_judged = false,
            }
        }
        let is_judged = |notice: &Notice| notice.kind != BackupOverdue || is_backup_judged;
        Ok(kept.changes(found, is_judged, now))
    }

    /// Finds silent sensors; notices about sensors that are no longer examined end.
    fn silent(
        &self,
        registry: &Registry,
        account: &Account,
        arrivals: &BTreeMap<&SensorId, Arrivals>,
        now: Timestamp,
    ) -> Changes {
        let kept = KeptNotices::of(registry, Some(&account.name));
        let mut found = Vec::new();
        for sensor in sensors_of(registry, &account.name) {
            let arrivals = arrivals.get(&sensor.id).copied();
            let Some((limit, last)) = silence_limit_of(&self.store, sensor, arrivals) else {
                continue;
            };
            let subject = NoticeSubject::Sensor(sensor.id.clone());
            let open_since = kept.open_since(NoticeKind::SensorSilent, &subject);
            found.extend(sensor_silent(&sensor.id, limit, last, now, open_since));
        }
        let imported = self.imported.silent(registry, account, (&kept, now));
        let is_new = |notice: &Notice| found.iter().all(|it| it.subject != notice.subject);
        let imported: Vec<Notice> = imported.into_iter().filter(is_new).collect();
        found.extend(imported);
        let is_looked_at = |notice: &Notice| {
            let id = notice.sensor();
            id.is_none_or(|id| registry.authorized_sensor(&account.name, id).is_some())
        };
        let is_judged =
            |notice: &Notice| notice.kind == NoticeKind::SensorSilent || !is_looked_at(notice);
        kept.changes(found, is_judged, now)
    }

    /// Oddities of uploads for the sensors of an account.
    fn remarked(&self, registry: &Registry, account: &Account, now: Timestamp) -> Changes {
        let kept = KeptNotices::of(registry, Some(&account.name));
        // A sensor may have been removed since, and another may have its id.
        let is_its = |notice: &Notice, newest| {
            let sensor = notice.sensor();
            let sensor = sensor.and_then(|id| registry.authorized_sensor(&account.name, id));
            sensor.is_some_and(|sensor| sensor.created <= newest)
        };
        let found: Vec<Notice> = self
            .ingest
            .remarks(now)
            .into_iter()
            .filter(|remark| is_its(&remark.notice, remark.newest))
            .map(|remark| remark.notice)
            .collect();
        // After a start, the time of the last such upload is unknown for a while.
        let knows = now.millis().abs_diff(self.started.millis()) >= REMARK_LASTS_MS.unsigned_abs();
        let is_judged = |notice: &Notice| is_of_uploads(notice.kind) && knows;
        kept.changes(found, is_judged, now)
    }

    /// Finds missing prices, and sources that are late or differ from stored prices.
    fn unpriced(
        &self,
        registry: &Registry,
        account: &Account,
        now: Timestamp,
    ) -> Result<Changes, StoreError> {
        let kept = KeptNotices::of(registry, Some(&account.name));
        let mut found = missing_prices(&self.store, registry, account, &kept, now)?;
        let of = (&*self.store, &*self.sources);
        found.extend(source_notices(of, registry, account, &kept, now)?);
        let is_judged =
            |notice: &Notice| notice.kind == NoticeKind::PricesMissing || is_of_source(notice.kind);
        Ok(kept.changes(found, is_judged, now))
    }

    /// A new peak ahead, where a contract prices the demand.
    fn peaks_ahead(
        &self,
        registry: &Registry,
        account: &Account,
        now: Timestamp,
    ) -> Result<Changes, StoreError> {
        let kept = KeptNotices::of(registry, Some(&account.name));
        let found = new_peaks(&self.store, account, (&self.guard, &kept), now)?;
        Ok(kept.changes(found, |notice| notice.kind == NoticeKind::PeakAhead, now))
    }

    /// Whether a house can feed in at night: by a battery, or by a plant without panels.
    fn feeds_at_night(
        &self,
        account: &Account,
        house: &HouseSensors,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let days = AccountDays::new(account.zone.clone(), now);
        for it in &house.sensors {
            let role = it.sensor.role;
            if is_battery(role) || role == Role::Solar && flows_at_night(&self.store, it, &days)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Examines the history of an account, one sensor after another.
    fn read_history(&self, account: &Account, now: Timestamp) -> Result<(), StoreError> {
        let house = HouseSensors::of(&self.store, &account.name, now)?;
        let feeds_at_night = self.feeds_at_night(account, &house, now)?;
        let mut is_unit_wrong = false;
        for it in house.sensors.iter().filter(|it| it.sensor.authorized) {
            if self.is_stopping() {
                return Ok(());
            }
            let registry = self.store.registry();
            let kept = KeptNotices::of(&registry, Some(&account.name));
            let (zone, kept) = (&account.zone, &kept);
            let looked_at = LookedAt {
                store: &self.store,
                it,
                kept,
                zone,
                feeds_at_night,
            };
            let found = looked_at.notices(now)?;
            is_unit_wrong |= found.iter().any(|it| is_of_unit(it.kind));
            let is_judged = |notice: &Notice| {
                notice.sensor() == Some(&it.sensor.id)
                    && notice.kind != NoticeKind::SensorSilent
                    && !is_of_uploads(notice.kind)
                    && !is_of_house(notice.kind)
            };
            self.keep(kept.changes(found, is_judged, now))?;
        }
        let registry = self.store.registry();
        let kept = KeptNotices::of(&registry, Some(&account.name));
        // Sensors with a wrong unit contradict all others.
        let found = if is_unit_wrong {
            Vec::new()
        } else {
            mistakes(&self.store, account, (&house, feeds_at_night), &kept, now)?
        };
        self.keep(kept.changes(found, |notice| is_of_house(notice.kind), now))?;
        let usage = unusual_usage(&self.store, account, &house, &kept, now)?;
        let is_judged = |notice: &Notice| match notice.kind {
            NoticeKind::UnusualDay => usage.is_day_judged,
            kind => kind == NoticeKind::BaseLoadRose,
        };
        self.keep(kept.changes(usage.notices.clone(), is_judged, now))
    }

    fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    fn keep(&self, changes: Changes) -> Result<(), StoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        self.store.edit(move |edit| edit.change_notices(changes))
    }
}

fn unreadable(account: &Account, error: &StoreError) {
    log::warn!(
        "cannot look for some notices of account {}: {error}",
        account.name
    );
}

impl HistoryMark {
    fn of(registry: &Registry, account: &Account, now: Timestamp) -> Self {
        let corrections = registry.corrections(&account.name);
        let in_effect =
            |all: &Corrections| all.iter().filter(|one| one.revoked().is_none()).count();
        Self {
            account: account.name.clone(),
            today: AccountDays::new(account.zone.clone(), now).start(0),
            corrections: corrections.map_or((0, 0), |all| (all.count(), in_effect(all))),
        }
    }
}

/// Whether a notice of this kind is about a wrong unit.
const fn is_of_unit(kind: NoticeKind) -> bool {
    matches!(kind, NoticeKind::RegisterInKwh | NoticeKind::PowerInKw)
}

/// Whether a notice of this kind is about oddities of uploads.
const fn is_of_uploads(kind: NoticeKind) -> bool {
    matches!(kind, NoticeKind::SensorClock | NoticeKind::UnknownField)
}

const fn is_battery(role: Role) -> bool {
    matches!(
        role,
        Role::Battery | Role::BatteryCharge | Role::BatteryDischarge
    )
}
