//! Counts of one device since the start, for the metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use super::settings::PollSettings;

/// Counts of one device since the start.
#[derive(Debug)]
pub struct DeviceTally {
    name: String,
    answers: AtomicU64,
    failures: AtomicU64,
}

impl DeviceTally {
    /// The counts of a device that was not polled yet.
    #[must_use]
    pub fn new(device: &PollSettings) -> Self {
        Self {
            name: device.sensor.to_string(),
            answers: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        }
    }

    /// The name of the device: its first sensor, which is unique.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of polls with a usable answer.
    #[must_use]
    pub fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    /// The number of polls without one.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    pub(super) fn count(&self, is_answer: bool) {
        let count = if is_answer {
            &self.answers
        } else {
            &self.failures
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}
