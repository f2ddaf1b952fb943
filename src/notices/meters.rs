//! Oddities of a sensor: events of its register, power against register, and the direction of its
//! energy.

use std::ops::Range;

use super::changes::KeptNotices;
use crate::domain::time::{MS_PER_DAY, MS_PER_MINUTE};
use crate::domain::{Between, Interval, MeterKind, MicroWh, Role, TimeRange, Timestamp, Zone};
use crate::house::{AccountDays, HouseSensor};
use crate::ledger::notice::{
    BothMeasures, DirectionWeek, MeterDay, Notice, NoticeKind, NoticeSubject, are_kilowatts,
    implausible_power, inverted_sign, mistake, open_event, power_drift, wrong_unit,
};
use crate::ledger::{Event, EventKind, Flow};
use crate::query::{LedgerEnergy, SlotEnergy};
use crate::store::{Measure, Piece, Store, StoreError, Totals};

/// How far back events and days are looked for; an event that was already open stays until it is
/// decided.
const BACK_MS: i64 = 30 * MS_PER_DAY;
const DRIFT_DAYS: i32 = 30;
/// More days than needed, as some have too little energy.
const DRIFT_DAYS_COMPARED: usize = 10;
/// The maximum number of a sensor's open events with notices, the first ones: a badly configured
/// counter has an event with each reading.
const MOST_EVENTS: usize = 20;
/// The maximum number of a day's values of power that are looked at, which bounds the memory.
const MOST_VALUES: usize = 100_000;
/// A day is compared if at least 99 % of it is measured.
const UNKNOWN_PART: i64 = 100;

/// A sensor being examined.
pub(super) struct LookedAt<'a> {
    pub(super) store: &'a Store,
    pub(super) it: &'a HouseSensor,
    pub(super) kept: &'a KeptNotices<'a>,
    pub(super) zone: &'a Zone,
    /// Whether energy may be fed into the grid at night.
    pub(super) feeds_at_night: bool,
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
        let (drifting, both) = self.meter_days(&days)?;
        let unit = wrong_unit(id, &both, open_since);
        let unit = match unit {
            None if self.is_in_kilowatts(&days)? => {
                let kind = NoticeKind::PowerInKw;
                let since = open_since(kind).or_else(|| days.start(1)).unwrap_or(now);
                Some(mistake(kind, subject.clone(), since))
            }
            unit => unit,
        };
        // A wrong unit differs from the other measure, too.
        let drift = open_since(NoticeKind::PowerDrift);
        let drift = power_drift(id, &drifting, drift).filter(|_| unit.is_none());
        found.extend(unit.into_iter().chain(drift));
        if let Some(week) = week_of(self.store, self.it, &days)? {
            let open = open_since(NoticeKind::InvertedSign);
            let role = self.it.sensor.role;
            found.extend(inverted_sign(id, role, self.feeds_at_night, &week, open));
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

    /// The days before today with both power and register: first those where power determines the
    /// energy, then all.
    fn meter_days(
        &self,
        days: &AccountDays,
    ) -> Result<(Vec<MeterDay>, Vec<BothMeasures>), StoreError> {
        let id = &self.it.sensor.id;
        let activity = self.store.activity(id)?;
        let has_power = activity.is_some_and(|it| it.newest_power.is_some());
        let range = days.start(DRIFT_DAYS).zip(days.start(0));
        let Some((start, end)) = range.filter(|_| has_power) else {
            return Ok((Vec::new(), Vec::new()));
        };
        if self.store.first_register(id)?.is_none() {
            return Ok((Vec::new(), Vec::new()));
        }
        let meter = || (self.it.sensor.meter, self.it.facts.clone());
        let by = || (self.zone.clone(), Interval::Day);
        let power = LedgerEnergy::of_power(self.store, id, meter(), start..end, by())?;
        let power = power.all_slots()?;
        let register = LedgerEnergy::by_interval(self.store, id, meter(), start..end, by())?;
        let register = register.all_slots()?;
        let is_one_way = self.it.sensor.meter.kind == MeterKind::Counter;
        let both = register.iter().filter_map(|register| {
            let at = power.binary_search_by_key(&register.start, |power| power.start);
            let power = power.get(at.ok()?)?;
            let is_known = is_whole(power, power.measured_ms)
                && is_whole(register, register.measured_ms + register.estimated_ms);
            is_known.then_some((register, power.flow))
        });
        let both: Vec<(&SlotEnergy, Flow)> = both.collect();
        let mut days = Vec::new();
        // The newest days decide; older ones are not needed.
        for (day, power) in both.iter().rev() {
            // A counter counts one direction only.
            let is_compared = !is_one_way || is_one_way_power(*power);
            if is_compared
                && days.len() < DRIFT_DAYS_COMPARED
                && self.is_dense(day.start, day.end)?
            {
                days.push(MeterDay {
                    start: day.start,
                    register: day.flow.net(),
                    power: if is_one_way {
                        power.imported
                    } else {
                        power.net()
                    },
                });
            }
        }
        days.reverse();
        let both = both.into_iter().map(|(day, power)| {
            let other_way = power.exported;
            let (power, other_way) = if is_one_way {
                (power.imported, other_way)
            } else {
                (power.imported + other_way, MicroWh::ZERO)
            };
            BothMeasures {
                start: day.start,
                register: day.flow.imported + day.flow.exported,
                power,
                other_way,
            }
        });
        Ok((days, both.collect()))
    }

    /// Whether the power of yesterday at the grid was in kW.
    fn is_in_kilowatts(&self, days: &AccountDays) -> Result<bool, StoreError> {
        let yesterday = days.start(1).zip(days.start(0));
        let is_at_grid = matches!(self.it.sensor.role, Role::Grid | Role::GridImport);
        let Some((start, end)) = yesterday.filter(|_| is_at_grid) else {
            return Ok(false);
        };
        let Some(day) = TimeRange::new(start, end.saturating_add_millis(-1)) else {
            return Ok(false);
        };
        let (mut scan, mut watts) = (self.store.scan(&self.it.sensor.id, day), Vec::new());
        while watts.len() < MOST_VALUES
            && let Some(readings) = scan.next_run()?
        {
            watts.extend(readings.iter().filter_map(|it| it.measures.watts()));
            // Most sensors send watts: a large value decides at once.
            if watts.last().is_some_and(|last| last.abs() > 30.0) {
                return Ok(false);
            }
        }
        Ok(are_kilowatts(&watts))
    }

    /// Whether power is dense, or uploaded at each change: sparse power does not determine energy.
    fn is_dense(&self, start: Timestamp, end: Timestamp) -> Result<bool, StoreError> {
        let Some(day) = TimeRange::new(start, end.saturating_add_millis(-1)) else {
            return Ok(false);
        };
        if self.it.sensor.meter.between == Between::Hold {
            return Ok(true);
        }
        let mut power = self.store.totals(&self.it.sensor.id, Measure::Watts, day);
        let mut count = 0_u64;
        while let Some(piece) = power.next_piece(|_| true)? {
            count += match piece {
                Piece::Run(run) => match run.totals {
                    Totals::Power { count, .. } => u64::from(count),
                    Totals::Registers(_) => 0,
                },
                Piece::Values(values, _) => values.times.len() as u64,
            };
        }
        let length_ms = end.millis() - start.millis();
        Ok(count * MS_PER_MINUTE.unsigned_abs() * 10 >= length_ms.unsigned_abs() * 9)
    }
}

