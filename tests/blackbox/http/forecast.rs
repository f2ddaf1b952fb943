//! `GET /forecast`.

use serde_json::{Value, json};
use wattkeeper::{Plan, Scope};

use crate::pages::dashboard::live_in;
use crate::support::{HOUR, Service, at, basic, house_basic, key_of, register, request};

/// A house in UTC that pays half a euro, with a register each hour, and nights that draw less; since
/// 1 January 2025. Now it is 15 June 2026, noon.
pub(crate) fn year_and_a_half() -> Service {
    let service = Service::start();
    live_in(&service, "UTC", Some("0.5"));
    let (begin, now) = (at("2025-01-01T00:00:00"), at("2026-06-15T12:00:00"));
    service.clock.set(now);
    let hours = (now.millis() - begin.millis()) / HOUR;
    let mut total = 0;
    let registers = (0..=hours).map(|hour| {
        let reading = register(begin.saturating_add_millis(hour * HOUR), f64::from(total));
        // Each day of 32 draws a bit more than the one before it.
        let day = i32::try_from(hour / 24 % 32).unwrap();
        total += if hour % 24 < 6 { 100 } else { 400 + day * 5 };
        reading
    });
    service.import(&registers.collect::<Vec<_>>());
    service
}

pub(crate) fn by_api(service: &Service) -> Value {
    let headers = [("Authorization", &*house_basic())];
    let answer = service.send(&request("GET", "/api/v0.2/forecast", &headers, b""));
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.head.header("cache-control"), Some("no-store"));
    answer.json()
}

#[test]
fn a_forecast_has_the_month_and_the_year() {
    let service = year_and_a_half();
    let found = by_api(&service);
    assert_eq!(found["reason"], Value::Null);
    // Last year is known for half a year only: no other method can have proved to be nearer.
    assert_eq!(
        (
            &found["method"],
            &found["method_reason"],
            &found["has_last_year"]
        ),
        (
            &json!("last-days-and-last-year"),
            &json!("untested"),
            &json!(true)
        )
    );
    assert_eq!(found["known_until"], "2026-06-15T12:00:00.000Z");
    assert_eq!(
        (&found["known_days"], &found["missing"], &found["estimated"]),
        (&json!(56), &json!(0.0), &json!(0.0))
    );
    let periods = found["periods"].as_array().unwrap();
    let ends = periods
        .iter()
        .map(|it| [&it["period"], &it["from"], &it["to"]]);
    assert_eq!(
        ends.collect::<Vec<_>>(),
        [
            [
                "month",
                "2026-06-01T00:00:00.000Z",
                "2026-07-01T00:00:00.000Z"
            ],
            [
                "year",
                "2026-01-01T00:00:00.000Z",
                "2027-01-01T00:00:00.000Z"
            ]
        ]
    );
    for period in periods {
        its_period_adds_up(&service, period);
    }
}

fn its_period_adds_up(service: &Service, period: &Value) {
    {
        let value = |name: &str, end: &str| {
            let value = &period[name][end];
            let text = value.as_str().map(|text| text.parse().unwrap());
            text.or(value.as_f64()).unwrap()
        };
        for name in ["imported", "cost", "total"] {
            let [so_far, low, likely, high] =
                ["so_far", "low", "likely", "high"].map(|end| value(name, end));
            assert!(so_far < low && low <= likely && likely <= high, "{period}");
            // At half a euro.
            let energy = value("imported", "likely") / 1_000.0;
            assert!(
                name == "imported" || (likely - energy * 0.5).abs() < 0.01,
                "{period}"
            );
        }
        // So far it is the statement.
        let range = format!(
            "start_time={}&end_time=2026-06-15T12:00:00Z",
            period["from"].as_str().unwrap()
        );
        let statement = crate::http::house_energy::statement(service, &range).json();
        let total: f64 = statement["total"].as_str().unwrap().parse().unwrap();
        assert!(
            (value("total", "so_far") - total).abs() < 0.01,
            "{statement}"
        );
        assert_eq!(period["exported"]["high"], 0.0);
        assert_eq!(
            (&period["used"], &period["paid"], &period["balance"]),
            (&Value::Null, &Value::Null, &Value::Null)
        );
    }
}

#[test]
fn the_back_test_names_each_method() {
    let service = year_and_a_half();
    let tested = &by_api(&service)["tested"];
    let months = tested["months"].as_array().unwrap();
    assert_eq!(months.len(), 12);
    // Those of 2025 have no year before them.
    let of_year = |year: &str, method: &str| {
        let of_year = months
            .iter()
            .filter(|it| it["month"].as_str().unwrap().starts_with(year));
        of_year.filter(|it| it["method"] == method).count()
    };
    assert_eq!(of_year("2025", "last-days"), 7);
    assert_eq!(of_year("2026", "last-days-and-last-year"), 5);
    let within = months.iter().filter(|it| it["within"] == true).count();
    assert_eq!(tested["within"], within);
    let methods = tested["methods"].as_array().unwrap();
    let months_of = |method: &str| {
        let found = methods.iter().find(|it| it["method"] == method).unwrap();
        found["tested"].as_u64().unwrap()
    };
    assert_eq!(methods.len(), 8);
    assert_eq!(
        (months_of("last-days"), months_of("month-so-far")),
        (12, 12)
    );
    assert_eq!(
        (months_of("last-year"), months_of("last-year-scaled")),
        (5, 4)
    );
    for errors in methods.iter().chain([&tested["errors"]]) {
        let [median, most] = ["median_error", "p90_error"].map(|it| errors[it].as_f64().unwrap());
        assert!(0.0 < median && median <= most && most < 0.5, "{errors}");
    }
}

#[test]
fn an_account_gets_its_own_forecast() {
    let service = year_and_a_half();
    service.add_account("shop", Plan::Paid);
    service.add_key("shop", "shop-id", Scope::Read);
    let key = basic("shop-id", &key_of("shop-id"));
    let ask = |headers: &[(&str, &str)]| {
        service.send(&request("GET", "/api/v0.2/forecast", headers, b""))
    };
    let found = ask(&[("Authorization", &key)]).json();
    assert_eq!(
        (&found["account"], &found["reason"], &found["periods"]),
        (&json!("shop"), &json!("no-grid"), &json!([]))
    );
    let wrong = basic("shop-id", &key_of("house-id"));
    assert_eq!(ask(&[("Authorization", &wrong)]).status(), 401);
    service.add_key("shop", "writer", Scope::Write);
    let writer = basic("writer", &key_of("writer"));
    assert_eq!(ask(&[("Authorization", &writer)]).status(), 403);
}
