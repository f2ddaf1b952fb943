//! When a net register began anew. Home Assistant needs that, as such a register may also fall without it.
//!
//! It has to come with the fall itself, and to stay: at each new time, Home Assistant counts the whole register once more. So only the
//! readings say it, as they came, whatever people know better about them later.

use crate::domain::{Meter, MicroWh, Register, Sensor, Sign, Timestamp};
use crate::ledger::{Event, EventKind, Facts};
use crate::query::ledger_events;
use crate::store::Store;

/// So many events are looked at together: a bound for the memory.
const MOST_EVENTS: usize = 1_000;

/// When the register of a sensor began anew last, after it went from one reading to another; `None` if it never did. `known` is when it
/// had at the reading before; without that reading all of history is looked at. A failed read is logged by the store, and finds nothing.
/// Blocks.
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

/// Whether a register fell by more than can have been fed back.
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
    // Also those that turned out to be dips: they were published, too.
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
