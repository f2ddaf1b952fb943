//! Messages that waited at the broker while this client was away, and that come within moments once it is back.
//!
//! Nobody knows when one of them was sent if it does not say so. Its power is worth nothing then. Its register is what the meter
//! showed at some time while the client was away: all of a sensor are stored at the moment of the return, where the newest takes the
//! place of the others. A broker whose queue was full has dropped the last ones, so the first register that comes afterwards takes
//! that place once more.

use std::collections::HashSet;
use std::time::Duration;

use crate::domain::{Moment, Timestamp};

/// The backlog ends with the first second with fewer messages.
const MESSAGES_A_SECOND: u32 = 10;
/// It lasts no longer than this, however many come.
const LONGEST: Duration = Duration::from_mins(1);
/// For so long after the return, the first message of a topic is taken for what the queue had no room for.
const FIRST_WITHIN: Duration = Duration::from_mins(15);
/// The most topics that are remembered.
const MAX_TOPICS: usize = 4_096;

/// The messages since a return.
#[derive(Debug)]
pub(super) struct Backlog {
    returned: Moment,
    is_over: bool,
    /// The number of the second since the return, and how many messages came in it.
    second: (u64, u32),
    /// Topics of which messages had waited, and no other one came since.
    topics: HashSet<String>,
}

/// Where a message belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// It was just sent.
    Not,
    /// It had waited until this moment.
    Until(Timestamp),
    /// It is the first of its topic after some that had waited until this moment.
    FirstAfter(Timestamp),
}

impl Backlog {
    /// A backlog of a client that is back now.
    pub(super) fn new(returned: Moment) -> Self {
        Self {
            returned,
            is_over: false,
            second: (0, 0),
            topics: HashSet::new(),
        }
    }

    /// The broker has answered the subscription. What had waited begins to come before that.
    pub(super) fn subscribed(&mut self) {
        self.is_over |= self.topics.is_empty();
    }

    /// Where a message of this topic belongs, that came `now`.
    pub(super) fn place(&mut self, topic: &str, now: Moment) -> Waited {
        let since = now.elapsed.saturating_sub(self.returned.elapsed);
        let (second, count) = self.second;
        if since >= LONGEST || (since.as_secs() > second && count < MESSAGES_A_SECOND) {
            self.is_over = true;
        }
        if since.as_secs() > second {
            // With a second in between, nothing came in that one.
            self.is_over |= since.as_secs() > second + 1;
            self.second = (since.as_secs(), 0);
        }
        self.second.1 = self.second.1.saturating_add(1);
        let returned = self.returned.time;
        if !self.is_over {
            if self.topics.len() < MAX_TOPICS {
                self.topics.insert(topic.to_owned());
            }
            return Waited::Until(returned);
        }
        if since >= FIRST_WITHIN {
            self.topics = HashSet::new();
        }
        if self.topics.remove(topic) {
            Waited::FirstAfter(returned)
        } else {
            Waited::Not
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Moment {
        Moment {
            time: Timestamp::from_millis(1_767_607_200_000 + ms.cast_signed()).unwrap(),
            elapsed: Duration::from_millis(3_600_000 + ms),
        }
    }

    #[test]
    fn the_backlog_ends_with_the_first_slow_second() {
        let mut backlog = Backlog::new(at(0));
        let returned = at(0).time;
        for number in 0..1_000 {
            assert_eq!(backlog.place("a", at(number)), Waited::Until(returned));
        }
        for number in 1..=9 {
            let place = backlog.place("b", at(1_000 + number));
            assert_eq!(place, Waited::Until(returned), "{number}");
        }
        assert_eq!(backlog.place("a", at(2_000)), Waited::FirstAfter(returned));
        assert_eq!(backlog.place("a", at(2_001)), Waited::Not);
        assert_eq!(backlog.place("b", at(60_000)), Waited::FirstAfter(returned));
        assert_eq!(backlog.place("c", at(60_001)), Waited::Not);
    }

    #[test]
    fn a_single_message_is_a_backlog_too() {
        let mut backlog = Backlog::new(at(0));
        assert_eq!(backlog.place("a", at(5)), Waited::Until(at(0).time));
        let late = FIRST_WITHIN.as_millis().try_into().unwrap();
        assert_eq!(backlog.place("a", at(late)), Waited::Not);
        // Nothing waited.
        let mut backlog = Backlog::new(at(0));
        assert_eq!(backlog.place("a", at(3_000)), Waited::Not);
    }

    #[test]
    fn what_waited_begins_to_come_before_the_subscription_is_answered() {
        let mut backlog = Backlog::new(at(0));
        backlog.subscribed();
        assert_eq!(backlog.place("a", at(5)), Waited::Not);
        let mut backlog = Backlog::new(at(0));
        assert_eq!(backlog.place("a", at(5)), Waited::Until(at(0).time));
        backlog.subscribed();
        assert_eq!(backlog.place("a", at(6)), Waited::Until(at(0).time));
    }

    #[test]
    fn it_ends_and_stays_small_whatever_comes() {
        let mut backlog = Backlog::new(at(0));
        for number in 0..120_000 {
            let place = backlog.place(&number.to_string(), at(number));
            assert_eq!(place == Waited::Not, number >= 60_000, "{number}");
            assert!(backlog.topics.len() <= MAX_TOPICS);
        }
    }
}
