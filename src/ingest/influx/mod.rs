//! InfluxDB's line protocol: from the bytes of a body to readings of sensors. Requests, credentials
//! and answers are in `http::protocols::influx`.
//!
//! - `problem`: errors of a line
//! - `value`: the values of fields
//! - `line`: the lines of a body
//! - `precision`: the units of timestamps
//! - `mapping`: the sensor and measure of a field
//! - `read`: the readings of a body

mod line;
mod mapping;
mod precision;
mod problem;
mod read;
mod value;

pub use self::line::{InfluxLine, lines};
pub use self::mapping::{FieldMapping, FieldRule};
pub use self::precision::{Precision, UnknownPrecision};
pub use self::read::{Ignored, LineReadings, UnmappedField, read};
pub use self::value::FieldValue;

/// Checks that any body has at most as many readings as bytes, each finite.
///
/// # Panics
/// If a check fails.
#[cfg(any(test, fuzzing))]
pub fn fuzz(body: &[u8]) {
    let mapping = FieldMapping {
        sensor_tags: vec!["sensor".into()],
        watts_fields: vec!["w".into()],
        watthours_fields: vec!["h".into()],
        rules: Vec::new(),
    };
    let Ok(read) = read(body, Some(Precision::Seconds), &mapping, usize::MAX) else {
        return;
    };
    let count: usize = read
        .batch
        .readings()
        .map(|(_, readings)| readings.len())
        .sum();
    assert!(count + read.refused.count() <= body.len());
    for (_, readings) in read.batch.readings() {
        for reading in readings {
            let (watts, watthours) = (reading.measures.watts(), reading.measures.watthours());
            assert!(watts.into_iter().chain(watthours).all(f64::is_finite));
        }
    }
}
