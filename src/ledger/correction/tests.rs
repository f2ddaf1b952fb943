//! Refused corrections, and the facts of those in effect.

use super::*;
use crate::domain::{Decimal, MicroWh};
use crate::ledger::{
    CalibrationFactor, Facts, Flow, KnownEnergy, MeterChange, Replacement, ReplacementWalk, Spread,
    Stretch,
};

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_millis(1_767_600_000_000 + minutes * 60_000).unwrap()
}

fn range(from: i64, to: i64) -> FactRange {
    FactRange::new(at(from), at(to)).unwrap()
}

fn wh(watthours: i64) -> MicroWh {
    MicroWh::new(watthours * 1_000_000)
}

fn sensor(id: &str) -> SensorId {
    SensorId::new(id).unwrap()
}

fn made(minutes: i64) -> Made {
    Made::new(at(minutes), Author::CommandLine, "").unwrap()
}

fn corrections(facts: Vec<(&str, Fact)>) -> Corrections {
    let mut all = Corrections::default();
    for (id, fact) in facts {
        let number = all.next_number();
        all.put(Correction::new(number, sensor(id), made(1_000), fact).unwrap());
    }
    all
}

#[test]
fn notes_of_an_account_are_so_long_together() {
    let note = "\u{e4}".repeat(Made::NOTE_CHARS);
    let noted = || Made::new(at(1_000), Author::CommandLine, &note).unwrap();
    let mut all = Corrections::default();
    while all.has_room_for(&note) {
        let (number, fact) = (all.next_number(), Fact::Wrong(range(0, 1)));
        all.put(Correction::new(number, sensor("a"), noted(), fact).unwrap());
        if all.has_room_for(&note) {
            all.revoke(number, noted()).unwrap();
        }
    }
    let most = Corrections::MOST_NOTE_BYTES / note.len();
    assert_eq!(all.count(), most.div_ceil(2));
    assert!(all.has_room_for("") && !all.has_room_for(&note));
    all.forget(&sensor("a"));
    assert!(all.has_room_for(&note));
}

#[test]
fn what_cannot_be_is_refused() {
    for (from, to) in [(5, 5), (6, 5)] {
        let error = FactRange::new(at(from), at(to)).unwrap_err();
        assert!(
            error.to_string().contains("expected a time after"),
            "{error}"
        );
    }
    let day = 24 * 60;
    let fact = |to| Fact::Wrong(range(0, to));
    assert!(Correction::new(1, sensor("a"), made(0), fact(day)).is_ok());
    for late in [
        fact(day + 1),
        Fact::Event(at(day + 1), true),
        Fact::Utility(at(day + 1), wh(1)),
    ] {
        let error = Correction::new(1, sensor("a"), made(0), late).unwrap_err();
        let field = error.field();
        assert_eq!(error, FactError::Future(field, at(day + 1), at(0)));
    }
    assert_eq!(Fact::watthours("energy", 1.5), Ok(MicroWh::new(1_500_000)));
    for number in [f64::NAN, f64::INFINITY] {
        let error = Fact::watthours("energy", number).unwrap_err();
        assert_eq!(error.field(), "energy");
    }
    let note = |text: &str| Made::new(at(0), Author::SettingsPage, text);
    // In characters, not in bytes.
    assert!(note(&"ä".repeat(500)).is_ok());
    assert!(note(&"a".repeat(501)).is_err());
    assert!(note(&"€".repeat(334)).is_err());
    assert!(note("two\nlines").is_err());
}

#[test]
fn those_in_effect_become_facts() {
    let change = |old_end, new_start| MeterChange {
        old_end: wh(old_end),
        new_start: wh(new_start),
    };
    let mut all = corrections(vec![
        ("a", Fact::MeterChanged(at(1), change(10, 0))),
        ("a", Fact::MeterChanged(at(1), change(11, 0))),
        ("a", Fact::Event(at(2), false)),
        ("a", Fact::Event(at(2), true)),
        ("a", Fact::Wrong(range(3, 4))),
        ("a", Fact::Wrong(range(5, 6))),
        ("b", Fact::Wrong(range(7, 8))),
        ("a", Fact::Utility(at(9), wh(9))),
    ]);
    let expected = |wrong: &[(i64, i64)], counts| Facts {
        changes: [(at(1), change(11, 0))].into(),
        decisions: [(at(2), counts)].into(),
        wrong: wrong.iter().map(|(from, to)| at(*from)..at(*to)).collect(),
        ..Facts::default()
    };
    assert_eq!(
        all.facts_of(&sensor("a")),
        expected(&[(3, 4), (5, 6)], true)
    );

    let later = Made::new(at(2_000), Author::SettingsPage, "a mistake").unwrap();
    for number in [4, 5] {
        let revoked = all.revoke(number, later.clone()).unwrap();
        assert_eq!(revoked.revoked(), Some(&later));
        assert_eq!(all.revoke(number, made(3_000)), None);
    }
    assert_eq!(all.revoke(9, made(1)), None);
    assert_eq!(all.facts_of(&sensor("a")), expected(&[(5, 6)], false));
    assert_eq!(all.get(4).unwrap().revoked().unwrap().note(), "a mistake");

    assert_eq!(all.forget(&sensor("a")), [1, 2, 3, 4, 5, 6, 8]);
    assert_eq!((all.count(), all.next_number()), (1, 8));
    assert_eq!(all.facts_of(&sensor("b")).wrong, [at(7)..at(8)]);
}

