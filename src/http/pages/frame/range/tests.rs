//! Tests of everything computed from a range, also across clock changes: Berlin at 10:00 on the day
//! after the clocks went forward.

use std::ops::Range;

use super::*;
use crate::domain::time::{MS_PER_DAY, at};
use crate::domain::{Interval, LocalDate, Timestamp, Zone};
use crate::texts::Language;

fn date(text: &str) -> LocalDate {
    LocalDate::parse(text).unwrap()
}

fn berlin() -> Zone {
    Zone::parse("Europe/Berlin").unwrap()
}

/// The calendar with contracts from these days on.
fn calendar(contracts: &[&str]) -> RangeCalendar {
    let contracts = contracts.iter().map(|text| date(text)).collect();
    let calendar = RangeCalendar::new(&berlin(), Language::english(), at("2026-03-30T08:00:00"));
    calendar.with_contracts(contracts)
}

fn read(query: &str) -> Result<RangeChoice, String> {
    let choice = RangeRules::ENERGY.read(query, &berlin());
    choice.map_err(|error| error.to_string())
}

fn shown(choice: RangeChoice) -> ShownRange {
    calendar(&[]).shown(choice)
}

fn in_bars(query: &str) -> ShownRange {
    calendar(&[]).in_bars(read(query).unwrap())
}

fn address(choice: Option<RangeChoice>) -> String {
    choice.unwrap().address("", None, &berlin())
}

/// The first and the last day of a range, by the calendar of Berlin.
fn dates(range: &Range<Timestamp>) -> [String; 2] {
    calendar(&[]).dates(range).map(|date| date.to_string())
}

#[test]
fn units_lead_from_one_to_the_next() {
    for (query, first, last, interval, earlier) in [
        (
            "range=day",
            "2026-03-30",
            "2026-03-30",
            Interval::Hour,
            "range=day&at=2026-03-29",
        ),
        (
            "range=week",
            "2026-03-30",
            "2026-04-05",
            Interval::Day,
            "range=week&at=2026-03-23",
        ),
        (
            "",
            "2026-03-01",
            "2026-03-31",
            Interval::Day,
            "range=month&at=2026-02-01",
        ),
        (
            "range=year",
            "2026-01-01",
            "2026-12-31",
            Interval::Month,
            "range=year&at=2025-01-01",
        ),
    ] {
        let here = in_bars(query);
        assert_eq!(dates(&here.range), [first, last], "{query}");
        assert_eq!((here.interval, here.later), (interval, None), "{query}");
        assert_eq!(address(here.earlier), format!("?{earlier}"));
        let there = shown(here.earlier.unwrap());
        assert_eq!(there.range, here.before, "{query}");
        assert_eq!(shown(there.later.unwrap()).range, here.range);
    }
    // 23 hours, and 24 before it.
    let short = in_bars("range=day&at=2026-03-29");
    let hours = |range: &Range<Timestamp>| (range.end.millis() - range.start.millis()) / 3_600_000;
    assert_eq!([&short.range, &short.before].map(hours), [23, 24]);
}

#[test]
fn what_is_running_is_compared_so_far() {
    // At 10:00 after a day of 23 hours.
    let today = in_bars("range=day").so_far;
    assert_eq!(today.now.end(), at("2026-03-30T08:00:00"));
    assert_eq!(today.before.end(), at("2026-03-29T08:00:00"));
    let days = in_bars("from=2026-03-30&to=2026-04-02").so_far;
    assert_eq!(days.now.end(), at("2026-03-30T08:00:00"));
    assert_eq!(days.now.length_ms(), days.before.length_ms());
    let over = in_bars("range=month&at=2026-02-01");
    assert_eq!(
        (over.so_far.now.end(), over.so_far.before.end()),
        (over.range.end, over.range.start)
    );
}

