//! Messages that waited at the broker while this client was away, and that come within moments once it is back.
//!
//! Nobody knows when a message without a time was sent. Its power is worth nothing then. Its register is one of the time while the
//! client was away: all of a sensor are stored at the moment of the return, where the newest takes the
//! place of the others. A broker with a full queue has dropped the last ones. So after many, the first register of each topic that
//! comes afterwards takes that place once more.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::Duration;

use crate::domain::{Moment, Timestamp};

/// The backlog ends with the first second with fewer messages.
const MESSAGES_A_SECOND: u32 = 10;
/// It lasts no longer than this, however many come.
const LONGEST: Duration = Duration::from_mins(1);
/// No broker drops messages of a queue with fewer.
const FULL_FROM: u32 = 50;
/// After a full queue, the first message of a topic within this time tells its newest register.
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
    /// How many messages had waited.
    count: u32,
    /// The topics of those messages, without those that had a newer one since. As hashes: a topic may be long.
    topics: HashSet<u64>,
    hasher: RandomState,
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
            count: 0,
            topics: HashSet::new(),
            hasher: RandomState::new(),
        }
    }

    /// The broker has answered the subscription. Messages that had waited begin to come before that.
    pub(super) fn subscribed(&mut self) {
        self.is_over |= self.count == 0;
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
