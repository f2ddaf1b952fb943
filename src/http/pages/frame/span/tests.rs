use super::*;
use crate::domain::time::at;
use crate::domain::{AccountName, Plan};

fn date(text: &str) -> LocalDate {
    LocalDate::parse(text).unwrap()
}

fn account() -> Account {
    Account {
        name: AccountName::new("home").unwrap(),
        plan: Plan::Paid,
        zone: Zone::parse("Europe/Berlin").unwrap(),
        created: Timestamp::MIN,
    }
}

/// Berlin at 10:00 on the day after the clocks went forward, with contracts from these days on.
fn calendar(contracts: &[&str]) -> SpanCalendar {
    let contracts = contracts.iter().map(|text| date(text)).collect();
    SpanCalendar::new(&account(), contracts, at("2026-03-30T08:00:00"))
}

fn shown(query: &str) -> ShownSpan {
    SpanRules::ANY.read(query).unwrap().shown(&calendar(&[]))
}

/// The first and the last day of a range, by the calendar of Berlin.
fn dates(range: &Range<Timestamp>) -> [String; 2] {
    let calendar = calendar(&[]);
    [calendar.date(range.start), calendar.last_date(range)].map(|date| date.to_string())
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
        let here = shown(query);
        assert_eq!(dates(&here.range), [first, last], "{query}");
        assert_eq!((here.interval, here.later), (interval, None), "{query}");
        assert_eq!(here.earlier.address("", None), format!("?{earlier}"));
        let there = here.earlier.shown(&calendar(&[]));
        assert_eq!(there.range, here.before, "{query}");
        assert_eq!(there.later.unwrap().shown(&calendar(&[])).range, here.range);
    }
    // 23 hours, and 24 before it.
    let short = shown("range=day&at=2026-03-29");
    let hours = |range: &Range<Timestamp>| (range.end.millis() - range.start.millis()) / 3_600_000;
    assert_eq!([&short.range, &short.before].map(hours), [23, 24]);
}

#[test]
fn what_is_running_is_compared_so_far() {
    // At 10:00 after a day of 23 hours.
    let today = shown("range=day").so_far;
    assert_eq!(today.now.end(), at("2026-03-30T08:00:00"));
    assert_eq!(today.before.end(), at("2026-03-29T08:00:00"));
    let days = shown("from=2026-03-30&to=2026-04-02").so_far;
    assert_eq!(days.now.end(), at("2026-03-30T08:00:00"));
    assert_eq!(days.now.length_ms(), days.before.length_ms());
    let over = shown("range=month&at=2026-02-01");
    assert_eq!(
        (over.so_far.now.end(), over.so_far.before.end()),
        (over.range.end, over.range.start)
    );
}

#[test]
fn the_contract_year_begins_with_the_newest_contract_that_holds() {
    let calendar = calendar(&["2023-07-15", "2025-04-01"]);
    let year = |query: &str| {
        let here = SpanRules::ANY.read(query).unwrap().shown(&calendar);
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
    // Before any contract, as the first one.
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
        let here = shown(&format!("from={from}&to={to}"));
        assert_eq!(dates(&here.range), [first, last]);
        assert_eq!((here.interval, here.is_widened), (interval, first != from));
        assert_eq!(dates(&here.before)[0], before);
        assert_eq!(here.before.end, here.range.start);
    }
    let past = shown("from=2026-01-05&to=2026-01-07");
    let later = past.later.unwrap().address("energy", Some("home"));
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
        assert_eq!(SpanRules::ANY.read(query).unwrap_err().to_string(), problem);
    }
    let text = SpanRules::ANY.read("at=yesterday").unwrap_err().to_string();
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
        assert_eq!(
            SpanRules::BILLED.read(query).unwrap_err().to_string(),
            problem
        );
    }
    for (query, field) in [("range=decade", "range"), ("at=yesterday", "at")] {
        let error = SpanRules::BILLED.read(query).unwrap_err().to_string();
        assert!(error.starts_with(field), "{error}");
    }
}

/// What is shown to the day on 18 March 2026: its first and last day, and the addresses of what is earlier and later.
fn to_the_day(query: &str) -> (String, String, Option<String>) {
    let account = Account {
        zone: Zone::UTC,
        ..account()
    };
    let contracts = vec![date("2023-07-15"), date("2024-02-29")];
    let calendar = SpanCalendar::new(&account, contracts, at("2026-03-18T10:00:00"));
    let shown = SpanRules::BILLED.read(query).unwrap().to_the_day(&calendar);
    let address = |span: SpanChoice| span.address("", None).trim_start_matches('?').to_owned();
    (
        calendar
            .dates(&shown.range)
            .map(|it| it.to_string())
            .join(" "),
        address(shown.earlier),
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
        // Of the first contract, and before any.
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
    for text in ["0000-01-01", "9999-12-31"] {
        let units = SpanUnit::ALL.map(|unit| SpanChoice::Unit(unit, Some(date(text))));
        let days = [
            SpanChoice::Days(date(text), date(text)),
            SpanChoice::Days(date("9999-01-01"), date("9999-12-31")),
        ];
        for span in units.into_iter().chain(days) {
            let calendar = calendar(&["2024-02-29"]);
            for shown in [span.shown(&calendar), span.to_the_day(&calendar)] {
                let ranges = [&shown.before, &shown.range];
                assert!(
                    ranges.iter().all(|range| range.start <= range.end),
                    "{span:?}: {ranges:?}"
                );
            }
        }
    }
    let last = SpanChoice::Unit(SpanUnit::Contract, Some(date("9999-12-31")));
    let year = last.shown(&calendar(&["2024-02-29"]));
    assert_eq!(year.range.end, Timestamp::MAX);
}
