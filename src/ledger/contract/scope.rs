//! The part of the energy that a component counts: that of some hours, that of times with a price in
//! a range, and the first of each period.

use super::clock_finder::{ClockFinder, Surroundings};
use super::conditions::Conditions;
use super::energy_limit::EnergyLimit;
use super::json::{ContractError, Fields, Node, members, object, quoted};
use super::period::{Period, Periods};
use super::series::PriceSeries;
use super::series_rate::{SeriesFinder, SeriesSource};
use crate::domain::{Decimal, MicroWh, Timestamp};

/// The energy that counts for a component. Without terms, all of it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EnergyScope {
    /// Its times, by the clock.
    pub(super) when: Conditions,
    /// Its times, by the price of a series.
    pub(super) only_if: Option<PriceRange>,
    /// Only the first energy of each period counts.
    pub(super) first: Option<FirstEnergy>,
}

/// The times when the price of a series is in a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PriceRange {
    pub(super) source: SeriesSource,
    at_least: Option<Decimal>,
    /// Exclusive.
    below: Option<Decimal>,
}

/// The first energy of each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstEnergy {
    pub(super) kwh: Decimal,
    pub(super) period: Period,
}

/// A scope at work.
#[derive(Clone, Debug)]
pub(super) struct ScopeCount {
    clock: Option<ClockFinder>,
    only_if: Option<(PriceRange, SeriesFinder)>,
    first: Option<EnergyLimit>,
}

/// Whether a time is in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InScope {
    Yes,
    No,
    /// The price that decides it is missing.
    Unknown,
}

const WHEN_EXAMPLE: &str = r#"{"hours":"11:00-14:00"}"#;
const ONLY_IF_EXAMPLE: &str = r#"{"series":"day-ahead","at_least":0}"#;
const FIRST_EXAMPLE: &str = r#"{"kwh":5000,"period":"month"}"#;

impl EnergyScope {
    pub(super) const FIELDS: &'static [&'static str] = &["when", "only_if", "first"];

    /// All energy.
    pub(super) const ALL: Self = Self {
        when: Conditions::ALWAYS,
        only_if: None,
        first: None,
    };

    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, ContractError> {
        let only_if = fields.get("only_if").map(|node| PriceRange::read(&node));
        let first = fields.get("first").map(|node| FirstEnergy::read(&node));
        Ok(Self {
            when: read_when(fields)?,
            only_if: only_if.transpose()?,
            first: first.transpose()?,
        })
    }

    pub(super) fn members(&self) -> [(&'static str, Option<String>); 3] {
        [
            ("when", write_when(&self.when)),
            ("only_if", self.only_if.as_ref().map(PriceRange::write)),
            ("first", self.first.map(FirstEnergy::write)),
        ]
    }
}

/// Reads the conditions of a component.
pub(super) fn read_when(fields: &Fields<'_>) -> Result<Conditions, ContractError> {
    match fields.get("when") {
        Some(node) => Conditions::read(&node.fields(Conditions::FIELDS, WHEN_EXAMPLE)?),
        None => Ok(Conditions::ALWAYS),
    }
}

/// Writes the conditions of a component; `None` without any.
pub(super) fn write_when(when: &Conditions) -> Option<String> {
    (*when != Conditions::ALWAYS).then(|| members(when.members().into_iter()))
}

impl PriceRange {
    fn read(node: &Node<'_>) -> Result<Self, ContractError> {
        let fields = node.fields(&["series", "mean", "at_least", "below"], ONLY_IF_EXAMPLE)?;
        let price = |name| fields.get(name).map(|node| node.price()).transpose();
        let (at_least, below) = (price("at_least")?, price("below")?);
        if at_least.is_none() && below.is_none() {
            let expected = format!("at_least, below or both, such as {ONLY_IF_EXAMPLE}");
            return Err(node.refused(expected));
        }
        if at_least
            .zip(below)
            .is_some_and(|(least, below)| below <= least)
        {
            return Err(fields.refused("below", "more than at_least"));
        }
        Ok(Self {
            source: SeriesSource::read(&fields)?,
            at_least,
            below,
        })
    }

