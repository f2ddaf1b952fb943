//! Requests against a real store, as a command makes them.

use super::*;
use crate::domain::{
    ApiKey, Measures, MeterKind, Phases, Plan, Role, Scope, SensorId, Sign, Upload, UploadedReading,
};
use crate::store::{OpenMode, StoreSettings};

struct Fixture {
    store: Arc<Store>,
    _dir: tempfile::TempDir,
}

const NOW: &str = "2026-01-05T10:00:00.000Z";

fn now() -> Timestamp {
    Timestamp::parse(NOW).unwrap()
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open_anywhere(
            dir.path(),
            StoreSettings::default(),
            OpenMode::CreateIfMissing,
        );
        Self {
            store: Arc::new(store.unwrap()),
            _dir: dir,
        }
    }

    /// A fixture with an account and a sensor `house`.
    fn with_sensor() -> Self {
        let fixture = Self::new();
        fixture.run(add_account("home")).unwrap();
        fixture.run(add_sensor("house", "home")).unwrap();
        fixture
    }

    fn run(&self, request: Request) -> Result<Response, AdminError> {
        run(&self.store, request, now())
    }

    fn sensor(&self, request: Request) -> SensorRow {
        match self.run(request) {
            Ok(Response::Sensors(rows)) if rows.len() == 1 => rows[0].clone(),
            other => panic!("{other:?}"),
        }
    }

    fn error(&self, request: Request) -> String {
        self.run(request).unwrap_err().to_string()
    }
}

fn add_account(name: &str) -> Request {
    Request::AddAccount(NewAccount {
        name: name.into(),
        plan: Plan::Paid,
        zone: "Europe/Berlin".into(),
        phases: Phases::Separate,
    })
}

fn add_sensor(id: &str, account: &str) -> Request {
    Request::AddSensor {
        id: id.into(),
        account: account.into(),
        terms: SensorTerms::default(),
    }
}

fn add_key(api_id: &str, account: &str, key: &ApiKey) -> Request {
    Request::AddKey(NewKey {
        account: account.into(),
        api_id: api_id.into(),
        key_hash: key.hash(),
        scope: Scope::Write,
        label: "meter".into(),
    })
}

fn find(id: &str) -> Request {
    Request::FindSensor { id: id.into() }
}

fn rows(times: &[i64]) -> Vec<ReadingRow> {
    let row = |&time_ms| ReadingRow {
        time_ms,
        watts: Some(1.0),
        watthours: None,
    };
    times.iter().map(row).collect()
}

fn import(sensor: &str, readings: Vec<ReadingRow>) -> Request {
    Request::Import {
        sensor: sensor.into(),
        rows: readings,
        how: ImportHow::Store,
    }
}

#[test]
fn accounts() {
    let fixture = Fixture::new();
    let row = |plan| AccountRow {
        account: "home".into(),
        plan,
        tz: "Europe/Berlin".into(),
        phases: Phases::Separate,
        created: NOW.into(),
    };
    let added = fixture.run(add_account("home"));
    assert_eq!(added, Ok(Response::Accounts(vec![row(Plan::Paid)])));
    assert_eq!(
        fixture.error(add_account("home")),
        "the account \"home\" exists already"
    );
    let (name, plan) = ("home".to_owned(), Plan::Free);
    let planned = fixture.run(Request::SetPlan { name, plan });
    assert_eq!(planned, Ok(Response::Accounts(vec![row(Plan::Free)])));
    let listed = fixture.run(Request::ListAccounts);
    assert_eq!(listed, Ok(Response::Accounts(vec![row(Plan::Free)])));
    let name = "nobody".to_owned();
    assert!(
        fixture
            .error(Request::SetPlan { name, plan })
            .contains("nobody")
    );
    assert!(fixture.error(add_account("")).starts_with("account name: "));
    let mars = Request::AddAccount(NewAccount {
        name: "mars".into(),
        plan,
        zone: "Mars/Olympus".into(),
        phases: Phases::Separate,
    });
    assert!(fixture.error(mars).contains("Mars/Olympus"));

    fixture.run(add_sensor("house", "home")).unwrap();
    let remove = || Request::RemoveAccount {
        name: "home".into(),
    };
    assert!(fixture.error(remove()).contains("still has sensors"));
    let id = "house".to_owned();
    fixture.run(Request::RemoveSensor { id }).unwrap();
    assert_eq!(fixture.run(remove()), Ok(Response::Done));
    assert_eq!(
        fixture.run(Request::ListAccounts),
        Ok(Response::Accounts(vec![]))
    );
}

