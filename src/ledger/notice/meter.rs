//! Notices about a sensor's meter.

use std::cmp::Ordering;

use super::kind::{Notice, NoticeKind, NoticeSubject};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{MicroWh, Role, SensorId, Timestamp};
use crate::ledger::stretch::Flow;
use crate::ledger::walk::{Event, EventKind};

/// Less energy says nothing about a meter.
const TELLING: MicroWh = MicroWh::new(1_000_000_000);
/// Power and register drift if they differ by more percent than this on each of so many days, until
/// they differ by less.
const DRIFT_PERCENT: i128 = 5;
const DRIFT_OVER_PERCENT: i128 = 4;
const DRIFT_DAYS: usize = 3;
/// A sign looks inverted if so many percent of the energy flow the wrong way, until fewer do.
const INVERTED_PERCENT: i128 = 95;
const INVERTED_OVER_PERCENT: i128 = 80;
/// Panels produce at most so many percent of their energy at night.
const NIGHT_PERCENT: i128 = 5;

/// The energy of a whole day by register and by power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterDay {
    /// When the day began.
    pub start: Timestamp,
    /// By the register.
    pub register: MicroWh,
    /// By the mean power.
    pub power: MicroWh,
}

/// The energy of a sensor in seven days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectionWeek {
    /// When the first day began.
    pub start: Timestamp,
    /// In all of the time.
    pub whole: Flow,
    /// From 22:00 to 04:00 by the account's clock.
    pub night: Flow,
}

impl DirectionWeek {
    /// Whether more than 5 % of it flowed at night, in its main direction: panels do not produce at
    /// night.
    #[must_use]
    pub fn is_by_night(&self) -> bool {
        let Flow { imported, exported } = self.whole;
        let (night, whole) = if imported > exported {
            (self.night.imported, imported)
        } else {
            (self.night.exported, exported)
        };
        compared(night, NIGHT_PERCENT, whole).is_gt()
    }
}

/// Opens with an event that a person has to decide, and closes when that is done or the event is
/// gone.
#[must_use]
pub fn open_event(sensor: &SensorId, event: &Event) -> Option<Notice> {
    event.is_open.then(|| Notice {
        kind: NoticeKind::EventOpen,
        subject: NoticeSubject::Sensor(sensor.clone()),
        since: event.time,
        happened: format!(
            "The register of {sensor} has a {} that is not counted.",
            event.kind.as_str()
        ),
    })
}

/// Opens when implausible power was left out, and closes a day after the last such reading.
#[must_use]
pub fn implausible_power(
    sensor: &SensorId,
    events: &[Event],
    now: Timestamp,
    open_since: Option<Timestamp>,
) -> Option<Notice> {
    let first = events.iter().find(|event| {
        let age_ms = now.millis() - event.until.millis();
        event.kind == EventKind::ImplausiblePower && age_ms < MS_PER_DAY
    })?;
    Some(Notice {
        kind: NoticeKind::ImplausiblePower,
        subject: NoticeSubject::Sensor(sensor.clone()),
        since: open_since.unwrap_or(first.time),
        happened: format!("The sensor {sensor} uploaded more power than is plausible."),
    })
}

/// Opens when power and register differ by more than 5 % on each of the last three days of at least
/// 1 kWh, and closes after such a day of at most 4 %. `days` are whole and in time order.
#[must_use]
pub fn power_drift(
    sensor: &SensorId,
    days: &[MeterDay],
    open_since: Option<Timestamp>,
) -> Option<Notice> {
    let is_off = |day: &MeterDay, percent| {
        let off = magnitude(day.power - day.register);
        compared(off, percent, magnitude(day.register)).is_gt()
    };
    let newest = days
        .iter()
        .rev()
        .filter(|day| magnitude(day.register) >= TELLING);
    let last: Vec<&MeterDay> = newest.take(DRIFT_DAYS).collect();
    let since = if open_since.is_some() {
        let newest = last.first();
        let is_over = days.is_empty() || newest.is_some_and(|day| !is_off(day, DRIFT_OVER_PERCENT));
        open_since.filter(|_| !is_over)
    } else {
        let is_drift =
            last.len() == DRIFT_DAYS && last.iter().all(|day| is_off(day, DRIFT_PERCENT));
        last.last().filter(|_| is_drift).map(|day| day.start)
    };
    since.map(|since| Notice {
        kind: NoticeKind::PowerDrift,
        subject: NoticeSubject::Sensor(sensor.clone()),
        since,
        happened: format!("Power and register of {sensor} differ by more than 5 %."),
    })
}

