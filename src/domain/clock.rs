//! The time of day and the elapsed time, and detection of a temporarily wrong time of day.

use std::sync::Arc;
use std::time::Duration;

use super::time::Timestamp;

/// Clocks that differ by at most this much agree: time servers make smaller steps.
pub const AGREE_WITHIN: Duration = Duration::from_mins(1);
/// Two clocks drift apart by less than the time divided by this; a quartz is ten times better.
const DRIFT_AT_MOST: u32 = 1_000;

/// Both clocks at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The time of day. It can be set, so it can jump, forward or back.
    pub time: Timestamp,
    /// The time since some fixed moment of this run. It cannot be set.
    pub elapsed: Duration,
}

/// Reads both clocks; tests set them.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;

impl Moment {
    /// The time of day at `elapsed`, if the clock was right at this moment.
    fn predicts(self, elapsed: Duration) -> Timestamp {
        self.time
            .saturating_add(elapsed.saturating_sub(self.elapsed))
    }
}

/// Notices when a clock that jumped ahead returns to where it would be without the jump: it was
/// wrong and is right again. A clock that is set for the first time does not look like that.
#[derive(Debug, Default)]
pub struct ClockWatch {
    last: Option<Moment>,
    /// The moment before the last jump ahead.
    before_jump: Option<Moment>,
}

impl ClockWatch {
    /// Observes the clocks; returns whether the time is as it would be without the last jump ahead.
    pub fn is_back(&mut self, now: Moment) -> bool {
        let last = self.last.replace(now);
        // First, because a clock may return through a time that is too early, and jump ahead from
        // there to the right time.
        if self.is_as_before_the_jump(now) {
            // Counted from the old moment, the tolerance for drift would grow by nine hours a year.
            self.before_jump = Some(now);
            return true;
        }
        let is_jump =
            |last: &Moment| now.time > last.predicts(now.elapsed).saturating_add(AGREE_WITHIN);
        if let Some(last) = last.filter(is_jump) {
            // Only the last jump is remembered: after two, a return to before the first does not
            // count.
            self.before_jump = Some(last);
        }
        false
    }

    fn is_as_before_the_jump(&self, now: Moment) -> bool {
        self.before_jump.is_some_and(|before| {
            let predicted = before.predicts(now.elapsed);
            let since = now.elapsed.saturating_sub(before.elapsed);
            let tolerance = AGREE_WITHIN.saturating_add(since / DRIFT_AT_MOST);
            predicted.saturating_sub(tolerance) <= now.time
                && now.time <= predicted.saturating_add(tolerance)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600;
    const YEAR: i64 = 365 * 24 * HOUR;

    /// The watch's last answer for clocks with these times at these elapsed times, in seconds.
    fn last_of(moments: &[(i64, u64)]) -> bool {
        let mut watch = ClockWatch::default();
        let mut is_back = false;
        for &(time, elapsed) in moments {
            is_back = watch.is_back(Moment {
                time: Timestamp::from_millis(1_700_000_000_000 + time * 1_000).unwrap(),
                elapsed: Duration::from_secs(elapsed),
            });
        }
        is_back
    }

    #[test]
    fn a_clock_that_ran_ahead_comes_back() {
        let ahead = [(0, 0), (3 * HOUR, 10), (3 * HOUR + 600, 610)];
        assert!(!last_of(&ahead));
        let back = |time| [&ahead[..], &[(time, 620)]].concat();
        assert!(last_of(&back(620)));
        assert!(last_of(&back(620 - 60)));
        assert!(last_of(&back(620 + 60)));
        assert!(!last_of(&back(620 - 62)));
        assert!(!last_of(&back(620 + 62)));
        assert!(!last_of(&back(-YEAR)));
    }

    #[test]
    fn a_clock_comes_back_by_way_of_a_time_that_is_too_early() {
        let day = 24 * HOUR;
        let early = [(0, 0), (10 * YEAR, 10), (20 - day, 20)];
        assert!(!last_of(&early));
        assert!(last_of(&[&early[..], &[(30, 30)]].concat()));
        assert!(!last_of(&[&early[..], &[(30 + day, 30)]].concat()));
    }

    #[test]
    fn clocks_drift() {
        // Two months in a wrong year, while the clocks drifted apart by half an hour.
        let months = 60 * 24 * HOUR;
        let elapsed = u64::try_from(months).unwrap();
        let moments = |drift| [(0, 0), (YEAR, 1), (months + drift, elapsed)];
        assert!(last_of(&moments(1_800)));
        assert!(!last_of(&moments(7_200)));
    }

    #[test]
    fn a_clock_that_came_back_is_not_trusted_to_go_back_further() {
        // An hour ahead, back again, and a year later set back by an hour: the last step is not a
        // return.
        let year = u64::try_from(YEAR).unwrap();
        let back = [(0, 0), (HOUR, 1), (2, 2), (YEAR, year)];
        assert!(last_of(&back));
        assert!(!last_of(
            &[&back[..], &[(YEAR + 1 - HOUR, year + 1)]].concat()
        ));
        // Later observations still find that it is back.
        assert!(last_of(&[&back[..], &[(YEAR + 1, year + 1)]].concat()));
    }

    #[test]
    fn a_clock_that_was_never_ahead_is_not_back() {
        assert!(!last_of(&[(0, 0)]));
        assert!(!last_of(&[(0, 0), (10, 10), (20, 20)]));
        assert!(!last_of(&[(0, 0), (-HOUR, 10), (-HOUR + 10, 20)]));
        // A time server's step is not a jump.
        assert!(!last_of(&[(0, 0), (70, 10), (20, 20)]));
    }

    #[test]
    fn a_machine_without_a_clock_that_is_set_late_was_not_ahead() {
        // 1970 at first, then set by the network; a later jump counts from there.
        let set = [(-50 * YEAR, 0), (0, 60)];
        assert!(!last_of(&set));
        let jumped = [&set[..], &[(10, 70), (HOUR, 80)]].concat();
        assert!(last_of(&[&jumped[..], &[(90, 150)]].concat()));
        assert!(!last_of(
            &[&jumped[..], &[(-50 * YEAR + 150, 150)]].concat()
        ));
    }
}
