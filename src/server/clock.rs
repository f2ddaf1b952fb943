//! The clocks of the machine.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

pub use crate::domain::clock::Clock;
use crate::domain::{Moment, Timestamp};

/// The clocks of the machine.
#[must_use]
pub fn system_clock() -> Clock {
    let started = Instant::now();
    Arc::new(move || {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that the server reads the clock"
        )]
        let now = SystemTime::now();
        // 1970. `Timestamp::from_millis` returns an `Option`, even for 0.
        let epoch = Timestamp::MIN.saturating_add_millis(-Timestamp::MIN.millis());
        let time = match now.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => epoch.saturating_add(after),
            Err(before) => epoch.saturating_sub(before.duration()),
        };
        // `Instant` does not move when the clock is set, which is how `ClockWatch` notices a jump.
        let elapsed = started.elapsed();
        Moment { time, elapsed }
    })
}
