//! Prices that follow a series of market prices.

use super::Label;
use super::bill::LinePart;
use super::clock_finder::{ClockFinder, Surroundings};
use super::holidays::Holidays;
use super::json::{ContractError, Fields, quoted};
use super::series::{MeanPeriod, MeanPeriods, PriceSeries};
use super::zones::{PriceZone, PriceZones};
use crate::domain::{Decimal, Timestamp};

/// A series, or the means of its prices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeriesSource {
    pub(super) series: Label,
    pub(super) mean: Option<MeanPeriod>,
}

/// A price of a series, times a factor, plus a surcharge, within limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeriesRate {
    pub(super) source: SeriesSource,
    pub(super) factor: Decimal,
    /// The factor of the price without its sign, which is added.
    pub(super) absolute_factor: Decimal,
    pub(super) surcharge: Decimal,
    /// The lowest and the highest price that results.
    pub(super) floor: Option<Decimal>,
    pub(super) ceiling: Option<Decimal>,
    /// Zones with surcharges of their own. Each has its own means.
    pub(super) zones: Option<PriceZones>,
}

/// Finds the price of a series at a time. Times must not descend.
#[derive(Clone, Debug)]
pub(super) struct SeriesFinder {
    source: SeriesSource,
    means: Option<MeanPeriods>,
    /// The zones of the rate as they begin, for the means of each.
    clock: Option<(ClockFinder, usize)>,
    found: Option<PriceSeries>,
    /// The prices: of each zone, if each has its means.
    prices: Vec<PriceSeries>,
}

const EXAMPLE: &str = "\"day-ahead\"";

impl SeriesSource {
    /// The fields of a component that name it.
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, ContractError> {
        let mean = fields.get("mean").map(|node| node.word());
        Ok(Self {
            series: fields.need("series", EXAMPLE)?.label()?,
            mean: mean.transpose()?,
        })
    }

    pub(super) fn members(&self) -> [(&'static str, Option<String>); 2] {
        let mean = self.mean.map(|mean| quoted(mean.as_str()));
        [
            ("series", Some(quoted(self.series.as_str()))),
            ("mean", mean),
        ]
    }
}

impl SeriesRate {
    /// The fields of a component that belong to it.
    pub(super) const FIELDS: &'static [&'static str] = &[
        "series",
        "mean",
        "factor",
        "absolute_factor",
        "surcharge",
        "floor",
        "ceiling",
        "zones",
    ];

    /// The prices of a series times a factor, plus a surcharge.
    pub(super) const fn plain(series: Label, factor: Decimal, surcharge: Decimal) -> Self {
        Self {
            source: SeriesSource { series, mean: None },
            factor,
            absolute_factor: Decimal::ZERO,
            surcharge,
            floor: None,
            ceiling: None,
            zones: None,
        }
    }

    pub(super) fn read(fields: &Fields<'_>, holidays: &Holidays) -> Result<Self, ContractError> {
        let factor = |name, usual| fields.get(name).map_or(Ok(usual), |node| node.factor());
        let price = |name| fields.get(name).map(|node| node.price()).transpose();
        let zones = fields.get("zones");
        let zones = zones.map(|node| PriceZones::read_surcharges(&node, holidays));
        let (floor, ceiling) = (price("floor")?, price("ceiling")?);
        if floor
            .zip(ceiling)
            .is_some_and(|(floor, ceiling)| ceiling < floor)
        {
            return Err(fields.refused("ceiling", "no less than floor"));
        }
        Ok(Self {
            source: SeriesSource::read(fields)?,
            factor: factor("factor", Decimal::ONE)?,
            absolute_factor: factor("absolute_factor", Decimal::ZERO)?,
            surcharge: price("surcharge")?.unwrap_or(Decimal::ZERO),
            floor,
            ceiling,
            zones: zones.transpose()?,
        })
    }

    pub(super) fn members(&self) -> Vec<(&'static str, Option<String>)> {
        let other = |value: Decimal, usual| (value != usual).then(|| value.to_string());
        let limit = |price: Option<Decimal>| price.map(|price| price.to_string());
        let own = [
            ("factor", other(self.factor, Decimal::ONE)),
            (
                "absolute_factor",
                other(self.absolute_factor, Decimal::ZERO),
            ),
            ("surcharge", other(self.surcharge, Decimal::ZERO)),
            ("floor", limit(self.floor)),
            ("ceiling", limit(self.ceiling)),
            (
                "zones",
                self.zones.as_ref().map(PriceZones::write_surcharges),
            ),
        ];
        self.source.members().into_iter().chain(own).collect()
    }

