//! After imports and deletions, all reads equal those of a plain map, with any backend.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::domain::{Measures, Reading, TimeRange, Timestamp, Upload, UploadedReading};
use crate::store::backend::memory::MemoryBackend;
use crate::store::backend::{ReadingsBackend, ReadingsWriter};
use crate::store::blocks::{Measure, Summary};
use crate::store::change::{delete, delete_equal, import};
use crate::store::error::StoreError;
use crate::store::read::digest::Piece;
use crate::store::read::{
    Digest, ReadAhead, Scan, count_readings, first_register, power_at, register_at,
};
use crate::store::records::Order;
use crate::store::rows::Activity;
use crate::store::tests::{NOW, at, house, open_registered};
use crate::store::{Run, Totals};

/// Times are below this.
const END: i64 = 160;

/// A change of a sensor's readings.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Append(Vec<Reading>),
    Import(Vec<Reading>),
    Delete(TimeRange),
    DeleteEqual(Others),
}

/// Some of the stored readings: the first of each so many, and the next one with another value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Others(usize);

impl Others {
    pub(crate) fn of(self, stored: Vec<Reading>) -> Vec<Reading> {
        let changed = |reading: &Reading| {
            let measures = Measures::new(Some(99.0), None).unwrap();
            let measures = reading.measures.overlaid_by(measures);
            Reading {
                measures,
                ..*reading
            }
        };
        let (mut some, every) = (Vec::new(), self.0);
        for (number, reading) in stored.into_iter().enumerate() {
            match number % every {
                0 => some.push(reading),
                1 => some.push(changed(&reading)),
                _ => {}
            }
        }
        some
    }
}

pub(crate) fn others() -> impl Strategy<Value = Others> {
    (1_usize..9).prop_map(Others)
}

/// The measures by time.
type Plain = BTreeMap<Timestamp, Measures>;

fn apply(model: &mut Plain, action: &Action) {
    match action {
        Action::Append(readings) | Action::Import(readings) => {
            for reading in readings {
                let known = model.entry(reading.time).or_insert(reading.measures);
                *known = known.overlaid_by(reading.measures);
            }
        }
        Action::Delete(range) => model.retain(|time, _| !range.contains(*time)),
        Action::DeleteEqual(others) => {
            for reading in others.of(readings_of(model)) {
                if model.get(&reading.time) == Some(&reading.measures) {
                    model.remove(&reading.time);
                }
            }
        }
    }
}

fn readings_of(model: &Plain) -> Vec<Reading> {
    let all = model.iter();
    all.map(|(&time, &measures)| Reading { time, measures })
        .collect()
}

fn range() -> impl Strategy<Value = TimeRange> {
    (0..END, 0..END)
        .prop_map(|(one, other)| TimeRange::new(at(one.min(other)), at(one.max(other))).unwrap())
}

fn action() -> impl Strategy<Value = Action> {
    let measures = prop_oneof![
        (0_i32..9).prop_map(|watts| (Some(f64::from(watts)), None)),
        (0_i32..9).prop_map(|watthours| (None, Some(f64::from(watthours)))),
        (0_i32..9, 0_i32..9).prop_map(|(w, wh)| (Some(f64::from(w)), Some(f64::from(wh)))),
    ];
    let reading = (0..END, measures).prop_map(|(ms, (watts, watthours))| Reading {
        time: at(ms),
        measures: Measures::new(watts, watthours).unwrap(),
    });
    let readings = |most| proptest::collection::vec(reading.clone(), 1..most);
    prop_oneof![
        2 => readings(12).prop_map(Action::Append),
        3 => readings(90).prop_map(Action::Import),
        2 => range().prop_map(Action::Delete),
        2 => others().prop_map(Action::DeleteEqual),
    ]
}

