//! Retries of a failing device, or of another source that is asked, and whether they are logged.

use std::time::Duration;

/// The number of failures in a row that are not logged for a device that answered before, because
/// single requests get lost.
const UNTOLD: u32 = 3;

/// The failures of a device in a row.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    failures: u32,
    /// Whether the outage was logged.
    is_told: bool,
    has_answered: bool,
}

impl Outage {
    /// Counts a failure; returns whether it is worth a line in the log.
    pub(crate) const fn failed(&mut self) -> bool {
        self.failures = self.failures.saturating_add(1);
        self.is_told |= !self.has_answered || self.failures >= UNTOLD;
        self.is_told
    }

    /// Ends the outage; returns the number of failures if the outage was logged.
    pub(crate) const fn answered(&mut self) -> Option<u32> {
        let (is_told, failures) = (self.is_told, self.failures);
        *self = Self {
            failures: 0,
            is_told: false,
            has_answered: true,
        };
        if is_told { Some(failures) } else { None }
    }

    /// The time from one poll to the next: after failures twice, four times .. as long, up to
    /// `longest` unless `every` is longer, and up to a quarter more by `chance`, so that devices
    /// behind a switch that was off are not all polled at once.
    pub(crate) fn wait(&self, every: Duration, longest: Duration, chance: u8) -> Duration {
        let doublings = self.failures.saturating_sub(1).min(16);
        let longest = longest.max(every);
        let wait = every.saturating_mul(1 << doublings).min(longest);
        if doublings == 0 {
            return wait;
        }
        wait.saturating_add(wait / 4 * u32::from(chance) / u32::from(u8::MAX))
    }
}

/// Any number; without a source of randomness, always the same.
pub(crate) fn chance() -> u8 {
    let mut byte = [0];
    let _ = getrandom::fill(&mut byte);
    let [byte] = byte;
    byte
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_mins(5);

    #[test]
    fn an_outage_is_told_and_its_end_once() {
        let mut outage = Outage::default();
        // A device that never answered is logged at once, because its settings may be wrong.
        assert!(outage.failed());
        assert!(outage.failed());
        assert_eq!(outage.answered(), Some(2));
        assert_eq!(outage.answered(), None);
        let told = (0..5).map(|_| outage.failed());
        assert_eq!(told.collect::<Vec<_>>(), [false, false, true, true, true]);
        assert_eq!(outage.answered(), Some(5));
    }

    #[test]
    fn a_request_that_gets_lost_is_not_told() {
        let mut outage = Outage::default();
        assert_eq!(outage.answered(), None);
        assert!(!outage.failed());
        assert_eq!(outage.answered(), None);
    }

    #[test]
    fn waits_grow_up_to_the_longest() {
        let mut outage = Outage::default();
        let every = Duration::from_secs(10);
        let (mut waits, mut longer) = (Vec::new(), Vec::new());
        for _ in 0..7 {
            outage.failed();
            waits.push(outage.wait(every, LONGEST, 0).as_secs());
            longer.push(outage.wait(every, LONGEST, u8::MAX).as_secs());
        }
        assert_eq!(waits, [10, 20, 40, 80, 160, 300, 300]);
        assert_eq!(longer, [10, 25, 50, 100, 200, 375, 375]);
        let hour = Duration::from_hours(1);
        assert_eq!(outage.wait(hour, LONGEST, 0), hour);
        outage.answered();
        assert_eq!(outage.wait(every, LONGEST, u8::MAX), every);
        for _ in 0..1_000 {
            outage.failed();
        }
        assert_eq!(outage.wait(every, LONGEST, 0), LONGEST);
    }
}
