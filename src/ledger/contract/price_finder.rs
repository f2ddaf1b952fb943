//! The price of a kilowatt-hour at a time, by the clock or by a series.

use super::bill::LinePart;
use super::clock_finder::{ClockFinder, Surroundings};
use super::price_table::PriceTable;
use super::rate::Rate;
use super::series::PriceSeries;
use super::series_rate::{SeriesFinder, SeriesRate};
use super::tiers::Tiers;
use super::zones::PriceZones;
use crate::domain::{Decimal, Timestamp};

/// Finds the price of a time. Times must not descend.
#[derive(Clone, Debug)]
pub(super) enum PriceFinder {
    Flat(Decimal),
    Zones(PriceZones, ClockFinder),
    /// Prices that also depend on the energy so far.
    Tiers(Tiers),
    Series(Box<SeriesPrices>),
    Table(PriceTable, ClockFinder),
}

/// The prices of a series by a rate.
#[derive(Clone, Debug)]
pub(super) struct SeriesPrices {
    rate: SeriesRate,
    series: SeriesFinder,
    /// Finds the zone, if the rate has zones.
    clock: Option<ClockFinder>,
}

impl SeriesPrices {
    /// As [`PriceFinder::at`].
    fn at(&mut self, time: Timestamp) -> (Option<(usize, Decimal)>, Timestamp) {
        let clock = self.clock.as_mut().map(|clock| clock.at(time));
        let (zone, until) = clock.unwrap_or((Some(0), Timestamp::MAX));
        let Some(zone) = zone else {
            return (None, until);
        };
        let (price, end) = self.series.at(time, zone);
        let rate = &self.rate;
        let price = price.map(|price| (zone, rate.of(price, rate.zone(zone))));
        (price, end.min(until))
    }
}

impl PriceFinder {
    pub(super) fn new(rate: &Rate, around: Surroundings<'_>, time: Timestamp) -> Self {
        let clock = |zones: &PriceZones| ClockFinder::new(zones.conditions(), around, time);
        match rate {
            Rate::Flat(price) => Self::Flat(*price),
            Rate::Zones(zones) => Self::Zones(zones.clone(), clock(zones)),
            Rate::Tiers(tiers) => Self::Tiers(tiers.clone()),
            Rate::Series(rate) => Self::Series(Box::new(SeriesPrices {
                series: SeriesFinder::new(&rate.source, rate.zones.as_ref(), around, time),
                clock: rate.zones.as_ref().map(clock),
                rate: rate.clone(),
            })),
            Rate::Table(table) => Self::Table(table.clone(), table.finder(around, time)),
        }
    }

    /// Continues with other prices.
    pub(super) fn set_series(&mut self, all: &[PriceSeries]) {
        if let Self::Series(prices) = self {
            prices.series.set(all);
        }
    }

    /// The price at a time and its zone, if there is a price, and the end of the time that both
    /// apply. For tiers, the first one.
    pub(super) fn at(&mut self, time: Timestamp) -> (Option<(usize, Decimal)>, Timestamp) {
        match self {
            Self::Flat(price) => (Some((0, *price)), Timestamp::MAX),
            Self::Zones(zones, clock) => {
                let (zone, until) = clock.at(time);
                let price = zone.and_then(|zone| Some((zone, zones.all().get(zone)?.price)));
                (price, until)
            }
            Self::Tiers(_) => (self.price(0).map(|price| (0, price)), Timestamp::MAX),
            Self::Series(prices) => prices.at(time),
            Self::Table(table, clock) => {
                let (place, until) = clock.at(time);
                let price = place.and_then(|place| table.price(place));
                (price.map(|price| (0, price)), until)
            }
        }
    }

    /// The number of zones or tiers; 1 for other rates.
    pub(super) fn parts(&self) -> usize {
        match self {
            Self::Zones(zones, _) => zones.all().len(),
            Self::Tiers(tiers) => tiers.all().count(),
            Self::Series(prices) => prices.rate.parts(),
            Self::Flat(_) | Self::Table(..) => 1,
        }
    }

    /// The name of a zone or tier.
    pub(super) fn part(&self, index: usize) -> Option<LinePart> {
        match self {
            Self::Zones(zones, _) => {
                let zone = zones.all().get(index)?;
                Some(LinePart::Named(zone.name.to_string()))
            }
            Self::Tiers(tiers) => tiers.part(index),
            Self::Series(prices) => prices.rate.part(index),
            Self::Flat(_) | Self::Table(..) => None,
        }
    }

    /// The price of a zone or tier.
    pub(super) fn price(&self, index: usize) -> Option<Decimal> {
        match self {
            Self::Flat(price) => Some(*price),
            Self::Zones(zones, _) => zones.all().get(index).map(|zone| zone.price),
            Self::Tiers(tiers) => tiers.all().nth(index).map(|tier| tier.price),
            Self::Series(_) | Self::Table(..) => None,
        }
    }
}