/// Asserts that everything read from `backend` equals the model.
fn assert_same(backend: &Arc<dyn ReadingsBackend>, model: &Plain, range: TimeRange) {
    let (mut found, mut scan) = (Plain::new(), Scan::new(Arc::clone(backend), house(), range));
    while let Some(run) = scan.next_run().unwrap() {
        found.extend(run.iter().map(|reading| (reading.time, reading.measures)));
    }
    let within: Plain = model
        .range(range.start()..=range.end())
        .map(|(time, measures)| (*time, *measures))
        .collect();
    assert_eq!(found, within);
    let (sensor, count) = (house(), within.len() as u64);
    assert_eq!(
        count_readings(&*backend.view(&sensor).unwrap(), range).unwrap(),
        count
    );

    let watts = |(time, measures): (&Timestamp, &Measures)| Some((*time, measures.watts()?));
    let watthours =
        |(time, measures): (&Timestamp, &Measures)| Some((*time, measures.watthours()?));
    let view = backend.view(&sensor).unwrap();
    let power = power_at(&*view, range.end()).unwrap();
    let newest = model.range(..=range.end()).rev().find_map(watts);
    assert_eq!(power.map(|power| (power.time, power.watts)), newest);
    let register = register_at(&*view, range.end()).unwrap();
    let newest = model.range(..=range.end()).rev().find_map(watthours);
    assert_eq!(register.map(|it| (it.time, it.watthours)), newest);
    let register = first_register(&*view).unwrap();
    let first = model.iter().find_map(watthours);
    assert_eq!(register.map(|it| (it.time, it.watthours)), first);
    let blocks = view.summaries(TimeRange::ALL, Order::Ascending, usize::MAX);
    let blocks = blocks.unwrap().into_iter();
    let reaches = |block: &Summary| range.start() <= block.last && block.first <= range.end();
    let blocks: Vec<Summary> = blocks.filter(reaches).collect();
    let firsts: Vec<Timestamp> = blocks.iter().map(|block| block.first).collect();
    let bytes = firsts.iter().map(|first| view.bytes(*first).unwrap());
    let bytes: Vec<Vec<u8>> = bytes.collect();
    for most in [1, 200, usize::MAX] {
        let read = view.bytes_of(&firsts, most).unwrap();
        assert!(bytes.starts_with(&read));
        let but_last = read.split_last().map_or(&[][..], |(_, others)| others);
        assert!(but_last.iter().map(Vec::len).sum::<usize>() < most);
        let length: usize = read.iter().map(Vec::len).sum();
        assert!(read.len() == bytes.len() || length >= most);
    }
    for most in [1, 2, 7] {
        let reaching = view.reaching(range, most).unwrap();
        assert!(reaching.iter().eq(blocks.iter().take(most)));
        let rows = |order| view.rows(range, Some(Measure::Watts), order, most).unwrap();
        let all = view
            .rows(range, None, Order::Ascending, usize::MAX)
            .unwrap();
        let all = || all.iter().filter(|row| row.measures.watts().is_some());
        assert!(rows(Order::Ascending).iter().eq(all().take(most)));
        assert!(rows(Order::Descending).iter().eq(all().rev().take(most)));
    }
    drop(view);

    let powers = within.iter().filter_map(watts);
    let expected = powers.fold((0, 0.0), |(count, sum), (_, watts)| {
        (count + 1, sum + watts)
    });
    for (is_enough, ahead) in [(true, ReadAhead::Totals), (false, ReadAhead::Values)] {
        let backend = Arc::clone(backend);
        let digest = Digest::new(backend, sensor.clone(), Measure::Watts, range, ahead);
        assert_eq!(total(digest, is_enough), expected);
    }
}

/// The number of values of power, and their sum.
fn total(mut digest: Digest, is_enough: bool) -> (usize, f64) {
    let (mut count, mut sum) = (0, 0.0);
    while let Some(piece) = digest.next_piece(|_| is_enough).unwrap() {
        match piece {
            Piece::Values(values, _) => {
                count += values.numbers.len();
                sum += values.numbers.iter().sum::<f64>();
            }
            Piece::Run(Run {
                totals:
                    Totals::Power {
                        count: more,
                        sum: watts,
                        ..
                    },
                ..
            }) => {
                count += usize::try_from(more).unwrap();
                sum += watts;
            }
            Piece::Run(other) => panic!("{other:?}"),
        }
    }
    (count, sum)
}

