//! A chart: its picture, and the figures beside it.

use super::beside::{self, Lines};
use super::data::{ChartData, ChartKind};
use super::figure::Figure;
use super::frame::Picture;
use super::{energy, power};
use crate::domain::Calendar;

/// A chart of some data.
#[derive(Clone, Copy, Debug)]
pub struct Chart<'a> {
    /// How it is drawn.
    pub picture: Picture<'a>,
    /// The data that it shows.
    pub data: &'a ChartData,
    /// Other data of the same kind in the same range, as lines.
    pub beside: &'a [ChartData],
}

impl Chart<'_> {
    /// The most data beside its own.
    pub const MOST_BESIDE: usize = beside::MOST;

    /// The look of a line of [`Self::beside`] as a small picture beside its name.
    #[must_use]
    pub fn sample(nth: usize) -> String {
        beside::sample(nth)
    }

    /// The picture as SVG.
    #[must_use]
    pub fn draw(&self) -> String {
        let (picture, figures) = (&self.picture, self.figures());
        let beside: Vec<Lines> = self.beside.iter().map(|it| self.lines(it)).collect();
        match self.data {
            ChartData::Power {
                power: Some(power), ..
            } => power::draw(picture, &figures, power, &beside),
            ChartData::Power { power: None, .. } => picture.without_readings(ChartKind::Power),
            ChartData::Energy { bars, .. } if bars.is_empty() => {
                picture.without_readings(ChartKind::Energy)
            }
            ChartData::Energy {
                interval,
                bars,
                resets,
            } => {
                let own = (*interval, bars.as_slice(), resets);
                energy::draw(picture, &figures, own, &beside)
            }
        }
    }

    /// Further data as lines.
    fn lines(&self, data: &ChartData) -> Lines {
        match data {
            ChartData::Power { power, .. } => {
                power.as_ref().map(power::lines_of).unwrap_or_default()
            }
            ChartData::Energy { interval, bars, .. } => {
                let zone = self.picture.wording.zone.clone();
                energy::lines_of(bars, Calendar::new(zone, *interval))
            }
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
