//! Tests of the registry in a real PostgreSQL.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::*;

use super::PostgresRegistry;
use crate::domain::time::at;
use crate::domain::{
    Account, AccountName, ApiId, ApiKey, Credential, Currency, Decimal, EntryKind, HomeUser,
    HomeUserId, LinkedUser, LocalDate, Membership, Meter, MeterKind, Password, PasswordHash,
    Person, PersonName, Phases, Plan, Role, Scope, Sensor, SensorId, SentParts, ServiceSetting,
    Session, SessionId, SessionOwner, SettingValue, WallName, WallTablet, Zone,
};
use crate::ledger::contract::{DateSpan, DayList, Label, SeriesPrice};
use crate::ledger::notice::{Notice, NoticeChange, NoticeKey, NoticeKind, NoticeSubject};
use crate::ledger::{Author, Correction, Fact, FactRange, Made};
use crate::store::backend::{EditJob, RegistryBackend as _};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::postgres::database::Postgres;
use crate::store::postgres::front_end::RegistryPace;
use crate::store::postgres::leader::Leadership;
use crate::store::postgres::test_server::PostgresServer;
use crate::store::postgres::{PostgresPurpose, PostgresSettings};
use crate::store::records::{KeyedRecord, Order, RecordKind, RecordsView};
use crate::store::registry::{AccountEntry, EntryName, Registry, RegistryEdit};
use crate::store::settings::{OpenMode, StoreSettings};

const HOUR: i64 = 3_600_000;
/// Longer than any test.
const NEVER: Duration = Duration::from_hours(1);
/// Looks when notified, and trusts its copy.
const TOLD: RegistryPace = RegistryPace {
    look_every: NEVER,
    stale_after: NEVER,
};
/// Looks all the time.
const KEEN: RegistryPace = RegistryPace {
    look_every: Duration::from_millis(20),
    stale_after: NEVER,
};

fn settings(url: &str) -> PostgresSettings {
    PostgresSettings {
        url: url.parse().unwrap(),
        password_file: None,
        allow_async: true,
        allow_clear_text_password: false,
        connections: 3,
    }
}

fn postgres(url: &str) -> Postgres {
    let purpose = PostgresPurpose::Use(OpenMode::CreateIfMissing);
    Postgres::open(settings(url), purpose).unwrap()
}

fn front(url: &str, pace: RegistryPace) -> PostgresRegistry {
    PostgresRegistry::open(Arc::new(postgres(url)), pace, true).unwrap()
}

/// Waits as long as it takes.
fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        thread::sleep(Duration::from_millis(5));
    }
}

fn account(n: u8) -> AccountName {
    AccountName::new(&format!("account {}", n % 3)).unwrap()
}

fn sensor_id(n: u8) -> SensorId {
    SensorId::new(&format!("sensor {}", n % 5)).unwrap()
}

fn sensor(n: u8, of: u8) -> Sensor {
    Sensor {
        id: sensor_id(n),
        account: account(of),
        name: format!("{n} of {of}"),
        authorized: true,
        role: Role::Grid,
        meter: Meter::new(MeterKind::Net),
        part_of: (of % 4 == 3).then(|| sensor_id(of)),
        silent_after: None,
        is_announced: true,
        sent_parts: SentParts::default(),
        created: at(i64::from(n)),
    }
}

fn api_id(n: u8) -> ApiId {
    ApiId::new(&format!("id{}", n % 4)).unwrap()
}

fn credential(n: u8, of: u8) -> Credential {
    Credential {
        api_id: api_id(n),
        account: account(of),
        scope: Scope::Full,
        label: format!("{n}"),
        key_hash: ApiKey::new(&format!("key {of}")).unwrap().hash(),
        created: at(0),
    }
}

fn put_account(n: u8) -> EditJob {
    let made = Account {
        name: account(n),
        plan: Plan::Paid,
        zone: Zone::UTC,
        phases: if n.is_multiple_of(2) {
            Phases::Balanced
        } else {
            Phases::Separate
        },
        created: at(i64::from(n)),
    };
    Box::new(|edit| edit.put_account(made))
}

