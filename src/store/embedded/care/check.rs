//! Reading everything to find damage.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::blocks::source::BlockSource as _;
use crate::store::blocks::summary_record;
use crate::store::embedded::engine::panics::caught_as_damage;
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;
use crate::store::home::findings::{Findings, StoreProblem, check_block};
use crate::store::read::{count_readings, power_at};
use crate::store::records::locks::read;
use crate::store::records::{RecordKind, keys};
use crate::store::registry::Registry;
use crate::store::rows::Activity;

/// A part of a check.
type Part = fn(&Shared, &mut Findings) -> Result<(), StoreError>;

impl Shared {
    /// Reads everything and lists what is wrong: blocks, summaries, hot rows, activity, registry. Changes may go on
    /// meanwhile. Blocks for as long as reading everything takes.
    pub(crate) fn check(&self) -> Findings {
        let mut findings = Findings::default();
        // Each part by itself, so that one unreadable tree does not hide the problems of the others. sled panics on some
        // damage instead of returning an error.
        let parts: [(&str, Part); 7] = [
            ("blocks", Shared::check_blocks),
            ("summaries", Shared::check_summaries),
            ("hot rows", Shared::check_hot_rows),
            ("activity", Shared::check_activity),
            ("registry", Shared::check_registry),
            ("prices", Shared::check_prices),
            ("files", Shared::check_files),
        ];
        for (name, part) in parts {
            if let Err(error) = caught_as_damage(|| part(self, &mut findings)) {
                let why = error.damage();
                findings.add(format!("the {name} cannot be read to the end: {why}"));
            }
        }
        // Changes may have gone on: rows that were sealed after their blocks were read, and before the hot rows were, are not
        // counted yet. Without damage, the summaries can be counted together with the rows, at one moment for each sensor.
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

    /// Every block is valid, not too long, has the right summary, follows the one before, and belongs to a known sensor.
    fn check_blocks(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let sealed = &self.trees.sealed;
        let mut after = Vec::new();
        loop {
            // The guard keeps a swap from replacing the block between reading it, its summary and the block before.
            let guard = read(&self.swap);
            // Looked up anew each time: the guard is released between blocks, and iterators of sled are no snapshots.
            let from = (std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded);
            let Some(row) = sealed.blocks.range::<Vec<u8>, _>(from).next() else {
                return Ok(());
            };
            let (key, location) = row?;
            after = key.to_vec();
            let bytes = sealed.bytes_at(&key, &location);
            let summary = sealed.summaries.get(&key)?;
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
                    let summary = summary.and_then(|value| summary_record::decode(&value));
                    if self.is_orphan(&sensor, &sealed.blocks, &key)? {
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

    /// Every summary has its block.
    fn check_summaries(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let sealed = &self.trees.sealed;
        for key in sealed.summaries.iter().keys() {
            let key = key?;
            let _unswapped = read(&self.swap);
            // Its block may have been replaced since the iterator read the key.
            let Some(value) = sealed.summaries.get(&key)? else {
                continue;
            };
            if sealed.blocks.contains_key(&key)? {
                continue;
            }
            let range = summary_record::decode(&value)
                .and_then(|summary| TimeRange::new(summary.first, summary.last));
            findings.list(StoreProblem {
                what: "a block is missing: only its summary exists".into(),
                sensor: keys::parse(&key).ok().map(|(sensor, _)| sensor),
                range,
            });
        }
        Ok(())
    }

    /// Every activity has the sensor's newest power. The hot rows are checked with the log that has the activities, too.
    fn check_activity(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let registry = Arc::clone(&read(&self.registry));
        for sensor in registry.sensors().map(|sensor| &sensor.id) {
            // Memory last: a sensor that is being removed has lost its readings, and is no longer there.
            if !self.is_newest_power_known(sensor)? && self.is_registered(sensor) {
                let what = "the newest power differs from the newest one stored";
                findings.add_of(sensor, None, what);
            }
        }
        Ok(())
    }

    /// Whether the power in memory is the newest stored. Retries, because an upload may come between reading the two.
    fn is_newest_power_known(&self, sensor: &SensorId) -> Result<bool, StoreError> {
        const TRIES: usize = 20;
        const PAUSE: Duration = Duration::from_millis(5);
        let mut first = None;
        for _ in 0..TRIES {
            // Memory, not the log: it is updated with each upload, the log only when the journal lands.
            let known = self.trees.hot.held().activity(sensor);
            let known: Activity = known.unwrap_or_default();
            if known.newest_power == power_at(&self.unswapped(sensor), Timestamp::MAX)? {
                return Ok(true);
            }
            first.get_or_insert(known);
            thread::sleep(PAUSE);
        }
        // If it keeps changing, it is being updated.
        Ok(first != self.trees.hot.held().activity(sensor))
    }

    /// Every credential and every sensor has its account.
    fn check_registry(&self, findings: &mut Findings) -> Result<(), StoreError> {
        // From the trees: memory may differ from them. No change may come between reading one tree and the next.
        let loaded = {
            let _unswapped = read(&self.swap);
            Registry::load(&self.trees.records)
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
            ("bills", registry.bills.keys().collect()),
            ("price series", registry.series.keys().collect()),
        ];
        for (what, accounts) in owners {
            for account in accounts.into_iter().filter(|account| is_unknown(account)) {
                findings.add(format!("{what} belong to an unknown account {account}"));
            }
        }
        for (account, all) in &registry.corrections {
            let is_its = |id| registry.sensor(id).is_some_and(|it| it.account == *account);
            for one in all.iter().filter(|one| !is_its(one.sensor())) {
                let (number, id) = (one.number(), one.sensor());
                findings.add(format!(
                    "correction {number} of account {account} is about {id}, which it does not have"
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
                findings.add(format!(
                    "notice {id} is about a sensor that its account does not have"
                ));
            }
        }
        Ok(())
    }

    /// sled has written no oversized page to a separate file: it never syncs those.
    fn check_files(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let blobs = self.dir.join("sled").join("blobs");
        let listed = std::fs::read_dir(&blobs);
        let count = listed
            .map_err(|error| StoreError::io(format!("reading {}", blobs.display()), &error))?
            .count();
        if count > 0 {
            findings.add(format!(
                "{count} pages are separate files, which sled does not sync"
            ));
        }
        Ok(())
    }

    /// Whether `key` of `tree` is of a sensor without a record. A removal marks the record, deletes all else, and then the record:
    /// what is being removed, also by the next start, is no damage.
    fn is_orphan(
        &self,
        sensor: &SensorId,
        tree: &sled::Tree,
        key: &[u8],
    ) -> Result<bool, StoreError> {
        let has_record = self
            .trees
            .records
            .of(RecordKind::Sensors)
            .contains_key(sensor.as_str())?;
        // Looked up after the record: a removal that has finished meanwhile deleted it first.
        Ok(!has_record && tree.contains_key(key)?)
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
    use crate::store::blocks::{Summary, seal};
    use crate::store::embedded::blocks::volumes;
    use crate::store::embedded::rows::chunk::RowGroup;
    use crate::store::embedded::rows::hot_log;
    use crate::store::embedded::rows::log_files::tests::rewrite;
    use crate::store::embedded::state::Trees;
    use crate::store::handle::Store;
    use crate::store::records::Order as BlockOrder;
    use crate::store::records::locks::write;
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
        let (sealed, sensor) = (&store.shared().trees.sealed, house());
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
        // 55 and 5,000 are new, 60 lies over a sealed reading.
        assert_eq!((findings.readings, findings.blocks), (102, 7));
    }

    /// Checks that `named` is reported after `damage`, given the beginning of a block.
    fn assert_named(named: &str, damage: impl Fn(&Trees, Timestamp)) {
        let dir = tempfile::tempdir().unwrap();
        let store = filled(dir.path());
        // Nothing is held in memory then.
        store.close().unwrap();
        damage(&store.shared().trees, first_of_second_block(&store));
        let problems = store.check().problems;
        assert!(
            problems.iter().any(|problem| problem.what.contains(named)),
            "{named}: {problems:?}"
        );
    }

    fn put_block(trees: &Trees, time: Timestamp, bytes: &[u8]) {
        let key = keys::key(&house(), time);
        let location = volumes::tests::put(&trees.sealed.volumes, &key, bytes);
        trees.sealed.blocks.insert(key, location.encode()).unwrap();
    }

    /// Changes a byte of a block in its file.
    fn flip_byte(trees: &Trees, time: Timestamp) {
        let value = trees.sealed.blocks.get(keys::key(&house(), time)).unwrap();
        let location = volumes::Location::decode(&value.unwrap()).unwrap();
        let path = trees.sealed.volumes.path(location.volume);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[usize::try_from(location.end()).unwrap() - 1] ^= 1;
        std::fs::write(path, bytes).unwrap();
    }

    fn summary_at(trees: &Trees, time: Timestamp) -> Summary {
        let (sealed, sensor) = (&trees.sealed, house());
        let summary = sealed.of(&sensor).at_or_before(time).unwrap();
        summary.unwrap()
    }

    fn put_summary(trees: &Trees, time: Timestamp, summary: &Summary) {
        let value = summary_record::encode(summary).unwrap();
        trees
            .sealed
            .summaries
            .insert(keys::key(&house(), time), value)
            .unwrap();
    }

    #[test]
    fn each_damage_to_blocks_is_named() {
        assert_named("checksum", |trees, first| {
            let mut bytes = trees.sealed.of(&house()).bytes(first).unwrap();
            bytes[20] ^= 1;
            put_block(trees, first, &bytes);
        });
        assert_named("invalid location", |trees, first| {
            let key = keys::key(&house(), first);
            trees.sealed.blocks.insert(key, b"rubbish").unwrap();
        });
        assert_named("the record of another block", |trees, first| {
            let [one, other] = [first, at(0)].map(|time| keys::key(&house(), time));
            let location = trees.sealed.blocks.get(other).unwrap().unwrap();
            trees.sealed.blocks.insert(one, location).unwrap();
        });
        assert_named("00000001 at 0: the file is missing", |trees, _| {
            let volumes = &trees.sealed.volumes;
            volumes.close(1);
            std::fs::remove_file(volumes.path(1)).unwrap();
        });
        assert_named("00000001 at ", |trees, first| {
            flip_byte(trees, first);
        });
        assert_named("a block is missing", |trees, first| {
            trees
                .sealed
                .blocks
                .remove(keys::key(&house(), first))
                .unwrap();
        });
        assert_named("summary is missing", |trees, first| {
            trees
                .sealed
                .summaries
                .remove(keys::key(&house(), first))
                .unwrap();
        });
        assert_named("contradicts its block", |trees, first| {
            let summary = summary_at(trees, first);
            put_summary(
                trees,
                first,
                &Summary {
                    count: 3,
                    ..summary
                },
            );
        });
        assert_named("contradicts its block", |trees, first| {
            let mut summary = summary_at(trees, first);
            let exported = &mut summary.registers.as_mut().unwrap().flow.exported;
            *exported = *exported + MicroWh::new(1);
            put_summary(trees, first, &summary);
        });
        assert_named("a block of a sensor that is not registered", |trees, _| {
            let sensors = trees.records.of(RecordKind::Sensors);
            sensors.remove("house").unwrap();
        });
        assert_named("overlaps the one before", |trees, first| {
            let [pack] = &seal::pack(&[reading(first.millis() + 5, 1.0)], 16).unwrap()[..] else {
                panic!("one reading is one block");
            };
            put_summary(trees, pack.summary.first, &pack.summary);
            put_block(trees, pack.summary.first, &pack.bytes);
        });
        assert_named("the time in its key", |trees, first| {
            let bytes = trees.sealed.of(&house()).bytes(first).unwrap();
            put_block(trees, at(1), &bytes);
        });
    }

    /// A row lies over the block: a start looks whether the block has it already.
    #[test]
    fn an_unreadable_block_under_a_row_keeps_no_store_from_opening() {
        let dir = tempfile::tempdir().unwrap();
        let store = filled(dir.path());
        store.close().unwrap();
        flip_byte(&store.shared().trees, at(0));
        drop(store);
        let store = open_with(dir.path(), 16);
        assert_eq!(store.shared().trees.hot.held().count_sealable(&house()), 3);
        let problems = store.check().problems;
        let named = |problem: &StoreProblem| problem.what.contains("00000001 at ");
        assert!(problems.iter().any(named), "{problems:?}");
    }

    #[test]
    fn each_damage_to_rows_is_named() {
        let append = |trees: &Trees, sensor, rows: Vec<Reading>| {
            let group = RowGroup {
                sensor,
                is_anew: false,
                activity: None,
                rows: rows.into(),
            };
            hot_log::tests::append(&trees.hot, &trees.meta, &group);
        };
        assert_named("hot rows of a sensor that is not registered", |trees, _| {
            let stranger = SensorId::new("stranger").unwrap();
            append(trees, stranger, vec![reading(1, 1.0)]);
        });
        assert_named("rows in a value of 7 bytes", |trees, _| {
            rewrite(&trees.hot.files, |chunks| {
                chunks.last_mut().unwrap().1 = b"rubbish".to_vec();
            });
        });
        assert_named("is missing or cannot be read", |trees, _| {
            rewrite(&trees.hot.files, |chunks| drop(chunks.pop()));
        });
        assert_named("no longer that in memory", |trees, _| {
            append(trees, house(), vec![reading(5_000, 7.0)]);
        });
        // It is in a block, but with other measures.
        assert_named("no longer that in memory", |trees, first| {
            append(trees, house(), vec![reading(first.millis(), 7.0)]);
        });
        assert_named("missing in the database", |trees, _| {
            let rows = trees.hot.held().range(&house(), TimeRange::ALL);
            let more = [rows, vec![reading(9_000, 7.0)]].concat();
            trees.hot.change().replace_settled(&house(), more);
        });
        assert_named("activity of a sensor that is not registered", |trees, _| {
            let group = RowGroup {
                sensor: SensorId::new("stranger").unwrap(),
                is_anew: true,
                activity: Some(Activity::default()),
                rows: Cow::default(),
            };
            hot_log::tests::append(&trees.hot, &trees.meta, &group);
        });
        assert_named("differs from the newest one stored", |trees, _| {
            trees.hot.change().replace_settled(&house(), Vec::new());
        });
    }

    /// A removal that failed half way leaves the record of the sensor, marked, and some of its readings.
    #[test]
    fn what_is_being_removed_is_no_damage() {
        let dir = tempfile::tempdir().unwrap();
        let store = filled(dir.path());
        store.close().unwrap();
        let mut registry = Registry::clone(&store.registry());
        drop(std::mem::take(&mut registry.sensors));
        *write(&store.shared().registry) = Arc::new(registry);
        let trees = &store.shared().trees;
        let nothing = RowGroup {
            sensor: house(),
            is_anew: true,
            activity: None,
            rows: Cow::default(),
        };
        hot_log::tests::append(&trees.hot, &trees.meta, &nothing);
        trees.hot.change().replace_settled(&house(), Vec::new());
        assert_eq!(store.check().problems, []);
    }

    /// Each change of the sensor's history waits until what was uploaded before has landed, as many rows as are sealed.
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
        // Most of what was uploaded was sealed meanwhile.
        let left = store.shared().trees.hot.held().count_all_sealable() as u64;
        assert!(2 * left < all.unsigned_abs(), "{left} of {all}");
    }

    /// The newest block has room, so what follows would be put into it.
    #[test]
    fn an_unreadable_newest_block_does_not_end_sealing() {
        const ROWS: i64 = 20_000;
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 512);
        let few = (0..20).map(|n| reading(n * 10, 5.0));
        store.import_durably(&house(), few.collect()).unwrap();
        flip_byte(&store.shared().trees, at(0));
        // Devices repeat what they uploaded last: one row lies over it, too.
        let times: Vec<Option<i64>> = (0..ROWS).map(|n| Some(185 + n * 10)).collect();
        for times in times.chunks(500) {
            store
                .append_durably_blocking(upload(times), at(NOW))
                .unwrap();
        }
        store.close().unwrap();
        let left = store.shared().trees.hot.held().count_sealable(&house());
        assert!(left < 2 * 512, "{left} of {ROWS} rows are not sealed");
    }

    /// Many credentials make the time between reading the accounts and reading their contracts longer.
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
        let put = store.register(move |edit| {
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
            let added = store.register(move |edit| {
                edit.put_account(account)?;
                edit.change_contracts(&name, change)
            });
            added.unwrap();
            store.remove_account_durably(&other).unwrap();
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
        put_block(&store.shared().trees, first, b"rubbish");
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
