//! Corrections of a house with a reading each minute of the first hour of 2026.

use std::ops::Range;

use super::*;
use crate::admin::{NewAccount, Request, Response, SensorTerms, run};
use crate::domain::{Measures, MeterKind, Phases, Plan, Reading};
use crate::ledger::FactKind;
use crate::query::LedgerEnergy;
use crate::store::{OpenMode, StoreSettings};

fn at(minutes: i64) -> Timestamp {
    Timestamp::parse("2026-01-01T00:00:00")
        .unwrap()
        .saturating_add_millis(minutes * 60_000)
}

struct House {
    store: Arc<Store>,
    _dir: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open_anywhere(
            dir.path(),
            StoreSettings::default(),
            OpenMode::CreateIfMissing,
        );
        let house = Self {
            store: Arc::new(store.unwrap()),
            _dir: dir,
        };
        house.run(Request::AddAccount(NewAccount {
            name: "home".into(),
            plan: Plan::Paid,
            zone: "UTC".into(),
            phases: Phases::Separate,
        }));
        for id in ["house", "pump"] {
            house.run(Request::AddSensor {
                id: id.into(),
                account: "home".into(),
                terms: SensorTerms {
                    register: Some(MeterKind::Counter),
                    ..SensorTerms::default()
                },
            });
        }
        let reading = |minute: i32| Reading {
            time: at(minute.into()),
            measures: Measures::new(None, Some(1_000.0 + f64::from(minute))).unwrap(),
        };
        let id = SensorId::new("house").unwrap();
        let readings = (0..60).map(reading).collect();
        house.store.import_durably(&id, readings).unwrap();
        house
    }

    fn answer(&self, request: Request) -> Result<Response, String> {
        run(&self.store, request, at(90)).map_err(|error| error.to_string())
    }

    fn run(&self, request: Request) -> Response {
        self.answer(request).unwrap()
    }

    fn correct(&self, form: CorrectionForm) -> Result<CorrectionRow, String> {
        self.answer(Request::Correct {
            form,
            is_sure: false,
        })
        .map(one)
    }

    fn list(&self) -> Vec<CorrectionRow> {
        let asked = Request::ListCorrections { sensor: None };
        self.run(asked).try_into().unwrap()
    }

    fn revoke(&self, number: u32) -> Result<CorrectionRow, String> {
        let request = Request::RevokeCorrection {
            account: None,
            number,
            note: "not so".into(),
        };
        self.answer(request).map(one)
    }
}

fn one(response: Response) -> CorrectionRow {
    let rows: Vec<CorrectionRow> = response.try_into().unwrap();
    let [row] = &rows[..] else {
        panic!("{rows:?}");
    };
    row.clone()
}

fn form(fact: FactForm) -> CorrectionForm {
    CorrectionForm {
        sensor_id: "house".into(),
        fact,
        note: String::new(),
    }
}

fn changed(minutes: i64) -> CorrectionForm {
    form(FactForm::MeterChanged {
        at: at(minutes).to_string(),
        old_end: 1_030.0,
        new_start: 0.0,
    })
}

fn event(minutes: i64) -> CorrectionForm {
    form(FactForm::Event {
        at: at(minutes).to_string(),
        counts: true,
    })
}

fn energy(minutes: Range<i64>, energy: f64, spread: Spread) -> CorrectionForm {
    form(FactForm::Energy {
        from: at(minutes.start).to_string(),
        to: at(minutes.end).to_string(),
        energy,
        spread,
    })
}

fn wrong(from: i64, to: i64) -> CorrectionForm {
    form(FactForm::Wrong {
        from: at(from).to_string(),
        to: at(to).to_string(),
    })
}

fn calibrated(from: i64, to: i64) -> CorrectionForm {
    form(FactForm::Calibrate {
        from: at(from).to_string(),
        to: Some(at(to).to_string()),
        factor: "1.02".into(),
    })
}