fn person(n: u8, password: &PasswordHash) -> Person {
    Person {
        name: PersonName::new(&format!("person {}", n % 3)).unwrap(),
        password: password.clone(),
        accounts: [(account(n), Membership::Member)].into(),
        created: at(i64::from(n)),
    }
}

fn prices(first: u8, count: u8) -> Vec<SeriesPrice> {
    let price = |n: i64| SeriesPrice {
        from: at(n * HOUR),
        to: at((n + 1) * HOUR),
        price: Decimal::from_millionths(n * 7_919 % 900_001),
    };
    let first = i64::from(first) * 9;
    // Enough for several chunks.
    (first..first + 1 + 4 * i64::from(count))
        .map(price)
        .collect()
}

/// Days in two years.
fn days(name: &Label, (a, b): (u8, u8)) -> DayList {
    let kind = |n: i32| Label::new(&format!("type {}", n % i32::from(1 + b))).unwrap();
    let first = LocalDate::new(2026, 1 + a, 9).unwrap();
    let days = (0..200).map(|n| (first.plus_days(2 * n).unwrap(), kind(n)));
    DayList::new(name.clone(), days.collect())
}

fn made(n: u8) -> Made {
    Made::new(at(i64::from(n)), Author::CommandLine, "why").unwrap()
}

/// A change of one of many kinds, with few names, so that some changes are refused and some undo
/// others.
fn change((what, a, b): (u8, u8, u8), password: PasswordHash) -> EditJob {
    Box::new(move |edit| people_or_more((what, a, b), password, edit))
}

fn people_or_more(
    (what, a, b): (u8, u8, u8),
    password: PasswordHash,
    edit: &mut RegistryEdit<'_>,
) -> Result<(), StoreError> {
    let label = Label::new(&format!("series {}", b % 2)).unwrap();
    match what % 22 {
        0 | 1 => put_account(a)(edit),
        2 => edit.remove_account(&account(a)),
        3 | 4 => edit.put_credential(credential(b, a)),
        5 => edit.remove_credential(&api_id(b)),
        6 => edit.add_person(person(a, &password)).map(drop),
        7 => {
            let accounts = BTreeMap::from([(account(b), Membership::Viewer)]);
            edit.set_memberships(&person(a, &password).name, accounts)
                .map(drop)
        }
        8 => edit.remove_person(&person(a, &password).name),
        9 if b % 2 == 0 => edit.put_first_administrator(password),
        9 => edit.put_administrator(password),
        10 => {
            let owner = match b % 2 {
                0 => SessionOwner::Administrator,
                _ => SessionOwner::Person(person(a, &password).name),
            };
            let session = Session::begun(SessionId([a; 32]), owner, at(i64::from(b)));
            edit.begin_session(session, &password)
        }
        11 if b % 4 == 0 => {
            edit.end_session(SessionId([a; 32]));
            Ok(())
        }
        11 => change_link((a, b), &password, edit),
        12 => {
            let euros = (b % 2 == 0).then(|| Currency::new("EUR").unwrap());
            let of = (&label, euros.as_ref());
            edit.put_prices(&account(a), of, prices(b, a)).map(drop)
        }
        13 => {
            let range = (at(i64::from(a) * HOUR), at(i64::from(b) * 9 * HOUR));
            edit.remove_prices(&account(a), &label, range).map(drop)
        }
        18 => edit.put_days(&account(a), &days(&label, (a, b))),
        19 => {
            let from = LocalDate::new(2026, 1 + b, 1);
            let dates = DateSpan { from, end: None };
            edit.remove_days(&account(a), &label, dates).map(drop)
        }
        20 => {
            let text = "x".repeat(usize::from(b) * 500).into();
            edit.put_entry(&account(a), AccountEntry::Format(label, text), None)
        }
        21 => edit.remove_entry(&account(a), EntryKind::Format, &EntryName::Name(label)),
        what => facts_or_more((what, a, b), edit),
    }
}

