//! Dates and times as people read them, by the clocks of a zone. The examples are English.

use time::macros::format_description;

use crate::domain::{Interval, LocalDate, LocalTime, Timestamp, Zone};
use crate::texts::{DateStyle, Language, Region, TextValue};

/// The language and the clock of a visit: the visitor's language, the account's clock.
#[derive(Clone, Copy, Debug)]
pub struct Wording<'a> {
    /// The account's clock.
    pub zone: &'a Zone,
    /// The visitor's language.
    pub language: &'a Language,
}

impl<'a> Wording<'a> {
    /// In this language, by this clock.
    #[must_use]
    pub const fn new(zone: &'a Zone, language: &'a Language) -> Self {
        Self { zone, language }
    }

    /// A date: `8 Jul 2026`.
    #[must_use]
    pub fn date(self, time: Timestamp) -> String {
        match self.order() {
            DateStyle::OfLanguage => self.fill("date-day", time),
            DateStyle::MonthFirst => self.fill("date-month-day", time),
            DateStyle::YearFirst => LocalDate::at(time, self.zone).to_string(),
        }
    }

    fn order(self) -> DateStyle {
        let region = self.language.region();
        region.map_or(DateStyle::OfLanguage, Region::date_order)
    }

    /// A date and time of day: `8 Jul 2026 14:05`.
    #[must_use]
    pub fn moment(self, time: Timestamp) -> String {
        format!("{} {}", self.date(time), self.clock(time))
    }

    /// The time of day: `14:05`. Of a time that the clock shows twice, it is `02:05A`, then `02:05B`.
    #[must_use]
    pub fn clock(self, time: Timestamp) -> String {
        let clock = self
            .zone
            .format(time, format_description!("[hour]:[minute]"));
        match self.zone.local(self.zone.shown_at(time)) {
            LocalTime::Twice(first, _) if time == first => clock + "A",
            LocalTime::Twice(..) => clock + "B",
            LocalTime::Once(_) | LocalTime::Skipped(_) => clock,
        }
    }

    /// Date and time of day in a sentence: `8 Jul 2026, 14:05`.
    #[must_use]
    pub fn date_and_clock(self, time: Timestamp) -> String {
        self.date_with(time, self.clock(time))
    }

    /// The time of a moment before `now`: only the time of day if it is on the same date.
    #[must_use]
    pub fn when(self, time: Timestamp, now: Timestamp) -> String {
        if self.date(time) == self.date(now) {
            self.clock(time)
        } else {
            self.date_and_clock(time)
        }
    }

    /// Date and time of day to the second: two readings may be that close.
    #[must_use]
    pub fn to_the_second(self, time: Timestamp) -> String {
        let clock = format_description!("[hour]:[minute]:[second]");
        self.date_with(time, self.zone.format(time, clock))
    }

    /// The name of the bucket of `interval` that begins at `time`: `8 Jul 2026 14:00`, `Jul 2026`.
    #[must_use]
    pub fn bucket_name(self, time: Timestamp, interval: Interval) -> String {
        match interval {
            Interval::Year => self.zone.shown_at(time).civil_date().0.to_string(),
            Interval::Month => self.fill("date-month-of-year", time),
            Interval::Week => {
                let date = [("date", self.date(time).into())];
                self.language.fill("date-week", date)
            }
            Interval::Day => self.date(time),
            _ => self.moment(time),
        }
    }

    /// A day of a year that is clear: `8 Jul`.
    pub(super) fn day_of_year(self, time: Timestamp) -> String {
        match self.order() {
            DateStyle::OfLanguage => self.fill("date-day-of-year", time),
            DateStyle::MonthFirst | DateStyle::YearFirst => {
                self.fill("date-month-day-of-year", time)
            }
        }
    }

    /// A month of a year that is clear: `Jul`.
    pub(super) fn month(self, time: Timestamp) -> String {
        self.fill("date-month", time)
    }

    /// A day of a week: `Mon 6`, in short `Mo 6`.
    pub(crate) fn weekday(self, time: Timestamp, is_short: bool) -> String {
        let date = LocalDate::at(time, self.zone);
        // From Monday, which is 1.
        let number = date.weekday().days_after_monday() + 1;
        let weekday = [("weekday", number.into())];
        let weekday = self.language.fill("date-weekday", weekday);
        let letters = if is_short { 2 } else { usize::MAX };
        let weekday: String = weekday.chars().take(letters).collect();
        format!("{weekday} {}", date.day())
    }

    fn date_with(self, time: Timestamp, clock: String) -> String {
        let values = [("date", self.date(time).into()), ("clock", clock.into())];
        self.language.fill("date-and-clock", values)
    }

    /// A text that may hold the parts of a date.
    fn fill(self, text: &str, time: Timestamp) -> String {
        let (year, month, day) = self.zone.shown_at(time).civil_date();
        let parts: [(&str, TextValue<'static>); 3] = [
            ("year", year.into()),
            ("month", month.into()),
            ("day", day.into()),
        ];
        self.language.fill(text, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    #[test]
    fn times_are_local() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        for (zone, text) in [
            (Zone::UTC, "31 Jul 2026, 22:05"),
            (berlin, "1 Aug 2026, 00:05"),
        ] {
            let wording = Wording::new(&zone, Language::english());
            assert_eq!(wording.date_and_clock(at("2026-07-31T22:05:59")), text);
        }
    }

    #[test]
    fn an_hour_that_comes_twice_has_two_names() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let wording = Wording::new(&berlin, Language::english());
        let clocks = [
            "2026-10-24T23:59:00",
            "2026-10-25T00:00:00",
            "2026-10-25T01:30:00",
            "2026-10-25T02:00:00",
        ];
        let clocks = clocks.map(|time| wording.clock(at(time)));
        assert_eq!(clocks, ["01:59", "02:00A", "02:30B", "03:00"]);
    }

    #[test]
    fn regions_have_their_own_order() {
        let (noon, utc) = (at("2026-07-08T12:00:00"), Zone::UTC);
        let german = Language::of_tag("de").unwrap();
        for (language, region, date, day) in [
            (Language::english(), Region::Us, "Jul 8, 2026", "Jul 8"),
            (Language::english(), Region::Gb, "8 Jul 2026", "8 Jul"),
            (Language::english(), Region::Jp, "2026-07-08", "Jul 8"),
            (german, Region::Ch, "8. Juli 2026", "8. Juli"),
            (german, Region::Us, "Juli 8, 2026", "Juli 8"),
        ] {
            let wording = Wording::new(&utc, language.in_region(Some(region)));
            assert_eq!(wording.date(noon), date);
            assert_eq!(wording.day_of_year(noon), day);
        }
        let wording = Wording::new(&utc, Language::english().in_region(Some(Region::Us)));
        assert_eq!(
            wording.bucket_name(noon, Interval::Week),
            "week of Jul 8, 2026"
        );
    }

    #[test]
    fn times_of_today_have_no_date() {
        let (berlin, german) = (Zone::parse("Europe/Berlin"), Language::of_tag("de"));
        let (berlin, german) = (berlin.unwrap(), german.unwrap());
        let wording = Wording::new(&berlin, german);
        let earlier = |text: &str| wording.when(at(text), at("2026-07-08T22:30:00"));
        assert_eq!(earlier("2026-07-08T22:05:00"), "00:05");
        assert_eq!(earlier("2026-07-08T21:59:59"), "8. Juli 2026, 23:59");
    }
}
