//! Conditions on a moment: months, dates, weekdays, hours, holidays, summer time and announced
//! days, on one of three clocks.

use std::fmt;

use super::Label;
use super::day::DayKind;
use super::days::DayLists;
use super::json::{ContractError, Fields, quoted};
use super::sets::{ClockHours, DateRange, MINUTES_OF_DAY, MonthSet, WeekdaySet, clock, minute};
use super::wall::{ClockKind, DayPiece};
use crate::domain::LocalDate;

/// Conditions on a moment. All of them must hold; none means always.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conditions {
    pub(super) months: MonthSet,
    /// Dates of the year; empty for all.
    pub(super) dates: Vec<DateRange>,
    pub(super) weekdays: WeekdaySet,
    /// Hours of the day; empty for all.
    pub(super) hours: Vec<ClockHours>,
    /// Whether only holidays or only other days match; `None` for both.
    pub(super) holidays: Option<bool>,
    /// Whether only summer time or only standard time matches; `None` for both.
    pub(super) summer_time: Option<bool>,
    pub(super) days: Option<AnnouncedDays>,
    pub(super) clock: ClockKind,
}

/// Days of one type in a list of announced days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnnouncedDays {
    pub(super) list: Label,
    pub(super) day_type: Label,
    /// The time of day when such a day begins, in minutes after midnight. It ends at the same time
    /// on the next day.
    /// day.
    pub(super) begins: u16,
}

/// Enough for every other hour.
const MOST_HOURS: usize = 12;
const MOST_DATES: usize = 12;

