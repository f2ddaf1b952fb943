//! Time of use: zones of months, weekdays, hours and holidays, each with a price. The last zone
//! that matches wins.

use super::day::{DayKind, DayPart};
use super::holidays::Holidays;
use super::json::{ContractError, Node, object, quoted};
use super::sets::{ClockHours, MINUTES_OF_DAY, MonthSet, WeekdaySet};
use super::{Label, coverage};
use crate::domain::Decimal;

/// The zones of a component: each moment has exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PriceZones {
    zones: Vec<PriceZone>,
    /// The parts of a day that matches all zones; other days match fewer of them.
    parts: Vec<DayPart>,
}

/// A name and a price for some of the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PriceZone {
    pub(super) name: Label,
    pub(super) price: Decimal,
    pub(super) months: MonthSet,
    pub(super) weekdays: WeekdaySet,
    /// All of the day if empty.
    pub(super) hours: Vec<ClockHours>,
    /// Holidays alone, other days alone, or both.
    pub(super) holidays: Option<bool>,
}

const MOST_ZONES: usize = 32;
/// Enough for every other hour.
const MOST_HOURS: usize = 12;
const KNOWN: &[&str] = &["name", "price", "months", "weekdays", "hours", "holidays"];
const EXAMPLE: &str = r#"{"name":"night","price":0.24,"hours":"22:00-06:00"}"#;

impl PriceZones {
    pub(super) fn read(node: &Node<'_>, holidays: &Holidays) -> Result<Self, ContractError> {
        let nodes = node.list(MOST_ZONES, &format!("[{EXAMPLE}]"))?;
        let zones = nodes
            .iter()
            .map(PriceZone::read)
            .collect::<Result<Vec<_>, _>>()?;
        for (index, (zone, place)) in zones.iter().zip(&nodes).enumerate() {
            if zones
                .iter()
                .take(index)
                .any(|earlier| earlier.name == zone.name)
            {
                let problem = format!(
                    "two zones are called {}; expected a name of its own",
                    zone.name
                );
                return Err(ContractError::new(
                    format!("{}.name", place.place()),
                    problem,
                ));
            }
        }
        let parts = parts_of(&zones);
        let zones = Self { zones, parts };
        let names: Vec<&Label> = zones.zones.iter().map(|zone| &zone.name).collect();
        coverage::check(&names, holidays, |kind| zones.day(kind)).map_err(|(zone, problem)| {
            let place = zone.and_then(|zone| nodes.get(zone)).unwrap_or(node);
            ContractError::new(place.place(), problem)
        })?;
        Ok(zones)
    }

    pub(super) fn write(&self) -> String {
        super::json::list(self.zones.iter().map(PriceZone::write))
    }

    pub(super) fn all(&self) -> &[PriceZone] {
        &self.zones
    }

    /// The parts of such a day.
    pub(super) fn day(&self, kind: DayKind) -> Vec<DayPart> {
        let zones = self.zones.iter().enumerate();
        let today = zones.fold(0, |bits, (index, zone)| {
            bits | u32::from(zone.has_day(kind)) << index
        });
        let part = |part: &DayPart| DayPart {
            matching: part.matching & today,
            ..*part
        };
        self.parts.iter().map(part).collect()
    }
}

/// The parts of a day that matches all zones.
fn parts_of(zones: &[PriceZone]) -> Vec<DayPart> {
    let hours = zones.iter().flat_map(|zone| &zone.hours);
    let mut ends: Vec<u16> = hours.flat_map(|hours| hours.ends()).collect();
    ends.push(MINUTES_OF_DAY);
    ends.retain(|end| *end > 0);
    ends.sort_unstable();
    ends.dedup();
    let mut from = 0;
    let part = |until| {
        let begin = std::mem::replace(&mut from, until);
        let zones = zones.iter().enumerate();
        let matching = zones.fold(0, |bits, (index, zone)| {
            bits | u32::from(zone.has_minute(begin)) << index
        });
        DayPart { until, matching }
    };
    ends.into_iter().map(part).collect()
}

impl PriceZone {
    fn read(node: &Node<'_>) -> Result<Self, ContractError> {
        let fields = node.fields(KNOWN, EXAMPLE)?;
        let months = fields.get("months").map(|node| {
            let expected = r#"months from 1 to 12 and ranges, such as "11-3" or "1,6-8""#;
            MonthSet::parse_months(&node.text(r#""11-3""#)?).ok_or_else(|| node.refused(expected))
        });
        let weekdays = fields.get("weekdays").map(|node| {
            let expected = r#"weekdays mon to sun and ranges, such as "mon-fri" or "sat,sun""#;
            WeekdaySet::parse_weekdays(&node.text(r#""mon-fri""#)?)
                .ok_or_else(|| node.refused(expected))
        });
        let hours = fields.get("hours").map(|node| {
            let hours = ClockHours::parse_list(&node.text(r#""22:00-06:00""#)?);
            let few = hours.filter(|hours| hours.len() <= MOST_HOURS);
            few.ok_or_else(|| {
                node.refused(format_args!(r#"1 to {MOST_HOURS} ranges by the clock, such as "22:00-06:00" or "07:00-09:00,17:00-20:00""#))
            })
        });
        Ok(Self {
            name: fields.need("name", "\"night\"")?.label()?,
            price: fields.need("price", "0.24")?.price()?,
            months: months.transpose()?.unwrap_or(MonthSet::ALL),
            weekdays: weekdays.transpose()?.unwrap_or(WeekdaySet::ALL),
            hours: hours.transpose()?.unwrap_or_default(),
            holidays: fields.get("holidays").map(|node| node.flag()).transpose()?,
        })
    }

    pub(super) fn write(&self) -> String {
        let hours: Vec<String> = self.hours.iter().map(ToString::to_string).collect();
        object([
            ("name", Some(quoted(self.name.as_str()))),
            ("price", Some(self.price.to_string())),
            (
                "months",
                (self.months != MonthSet::ALL).then(|| quoted(&self.months.to_string())),
            ),
            (
                "weekdays",
                (self.weekdays != WeekdaySet::ALL).then(|| quoted(&self.weekdays.to_string())),
            ),
            (
                "hours",
                (!hours.is_empty()).then(|| quoted(&hours.join(","))),
            ),
            (
                "holidays",
                self.holidays.map(|holidays| holidays.to_string()),
            ),
        ])
    }

    fn has_day(&self, kind: DayKind) -> bool {
        self.months.contains(kind.month)
            && self.weekdays.contains(kind.weekday)
            && self
                .holidays
                .is_none_or(|holidays| holidays == kind.is_holiday)
    }

    fn has_minute(&self, minute: u16) -> bool {
        self.hours.is_empty() || self.hours.iter().any(|hours| hours.contains(minute))
    }
}