#[test]
fn corrections_are_numbered_listed_and_revoked() {
    let house = House::new();
    let forms = [
        (changed(30), FactKind::MeterChanged),
        (event(59), FactKind::Event),
        (energy(0..60, 5.0, Spread::Even), FactKind::Energy),
        (wrong(10, 11), FactKind::Wrong),
        (
            form(FactForm::Utility {
                at: at(80).to_string(),
                shown: 7.5,
            }),
            FactKind::Utility,
        ),
    ];
    for ((form, kind), number) in forms.into_iter().zip(1..) {
        let row = house.correct(form).unwrap();
        assert_eq!((row.number, row.kind), (number, kind));
        assert_eq!(row.made_by, "command line");
    }
    let revoked = house.revoke(4).unwrap();
    assert_eq!(revoked.revoked, Some(at(90).to_string()));
    assert_eq!(revoked.revoked_note.as_deref(), Some("not so"));
    for number in [4, 6] {
        let refused = house.revoke(number).unwrap_err();
        assert!(refused.contains("no correction"), "{refused}");
    }
    let rows = house.list();
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[3], revoked);
    let corrections = |house: &House| {
        let registry = house.store.registry();
        let account = AccountName::new("home").unwrap();
        registry.corrections(&account).cloned().unwrap_or_default()
    };
    let id = SensorId::new("house").unwrap();
    assert!(corrections(&house).facts_of(&id).wrong.is_empty());
    assert_eq!(corrections(&house).facts_of(&id).energies.len(), 1);

    // Corrections outlive readings, and are removed with their sensor.
    house.store.delete_durably(&id, TimeRange::ALL).unwrap();
    assert_eq!(house.list(), rows);
    house.run(Request::RemoveSensor { id: "house".into() });
    assert_eq!(house.list(), []);
    assert_eq!(house.store.check().problems, []);
}

#[test]
fn what_is_about_no_reading_is_refused() {
    let house = House::new();
    for (form, mentions) in [
        (changed(0), "at: the sensor has no register before"),
        (event(60), "at: the sensor has no reading there"),
        (wrong(60, 80), "from: the sensor has no reading there"),
        (wrong(9, 9), "to: expected a time after"),
        (
            wrong(9, 99_999),
            "to: expected a time at most 24 hours ahead",
        ),
        // The counter's register was 1,031 Wh a minute before.
        (changed(32), "old_end: expected at least 1031 Wh"),
        (
            energy(0..60, f64::NAN, Spread::Even),
            "energy: expected a finite number",
        ),
        (
            CorrectionForm {
                note: "a".repeat(501),
                ..wrong(0, 60)
            },
            "note: expected at most 500 characters",
        ),
        (
            CorrectionForm {
                sensor_id: "attic".into(),
                ..wrong(0, 60)
            },
            "attic",
        ),
        (
            CorrectionForm {
                sensor_id: "pump".into(),
                ..wrong(0, 60)
            },
            "from: the sensor has no reading there",
        ),
    ] {
        let error = house.correct(form).unwrap_err();
        assert!(error.contains(mentions), "{error}");
    }
    // The last millisecond before the end belongs to a range; the end does not.
    assert!(house.correct(wrong(-9, 1)).is_ok());
}

#[test]
fn a_silence_may_be_filled_in() {
    let house = House::new();
    let of_pump = CorrectionForm {
        sensor_id: "pump".into(),
        ..energy(0..60, 5.0, Spread::Even)
    };
    let refused = house.correct(of_pump).unwrap_err();
    assert!(refused.starts_with("from: the sensor has no reading at all"));
    assert!(house.correct(energy(60..80, 5.0, Spread::Even)).is_ok());
}

/// Three overlapping ones are five pieces, but count as three calibrations.
#[test]
fn as_many_calibrations_as_are_in_effect_count() {
    let house = House::new();
    for (from, to) in [(0, 60), (10, 50), (20, 40)] {
        house.correct(calibrated(from, to)).unwrap();
    }
    let registry = house.store.registry();
    let sensor = SensorId::new("house").unwrap();
    let account = AccountName::new("home").unwrap();
    let all = registry.corrections(&account).unwrap();
    assert_eq!(all.count_calibrations(&sensor), 3);
    for _ in 3..100 {
        house.correct(calibrated(20, 40)).unwrap();
    }
    let refused = house.correct(calibrated(20, 40)).unwrap_err();
    assert!(
        refused.starts_with("factor: a sensor has at most 100"),
        "{refused}"
    );
    // Two concurrent requests see the same number, so the write counts again.
    let form = calibrated(20, 40);
    let more = form.correction(at(90), Author::CommandLine).unwrap();
    let added = house
        .store
        .edit(move |edit| edit.add_correction(&account, more));
    assert!(added.is_err());
    house.revoke(1).unwrap();
    house.correct(calibrated(20, 40)).unwrap();
}

