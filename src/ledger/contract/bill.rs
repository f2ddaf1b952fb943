//! The result of a pricer.

use super::amount::Amount;
use super::{Label, Period};
use crate::domain::words::words;
use crate::domain::{Decimal, LocalDate, MicroWh};
use crate::ledger::stretch::Flow;

/// The bill of a range: its lines and their sums. All amounts are in the currency of the contracts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bill {
    /// A line for each component and zone, tier or month, by contracts.
    pub lines: Vec<BillLine>,
    /// The sum of the lines of energy, demand and time.
    pub costs: Decimal,
    /// The sum of the export lines; positive where export was paid.
    pub credits: Decimal,
    /// The sum of the lines of taxes.
    pub taxes: Decimal,
    /// The sum of all lines: costs less credits, and taxes.
    pub total: Decimal,
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
    /// The zone, the tier or the month, where a component has several lines.
    pub part: Option<String>,
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
    pub(super) part: Option<String>,
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
    /// Energy that was fed back.
    Export,
    /// A share of the lines before it.
    Tax,
}

words! {
    LineKind: Energy "energy", Demand "demand", Fixed "fixed", Export "export", Tax "tax";
    "energy, demand, fixed, export or tax"
}

/// The quantity of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BilledQuantity {
    /// Energy.
    Energy(MicroWh),
    /// Mean power, as the energy of an hour at that power.
    Power(MicroWh),
    /// A number of days, months or years, rounded to a millionth.
    Time(Decimal, Period),
    /// A percentage.
    Percent(Decimal),
}

impl Bill {
    /// The bill of such lines.
    pub(super) fn new(lines: Vec<BillLine>, unpriced: Flow, unknown_ms: i64) -> Self {
        let mut bill = Self {
            unpriced,
            unknown_ms,
            ..Self::default()
        };
        for line in &lines {
            let negative = Decimal::from_millionths(line.amount.millionths().saturating_neg());
            let (sum, amount) = match line.kind {
                LineKind::Energy | LineKind::Demand | LineKind::Fixed => {
                    (&mut bill.costs, line.amount)
                }
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