#[test]
fn keys() {
    let fixture = Fixture::with_sensor();
    let signs_in = |key: &ApiKey| {
        let api_id = crate::domain::account::ApiId::new("id").unwrap();
        fixture.store.registry().sign_in(&api_id, key).is_some()
    };
    let (old, new) = (ApiKey::new("old").unwrap(), ApiKey::new("new").unwrap());
    assert!(
        fixture
            .error(add_key("id", "nobody", &old))
            .contains("nobody")
    );
    let row = KeyRow {
        account: "home".into(),
        api_id: "id".into(),
        scope: Scope::Write,
        label: "meter".into(),
        created: NOW.into(),
        last_used: None,
    };
    let added = fixture.run(add_key("id", "home", &old));
    assert_eq!(added, Ok(Response::Keys(vec![row.clone()])));
    assert!(
        fixture
            .error(add_key("id", "home", &new))
            .contains("already")
    );
    assert!(signs_in(&old) && !signs_in(&new));

    let rotate = |api_id: &str| Request::RotateKey {
        api_id: api_id.into(),
        key_hash: new.hash(),
    };
    assert_eq!(
        fixture.run(rotate("id")),
        Ok(Response::Keys(vec![row.clone()]))
    );
    assert!(signs_in(&new) && !signs_in(&old));
    assert!(fixture.error(rotate("other")).contains("other"));
    assert_eq!(
        fixture.run(Request::ListKeys),
        Ok(Response::Keys(vec![row]))
    );

    let revoke = || Request::RevokeKey {
        api_id: "id".into(),
    };
    assert_eq!(fixture.run(revoke()), Ok(Response::Done));
    assert!(!signs_in(&new));
    assert!(fixture.run(revoke()).is_err());
}

#[test]
fn sensors() {
    let fixture = Fixture::with_sensor();
    fixture.run(add_account("neighbour")).unwrap();
    let row = fixture.sensor(find("house"));
    assert_eq!((row.name.as_str(), row.account.as_str()), ("house", "home"));
    assert!(row.authorized && !row.active);
    assert_eq!((row.last_upload, row.readings), (None, 0));

    let authorize = |authorized| Request::AuthorizeSensor {
        id: "house".into(),
        authorized,
    };
    assert!(!fixture.sensor(authorize(false)).authorized);
    assert!(fixture.sensor(authorize(true)).authorized);

    // Added again, it is authorized again, renamed if a name is given, and never taken over.
    fixture.sensor(authorize(false));
    assert!(fixture.sensor(add_sensor("house", "home")).authorized);
    let named = |name: &str| Request::AddSensor {
        id: "house".into(),
        account: "home".into(),
        terms: SensorTerms {
            name: Some(name.into()),
            ..SensorTerms::default()
        },
    };
    assert_eq!(fixture.sensor(named("House")).name, "House");
    assert_eq!(fixture.sensor(add_sensor("house", "home")).name, "House");
    assert!(fixture.error(named("a\nb")).starts_with("name: "));
    let taken = fixture.error(add_sensor("house", "neighbour"));
    assert!(taken.contains("another account"), "{taken}");
    assert!(fixture.error(add_sensor("x", "nobody")).contains("nobody"));
    assert!(
        fixture
            .error(add_sensor("", "home"))
            .starts_with("sensor id: ")
    );
    assert!(fixture.error(find("nothing")).contains("nothing"));
}