#[test]
fn few_ranges_are_spread_like_weekdays() {
    let house = House::new();
    let like_weekday = || energy(0..60, 5.0, Spread::LikeWeekday);
    for _ in 0..MOST_PROFILES {
        house.correct(like_weekday()).unwrap();
    }
    let refused = house.correct(like_weekday()).unwrap_err();
    assert!(
        refused.starts_with("spread: a sensor has at most 100"),
        "{refused}"
    );
    assert!(house.correct(energy(0..60, 5.0, Spread::Even)).is_ok());
    // Revoked ones do not count.
    house.revoke(1).unwrap();
    assert!(house.correct(like_weekday()).is_ok());
}

/// A counter at 12,345,600 Wh with 600 W is changed after half an hour; the new one begins two
/// minutes later.
fn with_new_meter(house: &House, bad: Option<f64>) {
    let id = SensorId::new("pump").unwrap();
    let old = (0..=30).map(|minute| (minute, 12_345_600.0 + 10.0 * f64::from(minute)));
    let new = (32..90).map(|minute| (minute, 10.0 * f64::from(minute - 32)));
    let bad = bad.map(|shown| (31, shown));
    let reading = |(minute, shown): (i32, f64)| Reading {
        time: at(minute.into()),
        measures: Measures::new(None, Some(shown)).unwrap(),
    };
    let readings = old.chain(bad).chain(new).map(reading).collect();
    house.store.import_durably(&id, readings).unwrap();
}

fn changed_pump(at: Timestamp, old_end: f64) -> CorrectionForm {
    CorrectionForm {
        sensor_id: "pump".into(),
        ..form(FactForm::MeterChanged {
            at: at.to_string(),
            old_end,
            new_start: 0.0,
        })
    }
}

fn counted(house: &House) -> f64 {
    let registry = house.store.registry();
    let sensor = registry.sensor(&SensorId::new("pump").unwrap()).unwrap();
    let range = at(0)..at(24 * 60);
    let by = (crate::domain::Zone::UTC, crate::domain::Interval::Day);
    let metered = registry.metered(sensor);
    let energy = LedgerEnergy::by_interval(&house.store, &sensor.id, metered, range, by);
    let slots = energy.unwrap().all_slots().unwrap();
    slots.iter().map(|slot| slot.flow.net().watthours()).sum()
}

#[test]
fn a_change_of_the_meter_is_where_its_register_began_anew() {
    for (minutes, placed) in [(-600, 31), (25, 31), (31, 31), (32, 32), (36, 31), (88, 31)] {
        let house = House::new();
        with_new_meter(&house, None);
        let row = house.correct(changed_pump(at(minutes), 12_345_905.0));
        assert_eq!(row.unwrap().at, Some(at(placed).to_string()), "{minutes}");
        assert!(
            (counted(&house) - 875.0).abs() < 1e-6,
            "{minutes} {}",
            counted(&house)
        );
    }
    // It explains no restart: the end is another meter's.
    let house = House::new();
    with_new_meter(&house, None);
    let row = house.correct(changed_pump(at(36), 99_000_000.0)).unwrap();
    assert_eq!(row.at, Some(at(36).to_string()));
    assert!(counted(&house) < 1_000.0, "{}", counted(&house));
    // Its step is an open event, which can be decided at the time of the change.
    let open = CorrectionForm {
        sensor_id: "pump".into(),
        ..event(36)
    };
    house.correct(open).unwrap();
    assert!(counted(&house) > 80_000_000.0);
}

#[test]
fn a_bad_last_register_does_not_hinder_a_change() {
    let house = House::new();
    with_new_meter(&house, Some(9e9));
    let refused = house
        .correct(changed_pump(at(31), 12_345_000.0))
        .unwrap_err();
    let least = "old_end: expected at least 12345900 Wh, the register at 2026-01-01T00:30:00.000Z";
    assert!(refused.starts_with(least), "{refused}");
    house.correct(changed_pump(at(31), 12_345_905.0)).unwrap();
    assert!(
        (counted(&house) - 875.0).abs() < 1e-6,
        "{}",
        counted(&house)
    );
}