#[test]
fn the_contract_year_begins_with_the_newest_contract_that_holds() {
    let calendar = calendar(&["2023-07-15", "2025-04-01"]);
    let year = |query: &str| {
        let here = calendar.shown(read(query).unwrap());
        (dates(&here.range), dates(&here.before), here.is_cut)
    };
    let days = |first: &str, last: &str| [first, last].map(str::to_owned);
    assert_eq!(
        year("range=contract"),
        (
            days("2025-04-01", "2026-03-31"),
            days("2024-04-01", "2025-03-31"),
            false
        )
    );
    assert_eq!(
        year("range=contract&at=2025-03-31").0,
        days("2024-07-15", "2025-07-14")
    );
    // Before any contract, the first contract applies.
    assert_eq!(
        year("range=contract&at=2020-01-01"),
        (
            days("2019-07-15", "2020-07-14"),
            days("2018-07-15", "2019-07-14"),
            true
        )
    );
}

#[test]
fn ranges_of_days_are_widened_to_whole_bars() {
    for (from, to, first, last, interval, before) in [
        (
            "2026-01-05",
            "2026-01-07",
            "2026-01-05",
            "2026-01-07",
            Interval::Hour,
            "2026-01-02",
        ),
        (
            "2026-01-05",
            "2026-01-08",
            "2026-01-05",
            "2026-01-08",
            Interval::Day,
            "2026-01-01",
        ),
        (
            "2026-01-05",
            "2026-06-08",
            "2026-01-01",
            "2026-06-30",
            Interval::Month,
            "2025-07-01",
        ),
        (
            "2020-01-05",
            "2025-06-08",
            "2020-01-01",
            "2025-12-31",
            Interval::Year,
            "2014-01-01",
        ),
    ] {
        let here = in_bars(&format!("from={from}&to={to}"));
        assert_eq!(dates(&here.range), [first, last]);
        assert_eq!(here.interval, interval);
        assert_eq!(here.title.contains(", whole "), first != from);
        assert_eq!(dates(&here.before)[0], before);
        assert_eq!(here.before.end, here.range.start);
    }
    let past = in_bars("from=2026-01-05&to=2026-01-07");
    let later = past.later.unwrap();
    let later = later.address("energy", Some("home"), &berlin());
    assert_eq!(later, "energy?account=home&from=2026-01-08&to=2026-01-10");
}

#[test]
fn what_is_wrong_is_named() {
    for (query, problem) in [
        (
            "range=decade",
            "range: expected one of day, week, month, year, contract; got decade",
        ),
        ("from=2026-01-01", "to: expected together with from"),
        ("to=2026-01-01", "from: expected together with to"),
        (
            "range=day&from=2026-01-01&to=2026-01-02",
            "range: expected without from and to",
        ),
        (
            "from=2026-01-02&to=2026-01-01",
            "to: expected a date that is not before from",
        ),
        (
            "from=1800-01-02&to=2026-01-01",
            "to: expected a date at most 100 years after from",
        ),
    ] {
        assert_eq!(read(query).unwrap_err(), problem);
    }
    let text = read("at=yesterday").unwrap_err();
    assert!(text.starts_with("at: "), "{text}");
}

#[test]
fn a_page_may_take_less() {
    for (query, problem) in [
        (
            "range=day",
            "range: expected one of month, year, contract; got day",
        ),
        (
            "from=2001-01-01&to=2026-01-01",
            "to: expected a date at most 10 years after from",
        ),
        (
            "from=2026-01-02&to=2026-01-01",
            "to: expected a date that is not before from",
        ),
        ("from=2026-01-01", "to: expected together with from"),
        ("to=2026-01-01", "from: expected together with to"),
    ] {
        let error = RangeRules::BILLED.read(query, &berlin()).unwrap_err();
        assert_eq!(error.to_string(), problem);
    }
    for (query, field) in [("range=decade", "range"), ("at=yesterday", "at")] {
        let error = RangeRules::BILLED.read(query, &berlin());
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with(field), "{error}");
    }
}

