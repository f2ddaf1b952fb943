//! The metrics of one scrape. Values are looked up when they are asked for, so nothing is kept
//! between scrapes.

use prometheus::proto::MetricFamily;
use prometheus::{CounterVec, GaugeVec, Opts, Registry, Result};

/// The metrics of one answer.
#[derive(Default)]
pub(crate) struct Scrape(Registry);

impl Scrape {
    /// A value that goes up and down; absent if there is none.
    pub(crate) fn gauge(
        &self,
        name: &str,
        help: &str,
        value: impl Into<Option<f64>>,
    ) -> Result<()> {
        self.gauges(name, help, [], value.into().map(|value| ([], value)))
    }

    /// A gauge for each combination of labels.
    pub(crate) fn gauges<'a, const N: usize>(
        &self,
        name: &str,
        help: &str,
        labels: [&str; N],
        samples: impl IntoIterator<Item = ([&'a str; N], f64)>,
    ) -> Result<()> {
        let gauges = GaugeVec::new(Opts::new(name, help), &labels)?;
        for (values, value) in samples {
            gauges.get_metric_with_label_values(&values)?.set(value);
        }
        self.0.register(Box::new(gauges))
    }

    /// A value that only goes up.
    pub(crate) fn counter(&self, name: &str, help: &str, value: f64) -> Result<()> {
        self.counters(name, help, [], [([], value)])
    }

    /// A counter for each combination of labels.
    pub(crate) fn counters<'a, const N: usize>(
        &self,
        name: &str,
        help: &str,
        labels: [&str; N],
        samples: impl IntoIterator<Item = ([&'a str; N], f64)>,
    ) -> Result<()> {
        let counters = CounterVec::new(Opts::new(name, help), &labels)?;
        for (values, count) in samples {
            let counter = counters.get_metric_with_label_values(&values)?;
            // The crate cannot set a counter. This counter is new, so adding to its 0 does the
            // same.
            counter.inc_by(count);
        }
        self.0.register(Box::new(counters))
    }

    /// Returns all families, by name. A family without metrics is left out.
    pub(crate) fn families(&self) -> Vec<MetricFamily> {
        self.0.gather()
    }
}

/// A count as the format has all numbers.
#[expect(
    clippy::cast_precision_loss,
    reason = "no count of bytes or readings of a house reaches 2^53"
)]
pub(crate) const fn number(count: u64) -> f64 {
    count as f64
}