/// The sensor's activity, as a change of it sees it.
fn activity(writer: &dyn ReadingsWriter) -> Option<Activity> {
    let (answer, answered) = mpsc::channel();
    let asked = writer.change(
        &house(),
        Box::new(move |stored| {
            answer.send(stored.activity()?).unwrap();
            Ok(7)
        }),
    );
    assert_eq!(asked.unwrap(), 7);
    answered.recv().unwrap()
}

/// Takes these actions on a backend without readings, which takes uploads through `append`.
pub(crate) fn act(
    backend: &Arc<dyn ReadingsBackend>,
    writer: &dyn ReadingsWriter,
    append: impl Fn(&[Reading]),
    actions: &[(Action, TimeRange)],
) {
    let mut model = Plain::new();
    for (action, range) in actions {
        let before = model.clone();
        apply(&mut model, action);
        match action {
            Action::Append(readings) => append(readings),
            Action::Import(readings) => {
                let count = import(writer, &house(), readings.clone()).unwrap();
                assert_eq!(count, readings.len());
            }
            Action::Delete(range) => {
                let count = delete(writer, &house(), *range).unwrap();
                assert_eq!(count, before.len() - model.len());
            }
            Action::DeleteEqual(others) => {
                let given = others.of(readings_of(&before));
                let count = delete_equal(writer, &house(), given).unwrap();
                assert_eq!(count, before.len() - model.len());
            }
        }
        assert_same(backend, &model, *range);
        assert_same(backend, &model, TimeRange::ALL);
        let newest = model.iter().rev();
        let newest = newest
            .clone()
            .find_map(|(time, it)| Some((*time, it.watts()?)));
        let known = activity(writer).and_then(|activity| activity.newest_power);
        assert_eq!(known.map(|power| (power.time, power.watts)), newest);
    }
}

pub(crate) fn actions() -> impl Strategy<Value = Vec<(Action, TimeRange)>> {
    proptest::collection::vec((action(), range()), 1..8)
}

proptest! {
    #[test]
    fn a_backend_in_memory_equals_a_plain_map(actions in actions()) {
        let memory = Arc::new(MemoryBackend::default());
        memory.put_sensor(&house(), 16);
        let backend: Arc<dyn ReadingsBackend> = Arc::<MemoryBackend>::clone(&memory);
        act(&backend, &*memory, |readings| memory.append(&house(), readings), &actions);
    }
}

#[test]
fn so_has_the_embedded_one() {
    // Each opens a store.
    let mut runner = TestRunner::new(ProptestConfig::with_cases(16));
    let run = |actions: Vec<(Action, TimeRange)>| {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 16);
        let append = |readings: &[Reading]| {
            let uploaded = readings.iter().map(|reading| UploadedReading {
                time: Some(reading.time),
                measures: reading.measures,
            });
            let upload = Upload::new(house(), uploaded.collect()).unwrap();
            store.append_durably_blocking(upload, at(NOW)).unwrap();
        };
        act(&store.backend.reader(), &*store.backend, append, &actions);
        assert_eq!(store.check().problems, []);
        Ok(())
    };
    runner.run(&actions(), run).unwrap();
}

#[test]
fn a_sensor_must_be_registered() {
    let memory = MemoryBackend::default();
    let refused = import(&memory, &house(), Vec::new()).unwrap_err();
    assert!(matches!(refused, StoreError::UnknownSensor(_)), "{refused}");
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 16);
    store.remove_sensor_durably(&house()).unwrap();
    let refused = delete(&*store.backend, &house(), TimeRange::ALL).unwrap_err();
    assert!(matches!(refused, StoreError::UnknownSensor(_)), "{refused}");
}