/// The ranges shown on 18 March 2026: the first and last day, and the addresses of the earlier and
/// later range.
fn to_the_day(query: &str) -> (String, String, Option<String>) {
    let contracts = vec![date("2023-07-15"), date("2024-02-29")];
    let now = at("2026-03-18T10:00:00");
    let calendar = RangeCalendar::new(&Zone::UTC, Language::english(), now);
    let calendar = calendar.with_contracts(contracts);
    let shown = calendar.shown(RangeRules::BILLED.read(query, &Zone::UTC).unwrap());
    let address = |choice: RangeChoice| {
        let address = choice.address("", None, &Zone::UTC);
        address.trim_start_matches('?').to_owned()
    };
    (
        calendar
            .dates(&shown.range)
            .map(|it| it.to_string())
            .join(" "),
        shown.earlier.map(address).unwrap(),
        shown.later.map(address),
    )
}

#[test]
fn ranges_to_the_day_lead_from_one_to_the_next() {
    for (query, range, earlier, later) in [
        (
            "",
            "2026-03-01 2026-03-31",
            "range=month&at=2026-02-01",
            None,
        ),
        (
            "range=month&at=2025-12-24",
            "2025-12-01 2025-12-31",
            "range=month&at=2025-11-01",
            Some("range=month&at=2026-01-01"),
        ),
        (
            "range=year",
            "2026-01-01 2026-12-31",
            "range=year&at=2025-01-01",
            None,
        ),
        (
            "range=contract",
            "2026-02-28 2027-02-27",
            "range=contract&at=2025-02-28",
            None,
        ),
        (
            "range=contract&at=2024-05-01",
            "2024-02-29 2025-02-27",
            "range=contract&at=2023-02-28",
            Some("range=contract&at=2025-02-28"),
        ),
        // In the first contract, and before any contract.
        (
            "range=contract&at=2024-01-01",
            "2023-07-15 2024-07-14",
            "range=contract&at=2022-07-15",
            Some("range=contract&at=2024-07-15"),
        ),
        (
            "range=contract&at=2020-01-01",
            "2019-07-15 2020-07-14",
            "range=contract&at=2018-07-15",
            Some("range=contract&at=2020-07-15"),
        ),
        (
            "from=2026-01-30&to=2026-02-02",
            "2026-01-30 2026-02-02",
            "from=2026-01-26&to=2026-01-29",
            Some("from=2026-02-03&to=2026-02-06"),
        ),
        (
            "from=2026-03-17&to=2026-03-17",
            "2026-03-17 2026-03-17",
            "from=2026-03-16&to=2026-03-16",
            Some("from=2026-03-18&to=2026-03-18"),
        ),
    ] {
        let later = later.map(str::to_owned);
        assert_eq!(
            to_the_day(query),
            (range.to_owned(), earlier.to_owned(), later),
            "{query}"
        );
    }
}

#[test]
fn long_ranges_to_the_day_are_not_widened() {
    let (range, earlier, later) = to_the_day("from=2025-01-30&to=2025-08-02");
    assert_eq!(range, "2025-01-30 2025-08-02");
    assert_eq!(earlier, "from=2024-07-29&to=2025-01-29");
    assert_eq!(later.as_deref(), Some("from=2025-08-03&to=2026-02-03"));
}

#[test]
fn ends_of_time_are_ends_of_ranges() {
    let days = |from: &str, to: &str| read(&format!("from={from}&to={to}")).unwrap();
    for time in [Timestamp::MIN, Timestamp::MAX] {
        let named = RangeWord::ALL.map(|word| RangeChoice::named(word, Some(time)));
        let between = [
            days("0000-01-01", "0000-01-02"),
            days("9999-12-31", "9999-12-31"),
            days("9999-01-01", "9999-12-31"),
            RangeChoice::between(Timestamp::MIN, Timestamp::MAX).unwrap(),
        ];
        for choice in named.into_iter().chain(between) {
            let calendar = RangeCalendar::new(&berlin(), Language::english(), time);
            let calendar = calendar.with_contracts(vec![date("2024-02-29")]);
            for shown in [
                calendar.shown(choice),
                calendar.in_bars(choice),
                calendar.in_whole(choice, Interval::Year),
            ] {
                let ranges = [&shown.before, &shown.range];
                assert!(
                    ranges.iter().all(|range| range.start <= range.end),
                    "{choice:?}: {ranges:?}"
                );
            }
        }
    }
    let last = read("range=contract&at=9999-12-31").unwrap();
    let year = calendar(&["2024-02-29"]).shown(last);
    assert_eq!(year.range.end, Timestamp::MAX);
}

