//! Priced sides: a house by its contracts, and beside it by others, without a part of it, or with
//! another one. Comparison, savings and *what if* are of these.

use std::ops::Range;

use super::known_year::{UnknownPart, year_start};
use super::priced_part::{LeftOut, PricedPart};
use super::sensors::HouseSensors;
use super::side_by_side::{AskedSide, SeriesWindow, SideBySide, WalkedSide};
use crate::domain::number::to_millionth;
use crate::domain::{
    Account, Calendar, Currency, Decimal, Interval, LocalDate, MicroWh, TimeRange, Timestamp, Zone,
};
use crate::ledger::scenario::HouseQuarter;
use crate::ledger::{CostStatement, Flow};
use crate::store::{Store, StoreError};

/// The costs of a range, side by side. Each side has a name; the first one that was asked for is the
/// house as it was, by the contracts in force.
pub struct PricedSides<N> {
    /// The range until now, without its end.
    pub range: TimeRange,
    /// The currency of all amounts.
    pub currency: Currency,
    /// The sides.
    pub sides: Vec<(N, PricedSide)>,
}

/// The costs of a house in a range.
#[derive(Clone)]
pub struct PricedSide {
    /// Its statement.
    pub statement: CostStatement,
    /// Its energy; `None` for an empty range. Of a side that differs by its contracts alone, that of
    /// the sensors at the grid.
    pub energy: Option<HouseQuarter>,
    /// The months of the range.
    pub months: Vec<PricedMonth>,
    left_out: LeftOut,
    coarse: Flow,
    /// The unknown part of the last twelve months.
    pub(super) unknown: UnknownPart,
}

/// A month of a side, each amount rounded by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PricedMonth {
    /// Its first day, or that of the range in it.
    pub first: LocalDate,
    /// Its total; `None` if its energy is unknown or unpriced.
    pub total: Option<Decimal>,
    /// The total less that of the house as it was; `None` if either is, or if nothing of it is
    /// measured.
    pub more: Option<Decimal>,
}

/// The sides of a range, in their order; `None` if they take more than `most` slots of prices.
/// Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub(super) fn priced_sides(
    store: &Store,
    account: &Account,
    (house, range): (&HouseSensors, &Range<Timestamp>),
    asked: (Vec<AskedSide<'_>>, Vec<SeriesWindow>),
    most: usize,
) -> Result<Option<Vec<PricedSide>>, StoreError> {
    let year = year_start(range, &account.zone);
    let mut ends = month_ends(range, &account.zone);
    ends.extend(Some(year).filter(|year| range.start < *year && *year < range.end));
    ends.sort_unstable();
    ends.dedup();
    let begins = [range.start].into_iter().chain(ends.iter().copied());
    let times: Vec<Range<Timestamp>> = begins.zip(&ends).map(|(from, to)| from..*to).collect();
    let walk = SideBySide::new(house, range.clone(), ends, asked);
    let Some(walked) = walk.all(store, most)? else {
        return Ok(None);
    };
    let was = walked.first().map(|was| was.parts.clone());
    let was = was.unwrap_or_default();
    let side = |side: WalkedSide| {
        let parts = times.iter().zip(&side.parts);
        let of_year = parts.filter(|(times, _)| times.start >= year);
        PricedSide {
            months: by_month(&times, (&side.parts, &was), &account.zone),
            unknown: UnknownPart::of(of_year.map(|(_, part)| part)),
            left_out: side.left_out,
            coarse: side.coarse,
            energy: side.sums,
            statement: side.statement,
        }
    };
    Ok(Some(walked.into_iter().map(side).collect()))
}

/// The ends of the months of a range, and its own.
pub(super) fn month_ends(range: &Range<Timestamp>, zone: &Zone) -> Vec<Timestamp> {
    let mut calendar = Calendar::new(zone.clone(), Interval::Month);
    let mut ends = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let next = calendar.bucket(start).end().saturating_add_millis(1);
        start = next.min(range.end);
        ends.push(start);
    }
    ends
}

/// The months of parts with these times, beside the same parts of the house as it was. A month may
/// have two.
fn by_month(
    times: &[Range<Timestamp>],
    (parts, was): (&[PricedPart], &[PricedPart]),
    zone: &Zone,
) -> Vec<PricedMonth> {
    let mut months: Vec<(LocalDate, [PricedPart; 2], i64)> = Vec::new();
    for (times, (part, was)) in times.iter().zip(parts.iter().zip(was)) {
        let first = LocalDate::at(times.start, zone);
        let length_ms = times.end.millis() - times.start.millis();
        let is_same = |it: &LocalDate| (it.year(), it.month()) == (first.year(), first.month());
        match months.last_mut().filter(|(it, ..)| is_same(it)) {
            Some((_, [own, other], all_ms)) => {
                (*own, *other) = (*own + *part, *other + *was);
                *all_ms += length_ms;
            }
            None => months.push((first, [*part, *was], length_ms)),
        }
    }
    let month = |(first, [own, was], all_ms): (LocalDate, [PricedPart; 2], i64)| PricedMonth {
        first,
        total: own.total(),
        more: own.more_than(&was).filter(|_| own.left_out_ms < all_ms),
    };
    months.into_iter().map(month).collect()
}

impl PricedSide {
    /// Its total less that of another house by the same contracts. What has no price is in neither.
    /// `None` if either total is, or if nothing of a house is measured.
    #[must_use]
    pub fn more_than(&self, other: &Self) -> Option<Decimal> {
        let is_known = |side: &Self| !side.left_out.is_all_of(side.statement.range);
        let totals = self.statement.total().zip(other.statement.total());
        let totals = totals.filter(|_| is_known(self) && is_known(other));
        totals.map(|(own, other)| less(own, other))
    }

    /// The energy at the grid that counts as it was, as not all of its quarters of an hour is
    /// measured.
    #[must_use]
    pub const fn left_out(&self) -> Flow {
        self.left_out.flow
    }

    /// The measured energy at the grid that was read less often than each quarter of an hour, or
    /// with such energy of panels or of a battery: within that time it is spread evenly.
    #[must_use]
    pub const fn coarse(&self) -> Flow {
        self.coarse
    }

    /// The share of that in the energy at the grid that counts, from 0 to 1; `None` without any.
    #[must_use]
    pub fn coarse_share(&self) -> Option<f64> {
        let both = |flow: Flow| (flow.imported + flow.exported).watthours();
        let all = both(self.at_grid()?);
        (self.coarse != Flow::default() && all > 0.0)
            .then(|| to_millionth(both(self.coarse) / all).clamp(0.0, 1.0))
    }

    /// The energy of panels and batteries in the quarters of an hour that are not measured.
    #[must_use]
    pub const fn left_out_own(&self) -> MicroWh {
        self.left_out.own
    }

    /// For how long it is known how the house would have differed, in milliseconds.
    #[must_use]
    pub const fn known_ms(&self) -> i64 {
        self.statement
            .range
            .length_ms()
            .saturating_sub(self.left_out.ms)
    }

    /// The energy at the grid, without that of quarters of an hour that are not measured.
    #[must_use]
    pub fn at_grid(&self) -> Option<Flow> {
        self.statement.energy.map(|flow| flow - self.left_out.flow)
    }

    /// Whether all known energy has a price.
    #[must_use]
    pub fn is_priced(&self) -> bool {
        self.statement.whole_total().is_some()
    }
}

/// An amount without another one.
pub(super) fn less(amount: Decimal, other: Decimal) -> Decimal {
    let negative = Decimal::from_millionths(other.millionths().saturating_neg());
    amount.saturating_add(negative)
}
