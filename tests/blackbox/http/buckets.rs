//! Buckets: power and energy by intervals of the calendar.

use serde_json::json;

use crate::support::{HOUR, Response, Service, at, points, points_of, power, register};

/// Every test asks for the house.
fn ask(service: &Service, kind: &str, start: &str, end: &str, more: &str) -> Response {
    service.ask(&format!(
        "type={kind}&start_time={start}&end_time={end}&{more}"
    ))
}

#[track_caller]
fn rate(service: &Service, start: &str, end: &str, more: &str) -> Vec<(String, f64)> {
    points_of(&ask(service, "rate", start, end, more))
}

#[track_caller]
fn consumption(service: &Service, start: &str, end: &str, more: &str) -> Vec<(String, f64)> {
    points_of(&ask(service, "consumption", start, end, more))
}

/// A house with these readings of power.
fn with_power(readings: &[(&str, f64)]) -> Service {
    let service = Service::start();
    let readings: Vec<_> = readings
        .iter()
        .map(|&(time, watts)| power(at(time), watts))
        .collect();
    service.import(&readings);
    service
}

/// A house with these registers.
fn with_registers(registers: &[(&str, f64)]) -> Service {
    let service = Service::start();
    let readings: Vec<_> = registers
        .iter()
        .map(|&(time, watthours)| register(at(time), watthours))
        .collect();
    service.import(&readings);
    service
}

#[test]
fn a_result_to_the_byte() {
    let service = with_power(&[
        ("2026-01-05T10:00:00", 10.0),
        ("2026-01-05T10:59:59.999", 20.5),
        ("2026-01-05T12:00:00", -3.0),
    ]);
    let answer = ask(&service, "rate", "2026-01-05", "2026-01-06", "interval=1h");
    answer.assert_json(concat!(
        r#"{"units":"watts","data":["#,
        r#"{"t":"2026-01-05T10:00:00.000Z","v":15.25},"#,
        r#"{"t":"2026-01-05T12:00:00.000Z","v":-3}]}"#
    ));
}

#[test]
fn the_mean_is_unweighted_and_the_default() {
    // Two readings close together weigh as much as the one for the rest of the hour.
    let service = with_power(&[
        ("2026-01-05T10:00:00", 10.1),
        ("2026-01-05T10:00:01", 10.2),
        ("2026-01-05T10:50:00", 10.3),
    ]);
    let hour = "2026-01-05T10:00:00.000Z";
    let by_hour = |agg: &str| {
        let more = format!("interval=1h{agg}");
        rate(&service, "2026-01-05", "2026-01-06", &more)
    };
    // No noise of binary fractions: added up they are 30.599999999999998.
    assert_eq!(by_hour(""), points([(hour, 10.2)]));
    assert_eq!(by_hour("&agg=mean"), points([(hour, 10.2)]));
    assert_eq!(by_hour("&agg=min"), points([(hour, 10.1)]));
    assert_eq!(by_hour("&agg=max"), points([(hour, 10.3)]));
}

#[test]
fn every_interval_begins_where_the_clock_says() {
    let service = with_power(&[("2026-08-19T17:48:31.250", 7.0)]);
    for (interval, start) in [
        ("1m", "2026-08-19T17:48:00.000Z"),
        ("5m", "2026-08-19T17:45:00.000Z"),
        ("10m", "2026-08-19T17:40:00.000Z"),
        ("15m", "2026-08-19T17:45:00.000Z"),
        ("30m", "2026-08-19T17:30:00.000Z"),
        ("1h", "2026-08-19T17:00:00.000Z"),
        ("2h", "2026-08-19T16:00:00.000Z"),
        ("3h", "2026-08-19T15:00:00.000Z"),
        ("6h", "2026-08-19T12:00:00.000Z"),
        ("12h", "2026-08-19T12:00:00.000Z"),
        ("1d", "2026-08-19T00:00:00.000Z"),
        ("1w", "2026-08-17T00:00:00.000Z"),
        ("1mo", "2026-08-01T00:00:00.000Z"),
        ("1y", "2026-01-01T00:00:00.000Z"),
    ] {
        let found = rate(
            &service,
            "2026-08-19T17:48:00",
            "2026-08-20",
            &format!("interval={interval}"),
        );
        assert_eq!(found, points([(start, 7.0)]), "{interval}");
    }
}