/// Links a user of Home Assistant, begins a session of theirs, or unlinks them.
fn change_link(
    (a, b): (u8, u8),
    password: &PasswordHash,
    edit: &mut RegistryEdit<'_>,
) -> Result<(), StoreError> {
    let id = HomeUserId::new(&format!("user {}", a % 3)).unwrap();
    let owner = SessionOwner::Person(person(b, password).name);
    if b % 4 == 1 {
        return edit.unlink_user(&id, (a % 2 == 0).then_some(&owner));
    }
    let session = Session {
        by: Some(id.clone()),
        ..Session::begun(SessionId([a; 32]), owner.clone(), at(i64::from(b)))
    };
    if b % 4 == 2 {
        return edit.begin_linked_session(session);
    }
    let linked = LinkedUser {
        user: HomeUser::new(id, ["Anna"]).unwrap(),
        owner,
        linked: at(i64::from(b)),
    };
    edit.link_user(linked, password)?;
    edit.begin_linked_session(session)
}

fn facts_or_more(
    (what, a, b): (u8, u8, u8),
    edit: &mut RegistryEdit<'_>,
) -> Result<(), StoreError> {
    match what {
        14 => {
            let tablet = WallTablet {
                name: WallName::new(&format!("wall {}", a % 3)).unwrap(),
                account: account(b),
                session: SessionId([b; 32]),
                created: at(0),
                last_used: None,
            };
            match a % 4 {
                0 => edit.remove_tablet(&tablet.name),
                _ => edit.add_tablet(tablet).map(drop),
            }
        }
        15 => {
            let value = (b % 3 > 0).then(|| SettingValue::text(&format!("value {b}")));
            let setting = match a % 2 {
                0 => ServiceSetting::MqttBroker,
                _ => ServiceSetting::MqttPassword,
            };
            edit.change_settings([(setting, value)].into())
        }
        16 => {
            let range = FactRange::new(at(i64::from(b)), at(i64::from(b) + 1)).unwrap();
            let correction = Correction::new(1, sensor_id(a), made(a), Fact::Wrong(range));
            match b % 3 {
                0 => edit
                    .revoke_correction(&account(a), u32::from(b % 4), made(b))
                    .map(drop),
                _ => edit
                    .add_correction(&account(b), correction.unwrap())
                    .map(drop),
            }
        }
        _ => {
            let notice = Notice {
                kind: NoticeKind::EventOpen,
                subject: NoticeSubject::Sensor(sensor_id(a)),
                since: at(0),
                happened: String::new(),
            };
            let key = NoticeKey::of(Some(account(b)), &notice);
            edit.change_notices(vec![(key, NoticeChange::Opened(notice, at(1)))])
        }
    }
}

fn told<T>(result: Result<T, StoreError>) -> Result<(), String> {
    result.map(drop).map_err(|error| error.to_string())
}

/// Makes the same change in both backends.
fn change_both(
    store: &Store,
    front: &PostgresRegistry,
    (what, a, b): (u8, u8, u8),
    password: &PasswordHash,
) -> (Result<(), String>, Result<(), String>) {
    match what {
        0..20 => {
            let job = || change((what, a, b), password.clone());
            (told(store.edit(job())), told(front.edit(job())))
        }
        20..23 => {
            let id = sensor_id(a);
            let embedded = store.remove_sensor_durably(&id);
            (told(embedded), told(front.remove_sensor(&id)))
        }
        _ => {
            let sensor = sensor(a, b);
            let embedded = store.put_sensor_durably(sensor.clone());
            let job = Box::new(|_| Ok(sensor));
            (told(embedded), told(front.put_sensor(&sensor_id(a), job)))
        }
    }
}

fn records(front: &PostgresRegistry, kind: RecordKind) -> Vec<KeyedRecord> {
    let mut records = Vec::new();
    let mut job = |view: &dyn RecordsView| {
        records = view.all(kind)?;
        Ok(())
    };
    front.read_records(&mut job).unwrap();
    records
}

