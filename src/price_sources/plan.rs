//! Which days to ask for, and when. A plan holds nothing that lasts: the stored prices show the
//! missing ones, so a restart goes on where it was.

use std::time::Duration;

use super::form::SourceForm;
use crate::domain::{LocalDate, LocalTime, TimeRange, Timestamp};

/// The days that a source can have at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The start of today, by the source's clock.
    pub(super) today: Timestamp,
    /// Its end.
    pub(super) tomorrow: Timestamp,
    /// The end of the last day that is published.
    pub(super) end: Timestamp,
    /// When a further day is published.
    pub(super) next: Timestamp,
}

impl Known {
    /// The days that it can have at `now`. A day is asked for `delay` after its publication, so that not
    /// all houses ask at once.
    pub(super) fn at(form: &SourceForm, now: Timestamp, delay: Duration) -> Self {
        let day = LocalDate::at(now, &form.clock);
        let after = |days| day.plus_days(days).unwrap_or(day);
        let published = |day: LocalDate| {
            let shown = day.midnight().saturating_add_millis(form.published_ms);
            let (LocalTime::Once(time) | LocalTime::Twice(time, _) | LocalTime::Skipped(time)) =
                form.clock.local(shown);
            time.saturating_add(delay)
        };
        let days = i32::from(published(day) <= now);
        Self {
            today: form.start_of(day),
            tomorrow: form.start_of(after(1)),
            end: form.start_of(after(days + 1)),
            next: published(after(days)),
        }
    }
}

/// Plans the requests to a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourcePlan {
    /// The first day to fetch; `None` for today.
    since: Option<LocalDate>,
    /// The end of the days in the past that need no request: they are there, or were asked for.
    cursor: Option<Timestamp>,
}

/// A request to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlannedRequest {
    /// The days to ask for, without the end.
    pub(super) range: TimeRange,
    /// Whether they are in the past.
    pub(super) is_past: bool,
}

impl SourcePlan {
    pub(super) const fn new(since: Option<LocalDate>) -> Self {
        Self {
            since,
            cursor: None,
        }
    }

    /// The next request; `None` if nothing is missing. Today and tomorrow come first, unless the
    /// source `is_late` with them, then the past, from its beginning. `first_missing` finds the
    /// first moment of a range without a price.
    ///
    /// # Errors
    /// Those of `first_missing`.
    pub(super) fn next<E>(
        &mut self,
        form: &SourceForm,
        (known, is_late): (Known, bool),
        first_missing: impl Fn(TimeRange) -> Result<Option<Timestamp>, E>,
    ) -> Result<Option<PlannedRequest>, E> {
        let since = self.since.map_or(known.today, |day| form.start_of(day));
        let missing = |from: Timestamp, end: Timestamp| match TimeRange::new(from, end) {
            Some(range) if from < end => first_missing(range),
            _ => Ok(None),
        };
        if !is_late && let Some(time) = missing(known.today.max(since), known.end)? {
            return Ok(Some(PlannedRequest {
                range: days_from(form, time, known.end),
                is_past: false,
            }));
        }
        let cursor = self.cursor.unwrap_or(since).max(since);
        let found = missing(cursor, known.today)?;
        // Everything before is there.
        self.cursor = Some(found.unwrap_or(known.today.max(cursor)));
        Ok(found.map(|time| PlannedRequest {
            range: days_from(form, time, known.today),
            is_past: true,
        }))
    }

    /// Notes that a request in the past was answered: times that are still missing there are a gap.
    pub(super) fn answered(&mut self, request: PlannedRequest) {
        if request.is_past {
            self.cursor = Some(request.range.end());
        }
    }
}