#[test]
fn what_a_sensor_measures() {
    let fixture = Fixture::with_sensor();
    let terms_after = |request| {
        let row = fixture.sensor(request);
        (row.name, row.role, row.register, row.authorized)
    };
    let plug = ("house".into(), Role::SubMeter, MeterKind::Counter, true);
    assert_eq!(terms_after(find("house")), plug);
    let set = |name: Option<&str>, role, register| Request::SetSensor {
        id: "house".into(),
        terms: SensorTerms {
            name: name.map(str::to_owned),
            role,
            register,
            ..SensorTerms::default()
        },
    };
    let expected = |name: &str, role, register| (name.to_owned(), role, register, true);
    assert_eq!(
        terms_after(set(None, Some(Role::Solar), Some(MeterKind::Counter))),
        expected("house", Role::Solar, MeterKind::Counter)
    );
    // Another role leaves the register unchanged.
    assert_eq!(
        terms_after(set(None, Some(Role::Grid), None)),
        expected("house", Role::Grid, MeterKind::Counter)
    );
    assert_eq!(
        terms_after(set(None, Some(Role::Solar), None)),
        expected("house", Role::Solar, MeterKind::Counter)
    );
    let roof = expected("Roof", Role::Solar, MeterKind::Counter);
    assert_eq!(terms_after(set(Some("Roof"), None, None)), roof);
    // Added again, it stays unchanged.
    assert_eq!(terms_after(add_sensor("house", "home")), roof);
    assert!(
        fixture
            .error(set(Some("a\nb"), None, None))
            .starts_with("name: ")
    );
    let nobody = Request::SetSensor {
        id: "nobody".into(),
        terms: SensorTerms::default(),
    };
    assert!(fixture.error(nobody).contains("nobody"));
}

#[test]
fn settings_of_a_meter_are_set_and_taken_back() {
    let fixture = Fixture::with_sensor();
    fixture.run(add_sensor("pump", "home")).unwrap();
    let set = |id: &str, terms: SensorTerms| Request::SetSensor {
        id: id.into(),
        terms,
    };
    let part_of = |whole: &str| SensorTerms {
        part_of: Some(OrNone::Is(whole.into())),
        ..SensorTerms::default()
    };
    let all = SensorTerms {
        rollover: Some("100000".parse().unwrap()),
        plausible: Some("5000".parse().unwrap()),
        sign: Some(Sign::Inverted),
        silent_after: Some("1h".parse().unwrap()),
        ..part_of("house")
    };
    let row = fixture.sensor(set("pump", all));
    let found = (row.rollover, row.plausible, row.sign, row.silent_after);
    assert_eq!(found, (Some(100_000.0), 5_000, Sign::Inverted, Some(60)));
    assert_eq!(row.part_of.as_deref(), Some("house"));
    let unchanged = fixture.sensor(set("pump", SensorTerms::default()));
    assert_eq!(unchanged, row);
    let none = SensorTerms {
        rollover: Some("none".parse().unwrap()),
        part_of: Some(OrNone::None),
        silent_after: Some(OrNone::None),
        ..SensorTerms::default()
    };
    let row = fixture.sensor(set("pump", none));
    let found = (row.rollover, row.part_of, row.silent_after);
    assert_eq!(found, (None, None, None));
    assert_eq!(
        (row.plausible, row.sign),
        (5_000, Sign::Inverted),
        "the others stay"
    );

    fixture.sensor(set("pump", part_of("house")));
    let refused = fixture.error(set("house", part_of("pump")));
    assert!(refused.contains("house > pump > house"), "{refused}");
    let refused = fixture.error(set("house", part_of("house")));
    assert!(refused.contains("house > house"), "{refused}");
    let refused = fixture.error(set("house", part_of("attic")));
    assert!(refused.contains("no sensor \"attic\""), "{refused}");
    // The sensor that contained it is gone, so it is part of nothing.
    fixture
        .run(Request::RemoveSensor { id: "house".into() })
        .unwrap();
    assert_eq!(fixture.sensor(find("pump")).part_of, None);
}

