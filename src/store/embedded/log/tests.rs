//! Tests of the log.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::domain::{Measures, Reading, SensorId, TimeRange, Timestamp};
use crate::store::embedded::disk::Mark;
use crate::store::embedded::log::fuzz::{self, joined, packed, unpacked};
use crate::store::embedded::log::{LiveRows, LogChange, LogHead};
use crate::store::embedded::rows::compact::tests::{any_activity, any_number};
use crate::store::embedded::rows::{Commit, HotEdit, HotSensors, RowGroup, RowsEdit};
use crate::store::rows::Activity;
use crate::store::tests::{at, house, reading};

fn any_ms() -> impl Strategy<Value = i64> {
    let whole = Timestamp::MIN.millis()..=Timestamp::MAX.millis();
    prop_oneof![whole, 0_i64..2_000_000]
}

fn any_group() -> impl Strategy<Value = RowGroup<'static>> {
    let number = || proptest::option::weighted(0.8, any_number());
    let row = (number(), number()).prop_filter_map("nothing", |(watts, watthours)| {
        Measures::new(watts, watthours).ok()
    });
    let rows = proptest::collection::btree_map(any_ms(), row, 0..300);
    let activity = proptest::option::of(any_activity());
    let range = (any_ms(), any_ms())
        .prop_map(|(one, other)| TimeRange::new(at(one.min(other)), at(one.max(other))).unwrap());
    let replaced = proptest::option::of(prop_oneof![Just(TimeRange::ALL), range]);
    ("[a-c]|[^\\p{Cc}]{1,16}", replaced, activity, rows).prop_map(
        |(id, replaced, activity, rows)| {
            let rows = rows.into_iter().map(|(ms, measures)| Reading {
                time: at(ms),
                measures,
            });
            let rows: Vec<Reading> = rows.collect();
            // Otherwise it would be the end of the sensor, or nothing.
            let replaced = match replaced {
                None if activity.is_none() && rows.is_empty() => Some(TimeRange::ALL),
                Some(TimeRange::ALL) if activity.is_none() && !rows.is_empty() => None,
                replaced => replaced,
            };
            RowGroup {
                sensor: SensorId::new(&id).unwrap(),
                replaced,
                activity,
                rows: rows.into(),
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn groups_round_trip(groups in proptest::collection::vec(any_group(), 1..20)) {
        let found = unpacked(&packed(&groups));
        let weight = |groups: &[RowGroup<'_>]| groups.iter().map(|it| it.rows.len()).sum::<usize>();
        prop_assert_eq!(weight(&found), weight(&groups));
        prop_assert_eq!(joined(found.into_iter()), joined(groups.into_iter()));
    }

    #[test]
    fn no_bytes_panic(
        group in any_group(),
        changes in proptest::collection::vec((0_usize..200, any::<u8>()), 0..3),
    ) {
        let activity = group.activity.unwrap_or_default();
        let mut bytes = Vec::new();
        crate::store::embedded::rows::group::put(&mut bytes, &group.sensor, &activity, &group.rows);
        for (place, byte) in changes {
            let place = place % bytes.len();
            bytes[place] = byte;
        }
        fuzz::rows(&bytes);
    }
}

/// A change of the rows of the house in the log.
#[derive(Clone, Debug)]
enum LogStep {
    Settle(BTreeSet<i64>),
    Correct(BTreeSet<i64>),
    Remove(i64, i64),
    /// Cleaning does a slice.
    Carry,
}

const END_MS: i64 = 80;

fn any_log_step() -> impl Strategy<Value = LogStep> {
    let times = || proptest::collection::btree_set(0..END_MS, 1..30);
    prop_oneof![
        3 => times().prop_map(LogStep::Settle),
        1 => times().prop_map(LogStep::Correct),
        2 => (0..END_MS, 0..END_MS).prop_map(|(a, b)| LogStep::Remove(a.min(b), a.max(b))),
        4 => Just(LogStep::Carry),
    ]
}

/// A log in memory.
#[derive(Default)]
struct PlainLog {
    hot: HotSensors,
    live: LiveRows,
    /// The groups of each record, by its position.
    groups: Vec<(u64, RowGroup<'static>)>,
    next: u64,
}

impl PlainLog {
    fn append(&mut self, mut change: LogChange, in_memory: impl FnOnce(&mut HotSensors)) {
        for record in change.packer.finish() {
            let mut bytes = Vec::new();
            let head = LogHead::default();
            record.put(&mut bytes, Mark(*b"ourstore"), head);
            let position = self.next;
            let groups = unpacked(&bytes).into_iter();
            self.groups.extend(groups.map(|group| (position, group)));
            self.next += 1;
        }
        in_memory(&mut self.hot);
        self.live.note(change, &mut self.hot);
    }

    fn step(&mut self, step: &LogStep, watts: f64) {
        let rows = |times: &BTreeSet<i64>| times.iter().map(|ms| reading(*ms, watts)).collect();
        let edit = |rows| HotEdit {
            sensor: house(),
            rows,
            activity: None,
        };
        let edit = match step {
            LogStep::Settle(times) => {
                let mut commit = Commit::default();
                let activity = Activity::default().arrived(at(self.next.cast_signed()));
                commit.add(house(), rows(times), activity);
                self.hot.hold(commit);
                self.hot.freeze();
                let change = LiveRows::settling(&self.hot, 1, self.next);
                return self.append(change, |hot| {
                    hot.settle(1);
                    hot.end_generation();
                });
            }
            LogStep::Carry => {
                let mut change = LogChange::new(self.next);
                LiveRows::carry(&self.hot, &house(), &mut change);
                return self.append(change, |_| {});
            }
            LogStep::Correct(times) => {
                let known = self.hot.range(&house(), TimeRange::ALL).into_iter();
                let known = known.map(|row| row.time.millis());
                let known = known.filter(|ms| times.contains(ms)).collect();
                edit(RowsEdit::Corrected(rows(&known)))
            }
            LogStep::Remove(from, to) => {
                edit(RowsEdit::Gone(TimeRange::new(at(*from), at(*to)).unwrap()))
            }
        };
        let change = LiveRows::editing(&self.hot, std::slice::from_ref(&edit), self.next);
        self.append(change, |hot| hot.apply(vec![edit]));
    }

    /// A start that reads only the live records has the rows in memory.
    fn assert_loads(&self) {
        let since = self
            .hot
            .find_logged(&house())
            .and_then(|(_, logged)| logged);
        let since = since.map_or(0, |logged| logged.since);
        let (mut hot, mut live) = (HotSensors::default(), LiveRows::default());
        for (position, group) in self
            .groups
            .iter()
            .filter(|(position, _)| *position >= since)
        {
            live.load(group, *position, &mut hot);
        }
        hot.load_activities();
        let rows = |hot: &HotSensors| hot.range(&house(), TimeRange::ALL);
        assert_eq!(rows(&hot), rows(&self.hot));
        assert_eq!(hot.activity(&house()), self.hot.activity(&house()));
    }
}

proptest! {
    /// Cleaning appends the rows of a sensor in parts, between which other rows settle, change and
    /// are removed.
    #[test]
    fn nothing_is_needed_of_the_records_that_cleaning_leaves_behind(
        steps in proptest::collection::vec(any_log_step(), 1..40),
    ) {
        let mut log = PlainLog { next: 1, ..PlainLog::default() };
        let mut watts = 0.0;
        for step in &steps {
            watts += 1.0;
            log.step(step, watts);
            log.assert_loads();
        }
    }
}

#[test]
fn a_row_takes_a_dozen_bytes() {
    let row = |n: i32| Reading {
        time: at(1_700_000_000_000 + 10_000 * i64::from(n)),
        measures: Measures::new(
            Some(200.0 + f64::from(n * 7 % 50)),
            Some(1e6 + f64::from(n) / 10.0),
        )
        .unwrap(),
    };
    let rows: Vec<Reading> = (0..1_000).map(row).collect();
    let group = RowGroup {
        sensor: house(),
        replaced: None,
        activity: None,
        rows: rows.into(),
    };
    let bytes = packed(&[group]).len();
    assert!(bytes < 13_000, "{bytes}");
}
