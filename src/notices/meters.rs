//! Oddities of a sensor: events of its register, power against register, and the direction of its
//! energy.

use std::ops::Range;

use super::changes::KeptNotices;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Interval, Timestamp, Zone};
use crate::house::{AccountDays, HouseSensor};
use crate::ledger::notice::{
    DirectionWeek, MeterDay, Notice, NoticeKind, NoticeSubject, implausible_power, inverted_sign,
    open_event, power_drift,
};
use crate::ledger::{Event, EventKind, Flow};
use crate::query::{LedgerEnergy, SlotEnergy};
use crate::store::{Store, StoreError};

/// How far back events and days are looked for; an event that was already open stays until it is
/// decided.
const BACK_MS: i64 = 30 * MS_PER_DAY;
const DRIFT_DAYS: i32 = 30;
/// The maximum number of a sensor's open events with notices, the first ones: a badly configured
/// counter has an event with each reading.
const MOST_EVENTS: usize = 20;
/// A day is compared if at most a hundredth of it is not measured.
const UNKNOWN_PART: i64 = 100;

/// A sensor being examined.
pub(super) struct LookedAt<'a> {
    pub(super) store: &'a Store,
    pub(super) it: &'a HouseSensor,
    pub(super) kept: &'a KeptNotices<'a>,
    pub(super) zone: &'a Zone,
    pub(super) house_has_battery: bool,
}

impl LookedAt<'_> {
    /// Its oddities at `now`. May block on disk reads.
    pub(super) fn notices(&self, now: Timestamp) -> Result<Vec<Notice>, StoreError> {
        let id = &self.it.sensor.id;
        let days = AccountDays::new(self.zone.clone(), now);
        let subject = NoticeSubject::Sensor(id.clone());
        let open_since = |kind| self.kept.open_since(kind, &subject);
        let events = self.events(now)?;
        let mut found: Vec<Notice> = events.iter().filter_map(|it| open_event(id, it)).collect();
        found.extend(implausible_power(
            id,
            &events,
            now,
            open_since(NoticeKind::ImplausiblePower),
        ));
        let drift = open_since(NoticeKind::PowerDrift);
        found.extend(power_drift(id, &self.meter_days(&days)?, drift));
        if let Some(week) = self.week(&days)? {
            let open = open_since(NoticeKind::InvertedSign);
            let (role, has_battery) = (self.it.sensor.role, self.house_has_battery);
            found.extend(inverted_sign(id, role, has_battery, &week, open));
        }
        Ok(found)
    }

    fn events(&self, now: Timestamp) -> Result<Vec<Event>, StoreError> {
        let of_it = self.kept.open().filter(|(_, known)| {
            let is_its = known.notice.sensor() == Some(&self.it.sensor.id);
            is_its && known.notice.kind == NoticeKind::EventOpen
        });
        let oldest = of_it.map(|(_, known)| known.notice.since).min();
        let start = now.saturating_add_millis(-BACK_MS);
        let start = oldest.map_or(start, |oldest| start.min(oldest));
        let range = start..now.saturating_add_millis(1);
        let mut energy = LedgerEnergy::by_interval(
            self.store,
            &self.it.sensor.id,
            (self.it.sensor.meter, self.it.facts.clone()),
            range,
            (self.zone.clone(), Interval::Year),
        )?;
        let (mut slots, mut events, mut told) = (Vec::new(), Vec::new(), Vec::new());
        let mut open = 0;
        loop {
            let is_more = energy.next_run(&mut slots, &mut events)?;
            slots.clear();
            for event in events.drain(..) {
                open += usize::from(event.is_open);
                if event.is_open && open <= MOST_EVENTS || is_recent(&event, now) {
                    told.push(event);
                }
            }
            if !is_more {
                return Ok(told);
            }
        }
    }

    /// The days before today with both power and register.
    fn meter_days(&self, days: &AccountDays) -> Result<Vec<MeterDay>, StoreError> {
        let id = &self.it.sensor.id;
        let activity = self.store.activity(id)?;
        let has_power = activity.is_some_and(|it| it.newest_power.is_some());
        let range = days.start(DRIFT_DAYS).zip(days.start(0));
        let Some((start, end)) = range.filter(|_| has_power) else {
            return Ok(Vec::new());
        };
        if self.store.first_register(id)?.is_none() {
            return Ok(Vec::new());
        }
        let meter = || (self.it.sensor.meter, self.it.facts.clone());
        let by = || (self.zone.clone(), Interval::Day);
        let power = LedgerEnergy::of_power(self.store, id, meter(), start..end, by())?;
        let power = power.all_slots()?;
        let register = LedgerEnergy::by_interval(self.store, id, meter(), start..end, by())?;
        let register = register.all_slots()?;
        let both = register.iter().filter_map(|register| {
            let at = power.binary_search_by_key(&register.start, |power| power.start);
            let power = power.get(at.ok()?)?;
            let is_known = is_whole(power, power.measured_ms)
                && is_whole(register, register.measured_ms + register.estimated_ms);
            is_known.then(|| MeterDay {
                start: register.start,
                register: register.flow.net(),
                power: power.flow.net(),
            })
        });
        Ok(both.collect())
    }

    /// The seven days before today, with nights from 22:00 to 04:00.
    fn week(&self, days: &AccountDays) -> Result<Option<DirectionWeek>, StoreError> {
        let mut times = Vec::new();
        for days_ago in (1..=7).rev() {
            times.extend([
                days.start(days_ago),
                days.hour(days_ago, 4),
                days.hour(days_ago, 22),
            ]);
        }
        times.push(days.start(0));
        let Some(times) = times.into_iter().collect::<Option<Vec<Timestamp>>>() else {
            return Ok(None);
        };
        let meter = (self.it.sensor.meter, self.it.facts.clone());
        let energy = LedgerEnergy::between(self.store, &self.it.sensor.id, meter, &times)?;
        let slots = energy.all_slots()?;
        let Some(&start) = times.first() else {
            return Ok(None);
        };
        let (mut whole, mut night) = (Flow::default(), Flow::default());
        for slot in slots {
            whole = whole + slot.flow;
            let place = times.binary_search(&slot.start);
            // The middle one of a day's three slots is the day itself.
            if place.is_ok_and(|place| place % 3 != 1) {
                night = night + slot.flow;
            }
        }
        Ok(Some(DirectionWeek {
            start,
            whole,
            night,
        }))
    }
}

/// Whether implausible power at this time is recent enough for a notice.
fn is_recent(event: &Event, now: Timestamp) -> bool {
    let is_power = event.kind == EventKind::ImplausiblePower;
    is_power && !event.is_open && event.until >= now.saturating_add_millis(-MS_PER_DAY)
}

fn is_whole(day: &SlotEnergy, known_ms: i64) -> bool {
    let Range { start, end } = day.start.millis()..day.end.millis();
    let length_ms = end - start;
    length_ms - known_ms <= length_ms / UNKNOWN_PART
}