#[test]
fn the_settings_of_an_account() {
    let fixture = Fixture::with_sensor();
    let set = |zone: Option<&str>, phases| Request::SetAccount {
        name: "home".into(),
        zone: zone.map(Into::into),
        phases,
    };
    for (request, tz, phases) in [
        (
            set(Some("Asia/Tokyo"), None),
            "Asia/Tokyo",
            Phases::Separate,
        ),
        (
            set(None, Some(Phases::Balanced)),
            "Asia/Tokyo",
            Phases::Balanced,
        ),
        (set(Some("UTC"), None), "UTC", Phases::Balanced),
    ] {
        match fixture.run(request) {
            Ok(Response::Accounts(rows)) => {
                assert_eq!((rows[0].tz.as_str(), rows[0].phases), (tz, phases));
            }
            other => panic!("{other:?}"),
        }
    }
    let error = fixture.error(set(Some("Mars/Olympus"), None));
    assert!(error.starts_with("time zone"), "{error}");
}

#[test]
fn a_sensor_that_uploads() {
    let fixture = Fixture::with_sensor();
    let reading = UploadedReading {
        time: None,
        measures: Measures::new(Some(1.0), None).unwrap(),
    };
    let upload = Upload::new(SensorId::new("house").unwrap(), vec![reading]).unwrap();
    let arrival = now().saturating_add_millis(-60_000);
    fixture
        .store
        .append_durably_blocking(upload, arrival)
        .unwrap();
    fixture.run(import("house", rows(&[1, 2, 3]))).unwrap();
    let row = fixture.sensor(find("house"));
    assert!(row.active);
    assert_eq!(row.last_upload, Some(arrival.to_string()));
    assert_eq!(row.readings, 4);
    assert_eq!(
        fixture.run(Request::ListSensors),
        Ok(Response::Sensors(vec![row]))
    );
}

#[test]
fn readings_in_and_out() {
    let fixture = Fixture::with_sensor();
    assert_eq!(
        fixture.run(import("house", rows(&[5, 1, 3, 2, 4, 3]))),
        Ok(Response::Count(6))
    );
    let page = |start_ms, end_ms, limit| {
        let range = ReadingRange {
            sensor: "house".into(),
            start_ms,
            end_ms,
        };
        fixture.run(Request::ReadPage { range, limit })
    };
    assert_eq!(
        page(1, 5, 10),
        Ok(Response::Readings(rows(&[1, 2, 3, 4, 5])))
    );
    assert_eq!(page(2, 4, 2), Ok(Response::Readings(rows(&[2, 3]))));
    assert_eq!(page(6, 6, 2), Ok(Response::Readings(vec![])));
    assert!(page(2, 1, 2).is_err());
    assert!(page(i64::MIN, 1, 2).is_err());
    // However much is requested, a page is no larger than a chunk.
    let beyond = i64::try_from(Store::IMPORT_CHUNK).unwrap();
    let chunk: Vec<_> = (0..beyond).collect();
    fixture.run(import("house", rows(&chunk))).unwrap();
    fixture.run(import("house", rows(&[beyond]))).unwrap();
    assert_eq!(
        page(0, 2 * beyond, u32::MAX),
        Ok(Response::Readings(rows(&chunk)))
    );
}

#[test]
fn readings_that_are_none_are_refused() {
    let fixture = Fixture::with_sensor();
    let row = |time_ms, watts| ReadingRow {
        time_ms,
        watts,
        watthours: None,
    };
    for wrong in [
        row(i64::MAX, Some(1.0)),
        row(0, None),
        row(0, Some(f64::NAN)),
    ] {
        let both = vec![row(0, Some(1.0)), wrong];
        assert!(fixture.run(import("house", both)).is_err(), "{wrong:?}");
    }
    assert!(
        fixture
            .run(import("house", rows(&vec![0; Store::IMPORT_CHUNK + 1])))
            .is_err()
    );
    assert!(fixture.error(import("nothing", vec![])).contains("nothing"));
    assert_eq!(fixture.sensor(find("house")).readings, 0);
}