fn shown(registry: &Registry) -> String {
    format!("{registry:?}")
}

/// Reads parts of a kind through both views.
fn check_ranges(one: &dyn RecordsView, other: &dyn RecordsView, kind: RecordKind) {
    let all = one.all(kind).unwrap();
    let keys: Vec<&[u8]> = all.iter().step_by(3).map(|(key, _)| &**key).collect();
    for (from, to) in keys
        .iter()
        .flat_map(|from| keys.iter().map(move |to| (*from, *to)))
    {
        let ranges = [
            (Bound::Included(from), Bound::Excluded(to)),
            (Bound::Excluded(from), Bound::Included(to)),
            (Bound::Included(from), Bound::Unbounded),
            (Bound::Unbounded, Bound::Excluded(to)),
        ];
        for (range, order) in ranges.into_iter().zip([
            Order::Ascending,
            Order::Descending,
            Order::Descending,
            Order::Ascending,
        ]) {
            let found = one.range(kind, range, order, 3).unwrap();
            assert_eq!(found, other.range(kind, range, order, 3).unwrap());
        }
        assert_eq!(one.get(kind, from).unwrap(), other.get(kind, from).unwrap());
    }
    assert_eq!(other.get(kind, b"nothing").unwrap(), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    /// Changes equal those of the embedded store, down to the bytes, and another front-end sees
    /// each of them.
    #[test]
    #[ignore = "needs postgres"]
    fn postgres_registry_is_that_of_the_embedded_store(
        changes in vec((0_u8..30, 0_u8..12, 0_u8..12), 120),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreSettings::default(), OpenMode::CreateIfMissing);
        let store = store.unwrap();
        let server = PostgresServer::shared();
        let database = server.create_database();
        let fronts = [front(&server.url(&database), TOLD), front(&server.url(&database), TOLD)];
        let password = Password::new("a password").unwrap().hash([1; 16]).unwrap();
        for (n, step) in changes.into_iter().enumerate() {
            let (embedded, postgres) = change_both(&store, &fronts[n % 2], step, &password);
            prop_assert_eq!(embedded, postgres, "{:?}", step);
            prop_assert_eq!(shown(&store.registry()), shown(&fronts[n % 2].registry()));
        }
        let facts = &store.shared().facts;
        for front in &fronts {
            until(|| shown(&front.registry()) == shown(&store.registry()));
            for kind in RecordKind::ALL {
                prop_assert_eq!(facts.all(kind).unwrap(), records(front, kind), "{:?}", kind);
            }
            let mut compare = |view: &dyn RecordsView| {
                check_ranges(facts, view, RecordKind::Prices);
                check_ranges(facts, view, RecordKind::Sensors);
                Ok(())
            };
            front.read_records(&mut compare).unwrap();
        }
        // Each sensor has a number, and a row of `activity`; removed sensors left nothing.
        let names = store.registry().sensors().map(|it| it.id.to_string()).collect::<Vec<_>>();
        let numbered = "select name from sensors join activity on sensor = id order by name";
        prop_assert_eq!(server.sql(&database, numbered), names.join("\n"));
        let counts = "select count(*) from activity";
        prop_assert_eq!(server.sql(&database, counts), names.len().to_string());
        // A front-end that starts now knows the same.
        drop(fronts);
        let late = front(&server.url(&database), TOLD);
        prop_assert_eq!(shown(&late.registry()), shown(&store.registry()));
    }
}