/// Opens when 95 % of a week's energy flow the wrong way, and closes when less than 80 % do; a week
/// of less than 1 kWh says nothing. docs/HOUSE.md says which way is wrong.
#[must_use]
pub fn inverted_sign(
    sensor: &SensorId,
    role: Role,
    feeds_at_night: bool,
    week: &DirectionWeek,
    open_since: Option<Timestamp>,
) -> Option<Notice> {
    let flow = match role {
        // By day, panels can feed back more than the house draws. At night only a battery can, or a
        // plant without panels.
        Role::Grid if !feeds_at_night => week.night,
        Role::Grid | Role::Battery => return None,
        _ => week.whole,
    };
    let all = flow.imported + flow.exported;
    let percent = open_since.map_or(INVERTED_PERCENT, |_| INVERTED_OVER_PERCENT);
    let is_wrong = compared(flow.exported, percent, all).is_ge();
    let is_by_night = role == Role::Solar && week.is_by_night();
    let is_open = if all < TELLING {
        open_since.is_some()
    } else {
        is_wrong && !is_by_night
    };
    is_open.then(|| Notice {
        kind: NoticeKind::InvertedSign,
        subject: NoticeSubject::Sensor(sensor.clone()),
        since: open_since.unwrap_or(week.start),
        happened: format!("The sensor {sensor} seems to count the other way round."),
    })
}

/// How `part` compares to so many percent of `whole`.
fn compared(part: MicroWh, percent: i128, whole: MicroWh) -> Ordering {
    let [part, whole] = [part, whole].map(|energy| i128::from(energy.millionths()));
    (part * 100).cmp(&(whole * percent))
}