/// Makes `store` change things while its writer is held up, so that each change is requested before
/// any other is made.
fn at_once(fixture: &Fixture, changes: Vec<Request>) -> Vec<Result<Response, AdminError>> {
    let (held, is_held) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let name = crate::domain::AccountName::new("home").unwrap();
            fixture.store.edit(move |edit| {
                edit.update_account(&name, move |_| {
                    held.send(()).unwrap();
                    released.recv().unwrap();
                })
            })
        });
        is_held.recv().unwrap();
        let (begun, has_begun) = std::sync::mpsc::channel();
        let changes: Vec<_> = changes
            .into_iter()
            .map(|change| {
                let begun = begun.clone();
                let change = scope.spawn(move || {
                    begun.send(()).unwrap();
                    fixture.run(change)
                });
                has_begun.recv().unwrap();
                // Time for the requests to reach the writer. Any order of the changes must work;
                // this makes the hardest one likely.
                std::thread::sleep(std::time::Duration::from_millis(50));
                change
            })
            .collect();
        release.send(()).unwrap();
        changes
            .into_iter()
            .map(|change| change.join().unwrap())
            .collect()
    })
}

#[test]
fn what_is_removed_meanwhile_does_not_come_back() {
    let fixture = Fixture::with_sensor();
    let key = ApiKey::new("a key").unwrap();
    fixture.run(add_key("meter", "home", &key)).unwrap();
    let outcomes = at_once(
        &fixture,
        vec![
            Request::RevokeKey {
                api_id: "meter".into(),
            },
            Request::RotateKey {
                api_id: "meter".into(),
                key_hash: ApiKey::new("another key").unwrap().hash(),
            },
            Request::RemoveSensor { id: "house".into() },
            Request::SetSensor {
                id: "house".into(),
                terms: SensorTerms::default(),
            },
            Request::RemoveAccount {
                name: "home".into(),
            },
            Request::SetPlan {
                name: "home".into(),
                plan: Plan::Free,
            },
        ],
    );
    for removal in [&outcomes[0], &outcomes[2]] {
        assert_eq!(*removal, Ok(Response::Done));
    }
    assert_eq!(fixture.run(Request::ListKeys), Ok(Response::Keys(vec![])));
    let sensors = fixture.run(Request::ListSensors);
    assert_eq!(sensors, Ok(Response::Sensors(vec![])));
    // Whether it was removed depends on whether its sensor was gone, but it did not come back.
    let accounts = fixture.run(Request::ListAccounts).unwrap();
    let accounts = Vec::<AccountRow>::try_from(accounts).unwrap();
    assert_eq!(accounts.is_empty(), outcomes[4].is_ok());
}

#[test]
fn only_one_of_two_can_add_the_same() {
    let fixture = Fixture::with_sensor();
    let key = ApiKey::new("a key").unwrap();
    for change in [add_account("garden"), add_key("meter", "home", &key)] {
        let outcomes = at_once(&fixture, vec![change.clone(), change]);
        let failed: Vec<_> = outcomes.iter().filter_map(|it| it.as_ref().err()).collect();
        assert_eq!(failed.len(), 1, "{outcomes:?}");
        assert!(
            failed[0].to_string().contains("exists already"),
            "{outcomes:?}"
        );
    }
}

#[test]
fn two_changes_of_one_thing_are_both_made() {
    let fixture = Fixture::with_sensor();
    let set = |terms| Request::SetSensor {
        id: "house".into(),
        terms,
    };
    let outcomes = at_once(
        &fixture,
        vec![
            set(SensorTerms {
                name: Some("House".into()),
                ..SensorTerms::default()
            }),
            set(SensorTerms {
                role: Some(Role::Solar),
                ..SensorTerms::default()
            }),
            Request::AuthorizeSensor {
                id: "house".into(),
                authorized: false,
            },
            Request::SetPlan {
                name: "home".into(),
                plan: Plan::Free,
            },
            Request::SetAccount {
                name: "home".into(),
                zone: Some("Europe/Berlin".into()),
                phases: None,
            },
        ],
    );
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    let sensor = fixture.sensor(Request::FindSensor { id: "house".into() });
    assert_eq!((sensor.name.as_str(), sensor.role), ("House", Role::Solar));
    assert!(!sensor.authorized);
    let account = fixture.store.registry();
    let account = account.accounts().next().unwrap();
    assert_eq!(account.plan, Plan::Free);
    assert_eq!(account.zone.name(), "Europe/Berlin");
}
