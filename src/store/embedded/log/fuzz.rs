//! Entry points for the fuzzer.

use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::embedded::disk::record::{self, Mark};
use crate::store::embedded::log::packer::LogPacker;
use crate::store::embedded::log::{LogHead, LogItem, content};
use crate::store::embedded::rows::group::{RowGroup, take};
use crate::store::rows::activity::Activity;

/// Checks that groups that can be decoded round-trip through the log, with any parts.
///
/// # Panics
/// If they do not round-trip.
pub fn rows(bytes: &[u8]) {
    let (mut rest, mut groups) = (bytes, Vec::new());
    while let Some(group) = take(&mut rest) {
        groups.push(group);
    }
    let again = unpacked(&packed(&groups));
    assert_eq!(joined(again.into_iter()), joined(groups.into_iter()));
}

/// The bytes of the records with these groups.
pub(super) fn packed(groups: &[RowGroup<'_>]) -> Vec<u8> {
    let mut packer = LogPacker::new(1);
    for group in groups {
        packer.add(group);
    }
    let mut bytes = Vec::new();
    for (position, packed) in (1..).zip(packer.finish()) {
        packed.put(
            &mut bytes,
            Mark(*b"ourstore"),
            LogHead {
                position,
                ..LogHead::default()
            },
        );
    }
    bytes
}

pub(super) fn unpacked(bytes: &[u8]) -> Vec<RowGroup<'static>> {
    let records = record::all(bytes, Mark(*b"ourstore"));
    let items = records.filter_map(|record| content::items(&record));
    let groups = items.flatten().filter_map(|item| match item {
        LogItem::Rows(group) => Some(group),
        _ => None,
    });
    groups.collect()
}

type RowBits = (Timestamp, Option<u64>, Option<u64>);

/// A group as bits, because -0.0 equals 0.0.
type GroupBits = (
    SensorId,
    Option<TimeRange>,
    Option<(Activity, Option<u64>)>,
    Vec<RowBits>,
);

/// Groups, with the parts of each joined.
pub(super) fn joined<'a>(groups: impl Iterator<Item = RowGroup<'a>>) -> Vec<GroupBits> {
    let mut joined: Vec<GroupBits> = Vec::new();
    for group in groups {
        let rows = group.rows.iter().map(|row| {
            let (watts, watthours) = (row.measures.watts(), row.measures.watthours());
            let bits = |number: Option<f64>| number.map(f64::to_bits);
            (row.time, bits(watts), bits(watthours))
        });
        let is_part = group.activity.is_none() && group.replaced.is_none();
        match joined.last_mut() {
            Some((sensor, _, _, all)) if *sensor == group.sensor && is_part => all.extend(rows),
            _ => {
                let power =
                    |activity: &Activity| activity.newest_power.map(|it| it.watts.to_bits());
                let activity = group.activity.map(|activity| (activity, power(&activity)));
                joined.push((group.sensor, group.replaced, activity, rows.collect()));
            }
        }
    }
    joined
}