#[test]
#[ignore = "needs postgres"]
fn postgres_registry_is_looked_at_even_if_nobody_tells() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let front = front(&server.url(&database), KEEN);
    front.edit(put_account(0)).unwrap();
    front
        .edit(Box::new(|edit| edit.put_credential(credential(0, 0))))
        .unwrap();
    assert!(front.registry().credential(&api_id(0)).is_some());
    // As if another front-end had revoked it, and its notification was lost.
    let kind = RecordKind::Credentials.number();
    server.sql(
        &database,
        &format!(
            "begin; delete from records where kind = {kind};
            update registry_versions set version = version + 1 where kind in (0, {kind}); commit;"
        ),
    );
    until(|| front.registry().credential(&api_id(0)).is_none());
    assert!(front.registry().account(&account(0)).is_some());
}

#[test]
#[ignore = "needs postgres"]
fn postgres_registry_loads_only_the_sensors_that_changed() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let fronts = [0, 1].map(|_| front(&server.url(&database), TOLD));
    fronts[0].edit(put_account(0)).unwrap();
    let put = |n: u8, name: &str| {
        let put = Sensor {
            name: name.into(),
            ..sensor(n, 0)
        };
        let job = Box::new(|_| Ok(put));
        fronts[0].put_sensor(&sensor_id(n), job).unwrap();
    };
    let name = |n| {
        let registry = fronts[1].registry();
        registry.sensor(&sensor_id(n)).map(|it| it.name.clone())
    };
    for n in 0..3 {
        put(n, "first");
    }
    until(|| name(2).is_some());
    // Changed without the front-ends: a front-end that reloads will see it.
    let kind = RecordKind::Sensors.number();
    let (one, other) = (sensor_id(0), sensor_id(1));
    let swap = format!(
        "update records set value = (select value from records where kind = {kind} and key = '{other}') \
         where kind = {kind} and key = '{one}'"
    );
    put(1, "second");
    until(|| name(1).as_deref() == Some("second"));
    server.sql(&database, &swap);
    put(2, "third");
    until(|| name(2).as_deref() == Some("third"));
    assert_eq!(name(0).as_deref(), Some("first"));
    mark_removed(&fronts[0], &sensor_id(2));
    until(|| name(2).is_none());
    assert_eq!(name(0).as_deref(), Some("first"));
    // Without a log of all versions in between, everything is loaded.
    server.sql(
        &database,
        &format!("update registry_versions set version = version + 1 where kind in (0, {kind})"),
    );
    put(1, "fourth");
    until(|| name(1).as_deref() == Some("fourth"));
    assert_eq!(name(0).as_deref(), Some("second"));
    // The log does not grow without bounds.
    let account = |edit: &mut RegistryEdit<'_>| edit.update_account(&account(0), |_| {}).map(drop);
    fronts[0].edit(Box::new(account)).unwrap();
    server.sql(
        &database,
        "update registry_versions set version = version + 100000 where kind = 0",
    );
    fronts[0].edit(Box::new(account)).unwrap();
    assert_eq!(
        server.sql(&database, "select count(*) from registry_log"),
        "1"
    );
}