    fn write(&self) -> String {
        let price = |price: Option<Decimal>| price.map(|price| price.to_string());
        let own = [
            ("at_least", price(self.at_least)),
            ("below", price(self.below)),
        ];
        members(self.source.members().into_iter().chain(own))
    }

    fn contains(&self, price: Decimal) -> bool {
        self.at_least.is_none_or(|least| price >= least)
            && self.below.is_none_or(|below| price < below)
    }
}

impl FirstEnergy {
    fn read(node: &Node<'_>) -> Result<Self, ContractError> {
        let fields = node.fields(&["kwh", "period"], FIRST_EXAMPLE)?;
        Ok(Self {
            kwh: fields.need("kwh", "5000")?.kilowatthours()?,
            period: fields.need("period", "\"month\"")?.word()?,
        })
    }

    fn write(self) -> String {
        object([
            ("kwh", Some(self.kwh.to_string())),
            ("period", Some(quoted(self.period.as_str()))),
        ])
    }
}

impl ScopeCount {
    /// A scope at work from `time` on; `None` if all energy counts.
    pub(super) fn new(
        scope: &EnergyScope,
        around: Surroundings<'_>,
        time: Timestamp,
        periods: impl Fn(Period) -> Periods,
    ) -> Option<Self> {
        if *scope == EnergyScope::ALL {
            return None;
        }
        let has_hours = scope.when != Conditions::ALWAYS;
        let clock = || ClockFinder::new(vec![scope.when.clone()], around, time);
        let only_if = scope.only_if.as_ref().map(|range| {
            let finder = SeriesFinder::new(&range.source, None, around, time);
            (range.clone(), finder)
        });
        let first = scope.first.map(|first| {
            let most = MicroWh::of_kilowatthours(first.kwh);
            EnergyLimit::new(most, Some(periods(first.period)))
        });
        Some(Self {
            clock: has_hours.then(clock),
            only_if,
            first,
        })
    }

    /// Goes on with other prices.
    pub(super) fn set_series(&mut self, series: &[PriceSeries]) {
        if let Some((_, finder)) = &mut self.only_if {
            finder.set(series);
        }
    }

    /// Whether what counts depends on the energy of a period.
    pub(super) const fn has_periods(&self) -> bool {
        self.first.is_some()
    }

    /// Whether a time is in the scope, and when that changes. A limit of
    /// energy may end it sooner.
    pub(super) fn at(&mut self, time: Timestamp) -> (InScope, Timestamp) {
        let mut until = Timestamp::MAX;
        if let Some(first) = &mut self.first {
            until = first.begin(time);
        }
        if let Some(clock) = &mut self.clock {
            let (place, end) = clock.at(time);
            until = until.min(end);
            if place.is_none() {
                return (InScope::No, until);
            }
        }
        let Some((range, finder)) = &self.only_if else {
            return (InScope::Yes, until);
        };
        let (price, end) = finder.at(time, 0);
        let found = match price {
            None => InScope::Unknown,
            Some(price) if range.contains(price) => InScope::Yes,
            Some(_) => InScope::No,
        };
        (found, until.min(end))
    }

    /// Goes on where that of the contract before ended at `time`.
    pub(super) fn continue_from(&mut self, before: &Self, time: Timestamp) {
        if let Some((first, was)) = self.first.as_mut().zip(before.first.as_ref()) {
            first.continue_from(was, time);
        }
    }

    /// How much energy may still count in the period.
    pub(super) fn left(&self) -> MicroWh {
        self.first.as_ref().map_or(MicroWh::MAX, EnergyLimit::left)
    }

    /// Adds energy of a time in the scope, and returns the part of it that counts.
    pub(super) fn add(&mut self, energy: MicroWh) -> MicroWh {
        match &mut self.first {
            Some(first) => first.add(energy),
            None => energy,
        }
    }
}
