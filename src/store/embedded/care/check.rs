//! Reads everything to find damage.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::locks::read;
use crate::store::backend::findings::{Findings, StoreProblem, check_block};
use crate::store::blocks::source::BlockSource as _;
use crate::store::blocks::summary_record;
use crate::store::embedded::facts::{self, FactMap};
use crate::store::embedded::index::IndexEntry;
use crate::store::embedded::log::{LogItem, load};
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;
use crate::store::read::{count_readings, power_at};
use crate::store::records::{Order, RecordKind, RecordsView as _, keys};
use crate::store::registry::Registry;
use crate::store::rows::Activity;

/// The number of attempts to read data that changes while it is read.
const TRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(5);
/// How long a sync may take, as on a busy card.
const SYNCED_WITHIN: Duration = Duration::from_secs(10);

/// A part of a check.
type CheckPart = fn(&Shared, &mut Findings) -> Result<(), StoreError>;

impl Shared {
    /// Reads everything and lists the problems: in blocks, summaries, hot rows, activities and the
    /// registry. Changes may go on meanwhile. Blocks until done.
    pub(crate) fn check(&self) -> Findings {
        let mut findings = Findings::default();
        for lost in self.facts.damage() {
            findings.add(lost);
        }
        // Each part by itself, so that an unreadable one does not hide the problems of the others.
        let parts: [(&str, CheckPart); 7] = [
            ("blocks", Shared::check_blocks),
            ("index", Shared::check_index),
            ("hot rows", Shared::check_hot_rows),
            ("activity", Shared::check_activity),
            ("registry", Shared::check_registry),
            ("prices", Shared::check_prices),
            ("files", Shared::check_files),
        ];
        for (name, part) in parts {
            if let Err(error) = part(self, &mut findings) {
                let why = error.damage();
                findings.add(format!("the {name} cannot be read to the end: {why}"));
            }
        }
        // Changes may have gone on: rows that were sealed after the blocks were read, but before
        // the hot rows were, are not counted yet. Without damage, the summaries can be counted
        // together with the rows, at one moment for each sensor.
        if findings.is_clean() {
            let registry = Arc::clone(&read(&self.registry));
            let counts = registry.sensors();
            let counts = counts.map(|it| count_readings(&self.unswapped(&it.id), TimeRange::ALL));
            match counts.sum() {
                Ok(count) => findings.readings = count,
                Err(error) => findings.add(StoreError::damage(&error)),
            }
        }
        findings
    }

    /// Checks that every block is valid, not too long, has the right summary, follows the one
    /// before, and belongs to a known sensor.
    fn check_blocks(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let sealed = &self.sealed;
        let mut after = Bound::Unbounded;
        loop {
            // The guard keeps the block from being replaced between reading it and the block
            // before.
            let guard = read(&self.swap);
            // Looked up again each time: the guard is released between blocks.
            let range = (after, Bound::Unbounded);
            let Some((key, entry)) = sealed.index.range(range, Order::Ascending, 1)?.pop() else {
                return Ok(());
            };
            after = Bound::Excluded(key.clone());
            let bytes = sealed.bytes_at(&key, &entry);
            let place = keys::parse(&key);
            let before = match &place {
                Ok((sensor, first)) if *first > Timestamp::MIN => sealed
                    .of(sensor)
                    .at_or_before(first.saturating_add_millis(-1))
                    // If the summary before is invalid, the check of its own block reports it.
                    .unwrap_or_default(),
                _ => None,
            };
            drop(guard);
            match place {
                Ok((sensor, first)) => {
                    let summary = entry.placed.as_ref();
                    let summary = summary.and_then(|it| summary_record::decode(&it.summary));
                    if self.is_orphan(&sensor, &key)? {
                        let last = summary.map_or(first, |summary| summary.last);
                        let what = "a block of a sensor that is not registered";
                        findings.add_of(&sensor, TimeRange::new(first, last), what);
                    }
                    check_block(
                        &sensor,
                        first,
                        bytes,
                        summary.as_ref(),
                        before.as_ref(),
                        findings,
                    );
                }
                Err(error) => findings.add(error.damage()),
            }
        }
    }