/// From the day of `time` on, as many days as one request may have, until before `end`.
pub(super) fn days_from(form: &SourceForm, time: Timestamp, end: Timestamp) -> TimeRange {
    let day = LocalDate::at(time, &form.clock);
    let after = day.plus_days(form.most_days.into());
    let last = after.map_or(end, |after| form.start_of(after));
    let start = form.start_of(day);
    // A file of a week has no other days.
    let week = day.plus_days(SourceForm::days_left_of_week(day));
    let week = week.filter(|_| form.url.has("week"));
    let last = week.map_or(last, |week| last.min(form.start_of(week)));
    TimeRange::new(start, last.min(end)).unwrap_or(TimeRange::at(start))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::convert::Infallible;

    use proptest::prelude::*;
    use toml::Table;

    use super::*;
    use crate::domain::time::at;
    use crate::price_sources::known::KnownSource;

    /// A source by the clock of Berlin, whose days come at 13:00.
    fn form(most_days: u16) -> SourceForm {
        let known = KnownSource::with_id("energy-charts").unwrap();
        let table: Table = format!("most_days = {most_days}").parse().unwrap();
        known.form_with(&table).unwrap()
    }

    fn known(now: &str) -> [String; 3] {
        let known = Known::at(&form(31), at(now), Duration::from_mins(1));
        [known.today, known.end, known.next].map(|time| time.to_string().replace(":00.000Z", ""))
    }

    #[test]
    fn tomorrow_is_known_after_its_publication() {
        let winter = "2026-01-05T12:00:00";
        assert_eq!(
            known(winter),
            ["2026-01-04T23:00", "2026-01-05T23:00", "2026-01-05T12:01"]
        );
        assert_eq!(
            known("2026-01-05T12:01:00"),
            ["2026-01-04T23:00", "2026-01-06T23:00", "2026-01-06T12:01"]
        );
        // The day before one of 23 hours, and the day before one of 25.
        assert_eq!(
            known("2026-03-28T13:00:00"),
            ["2026-03-27T23:00", "2026-03-29T22:00", "2026-03-29T11:01"]
        );
        assert_eq!(
            known("2026-10-24T13:00:00"),
            ["2026-10-23T22:00", "2026-10-25T23:00", "2026-10-25T12:01"]
        );
    }

    /// Days that are stored, by their starts.
    struct Stored(RefCell<Vec<Timestamp>>);

    impl Stored {
        fn first_missing(&self, form: &SourceForm, range: TimeRange) -> Option<Timestamp> {
            let mut time = range.start();
            while time < range.end() {
                if !self.0.borrow().contains(&time) {
                    return Some(time);
                }
                let day = LocalDate::at(time, &form.clock);
                time = form.start_of(day.plus_days(1).unwrap());
            }
            None
        }
    }

    /// The requests until nothing more is asked for; days in `gaps` are never answered.
    fn requests(
        of: (&SourceForm, &mut SourcePlan),
        stored: &Stored,
        now: &str,
        gaps: &[&str],
    ) -> Vec<String> {
        requests_while(false, of, stored, now, gaps)
    }

    fn requests_while(
        is_late: bool,
        (form, plan): (&SourceForm, &mut SourcePlan),
        stored: &Stored,
        now: &str,
        gaps: &[&str],
    ) -> Vec<String> {
        let known = Known::at(form, at(now), Duration::ZERO);
        let mut made = Vec::new();
        for _ in 0..200 {
            let look = |range| Ok::<_, Infallible>(stored.first_missing(form, range));
            let Some(request) = plan.next(form, (known, is_late), look).unwrap() else {
                break;
            };
            let [first, last] = [request.range.start(), request.range.end()]
                .map(|time| LocalDate::at(time, &form.clock));
            made.push(format!("{first}..{last}"));
            let mut day = first;
            while day < last {
                if !gaps.contains(&day.to_string().as_str()) {
                    stored.0.borrow_mut().push(form.start_of(day));
                }
                day = day.plus_days(1).unwrap();
            }
            plan.answered(request);
        }
        made
    }

    #[test]
    fn today_comes_first_then_the_past_in_steps() {
        let form = form(3);
        let since = LocalDate::parse("2026-01-01").unwrap();
        let stored = Stored(RefCell::default());
        let mut plan = SourcePlan::new(Some(since));
        let now = "2026-01-09T12:30:00";
        assert_eq!(
            requests((&form, &mut plan), &stored, now, &["2026-01-05"]),
            [
                "2026-01-09..2026-01-11",
                "2026-01-01..2026-01-04",
                "2026-01-04..2026-01-07",
                "2026-01-07..2026-01-09",
            ]
        );
        // The gap is asked for once more after a start.
        let mut plan = SourcePlan::new(Some(since));
        for _ in 0..2 {
            let again = requests((&form, &mut plan), &stored, now, &["2026-01-05"]);
            let expected: &[&str] = match again.len() {
                0 => &[],
                _ => &["2026-01-05..2026-01-08"],
            };
            assert_eq!(again, expected);
        }
        // A day later, only that day.
        let next = "2026-01-10T12:30:00";
        assert_eq!(
            requests((&form, &mut plan), &stored, next, &[]),
            ["2026-01-11..2026-01-12"]
        );
    }

    #[test]
    fn while_tomorrow_is_late_the_past_goes_on() {
        let form = form(31);
        let since = LocalDate::parse("2026-01-01").unwrap();
        let stored = Stored(RefCell::default());
        let mut plan = SourcePlan::new(Some(since));
        let now = "2026-01-09T12:30:00";
        assert_eq!(
            requests_while(true, (&form, &mut plan), &stored, now, &[]),
            ["2026-01-01..2026-01-09"]
        );
        assert_eq!(
            requests((&form, &mut plan), &stored, now, &[]),
            ["2026-01-09..2026-01-11"]
        );
    }

    #[test]
    fn without_a_beginning_only_today_is_asked_for() {
        let form = form(31);
        let stored = Stored(RefCell::default());
        let mut plan = SourcePlan::new(None);
        let now = "2026-01-09T10:30:00";
        assert_eq!(
            requests((&form, &mut plan), &stored, now, &[]),
            ["2026-01-09..2026-01-10"]
        );
        // A beginning in the future.
        let later = LocalDate::parse("2026-02-01").unwrap();
        let mut plan = SourcePlan::new(Some(later));
        assert!(requests((&form, &mut plan), &stored, now, &[]).is_empty());
    }

    proptest! {
        #[test]
        fn every_day_is_fetched_once(most_days in 1..40_u16, days in 0..90_i32, there in proptest::collection::btree_set(0..90_i32, 0..30)) {
            let form = form(most_days);
            let today = LocalDate::parse("2026-04-20").unwrap();
            let since = today.plus_days(-days).unwrap();
            let start = |back: &i32| form.start_of(today.plus_days(-back).unwrap());
            let stored = Stored(RefCell::new(there.iter().map(start).collect()));
            let mut plan = SourcePlan::new(Some(since));
            let now = "2026-04-20T08:00:00";
            let made = requests((&form, &mut plan), &stored, now, &[]);
            prop_assert!(made.len() < 200);
            for back in 0..=days {
                prop_assert!(stored.0.borrow().contains(&start(&back)), "{}", back);
            }
            prop_assert!(requests((&form, &mut plan), &stored, now, &[]).is_empty());
        }
    }
}
