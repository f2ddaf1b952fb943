//! Rows of a sensor in a slice, ascending: searching and merging.

use std::cmp::Ordering;

use crate::domain::{Measures, Reading, TimeRange, Timestamp};

/// The part of `rows`, which ascend, that is in `range`.
pub(crate) fn in_range(rows: &[Reading], range: TimeRange) -> &[Reading] {
    let start = rows.partition_point(|row| row.time < range.start());
    let end = rows.partition_point(|row| row.time <= range.end());
    rows.get(start..end).unwrap_or_default()
}

/// The measures at `time` in `rows`, which ascend.
pub(crate) fn at_time(rows: &[Reading], time: Timestamp) -> Option<Measures> {
    // Most readings are newer than all rows.
    let last = rows.last().filter(|last| time <= last.time)?;
    if last.time == time {
        return Some(last.measures);
    }
    let found = rows.binary_search_by_key(&time, |row| row.time).ok()?;
    rows.get(found).map(|row| row.measures)
}

/// Merges `newer` rows into `rows`, both in ascending order of time. At equal times, the newer one
/// wins.
pub(crate) fn merge_into(rows: &mut Vec<Reading>, newer: &[Reading]) {
    let Some(first) = newer.first() else {
        return;
    };
    // Nearly always. Otherwise, a search would miss all caches.
    if rows.last().is_none_or(|last| last.time < first.time) {
        rows.extend_from_slice(newer);
        return;
    }
    let before = rows.partition_point(|row| row.time < first.time);
    let behind = rows.split_off(before);
    let (mut behind, mut newer) = (behind.as_slice(), newer);
    while let (Some((old, olds)), Some((new, news))) = (behind.split_first(), newer.split_first()) {
        match old.time.cmp(&new.time) {
            Ordering::Less => {
                rows.push(*old);
                behind = olds;
            }
            order => {
                rows.push(*new);
                newer = news;
                behind = if order == Ordering::Equal {
                    olds
                } else {
                    behind
                };
            }
        }
    }
    rows.extend_from_slice(behind);
    rows.extend_from_slice(newer);
}

/// `rows` without those at the times of `gone`; both ascend.
pub(crate) fn without(rows: &[Reading], gone: &[Reading]) -> Vec<Reading> {
    let is_gone = |row: &&Reading| {
        gone.binary_search_by_key(&row.time, |gone| gone.time)
            .is_ok()
    };
    rows.iter().filter(|row| !is_gone(row)).copied().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::store::tests::{at, reading};

    fn batch() -> impl Strategy<Value = Vec<Reading>> {
        let rows = proptest::collection::btree_map(0_i64..40, 0_i32..9, 0..20);
        rows.prop_map(|rows| {
            let rows = rows.into_iter();
            rows.map(|(ms, watts)| reading(ms, f64::from(watts)))
                .collect()
        })
    }

    proptest! {
        /// After any merges and removals, the rows equal those of a sorted map.
        #[test]
        fn rows_are_those_of_a_plain_map(
            steps in proptest::collection::vec((proptest::bool::weighted(0.2), batch()), 1..12),
            range in (0_i64..40, 0_i64..40),
        ) {
            let (mut rows, mut model) = (Vec::new(), BTreeMap::new());
            for (is_gone, batch) in &steps {
                if *is_gone {
                    rows = without(&rows, batch);
                    model.retain(|time, _| batch.iter().all(|gone| gone.time != *time));
                } else {
                    merge_into(&mut rows, batch);
                    model.extend(batch.iter().map(|row| (row.time, *row)));
                }
                prop_assert!(rows.iter().eq(model.values()));
            }
            for ms in 0..40 {
                let expected = model.get(&at(ms)).map(|row| row.measures);
                prop_assert_eq!(at_time(&rows, at(ms)), expected);
            }
            let (start, end) = (range.0.min(range.1), range.0.max(range.1));
            let expected: Vec<Reading> =
                model.range(at(start)..=at(end)).map(|(_, row)| *row).collect();
            let range = TimeRange::new(at(start), at(end)).unwrap();
            prop_assert_eq!(in_range(&rows, range), &expected);
        }
    }
}