    /// Checks that the index equals the one that a start would build from the log.
    fn check_index(&self, findings: &mut Findings) -> Result<(), StoreError> {
        // Both change under this guard.
        let _unswapped = read(&self.swap);
        let applied = self.log_applied.load(Ordering::Acquire);
        let log = load::load_up_to(&self.dir, self.sealed.mark, applied)?;
        let mut expected = BTreeMap::<Vec<u8>, IndexEntry>::new();
        let lost = log.read(&self.dir, self.sealed.mark, |_, item| {
            match item {
                LogItem::Rows(_) => {}
                LogItem::Put(block) => drop(expected.insert(block.key.clone(), block.into())),
                LogItem::Removed(key) => drop(expected.remove(&key)),
            }
            Ok(())
        })?;
        for lost in log.lost.iter().chain(&lost) {
            findings.add(lost.text());
        }
        let mut wrong = |key: &[u8], what: &str| {
            let place = keys::parse(key);
            findings.list(StoreProblem {
                what: what.into(),
                range: place.as_ref().ok().map(|(_, first)| TimeRange::at(*first)),
                sensor: place.ok().map(|(sensor, _)| sensor),
            });
        };
        self.sealed.index.each(|key, entry| {
            let of_log = expected.remove(&key);
            if of_log.as_ref() != Some(&entry) {
                let of_log = of_log.map(|it| (it.number, it.placed.map(|placed| placed.location)));
                let of_index = (entry.number, entry.placed.map(|placed| placed.location));
                let what = "the index and the log differ about a block";
                wrong(&key, &format!("{what}: {of_index:?}, not {of_log:?}"));
            }
            Ok(())
        })?;
        for key in expected.keys() {
            wrong(key, "a block of the log is missing in the index");
        }
        Ok(())
    }

    /// Checks that every activity has the sensor's newest power. The hot rows are checked together
    /// with the log, which also contains the activities.
    fn check_activity(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let registry = Arc::clone(&read(&self.registry));
        for sensor in registry.sensors().map(|sensor| &sensor.id) {
            // Check memory last: by then a sensor that is being removed has no readings and no
            // entry.
            if !self.is_newest_power_known(sensor)? && self.is_registered(sensor) {
                let what = "the newest power differs from the newest one stored";
                findings.add_of(sensor, None, what);
            }
        }
        Ok(())
    }

    /// Whether the power in memory is the newest stored one. Retries, because an upload may come
    /// between reading the two.
    fn is_newest_power_known(&self, sensor: &SensorId) -> Result<bool, StoreError> {
        let mut first = None;
        for _ in 0..TRIES {
            // From memory, not from the log: memory is updated with each upload, the log only when
            // the journal lands.
            let known = self.hot.held().activity(sensor);
            let known: Activity = known.unwrap_or_default();
            if known.newest_power == power_at(&self.unswapped(sensor), Timestamp::MAX)? {
                return Ok(true);
            }
            first.get_or_insert(known);
            thread::sleep(PAUSE);
        }
        // If it keeps changing, it is being updated.
        Ok(first != self.hot.held().activity(sensor))
    }

