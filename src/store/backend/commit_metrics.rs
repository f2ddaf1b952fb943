//! Metrics of commits of uploads: their duration and number of readings. Committing threads record
//! them; reading them does not hold up a commit.

use std::time::Duration;

use prometheus::core::Collector as _;
use prometheus::proto::MetricFamily;
use prometheus::{Histogram, HistogramOpts};

use crate::store::error::StoreError;

/// Upper bounds of durations, in seconds: a fast disk syncs within a millisecond, an SD card takes
/// many.
const SECONDS: [f64; 14] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
];
/// Upper bounds of the number of readings.
const READINGS: [f64; 12] = [
    1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 1_024.0, 4_096.0, 16_384.0,
];

/// Commits of uploads since the store was opened.
pub(crate) struct CommitMetrics {
    duration: Histogram,
    readings: Histogram,
}

impl CommitMetrics {
    pub(crate) fn new() -> Result<Self, StoreError> {
        let histogram = |name: &str, help: &str, bounds: &[f64]| {
            let options = HistogramOpts::new(name, help).buckets(bounds.to_vec());
            Histogram::with_opts(options)
                .map_err(|error| StoreError::io("preparing the metrics of the store", &error))
        };
        Ok(Self {
            duration: histogram(
                "wattkeeper_commit_duration_seconds",
                "Time that a commit of uploads took to be durable.",
                &SECONDS,
            )?,
            readings: histogram(
                "wattkeeper_commit_readings",
                "Readings in a commit of uploads.",
                &READINGS,
            )?,
        })
    }

    /// Counts a commit that took `duration` to be durable.
    pub(crate) fn observe(&self, readings: usize, duration: Duration) {
        self.duration.observe(duration.as_secs_f64());
        #[expect(
            clippy::cast_precision_loss,
            reason = "no commit has more readings than an f64 counts exactly"
        )]
        self.readings.observe(readings as f64);
    }

    /// Both histograms.
    pub(crate) fn gather(&self) -> Vec<MetricFamily> {
        [self.duration.collect(), self.readings.collect()].concat()
    }
}

#[cfg(test)]
mod tests {
    use crate::store::tests::{NOW, at, open_registered, upload};

    #[test]
    fn each_commit_of_an_upload_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 64);
        for n in 0..3 {
            let readings = upload(&[Some(10 * n), Some(10 * n + 1)]);
            store
                .append_durably_blocking(readings, at(NOW + n))
                .unwrap();
        }
        let families = store.commit_metrics();
        let [duration, readings] = &families[..] else {
            panic!("two histograms");
        };
        let readings = readings.get_metric()[0].get_histogram();
        assert_eq!(readings.get_sample_sum(), 6.0);
        assert_eq!(readings.get_bucket()[0].cumulative_count(), 0);
        assert_eq!(readings.get_bucket()[1].cumulative_count(), 3);
        let duration = duration.get_metric()[0].get_histogram();
        assert_eq!(duration.get_sample_count(), 3);
        assert!(duration.get_sample_sum() > 0.0);
    }
}
