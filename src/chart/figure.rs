//! Numbers beside a chart, which also describe it to those who cannot see it.

use crate::texts::Language;

/// A number beside a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its name, such as `Peak`.
    pub label: String,
    /// The number with its unit.
    pub value: String,
    /// The moment of the number, if it has one.
    pub time: Option<String>,
}

impl Figure {
    pub(super) const fn new(label: String, value: String, time: Option<String>) -> Self {
        Self { label, value, time }
    }
}

/// The figures as a sentence: `Mean 200 W. Peak 500 W (8 Jul 2026 08:00).`
pub(super) fn in_words(figures: &[Figure], language: &Language) -> String {
    if figures.is_empty() {
        return format!("{}.", language.say("chart-none"));
    }
    let words = figures.iter().map(|figure| match &figure.time {
        Some(time) => format!("{} {} ({time}).", figure.label, figure.value),
        None => format!("{} {}.", figure.label, figure.value),
    });
    words.collect::<Vec<String>>().join(" ")
}
