//! The time of a meter change: the restart of its register, near the time that people enter.

use crate::admin::error::{AdminError, wrong};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{MeterKind, Sensor, Timestamp};
use crate::ledger::{Correction, Event, Fact, MeterChange};
use crate::query::{good_register, ledger_events};
use crate::store::{Store, StoreError};

/// The largest error of an entered time, in days.
const DAYS_LATE: i64 = 31;
const DAYS_EARLY: i64 = 1;
/// The most restarts that are examined.
const MOST_BEGINNINGS: usize = 1_000;
/// A register that restarts more often in those days is a daily one, or that of a restarting
/// device.
const MOST_PROPOSED: usize = 3;

/// Returns the correction; a meter change moves to the restart of the register that it explains.
pub(super) fn placed(
    store: &Store,
    sensor: &Sensor,
    correction: Correction,
) -> Result<Correction, StoreError> {
    let &Fact::MeterChanged(at, change) = correction.fact() else {
        return Ok(correction);
    };
    let explained = |event: &Event| change.explains(&sensor.meter, event);
    let found = new_beginnings(store, sensor, at, (explained, MOST_BEGINNINGS))?;
    let off = |event: &Event| {
        let early_ms = event.since.millis() + 1 - at.millis();
        early_ms.max(at.millis() - event.time.millis()).max(0)
    };
    let nearest = found.into_iter().min_by_key(off);
    let wanted = nearest.filter(|event| off(event) > 0);
    Ok(match wanted {
        Some(event) => correction.changed_at(event.middle()),
        None => correction,
    })
}

/// Returns the newest restart of a sensor's register before `now`, if restarts are rare. Blocks on
/// the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub(crate) fn new_beginning(
    store: &Store,
    sensor: &Sensor,
    now: Timestamp,
) -> Result<Option<Event>, StoreError> {
    let most = MOST_PROPOSED + 1;
    let found = new_beginnings(store, sensor, now, (Event::is_new_beginning, most))?;
    let is_rare = found.len() <= MOST_PROPOSED;
    Ok(found.into_iter().next_back().filter(|_| is_rare))
}

fn new_beginnings(
    store: &Store,
    sensor: &Sensor,
    at: Timestamp,
    (is_asked, most): (impl Fn(&Event) -> bool, usize),
) -> Result<Vec<Event>, StoreError> {
    let [from, to] =
        [-DAYS_LATE, DAYS_EARLY].map(|days| at.saturating_add_millis(days * MS_PER_DAY));
    let metered = store.registry().metered(sensor);
    ledger_events(store, &sensor.id, metered, from..to, (is_asked, most))
}

/// Refuses a change before the first register, and an end below a counter's register.
pub(super) fn check_change(
    store: &Store,
    sensor: &Sensor,
    at: Timestamp,
    change: MeterChange,
) -> Result<(), AdminError> {
    let metered = store.registry().metered(sensor);
    let Some((time, shown)) = good_register(store, &sensor.id, metered, at)? else {
        let problem = "the sensor has no register before";
        let problem = format!("{problem} {at}; expected a time after its first one");
        return Err(wrong("at", problem, None));
    };
    let meter = &sensor.meter;
    let is_counter = meter.kind == MeterKind::Counter;
    if is_counter && meter.signed(change.old_end) < meter.signed(shown) {
        let bound = if meter.register_sign.is_inverted() {
            "most"
        } else {
            "least"
        };
        let problem = format!(
            "expected at {bound} {} Wh, the register at {time}; got {} Wh",
            shown.watthours(),
            change.old_end.watthours()
        );
        return Err(wrong("old_end", problem, None));
    }
    Ok(())
}