    /// The price of a kilowatt-hour in a zone where the series has `price`: to a millionth, as a
    /// statement shows it.
    pub(super) fn of(&self, price: Decimal, zone: Option<&PriceZone>) -> Decimal {
        // Half a millionth is rounded away from zero.
        const ONE: i128 = 1_000_000;
        let [price, factor, absolute] =
            [price, self.factor, self.absolute_factor].map(|it| i128::from(it.millionths()));
        let product = price * factor + price.abs() * absolute;
        let rounded = (product + product.signum() * ONE / 2) / ONE;
        // Beyond a trillion of the currency a price stays where it is.
        let millionths = i64::try_from(rounded).unwrap_or(i64::MAX);
        let of_zone = zone.map_or(Decimal::ZERO, |zone| zone.price);
        let price = Decimal::from_millionths(millionths)
            .saturating_add(self.surcharge)
            .saturating_add(of_zone);
        let price = self.floor.map_or(price, |floor| price.max(floor));
        self.ceiling.map_or(price, |ceiling| price.min(ceiling))
    }

    /// The zone at a place.
    pub(super) fn zone(&self, place: usize) -> Option<&PriceZone> {
        self.zones.as_ref()?.all().get(place)
    }

    /// The number of its zones; 1 without zones.
    pub(super) fn parts(&self) -> usize {
        self.zones.as_ref().map_or(1, |zones| zones.all().len())
    }

    /// The name of a zone.
    pub(super) fn part(&self, place: usize) -> Option<LinePart> {
        let zone = self.zone(place)?;
        Some(LinePart::Named(zone.name.to_string()))
    }
}

impl SeriesFinder {
    /// A finder of a series, or of its means: of each of `zones`, if there are some.
    pub(super) fn new(
        source: &SeriesSource,
        zones: Option<&PriceZones>,
        around: Surroundings<'_>,
        time: Timestamp,
    ) -> Self {
        let mean = source.mean;
        let clock = zones.filter(|_| mean.is_some()).map(|zones| {
            // The means of a period need its beginning, before the time of the pricing.
            let start = mean.map(|mean| MeanPeriods::new(mean, around.zone).containing(time).0);
            let finder = ClockFinder::new(zones.conditions(), around, start.unwrap_or(time));
            (finder, zones.all().len())
        });
        let mut finder = Self {
            source: source.clone(),
            means: mean.map(|mean| MeanPeriods::new(mean, around.zone)),
            clock,
            found: None,
            prices: Vec::new(),
        };
        finder.set(&around.announced.series);
        finder
    }

    /// Goes on with the prices among other series.
    pub(super) fn set(&mut self, series: &[PriceSeries]) {
        let known = self
            .source
            .series
            .same_of(series.iter().map(PriceSeries::name));
        let found = known.and_then(|known| series.iter().find(|it| it.name() == known));
        if let Some((was, is)) = self.found.as_ref().zip(found)
            && was.shares_prices_of(is)
        {
            return;
        }
        self.found = found.cloned();
        self.prices = match (&self.found, &mut self.means) {
            (None, _) => Vec::new(),
            (Some(found), None) => vec![found.clone()],
            (Some(found), Some(periods)) => match &self.clock {
                None => found.means(periods, 1, |_| (Some(0), Timestamp::MAX)),
                Some((clock, zones)) => {
                    let mut clock = clock.clone();
                    found.means(periods, *zones, |time| clock.at(time))
                }
            },
        };
    }

    /// The price at a time in a zone, and the end of the time for which it is the price.
    pub(super) fn at(&self, time: Timestamp, zone: usize) -> (Option<Decimal>, Timestamp) {
        let place = if self.clock.is_some() { zone } else { 0 };
        let Some(series) = self.prices.get(place) else {
            return (None, Timestamp::MAX);
        };
        (series.at(time).map(|price| price.price), series.until(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_of_a_series_are_rounded_to_a_millionth() {
        let rate = |factor, surcharge| {
            let [factor, surcharge] = [factor, surcharge].map(Decimal::from_millionths);
            SeriesRate::plain(Label::new("day-ahead").unwrap(), factor, surcharge)
        };
        for (price, factor, surcharge, rounded) in [
            (3, 500_000, 0, 2),
            (-3, 500_000, 0, -2),
            (3, 400_000, 10, 11),
            (999_999_999_999, 999_999_999_999, 0, 999_999_999_998_000_000),
        ] {
            let price = Decimal::from_millionths(price);
            let found = rate(factor, surcharge).of(price, None).millionths();
            assert_eq!(found, rounded, "{price} {factor}");
        }
    }

    /// aWATTar adds 3 % of the price without its sign; feed-in has 2.9 ct at least.
    #[test]
    fn a_price_can_depend_on_its_sign() {
        let millionths = Decimal::from_millionths;
        let rate = SeriesRate {
            absolute_factor: millionths(30_000),
            ..SeriesRate::plain(
                Label::new("spot").unwrap(),
                Decimal::ONE,
                millionths(15_000),
            )
        };
        for (price, expected) in [(100_000, 118_000), (-100_000, -82_000), (0, 15_000)] {
            assert_eq!(rate.of(millionths(price), None), millionths(expected));
        }
        let limited = SeriesRate {
            floor: Some(millionths(29_000)),
            ceiling: Some(millionths(110_000)),
            ..rate
        };
        for (price, expected) in [(100_000, 110_000), (-100_000, 29_000), (50_000, 66_500)] {
            assert_eq!(limited.of(millionths(price), None), millionths(expected));
        }
    }
}
