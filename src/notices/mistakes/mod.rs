//! Sensors of a house that contradict each other: swapped ones, parts that exceed the whole, a
//! meter that counts twice.

use std::ops::Range;

use crate::domain::{Account, Interval, Role, Timestamp};
use crate::house::{AccountDays, FlowSlot, HouseSensors};
use crate::ledger::Flow;
use crate::ledger::house::HouseSum;
use crate::ledger::notice::{
    HouseWeek, Notice, NoticeKind, NoticeSubject, SensorHours, grid_swapped, mistake,
    parts_exceed_house, same_meters,
};
use crate::notices::changes::KeptNotices;
use crate::store::{Store, StoreError};

/// The number of days before today that are looked at.
const DAYS: i32 = 7;

/// The hours of a week, added up.
struct Week<'a> {
    house: &'a HouseSensors,
    sums: HouseWeek,
    sensors: Vec<SensorHours>,
}

/// Whether a notice of this kind comes from here.
pub(super) const fn is_of_house(kind: NoticeKind) -> bool {
    use NoticeKind::{GridSwapped, PartsExceedHouse, SameMeter};
    matches!(kind, SameMeter | GridSwapped | PartsExceedHouse)
}

/// The contradictions in the last seven days before `now`. May block on disk reads.
pub(super) fn mistakes(
    store: &Store,
    account: &Account,
    (house, feeds_at_night): (&HouseSensors, bool),
    kept: &KeptNotices<'_>,
    now: Timestamp,
) -> Result<Vec<Notice>, StoreError> {
    let days = AccountDays::new(account.zone.clone(), now);
    let Some((start, end)) = days.start(DAYS).zip(days.start(0)) else {
        return Ok(Vec::new());
    };
    let nights = (0..=DAYS).filter_map(|ago| Some(days.hour(ago + 1, 22)?..days.hour(ago, 4)?));
    let nights: Vec<Range<Timestamp>> = nights.collect();
    let mut week = Week::new(house);
    let by = (&account.zone, Interval::Hour);
    let mut flows = house.by_interval(store, start..end, by)?;
    let (mut slots, mut is_more) = (Vec::new(), true);
    while is_more {
        is_more = flows.next_run(&mut slots, |_| {})?;
        for slot in slots.drain(..) {
            let is_night = nights.iter().any(|night| night.contains(&slot.start));
            week.add(&slot, is_night);
        }
    }
    let open_since = |kind, subject: &NoticeSubject| kept.open_since(kind, subject);
    let open = |kind| open_since(kind, &NoticeSubject::House);
    let has = |role| house.sensors.iter().any(|it| it.sensor.role == role);
    // A meter of both directions has a notice of its own, as long as its nights tell.
    let is_told = has(Role::Grid) && !feeds_at_night;
    let swapped = grid_swapped(
        &week.sums,
        (has(Role::Solar), feeds_at_night || is_told),
        start,
        open(NoticeKind::GridSwapped),
    );
    let swapped = swapped.filter(|_| !is_told);
    let exceeded = parts_exceed_house(&week.sums, start, open(NoticeKind::PartsExceedHouse));
    let twins = same_meters(&week.sensors).into_iter().map(|(id, other)| {
        let subject = NoticeSubject::Twin(id.clone(), other.clone());
        let since = open_since(NoticeKind::SameMeter, &subject).unwrap_or(start);
        mistake(NoticeKind::SameMeter, subject, since)
    });
    Ok(twins.chain(swapped).chain(exceeded).collect())
}

impl<'a> Week<'a> {
    fn new(house: &'a HouseSensors) -> Self {
        let hours = house.sensors.iter().map(|it| SensorHours {
            id: it.sensor.id.clone(),
            role: it.sensor.role,
            part_of: it.sensor.part_of.clone(),
            hours: Vec::new(),
        });
        let sub_meters = house.sensors.iter();
        let sub_meters = sub_meters.filter(|it| it.sensor.role == Role::SubMeter);
        Self {
            house,
            sums: HouseWeek {
                sub_meters: i32::try_from(sub_meters.count()).unwrap_or(i32::MAX),
                ..HouseWeek::default()
            },
            sensors: hours.collect(),
        }
    }

    fn add(&mut self, slot: &FlowSlot, is_night: bool) {
        for (sensor, measured) in self.sensors.iter_mut().zip(&slot.measured) {
            let is_measured = measured.estimated_ms == 0 && measured.missing_ms == 0;
            let energy = |flow: Flow| match sensor.role {
                // It counts the imports of a meter of both directions, too.
                Role::Grid | Role::GridImport => flow.imported,
                _ => flow.net().max(-flow.net()),
            };
            let hour = measured.flow.map(energy).filter(|_| is_measured);
            sensor.hours.push(hour);
        }
        let sums = self.house.sums(slot);
        let known = sums.used.energy().filter(|_| sums.used.missing_ms == 0);
        let Some(used) = known else { return };
        self.sums.used = self.sums.used + used;
        let [imported, exported] =
            [sums.imported, sums.exported].map(|it| it.energy().unwrap_or_default());
        self.sums.exported = self.sums.exported + exported;
        if is_night {
            let [drawn, fed] = self.sums.night;
            self.sums.night = [drawn + imported, fed + exported];
        }
        let other = sums.other.filter(|other| other.missing_ms == 0);
        if let Some(other) = other.and_then(HouseSum::energy) {
            let [others, parts] = self.sums.parts.unwrap_or_default();
            self.sums.parts = Some([others + other, parts + (used - other)]);
        }
    }
}

#[cfg(test)]
mod tests;
