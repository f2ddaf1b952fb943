//! Compares buckets with the local time of a zone, second by second.

use jiff::tz::{TimeZone, TimeZoneDatabase};
use proptest::prelude::*;

use super::*;
use crate::domain::time::at;

/// The starts of the buckets from the one containing `from` to the one containing `to`.
fn starts(zone: &str, interval: Interval, from: &str, to: &str) -> Vec<String> {
    let mut calendar = Calendar::new(Zone::parse(zone).unwrap(), interval);
    let mut bucket = calendar.bucket(at(from));
    let mut starts = vec![bucket.start().to_string()];
    while bucket.end() < at(to) {
        bucket = calendar.bucket(bucket.end().saturating_add_millis(1));
        starts.push(bucket.start().to_string());
    }
    starts
}

#[track_caller]
fn assert_starts(zone: &str, interval: Interval, ends: [&str; 2], expected: &[&str]) {
    let found = starts(zone, interval, ends[0], ends[1]);
    let expected: Vec<String> = expected.iter().map(|text| at(*text).to_string()).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_bucket_before_up_to_the_same_point() {
    let so_far = |interval, now: &str| {
        let mut calendar = Calendar::new(Zone::parse("Europe/Berlin").unwrap(), interval);
        let SoFar { now, before } = calendar.so_far(at(now));
        [now.start(), before.start(), before.end()].map(|time| time.to_string()[..16].to_owned())
    };
    for (interval, now, expected) in [
        // 14:05 in summer time; then the day after one of 23 hours, and after one of 25.
        (
            Interval::Day,
            "2026-07-08T12:05:00",
            ["2026-07-07T22:00", "2026-07-06T22:00", "2026-07-07T12:05"],
        ),
        (
            Interval::Day,
            "2026-03-30T12:05:00",
            ["2026-03-29T22:00", "2026-03-28T23:00", "2026-03-29T12:05"],
        ),
        (
            Interval::Day,
            "2026-03-29T12:05:00",
            ["2026-03-28T23:00", "2026-03-27T23:00", "2026-03-28T13:05"],
        ),
        (
            Interval::Day,
            "2026-10-26T13:05:00",
            ["2026-10-25T23:00", "2026-10-24T22:00", "2026-10-25T13:05"],
        ),
        // 02:30 that was skipped the day before: as if it had not been.
        (
            Interval::Day,
            "2026-03-30T00:30:00",
            ["2026-03-29T22:00", "2026-03-28T23:00", "2026-03-29T01:30"],
        ),
        (
            Interval::Week,
            "2026-03-31T12:05:00",
            ["2026-03-29T22:00", "2026-03-22T23:00", "2026-03-24T13:05"],
        ),
        (
            Interval::Month,
            "2026-03-15T13:05:00",
            ["2026-02-28T23:00", "2026-01-31T23:00", "2026-02-15T13:05"],
        ),
        (
            Interval::Month,
            "2026-03-30T12:05:00",
            ["2026-02-28T23:00", "2026-01-31T23:00", "2026-02-28T23:00"],
        ),
        (
            Interval::Year,
            "2024-03-01T13:05:00",
            ["2023-12-31T23:00", "2022-12-31T23:00", "2023-03-01T13:05"],
        ),
        (
            Interval::Year,
            "2024-02-29T13:05:00",
            ["2023-12-31T23:00", "2022-12-31T23:00", "2023-02-28T13:05"],
        ),
    ] {
        assert_eq!(so_far(interval, now), expected, "{interval:?} {now}");
    }
}

#[test]
fn weeks_can_begin_on_sunday() {
    let mut calendar = Calendar::new(Zone::UTC, Interval::Week).with_weeks_from(WeekStart::Sunday);
    for (time, start) in [
        ("2026-01-03T23:59:59.999", "2025-12-28T00:00:00"),
        ("2026-01-04T00:00:00", "2026-01-04T00:00:00"),
        ("2026-01-10T12:00:00", "2026-01-04T00:00:00"),
    ] {
        let bucket = calendar.bucket(at(time));
        assert_eq!(bucket.start(), at(start), "{time}");
        assert_eq!(bucket.length_ms() + 1, 7 * 86_400_000);
    }
}

#[test]
fn weeks_months_and_years_in_utc() {
    assert_starts(
        "UTC",
        Interval::Week,
        ["2026-01-04T23:59:59.999", "2026-01-05T00:00:00"],
        &["2025-12-29T00:00:00", "2026-01-05T00:00:00"],
    );
    assert_starts(
        "UTC",
        Interval::Month,
        ["2024-02-29T12:00:00", "2024-04-01T00:00:00"],
        &[
            "2024-02-01T00:00:00",
            "2024-03-01T00:00:00",
            "2024-04-01T00:00:00",
        ],
    );
    assert_starts(
        "UTC",
        Interval::Year,
        ["1969-06-01T00:00:00", "1970-06-01T00:00:00"],
        &["1969-01-01T00:00:00", "1970-01-01T00:00:00"],
    );
}

#[test]
fn days_have_23_24_or_25_hours() {
    assert_starts(
        "Europe/Berlin",
        Interval::Day,
        ["2026-03-28T12:00:00", "2026-03-30T12:00:00"],
        &[
            "2026-03-27T23:00:00",
            "2026-03-28T23:00:00",
            "2026-03-29T22:00:00",
        ],
    );
    assert_starts(
        "Europe/Berlin",
        Interval::Day,
        ["2026-10-25T12:00:00", "2026-10-26T12:00:00"],
        &["2026-10-24T22:00:00", "2026-10-25T23:00:00"],
    );
    // Half-hour zones; a change of half an hour makes a day of 24.5 hours.
    assert_starts(
        "Asia/Kolkata",
        Interval::Day,
        ["2026-01-01T00:00:00", "2026-01-01T18:30:00"],
        &["2025-12-31T18:30:00", "2026-01-01T18:30:00"],
    );
    assert_starts(
        "Australia/Lord_Howe",
        Interval::Day,
        ["2026-04-05T00:00:00", "2026-04-05T14:00:00"],
        &["2026-04-04T13:00:00", "2026-04-05T13:30:00"],
    );
}

#[test]
fn days_that_begin_late_or_twice_or_never() {
    // The clocks skip midnight: the day begins at 01:00, three hours behind UTC less one.
    assert_starts(
        "America/Sao_Paulo",
        Interval::Day,
        ["2018-11-03T12:00:00", "2018-11-05T12:00:00"],
        &[
            "2018-11-03T03:00:00",
            "2018-11-04T03:00:00",
            "2018-11-05T02:00:00",
        ],
    );
    // At 24:00 the clocks go back to 23:00 of the day that ends.
    assert_starts(
        "America/Sao_Paulo",
        Interval::Day,
        ["2018-02-17T12:00:00", "2018-02-18T12:00:00"],
        &["2018-02-17T02:00:00", "2018-02-18T03:00:00"],
    );
    // At 01:00 back to midnight: it begins at the first of the two.
    assert_starts(
        "America/Havana",
        Interval::Day,
        ["2025-11-02T12:00:00", "2025-11-03T12:00:00"],
        &["2025-11-02T04:00:00", "2025-11-03T05:00:00"],
    );
    // At 00:01 back to 23:01: the date before is shown for another hour.
    assert_starts(
        "America/St_Johns",
        Interval::Day,
        ["2006-10-28T12:00:00", "2006-10-30T12:00:00"],
        &[
            "2006-10-28T02:30:00",
            "2006-10-29T02:30:00",
            "2006-10-30T03:30:00",
        ],
    );
    // The 30th was left out.
    assert_starts(
        "Pacific/Apia",
        Interval::Day,
        ["2011-12-29T12:00:00", "2011-12-31T12:00:00"],
        &[
            "2011-12-29T10:00:00",
            "2011-12-30T10:00:00",
            "2011-12-31T10:00:00",
        ],
    );
    let apia = Zone::parse("Pacific/Apia").unwrap();
    for day in ["2011-12-30T00:00:00", "2011-12-31T00:00:00"] {
        assert_eq!(apia.start_of_day(at(day)), at("2011-12-30T10:00:00"));
    }
    // 23:30 became 00:30.
    let toronto = Zone::parse("America/Toronto").unwrap();
    assert_eq!(
        toronto.start_of_day(at("1919-03-31T00:00:00")),
        at("1919-03-31T04:30:00")
    );
}

#[test]
fn an_hour_that_comes_twice_is_two_buckets() {
    let change = ["2026-10-24T23:30:00", "2026-10-25T02:30:00"];
    assert_starts(
        "Europe/Berlin",
        Interval::Hour,
        change,
        &[
            "2026-10-24T23:00:00",
            "2026-10-25T00:00:00",
            "2026-10-25T01:00:00",
            "2026-10-25T02:00:00",
        ],
    );
    // Two hours from 02:00: 02:00 to 03:00 occurs twice, so the first time the bucket lasts one
    // hour.
    assert_starts(
        "Europe/Berlin",
        Interval::TwoHours,
        change,
        &[
            "2026-10-24T22:00:00",
            "2026-10-25T00:00:00",
            "2026-10-25T01:00:00",
        ],
    );
    // From midnight to 03:00 it is four hours, and a half day has thirteen.
    assert_starts(
        "Europe/Berlin",
        Interval::ThreeHours,
        change,
        &["2026-10-24T22:00:00", "2026-10-25T02:00:00"],
    );
    assert_starts(
        "Europe/Berlin",
        Interval::HalfDay,
        ["2026-10-25T00:00:00", "2026-10-25T11:00:00"],
        &["2026-10-24T22:00:00", "2026-10-25T11:00:00"],
    );
}

#[test]
fn an_hour_that_is_skipped_is_no_bucket() {
    let change = ["2026-03-29T00:00:00", "2026-03-29T02:00:00"];
    let expected = [
        "2026-03-29T00:00:00",
        "2026-03-29T01:00:00",
        "2026-03-29T02:00:00",
    ];
    assert_starts("Europe/Berlin", Interval::Hour, change, &expected);
    // 02:00 is skipped: those two hours begin at 03:00, and last one hour.
    assert_starts(
        "Europe/Berlin",
        Interval::TwoHours,
        change,
        &[
            "2026-03-28T23:00:00",
            "2026-03-29T01:00:00",
            "2026-03-29T02:00:00",
        ],
    );
}

#[test]
fn local_mean_time_has_odd_seconds() {
    // Berlin was 53 minutes and 28 seconds ahead until April 1893.
    assert_starts(
        "Europe/Berlin",
        Interval::Hour,
        ["1893-03-31T22:00:00", "1893-03-31T23:30:00"],
        &[
            "1893-03-31T21:06:32",
            "1893-03-31T22:06:32",
            "1893-03-31T23:06:32",
        ],
    );
    assert_starts(
        "Europe/Berlin",
        Interval::Day,
        ["1893-03-31T12:00:00", "1893-04-01T23:30:00"],
        &[
            "1893-03-30T23:06:32",
            "1893-03-31T23:06:32",
            "1893-04-01T23:00:00",
        ],
    );
}

#[test]
fn the_ends_of_time_have_buckets() {
    for zone in [
        "UTC",
        "Pacific/Kiritimati",
        "Pacific/Pago_Pago",
        "Europe/Berlin",
    ] {
        for interval in Interval::ALL {
            let mut calendar = Calendar::new(Zone::parse(zone).unwrap(), interval);
            for ms in [0, 1, MS_PER_DAY, 3 * MS_PER_DAY] {
                for time in [
                    Timestamp::MIN.saturating_add_millis(ms),
                    Timestamp::MAX.saturating_add_millis(-ms),
                ] {
                    let bucket = calendar.bucket(time);
                    assert!(bucket.contains(time), "{zone} {interval:?} {time}");
                    if ms <= 1 {
                        let at_the_end =
                            bucket.start() == Timestamp::MIN || bucket.end() == Timestamp::MAX;
                        assert!(at_the_end, "{zone} {interval:?} {bucket:?}");
                    }
                }
            }
        }
    }
}

/// The start of the bucket of each second in `seconds`, by reading the clocks second by second.
fn starts_by_the_clocks(
    tz: &TimeZone,
    interval: Interval,
    seconds: std::ops::Range<i64>,
) -> Vec<i64> {
    let shown = |second: i64| {
        let at = jiff::Timestamp::from_second(second).unwrap();
        second + i64::from(tz.to_offset(at).seconds())
    };
    let date = |second: i64| shown(second).div_euclid(86_400);
    let mut start = seconds.start;
    let mut newest = i64::MIN;
    let mut starts = Vec::new();
    for second in seconds {
        let begins = if let Some(length_ms) = interval.clock_length_ms() {
            let length = length_ms / 1_000;
            let (now, before) = (shown(second), shown(second - 1));
            now % length == 0 || now.div_euclid(length) != before.div_euclid(length)
        } else {
            // 1970 began on a Thursday.
            let slot = match interval {
                Interval::Week => (date(second) + 3).div_euclid(7),
                _ => date(second),
            };
            let is_new = slot > newest;
            newest = newest.max(slot);
            is_new
        };
        if begins {
            start = second;
        }
        starts.push(start);
    }
    starts
}

fn any_zone() -> impl Strategy<Value = String> {
    let names: Vec<String> = TimeZoneDatabase::bundled()
        .available()
        .map(|name| name.to_string())
        .collect();
    prop_oneof![
        proptest::sample::select(names),
        proptest::sample::select(vec![
            "Europe/Berlin".to_owned(),
            "Pacific/Apia".to_owned(),
            "America/St_Johns".to_owned(),
            "America/Havana".to_owned(),
            "America/Sao_Paulo".to_owned(),
            "Australia/Lord_Howe".to_owned(),
            "Antarctica/Troll".to_owned(),
            "Africa/Casablanca".to_owned(),
        ]),
    ]
}

/// A time in seconds: any since the telegraph, or close to a change of the clocks.
fn any_second(zone: &str, second: i64, near: bool) -> i64 {
    let tz = TimeZoneDatabase::bundled().get(zone).unwrap();
    let at = jiff::Timestamp::from_second(second).unwrap();
    let change = tz.following(at).next().filter(|_| near);
    change.map_or(second, |change| {
        change.timestamp().as_second() + second % 7_200
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn buckets_match_what_the_clocks_show(
        zone in any_zone(),
        interval in proptest::sample::select(Interval::ALL[..12].to_vec()),
        second in -3_500_000_000_i64..2_500_000_000,
        near in any::<bool>(),
    ) {
        let second = any_second(&zone, second, near);
        let days = if interval == Interval::Week { 9 } else { 2 };
        let tz = TimeZoneDatabase::bundled().get(&zone).unwrap();
        let from = second - days * 86_400;
        let starts = starts_by_the_clocks(&tz, interval, from..second + 86_400);
        let mut calendar = Calendar::new(Zone::parse(&zone).unwrap(), interval);
        for look in (second - 3_600..second + 86_400).step_by(97) {
            let bucket = calendar.bucket(Timestamp::from_millis(look * 1_000 + 999).unwrap());
            let expected = starts[usize::try_from(look - from).unwrap()];
            prop_assert_eq!(bucket.start().millis(), expected * 1_000, "{} at {}", zone, look);
            let next = usize::try_from((bucket.end().millis() + 1) / 1_000 - from).unwrap();
            if let Some(start) = starts.get(next) {
                prop_assert_eq!(bucket.end().millis() + 1, start * 1_000, "{} at {}", zone, look);
            }
        }
    }

    #[test]
    fn buckets_follow_each_other(
        zone in any_zone(),
        interval in proptest::sample::select(Interval::ALL.to_vec()),
        second in -3_500_000_000_i64..2_500_000_000,
        near in any::<bool>(),
    ) {
        let time = Timestamp::from_millis(any_second(&zone, second, near) * 1_000).unwrap();
        let fresh = || Calendar::new(Zone::parse(&zone).unwrap(), interval);
        let mut calendar = fresh();
        let bucket = calendar.bucket(time);
        prop_assert!(bucket.contains(time));
        prop_assert_eq!(fresh().bucket(bucket.start()), bucket);
        prop_assert_eq!(fresh().bucket(bucket.end()), bucket);
        let before = calendar.bucket(bucket.start().saturating_add_millis(-1));
        prop_assert_eq!(before.end(), bucket.start().saturating_add_millis(-1));
        let after = calendar.bucket(bucket.end().saturating_add_millis(1));
        prop_assert_eq!(after.start(), bucket.end().saturating_add_millis(1));
    }

    #[test]
    fn months_and_years_begin_with_a_day(zone in any_zone(), second in -3_500_000_000_i64..2_500_000_000) {
        let tz = TimeZoneDatabase::bundled().get(&zone).unwrap();
        let local = jiff::Timestamp::from_second(second).unwrap().to_zoned_datetime(tz);
        let time = Timestamp::from_millis(second * 1_000).unwrap();
        for (interval, first) in [(Interval::Month, local.first_of_month()), (Interval::Year, local.first_of_year())] {
            let first = first.unwrap().start_of_day().unwrap().timestamp();
            let mut calendar = Calendar::new(Zone::parse(&zone).unwrap(), interval);
            prop_assert_eq!(calendar.bucket(time).start().millis(), first.as_millisecond());
        }
    }
}

/// From 02:00 central time the clocks were set to 04:00 eastern summer time.
#[test]
fn a_change_of_zone_on_the_day_of_summer_time() {
    assert_starts(
        "America/Indiana/Winamac",
        Interval::ThreeHours,
        ["2007-03-11T05:00:00", "2007-03-11T14:00:00"],
        &[
            "2007-03-11T03:00:00",
            "2007-03-11T06:00:00",
            "2007-03-11T08:00:00",
            "2007-03-11T10:00:00",
            "2007-03-11T13:00:00",
        ],
    );
}
