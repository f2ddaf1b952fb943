//! Tests of backups: complete, truncated, damaged and forged.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use sha2::{Digest, Sha256};

use crate::domain::{
    Account, AccountName, ApiId, ApiKey, Between, Credential, Currency, Decimal, EntityId,
    EntryKind, HomeAssistantEntry, HomeUser, HomeUserId, LinkedUser, LocalDate, Membership, Meter,
    MeterKind, MicroWh, Password, PasswordHash, Person, PersonName, Phases, Plan, PowerLimit,
    Reading, Role, Scope, Sensor, SensorId, SentParts, ServiceSetting, Session, SessionId,
    SessionOwner, SettingValue, Sign, SilentAfter, TimeRange, WallName, WallTablet, Zone,
};
use crate::ledger::contract::{
    ContractChange, DayList, FlatContract, FlatTerms, Label, PriceSeries, SeriesPrice, tenancy,
};
use crate::ledger::notice::{Notice, NoticeChange, NoticeKey, NoticeKind, NoticeSubject};
use crate::ledger::utility::{EnteredBill, EnteredLine};
use crate::ledger::{
    Author, Correction, Fact, FactRange, Made, Purchase, PurchaseKind, PurchaseTerms, Spread,
    bought,
};
use crate::store::care::backup::frame::FrameKind;
use crate::store::care::backup::source::{WrittenBackup, read_all};
use crate::store::care::backup::{frame, *};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::handle::counts::StoreCounts;
use crate::store::registry::{AccountEntry, EntryName};
use crate::store::settings::{Durability, OpenMode, StoreSettings};
use crate::store::tests::{
    NOW, at, house, noise, open_registered, open_with, reading, register_house, upload,
};

/// A store of blocks, of hot rows between and after them, and of a sensor without readings.
fn filled(dir: &Path) -> Store {
    let store = open_registered(dir, 16);
    fill(&store);
    store
}

fn fill(store: &Store) {
    let home = AccountName::new("home").unwrap();
    let credential = Credential {
        api_id: ApiId::new("meter").unwrap(),
        account: home.clone(),
        scope: Scope::Write,
        label: "Zähler im Keller".into(),
        key_hash: ApiKey::new("key").unwrap().hash(),
        created: at(5),
    };
    store
        .edit(move |edit| edit.put_credential(credential))
        .unwrap();
    let account = Account {
        name: AccountName::new("other").unwrap(),
        plan: Plan::Free,
        zone: Zone::parse("Europe/Berlin").unwrap(),
        phases: Phases::default(),
        created: at(-7),
    };
    store.edit(move |edit| edit.put_account(account)).unwrap();
    let sensor = Sensor {
        id: SensorId::new("silent").unwrap(),
        account: home,
        name: "says nothing".into(),
        authorized: false,
        role: Role::Grid,
        meter: Meter::new(MeterKind::Net),
        part_of: None,
        silent_after: None,
        is_announced: true,
        sent_parts: SentParts::default(),
        created: at(3),
    };
    store.put_sensor_durably(sensor).unwrap();
    let history = (0..50).map(|n| reading(n * 10, noise(n)));
    store.import_durably(&house(), history.collect()).unwrap();
    store
        .append_durably_blocking(upload(&[Some(55), Some(60), Some(5_000), None]), at(NOW))
        .unwrap();
}

pub(in crate::store::care) fn take(
    store: &Store,
    target: &Path,
) -> Result<WrittenBackup, BackupError> {
    let page = |cursor| store.backup_page(&cursor);
    write_backup(target, at(NOW), page, |_| Ok(()))
}

pub(in crate::store::care) fn restored(
    file: &Path,
    dir: &Path,
) -> Result<WrittenBackup, BackupError> {
    restore(file, dir, StoreSettings::default(), |_| {}).map(|it| it.backup)
}

pub(in crate::store::care) fn open(dir: &Path) -> Store {
    Store::open(dir, StoreSettings::default(), OpenMode::Existing).unwrap()
}

pub(in crate::store::care) fn all(store: &Store) -> Vec<Reading> {
    let mut scan = store.scan(&house(), TimeRange::ALL);
    let runs = std::iter::from_fn(|| scan.next_run().unwrap());
    runs.flatten().collect()
}

/// The registry and activities of a store, as text.
pub(in crate::store::care) fn described(store: &Store) -> String {
    let registry = store.registry();
    let activity = registry
        .sensors()
        .map(|sensor| store.activity(&sensor.id).unwrap());
    let hashes = registry
        .credentials()
        .map(|it| it.key_hash.is(&ApiKey::new("key").unwrap().hash()));
    format!(
        "{registry:?} {:?} {:?}",
        activity.collect::<Vec<_>>(),
        hashes.collect::<Vec<_>>()
    )
}

/// The bytes of a small backup.
fn small() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("data"));
    let file = dir.path().join("backup");
    take(&store, &file).unwrap();
    fs::read(file).unwrap()
}

fn verified(bytes: &[u8]) -> Result<StoreCounts, BackupError> {
    let read = read_all(bytes, |_, _| Ok::<(), BackupError>(()));
    read.map(|verified| verified.counts)
}

/// A complete backup of `frames`, with `counts` at its end.
fn made_of(frames: &[(FrameKind, &[u8])], counts: StoreCounts) -> Vec<u8> {
    let mut bytes = frame::head(at(NOW));
    for (kind, content) in frames {
        frame::push(&mut bytes, *kind, content).unwrap();
    }
    let end = serde_json::to_vec(&counts).unwrap();
    frame::push(&mut bytes, FrameKind::End, &end).unwrap();
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    bytes
}

