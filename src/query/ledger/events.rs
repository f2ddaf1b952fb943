//! The events of a sensor alone.

use std::mem;
use std::ops::Range;

use super::entries::Entries;
use crate::domain::{Meter, SensorId, Timestamp};
use crate::ledger::{Entry, Event, Facts};
use crate::store::{Store, StoreError};

/// The first events of a sensor in a range, in time order: at most so many. `facts` are those in
/// effect; `is_asked` says which events matter. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn ledger_events(
    store: &Store,
    sensor: &SensorId,
    (meter, mut facts): (Meter, Facts),
    range: Range<Timestamp>,
    (is_asked, most): (impl Fn(&Event) -> bool, usize),
) -> Result<Vec<Event>, StoreError> {
    // Known energies change no event of the readings.
    drop(mem::take(&mut facts.energies));
    let by_register = store.first_register(sensor)?.is_some();
    let mut entries = Entries::new(store, sensor, (meter, facts), (range, by_register))?;
    let mut events = Vec::new();
    while events.len() < most {
        let mut sink = |entry| match entry {
            Entry::Event(event) if is_asked(&event) => events.push(event),
            Entry::Event(_) | Entry::Stretch(_) => {}
        };
        if !entries.next_piece(|_| Timestamp::MAX, &mut sink)? {
            break;
        }
    }
    // One piece of readings may have had more.
    events.truncate(most);
    Ok(events)
}
