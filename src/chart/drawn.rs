//! A chart of a sensor, from the store to the picture and the figures beside it.

use super::energy::EnergyChart;
use super::frame::{Look, Picture, Size};
use super::power::PowerChart;
use crate::domain::calendar::Zone;
use crate::domain::interval::Interval;
use crate::domain::role::RegisterKind;
use crate::domain::sensor::Sensor;
use crate::domain::time::TimeRange;
use crate::query::energy::{energy, energy_by_interval, resets};
use crate::query::power::power;
use crate::store::{Store, StoreError};

/// What a chart shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Power, as a line.
    Power,
    /// Energy, as bars of this interval, or of one that suits the range.
    Energy(Option<Interval>),
}

/// A chart and the figures beside it.
pub struct Drawn {
    /// The picture.
    pub svg: String,
    /// Sum, mean, peak, least of what is shown.
    pub figures: Vec<Figure>,
}

/// A number beside a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What it is, such as `Peak`.
    pub label: &'static str,
    /// The number with its unit.
    pub value: String,
    /// When that was, where it was at one time.
    pub time: Option<String>,
}

impl Figure {
    pub(super) fn new(label: &'static str, value: String, time: Option<String>) -> Self {
        Self { label, value, time }
    }
}

/// The figures as a sentence: `Mean 200 W. Peak 500 W (8 Jul 2026 08:00).`
pub(super) fn in_words(figures: &[Figure]) -> String {
    if figures.is_empty() {
        return "No readings in this range.".to_owned();
    }
    let words = figures.iter().map(|figure| match &figure.time {
        Some(time) => format!("{} {} ({time}).", figure.label, figure.value),
        None => format!("{} {}.", figure.label, figure.value),
    });
    words.collect::<Vec<String>>().join(" ")
}

/// The most resets that are marked: more are not to be told apart.
const MOST_RESETS: usize = 100;

/// Draws a chart of `sensor`. Blocks on the disk: not for async workers.
///
/// # Errors
/// [`StoreError`] where something could not be read.
pub fn draw(
    store: &Store,
    sensor: &Sensor,
    kind: Kind,
    (zone, range): (&Zone, TimeRange),
    (size, look): (Size, Look),
) -> Result<Drawn, StoreError> {
    let picture = Picture {
        name: &sensor.name,
        zone,
        range,
        size,
        look,
    };
    match kind {
        Kind::Power => {
            let power = power(store, &sensor.id, range, u32::from(size.width()))?;
            let chart = PowerChart {
                picture,
                power: power.as_ref(),
                watthours: energy(store, &sensor.id, sensor.register, range)?,
            };
            Ok(Drawn {
                svg: chart.draw(),
                figures: chart.figures(),
            })
        }
        Kind::Energy(interval) => {
            let suiting = EnergyChart::interval_for(range, size.width());
            let interval = interval.unwrap_or(suiting);
            let by = (zone.clone(), interval);
            let bars = energy_by_interval(store, &sensor.id, sensor.register, range, by)?;
            let resets = match sensor.register {
                RegisterKind::Net => Vec::new(),
                RegisterKind::Counter => resets(store, &sensor.id, range, MOST_RESETS)?,
            };
            let chart = EnergyChart {
                picture,
                interval,
                bars: &bars,
                resets: &resets,
            };
            Ok(Drawn {
                svg: chart.draw(),
                figures: chart.figures(),
            })
        }
    }
}
