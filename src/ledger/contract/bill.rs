//! The result of a pricer.

use super::amount::Amount;
use std::fmt;

use super::Label;
use super::percent::Percent;
use super::period::Period;
use crate::domain::words::words;
use crate::domain::{Decimal, LocalDate, MicroWh};
use crate::ledger::stretch::Flow;

/// The bill of a range: its lines and their sums. All amounts are in the currency of the contracts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bill {
    /// A line for each component and zone, tier or month, by contracts.
    pub lines: Vec<BillLine>,
    /// The sum of the lines of energy, demand, time and minimum charges, less discounts and costs
    /// above a maximum.
    pub costs: Decimal,
    /// The sum of the export lines; positive where export was paid.
    pub credits: Decimal,
    /// The sum of the lines of taxes.
    pub taxes: Decimal,
    /// The sum of all lines: costs less credits, and taxes.
    pub total: Decimal,
    /// The advances paid in the range; `None` if no contract has any.
    pub paid: Option<Decimal>,
    /// Energy that has no price: no contract, or no price in the series. It is in no line of that
    /// component.
    pub unpriced: Flow,
    /// How long the energy was not known, in milliseconds.
    pub unknown_ms: i64,
}

/// A line of a bill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillLine {
    /// The contract's name.
    pub contract: Label,
    /// The contract's first day, which tells contracts of one name apart.
    pub contract_from: LocalDate,
    /// The quantity of a line.
    pub kind: LineKind,
    /// The component's name.
    pub name: Option<Label>,
    /// The part, if the component has several lines.
    pub part: Option<LinePart>,
    /// How much of it.
    pub quantity: BilledQuantity,
    /// The price of one; `None` if it changed, and for taxes.
    pub price: Option<Decimal>,
    /// Rounded to a millionth; of a credit it is negative.
    pub amount: Decimal,
}

/// A line before it is rounded, without its contract and component.
#[derive(Clone, Debug)]
pub(super) struct ChargeLine {
    pub(super) kind: LineKind,
    pub(super) part: Option<LinePart>,
    pub(super) quantity: BilledQuantity,
    pub(super) price: Option<Decimal>,
    /// The amount; negative for a credit.
    pub(super) amount: Amount,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Energy that was drawn.
    Energy,
    /// The highest mean power of a month.
    Demand,
    /// Time.
    Fixed,
    /// The difference between costs and a minimum.
    Minimum,
    /// The costs above a maximum, which are not charged.
    Maximum,
    /// A reduction by a percentage of the lines before it.
    Discount,
    /// Energy that was fed back.
    Export,
    /// A share of the lines before it.
    Tax,
}

words! {
    LineKind: Energy "energy", Demand "demand", Fixed "fixed", Minimum "minimum", Maximum "maximum",
    Discount "discount", Export "export", Tax "tax";
    "energy, demand, fixed, minimum, maximum, discount, export or tax"
}

impl LineKind {
    /// The kinds that make up the standing charges of a comparison: all but energy, demand, credits
    /// and taxes.
    pub const STANDING: [Self; 4] = [Self::Fixed, Self::Minimum, Self::Maximum, Self::Discount];
}

/// A part of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinePart {
    /// A zone, a month or billing period, or the sensors of a fixed charge.
    Named(String),
    /// A tier up to this energy, of the whole period or of each of its days.
    UpTo {
        /// Its end.
        kwh: Decimal,
        /// Whether `kwh` is for each day.
        per_day: bool,
    },
    /// The tier above all ends.
    Over {
        /// The end of the tier before it.
        kwh: Decimal,
        /// Whether `kwh` is for each day.
        per_day: bool,
    },
    /// The only tier.
    All,
    /// A part in a season.
    OfSeason(String, Box<Self>),
    /// The reduction under a price cap.
    Cap,
    /// Energy fed in beyond the drawn energy that it is netted with.
    Surplus,
    /// The part of a credit above the cost of energy.
    AtMostEnergy,
}

impl LinePart {
    /// The part of the step at an index among those that end at these energies; the last one has no
    /// end.
    pub(super) fn of_step(ends: &[Option<Decimal>], index: usize, per_day: bool) -> Option<Self> {
        let end = *ends.get(index)?;
        let before = index.checked_sub(1).and_then(|index| *ends.get(index)?);
        Some(match (end, before) {
            (Some(kwh), _) => Self::UpTo { kwh, per_day },
            (None, Some(kwh)) => Self::Over { kwh, per_day },
            (None, None) => Self::All,
        })
    }
}

impl fmt::Display for LinePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let a_day = |per_day: &bool| if *per_day { " a day" } else { "" };
        match self {
            Self::Named(name) => f.write_str(name),
            Self::UpTo { kwh, per_day } => write!(f, "up to {kwh} kWh{}", a_day(per_day)),
            Self::Over { kwh, per_day } => write!(f, "over {kwh} kWh{}", a_day(per_day)),
            Self::All => f.write_str("all"),
            Self::OfSeason(season, part) => write!(f, "{season}, {part}"),
            Self::Cap => f.write_str("cap"),
            Self::Surplus => f.write_str("surplus"),
            Self::AtMostEnergy => f.write_str("at most energy"),
        }
    }
}

/// The quantity of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BilledQuantity {
    /// Energy.
    Energy(MicroWh),
    /// Mean power, as the energy of an hour at that power.
    Power(MicroWh),
    /// A number of periods, rounded to a millionth.
    Time(Decimal, Period),
    /// A percentage.
    Percent(Percent),
    /// No quantity: the amount depends on other lines.
    None,
}

impl Bill {
    /// The advances paid less the total; `None` without advances.
    #[must_use]
    pub fn balance(&self) -> Option<Decimal> {
        let owed = Decimal::from_millionths(self.total.millionths().saturating_neg());
        self.paid.map(|paid| paid.saturating_add(owed))
    }

    /// The bill of such lines.
    pub(super) fn new(
        lines: Vec<BillLine>,
        paid: Option<Decimal>,
        unpriced: Flow,
        unknown_ms: i64,
    ) -> Self {
        let mut bill = Self {
            paid,
            unpriced,
            unknown_ms,
            ..Self::default()
        };
        for line in &lines {
            let negative = Decimal::from_millionths(line.amount.millionths().saturating_neg());
            let (sum, amount) = match line.kind {
                LineKind::Energy
                | LineKind::Demand
                | LineKind::Fixed
                | LineKind::Minimum
                | LineKind::Maximum
                | LineKind::Discount => (&mut bill.costs, line.amount),
                LineKind::Export => (&mut bill.credits, negative),
                LineKind::Tax => (&mut bill.taxes, line.amount),
            };
            *sum = sum.saturating_add(amount);
            bill.total = bill.total.saturating_add(line.amount);
        }
        bill.lines = lines;
        bill
    }
}
