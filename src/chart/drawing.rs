//! A chart: its picture, and the figures beside it.

use super::data::{ChartData, ChartKind};
use super::figure::Figure;
use super::frame::Picture;
use super::{energy, power};

/// A chart of some data.
#[derive(Clone, Copy, Debug)]
pub struct Chart<'a> {
    /// How it is drawn.
    pub picture: Picture<'a>,
    /// The data that it shows.
    pub data: &'a ChartData,
}

impl Chart<'_> {
    /// The picture as SVG.
    #[must_use]
    pub fn draw(&self) -> String {
        let (picture, figures) = (&self.picture, self.figures());
        match self.data {
            ChartData::Power {
                power: Some(power), ..
            } => power::draw(picture, &figures, power),
            ChartData::Power { power: None, .. } => picture.without_readings(ChartKind::Power),
            ChartData::Energy { bars, .. } if bars.is_empty() => {
                picture.without_readings(ChartKind::Energy)
            }
            ChartData::Energy {
                interval,
                bars,
                resets,
            } => energy::draw(picture, &figures, *interval, bars, resets),
        }
    }

    /// The figures beside the picture; none if there are no readings.
    #[must_use]
    pub fn figures(&self) -> Vec<Figure> {
        match self.data {
            ChartData::Power { power, watthours } => {
                power.as_ref().map_or_else(Vec::new, |power| {
                    power::figures(&self.picture, power, *watthours)
                })
            }
            ChartData::Energy {
                interval,
                bars,
                resets,
            } => energy::figures(&self.picture, *interval, bars, resets),
        }
    }
}