    /// Checks that every account named by a record exists.
    fn check_registry(&self, findings: &mut Findings) -> Result<(), StoreError> {
        // From the facts, because the registry in memory may differ from them. The guard keeps
        // changes out while they are read.
        let loaded = {
            let _unswapped = read(&self.swap);
            Registry::load(&self.facts)
        };
        let (registry, _) = loaded?;
        let is_unknown = |account| registry.account(account).is_none();
        for credential in registry.credentials() {
            if is_unknown(&credential.account) {
                let id = &credential.api_id;
                findings.add(format!("credential {id} belongs to an unknown account"));
            }
        }
        for person in registry.people() {
            for account in person.accounts.keys().filter(|account| is_unknown(account)) {
                let name = &person.name;
                findings.add(format!("person {name} has an unknown account {account}"));
            }
        }
        for tablet in registry.tablets() {
            if is_unknown(&tablet.account) {
                let name = &tablet.name;
                findings.add(format!("wall tablet {name} has an unknown account"));
            }
        }
        for sensor in registry.sensors() {
            if is_unknown(&sensor.account) {
                findings.add_of(&sensor.id, None, "the sensor belongs to an unknown account");
            }
        }
        let owners = [
            ("contracts", registry.contracts.keys().collect::<Vec<_>>()),
            ("price series", registry.series.keys().collect()),
            ("day lists", registry.days.keys().collect()),
        ];
        let entries = registry.entries.iter();
        let entries = entries.map(|(kind, all)| (kind.many(), all.owners().collect()));
        for (what, accounts) in owners.into_iter().chain(entries) {
            for account in accounts.into_iter().filter(|account| is_unknown(account)) {
                findings.add(format!("{what} belong to an unknown account {account}"));
            }
        }
        for (account, all) in &registry.corrections {
            let is_its = |id| registry.sensor(id).is_some_and(|it| it.account == *account);
            for one in all.iter().filter(|one| !is_its(one.sensor())) {
                let (number, id) = (one.number(), one.sensor());
                findings.add(format!(
                    "correction {number} of account {account} is about {id}, which is no sensor of the account"
                ));
            }
        }
        for (key, known) in registry.notices() {
            let id = &key.id;
            let account = key.account.as_ref();
            let of_sensor = known.notice.sensor();
            if account.is_some_and(is_unknown) {
                findings.add(format!("notice {id} belongs to an unknown account"));
            } else if of_sensor
                .is_some_and(|it| registry.sensor(it).map(|sensor| &sensor.account) != account)
            {
                findings.add(format!("notice {id} is about a sensor of another account"));
            }
        }
        Ok(())
    }

    /// Checks that both files of facts equal the facts in memory. Retries, because a change appears
    /// in memory only after the sync of the files.
    fn check_files(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let begun = Instant::now();
        let mut problems = self.problems_of_facts()?;
        while !problems.is_empty() && begun.elapsed() < SYNCED_WITHIN {
            thread::sleep(PAUSE);
            problems = self.problems_of_facts()?;
        }
        for problem in problems {
            findings.add(problem);
        }
        Ok(())
    }

    fn problems_of_facts(&self) -> Result<Vec<String>, StoreError> {
        let before = self.facts.read(FactMap::clone);
        let Some(loaded) = facts::load::load(&self.dir)? else {
            return Ok(vec!["both files of facts are missing or empty".into()]);
        };
        let mended = loaded.mended.iter();
        let mut problems: Vec<String> = mended
            .map(|mended| format!("{mended}: the next start repairs it from its copy"))
            .collect();
        let is_known = before == loaded.facts || self.facts.read(|now| *now == loaded.facts);
        if !is_known {
            let mut facts = before.iter().chain(loaded.facts.iter());
            let other = facts.find(|(key, _)| before.value(key) != loaded.facts.value(key));
            let (kind, key) = other.map(|(key, _)| key).cloned().unwrap_or_default();
            problems.push(format!(
                "the files of facts differ from memory, for example in {kind}:{}",
                key.escape_ascii()
            ));
        }
        Ok(problems)
    }

    /// Whether a block belongs to a sensor without a record. A removal marks the record, deletes
    /// everything else, and then the record. So a removal under way, to be finished by the next
    /// start maybe, is no damage.
    fn is_orphan(&self, sensor: &SensorId, key: &[u8]) -> Result<bool, StoreError> {
        let has_record = self.has_record(sensor);
        // Looked up after the record: a removal that finished meanwhile deleted the block first.
        let entry = self.sealed.index.get(key)?;
        Ok(!has_record && entry.is_some_and(|entry| entry.placed.is_some()))
    }

    pub(super) fn has_record(&self, sensor: &SensorId) -> bool {
        let key = sensor.as_str().as_bytes();
        // Memory does not fail.
        self.facts
            .get(RecordKind::Sensors, key)
            .is_ok_and(|it| it.is_some())
    }

