//! Metrics as the crate that writes them takes them.

use prometheus::proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};

/// A number, and the labels that tell it from the others of its name.
pub(crate) type Sample<'a> = (&'a [(&'a str, &'a str)], f64);

/// Metrics that only go up.
pub(crate) fn counter<'a>(
    name: &str,
    help: &str,
    samples: impl IntoIterator<Item = Sample<'a>>,
) -> Option<MetricFamily> {
    let metrics = samples.into_iter().map(|(labels, value)| {
        let mut counter = Counter::default();
        counter.set_value(value);
        let mut metric = labelled(labels);
        metric.set_counter(counter);
        metric
    });
    family(name, help, MetricType::COUNTER, metrics.collect())
}

/// Metrics that go up and down.
pub(crate) fn gauge<'a>(
    name: &str,
    help: &str,
    samples: impl IntoIterator<Item = Sample<'a>>,
) -> Option<MetricFamily> {
    let metrics = samples.into_iter().map(|(labels, value)| {
        let mut gauge = Gauge::default();
        gauge.set_value(value);
        let mut metric = labelled(labels);
        metric.set_gauge(gauge);
        metric
    });
    family(name, help, MetricType::GAUGE, metrics.collect())
}

/// None where there are no metrics: a name alone is not to be told.
fn family(name: &str, help: &str, kind: MetricType, metrics: Vec<Metric>) -> Option<MetricFamily> {
    let mut family = MetricFamily::default();
    family.set_name(name.to_owned());
    family.set_help(help.to_owned());
    family.set_field_type(kind);
    let is_any = !metrics.is_empty();
    family.set_metric(metrics);
    is_any.then_some(family)
}

fn labelled(labels: &[(&str, &str)]) -> Metric {
    let pair = |&(name, value): &(&str, &str)| {
        let mut pair = LabelPair::default();
        pair.set_name(name.to_owned());
        pair.set_value(value.to_owned());
        pair
    };
    Metric::from_label(labels.iter().map(pair).collect())
}

/// A count as the format has all numbers; above 2^53 to the nearest that there is.
#[expect(
    clippy::cast_precision_loss,
    reason = "no count of bytes or readings that a house reaches loses any"
)]
pub(crate) const fn number(count: u64) -> f64 {
    count as f64
}