#[test]
#[ignore = "needs postgres"]
fn postgres_registry_that_is_too_old_lets_nobody_in() {
    let server = PostgresServer::start(&[]);
    let pace = RegistryPace {
        look_every: Duration::from_millis(20),
        stale_after: Duration::from_secs(1),
    };
    let front = front(&server.url("postgres"), pace);
    front.edit(put_account(0)).unwrap();
    server.stop();
    until(|| front.unavailable().is_some());
    let why = front.unavailable();
    assert!(matches!(why, Some(StoreError::NotForNow(_))), "{why:?}");
    let failed = front.edit(put_account(1));
    assert!(
        matches!(failed, Err(StoreError::NotForNow(_))),
        "{failed:?}"
    );
    assert!(!front.is_leader());
    // It still answers, but admits no readers or uploads.
    assert_eq!(front.registry().accounts().count(), 1);
    assert!(matches!(front.snapshot()(), Err(StoreError::NotForNow(_))));
    server.start_again();
    until(|| front.unavailable().is_none());
    // After a server took over, the same number may mean something else: after a lost connection,
    // everything is reloaded.
    let kind = RecordKind::Accounts.number();
    let delete = format!("delete from records where kind = {kind}");
    server.sql("postgres", &delete);
    let end = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'wattkeeper'";
    server.sql("postgres", end);
    until(|| front.registry().accounts().count() == 0);
    until(|| front.is_leader());
    until(|| front.edit(put_account(1)).is_ok());
    assert_eq!(front.registry().accounts().count(), 1);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_registry_does_not_trust_a_server_that_no_longer_waits_for_its_standby() {
    let server = PostgresServer::start(&[]);
    let standby = server.standby();
    let pace = RegistryPace {
        look_every: Duration::from_millis(20),
        stale_after: Duration::from_secs(1),
    };
    let settings = PostgresSettings {
        allow_async: false,
        allow_clear_text_password: false,
        ..settings(&server.url("postgres"))
    };
    let postgres =
        Postgres::open(settings, PostgresPurpose::Use(OpenMode::CreateIfMissing)).unwrap();
    let front = PostgresRegistry::open(Arc::new(postgres), pace, true).unwrap();
    until(|| front.unavailable().is_none());
    let standbys = server.sql("postgres", "show synchronous_standby_names");
    server.set("synchronous_standby_names", "");
    until(|| front.unavailable().is_some());
    server.set("synchronous_standby_names", &standbys);
    until(|| front.unavailable().is_none());
    standby.kill();
    until(|| front.unavailable().is_some());
    standby.start_again();
    until(|| front.unavailable().is_none());
}

#[test]
#[ignore = "needs postgres"]
fn postgres_registry_loses_no_change_of_two_front_ends() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let url = server.url(&database);
    let fronts = [front(&url, TOLD), front(&url, TOLD)];
    fronts[0].edit(put_account(0)).unwrap();
    thread::scope(|scope| {
        for (n, front) in fronts.iter().enumerate() {
            for part in 0..2 {
                scope.spawn(move || {
                    for one in 0..25 {
                        // Each thread adds to the label that all others made.
                        let job = Box::new(|edit: &mut RegistryEdit<'_>| {
                            let known = edit.registry.credential(&api_id(0)).cloned();
                            let mut next = known.unwrap_or_else(|| credential(0, 0));
                            next.label += "+";
                            edit.put_credential(next)
                        });
                        front.edit(job).unwrap();
                        // And adds a sensor of its own.
                        let id = format!("{n} {part} {one}");
                        let id = SensorId::new(&id).unwrap();
                        let made = Sensor {
                            id: id.clone(),
                            ..sensor(0, 0)
                        };
                        front.put_sensor(&id, Box::new(|_| Ok(made))).unwrap();
                    }
                });
            }
        }
    });
    for front in &fronts {
        let is_all = |registry: &Registry| {
            let label = registry.credential(&api_id(0)).unwrap().label.len();
            (label, registry.sensors().count()) == (101, 100)
        };
        until(|| is_all(&front.registry()));
    }
    let numbers = "select count(distinct id), count(distinct sensor) from sensors join activity on sensor = id";
    assert_eq!(server.sql(&database, numbers), "100|100");
}

#[test]
#[ignore = "needs postgres"]
fn postgres_registry_stays_as_it_is_after_an_error() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let front = front(&server.url(&database), TOLD);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(front.edit_async(put_account(0))).unwrap();
    let before = shown(&front.registry());
    let versions = server.sql(&database, "select * from registry_versions order by kind");
    let half = || -> EditJob {
        Box::new(|edit| {
            put_account(1)(edit)?;
            edit.remove_credential(&api_id(0))
        })
    };
    for refused in [
        front.edit(half()),
        runtime.block_on(front.edit_async(half())),
    ] {
        assert!(matches!(refused, Err(StoreError::UnknownCredential(_))));
    }
    // A job without effect makes no change.
    let end = |edit: &mut RegistryEdit<'_>| {
        edit.end_session(SessionId([0; 32]));
        Ok(())
    };
    front.edit(Box::new(end)).unwrap();
    assert_eq!(shown(&front.registry()), before);
    let same = server.sql(&database, "select * from registry_versions order by kind");
    assert_eq!(same, versions);
    assert_eq!(server.sql(&database, "select count(*) from records"), "1");
}