fn magnitude(energy: MicroWh) -> MicroWh {
    energy.max(-energy)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(day: i64) -> Timestamp {
        Timestamp::from_millis(day * MS_PER_DAY).unwrap()
    }

    fn wh(wh: i64) -> MicroWh {
        MicroWh::new(wh * 1_000_000)
    }

    fn sensor() -> SensorId {
        SensorId::new("roof").unwrap()
    }

    fn event(kind: EventKind, time: Timestamp, is_open: bool) -> Event {
        Event {
            kind,
            since: time,
            time,
            until: time,
            before: None,
            after: None,
            counted: MicroWh::ZERO,
            is_open,
            is_decided: false,
        }
    }

    #[test]
    fn an_open_event_is_told_until_it_is_decided() {
        let jump = open_event(&sensor(), &event(EventKind::Jump, day(3), true)).unwrap();
        assert_eq!(
            (jump.since, jump.happened.as_str()),
            (
                day(3),
                "The register of roof has a jump that is not counted."
            )
        );
        assert_eq!(
            open_event(&sensor(), &event(EventKind::Jump, day(3), false)),
            None
        );
    }

    #[test]
    fn implausible_power_is_told_for_a_day() {
        let events = [
            (EventKind::Gap, 9),
            (EventKind::ImplausiblePower, 3),
            (EventKind::ImplausiblePower, 8),
        ]
        .map(|(kind, time)| event(kind, day(time), false));
        let since =
            |now, open| implausible_power(&sensor(), &events, now, open).map(|notice| notice.since);
        assert_eq!(since(day(9).saturating_add_millis(-1), None), Some(day(8)));
        assert_eq!(
            since(day(9).saturating_add_millis(-1), Some(day(3))),
            Some(day(3))
        );
        assert_eq!(since(day(9), Some(day(3))), None);
    }

    #[test]
    fn drift_lasts_three_days() {
        // Register and power of each day, in Wh.
        let since = |days: &[(i64, i64)], open: Option<i64>| {
            let days: Vec<_> = (0..)
                .zip(days)
                .map(|(nth, &(register, power))| MeterDay {
                    start: day(nth),
                    register: wh(register),
                    power: wh(power),
                })
                .collect();
            power_drift(&sensor(), &days, open.map(day)).map(|notice| notice.since)
        };
        let (low, high, exact, idle) = (
            (10_000, 9_499),
            (10_000, 10_501),
            (10_000, 10_500),
            (999, 0),
        );
        for (days, open, expected) in [
            (&[][..], None, None),
            (&[low, high], None, None),
            (&[low, high, low], None, Some(day(0))),
            (&[high, low, idle, high, low, idle], None, Some(day(1))),
            (&[low, low, exact], None, None),
            (&[(-10_000, -9_000); 3], None, Some(day(0))),
            // Open: between 4 and 5 % it stays.
            (&[exact], Some(0), Some(day(0))),
            (&[(10_000, 10_401), idle], Some(0), Some(day(0))),
            (&[(10_000, 10_400), idle], Some(0), None),
            (&[idle], Some(0), Some(day(0))),
        ] {
            assert_eq!(since(days, open), expected, "{days:?} {open:?}");
        }
    }

    #[test]
    fn a_sign_looks_inverted() {
        use Role::*;
        let flow = |(imported, exported)| Flow {
            imported: wh(imported),
            exported: wh(exported),
        };
        let is_open = |part, has_battery, whole, night, open: bool| {
            let week = DirectionWeek {
                start: day(0),
                whole: flow(whole),
                night: flow(night),
            };
            inverted_sign(&sensor(), part, has_battery, &week, open.then(|| day(0))).is_some()
        };
        for (part, has_battery, whole, night, opens, stays) in [
            // Panels: all day negative, and never at night.
            (Solar, false, (500, 9_500), (0, 475), true, true),
            (Solar, false, (501, 9_499), (0, 0), false, true),
            (Solar, false, (2_001, 7_999), (0, 0), false, false),
            // An inverter's own use under snow, by night as by day.
            (Solar, false, (0, 1_200), (0, 300), false, false),
            (Solar, false, (30_000, 100), (0, 100), false, false),
            // A week of rain says nothing.
            (Solar, false, (0, 999), (0, 0), false, true),
            (SubMeter, true, (0, 5_000), (0, 2_000), true, true),
            (GridImport, true, (5_000, 0), (2_000, 0), false, false),
            // The grid: energy at night decides, unless there is a battery.
            (Grid, false, (20_000, 30_000), (0, 3_000), true, true),
            (Grid, false, (10_000, 90_000), (3_000, 0), false, false),
            (Grid, true, (20_000, 30_000), (0, 3_000), false, false),
            (Battery, false, (0, 9_000), (0, 9_000), false, false),
        ] {
            let found = (
                is_open(part, has_battery, whole, night, false),
                is_open(part, has_battery, whole, night, true),
            );
            assert_eq!(found, (opens, stays), "{part:?} {whole:?} {night:?}");
        }
    }

    proptest! {
        /// The threshold that opens a notice does not close it.
        #[test]
        fn a_notice_that_opens_stays(
            part in proptest::sample::select(Role::ALL.to_vec()), energies: [u16; 4],
            days in proptest::collection::vec((0_i64..3_000, 0_i64..3_000), 3..6),
        ) {
            let [imported, exported, by_day, by_night] = energies.map(|energy| wh(i64::from(energy)));
            let week = DirectionWeek {
                start: day(0),
                whole: Flow { imported: imported + by_day, exported: exported + by_night },
                night: Flow { imported, exported },
            };
            let sign = |open| inverted_sign(&sensor(), part, false, &week, open);
            prop_assert!(sign(None).is_none() || sign(Some(day(0))).is_some());
            let days: Vec<_> = days.iter().map(|&(register, power)| MeterDay { start: day(0), register: wh(register), power: wh(power) }).collect();
            let drift = |open| power_drift(&sensor(), &days, open);
            prop_assert!(drift(None).is_none() || drift(Some(day(0))).is_some());
        }
    }
}