/// Whether a sensor's energy also flows at night: a heat and power plant produces then, panels do
/// not.
pub(super) fn flows_at_night(
    store: &Store,
    it: &HouseSensor,
    days: &AccountDays,
) -> Result<bool, StoreError> {
    Ok(week_of(store, it, days)?.is_some_and(|week| week.is_by_night()))
}

/// The seven days before today, with nights from 22:00 to 04:00.
fn week_of(
    store: &Store,
    it: &HouseSensor,
    days: &AccountDays,
) -> Result<Option<DirectionWeek>, StoreError> {
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
    let meter = (it.sensor.meter, it.facts.clone());
    let energy = LedgerEnergy::between(store, &it.sensor.id, meter, &times)?;
    let slots = energy.all_slots()?;
    let Some(&start) = times.first() else {
        return Ok(None);
    };
    let (mut whole, mut night) = (Flow::default(), Flow::default());
    for slot in slots {
        whole = whole + slot.flow;
        let place = times.binary_search(&slot.start);
        // The middle one of a day's three slots is the daytime.
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

/// Whether implausible power at this time is recent enough for a notice.
fn is_recent(event: &Event, now: Timestamp) -> bool {
    let is_power = event.kind == EventKind::ImplausiblePower;
    is_power
        && !event.is_open
        && !event.is_decided
        && event.until >= now.saturating_add_millis(-MS_PER_DAY)
}

/// Whether power flows one way, apart from the noise of a meter without a load. Otherwise the
/// energy of a one-way counter is unknown.
fn is_one_way_power(flow: Flow) -> bool {
    let [imported, exported] = [flow.imported, flow.exported].map(|it| i128::from(it.millionths()));
    imported.min(exported) * 100 <= imported.max(exported)
}

fn is_whole(day: &SlotEnergy, known_ms: i64) -> bool {
    let Range { start, end } = day.start.millis()..day.end.millis();
    let length_ms = end - start;
    length_ms - known_ms <= length_ms / UNKNOWN_PART
}
