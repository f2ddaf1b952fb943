//! Which period's report is due at a moment, by the clock of an account.

use super::{ReportPeriod, WeeklyReport};
use crate::domain::{LocalDate, Timestamp, Zone};
use crate::house::AccountDays;

/// The hours by the clock from which on a report is due: in the evening, and in the morning.
const EVENING: i64 = 20;
const MORNING: i64 = 7;
/// The days within which it still goes out: of a service that was off, or of a receiver that did not
/// answer. Later, nobody waits for it.
const WEEKLY_DAYS: i32 = 3;
const MONTHLY_DAYS: i32 = 7;

/// The week whose message is due at `now`.
pub(super) fn week(at: WeeklyReport, zone: &Zone, now: Timestamp) -> Option<ReportPeriod> {
    let days = AccountDays::new(zone.clone(), now);
    let today = LocalDate::at(now, zone);
    let since_monday = i32::from(today.weekday().days_after_monday());
    // How many days after Monday it is due.
    let (due_after, hour) = match at {
        WeeklyReport::Off => return None,
        WeeklyReport::Sunday => (6, EVENING),
        WeeklyReport::Monday => (7, MORNING),
    };
    // This week, and the one before.
    let mut mondays = [since_monday, since_monday + 7].into_iter();
    mondays.find_map(|monday| {
        let due = monday - due_after;
        let is_due = days.hour(due, hour)? <= now && now < days.hour(due - WEEKLY_DAYS, hour)?;
        is_due.then_some(())?;
        Some(ReportPeriod {
            first: today.plus_days(-monday)?,
            range: days.start(monday)?..days.start(monday - 7)?,
        })
    })
}

/// The month whose statement is due at `now`: the last one.
pub(super) fn month(zone: &Zone, now: Timestamp) -> Option<ReportPeriod> {
    let days = AccountDays::new(zone.clone(), now);
    let today = LocalDate::at(now, zone);
    let this = i32::from(today.day()) - 1;
    let is_due =
        days.hour(this, MORNING)? <= now && now < days.hour(this - MONTHLY_DAYS, MORNING)?;
    is_due.then_some(())?;
    let last = today.plus_days(-this - 1)?;
    let first = LocalDate::new(last.year(), last.month(), 1)?;
    Some(ReportPeriod {
        first,
        range: first.start(zone)..days.start(this)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    fn berlin() -> Zone {
        Zone::parse("Europe/Berlin").unwrap()
    }

    /// The first day of the week that is due.
    fn week_at(day: WeeklyReport, zone: &str, now: &str) -> Option<String> {
        let zone = Zone::parse(zone).unwrap();
        Some(week(day, &zone, at(now))?.first.to_string())
    }

    #[test]
    fn a_week_is_due_on_sunday_evening_or_monday_morning_for_three_days() {
        use WeeklyReport::{Monday, Off, Sunday};
        let due = Some("2026-11-23".to_owned());
        // Berlin is an hour ahead of UTC.
        for (day, now, expected) in [
            (Off, "2026-11-29T19:00:00", None),
            (Sunday, "2026-11-29T18:59:59", None),
            (Sunday, "2026-11-29T19:00:00", due.clone()),
            (Sunday, "2026-11-30T12:00:00", due.clone()),
            (Sunday, "2026-12-02T18:59:59", due.clone()),
            (Sunday, "2026-12-02T19:00:00", None),
            (Monday, "2026-11-29T23:30:00", None),
            (Monday, "2026-11-30T06:00:00", due.clone()),
            (Monday, "2026-12-03T05:59:59", due.clone()),
            (Monday, "2026-12-03T06:00:00", None),
        ] {
            assert_eq!(
                week_at(day, "Europe/Berlin", now),
                expected,
                "{day:?} {now}"
            );
        }
        // By the clock of the account: it is still Sunday afternoon in New York.
        assert_eq!(
            week_at(Sunday, "America/New_York", "2026-11-29T19:00:00"),
            None
        );
        assert_eq!(
            week_at(Sunday, "Pacific/Auckland", "2026-11-29T07:00:00"),
            due
        );
    }

    #[test]
    fn a_week_with_a_clock_change_has_seven_days() {
        for (now, first, hours) in [
            // The clock is set forward on 29 March, and back on 25 October.
            ("2026-03-29T18:00:00", "2026-03-23", 167),
            ("2026-10-25T19:00:00", "2026-10-19", 169),
        ] {
            let before = at(now).saturating_add_millis(-1);
            assert_eq!(week(WeeklyReport::Sunday, &berlin(), before), None);
            let due = week(WeeklyReport::Sunday, &berlin(), at(now)).unwrap();
            let length_ms = due.range.end.millis() - due.range.start.millis();
            assert_eq!(
                (due.first.to_string(), length_ms / 3_600_000),
                (first.into(), hours)
            );
        }
        // At this zone's midnight the clock skips an hour: the day begins at one.
        let zone = Zone::parse("America/Asuncion").unwrap();
        assert!(week(WeeklyReport::Monday, &zone, at("2023-10-02T12:00:00")).is_some());
    }

    #[test]
    fn a_month_is_due_on_the_first_morning_for_a_week() {
        let due = |now| Some(month(&berlin(), at(now))?.first.to_string());
        assert_eq!(due("2026-12-01T05:59:59"), None);
        assert_eq!(due("2026-12-01T06:00:00"), Some("2026-11-01".into()));
        assert_eq!(due("2026-12-08T05:59:59"), Some("2026-11-01".into()));
        assert_eq!(due("2026-12-08T06:00:00"), None);
        assert_eq!(due("2026-12-31T12:00:00"), None);
        assert_eq!(due("2027-01-02T12:00:00"), Some("2026-12-01".into()));
        let march = month(&berlin(), at("2026-04-01T12:00:00")).unwrap();
        assert_eq!(
            march.range,
            at("2026-02-28T23:00:00")..at("2026-03-31T22:00:00")
        );
        // A clock at its beginning has no periods before it, and no panic.
        for zone in [Zone::UTC, berlin()] {
            for now in [Timestamp::MIN, Timestamp::MAX] {
                let _ = (month(&zone, now), week(WeeklyReport::Sunday, &zone, now));
            }
        }
    }
}
