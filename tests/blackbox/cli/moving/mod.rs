//! `wattkeeper import` of data from other systems: made as those make it, imported by the command,
//! and compared value by value with what went in.

mod day_columns;
mod emoncms;
mod grid_operators;
mod home_assistant;
mod layouts;
mod left_out;
mod line_protocol;
mod meanings;
mod metrics;
pub(super) mod programs;
mod recommended;
mod recorder;
mod remote;
mod suppliers;
mod tables;
mod workbooks;

use serde_json::Value;

use crate::place::Place;

/// A reading: its time without the milliseconds that are zero, power, register.
type Row = (String, Option<f64>, Option<f64>);

/// All readings of a sensor.
fn stored(place: &Place, sensor: &str) -> Vec<Row> {
    let text = place.ok(&["export", "--sensor", sensor, "--format", "ndjson"]);
    let rows = text.lines().map(|line| {
        let row: Value = serde_json::from_str(line).unwrap();
        let time = row["time"].as_str().unwrap();
        let time = time.replace(".000Z", "Z");
        (time, row["watts"].as_f64(), row["watthours"].as_f64())
    });
    rows.collect()
}

fn row(time: &str, watts: impl Into<Option<f64>>, watthours: impl Into<Option<f64>>) -> Row {
    (time.to_owned(), watts.into(), watthours.into())
}

/// What `import` prints as JSON, without the time that it took.
fn import(place: &Place, arguments: &[&str]) -> Value {
    let run = place.run(&[&["--json", "import"], arguments].concat());
    let mut outcome = run.json();
    if let Some(outcome) = outcome.as_object_mut() {
        outcome.remove("seconds");
    }
    outcome
}

fn error(place: &Place, arguments: &[&str]) -> String {
    place.error(&[&["import"], arguments].concat())
}