    fn is_registered(&self, sensor: &SensorId) -> bool {
        read(&self.registry).sensor(sensor).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::domain::{
        Account, AccountName, ApiId, ApiKey, Credential, MicroWh, Reading, Scope, Sensor,
    };
    use crate::ledger::contract::{ContractChange, FlatContract, FlatTerms};
    use crate::locks::write;
    use crate::store::blocks::{Summary, seal};
    use crate::store::embedded::blocks::volumes;
    use crate::store::embedded::index::PlacedBlock;
    use crate::store::embedded::rows::RowGroup;
    use crate::store::handle::Store;
    use crate::store::records::Order as BlockOrder;
    use crate::store::tests::{NOW, at, house, open_registered, open_with, reading, upload};

    /// A store of several blocks and some hot rows.
    fn filled(dir: &std::path::Path) -> Store {
        let store = open_registered(dir, 16);
        store
            .import_durably(&house(), (0..100).map(|n| reading(n * 10, 5.0)).collect())
            .unwrap();
        store
            .append_durably_blocking(upload(&[Some(55), Some(60), Some(5_000)]), at(NOW))
            .unwrap();
        store
    }

    fn first_of_second_block(store: &Store) -> Timestamp {
        let (sealed, sensor) = (&store.shared().sealed, house());
        let summaries = sealed
            .of(&sensor)
            .summaries(TimeRange::ALL, BlockOrder::Ascending, 2);
        summaries.unwrap()[1].first
    }

    #[test]
    fn a_good_store_is_clean_and_counted() {
        let dir = tempfile::tempdir().unwrap();
        let store = filled(dir.path());
        let findings = store.check();
        assert_eq!(findings.problems, []);
        assert!(findings.is_clean());
        // 55 and 5,000 are new, 60 covers a sealed reading.
        assert_eq!((findings.readings, findings.blocks), (102, 7));
    }

    /// Checks that `named` is reported after `damage`, which gets the first time of a block.
    fn assert_named(named: &str, damage: impl Fn(&Store, Timestamp)) {
        let dir = tempfile::tempdir().unwrap();
        let store = filled(dir.path());
        // Nothing is only in memory then.
        store.close().unwrap();
        damage(&store, first_of_second_block(&store));
        let problems = store.check().problems;
        assert!(
            problems.iter().any(|problem| problem.what.contains(named)),
            "{named}: {problems:?}"
        );
    }

    /// The entry of the block that begins at `time`.
    fn entry_at(store: &Store, time: Timestamp) -> IndexEntry {
        let entry = store.shared().sealed.index.get(&keys::key(&house(), time));
        entry.unwrap().unwrap()
    }

    /// Puts a block into the index.
    fn put_entry(store: &Store, time: Timestamp, entry: IndexEntry) {
        let changes = [(keys::key(&house(), time), Some(entry))];
        store
            .shared()
            .sealed
            .index
            .change(changes.into_iter())
            .unwrap();
    }

    /// Puts a block into a volume of its own, and into the index.
    fn put_block(store: &Store, time: Timestamp, bytes: &[u8], summary: &Summary) {
        let (sealed, key) = (&store.shared().sealed, keys::key(&house(), time));
        let location = volumes::tests::put(&sealed.volumes, &key, bytes, sealed.mark);
        let placed = Some(PlacedBlock {
            location,
            summary: summary_record::encode(summary).unwrap(),
        });
        let number = volumes::tests::NUMBER;
        put_entry(store, time, IndexEntry { number, placed });
    }

    /// Changes a byte of a block in its file.
    fn flip_byte(store: &Store, time: Timestamp) {
        let location = entry_at(store, time).placed.unwrap().location;
        let path = store.shared().sealed.volumes.path(location.volume);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[usize::try_from(location.end()).unwrap() - 1] ^= 1;
        std::fs::write(path, bytes).unwrap();
    }

    fn summary_at(store: &Store, time: Timestamp) -> Summary {
        let (sealed, sensor) = (&store.shared().sealed, house());
        let summary = sealed.of(&sensor).at_or_before(time).unwrap();
        summary.unwrap()
    }

    fn put_summary(store: &Store, time: Timestamp, summary: &Summary) {
        let mut entry = entry_at(store, time);
        let placed = entry.placed.as_mut().unwrap();
        placed.summary = summary_record::encode(summary).unwrap();
        put_entry(store, time, entry);
    }

    /// The bytes of the block that begins at `time`.
    fn bytes_at(store: &Store, time: Timestamp) -> Vec<u8> {
        store.shared().sealed.of(&house()).bytes(time).unwrap()
    }

    #[test]
    fn each_damage_to_blocks_is_named() {
        assert_named("checksum", |store, first| {
            let (mut bytes, summary) = (bytes_at(store, first), summary_at(store, first));
            bytes[20] ^= 1;
            put_block(store, first, &bytes, &summary);
        });
        assert_named("the record of another block", |store, first| {
            let entry = entry_at(store, at(0));
            put_entry(store, first, entry);
        });
        assert_named("00000001 at 0: the file is missing", |store, _| {
            let volumes = &store.shared().sealed.volumes;
            volumes.close(1);
            std::fs::remove_file(volumes.path(1)).unwrap();
        });
        assert_named("00000001 at ", flip_byte);
        assert_named(
            "a block of the log is missing in the index",
            |store, first| {
                let key = keys::key(&house(), first);
                store.shared().sealed.index.forget(&key);
            },
        );
        assert_named(
            "the index and the log differ about a block",
            |store, first| {
                let (bytes, summary) = (bytes_at(store, first), summary_at(store, first));
                put_block(store, first, &bytes, &summary);
            },
        );
        assert_named("contradicts its block", |store, first| {
            let count = 3;
            let summary = summary_at(store, first);
            put_summary(store, first, &Summary { count, ..summary });
        });
        assert_named("contradicts its block", |store, first| {
            let mut summary = summary_at(store, first);
            let exported = &mut summary.registers.as_mut().unwrap().flow.exported;
            *exported = *exported + MicroWh::new(1);
            put_summary(store, first, &summary);
        });
        assert_named("a block of a sensor that is not registered", |store, _| {
            forget_sensor(store);
        });
        assert_named("overlaps the one before", |store, first| {
            let [pack] = &seal::pack(&[reading(first.millis() + 5, 1.0)], 16).unwrap()[..] else {
                panic!("one reading is one block");
            };
            put_block(store, pack.summary.first, &pack.bytes, &pack.summary);
        });
        assert_named("the time in its key", |store, first| {
            let (bytes, summary) = (bytes_at(store, first), summary_at(store, first));
            put_block(store, at(1), &bytes, &summary);
        });
    }

    /// Removes the record of the house from memory, as if a part of the facts were lost.
    fn forget_sensor(store: &Store) {
        let mut changes = facts::FactChanges::default();
        let kind = facts::change::kind_of(RecordKind::Sensors);
        changes.remove(kind, "house");
        store.shared().facts.apply(&changes);
    }

    /// A row covers the block: a start checks whether the block contains the row already.
    #[test]
    fn an_unreadable_block_under_a_row_keeps_no_store_from_opening() {
        let dir = tempfile::tempdir().unwrap();
        let store = filled(dir.path());
        store.close().unwrap();
        flip_byte(&store, at(0));
        drop(store);
        let store = open_with(dir.path(), 16);
        assert_eq!(store.shared().hot.held().count_sealable(&house()), 3);
        let problems = store.check().problems;
        let named = |problem: &StoreProblem| problem.what.contains("00000001 at ");
        assert!(problems.iter().any(named), "{problems:?}");
    }

    #[test]
    fn each_damage_to_rows_is_named() {
        let named = |named: &str, damage: &dyn Fn(&Store)| {
            let dir = tempfile::tempdir().unwrap();
            let store = filled(dir.path());
            // This waits until nothing is young.
            store
                .forget_arrivals_after_durably_blocking(at(NOW))
                .unwrap();
            damage(&store);
            let problems = store.check().problems;
            let is_named = problems.iter().any(|problem| problem.what.contains(named));
            assert!(is_named, "{named}: {problems:?}");
        };
        let append = |store: &Store, sensor, rows: Vec<Reading>| {
            store.append_group(RowGroup {
                sensor,
                replaced: None,
                activity: None,
                rows: rows.into(),
            });
        };
        named("hot rows of a sensor that is not registered", &|store| {
            let stranger = SensorId::new("stranger").unwrap();
            append(store, stranger, vec![reading(1, 1.0)]);
        });
        named("readings of any sensor may be missing", &|store| {
            let path = store.shared().dir.join("log/00000001");
            let mut bytes = std::fs::read(&path).unwrap();
            let last = bytes.iter().rposition(|byte| *byte != 0).unwrap();
            append(store, house(), vec![reading(5_000, 1.0)]);
            bytes[last] ^= 1;
            let mut now = std::fs::read(&path).unwrap();
            now[last] = bytes[last];
            std::fs::write(path, now).unwrap();
        });
        named("in the log differs from memory", &|store| {
            append(store, house(), vec![reading(5_000, 7.0)]);
        });
        // It is in a block, but with other measures.
        named("in the log differs from memory", &|store| {
            let first = first_of_second_block(store).millis();
            append(store, house(), vec![reading(first, 7.0)]);
        });
        named("missing in the log", &|store| {
            let mut hot = store.shared().hot.change();
            let place = hot.place(&house());
            hot.change_settled(place, None, &[reading(9_000, 7.0)]);
        });
        named("activity of a sensor that is not registered", &|store| {
            store.append_group(RowGroup {
                sensor: SensorId::new("stranger").unwrap(),
                replaced: Some(TimeRange::ALL),
                activity: Some(Activity::default()),
                rows: Cow::default(),
            });
        });
        named("differs from the newest one stored", &|store| {
            drop_settled(store);
        });
    }

    /// Drops the settled rows of the house from memory.
    fn drop_settled(store: &Store) {
        let mut hot = store.shared().hot.change();
        let place = hot.place(&house());
        hot.change_settled(place, Some(TimeRange::ALL), &[]);
    }

    /// A removal that failed half way leaves the marked record of the sensor, and some of its
    /// readings.
    #[test]
    fn a_removal_under_way_is_no_damage() {
        let dir = tempfile::tempdir().unwrap();
        let store = filled(dir.path());
        let mut registry = Registry::clone(&store.registry());
        drop(std::mem::take(&mut registry.sensors));
        *write(&store.shared().registry) = Arc::new(registry);
        store.append_group(RowGroup {
            sensor: house(),
            replaced: Some(TimeRange::ALL),
            activity: None,
            rows: Cow::default(),
        });
        drop_settled(&store);
        assert_eq!(store.check().problems, []);
    }

    /// Each change of the sensor's history waits until earlier uploads have landed, as many rows as
    /// are sealed.
    #[test]
    fn changes_beside_a_check_are_no_damage() {
        const ROUNDS: i64 = 40;
        const UPLOADED: i64 = 512;
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 16);
        let sensor = store.registry().sensor(&house()).cloned().unwrap();
        let other = SensorId::new("other").unwrap();
        let stored = AtomicU64::new(0);
        thread::scope(|scope| {
            let changes = scope.spawn(|| {
                for round in 0..ROUNDS {
                    let id = other.clone();
                    let sensor = sensor.clone();
                    store.put_sensor_durably(Sensor { id, ..sensor }).unwrap();
                    let rows = (0..100).map(|n| reading((100 * round + n) * 10, 5.0));
                    let rows: Vec<_> = rows.collect();
                    store.import_durably(&other, rows.clone()).unwrap();
                    let newest = UPLOADED * round..UPLOADED * (round + 1);
                    let newest: Vec<_> = newest.map(|n| Some(1_000_000 + n)).collect();
                    let uploaded = store.append_durably_blocking(upload(&newest), at(NOW));
                    uploaded.unwrap();
                    stored.fetch_add(UPLOADED.unsigned_abs(), Ordering::SeqCst);
                    store.import_durably(&house(), rows).unwrap();
                    stored.fetch_add(100, Ordering::SeqCst);
                    store.remove_sensor_durably(&other).unwrap();
                }
            });
            while !changes.is_finished() {
                let least = stored.load(Ordering::SeqCst);
                let findings = store.check();
                assert_eq!(findings.problems, []);
                assert!(findings.readings >= least, "{findings:?} {least}");
            }
        });
        let all = ROUNDS * (100 + UPLOADED);
        assert_eq!(store.check().readings, all.unsigned_abs());
        // Most of the uploaded rows were sealed meanwhile.
        let left = store.shared().hot.held().count_all_sealable() as u64;
        assert!(2 * left < all.unsigned_abs(), "{left} of {all}");
    }

