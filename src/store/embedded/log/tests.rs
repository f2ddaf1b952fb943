//! Tests of the log.

use proptest::prelude::*;

use crate::domain::{Measures, Reading, SensorId, TimeRange, Timestamp};
use crate::store::embedded::log::fuzz::{self, joined, packed, unpacked};
use crate::store::embedded::rows::compact::tests::{any_activity, any_number};
use crate::store::embedded::rows::group::RowGroup;
use crate::store::tests::{at, house};

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
            // Else it would be the end of the sensor, or nothing.
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