#[test]
fn buckets_of_power_begin_with_their_start_and_those_of_energy_end_with_it() {
    let service = Service::start();
    for (time, value) in [
        ("2026-01-05T09:30:00", 1.0),
        ("2026-01-05T10:00:00", 2.0),
        ("2026-01-05T10:30:00", 4.0),
        ("2026-01-05T11:00:00", 8.0),
    ] {
        service.accept(&json!({"time": time, "watts": value, "watthours": value}));
    }
    let (start, end) = ("2026-01-05T09:00:00", "2026-01-05T11:00:00");
    assert_eq!(
        rate(&service, start, end, "interval=1h"),
        points([
            ("2026-01-05T09:00:00.000Z", 1.0),
            ("2026-01-05T10:00:00.000Z", 3.0),
            ("2026-01-05T11:00:00.000Z", 8.0),
        ])
    );
    assert_eq!(
        consumption(&service, start, end, "interval=1h"),
        points([
            ("2026-01-05T09:00:00.000Z", 1.0),
            ("2026-01-05T10:00:00.000Z", 6.0),
        ])
    );
}

#[test]
fn a_clipped_bucket_carries_its_own_start() {
    let service = with_power(&[
        ("2026-01-05T10:10:00", 1.0),
        ("2026-01-05T10:20:00", 2.0),
        ("2026-01-05T10:30:00", 3.0),
        ("2026-01-05T10:40:00", 4.0),
    ]);
    let found = rate(
        &service,
        "2026-01-05T10:20:00",
        "2026-01-05T10:30:00",
        "interval=1d",
    );
    assert_eq!(found, points([("2026-01-05T00:00:00.000Z", 2.5)]));
    let service = with_registers(&[
        ("2026-01-05T10:10:00", 1.0),
        ("2026-01-05T10:20:00", 2.0),
        ("2026-01-05T10:30:00", 4.0),
        ("2026-01-05T10:40:00", 8.0),
    ]);
    let found = consumption(
        &service,
        "2026-01-05T10:15:00",
        "2026-01-05T10:30:00",
        "interval=1d",
    );
    assert_eq!(found, points([("2026-01-05T00:00:00.000Z", 3.0)]));
}