/// Adds three corrections of the first sensor of `account`; the second is revoked.
fn add_corrections(store: &Store, account: &AccountName) {
    let registry = store.registry();
    let sensor = registry
        .sensors()
        .find(|it| it.account == *account)
        .unwrap();
    let made = |note: &str| Made::new(at(NOW), Author::CommandLine, note).unwrap();
    let range = FactRange::new(at(0), at(500)).unwrap();
    for fact in [
        Fact::Wrong(range),
        Fact::Event(at(70), false),
        Fact::Energy(range, MicroWh::new(-1), Spread::LikeWeekday),
    ] {
        let one = Correction::new(1, sensor.id.clone(), made("seen"), fact).unwrap();
        store
            .edit({
                let account = account.clone();
                move |edit| edit.add_correction(&account, one)
            })
            .unwrap();
    }
    let revoked = store.edit({
        let account = account.clone();
        move |edit| edit.revoke_correction(&account, 2, made("not so"))
    });
    assert_eq!(revoked.unwrap().number(), 2);
}

/// Two contracts of `account`.
fn add_contracts(store: &Store, account: &AccountName) {
    for from in ["2026-01-01", "2020-01-01"] {
        let terms = FlatTerms {
            from: Some(from),
            price: "0.3215",
            currency: "€",
            ..FlatTerms::default()
        };
        let contract = FlatContract::new(terms).unwrap().contract();
        let put = ContractChange::Put(Box::new(contract));
        store
            .edit({
                let account = account.clone();
                move |edit| edit.change_contracts(&account, put)
            })
            .unwrap();
    }
}

/// Two day lists of `account`, one of three years.
fn add_days(store: &Store, account: &AccountName) {
    for (name, step) in [("tempo", 1), ("peak \"x\"", 100)] {
        let first = LocalDate::new(2024, 2, 1).unwrap();
        let dates = (0..730).step_by(step).map(|n| first.plus_days(n).unwrap());
        let kinds = ["red", "white", "\\"].map(|kind| Label::new(kind).unwrap());
        let days = dates.zip(kinds.into_iter().cycle());
        let name = Label::new(name).unwrap();
        let list = DayList::new(name, days.collect());
        let account = account.clone();
        store
            .edit(move |edit| edit.put_days(&account, &list))
            .unwrap();
    }
}

fn put_entry(store: &Store, account: &AccountName, entry: AccountEntry) {
    let account = account.clone();
    store
        .edit(move |edit| edit.put_entry(&account, entry, None))
        .unwrap();
}

fn add_bill(store: &Store, account: &AccountName, bill: EnteredBill) {
    let (account, bill) = (account.clone(), AccountEntry::Bill(0, bill));
    store
        .edit(move |edit| edit.add_entry(&account, bill, None))
        .unwrap();
}

/// Two formats of files of `account`, one as long as can be.
fn add_formats(store: &Store, account: &AccountName) {
    for (name, text) in [("a \"b\"", "\"\n".repeat(8_000)), ("c", String::new())] {
        put_entry(
            store,
            account,
            AccountEntry::Format(Label::new(name).unwrap(), text.into()),
        );
    }
}

/// Two offers of `account`, the second in another currency than the contracts.
fn add_offers(store: &Store, account: &AccountName) {
    for (name, currency) in [("b \"c\"", "€"), ("a", "CHF")] {
        let terms = FlatTerms {
            from: Some("2027-01-01"),
            name: Some(name),
            price: "0.2987",
            currency,
            ..FlatTerms::default()
        };
        let offer = FlatContract::new(terms).unwrap().contract();
        put_entry(store, account, AccountEntry::Offer(Box::new(offer)));
    }
}

/// Two purchases of `account`.
fn add_purchases(store: &Store, account: &AccountName) {
    let panels = bought(PurchaseKind::Panels, "b \"c\"", "2022-05-01", 14_500);
    let battery = PurchaseTerms {
        subsidy: Decimal::from_millionths(1),
        costs_per_year: Decimal::from_millionths(12_340_000),
        ..bought(PurchaseKind::Battery, "a", "2024-02-29", 999_999_999)
    };
    for terms in [panels, battery] {
        put_entry(
            store,
            account,
            AccountEntry::Purchase(Purchase::new(terms).unwrap()),
        );
    }
}

/// Two tenancies of `account`.
fn add_tenancies(store: &Store, account: &AccountName) {
    for text in [
        r#"{"name":"b \"c\"","sensor":"flat","from":"2026-01-01","until":"2026-02-01","person":"Anna","price":0.28,"base_fee":5}"#,
        r#"{"name":"a","sensor":"flat","from":"2026-02-02"}"#,
    ] {
        put_entry(store, account, AccountEntry::Tenancy(tenancy(text)));
    }
}

/// Two series with these numbers of prices, and two bills of `account`.
fn add_prices_and_bills(store: &Store, account: &AccountName, prices: [i64; 2]) {
    for (name, count) in ["long", "short"].into_iter().zip(prices) {
        let price = |n: i64| SeriesPrice {
            from: at(n * 10),
            to: at(n * 10 + 10 - n % 2),
            price: Decimal::from_millionths(n * 7_919 % 100_000),
        };
        let series = PriceSeries::new(Label::new(name).unwrap(), (0..count).map(price).collect());
        // Only one of them has a known currency.
        let currency = (name == "short").then(|| Currency::new("SEK").unwrap());
        let series = series.unwrap().in_currency(currency);
        store.put_prices_durably(account, &series).unwrap();
    }
    for energy in [None, Some(MicroWh::new(5))] {
        let line = EnteredLine {
            name: Label::new("night").unwrap(),
            amount: Decimal::from_millionths(-7),
        };
        let bill = EnteredBill {
            range: TimeRange::new(at(0), at(1_000)).unwrap(),
            energy,
            total: Decimal::ONE,
            lines: vec![line; 64],
        };
        add_bill(store, account, bill);
    }
    let (of, first) = (account.clone(), EntryName::Number(1));
    store
        .edit(move |edit| edit.remove_entry(&of, EntryKind::Bill, &first))
        .unwrap();
    add_bill(store, account, registry_bill(store, account));
}

fn registry_bill(store: &Store, account: &AccountName) -> EnteredBill {
    let registry = store.registry();
    registry.bills(account).next().unwrap().1.clone()
}