#[test]
fn of_two_calibrations_the_later_one_holds() {
    let calibrate = |from, to: Option<i64>, millionths| {
        let range = CalibratedRange::new(at(from), to.map(at)).unwrap();
        let factor = CalibrationFactor::new(Decimal::from_millionths(millionths)).unwrap();
        Fact::Calibrate(range, factor)
    };
    let mut all = corrections(vec![
        ("a", calibrate(0, None, 1_100_000)),
        ("b", calibrate(0, None, 1_900_000)),
        ("a", calibrate(20, Some(30), 1_200_000)),
        ("a", calibrate(60, None, 1_300_000)),
    ]);
    let factors = |all: &Corrections| {
        let facts = all.facts_of(&sensor("a"));
        [-1, 0, 19, 20, 29, 30, 59, 60, 999].map(|minute| {
            let factor = facts.calibrations.factor_in(&(at(minute)..at(minute + 1)));
            factor.unwrap().millionths() / 100_000
        })
    };
    assert_eq!(factors(&all), [10, 11, 11, 12, 12, 11, 11, 13, 13]);
    let facts = all.facts_of(&sensor("a"));
    assert_eq!(facts.calibrations.factor_in(&(at(19)..at(21))), None);
    // The first one is in two pieces.
    assert_eq!(all.count_calibrations(&sensor("a")), 3);
    // The correction that it hid is in effect again.
    all.revoke(4, made(2_000)).unwrap();
    assert_eq!(factors(&all), [10, 11, 11, 12, 12, 11, 11, 11, 11]);
    all.revoke(1, made(2_000)).unwrap();
    assert_eq!(factors(&all), [10, 10, 10, 12, 12, 10, 10, 10, 10]);

    for (millionths, is_factor) in [
        (499_999, false),
        (500_000, true),
        (2_000_000, true),
        (2_000_001, false),
    ] {
        let factor = CalibrationFactor::new(Decimal::from_millionths(millionths));
        assert_eq!(factor.is_ok(), is_factor, "{millionths}");
    }
    assert!(CalibratedRange::new(at(5), Some(at(5))).is_err());
    let ahead = Correction::new(
        1,
        sensor("a"),
        made(0),
        calibrate(24 * 60 + 1, None, 1_100_000),
    );
    assert!(ahead.is_err());
}

#[test]
fn energy_known_of_a_range_replaces_what_readings_say() {
    let all = corrections(vec![
        ("a", Fact::Energy(range(0, 60), wh(600), Spread::Even)),
        ("b", Fact::Energy(range(0, 1), wh(5), Spread::Even)),
        (
            "a",
            Fact::Energy(range(30, 60), wh(-90), Spread::LikeWeekday),
        ),
    ]);
    let known = all.facts_of(&sensor("a")).energies;
    assert_eq!(known.len(), 2);
    assert_eq!(known[1].spread, Spread::LikeWeekday);
    let replacements: Vec<Replacement> = known.iter().filter_map(KnownEnergy::evenly).collect();
    let mut walk = ReplacementWalk::new(replacements);
    let mut found = Vec::new();
    let read = Stretch {
        from: at(-10),
        to: at(70),
        flow: Flow {
            imported: wh(80),
            exported: wh(0),
        },
        is_estimated: false,
    };
    walk.add(&read, &mut |stretch: Stretch| found.push(stretch));
    walk.finish(&mut |stretch: Stretch| found.push(stretch));
    let flows = found
        .iter()
        .map(|it| (it.from, it.to, it.flow.net()))
        .collect::<Vec<_>>();
    assert_eq!(
        flows,
        [
            (at(-10), at(0), wh(10)),
            (at(0), at(30), wh(300)),
            (at(30), at(60), wh(-90)),
            (at(60), at(70), wh(10))
        ]
    );
}
