//! The values of a chart, as numbers for scripts.

use crate::domain::Timestamp;

/// `{"t0":ms,"dt":[ms,..],..}` and the `columns`, which have a number for each of `times`. The
/// first time is `t0` plus the first `dt`; each other time is the previous one plus its `dt`.
pub(super) fn points_json(
    t0: Timestamp,
    times: impl Iterator<Item = Timestamp>,
    columns: impl IntoIterator<Item = (&'static str, serde_json::Value)>,
) -> String {
    let mut before = t0;
    let since_before = |time: Timestamp| {
        let before = std::mem::replace(&mut before, time);
        time.millis() - before.millis()
    };
    // Differences are short, and most are equal, so they compress well.
    let deltas: Vec<i64> = times.map(since_before).collect();
    let mut json = serde_json::Map::new();
    json.insert("t0".into(), t0.millis().into());
    json.insert("dt".into(), deltas.into());
    json.extend(
        columns
            .into_iter()
            .map(|(name, values)| (name.into(), values)),
    );
    serde_json::Value::Object(json).to_string()
}

/// Numbers to a tenth: more digits are not visible.
pub(super) fn tenths(numbers: impl Iterator<Item = f64>) -> serde_json::Value {
    let tenth = |number: f64| {
        let tenth = (number * 10.0).round() / 10.0;
        // Ten times a number near the limits of `f64` is infinite, which JSON cannot hold.
        if tenth.is_finite() { tenth } else { number }
    };
    numbers.map(tenth).collect::<Vec<f64>>().into()
}