/// The data entered for the account of [`house`], as text.
pub(in crate::store::care) fn entered(store: &Store) -> String {
    let registry = store.registry();
    let account = &registry.accounts().next().unwrap().name;
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        registry.corrections(account).unwrap(),
        registry.contracts(account).unwrap(),
        registry.bills(account).collect::<Vec<_>>(),
        registry.day_lists(account).collect::<Vec<_>>(),
        registry.formats(account).collect::<Vec<_>>(),
        registry.offers(account).collect::<Vec<_>>(),
        registry.purchases(account).collect::<Vec<_>>(),
        registry.tenancies(account).collect::<Vec<_>>(),
        store.series(account).unwrap(),
        store
            .series(account)
            .unwrap()
            .iter()
            .map(|one| store.prices(account, &one.name, TimeRange::ALL).unwrap())
            .collect::<Vec<_>>()
    )
}

/// A dismissed notice of the first sensor of `account`, and one of the service.
fn add_notices(store: &Store, account: &AccountName) {
    let registry = store.registry();
    let sensor = registry.sensors().find(|it| it.account == *account);
    let notice = |kind, subject| Notice {
        kind,
        subject,
        since: at(7),
        happened: "It happened.".into(),
    };
    let of_sensor = NoticeSubject::Sensor(sensor.unwrap().id.clone());
    let silent = notice(NoticeKind::SensorSilent, of_sensor);
    let full = notice(NoticeKind::DiskNearlyFull, NoticeSubject::Service);
    let opened = [(Some(account.clone()), silent), (None, full)].map(|(account, notice)| {
        let key = NoticeKey::of(account, &notice);
        (key, NoticeChange::Opened(notice, at(NOW)))
    });
    let [(key, _), (of_service, _)] = opened.clone();
    store
        .edit(move |edit| edit.change_notices(opened.into()))
        .unwrap();
    let sent = vec![(of_service, NoticeChange::Sent)];
    store.edit(move |edit| edit.change_notices(sent)).unwrap();
    let made = Made::new(at(NOW), Author::CommandLine, "").unwrap();
    store
        .edit(move |edit| edit.dismiss_notice(key, made))
        .unwrap();
}

/// Gives the sensor of [`filled`] every setting, makes it part of another one, and enters data of
/// every kind for its account.
fn enter_all(store: &Store, prices: [i64; 2]) {
    let registry = store.registry();
    let owner = registry.accounts().next().cloned().unwrap();
    add_contracts(store, &owner.name);
    let sensor = registry.sensors().next().cloned().unwrap();
    let sensor = Sensor {
        role: Role::Battery,
        meter: Meter {
            kind: MeterKind::Counter,
            limit: PowerLimit::new(7_000).unwrap(),
            power_sign: Sign::Inverted,
            register_sign: Sign::Inverted,
            rollover: Some("99.5".parse().unwrap()),
            ..Meter::default()
        },
        silent_after: SilentAfter::minutes(20),
        ..sensor
    };
    store.put_sensor_durably(sensor.clone()).unwrap();
    // By name, the parts come before the sensor that they are part of.
    let (id, account, created) = (SensorId::new("~"), &sensor.account, sensor.created);
    let whole = Sensor::new(id.unwrap(), account.clone(), created);
    let part = Sensor {
        part_of: Some(sensor.id.clone()),
        ..Sensor::new(SensorId::new("a").unwrap(), account.clone(), created)
    };
    store.put_sensor_durably(whole.clone()).unwrap();
    store
        .put_sensor_durably(Sensor {
            part_of: Some(whole.id),
            ..sensor
        })
        .unwrap();
    store.put_sensor_durably(part).unwrap();
    add_corrections(store, &owner.name);
    add_prices_and_bills(store, &owner.name, prices);
    add_notices(store, &owner.name);
}

#[test]
fn a_restored_store_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("data"));
    // The longer series takes many pages.
    enter_all(&store, [80_000, 10_000]);
    add_days(&store, &AccountName::new("home").unwrap());
    add_formats(&store, &AccountName::new("home").unwrap());
    add_offers(&store, &AccountName::new("home").unwrap());
    add_purchases(&store, &AccountName::new("home").unwrap());
    add_tenancies(&store, &AccountName::new("home").unwrap());
    // Settings that the oldest formats lack.
    let set = |sensor: &mut Sensor| {
        sensor.meter.power_sign = Sign::AsIs;
        sensor.meter.between = Between::Hold;
    };
    store.update_sensor_durably(&house(), set).unwrap();
    let entered = entered(&store);
    let meter = ApiId::new("meter").unwrap();
    let _ = store.record_use(&meter, at(NOW));
    let file = dir.path().join("backup");
    let written = take(&store, &file).unwrap();
    assert_eq!(
        (
            written.counts.readings,
            written.counts.corrections,
            written.counts.contracts,
            written.counts.prices,
            written.counts.bills,
            written.counts.days,
            written.counts.formats,
            written.counts.offers,
            written.counts.purchases,
            written.counts.tenancies,
            written.counts.notices
        ),
        (53, 3, 2, 90_000, 2, 738, 2, 2, 2, 2, 2)
    );
    assert_eq!(written.bytes, fs::metadata(&file).unwrap().len());
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(verified(&fs::read(&file).unwrap()).unwrap(), written.counts);

    let new = dir.path().join("new");
    let restored = restored(&file, &new).unwrap();
    assert_eq!((restored, restored.counts.readings), (written, 53));
    let copy = open(&new);
    assert_eq!(all(&copy), all(&store));
    assert_eq!(described(&copy), described(&store));
    assert_eq!(self::entered(&copy), entered);
    assert_eq!(copy.last_use(&meter), Some(at(NOW)));
    assert!(copy.check().is_clean());
    assert!(!new.join("restoring").exists());
}