/// Gives a sensor readings: rows, blocks, uploads.
fn fill(server: &PostgresServer, database: &str, id: &SensorId, blocks: u32) {
    server.sql(
        database,
        &format!(
            "insert into blocks select id, n, n, 1, ''::bytea, ''::bytea from sensors, generate_series(1, {blocks}) n where name = '{id}';
            insert into hot select id, n, 1, null::float8 from sensors, generate_series(1, 10) n where name = '{id}';
            update activity set unsealed = 10 from sensors where sensor = id and name = '{id}';"
        ),
    );
}

/// Counts blocks, rows, uploads and numbers.
fn left(server: &PostgresServer, database: &str) -> String {
    let counts = "select (select count(*) from blocks), (select count(*) from hot), \
        (select count(*) from activity), (select count(*) from sensors)";
    server.sql(database, counts)
}

/// Marks a sensor as removed, without deleting anything.
fn mark_removed(front: &PostgresRegistry, id: &SensorId) {
    let id = id.clone();
    let mark = move |edit: &mut RegistryEdit<'_>| edit.remove_sensor(&id);
    front.edit(Box::new(mark)).unwrap();
}

#[test]
#[ignore = "needs postgres"]
fn postgres_sensor_goes_with_its_readings_even_if_that_is_cut_short() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let url = server.url(&database);
    // While somebody else is the leader, nobody finishes the interrupted removals.
    let postgres = postgres(&url);
    let leader = postgres.wait(async {
        let leader = postgres.connection().await?;
        let leads = Leadership::default();
        leads.seek(&leader, Instant::now()).await?;
        assert!(leads.leads(NEVER));
        Ok(leader)
    });
    let first = front(&url, TOLD);
    first.edit(put_account(0)).unwrap();
    for n in 0..3 {
        let job = Box::new(move |_| Ok(sensor(n, 0)));
        first.put_sensor(&sensor_id(n), job).unwrap();
        fill(server, &database, &sensor_id(n), 2_500);
    }
    first.remove_sensor(&sensor_id(0)).unwrap();
    assert_eq!(left(server, &database), "5000|20|2|2");
    let gone = first.remove_sensor(&sensor_id(0));
    assert!(
        matches!(gone, Err(StoreError::UnknownSensor(_))),
        "{gone:?}"
    );
    mark_removed(&first, &sensor_id(1));
    mark_removed(&first, &sensor_id(2));
    assert_eq!(left(server, &database), "5000|20|2|2");
    // A sensor registered with the same id has no readings, and a number of its own.
    let number = format!(
        "select id from sensors where name = '{}'",
        sensor_id(1).as_str()
    );
    let before = server.sql(&database, &number);
    let job = Box::new(|known| {
        assert_eq!(known, None);
        Ok(sensor(1, 0))
    });
    first.put_sensor(&sensor_id(1), job).unwrap();
    assert_eq!(left(server, &database), "2500|10|2|2");
    assert_ne!(server.sql(&database, &number), before);
    fill(server, &database, &sensor_id(1), 7);
    // The next leader finishes the other removal, and only that one.
    drop((first, leader));
    let second = front(&url, KEEN);
    until(|| left(server, &database) == "7|10|1|1");
    until(|| records(&second, RecordKind::Sensors).len() == 1);
    assert!(second.registry().sensor(&sensor_id(1)).is_some());
}

