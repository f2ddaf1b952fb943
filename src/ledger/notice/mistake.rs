//! Notices about mistakes in the set-up of sensors: a wrong unit, a wrong role, a meter that counts
//! twice.

use super::kind::{Notice, NoticeKind, NoticeSubject};
use crate::domain::{MicroWh, Role, SensorId, Timestamp};

/// Less energy in a day says nothing about a unit: 500 Wh.
const TELLING_OF_UNIT: MicroWh = MicroWh::new(500_000_000);
/// Two measures of one meter differ by a factor of a thousand between these limits.
const THOUSAND: [i128; 2] = [700, 1_400];
/// The most that a house draws, in kW.
const MOST_KILOWATTS: f64 = 30.0;
/// The fewest values of a day that show the course of a house's power.
const TELLING_VALUES: usize = 60;
/// Meters contradict each other by at least 1 kWh, and by so many percent.
const CONTRADICTION: MicroWh = MicroWh::new(1_000_000_000);
const CONTRADICTION_PERCENT: i128 = 5;
/// At night so many percent of the energy flow into the grid.
const SWAPPED_PERCENT: i128 = 95;
/// The hours that two sensors must have in common: at the grid, and elsewhere, where two devices of
/// one kind are often alike.
const HOURS_AT_GRID: usize = 20;
const HOURS_ELSEWHERE: usize = 72;
/// The energy that two sensors must have in common: 2 kWh.
const TELLING_OF_TWINS: MicroWh = MicroWh::new(2_000_000_000);
/// One meter differs from itself by less than one part in this, as its copies are read at different
/// times: at the grid, and elsewhere.
const SAME_AT_GRID: i128 = 500;
const SAME_ELSEWHERE: i128 = 2_000;

/// The energy of a sensor in a span of time, by register and by power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BothMeasures {
    /// The beginning of the span.
    pub start: Timestamp,
    /// By the register, in any direction.
    pub register: MicroWh,
    /// By power in the directions that the register counts.
    pub power: MicroWh,
    /// By power in the other direction.
    pub other_way: MicroWh,
}

/// A house in the seven days before today: sums of the hours that all its sensors know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HouseWeek {
    /// The consumption that follows from grid, panels and batteries.
    pub used: MicroWh,
    /// Fed into the grid.
    pub exported: MicroWh,
    /// From 22:00 to 04:00 by the account's clock: drawn from the grid, and fed into it.
    pub night: [MicroWh; 2],
    /// The consumption without that of the sub-meters, and theirs; `None` without sub-meters.
    pub parts: Option<[MicroWh; 2]>,
    /// The number of sub-meters.
    pub sub_meters: i32,
}

/// The energy of a sensor in each hour, where it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SensorHours {
    /// The sensor.
    pub id: SensorId,
    /// Its role.
    pub role: Role,
    /// The sensor that it is a part of.
    pub part_of: Option<SensorId>,
    /// The hours, in time order.
    pub hours: Vec<Option<MicroWh>>,
}

impl BothMeasures {
    /// The measure that is sent in a wrong unit, if one of them is a thousand times the other and at
    /// least `least`.
    #[must_use]
    pub fn wrong_unit(&self, least: MicroWh) -> Option<NoticeKind> {
        let is_thousandth = |small: MicroWh, large: MicroWh| {
            let [small, large] = [small, large].map(|it| i128::from(it.millionths()));
            let [from, to] = THOUSAND.map(|times| small * times);
            large >= i128::from(least.millionths()) && (from..=to).contains(&large)
        };
        if is_thousandth(self.register, self.power) {
            return Some(NoticeKind::RegisterInKwh);
        }
        // Power of the wrong sign is noise in the direction of the register.
        let is_little = times(self.other_way, 5) <= times(self.register, 1);
        (is_thousandth(self.power, self.register) && is_little).then_some(NoticeKind::PowerInKw)
    }
}

