//! Messages that are logged once each, or once an hour, so that a client that sends the same every
//! second does not fill the log.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use crate::http::wire::text::{LONGEST_LOGGED, shown};
use crate::ingest::LogLimit;
use crate::locks::lock;

/// The messages that were logged.
#[derive(Debug, Default)]
pub(crate) struct LogOnce(Mutex<HashSet<String>>);

impl LogOnce {
    /// The most messages that are remembered; after that, no message counts as new. Clients choose
    /// the text, so the set must be bounded.
    const MOST: usize = 256;

    /// Logs an ignored part of a request, the first time.
    pub(crate) fn ignored(&self, protocol: &str, what: &str) {
        let what = shown(what, LONGEST_LOGGED);
        if self.is_new(&what) {
            log::info!("{protocol}: {what}; ignored (this is logged once)");
        }
    }

    fn is_new(&self, message: &str) -> bool {
        let mut logged = lock(&self.0);
        // Looked up before it is copied, because nearly all calls repeat a known message.
        logged.len() < Self::MOST && !logged.contains(message) && logged.insert(message.to_owned())
    }
}

/// Messages that have no effect, logged once an hour each.
#[derive(Debug, Default)]
pub(crate) struct HourlyLog(Mutex<LogLimit>);

impl HourlyLog {
    /// Logs a message of a client that has no effect, with an example, `elapsed` after the start;
    /// messages of the same `kind` are logged once an hour.
    pub(crate) fn warn(
        &self,
        protocol: &str,
        what: &str,
        (kind, example): (&str, &str),
        elapsed: Duration,
    ) {
        /// The maximum length of an example, in characters: several reasons, or a mapping.
        const LONGEST: usize = 320;
        let mut limit = lock(&self.0);
        if limit.allows(what, &shown(kind, LONGEST_LOGGED), elapsed) {
            let example = shown(example, LONGEST);
            log::warn!("{protocol}: {what}: {example} (this is logged once an hour)");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_is_new_once_and_only_so_many_are() {
        let logged = LogOnce::default();
        assert!(logged.is_new("a") && !logged.is_new("a") && logged.is_new("b"));
        let new = (0..1_000).filter(|n| logged.is_new(&n.to_string())).count();
        assert_eq!(new, LogOnce::MOST - 2);
    }
}