#[test]
#[ignore = "needs postgres"]
fn postgres_last_uses_are_the_newest_of_all_front_ends() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let url = server.url(&database);
    let fronts = [front(&url, TOLD), front(&url, TOLD)];
    fronts[0].edit(put_account(0)).unwrap();
    for n in 0..3 {
        let put =
            Box::new(move |edit: &mut RegistryEdit<'_>| edit.put_credential(credential(n, 0)));
        fronts[0].edit(put).unwrap();
    }
    until(|| fronts[1].registry().credentials().count() == 3);
    assert!(!fronts[0].record_use(&api_id(0), at(5)));
    assert!(fronts[0].record_use(&api_id(1), at(HOUR + 5)));
    assert!(!fronts[1].record_use(&api_id(0), at(9)));
    assert!(!fronts[1].record_use(&api_id(1), at(7)));
    for front in &fronts {
        front.write_last_uses().unwrap();
    }
    let known = |front: &PostgresRegistry| [0, 1, 2].map(|n| front.last_use(&api_id(n)));
    let newest = [Some(at(9)), Some(at(HOUR + 5)), None];
    for front in &fronts {
        until(|| known(front) == newest);
    }
    // Written times are not written again.
    let versions = || server.sql(&database, "select * from registry_versions order by kind");
    let before = versions();
    fronts[0].write_last_uses().unwrap();
    assert_eq!(versions(), before);
    let late = front(&url, TOLD);
    assert_eq!(known(&late), newest);
    // A last use is removed with its credential, on every front-end.
    let remove = Box::new(|edit: &mut RegistryEdit<'_>| edit.remove_credential(&api_id(0)));
    fronts[0].edit(remove).unwrap();
    for front in fronts.iter().chain([&late]) {
        until(|| front.last_use(&api_id(0)).is_none());
        front.write_last_uses().unwrap();
    }
    assert_eq!(records(&late, RecordKind::LastUses).len(), 1);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_front_end_leads_alone_until_its_connection_ends() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let url = server.url(&database);
    let (first, second) = (front(&url, TOLD), front(&url, KEEN));
    assert!(first.is_leader());
    // The second front-end looks all the time, and still is not the leader.
    first.edit(put_account(0)).unwrap();
    until(|| second.registry().account(&account(0)).is_some());
    assert!(!second.is_leader());
    let end = "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' \
        and database = (select oid from pg_database where datname = current_database())";
    // The first one may win again, but not each time.
    until(|| {
        server.sql(&database, end);
        until(|| first.is_leader() || second.is_leader());
        second.is_leader()
    });
    until(|| first.is_leader() != second.is_leader());
    let (leader, other) = if first.is_leader() {
        (first, second)
    } else {
        (second, first)
    };
    drop(leader);
    until(|| {
        other.core.wake.notify_one();
        other.is_leader()
    });
    // Another wattkeeper in the same database has a leader of its own.
    server.sql(&database, "create schema another");
    server.sql(
        "postgres",
        &format!("alter database {database} set search_path = another"),
    );
    assert!(front(&url, TOLD).is_leader());
    assert!(other.is_leader());
}

#[test]
#[ignore = "needs postgres"]
fn postgres_front_end_stops_while_the_tables_are_of_a_newer_version() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let pace = RegistryPace {
        stale_after: Duration::from_secs(2),
        ..KEEN
    };
    let front = front(&server.url(&database), pace);
    front.edit(put_account(0)).unwrap();
    server.sql(&database, "update wattkeeper_schema set version = 99");
    until(|| front.unavailable().is_some());
    assert!(!front.is_leader());
    server.sql(&database, "update wattkeeper_schema set version = 1");
    until(|| front.unavailable().is_none() && front.is_leader());
}

#[test]
#[ignore = "needs postgres"]
fn postgres_command_does_not_become_the_leader() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let url = server.url(&database);
    let command = || PostgresRegistry::open(Arc::new(postgres(&url)), KEEN, false).unwrap();
    let (first, second) = (command(), command());
    let front = front(&url, KEEN);
    assert!(front.is_leader());
    drop(front);
    // Whoever shows the account has looked since.
    first.edit(put_account(0)).unwrap();
    until(|| second.registry().account(&account(0)).is_some());
    second.edit(put_account(1)).unwrap();
    until(|| first.registry().account(&account(1)).is_some());
    assert!(!first.is_leader() && !second.is_leader());
}