/// Opens if register and power of the newest telling day differ by a factor of a thousand, and
/// closes with a telling day without that. `days` are whole and in time order.
#[must_use]
pub fn wrong_unit(
    sensor: &SensorId,
    days: &[BothMeasures],
    open_since: impl Fn(NoticeKind) -> Option<Timestamp>,
) -> Option<Notice> {
    let is_telling = |day: &&BothMeasures| day.register.max(day.power) >= TELLING_OF_UNIT;
    let Some(newest) = days.iter().rev().find(is_telling) else {
        let open = [NoticeKind::RegisterInKwh, NoticeKind::PowerInKw]
            .into_iter()
            .find_map(|kind| Some((kind, open_since(kind)?)));
        let (kind, since) = open.filter(|_| !days.is_empty())?;
        return Some(mistake(kind, NoticeSubject::Sensor(sensor.clone()), since));
    };
    let kind = newest.wrong_unit(TELLING_OF_UNIT)?;
    let since = open_since(kind).unwrap_or(newest.start);
    Some(mistake(kind, NoticeSubject::Sensor(sensor.clone()), since))
}

/// Whether power at the grid may be in kW, not in W: no more than a house can draw in kW, with
/// digits that no meter has in W.
#[must_use]
pub fn may_be_kilowatts(watts: &[f64]) -> bool {
    let size = |watts: &f64| watts.abs();
    let has_digits = |watts: &f64| (watts * 10.0 - (watts * 10.0).round()).abs() > 1e-6;
    let digits = watts.iter().filter(|watts| has_digits(watts)).count();
    let most = watts.iter().map(size).fold(0.0, f64::max);
    digits * 2 > watts.len() && (0.05..MOST_KILOWATTS).contains(&most)
}

