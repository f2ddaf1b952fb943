//! Messages that waited at the broker while this client was away, and that arrive within moments
//! after its return.
//!
//! The sending time of a message without a time is unknown, so its power is useless. Its register
//! dates from the absence: all registers of a sensor are stored at the time of the return, where
//! the newest one replaces the others. A broker with a full queue has dropped the last messages. So
//! after many messages, the first later register of each topic replaces that one once more.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::Duration;

use crate::domain::{Moment, Timestamp};

/// The backlog ends with the first second that has fewer messages.
const MESSAGES_A_SECOND: u32 = 10;
/// The backlog lasts no longer than this, however many messages come.
const LONGEST: Duration = Duration::from_mins(1);
/// No broker drops messages from a queue with fewer.
const FULL_FROM: u32 = 50;
/// After a full queue, the first message of a topic within this time tells its newest register.
const FIRST_WITHIN: Duration = Duration::from_mins(15);
/// The maximum number of topics remembered.
const MAX_TOPICS: usize = 4_096;

/// The messages since the return.
#[derive(Debug)]
pub(super) struct Backlog {
    returned: Moment,
    is_over: bool,
    /// The number of the current second since the return, and of the messages in it.
    second: (u64, u32),
    /// The number of messages that had waited.
    count: u32,
    /// The topics of those messages, except those with a newer message since. Stored as hashes,
    /// because a topic may be long.
    topics: HashSet<u64>,
    hasher: RandomState,
}

/// Whether a message had waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// It was just sent.
    Not,
    /// It had waited until this time.
    Until(Timestamp),
    /// It is the first of its topic after messages that had waited until this time.
    FirstAfter(Timestamp),
}

impl Backlog {
    /// The backlog of a client that has just returned.
    pub(super) fn new(returned: Moment) -> Self {
        Self {
            returned,
            is_over: false,
            second: (0, 0),
            count: 0,
            topics: HashSet::new(),
            hasher: RandomState::new(),
        }
    }

    /// Notes that the broker has answered the subscription. Waiting messages begin to arrive before
    /// that.
    pub(super) fn subscribed(&mut self) {
        self.is_over |= self.count == 0;
    }

    /// Whether a message of this topic that arrived `now` had waited.
    pub(super) fn place(&mut self, topic: &str, now: Moment) -> Waited {
        let since = now.elapsed.saturating_sub(self.returned.elapsed);
        let (second, count) = self.second;
        if since >= LONGEST || (since.as_secs() > second && count < MESSAGES_A_SECOND) {
            self.is_over = true;
        }
        if since.as_secs() > second {
            // If a second was skipped, no message came in it.
            self.is_over |= since.as_secs() > second + 1;
            self.second = (since.as_secs(), 0);
        }
        self.second.1 = self.second.1.saturating_add(1);
        let returned = self.returned.time;
        let topic = self.hasher.hash_one(topic);
        if !self.is_over {
            self.count = self.count.saturating_add(1);
            if self.topics.len() < MAX_TOPICS {
                self.topics.insert(topic);
            }
            return Waited::Until(returned);
        }
        if since >= FIRST_WITHIN || self.count < FULL_FROM {
            self.topics = HashSet::new();
        }
        if self.topics.remove(&topic) {
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
    fn only_a_long_queue_may_have_lost_its_last_messages() {
        let mut backlog = Backlog::new(at(0));
        assert_eq!(backlog.place("a", at(5)), Waited::Until(at(0).time));
        assert_eq!(backlog.place("a", at(3_000)), Waited::Not);
        let late = FIRST_WITHIN.as_millis().try_into().unwrap();
        for (again, place) in [
            (late - 1, Waited::FirstAfter(at(0).time)),
            (late, Waited::Not),
        ] {
            let mut backlog = Backlog::new(at(0));
            for _ in 0..FULL_FROM {
                backlog.place("a", at(5));
            }
            assert_eq!(backlog.place("a", at(again)), place);
        }
        // No message waited.
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
