//! Logs each problem once an hour, because a sender may repeat the same unusable message every ten
//! seconds, for years.

use std::collections::HashMap;
use std::time::Duration;

/// The time before a problem is logged again.
const REPEAT_AFTER: Duration = Duration::from_hours(1);
/// The maximum number of problems remembered. Beyond it, new problems are not logged.
const MAX_REMEMBERED: usize = 256;

/// The logged problems, and when they were logged.
#[derive(Debug, Default)]
pub struct LogLimit {
    /// The time since the start of this run, by sender and text.
    logged: HashMap<(String, String), Duration>,
}

impl LogLimit {
    /// Whether to log `problem` of messages from `sender`, at `elapsed` since the start of this
    /// run.
    #[must_use]
    pub fn allows(&mut self, sender: &str, problem: &str, elapsed: Duration) -> bool {
        let is_fresh = |logged: &Duration| elapsed < logged.saturating_add(REPEAT_AFTER);
        let key = (sender.to_owned(), problem.to_owned());
        if self.logged.get(&key).is_some_and(is_fresh) {
            return false;
        }
        if self.logged.len() >= MAX_REMEMBERED {
            self.logged.retain(|_, logged| is_fresh(logged));
        }
        let has_room = self.logged.len() < MAX_REMEMBERED;
        if has_room {
            self.logged.insert(key, elapsed);
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: u64) -> Duration {
        Duration::from_mins(minutes)
    }

    #[test]
    fn a_problem_is_logged_once_an_hour() {
        let mut limit = LogLimit::default();
        assert!(limit.allows("a", "no JSON", at(0)));
        assert!(!limit.allows("a", "no JSON", at(59)));
        assert!(limit.allows("a", "no number", at(59)));
        assert!(limit.allows("b", "no JSON", at(59)));
        assert!(limit.allows("a", "no JSON", at(60)));
        assert!(!limit.allows("a", "no JSON", at(61)));
    }

    #[test]
    fn a_flood_of_topics_does_not_fill_the_memory() {
        let mut limit = LogLimit::default();
        let logged = (0..10_000).filter(|n| limit.allows(&n.to_string(), "no JSON", at(0)));
        assert_eq!(logged.count(), MAX_REMEMBERED);
        assert!(limit.allows("a", "no JSON", at(60)));
        assert_eq!(limit.logged.len(), 1);
    }
}