/// Whether the power of a day at the grid is in kW. A house that is left alone draws a few watts
/// all the time, or is measured as noise; one that is lived in sometimes draws many times its usual
/// power.
#[must_use]
pub fn are_kilowatts(watts: &[f64]) -> bool {
    let mut sizes: Vec<f64> = watts.iter().map(|watts| watts.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let (Some(&middle), Some(&most)) = (sizes.get(sizes.len() / 2), sizes.last()) else {
        return false;
    };
    let is_lived_in = (0.05..1.5).contains(&middle) && most >= 1.0 && most >= 8.0 * middle;
    sizes.len() >= TELLING_VALUES && is_lived_in && may_be_kilowatts(watts)
}

/// Opens if a house exports more than it can have, or exports at night without a source: in the
/// sums of a week. Closes when neither is so any more. docs/HOUSE.md has the limits.
#[must_use]
pub fn grid_swapped(
    week: &HouseWeek,
    (has_panels, feeds_at_night): (bool, bool),
    start: Timestamp,
    open_since: Option<Timestamp>,
) -> Option<Notice> {
    let parts = if open_since.is_some() { 2 } else { 1 };
    let exceeds = has_panels && contradicts(week.used, week.exported, 1, parts);
    let [drawn, fed] = week.night;
    let at_night = times(fed, 100) >= times(drawn + fed, SWAPPED_PERCENT)
        && times(fed, parts) >= times(CONTRADICTION, 1);
    (exceeds || at_night && !feeds_at_night).then(|| {
        let since = open_since.unwrap_or(start);
        mistake(NoticeKind::GridSwapped, NoticeSubject::House, since)
    })
}

/// Opens if the sub-meters measured more than the house used in a week, by 5 % and by 1 kWh for
/// each of them, as registers may have steps of 1 kWh; closes with half of that.
#[must_use]
pub fn parts_exceed_house(
    week: &HouseWeek,
    start: Timestamp,
    open_since: Option<Timestamp>,
) -> Option<Notice> {
    let [other, parts] = week.parts?;
    let halves = if open_since.is_some() { 2 } else { 1 };
    contradicts(other, parts, i128::from(week.sub_meters) + 1, halves).then(|| {
        let since = open_since.unwrap_or(start);
        mistake(NoticeKind::PartsExceedHouse, NoticeSubject::House, since)
    })
}

/// Whether a rest that cannot be negative is: by so many kWh, and by 5 % of the whole.
fn contradicts(rest: MicroWh, whole: MicroWh, kilowatthours: i128, parts: i128) -> bool {
    let is_much = times(-rest, 100 * parts) >= times(whole, CONTRADICTION_PERCENT);
    times(-rest, parts) >= times(CONTRADICTION, kilowatthours) && is_much
}

/// Sensors that count the same energy hour by hour, each with an earlier one in the list, where
/// both are added up.
#[must_use]
pub fn same_meters(sensors: &[SensorHours]) -> Vec<(&SensorId, &SensorId)> {
    let family = |it: &SensorHours| {
        let role = match it.role {
            Role::GridImport => Role::Grid,
            role => role,
        };
        let part_of = it.part_of.clone().filter(|_| role == Role::SubMeter);
        (role.as_str(), part_of)
    };
    let sum = |it: &SensorHours| it.hours.iter().flatten().copied().sum::<MicroWh>();
    // Twins are neighbours in this order.
    let mut sorted: Vec<_> = sensors.iter().map(|it| (family(it), sum(it), it)).collect();
    sorted.sort_by(|one, other| (&one.0, one.1, &one.2.id).cmp(&(&other.0, other.1, &other.2.id)));
    let pairs = sorted.iter().zip(sorted.iter().skip(1));
    let twins = pairs.filter(|((one, _, a), (other, _, b))| one == other && are_twins(a, b));
    twins
        .map(|((.., a), (.., b))| {
            let is_first = a.id < b.id;
            if is_first {
                (&b.id, &a.id)
            } else {
                (&a.id, &b.id)
            }
        })
        .collect()
}

fn are_twins(one: &SensorHours, other: &SensorHours) -> bool {
    let both = one.hours.iter().zip(&other.hours);
    let both: Vec<(MicroWh, MicroWh)> = both.filter_map(|(a, b)| (*a).zip(*b)).collect();
    let all: MicroWh = both.iter().map(|(a, _)| *a).sum();
    let apart: MicroWh = both.iter().map(|(a, b)| (*a - *b).max(*b - *a)).sum();
    let hours = both.iter().map(|(a, _)| *a);
    let is_at_grid = one.role.is_at_grid();
    // Two lamps of one kind, always on, are alike.
    let (least, most) = (hours.clone().min(), hours.max());
    let [least, most] = [least, most].map(Option::unwrap_or_default);
    let varies = times(most, 5) > times(least, 6);
    let (least_hours, part) = if is_at_grid {
        (HOURS_AT_GRID, SAME_AT_GRID)
    } else {
        (HOURS_ELSEWHERE, SAME_ELSEWHERE)
    };
    both.len() >= least_hours
        && all >= TELLING_OF_TWINS
        && times(apart, part) <= times(all, 1)
        && (varies || is_at_grid)
}

/// The notice of a mistake.
#[must_use]
pub fn mistake(kind: NoticeKind, subject: NoticeSubject, since: Timestamp) -> Notice {
    let happened = match (kind, &subject) {
        (NoticeKind::RegisterInKwh, NoticeSubject::Sensor(id)) => {
            format!("The register of {id} seems to be in kWh, not in Wh.")
        }
        (NoticeKind::PowerInKw, NoticeSubject::Sensor(id)) => {
            format!("The power of {id} seems to be in kW, not in W.")
        }
        (NoticeKind::SameMeter, NoticeSubject::Twin(id, other)) => {
            format!("{id} and {other} count the same energy: they seem to be one meter.")
        }
        (NoticeKind::PartsExceedHouse, _) => {
            "The sub-meters measured more energy than the house used.".to_owned()
        }
        _ => "The house feeds more energy into the grid than it can have.".to_owned(),
    };
    Notice {
        kind,
        subject,
        since,
        happened,
    }
}

/// So many times an energy, without rounding.
fn times(energy: MicroWh, times: i128) -> i128 {
    i128::from(energy.millionths()) * times
}
