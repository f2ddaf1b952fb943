//! A market on loopback, in the form of aWATTar: an hour costs as much as its number since 1970 says.

use serde_json::{Value, json};

use crate::mqtt::house::eventually;
use crate::place::Place;
use crate::poll::device::{Device, ok};
use crate::support::HOUR;

/// The value of a parameter in the first line of a request, with its escapes.
pub(crate) fn parameter(head: &str, name: &str) -> String {
    let line = head.lines().next().unwrap();
    let address = line.split(' ').nth(1).unwrap();
    let query = address.split_once('?').unwrap().1;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let found = pairs.find(|(own, _)| *own == name);
    let value = found.unwrap_or_else(|| panic!("no {name} in {line}")).1;
    value.replace("%3A", ":").replace("%2B", "+")
}

/// The range of a request, in milliseconds.
pub(crate) fn asked(head: &str) -> (i64, i64) {
    let [from, to] = ["start", "end"].map(|name| parameter(head, name).parse().unwrap());
    (from, to)
}

/// The price of an hour, in euros per megawatt-hour.
pub(crate) fn price(hour: i64) -> f64 {
    let number = i32::try_from(hour.rem_euclid(1_000)).unwrap();
    f64::from(number - 100) / 4.0
}

/// The answer for the hours of a range that `is_there` has.
pub(crate) fn hours((from, to): (i64, i64), is_there: impl Fn(i64) -> bool) -> String {
    let hours = (from.div_euclid(HOUR)..to.div_euclid(HOUR)).filter(|hour| is_there(*hour));
    let entry = |hour: i64| {
        json!({
            "start_timestamp": hour * HOUR, "end_timestamp": (hour + 1) * HOUR,
            "marketprice": price(hour), "unit": "Eur/MWh",
        })
    };
    let entries: Vec<Value> = hours.map(entry).collect();
    json!({"object": "list", "data": entries, "url": "/at/v1/marketdata"}).to_string()
}

/// A market with all hours.
pub(crate) fn market() -> Device {
    Device::start(|head| ok(&hours(asked(head), |_| true)))
}

/// The section of a source in the form of aWATTar at this address, with further lines.
pub(crate) fn section(address: &str, series: &str, further: &str) -> String {
    format!(
        "[[price_source]]\nsource = \"awattar-at\"\nurl = \"{address}/v1/marketdata?start={{from}}&end={{to}}\"\nallow_private = true\n\
         series = \"{series}\"\n{further}\n"
    )
}

/// The address of a source.
pub(crate) fn url(source: &Device) -> String {
    format!("http://{}", source.address)
}

/// A place with an account and these sections.
pub(crate) fn house(sections: &[String]) -> Place {
    let place = empty(sections);
    place.ok(&["account", "add", "home", "--tz", "Europe/Vienna"]);
    place
}

/// A place with these sections.
pub(crate) fn empty(sections: &[String]) -> Place {
    let place = Place::new();
    place.file("config.toml", sections.concat().as_bytes());
    place
}

/// The list of series, by `wattkeeper prices list`.
pub(crate) fn list(place: &Place) -> Vec<Value> {
    place.json(&["prices", "list"]).as_array().unwrap().clone()
}

/// The row of a series in the list.
pub(crate) fn row(place: &Place, series: &str) -> Option<Value> {
    list(place).into_iter().find(|row| row["series"] == series)
}

/// Waits until a series has this many prices.
#[track_caller]
pub(crate) fn await_prices(place: &Place, series: &str, is_enough: impl Fn(u64) -> bool) -> Value {
    eventually(&format!("prices of {series}"), || {
        row(place, series).filter(|row| is_enough(row["prices"].as_u64().unwrap()))
    })
}
