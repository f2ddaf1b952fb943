//! Prices that are fetched: today first, then years in steps; gaps, differences.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use wattkeeper::{MS_PER_DAY, Timestamp, system_clock};

use super::market::{asked, await_prices, hours, house, market, price, row, section, url};
use crate::mqtt::house::eventually;
use crate::place::Place;
use crate::poll::device::{Device, ok, status};
use crate::poll::house::metrics;
use crate::support::{HOUR, at};

fn now_ms() -> i64 {
    system_clock()().time.millis()
}

/// The date this many days ago.
fn days_ago(days: i64) -> String {
    let time = Timestamp::from_millis(now_ms() - days * MS_PER_DAY).unwrap();
    time.to_string()[..10].to_owned()
}

/// The prices of a series: the hour of each, and its price in EUR per kWh.
fn prices(place: &Place, series: &str) -> Vec<(i64, String)> {
    let text = place.ok(&["prices", "export", series]);
    let rows = text.lines().skip(1).filter_map(|line| {
        let (time, price) = line.split_once(',').unwrap();
        let hour = at(time).millis() / HOUR;
        (!price.is_empty()).then(|| (hour, price.to_owned()))
    });
    rows.collect()
}

#[track_caller]
fn check_prices(prices: &[(i64, String)]) {
    for (hour, text) in prices {
        let number: f64 = text.parse().unwrap();
        assert!(
            (number - price(*hour) / 1_000.0).abs() < 1e-9,
            "{hour} {text}"
        );
    }
}

/// Waits until a series begins with `since` and lacks this many hours.
#[track_caller]
fn await_all(place: &Place, since: &str, missing: i64) -> Value {
    eventually("all prices", || {
        let row = row(place, "spot")?;
        let [first, end] = ["first", "end"].map(|name| at(row[name].as_str().unwrap()).millis());
        let hours = (end - first) / HOUR - row["prices"].as_i64().unwrap();
        let is_all = first <= at(&format!("{since}T00:00:00Z")).millis() && hours == missing;
        is_all.then_some(row)
    })
}

#[test]
fn years_are_fetched_in_steps_and_go_on_after_a_restart() {
    // It is busy after today and two steps, until the restart.
    let (answered, is_free) = (
        Arc::<Mutex<Vec<(i64, i64)>>>::default(),
        Arc::new(AtomicBool::new(false)),
    );
    let (noted, free) = (Arc::clone(&answered), Arc::clone(&is_free));
    let source = Device::start(move |head| {
        let mut noted = noted.lock().unwrap();
        if noted.len() >= 3 && !free.load(Ordering::SeqCst) {
            return status("503 Service Unavailable", "", "");
        }
        noted.push(asked(head));
        ok(&hours(asked(head), |_| true))
    });
    let since = days_ago(40);
    let further = format!("since = \"{since}\"\nmost_days = 5\npause_seconds = 1");
    let place = house(&[section(&url(&source), "spot", &further)]);
    let begun = now_ms();
    let serving = place.serve(&[]);
    eventually("a busy answer", || {
        (source.requests().len() >= 4).then_some(())
    });
    drop(serving.stop());
    let before = row(&place, "spot").unwrap();
    assert!(before["prices"].as_u64().unwrap() >= 10 * 24, "{before}");
    is_free.store(true, Ordering::SeqCst);
    let serving = place.serve(&[]);
    await_all(&place, &since, 0);
    check_prices(&prices(&place, "spot"));
    let ranges = answered.lock().unwrap().clone();
    // Today comes first, and no day is asked for twice.
    assert!(ranges[0].1 > begun, "{ranges:?}");
    let starts: BTreeSet<i64> = ranges.iter().map(|(from, _)| *from).collect();
    assert_eq!(starts.len(), ranges.len(), "{ranges:?}");
    assert!(
        ranges
            .iter()
            .all(|(from, to)| to - from <= 5 * MS_PER_DAY + HOUR)
    );
    let metrics = metrics(&serving);
    let name = "wattkeeper_price_source_answers_total{account=\"\",series=\"spot\"}";
    assert!(metrics.contains(name), "{metrics}");
    drop(serving.stop());
}

#[test]
fn a_gap_stays_a_gap_and_is_asked_for_once() {
    let gap = now_ms() / HOUR - 24 * 5;
    let source = Device::start(move |head| ok(&hours(asked(head), |hour| hour != gap)));
    let since = days_ago(8);
    let further = format!("since = \"{since}\"\nmost_days = 3\npause_seconds = 1");
    let place = house(&[section(&url(&source), "spot", &further)]);
    let serving = place.serve(&[]);
    await_all(&place, &since, 1);
    thread::sleep(Duration::from_secs(3));
    let starts = source
        .requests()
        .iter()
        .map(|(_, head)| asked(head).0)
        .collect::<Vec<_>>();
    let distinct: BTreeSet<i64> = starts.iter().copied().collect();
    assert_eq!(distinct.len(), starts.len(), "{starts:?}");
    assert!(!prices(&place, "spot").iter().any(|(hour, _)| *hour == gap));
    let log = serving.stop();
    assert!(!log.contains("prices: nothing from"), "{log}");
}

#[test]
fn what_is_stored_stays_and_a_difference_is_told() {
    let source = market();
    let place = house(&[section(&url(&source), "spot", "")]);
    // This hour, with another price, and the next one with the source's.
    let hour = now_ms() / HOUR;
    let table = format!(
        "time,price\n{},9\n{},\n",
        Timestamp::from_millis(hour * HOUR).unwrap(),
        Timestamp::from_millis((hour + 1) * HOUR).unwrap(),
    );
    let file = place.file("own.csv", table.as_bytes());
    place.ok(&[
        "prices",
        "import",
        &file,
        "--series",
        "spot",
        "--account",
        "home",
    ]);
    let serving = place.serve(&[]);
    await_prices(&place, "spot", |count| count >= 23);
    let stored = prices(&place, "spot");
    let own: Vec<_> = stored.iter().filter(|(own, _)| *own == hour).collect();
    assert_eq!(own, [&(hour, "9".to_owned())]);
    let others: Vec<_> = stored
        .iter()
        .filter(|(own, _)| *own != hour)
        .cloned()
        .collect();
    check_prices(&others);
    serving.wait_for("prices: 1 of aWATTar (Austria) differ from those stored in spot");
    drop(serving.stop());
}

#[test]
fn without_a_source_nobody_is_asked() {
    let source = market();
    let place = house(&[]);
    let serving = place.serve(&[]);
    eventually("an answer", || {
        metrics(&serving)
            .contains("wattkeeper_build_info")
            .then_some(())
    });
    drop(serving.stop());
    assert!(source.requests().is_empty());
}
