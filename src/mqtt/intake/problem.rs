//! Messages that are not used, and their lines in the log.

use std::sync::Mutex;
use std::time::Duration;

use thiserror::Error;

use crate::ingest::devices::payload::PayloadError;
use crate::ingest::devices::topic::TopicFilter;
use crate::ingest::{DeviceProblem, LogLimit};
use crate::locks::lock;

/// Topics are cut to this many characters in the log.
const MAX_LOGGED_CHARS: usize = 120;

/// Why a message, or part of it, is not used.
#[derive(Debug, Error)]
pub(super) enum MessageProblem {
    #[error("it is longer than 64 KiB")]
    TooLarge,
    #[error(transparent)]
    Payload(#[from] PayloadError),
    #[error(transparent)]
    Device(#[from] DeviceProblem),
}

impl MessageProblem {
    /// Logs it for a message under this topic, within the limit.
    pub(super) fn log(&self, limit: &Mutex<LogLimit>, topic: &str, elapsed: Duration) {
        if matches!(self, Self::Payload(PayloadError::NoNumber(_))) {
            return;
        }
        let shown: String = topic.chars().take(MAX_LOGGED_CHARS).collect();
        let problem = self.to_string();
        if lock(limit).allows(&shown, &problem, elapsed) {
            log::warn!("mqtt: a message under {shown:?} is not used: {problem}");
        }
    }
}

/// Logs, within the limit, that a sum waits for a part that has not come.
pub(super) fn log_silence(
    limit: &Mutex<LogLimit>,
    sensor: &str,
    part: &TopicFilter,
    elapsed: Duration,
) {
    let shown: String = sensor.chars().take(MAX_LOGGED_CHARS).collect();
    let text = format!(
        "there is no sum, because a part under {:?} has not come; a part that the device never sends ends with \"?\"",
        part.as_str()
    );
    if lock(limit).allows(&shown, &text, elapsed) {
        log::warn!("mqtt: for the sensor {shown:?} {text}");
    }
}