#[test]
fn units_follow_each_other_over_changes_of_clocks() {
    let today = in_bars("range=day");
    assert_eq!(today.title, "30 Mar 2026");
    assert_eq!(today.later, None);
    // A day of 23 hours.
    let before = shown(today.earlier.unwrap());
    assert_eq!(
        (before.range, before.title.as_str()),
        (
            at("2026-03-28T23:00:00")..at("2026-03-29T22:00:00"),
            "29 Mar 2026"
        )
    );
    assert_eq!(address(before.later), "?range=day");
    for word in RangeWord::ALL {
        let mut choice = RangeChoice::Named(word, None);
        if word.unit().is_none() {
            continue;
        }
        for _ in 0..30 {
            let here = shown(choice);
            choice = here.earlier.unwrap();
            let there = shown(choice);
            assert_eq!(there.range.end, here.range.start, "{word:?}");
            let again = shown(there.later.unwrap());
            assert_eq!(again.range, here.range, "{word:?}");
        }
    }
}

#[test]
fn ranges_of_their_own_are_moved_by_their_length() {
    let choice =
        RangeChoice::between(at("2026-03-29T00:00:00"), at("2026-03-29T06:00:00")).unwrap();
    let here = shown(choice);
    assert_eq!(here.title, "29 Mar 2026 01:00 – 29 Mar 2026 08:00");
    let after = shown(here.later.unwrap());
    assert_eq!(after.range, here.range.end..at("2026-03-29T12:00:00"));
    assert_eq!(after.earlier, Some(choice));
    let last_day = shown(RangeChoice::LAST_DAY);
    assert_eq!(last_day.later, None);
    let before = shown(last_day.earlier.unwrap());
    assert_eq!(before.range.end, last_day.range.start);
    let time = at("2026-01-01T00:00:00");
    assert_eq!(RangeChoice::between(time, time), None);
}

#[test]
fn all_begins_with_the_first_reading() {
    let (all, mut calendar) = (RangeChoice::Named(RangeWord::All, None), calendar(&[]));
    let (now, first) = (calendar.now(), at("2020-05-05T12:00:00"));
    calendar.first = Some(first);
    let here = calendar.shown(all);
    assert_eq!(here.range, first..now);
    assert_eq!((here.earlier, here.later), (None, None));
    assert_eq!(
        calendar.in_whole(all, Interval::Month).range,
        at("2020-04-30T22:00:00")..at("2026-03-31T22:00:00")
    );
    // At least a day.
    calendar.first = Some(now);
    assert_eq!(calendar.shown(all).of_energy().length_ms(), MS_PER_DAY);
}

#[test]
fn a_title_says_that_a_range_was_widened_to_whole_bars() {
    let whole = |choice, interval| calendar(&[]).in_whole(choice, interval).title;
    let day = RangeChoice::Named(RangeWord::Day, None);
    assert_eq!(whole(day, Interval::QuarterHour), "30 Mar 2026");
    assert_eq!(whole(day, Interval::Month), "30 Mar 2026, whole months");
    let now = at("2026-03-30T08:20:00");
    let calendar = RangeCalendar::new(&berlin(), Language::english(), now);
    let last = calendar.in_whole(RangeChoice::LAST_DAY, Interval::Hour);
    assert_eq!(last.title, "Last 24 hours, whole hours");
    assert_eq!(last.later, None);
    // The neighbouring ranges share no bar with it.
    let times = RangeChoice::between(at("2026-03-30T06:20:00"), at("2026-03-30T07:40:00"));
    let times = calendar.in_whole(times.unwrap(), Interval::Hour);
    assert_eq!(
        times.title,
        "30 Mar 2026 08:00 – 30 Mar 2026 10:00, whole hours"
    );
    assert_eq!(
        address(times.earlier),
        "?from=2026-03-30T04:00:00.000Z&to=2026-03-30T06:00:00.000Z"
    );
}

