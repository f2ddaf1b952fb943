//! Messages that can't be used, told of once in a while: a device sends the same wrong message every ten seconds, for years.

use std::collections::HashMap;
use std::time::Duration;

/// How long a complaint is not repeated.
const AGAIN_AFTER: Duration = Duration::from_hours(1);
/// The most complaints that are remembered. Beyond, new ones are not told of until old ones are forgotten.
const MOST: usize = 256;

/// What was complained of, and when.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    /// Under a topic and a text, the time since the start of this run.
    told: HashMap<(String, String), Duration>,
}

impl Complaints {
    /// Whether to tell of `problem` with messages of `topic`, at `elapsed` since the start of this run.
    pub(super) fn is_due(&mut self, topic: &str, problem: &str, elapsed: Duration) -> bool {
        let is_fresh = |told: &Duration| elapsed < told.saturating_add(AGAIN_AFTER);
        let key = (topic.to_owned(), problem.to_owned());
        if self.told.get(&key).is_some_and(is_fresh) {
            return false;
        }
        if self.told.len() >= MOST {
            self.told.retain(|_, told| is_fresh(told));
        }
        let has_room = self.told.len() < MOST;
        if has_room {
            self.told.insert(key, elapsed);
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
    fn the_same_is_told_once_an_hour() {
        let mut complaints = Complaints::default();
        assert!(complaints.is_due("a", "no JSON", at(0)));
        assert!(!complaints.is_due("a", "no JSON", at(59)));
        assert!(complaints.is_due("a", "no number", at(59)));
        assert!(complaints.is_due("b", "no JSON", at(59)));
        assert!(complaints.is_due("a", "no JSON", at(60)));
        assert!(!complaints.is_due("a", "no JSON", at(61)));
    }

    #[test]
    fn a_flood_of_topics_fills_no_memory() {
        let mut complaints = Complaints::default();
        let told = (0..10_000).filter(|n| complaints.is_due(&n.to_string(), "no JSON", at(0)));
        assert_eq!(told.count(), MOST);
        assert!(complaints.is_due("a", "no JSON", at(60)));
        assert_eq!(complaints.told.len(), 1);
    }
}