impl Conditions {
    pub(super) const FIELDS: &'static [&'static str] = &[
        "months",
        "dates",
        "weekdays",
        "hours",
        "holidays",
        "summer_time",
        "days",
        "day_begins",
        "clock",
    ];

    /// No conditions.
    pub(super) const ALWAYS: Self = Self {
        months: MonthSet::ALL,
        dates: Vec::new(),
        weekdays: WeekdaySet::ALL,
        hours: Vec::new(),
        holidays: None,
        summer_time: None,
        days: None,
        clock: ClockKind::Local,
    };

    /// Reads conditions among the fields of a zone or component.
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, ContractError> {
        let months = fields.get("months").map(|node| {
            let expected = r#"months from 1 to 12 and ranges, such as "11-3" or "1,6-8""#;
            MonthSet::parse_months(&node.text(r#""11-3""#)?).ok_or_else(|| node.refused(expected))
        });
        let dates = fields.get("dates").map(|node| {
            let dates = DateRange::parse_list(&node.text(r#""02-15..03-31""#)?);
            let few = dates.filter(|dates| dates.len() <= MOST_DATES);
            few.ok_or_else(|| {
                node.refused(format_args!(
                    r#"1 to {MOST_DATES} dates or ranges of dates in each year, such as "02-15..03-31" or "12-24,12-31""#
                ))
            })
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
        let flag = |name| fields.get(name).map(|node| node.flag()).transpose();
        let clock = fields.get("clock").map(|node| node.word());
        Ok(Self {
            months: months.transpose()?.unwrap_or(MonthSet::ALL),
            dates: dates.transpose()?.unwrap_or_default(),
            weekdays: weekdays.transpose()?.unwrap_or(WeekdaySet::ALL),
            hours: hours.transpose()?.unwrap_or_default(),
            holidays: flag("holidays")?,
            summer_time: flag("summer_time")?,
            days: AnnouncedDays::read(fields)?,
            clock: clock.transpose()?.unwrap_or_default(),
        })
    }

    /// The conditions as fields of JSON.
    pub(super) fn members(&self) -> [(&'static str, Option<String>); 9] {
        let joined = |texts: Vec<String>| (!texts.is_empty()).then(|| quoted(&texts.join(",")));
        let texts = |list: &[ClockHours]| list.iter().map(ToString::to_string).collect();
        let dates = self.dates.iter().map(ToString::to_string).collect();
        let set =
            |is_all: bool, text: &dyn fmt::Display| (!is_all).then(|| quoted(&text.to_string()));
        let days = self.days.as_ref();
        let begins = days.map(|days| days.begins).filter(|begins| *begins > 0);
        [
            ("months", set(self.months == MonthSet::ALL, &self.months)),
            ("dates", joined(dates)),
            (
                "weekdays",
                set(self.weekdays == WeekdaySet::ALL, &self.weekdays),
            ),
            ("hours", joined(texts(&self.hours))),
            ("holidays", self.holidays.map(|flag| flag.to_string())),
            ("summer_time", self.summer_time.map(|flag| flag.to_string())),
            ("days", days.map(|days| quoted(&days.to_string()))),
            ("day_begins", begins.map(|begins| quoted(&clock(begins)))),
            (
                "clock",
                (self.clock != ClockKind::Local).then(|| quoted(self.clock.as_str())),
            ),
        ]
    }

    /// Whether it only looks at months, weekdays, hours and holidays of local time.
    pub(super) fn is_plain(&self) -> bool {
        self.dates.is_empty()
            && self.summer_time.is_none()
            && self.days.is_none()
            && self.clock == ClockKind::Local
    }

    /// Whether it only looks at local dates and times, not at a day list or another clock.
    pub(super) fn is_local(&self) -> bool {
        self.days.is_none() && self.clock == ClockKind::Local
    }

    pub(super) fn has_day(&self, kind: DayKind) -> bool {
        let mut dates = self.dates.iter();
        self.months.contains(kind.month)
            && self.weekdays.contains(kind.weekday)
            && self.holidays.is_none_or(|flag| flag == kind.is_holiday)
            && self.summer_time.is_none_or(|flag| flag == kind.is_summer)
            && (self.dates.is_empty() || dates.any(|it| it.contains(kind.month, kind.day)))
    }

    pub(super) fn has_minute(&self, minute: u16) -> bool {
        self.hours.is_empty() || self.hours.iter().any(|hours| hours.contains(minute))
    }

    /// When the result may change on a day of `piece`, in minutes after local midnight.
    pub(super) fn ends(&self, piece: &DayPiece) -> impl Iterator<Item = u16> {
        let behind = piece.minutes_ahead_of(self.clock);
        let hours = self.hours.iter().flat_map(|hours| hours.ends());
        let begins = self.days.as_ref().map(|days| days.begins);
        let ends = hours.chain(begins).chain([0]);
        ends.map(move |end| local_minute(end, behind))
    }

    /// Whether a minute of `piece` meets the conditions. `kind` returns the kind of a date.
    pub(super) fn contains(
        &self,
        piece: &DayPiece,
        minute: u16,
        lists: &DayLists,
        kind: impl Fn(LocalDate) -> DayKind,
    ) -> bool {
        let shown = i32::from(minute) - piece.minutes_ahead_of(self.clock);
        let shift = shown.div_euclid(i32::from(MINUTES_OF_DAY));
        let Some(date) = piece.date.plus_days(shift) else {
            return false;
        };
        let minute = u16::try_from(shown.rem_euclid(i32::from(MINUTES_OF_DAY))).unwrap_or(0);
        self.has_minute(minute)
            && self.has_day(kind(date))
            && self.days.as_ref().is_none_or(|days| {
                let back = i32::from(minute < days.begins);
                date.plus_days(-back)
                    .and_then(|date| lists.day_type(&days.list, date))
                    .is_some_and(|found| found.is_same(&days.day_type))
            })
    }
}

/// Converts a minute of another clock to a minute of the local clock.
fn local_minute(minute: u16, behind: i32) -> u16 {
    let local = (i32::from(minute) + behind).rem_euclid(i32::from(MINUTES_OF_DAY));
    u16::try_from(local).unwrap_or(0)
}

impl AnnouncedDays {
    fn read(fields: &Fields<'_>) -> Result<Option<Self>, ContractError> {
        const EXAMPLE: &str = "a list of days and a type of day, such as \"tempo:red\"";
        let begins = fields.get("day_begins").map(|node| {
            let begins = minute(&node.text("\"06:00\"")?).filter(|it| *it < MINUTES_OF_DAY);
            begins.ok_or_else(|| node.refused("a time of day such as \"06:00\""))
        });
        let begins = begins.transpose()?;
        let Some(node) = fields.get("days") else {
            return match begins {
                Some(_) => Err(fields.refused("day_begins", "only together with days")),
                None => Ok(None),
            };
        };
        let text = node.text("\"tempo:red\"")?;
        let parts = text.split_once(':');
        let labels = parts.and_then(|(list, kind)| {
            Some((Label::new(list.trim()).ok()?, Label::new(kind.trim()).ok()?))
        });
        let (list, day_type) = labels.ok_or_else(|| node.refused(EXAMPLE))?;
        Ok(Some(Self {
            list,
            day_type,
            begins: begins.unwrap_or(0),
        }))
    }
}

impl fmt::Display for AnnouncedDays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.list, self.day_type)
    }
}
