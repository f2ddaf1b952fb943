//! A chart: its picture, and the figures beside it.

use super::data::ChartData;
use super::energy::EnergyChart;
use super::figure::Figure;
use super::frame::Picture;
use super::power::PowerChart;

/// A chart of some data.
#[derive(Clone, Copy, Debug)]
pub struct Chart<'a> {
    /// How it is drawn.
    pub picture: Picture<'a>,
    /// What it shows.
    pub data: &'a ChartData,
}

/// What is drawn in one way or the other.
enum Drawing<'a> {
    Line(PowerChart<'a>),
    Bars(EnergyChart<'a>),
}

impl Chart<'_> {
    /// The picture as SVG.
    #[must_use]
    pub fn draw(&self) -> String {
        match self.drawing() {
            Drawing::Line(line) => line.draw(),
            Drawing::Bars(bars) => bars.draw(),
        }
    }

    /// The figures beside the picture; none if there are no readings.
    #[must_use]
    pub fn figures(&self) -> Vec<Figure> {
        match self.drawing() {
            Drawing::Line(line) => line.figures(),
            Drawing::Bars(bars) => bars.figures(),
        }
    }

    fn drawing(&self) -> Drawing<'_> {
        let picture = self.picture;
        match self.data {
            ChartData::Power { power, watthours } => Drawing::Line(PowerChart {
                picture,
                power: power.as_ref(),
                watthours: *watthours,
            }),
            ChartData::Energy {
                interval,
                bars,
                resets,
            } => Drawing::Bars(EnergyChart {
                picture,
                interval: *interval,
                bars,
                resets,
            }),
        }
    }
}
