//! Energy by its rate: the price at a time, its end, and the sum of energy at each price.

use super::amount::Amount;
use super::bill::{BilledQuantity, ChargeLine, LineKind};
use super::day::{DayKind, DayPart};
use super::holidays::Holidays;
use super::rate::{Rate, SeriesRate, Tiers};
use super::series::PriceSeries;
use super::wall::Wall;
use super::zones::PriceZones;
use crate::domain::{Calendar, Decimal, LocalDate, MicroWh, Timestamp, Zone};

/// A rate and the energy priced by it.
#[derive(Clone, Debug)]
pub(super) struct RateCharge {
    finder: PriceFinder,
    /// Energy and amount for each zone or tier; one for other rates.
    parts: Vec<(MicroWh, Amount)>,
}

/// Finds the price of a time.
#[derive(Clone, Debug)]
enum PriceFinder {
    Flat(Decimal),
    Zones {
        zones: PriceZones,
        holidays: Holidays,
        wall: Wall,
        /// The newest date and its parts.
        day: Option<(LocalDate, Vec<DayPart>)>,
    },
    Tiers {
        tiers: Tiers,
        calendar: Calendar,
        /// The beginning of the period, and the energy drawn in it so far.
        counted: (Timestamp, MicroWh),
    },
    /// `None` if no series of the name is there.
    Series(SeriesRate, Option<PriceSeries>),
}

/// The series that a rate names.
fn found(rate: &SeriesRate, series: &[PriceSeries]) -> Option<PriceSeries> {
    let found = series.iter().find(|series| *series.name() == rate.series);
    found.cloned()
}

impl RateCharge {
    pub(super) fn new(
        rate: &Rate,
        holidays: &Holidays,
        zone: &Zone,
        series: &[PriceSeries],
        time: Timestamp,
    ) -> Self {
        let (finder, parts) = match rate {
            Rate::Flat(price) => (PriceFinder::Flat(*price), 1),
            Rate::Zones(zones) => {
                let wall = Wall::new(zone.clone(), time);
                let finder = PriceFinder::Zones {
                    zones: zones.clone(),
                    holidays: holidays.clone(),
                    wall,
                    day: None,
                };
                (finder, zones.all().len())
            }
            Rate::Tiers(tiers) => {
                let calendar = Calendar::new(zone.clone(), tiers.period.interval());
                let counted = (time, MicroWh::ZERO);
                (
                    PriceFinder::Tiers {
                        tiers: tiers.clone(),
                        calendar,
                        counted,
                    },
                    tiers.tiers.len(),
                )
            }
            Rate::Series(rate) => (PriceFinder::Series(rate.clone(), found(rate, series)), 1),
        };
        let parts = vec![(MicroWh::ZERO, Amount::ZERO); parts];
        Self { finder, parts }
    }

    /// Goes on with other prices.
    pub(super) fn set_series(&mut self, series: &[PriceSeries]) {
        if let PriceFinder::Series(rate, known) = &mut self.finder {
            *known = found(rate, series);
        }
    }

    pub(super) const fn has_tiers(&self) -> bool {
        matches!(self.finder, PriceFinder::Tiers { .. })
    }

    /// The price at a time and which zone or tier it is of, if there is one; and until when that
    /// holds. A tier can end sooner, by energy.
    pub(super) fn at(&mut self, time: Timestamp) -> (Option<(usize, Decimal)>, Timestamp) {
        match &mut self.finder {
            PriceFinder::Flat(price) => (Some((0, *price)), Timestamp::MAX),
            PriceFinder::Zones {
                zones,
                holidays,
                wall,
                day,
            } => {
                let piece = wall.piece(time);
                let parts = match day {
                    Some((date, parts)) if *date == piece.date => parts,
                    _ => {
                        &mut day
                            .insert((piece.date, zones.day(DayKind::of(piece.date, holidays))))
                            .1
                    }
                };
                let minute = piece.minute(time);
                let index = parts.partition_point(|part| part.until <= minute);
                let zone = parts.get(index).and_then(|part| part.winner());
                // Where the next parts have the same price, it goes on.
                let rest = parts.get(index..).unwrap_or_default();
                let same = rest.iter().take_while(|part| part.winner() == zone).last();
                let until = same.map_or(u16::MAX, |part| part.until);
                let price = zone.and_then(|zone| Some((zone, zones.all().get(zone)?.price)));
                (price, piece.at_minute(until))
            }
            PriceFinder::Tiers {
                tiers,
                calendar,
                counted,
            } => {
                let bucket = calendar.bucket(time);
                if bucket.contains(counted.0) {
                    counted.0 = time;
                } else {
                    *counted = (time, MicroWh::ZERO);
                }
                let tier = tiers.at(counted.1);
                let price = tier.and_then(|tier| Some((tier, tiers.tiers.get(tier)?.price)));
                (price, bucket.end().saturating_add_millis(1))
            }
            PriceFinder::Series(rate, Some(series)) => {
                let price = series.at(time).map(|price| (0, rate.of(price.price)));
                (price, series.until(time))
            }
            PriceFinder::Series(_, None) => (None, Timestamp::MAX),
        }
    }