/// As in backups from before an account had phases.
#[test]
fn phases_are_separate_unless_the_backup_says_so() {
    let account = |phases: &str| {
        let text = format!(r#"{{"name":"home","plan":"paid","zone":"UTC"{phases},"created":0}}"#);
        account_record::account(text.as_bytes()).map(|it| it.phases)
    };
    assert_eq!(account(""), Some(Phases::Separate));
    assert_eq!(account(r#","phases":"balanced""#), Some(Phases::Balanced));
    assert_eq!(account(r#","phases":"three""#), None);

    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("data"));
    let other = AccountName::new("other").unwrap();
    let made = store.registry().account(&other).cloned().unwrap();
    let made = Account {
        phases: Phases::Balanced,
        ..made
    };
    let put = made.clone();
    store.edit(move |edit| edit.put_account(put)).unwrap();
    let file = dir.path().join("backup");
    take(&store, &file).unwrap();
    let new = dir.path().join("new");
    restored(&file, &new).unwrap();
    assert_eq!(open(&new).registry().account(&other), Some(&made));
}

/// As in backups from before power and register had separate signs.
#[test]
fn one_sign_is_that_of_both_measures() {
    let older = br#"{"id":"house","account":"home","name":"","authorized":true,"created":5,"inverted":true}"#;
    let sensor = record::sensor(older).unwrap();
    assert_eq!(sensor.meter.sign(), Sign::Inverted);
    assert_eq!(sensor.meter.between, Between::Line);
    for power_sign in Sign::ALL {
        for register_sign in Sign::ALL {
            let meter = Meter {
                power_sign,
                register_sign,
                ..sensor.meter
            };
            let sensor = Sensor {
                meter,
                ..sensor.clone()
            };
            let text = serde_json::to_string(&record::BackupSensor::from(&sensor)).unwrap();
            // Written only if needed.
            assert_eq!(text.contains("power_sign"), power_sign != register_sign);
            assert_eq!(record::sensor(text.as_bytes()), Some(sensor));
        }
    }
}

#[test]
fn rows_held_back_are_in_it() {
    let dir = tempfile::tempdir().unwrap();
    drop(open_registered(&dir.path().join("data"), 16));
    let settings = StoreSettings {
        durability: Durability::Interval(Duration::from_hours(1)),
        ..StoreSettings::default()
    };
    let store = Store::open(&dir.path().join("data"), settings, OpenMode::Existing).unwrap();
    let uploaded = upload(&[Some(1), Some(2), None]);
    store.append_durably_blocking(uploaded, at(NOW)).unwrap();
    assert_eq!(store.shared().hot.held().counts().young, 3);
    let file = dir.path().join("backup");
    take(&store, &file).unwrap();
    restored(&file, &dir.path().join("new")).unwrap();
    let copy = open(&dir.path().join("new"));
    assert_eq!(all(&copy), all(&store));
    assert_eq!(described(&copy), described(&store));
}

/// Between two pages the copied blocks grow, as do the others, and new ones are added.
#[test]
fn readings_stored_before_are_in_it_despite_later_changes() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(&dir.path().join("data"), 16);
    let history: Vec<Reading> = (0..16_000).map(|n| reading(n * 10, noise(n))).collect();
    store.import_durably(&house(), history.clone()).unwrap();
    let file = dir.path().join("backup");
    let mut pages = 0;
    let page = |cursor| {
        pages += 1;
        // Late readings among the copied ones, near the beginning of the next page, and beyond.
        for base in [0, 80_000 * i64::from(pages), 160_000] {
            let late = (0..200).map(|n| reading(base - 1_000 + n * 10 + 5, 1.0));
            store.import_durably(&house(), late.collect()).unwrap();
            let uploaded: Vec<Option<i64>> = (0..50).map(|n| Some(base + n * 10 + 7)).collect();
            store
                .append_durably_blocking(upload(&uploaded), at(NOW))
                .unwrap();
        }
        store.backup_page(&cursor)
    };
    write_backup(&file, at(NOW), page, |_| Ok::<(), BackupError>(())).unwrap();
    assert!(pages > 2, "{pages} pages");
    restored(&file, &dir.path().join("new")).unwrap();
    let copy = all(&open(&dir.path().join("new")));
    for reading in history {
        let found = copy.binary_search_by_key(&reading.time, |reading| reading.time);
        assert_eq!(copy[found.unwrap()], reading);
    }
}

/// Four threads upload while copies are taken: readings are held in memory, written and sealed
/// meanwhile.
fn assert_nothing_acknowledged_is_missing(durability: Durability) {
    let dir = tempfile::tempdir().unwrap();
    drop(open_registered(&dir.path().join("data"), 16));
    let settings = StoreSettings {
        durability,
        block_readings: 16,
        ..StoreSettings::default()
    };
    let store = Store::open(&dir.path().join("data"), settings, OpenMode::Existing).unwrap();
    let acknowledged = Mutex::new(Vec::new());
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        for uploader in 0..4 {
            let (store, acknowledged, is_done) = (&store, &acknowledged, &is_done);
            scope.spawn(move || {
                // Some forwards, some backwards, interleaved.
                let step = if uploader < 2 { 4 } else { -4 };
                for n in (1..).take_while(|_| !is_done.load(Ordering::Relaxed)) {
                    let ms = uploader + n * step;
                    let uploaded = upload(&[Some(ms)]);
                    store.append_durably_blocking(uploaded, at(NOW)).unwrap();
                    acknowledged.lock().unwrap().push(at(ms));
                }
            });
        }
        // On a thread of its own: if it panics, the uploading threads must stop nevertheless.
        let copying = scope.spawn(|| {
            for round in 0..4 {
                let begun = Instant::now();
                while acknowledged.lock().unwrap().len() < 30 * (round + 1) {
                    assert!(begun.elapsed() < Duration::from_mins(2), "no upload");
                    thread::sleep(Duration::from_millis(1));
                }
                let before = acknowledged.lock().unwrap().clone();
                let file = dir.path().join(format!("backup{round}"));
                take(&store, &file).unwrap();
                let new = dir.path().join(format!("new{round}"));
                restored(&file, &new).unwrap();
                let copied: BTreeSet<_> = all(&open(&new)).iter().map(|it| it.time).collect();
                assert!(before.iter().all(|time| copied.contains(time)), "{round}");
            }
        });
        let copied = copying.join();
        is_done.store(true, Ordering::Relaxed);
        copied.unwrap();
    });
}

#[test]
fn uploads_meanwhile_are_no_trouble() {
    assert_nothing_acknowledged_is_missing(Durability::Always);
    assert_nothing_acknowledged_is_missing(Durability::Interval(Duration::from_millis(20)));
}

#[test]
fn every_truncation_is_named() {
    let bytes = small();
    for length in 0..bytes.len() {
        match verified(&bytes[..length]) {
            Err(BackupError::NotOne) => assert!(length < 18),
            Err(BackupError::Damaged { what, .. }) => assert_eq!(what, "the file is truncated"),
            other => panic!("{length}: {other:?}"),
        }
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(
        verified(&longer)
            .unwrap_err()
            .to_string()
            .contains("data after the end")
    );
}

#[test]
fn every_flipped_bit_is_named() {
    let bytes = small();
    let counts = verified(&bytes).unwrap();
    assert_eq!(counts.readings, 53);
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        match verified(&flipped) {
            Err(BackupError::NotOne) => assert!(bit < 18 * 8),
            Err(BackupError::Damaged { offset, .. }) => assert!(offset <= bit as u64 / 8),
            other => panic!("bit {bit}: {other:?}"),
        }
    }
}

#[test]
fn a_newer_format_is_refused_by_name() {
    let mut bytes = small();
    bytes[18] = 2;
    let checksum = crc32fast::hash(&bytes[..30]);
    bytes[30..34].copy_from_slice(&checksum.to_le_bytes());
    let error = verified(&bytes).unwrap_err();
    assert!(matches!(
        error,
        BackupError::NewerFormat {
            found: 2,
            newest: 1
        }
    ));
    let said = format!(
        "the backup has format 2, and wattkeeper {} reads up to format 1: use the version that took it or a newer one",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(error.to_string(), said);
}

#[test]
fn a_false_length_takes_no_memory() {
    for length in [65_537_u32, u32::MAX] {
        let mut bytes = frame::head(at(NOW));
        bytes.extend_from_slice(&[7, 0]);
        bytes.extend_from_slice(&length.to_le_bytes());
        // Endless: if the length were trusted, gigabytes would be read.
        let source = std::io::Read::chain(&bytes[..], std::io::repeat(0));
        let read = read_all(source, |_, _| Ok::<(), BackupError>(()));
        let error = read.unwrap_err().to_string();
        assert!(error.contains("frame is too long"), "{error}");
    }
}

#[test]
fn a_frame_that_unpacks_to_too_much_is_refused() {
    use flate2::{Compression, write::DeflateEncoder};
    use std::io::Write;

    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![b' '; 10_000_000]).unwrap();
    let packed = encoder.finish().unwrap();
    let [l1, l2, l3, l4] = u32::try_from(packed.len()).unwrap().to_le_bytes();
    let start = [3, 1, l1, l2, l3, l4];
    let checksum = crc32fast::hash(&[&start[..], &packed].concat());
    let head = frame::head(at(NOW));
    let bytes = [&head[..], &start, &checksum.to_le_bytes(), &packed].concat();
    let error = verified(&bytes).unwrap_err().to_string();
    assert!(error.contains("cannot be unpacked"), "{error}");
}

#[test]
fn contradicting_frames_are_refused() {
    let account = br#"{"name":"home","plan":"paid","zone":"UTC","created":0}"#;
    let sensor = br#"{"id":"a","account":"home","name":"A","authorized":true,"created":0}"#;
    let orphan = br#"{"id":"a","account":"nobody","name":"A","authorized":true,"created":0}"#;
    let block = |ms: i64| crate::store::blocks::block::encode(&[reading(ms, 1.0)]).unwrap();
    let of_a = |ms| [b"\x01a", &block(ms)[..]].concat();
    let of_b = [b"\x01b", &block(1)[..]].concat();
    let (early, late) = (of_a(1), of_a(2));
    let known: [(FrameKind, &[u8]); 2] =
        [(FrameKind::Account, account), (FrameKind::Sensor, sensor)];
    let counts = StoreCounts {
        accounts: 1,
        sensors: 1,
        ..StoreCounts::default()
    };
    assert_eq!(verified(&made_of(&known, counts)).unwrap(), counts);
    let with = |more: &[(FrameKind, &[u8])]| made_of(&[&known[..], more].concat(), counts);
    for (bytes, named) in [
        (made_of(&known, StoreCounts::default()), "counts at the end"),
        (
            made_of(&[(FrameKind::Sensor, orphan)], counts),
            "unknown account",
        ),
        (made_of(&[known[0], known[0]], counts), "a second account"),
        (made_of(&[known[1]], counts), "unknown account"),
        (with(&[(FrameKind::Account, account)]), "out of order"),
        (with(&[(FrameKind::Readings, &of_b)]), "unknown sensor"),
        (
            with(&[(FrameKind::Readings, &late), (FrameKind::Readings, &early)]),
            "out of order",
        ),
        (
            with(&[(FrameKind::Readings, &early), (FrameKind::Readings, &early)]),
            "out of order",
        ),
        (
            with(&[(FrameKind::Readings, b"\x05a")]),
            "without a valid sensor",
        ),
        (with(&[(FrameKind::Readings, b"\x01arubbish")]), "block"),
        (with(&[(FrameKind::Arrivals, b"{}")]), "arrivals"),
        (
            made_of(&[(FrameKind::Account, b"{}")], counts),
            "invalid record",
        ),
    ] {
        let error = verified(&bytes).unwrap_err().to_string();
        assert!(error.contains(named), "{named}: {error}");
    }
}

#[test]
fn contradicting_days_are_refused() {
    let account_record = br#"{"name":"home","plan":"paid","zone":"UTC","created":0}"#;
    let counts = |days| StoreCounts {
        accounts: 1,
        days,
        ..StoreCounts::default()
    };
    let days = |all: &[&str], account: &str| {
        let record =
            |days: &&str| format!(r#"{{"account":"{account}","list":"tempo","days":[{days}]}}"#);
        let records: Vec<String> = all.iter().map(record).collect();
        let frames = records.iter().map(|it| (FrameKind::Days, it.as_bytes()));
        let frames: Vec<_> = [(FrameKind::Account, &account_record[..])]
            .into_iter()
            .chain(frames)
            .collect();
        made_of(&frames, counts(2))
    };
    let two = days(&[r#"["2026-01-05","red"],["2026-01-06","red"]"#], "home");
    assert_eq!(verified(&two).unwrap(), counts(2));
    for (bytes, named) in [
        (
            days(&[r#"["2026-01-05","red"]"#], "elsewhere"),
            "unknown account",
        ),
        (days(&[r#"["2026-02-30","red"]"#], "home"), "invalid record"),
        (days(&[r#"["2026-01-05",""]"#], "home"), "invalid record"),
        (
            days(&[r#"["2026-01-05","red"],["2026-01-05","red"]"#], "home"),
            "invalid record",
        ),
        (
            days(
                &[r#"["2026-01-05","red"]"#, r#"["2026-01-05","red"]"#],
                "home",
            ),
            "out of order",
        ),
    ] {
        let error = verified(&bytes).unwrap_err().to_string();
        assert!(error.contains(named), "{named}: {error}");
    }
}

#[test]
fn contradicting_offers_are_refused() {
    let account_record = br#"{"name":"home","plan":"paid","zone":"UTC","created":0}"#;
    let counts = |offers| StoreCounts {
        accounts: 1,
        offers,
        ..StoreCounts::default()
    };
    let offer = |account: &str, name: &str| {
        format!(
            r#"{{"account":"{account}","contract":{{"from":"2026-01-01","name":"{name}","currency":"€","components":[{{"energy":{{"price":0.3}}}}]}}}}"#
        )
    };
    let backup = |records: &[String]| {
        let frames = records.iter().map(|it| (FrameKind::Offer, it.as_bytes()));
        let account = (FrameKind::Account, &account_record[..]);
        let frames: Vec<_> = [account].into_iter().chain(frames).collect();
        made_of(&frames, counts(2))
    };
    let two = backup(&[offer("home", "a"), offer("home", "b")]);
    assert_eq!(verified(&two).unwrap(), counts(2));
    for (records, named) in [
        ([offer("home", "a"), offer("x", "b")], "unknown account"),
        ([offer("home", "a"), offer("home", "a")], "a second offer"),
        ([offer("home", "a"), offer("home", "")], "invalid record"),
    ] {
        let error = verified(&backup(&records)).unwrap_err().to_string();
        assert!(error.contains(named), "{named}: {error}");
    }
}

#[test]
fn contradicting_purchases_are_refused() {
    let account_record = br#"{"name":"home","plan":"paid","zone":"UTC","created":0}"#;
    let counts = StoreCounts {
        accounts: 1,
        purchases: 2,
        ..StoreCounts::default()
    };
    let purchase = |account: &str, name: &str, subsidy: i64| {
        format!(
            r#"{{"account":"{account}","name":"{name}","purchase":{{"kind":"panels","date":"2022-05-01","amount":5,"subsidy":{subsidy},"costs_per_year":0}}}}"#
        )
    };
    let backup = |records: &[String]| {
        let frames = records
            .iter()
            .map(|it| (FrameKind::Purchase, it.as_bytes()));
        let account = (FrameKind::Account, &account_record[..]);
        let frames: Vec<_> = [account].into_iter().chain(frames).collect();
        made_of(&frames, counts)
    };
    let first = purchase("home", "a", 5);
    let two = backup(&[first.clone(), purchase("home", "b", 0)]);
    assert_eq!(verified(&two).unwrap(), counts);
    for (second, named) in [
        (purchase("x", "b", 0), "unknown account"),
        (purchase("home", "a", 0), "a second purchase"),
        (purchase("home", "", 0), "invalid record"),
        (purchase("home", "b", 6), "invalid record"),
    ] {
        let error = verified(&backup(&[first.clone(), second])).unwrap_err();
        assert!(error.to_string().contains(named), "{named}: {error}");
    }
}

#[test]
fn a_file_that_is_there_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("data"));
    let file = dir.path().join("backup");
    fs::write(&file, "mine").unwrap();
    assert!(matches!(take(&store, &file), Err(BackupError::Exists(_))));
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    fs::remove_file(&file).unwrap();
    // The remains of a kill do no harm.
    fs::write(dir.path().join(".backup.part"), vec![1; 100_000]).unwrap();
    take(&store, &file).unwrap();
    assert!(!dir.path().join(".backup.part").exists());
    verified(&fs::read(&file).unwrap()).unwrap();
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("data"));
    let file: PathBuf = dir.path().join("backup");
    let stopped = write_backup(
        &file,
        at(NOW),
        |cursor| store.backup_page(&cursor),
        |_| Err(BackupError::Stopped),
    );
    assert!(matches!(stopped, Err(BackupError::Stopped)));
    let nowhere = dir.path().join("missing").join("backup");
    assert!(matches!(
        take(&store, &nowhere),
        Err(BackupError::Io { .. })
    ));
    let names: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    assert_eq!(names, ["data"]);
}

#[test]
fn a_damaged_store_is_not_copied_in_silence() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("data"));
    let volume = dir.path().join("data/blocks/00000001");
    let mut bytes = fs::read(&volume).unwrap();
    // The block at the end is that of the newest readings.
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&volume, bytes).unwrap();
    let file = dir.path().join("backup");
    let error = take(&store, &file).unwrap_err();
    assert!(
        matches!(&error, BackupError::Store(StoreError::Damaged(what)) if what.contains("\"house\""))
    );
    assert!(!file.exists());
}

proptest! {
    /// No content with valid checksums panics.
    #[test]
    fn no_content_panics(
        kind in prop_oneof![Just(FrameKind::Account), Just(FrameKind::Sensor), Just(FrameKind::Arrivals), Just(FrameKind::Readings)],
        at_byte in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        noise in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let block = crate::store::blocks::block::encode(&[reading(1, 1.0), reading(2, 3.0)]).unwrap();
        let readings = [b"\x01a", &block[..]].concat();
        let account = br#"{"name":"home","plan":"paid","zone":"UTC","created":0}"#;
        let sensor = br#"{"id":"a","account":"home","name":"A","authorized":true,"created":0}"#;
        let arrivals = br#"{"sensor":"a","arrivals":null,"last_assigned":7}"#;
        let mut frames: Vec<(FrameKind, Vec<u8>)> = vec![
            (FrameKind::Account, account.to_vec()),
            (FrameKind::Sensor, sensor.to_vec()),
            (FrameKind::Arrivals, arrivals.to_vec()),
            (FrameKind::Readings, readings),
        ];
        let counts = StoreCounts { accounts: 1, sensors: 1, arrivals: 1, readings: 2, ..StoreCounts::default() };
        let made = |frames: &[(FrameKind, Vec<u8>)]| {
            let frames: Vec<(FrameKind, &[u8])> = frames.iter().map(|(kind, content)| (*kind, &content[..])).collect();
            made_of(&frames, counts)
        };
        prop_assert_eq!(verified(&made(&frames)).unwrap(), counts);
        for (_, content) in frames.iter_mut().filter(|(of, _)| *of == kind) {
            let place = at_byte.index(content.len());
            content[place] = byte;
        }
        // A changed name may still be a valid name: this must only terminate.
        let _ = verified(&made(&frames));
        for (_, content) in frames.iter_mut().filter(|(of, _)| *of == kind) {
            content.clone_from(&noise);
        }
        prop_assert!(verified(&made(&frames)).is_err());
    }
}

#[test]
fn nothing_is_touched_unless_all_is_good() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("backup");
    let mut bytes = small();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let new = dir.path().join("new");
    assert!(matches!(
        restored(&file, &new),
        Err(BackupError::Damaged { .. })
    ));
    assert!(!new.exists());

    bytes[last] ^= 1;
    fs::write(&file, &bytes).unwrap();
    // The remains of an interrupted restore are no store.
    fs::create_dir_all(new.join("restoring").join("facts")).unwrap();
    fs::write(new.join("restoring").join("facts").join("a"), "cut short").unwrap();
    restored(&file, &new).unwrap();
    let again = restored(&file, &new).unwrap_err();
    assert!(
        matches!(&again, BackupError::Store(StoreError::NotEmpty { holds, .. }) if ["blocks", "log", "facts"].contains(&holds.as_str()))
    );
}

/// The hash of the password "correct horse".
fn password() -> PasswordHash {
    Password::new("correct horse")
        .unwrap()
        .hash([7; 16])
        .unwrap()
}

/// [`filled`], with an administrator.
fn administered(dir: &Path) -> Store {
    let store = filled(dir);
    administer(&store);
    store
}

fn administer(store: &Store) {
    let first = store.edit(move |edit| edit.put_first_administrator(password()));
    first.unwrap();
}

#[test]
fn the_administrator_comes_along() {
    let dir = tempfile::tempdir().unwrap();
    let store = administered(&dir.path().join("data"));
    let file = dir.path().join("backup");
    let written = take(&store, &file).unwrap();
    assert_eq!(written.counts.administrators, 1);
    restored(&file, &dir.path().join("new")).unwrap();
    let copy = open(&dir.path().join("new"));
    assert_eq!(described(&copy), described(&store));
    assert_eq!(copy.registry().administrator(), Some(&password()));
}

#[test]
fn there_is_one_administrator() {
    let record = format!("{{\"password_hash\":\"{}\"}}", password().as_str());
    let one = (FrameKind::Administrator, record.as_bytes());
    let counts = |administrators| StoreCounts {
        administrators,
        ..StoreCounts::default()
    };
    assert_eq!(verified(&made_of(&[one], counts(1))).unwrap(), counts(1));
    for (frames, mentions) in [
        (made_of(&[one, one], counts(2)), "a second administrator"),
        (made_of(&[one], counts(0)), "differ"),
        (
            made_of(
                &[(FrameKind::Administrator, b"{\"password_hash\":\"x\"}")],
                counts(1),
            ),
            "invalid record",
        ),
    ] {
        let error = verified(&frames).unwrap_err().to_string();
        assert!(error.contains(mentions), "{error}");
    }
}

/// A store with something of every persistent kind.
pub(in crate::store::care) fn whole(dir: &Path) -> Store {
    let store = administered(dir);
    enter_whole(&store);
    store
}

fn enter_whole(store: &Store) {
    enter_all(store, [600, 50]);
    let (person, tablet) = person_and_tablet();
    store.edit(move |edit| edit.add_person(person)).unwrap();
    store.edit(move |edit| edit.add_tablet(tablet)).unwrap();
    let broker = (ServiceSetting::MqttBroker, SettingValue::text("mqtt://a"));
    store
        .edit(move |edit| edit.put_settings([broker].into()))
        .unwrap();
}

/// [`whole`], and all that came later: a new kind of entry, a new setting or a new count is added
/// here, and its records to the fixtures of the next release.
pub(in crate::store::care) fn complete(dir: &Path) -> Store {
    let store = open_with(dir, 16);
    complete_in(&store);
    store
}

/// The same in an empty store of any backend.
pub(in crate::store::care) fn complete_in(store: &Store) {
    register_house(store);
    fill(store);
    administer(store);
    enter_whole(store);
    let home = AccountName::new("home").unwrap();
    add_days(store, &home);
    add_formats(store, &home);
    add_offers(store, &home);
    add_purchases(store, &home);
    add_tenancies(store, &home);
    let home_assistant = HomeAssistantEntry {
        address: "http://ha.lan:8123".parse().unwrap(),
        token_file: None,
        sensors: Vec::new(),
        send: true,
        prices: vec![EntityId::new("sensor.price").unwrap()],
    };
    let entry = AccountEntry::HomeAssistant(Box::new(home_assistant));
    put_entry(store, &home, entry);
    let settings = ServiceSetting::ALL
        .into_iter()
        .map(|it| (it, SettingValue::text(it.as_str())));
    let settings = settings.collect();
    store.edit(move |edit| edit.put_settings(settings)).unwrap();
    begin_visits(store);
}

/// A session of a person, and a linked user of the administrator.
fn begin_visits(store: &Store) {
    let owner = SessionOwner::Person(PersonName::new("Anna").unwrap());
    let session = Session::begun(SessionId([1; 32]), owner, at(NOW));
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let begun = store.edit_async(move |edit| edit.begin_session(session, &password()));
    runtime.unwrap().block_on(begun).unwrap();
    let linked = LinkedUser {
        user: HomeUser::new(HomeUserId::new("0f3c").unwrap(), []).unwrap(),
        owner: SessionOwner::Administrator,
        linked: at(NOW),
    };
    let link = store.edit(move |edit| edit.link_user(linked, &password()));
    link.unwrap();
}

/// The same store makes the same backup on every machine. If this fails on all, a compressor or the
/// format has changed.
#[test]
fn a_backup_is_the_same_bytes_on_every_machine() {
    let dir = tempfile::tempdir().unwrap();
    let store = administered(&dir.path().join("data"));
    take(&store, &dir.path().join("backup")).unwrap();
    let backup = fs::read(dir.path().join("backup")).unwrap();
    // A backup ends with the hash of the bytes before.
    let hash = &backup[backup.len() - 32..];
    assert_eq!(
        format!("{hash:02x?}").replace(", ", ""),
        format!("[{BACKUP}]")
    );
}

const BACKUP: &str = "118764bf8e77699449133b328b8c1ef2ef5030a9b9b2c71b2a7b70d646929acc";

/// A person and a wall tablet of the account `home`.
fn person_and_tablet() -> (Person, WallTablet) {
    let home = AccountName::new("home").unwrap();
    let person = Person {
        name: PersonName::new("Anna").unwrap(),
        password: password(),
        accounts: [(home.clone(), Membership::Member)].into(),
        created: at(NOW),
    };
    let tablet = WallTablet {
        name: WallName::new("hall").unwrap(),
        account: home,
        session: SessionId([7; 32]),
        created: at(NOW),
        last_used: Some(at(NOW)),
    };
    (person, tablet)
}

#[test]
fn people_and_tablets_come_along_without_sessions_and_links() {
    let dir = tempfile::tempdir().unwrap();
    let store = administered(&dir.path().join("data"));
    let (person, tablet) = person_and_tablet();
    let (added, hung) = (person.clone(), tablet.clone());
    store.edit(move |edit| edit.add_person(added)).unwrap();
    store.edit(move |edit| edit.add_tablet(hung)).unwrap();
    begin_visits(&store);
    let file = dir.path().join("backup");
    let written = take(&store, &file).unwrap();
    assert_eq!((written.counts.people, written.counts.tablets), (1, 1));
    restored(&file, &dir.path().join("new")).unwrap();
    let copy = open(&dir.path().join("new")).registry();
    assert_eq!(copy.person(&person.name), Some(&person));
    assert_eq!(copy.tablet(&tablet.session), Some(&tablet));
    assert!(copy.session(&SessionId([1; 32]), at(NOW)).is_none());
    assert_eq!(copy.linked_users().count(), 0);
}

#[test]
fn people_and_tablets_have_accounts_and_names_of_their_own() {
    let account = br#"{"name":"home","plan":"paid","zone":"UTC","created":0}"#;
    let home = (FrameKind::Account, account.as_slice());
    let hash = password();
    let person = |account: &str| {
        let (name, hash) = ("Anna", hash.as_str());
        format!(
            r#"{{"name":"{name}","password_hash":"{hash}","accounts":{{"{account}":"viewer"}},"created":0}}"#
        )
    };
    let tablet = |account: &str| {
        let session = vec!["7"; 32].join(",");
        format!(
            r#"{{"name":"hall","account":"{account}","session":[{session}],"created":0,"last_used":null}}"#
        )
    };
    let (anna, stranger) = (person("home"), person("x"));
    let (hall, lost) = (tablet("home"), tablet("x"));
    let anna = (FrameKind::Person, anna.as_bytes());
    let hall = (FrameKind::Tablet, hall.as_bytes());
    let counts = |people, tablets| StoreCounts {
        accounts: 1,
        people,
        tablets,
        ..StoreCounts::default()
    };
    let found = verified(&made_of(&[home, anna, hall], counts(1, 1))).unwrap();
    assert_eq!(found, counts(1, 1));
    for (frames, mentions) in [
        (vec![home, anna, anna], "a second person"),
        (vec![home, hall, hall], "a second wall tablet"),
        (
            vec![home, (FrameKind::Person, stranger.as_bytes())],
            "unknown account",
        ),
        (
            vec![home, (FrameKind::Tablet, lost.as_bytes())],
            "unknown account",
        ),
        (vec![home, (FrameKind::Person, b"{}")], "invalid record"),
    ] {
        let error = verified(&made_of(&frames, counts(2, 2))).unwrap_err();
        assert!(error.to_string().contains(mentions), "{error}");
    }
}

#[test]
fn settings_of_the_service_come_along_without_their_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let store = administered(&dir.path().join("data"));
    let broker = (ServiceSetting::MqttBroker, SettingValue::text("mqtt://a"));
    let password = SettingValue::text("hunter2");
    let settings = [broker.clone(), (ServiceSetting::MqttPassword, password)];
    store
        .edit(move |edit| edit.put_settings(settings.into()))
        .unwrap();
    let file = dir.path().join("backup");
    let written = take(&store, &file).unwrap();
    assert_eq!(written.counts.settings, 2);
    restored(&file, &dir.path().join("new")).unwrap();
    let copy = open(&dir.path().join("new")).registry();
    let missing = (ServiceSetting::MqttPassword, SettingValue::Missing);
    assert_eq!(*copy.settings(), [broker, missing].into());
    // And again, from there.
    let again = dir.path().join("again");
    take(&open(&dir.path().join("new")), &again).unwrap();

    let record = br#"{"values":{"mqtt.broker":"mqtt://a"},"secrets":[]}"#;
    let one = (FrameKind::Settings, record.as_slice());
    let counts = |settings| StoreCounts {
        settings,
        ..StoreCounts::default()
    };
    assert_eq!(verified(&made_of(&[one], counts(1))).unwrap(), counts(1));
    for (frames, mentions) in [
        (made_of(&[one, one], counts(2)), "the settings twice"),
        (
            made_of(&[(FrameKind::Settings, b"{}")], counts(0)),
            "invalid record",
        ),
    ] {
        let error = verified(&frames).unwrap_err().to_string();
        assert!(error.contains(mentions), "{error}");
    }
}
