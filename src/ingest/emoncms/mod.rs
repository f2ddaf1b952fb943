//! Readings as sent by Emoncms' clients: `input/post` and `input/bulk`, according to [its
//! source](https://github.com/emoncms/emoncms/blob/master/Modules/input/input_methods.php).
//! Requests and answers are in `http::protocols::emoncms`.
//!
//! Emoncms takes a value that is not a number for 0. Here it is left out, because the meter never
//! measured 0.
//!
//! - `input`: the values of inputs
//! - `mapping`: the sensor and measure of an input
//! - `read`: the readings of a request
//! - `post`: one node at one time
//! - `bulk`: several nodes, each at its time

mod bulk;
mod input;
mod mapping;
mod post;
mod read;

pub use self::bulk::{Reference, read_bulk};
pub use self::mapping::{InputMapping, InputRule, KnownInput};
pub use self::post::{InputFormat, read_post};
pub use self::read::{FormatError, InputReadings, seconds, time};

/// Parses any request, in any form, for fuzzing.
#[cfg(any(test, fuzzing))]
pub fn fuzz(bytes: &[u8]) {
    use crate::domain::Timestamp;

    let text = &*String::from_utf8_lossy(bytes);
    let mapping = InputMapping {
        watts_inputs: vec!["power".into(), "1".into()],
        watthours_inputs: vec!["energy".into()],
        ..InputMapping::default()
    };
    let now = Timestamp::from_millis(1_767_607_200_000).unwrap_or(Timestamp::MIN);
    for form in [InputFormat::Pairs(text), InputFormat::Object(text)] {
        drop(read_post(form, "house", None, &mapping));
    }
    drop(read_post(
        InputFormat::Pairs("power:1"),
        text,
        Some(text),
        &mapping,
    ));
    for reference in [Reference::LastItem, Reference::SentAt(9.0)] {
        drop(read_bulk(text, reference, now, &mapping, 100));
    }
    drop(seconds(text));
    drop(time(text));
}