    /// The price at a time after so much more energy, if there is one.
    pub(super) fn price_after(&mut self, time: Timestamp, energy: MicroWh) -> Option<Decimal> {
        let (_, price) = self.at(time).0?;
        match &self.finder {
            PriceFinder::Tiers { tiers, counted, .. } => {
                let tier = tiers.at(counted.1 + energy)?;
                tiers.tiers.get(tier).map(|tier| tier.price)
            }
            _ => Some(price),
        }
    }

    /// After how much energy the tier ends that holds after so much: from the time on that was last
    /// asked for.
    pub(super) fn tier_end(&self, energy: MicroWh) -> Option<MicroWh> {
        let PriceFinder::Tiers { tiers, counted, .. } = &self.finder else {
            return None;
        };
        let tier = tiers.tiers.get(tiers.at(counted.1 + energy)?)?;
        Some(tier.end() - counted.1)
    }

    /// Counts energy from `time` on for the tiers without pricing it.
    pub(super) fn count(&mut self, time: Timestamp, energy: MicroWh) {
        self.at(time);
        if let PriceFinder::Tiers { counted, .. } = &mut self.finder {
            counted.1 = counted.1 + energy;
        }
    }

    /// Prices energy from `time` on; returns whether it has a price.
    pub(super) fn add(&mut self, time: Timestamp, energy: MicroWh) -> bool {
        let Some((part, price)) = self.at(time).0 else {
            return false;
        };
        let PriceFinder::Tiers { tiers, counted, .. } = &mut self.finder else {
            book(&mut self.parts, part, price, energy);
            return true;
        };
        let mut left = energy;
        for (index, tier) in tiers.tiers.iter().enumerate().skip(part) {
            let taken = left.min(tier.end() - counted.1);
            book(&mut self.parts, index, tier.price, taken);
            counted.1 = counted.1 + taken;
            left = left - taken;
        }
        true
    }

    /// The amount so far.
    pub(super) fn amount(&self) -> Amount {
        self.parts.iter().map(|(_, amount)| *amount).sum()
    }

    /// Its lines; of several zones or tiers, those with energy.
    pub(super) fn lines(&self, kind: LineKind) -> Vec<ChargeLine> {
        let is_credit = kind == LineKind::Export;
        let lines = self.parts.iter().enumerate();
        let used =
            lines.filter(|(_, (energy, _))| self.parts.len() == 1 || *energy != MicroWh::ZERO);
        let line = |(index, &(energy, amount)): (usize, &(MicroWh, Amount))| ChargeLine {
            kind,
            part: self.finder.part(index),
            quantity: BilledQuantity::Energy(energy),
            price: self.finder.price(index),
            amount: if is_credit { -amount } else { amount },
        };
        used.map(line).collect()
    }
}

fn book(parts: &mut [(MicroWh, Amount)], part: usize, price: Decimal, energy: MicroWh) {
    if let Some(sum) = parts.get_mut(part) {
        *sum = (sum.0 + energy, sum.1 + Amount::of(price, energy));
    }
}

impl PriceFinder {
    /// The name of a zone or tier.
    fn part(&self, index: usize) -> Option<String> {
        match self {
            Self::Zones { zones, .. } => zones.all().get(index).map(|zone| zone.name.to_string()),
            Self::Tiers { tiers, .. } => {
                let before = index
                    .checked_sub(1)
                    .and_then(|before| tiers.tiers.get(before));
                tiers.tiers.get(index).map(|tier| tier.told(before))
            }
            Self::Flat(_) | Self::Series(..) => None,
        }
    }

    fn price(&self, index: usize) -> Option<Decimal> {
        match self {
            Self::Flat(price) => Some(*price),
            Self::Zones { zones, .. } => zones.all().get(index).map(|zone| zone.price),
            Self::Tiers { tiers, .. } => tiers.tiers.get(index).map(|tier| tier.price),
            Self::Series(..) => None,
        }
    }
}