    /// The newest block has space, so the next rows would be put into it.
    #[test]
    fn an_unreadable_newest_block_does_not_end_sealing() {
        const ROWS: i64 = 20_000;
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 512);
        let few = (0..20).map(|n| reading(n * 10, 5.0));
        store.import_durably(&house(), few.collect()).unwrap();
        flip_byte(&store, at(0));
        // Devices repeat their last reading: one row covers it, too.
        let times: Vec<Option<i64>> = (0..ROWS).map(|n| Some(185 + n * 10)).collect();
        for times in times.chunks(500) {
            store
                .append_durably_blocking(upload(times), at(NOW))
                .unwrap();
        }
        store.close().unwrap();
        let left = store.shared().hot.held().count_sealable(&house());
        assert!(left < 2 * 512, "{left} of {ROWS} rows are not sealed");
    }

    /// Many credentials make the time between reading the accounts and reading their contracts
    /// longer.
    #[test]
    fn changes_of_the_registry_beside_a_check_are_no_damage() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 16);
        let home = AccountName::new("home").unwrap();
        let credential = |n: i64| Credential {
            api_id: ApiId::new(&n.to_string()).unwrap(),
            account: home.clone(),
            scope: Scope::Full,
            label: String::new(),
            key_hash: ApiKey::new("key").unwrap().hash(),
            created: at(0),
        };
        let many: Vec<Credential> = (0..2_000).map(credential).collect();
        let put = store.edit(move |edit| {
            let mut many = many.into_iter();
            many.try_for_each(|credential| edit.put_credential(credential))
        });
        put.unwrap();
        let other = AccountName::new("other").unwrap();
        let account = store.registry().account(&home).cloned().unwrap();
        let come_and_go = |_| {
            let name = other.clone();
            let account = Account {
                name: name.clone(),
                ..account.clone()
            };
            let terms = FlatTerms {
                price: "0.5",
                currency: "€",
                ..FlatTerms::default()
            };
            let contract = FlatContract::new(terms).unwrap().contract();
            let change = ContractChange::Put(Box::new(contract));
            let added = store.edit(move |edit| {
                edit.put_account(account)?;
                edit.change_contracts(&name, change)
            });
            added.unwrap();
            store
                .edit({
                    let other = other.clone();
                    move |edit| edit.remove_account(&other)
                })
                .unwrap();
        };
        thread::scope(|scope| {
            let changes = scope.spawn(|| (0..100).for_each(come_and_go));
            while !changes.is_finished() {
                assert_eq!(store.check().problems, []);
            }
        });
    }

    #[test]
    fn a_damaged_block_is_reported_with_its_sensor_and_range() {
        let dir = tempfile::tempdir().unwrap();
        let store = filled(dir.path());
        let first = first_of_second_block(&store);
        flip_byte(&store, first);
        let problems = store.check().problems;
        let [problem] = problems.as_slice() else {
            panic!("{problems:?}")
        };
        assert_eq!(problem.sensor, Some(house()));
        assert_eq!(
            problem.range,
            TimeRange::new(first, at(first.millis() + 150))
        );
    }
}
