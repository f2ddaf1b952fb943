//! The price of a kilowatt-hour at a time, by the clock or by a series.

use super::Label;
use super::bill::LinePart;
use super::day::DayPart;
use super::days::DayLists;
use super::holidays::Holidays;
use super::rate::{Rate, SeriesRate, Tiers};
use super::series::PriceSeries;
use super::wall::{DayPiece, Wall};
use super::zones::{PriceZone, PriceZones};
use crate::domain::{Decimal, SensorId, Timestamp, Zone};

/// The data around contracts: published prices and days, and the nesting of the sensors that
/// contracts name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announced {
    /// The existing price series among [`super::Contract::series`].
    pub series: Vec<PriceSeries>,
    /// The existing day lists among [`super::Contract::day_lists`].
    pub days: DayLists,
    /// Named sensors inside other named sensors, each with the innermost one around it.
    pub inside: Vec<(SensorId, SensorId)>,
}

impl Announced {
    /// Price series without day lists.
    #[must_use]
    pub fn prices(series: Vec<PriceSeries>) -> Self {
        Self {
            series,
            ..Self::default()
        }
    }
}

/// Finds the price of a time. Times must not descend.
#[derive(Clone, Debug)]
pub(super) enum PriceFinder {
    Flat(Decimal),
    Zones {
        zones: PriceZones,
        holidays: Holidays,
        wall: Wall,
        days: DayLists,
        /// The newest piece of a day and its parts.
        day: Option<(DayPiece, Vec<DayPart>)>,
    },
    /// Prices that also depend on the energy so far.
    Tiers(Tiers),
    /// The series is `None` if it does not exist.
    Series(SeriesRate, Option<PriceSeries>),
}

/// The series with a name.
fn found(name: &Label, series: &[PriceSeries]) -> Option<PriceSeries> {
    let known = name.same_of(series.iter().map(PriceSeries::name))?;
    let found = series.iter().find(|series| series.name() == known);
    found.cloned()
}

impl PriceFinder {
    pub(super) fn new(
        rate: &Rate,
        holidays: &Holidays,
        zone: &Zone,
        announced: &Announced,
        time: Timestamp,
    ) -> Self {
        match rate {
            Rate::Flat(price) => Self::Flat(*price),
            Rate::Zones(zones) => Self::Zones {
                zones: zones.clone(),
                holidays: holidays.clone(),
                wall: Wall::new(zone.clone(), time),
                days: announced.days.clone(),
                day: None,
            },
            Rate::Tiers(tiers) => Self::Tiers(tiers.clone()),
            Rate::Series(rate) => {
                Self::Series(rate.clone(), found(&rate.series, &announced.series))
            }
        }
    }

    /// Continues with other prices.
    pub(super) fn set_series(&mut self, series: &[PriceSeries]) {
        if let Self::Series(rate, known) = self {
            *known = found(&rate.series, series);
        }
    }

    /// The price at a time and its zone, if there is a price, and the end of the time that both
    /// apply. For tiers, the first one.
    pub(super) fn at(&mut self, time: Timestamp) -> (Option<(usize, Decimal)>, Timestamp) {
        match self {
            Self::Flat(price) => (Some((0, *price)), Timestamp::MAX),
            Self::Zones {
                zones,
                holidays,
                wall,
                days,
                day,
            } => {
                let piece = wall.piece(time);
                let parts = match day {
                    Some((of, parts)) if *of == piece => parts,
                    _ => &mut day.insert((piece, zones.parts(&piece, days, holidays))).1,
                };
                let minute = piece.minute(time);
                let index = parts.partition_point(|part| part.until <= minute);
                let part = parts.get(index);
                let zone = part.and_then(|part| part.winner);
                let until = part.map_or(u16::MAX, |part| part.until);
                let price = zone.and_then(|zone| Some((zone, zones.all().get(zone)?.price)));
                (price, piece.at_minute(until))
            }
            Self::Tiers(_) => (self.price(0).map(|price| (0, price)), Timestamp::MAX),
            Self::Series(rate, Some(series)) => {
                let price = series.at(time).map(|price| (0, rate.of(price.price)));
                (price, series.until(time))
            }
            Self::Series(_, None) => (None, Timestamp::MAX),
        }
    }

    /// The number of zones or tiers; 1 for other rates.
    pub(super) fn parts(&self) -> usize {
        match self {
            Self::Zones { zones, .. } => zones.all().len(),
            Self::Tiers(tiers) => tiers.all.len(),
            Self::Flat(_) | Self::Series(..) => 1,
        }
    }

    /// The name of a zone or tier.
    pub(super) fn part(&self, index: usize) -> Option<LinePart> {
        let named = |zone: &PriceZone| LinePart::Named(zone.name.to_string());
        match self {
            Self::Zones { zones, .. } => zones.all().get(index).map(named),
            Self::Tiers(tiers) => tiers.part(index),
            Self::Flat(_) | Self::Series(..) => None,
        }
    }

    /// The price of a zone or tier.
    pub(super) fn price(&self, index: usize) -> Option<Decimal> {
        match self {
            Self::Flat(price) => Some(*price),
            Self::Zones { zones, .. } => zones.all().get(index).map(|zone| zone.price),
            Self::Tiers(tiers) => tiers.all.get(index).map(|tier| tier.price),
            Self::Series(..) => None,
        }
    }
}