#[test]
fn a_date_is_the_whole_day_and_a_time_is_its_moment() {
    let read = |query| RangeRules::CHART.read(query, &berlin());
    let days = read("from=2026-03-28&to=2026-03-29").unwrap();
    let here = shown(days);
    assert_eq!(
        here.range,
        at("2026-03-27T23:00:00")..at("2026-03-29T22:00:00")
    );
    assert_eq!(here.title, "28 Mar 2026 – 29 Mar 2026");
    assert_eq!(address(Some(days)), "?from=2026-03-28&to=2026-03-29");
    // Two days again, although these are an hour longer.
    assert_eq!(address(here.earlier), "?from=2026-03-26&to=2026-03-27");
    let times = read("from=2026-03-28&to=2026-03-29T00:00:00").unwrap();
    assert_eq!(
        shown(times).range,
        at("2026-03-27T23:00:00")..at("2026-03-29T00:00:00")
    );
    let error = RangeRules::ENERGY.read("from=2026-03-28&to=2026-03-29T00:00:00", &berlin());
    assert!(error.unwrap_err().to_string().starts_with("to: "));
}

#[test]
fn ranges_are_compared_with_last_year() {
    for (query, expected, until, title) in [
        (
            "range=day",
            ["2025-03-31", "2025-03-31"],
            "2025-03-31T08:00:00",
            "31 Mar 2025",
        ),
        (
            "range=week",
            ["2025-03-31", "2025-04-06"],
            "2025-03-31T08:00:00",
            "Week of 31 Mar 2025",
        ),
        (
            "range=month",
            ["2025-03-01", "2025-03-31"],
            "2025-03-30T08:00:00",
            "Mar 2025",
        ),
        (
            "range=month&at=2024-02-29",
            ["2023-02-01", "2023-02-28"],
            "2023-02-28T23:00:00",
            "Feb 2023",
        ),
        // Whole months go by their dates, other days by weekdays.
        (
            "from=2026-01-01&to=2026-02-28",
            ["2025-01-01", "2025-02-28"],
            "2025-02-28T23:00:00",
            "1 Jan 2025 – 28 Feb 2025",
        ),
        (
            "from=2026-02-02&to=2026-02-03",
            ["2025-02-03", "2025-02-04"],
            "2025-02-04T23:00:00",
            "3 Feb 2025 – 4 Feb 2025",
        ),
        // Its last two days are still to come.
        (
            "from=2026-03-29&to=2026-04-01",
            ["2025-03-30", "2025-04-02"],
            "2025-03-31T08:00:00",
            "30 Mar 2025 – 2 Apr 2025",
        ),
    ] {
        let choice = read(query).unwrap();
        let last_year = in_bars(query).against_last_year(choice, &berlin());
        assert_eq!(dates(&last_year.before), expected, "{query}");
        assert_eq!(last_year.so_far.before.end(), at(until), "{query}");
        let title_of = last_year.before_title(choice, &calendar(&[]));
        assert_eq!(title_of, title, "{query}");
        assert_eq!(last_year.range, in_bars(query).range);
    }
    // Years have one comparison only.
    for query in ["range=year", "range=year&at=2024-05-01"] {
        let shown = in_bars(query);
        let last_year = shown.against_last_year(read(query).unwrap(), &berlin());
        assert_eq!(
            (last_year.before, last_year.so_far),
            (shown.before, shown.so_far)
        );
    }
}

#[test]
fn the_range_before_has_its_name() {
    for (query, title) in [
        ("range=day", "29 Mar 2026"),
        ("range=month", "Feb 2026"),
        ("from=2026-02-02&to=2026-02-03", "31 Jan 2026 – 1 Feb 2026"),
    ] {
        let before = in_bars(query).before_title(read(query).unwrap(), &calendar(&[]));
        assert_eq!(before, title, "{query}");
    }
}
