//! The moments of local times. Most rows of a file follow each other: the zone is asked for few of them.

use std::cell::Cell;

use super::DAY_MS;
use crate::domain::{LocalTime, Timestamp, Zone};

/// The local times around the last one that the zone was asked about.
#[derive(Clone, Debug, Default)]
pub(super) struct SteadyClock(Cell<Option<SteadySpan>>);

/// Local times between two changes of a zone's clocks, a day away from each.
#[derive(Clone, Copy, Debug)]
struct SteadySpan {
    from: Timestamp,
    /// Exclusive.
    to: Timestamp,
    /// How far the clocks are ahead of UTC.
    ahead_ms: i64,
}

impl SteadyClock {
    /// The moments of a local time in `zone`, which is always the same one.
    pub(super) fn local(&self, zone: &Zone, local: Timestamp) -> LocalTime {
        let known = self.0.get();
        if let Some(known) = known.filter(|it| (it.from..it.to).contains(&local)) {
            return LocalTime::Once(local.saturating_add_millis(-known.ahead_ms));
        }
        let found = zone.local(local);
        if let LocalTime::Once(time) = found {
            let period = zone.period_at(time);
            self.0.set(Some(SteadySpan {
                from: period.start.saturating_add_millis(period.ahead_ms + DAY_MS),
                to: period.last.saturating_add_millis(period.ahead_ms - DAY_MS),
                ahead_ms: period.ahead_ms,
            }));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_answers_as_the_zone() {
        for name in [
            "Europe/Berlin",
            "Australia/Lord_Howe",
            "Pacific/Apia",
            "UTC",
        ] {
            let (zone, clock) = (Zone::parse(name).unwrap(), SteadyClock::default());
            let start = Timestamp::parse("2011-06-01T00:00:00Z").unwrap();
            // Also back and forth, as in files with the newest row first.
            for half_hour in (0..2 * 24 * 900).chain((0..2 * 24 * 900).rev().step_by(7)) {
                let local = start.saturating_add_millis(half_hour * 1_800_000);
                assert_eq!(
                    clock.local(&zone, local),
                    zone.local(local),
                    "{name} {local}"
                );
            }
        }
    }
}