#[test]
fn buckets_without_a_value_are_left_out() {
    let service = with_registers(&[
        // The sensor's first register alone has no difference.
        ("2026-01-05T10:30:00", 1000.0),
        ("2026-01-05T13:30:00", 1010.2),
        ("2026-01-05T13:40:00", 1010.2),
        ("2026-01-05T15:10:00", 1010.2),
    ]);
    assert_eq!(
        consumption(&service, "2026-01-05", "2026-01-06", "interval=1h"),
        points([
            ("2026-01-05T13:00:00.000Z", 10.2),
            ("2026-01-05T15:00:00.000Z", 0.0),
        ])
    );
    // With others in its bucket, it is their first register.
    assert_eq!(
        consumption(&service, "2026-01-05", "2026-01-06", "interval=12h"),
        points([("2026-01-05T12:00:00.000Z", 10.2)])
    );
    assert_eq!(
        consumption(&service, "2026-01-05", "2026-01-06", "interval=1d"),
        points([("2026-01-05T00:00:00.000Z", 10.2)])
    );
    for kind in ["rate", "consumption"] {
        let answer = ask(&service, kind, "2026-02-01", "2026-03-01", "interval=1d");
        assert_eq!(points_of(&answer), []);
    }
    let answer = ask(&service, "rate", "2026-01-05", "2026-01-06", "interval=1d");
    answer.assert_json(r#"{"units":"watts","data":[]}"#);
}

#[test]
fn energy_is_the_registers_difference_whatever_the_aggregate() {
    let service = with_registers(&[
        ("2026-01-05T10:00:00", 100.0),
        ("2026-01-05T11:00:00", 90.0),
        ("2026-01-05T12:00:00", 130.0),
    ]);
    for agg in ["mean", "min", "max"] {
        let more = format!("interval=1d&agg={agg}");
        assert_eq!(
            consumption(&service, "2026-01-05", "2026-01-06", &more),
            points([("2026-01-05T00:00:00.000Z", 30.0)])
        );
    }
}

#[test]
fn days_of_23_24_and_25_hours() {
    let service = Service::start();
    // One watt-hour an hour, from the end of 2025 on, on the hour.
    let begin = at("2025-12-31T23:00:00");
    let registers: Vec<_> = (0..8_800_i32)
        .map(|n| {
            register(
                begin.saturating_add_millis(i64::from(n) * HOUR),
                f64::from(n),
            )
        })
        .collect();
    service.import(&registers);
    let days = |start: &str, end: &str| {
        let more = "interval=1d&tz=Europe/Berlin";
        consumption(&service, start, end, more)
    };
    // Dates alone are midnights in Berlin.
    assert_eq!(
        days("2026-03-28", "2026-03-31"),
        points([
            ("2026-03-27T23:00:00.000Z", 24.0),
            ("2026-03-28T23:00:00.000Z", 23.0),
            ("2026-03-29T22:00:00.000Z", 24.0),
        ])
    );
    assert_eq!(
        days("2026-10-24", "2026-10-27"),
        points([
            ("2026-10-23T22:00:00.000Z", 24.0),
            ("2026-10-24T22:00:00.000Z", 25.0),
            ("2026-10-25T23:00:00.000Z", 24.0),
        ])
    );
    let months = consumption(
        &service,
        "2026-01-01",
        "2027-01-01",
        "interval=1mo&tz=Europe/Berlin",
    );
    let hours: Vec<f64> = months.iter().map(|point| point.1).collect();
    assert_eq!(
        hours,
        [
            744.0, 672.0, 743.0, 720.0, 744.0, 720.0, 744.0, 744.0, 720.0, 745.0, 720.0, 744.0
        ]
    );
    assert_eq!(months[6].0, "2026-06-30T22:00:00.000Z");
    assert_eq!(
        consumption(
            &service,
            "2026-01-01",
            "2027-01-01",
            "interval=1y&tz=Europe/Berlin"
        ),
        points([("2025-12-31T23:00:00.000Z", 8760.0)])
    );
}

#[test]
fn an_hour_that_comes_twice_is_two_buckets() {
    let service = with_power(&[
        ("2026-10-24T23:59:00", 1.0),
        ("2026-10-25T00:30:00", 2.0),
        ("2026-10-25T01:30:00", 3.0),
        ("2026-10-25T02:30:00", 4.0),
    ]);
    let in_berlin = |interval: &str| {
        let more = format!("interval={interval}&tz=Europe%2FBerlin");
        rate(&service, "2026-10-25", "2026-10-26", &more)
    };
    assert_eq!(
        in_berlin("1h"),
        points([
            ("2026-10-24T23:00:00.000Z", 1.0),
            ("2026-10-25T00:00:00.000Z", 2.0),
            ("2026-10-25T01:00:00.000Z", 3.0),
            ("2026-10-25T02:00:00.000Z", 4.0),
        ])
    );
    assert_eq!(
        in_berlin("2h"),
        points([
            ("2026-10-24T22:00:00.000Z", 1.0),
            ("2026-10-25T00:00:00.000Z", 2.0),
            ("2026-10-25T01:00:00.000Z", 3.5),
        ])
    );
    assert_eq!(
        in_berlin("3h"),
        points([
            ("2026-10-24T22:00:00.000Z", 2.0),
            ("2026-10-25T02:00:00.000Z", 4.0),
        ])
    );
}

#[test]
fn half_hour_zones_and_days_that_are_skipped_or_begin_late() {
    let service = with_power(&[
        ("2011-12-30T09:59:59.999", 1.0),
        ("2011-12-30T10:00:00", 2.0),
        ("2018-11-04T02:59:59", 3.0),
        ("2018-11-04T03:00:00", 4.0),
        ("2026-01-05T18:29:59", 5.0),
        ("2026-01-05T18:30:00", 6.0),
    ]);
    // The 30th was left out on Samoa.
    assert_eq!(
        rate(
            &service,
            "2011-12-29",
            "2012-01-01",
            "interval=1d&tz=Pacific/Apia"
        ),
        points([
            ("2011-12-29T10:00:00.000Z", 1.0),
            ("2011-12-30T10:00:00.000Z", 2.0),
        ])
    );
    assert_eq!(
        rate(
            &service,
            "2011-12-30",
            "2011-12-31",
            "interval=1d&tz=Pacific/Apia"
        ),
        points([("2011-12-30T10:00:00.000Z", 2.0)])
    );
    // That Sunday began at one o'clock.
    assert_eq!(
        rate(
            &service,
            "2018-11-03",
            "2018-11-05",
            "interval=1d&tz=America/Sao_Paulo"
        ),
        points([
            ("2018-11-03T03:00:00.000Z", 3.0),
            ("2018-11-04T03:00:00.000Z", 4.0),
        ])
    );
    assert_eq!(
        rate(
            &service,
            "2026-01-05",
            "2026-01-07",
            "interval=1d&tz=Asia/Kolkata"
        ),
        points([
            ("2026-01-04T18:30:00.000Z", 5.0),
            ("2026-01-05T18:30:00.000Z", 6.0),
        ])
    );
    assert_eq!(
        rate(
            &service,
            "2026-01-05",
            "2026-01-07",
            "interval=1h&tz=Asia/Kolkata"
        ),
        points([
            ("2026-01-05T17:30:00.000Z", 5.0),
            ("2026-01-05T18:30:00.000Z", 6.0),
        ])
    );
}

#[test]
fn a_zone_alone_moves_dates_and_nothing_else() {
    let service = with_power(&[
        ("2026-07-01T21:59:59", 1.0),
        ("2026-07-01T22:00:00", 2.0),
        ("2026-07-02T00:00:00", 3.0),
    ]);
    let in_berlin = |start, end| rate(&service, start, end, "tz=Europe/Berlin");
    assert_eq!(
        in_berlin("2026-07-02", "2026-07-03"),
        points([
            ("2026-07-01T22:00:00.000Z", 2.0),
            ("2026-07-02T00:00:00.000Z", 3.0),
        ])
    );
    // A time of day without a zone is UTC, as everywhere.
    assert_eq!(
        in_berlin("2026-07-02T00:00:00", "2026-07-03"),
        points([("2026-07-02T00:00:00.000Z", 3.0)])
    );
}

#[test]
fn net_consumption_takes_local_dates() {
    let service = with_registers(&[
        ("2026-07-01T21:00:00", 1.0),
        ("2026-07-01T22:00:00", 10.0),
        ("2026-07-01T23:00:00", 100.0),
        ("2026-07-02T22:00:00", 1_000.0),
        ("2026-07-02T23:00:00", 10_000.0),
    ]);
    let net = |more: &str| {
        for corrected in ["", "&corrected=1"] {
            let more = format!("{more}{corrected}");
            let answer = ask(
                &service,
                "net_consumption",
                "2026-07-02",
                "2026-07-03",
                &more,
            );
            assert_eq!(points_of(&answer).len(), 1, "{more}");
        }
        points_of(&ask(
            &service,
            "net_consumption",
            "2026-07-02",
            "2026-07-03",
            more,
        ))
    };
    let of_berlin = [("2026-07-02T22:00:00.000Z", 990.0)];
    assert_eq!(net("tz=Europe/Berlin"), points(of_berlin));
    assert_eq!(
        net("tz=UTC"),
        points([("2026-07-02T23:00:00.000Z", 9_900.0)])
    );
    // As the days of the same zone add up to.
    let days = consumption(
        &service,
        "2026-07-02",
        "2026-07-03",
        "interval=1d&tz=Europe/Berlin",
    );
    assert_eq!(days, points([("2026-07-01T22:00:00.000Z", 990.0)]));
}

#[test]
fn means_stay_finite() {
    let service = with_power(&[
        ("2026-01-05T10:00:00", f64::MAX),
        ("2026-01-05T10:00:01", f64::MAX),
        ("2026-01-05T10:00:02", f64::MAX),
        ("2026-01-05T11:00:00", f64::MIN),
        ("2026-01-05T11:00:01", f64::MIN),
        ("2026-01-05T12:00:00", f64::MAX),
        ("2026-01-05T12:00:01", f64::MIN),
        ("2026-01-05T13:00:00", 1e-290),
    ]);
    for _ in 0..2 {
        assert_eq!(
            rate(&service, "2026-01-05", "2026-01-06", "interval=1h"),
            points([
                ("2026-01-05T10:00:00.000Z", f64::MAX),
                ("2026-01-05T11:00:00.000Z", f64::MIN),
                ("2026-01-05T12:00:00.000Z", 0.0),
                ("2026-01-05T13:00:00.000Z", 1e-290),
            ])
        );
        let day = rate(&service, "2026-01-05", "2026-01-06", "interval=1d");
        assert!((day[0].1 / (f64::MAX / 8.0) - 1.0).abs() < 1e-11, "{day:?}");
    }
    let service = with_registers(&[
        ("2026-01-05T10:00:00", f64::MIN),
        ("2026-01-05T11:00:00", f64::MAX),
    ]);
    assert_eq!(
        consumption(&service, "2026-01-05", "2026-01-06", "interval=1d"),
        points([("2026-01-05T00:00:00.000Z", f64::MAX)])
    );
}

#[test]
fn late_and_corrected_readings_count_at_once() {
    // Blocks of an hour; then rows inside of them, on top of them and behind them.
    let service = Service::start_with(|config| config.store.block_readings = 60);
    let begin = at("2026-01-01T00:00:00");
    let minute = |n: i32| begin.saturating_add_millis(i64::from(n) * 60_000);
    let history: Vec<_> = (0..3_000).map(|n| power(minute(n), 100.0)).collect();
    service.import(&history);
    let days = || rate(&service, "2026-01-01", "2026-01-04", "interval=1d&agg=max");
    let [first, second, third] = [
        "2026-01-01T00:00:00.000Z",
        "2026-01-02T00:00:00.000Z",
        "2026-01-03T00:00:00.000Z",
    ];
    assert_eq!(
        days(),
        points([(first, 100.0), (second, 100.0), (third, 100.0)])
    );
    service.accept(&json!({"time": minute(1_500).to_string(), "watts": 200}));
    assert_eq!(
        days(),
        points([(first, 100.0), (second, 200.0), (third, 100.0)])
    );
    service.accept(&json!({"time": "2026-01-02T01:00:30", "watts": 300}));
    service.accept(&json!({"time": "2026-01-03T12:00:00", "watts": 400}));
    assert_eq!(
        days(),
        points([(first, 100.0), (second, 300.0), (third, 400.0)])
    );
    // The correction is corrected: the value before does not come back.
    service.accept(&json!({"time": minute(1_500).to_string(), "watts": 50}));
    service.accept(&json!({"time": "2026-01-02T01:00:30", "watts": 60}));
    assert_eq!(
        days(),
        points([(first, 100.0), (second, 100.0), (third, 400.0)])
    );
}

#[test]
fn wrong_parameters_are_named() {
    let service = Service::start();
    for kind in ["rate", "consumption"] {
        for (more, name) in [
            ("interval=7m", "interval"),
            ("interval=60m", "interval"),
            ("interval=1H", "interval"),
            ("interval=1M", "interval"),
            ("interval=3600", "interval"),
            ("interval=0d", "interval"),
            ("interval=1h&interval=1d", "interval"),
            ("interval=1h&tz=Mars/Olympus", "tz"),
            ("interval=1h&tz=%2B01:00", "tz"),
            ("tz=CEST+2", "tz"),
            ("interval=1h&agg=sum", "agg"),
            ("interval=1h&agg=Mean", "agg"),
            ("agg=mean", "agg"),
        ] {
            let answer = ask(&service, kind, "2026-01-05", "2026-01-06", more);
            answer.assert_problem(400, "invalid_field", name);
        }
    }
    for kind in ["latest_rate", "net_consumption"] {
        let is_net = kind == "net_consumption";
        for (more, name) in [
            ("interval=1d", "interval"),
            (
                if is_net {
                    "tz=Mars"
                } else {
                    "tz=Europe/Berlin"
                },
                "tz",
            ),
            ("agg=max", "agg"),
        ] {
            let answer = ask(&service, kind, "2026-01-05", "2026-01-06", more);
            answer.assert_problem(400, "invalid_field", name);
        }
    }
}

#[test]
fn a_range_may_be_a_moment() {
    let service = with_power(&[("2026-01-05T10:00:00", 5.0)]);
    let moment = "2026-01-05T10:00:00";
    assert_eq!(
        rate(&service, moment, moment, "interval=1d"),
        points([("2026-01-05T00:00:00.000Z", 5.0)])
    );
    assert_eq!(consumption(&service, moment, moment, "interval=1d"), []);
}
