//! Restarts of net registers. Home Assistant needs to know them, because such a register may also
//! fall without a restart.
//!
//! The time of a restart must come together with the fall itself, and must stay: at each new time,
//! Home Assistant counts the whole register once more. So it is derived from the readings as
//! uploaded, regardless of later corrections.

use crate::domain::{Meter, MicroWh, Register, Sensor, Sign, Timestamp};
use crate::ledger::{Event, EventKind, Facts};
use crate::query::ledger_events;
use crate::store::Store;

/// The number of events that are examined together, which bounds the memory.
const MOST_EVENTS: usize = 1_000;

/// The last restart of a sensor's register, after it went from one reading to another; `None` if it
/// never restarted. `known` is the last restart as of the previous reading; without a previous
/// reading, all of history is examined. A failed read is logged by the store, and finds nothing.
/// May block on disk reads.
pub(super) fn last_reset(
    store: &Store,
    sensor: &Sensor,
    known: Option<Timestamp>,
    (before, now): (Option<Register>, Register),
) -> Option<Timestamp> {
    match before {
        None => newest_fall(store, sensor, Timestamp::MIN),
        Some(before) if has_fallen(sensor, before, now) => {
            known.max(newest_fall(store, sensor, before.time))
        }
        Some(_) => known,
    }
}

/// Whether a register fell by more than can have been exported.
fn has_fallen(sensor: &Sensor, before: Register, now: Register) -> bool {
    let [before_energy, energy] =
        [before, now].map(|register| MicroWh::from_watthours(register.watthours));
    let apart_ms = now.time.millis() - before.time.millis();
    energy < before_energy && !sensor.meter.limit.allows(before_energy - energy, apart_ms)
}

/// The newest of such falls since `from`.
fn newest_fall(store: &Store, sensor: &Sensor, mut from: Timestamp) -> Option<Timestamp> {
    // Registers are published with their own sign.
    let meter = Meter {
        register_sign: Sign::AsIs,
        ..sensor.meter
    };
    // Includes falls that turned out to be dips, because they were published too.
    let is_fall = |event: &Event| {
        matches!(event.kind, EventKind::Jump | EventKind::Dip) && event.after < event.before
    };
    let mut newest = None;
    loop {
        let (known, range) = ((meter, Facts::default()), from..Timestamp::MAX);
        let events = ledger_events(store, &sensor.id, known, range, (is_fall, MOST_EVENTS));
        let events = events.unwrap_or_default();
        newest = newest.max(events.last().map(|event| event.time));
        let Some(last) = events.last().filter(|_| events.len() == MOST_EVENTS) else {
            return newest;
        };
        from = last.time.saturating_add_millis(1);
    }
}
