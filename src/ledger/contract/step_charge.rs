//! A charge for time by the energy of a period: the bracket in which the period ends has one price.

use super::amount::Amount;
use super::bill::{BilledQuantity, ChargeLine, LineKind, LinePart};
use super::energy_limit::EnergyLimit;
use super::json::{ContractError, Node, list, object};
use super::period::{DayShares, Period, Periods};
use crate::domain::words::words;
use crate::domain::{Decimal, MicroWh, Timestamp};
use crate::ledger::stretch::Flow;

/// A price of time for periods with energy up to a limit; the last step has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EnergyStep {
    up_to_kwh: Option<Decimal>,
    pub(super) price: Decimal,
}

/// The energy that chooses the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum StepEnergy {
    /// Drawn.
    #[default]
    Import,
    /// Fed in.
    Export,
}

words! { StepEnergy: Import "import", Export "export"; "\"import\" or \"export\"" }

/// The steps of a charge for time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EnergySteps {
    pub(super) all: Vec<EnergyStep>,
    pub(super) by: StepEnergy,
    /// The period of the energy.
    pub(super) period: Period,
}

/// Such a charge at work.
#[derive(Clone, Debug)]
pub(super) struct StepCharge {
    steps: EnergySteps,
    per: Period,
    shares: DayShares,
    energy: EnergyLimit,
    /// The amounts of the period so far at the price of each step, and its time.
    so_far: Vec<Amount>,
    time: Amount,
    /// What is billed for each step: its amount and time.
    billed: Vec<(Amount, Amount)>,
    /// The step of the period so far.
    step: usize,
}

const MOST_STEPS: usize = 32;
const EXAMPLE: &str = r#"[{"up_to_kwh":200,"price":910},{"price":1600}]"#;

impl EnergyStep {
    pub(super) fn read_list(node: &Node<'_>) -> Result<Vec<Self>, ContractError> {
        let nodes = node.list(MOST_STEPS, EXAMPLE)?;
        let mut steps: Vec<Self> = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let fields =
                node.fields(&["up_to_kwh", "price"], r#"{"up_to_kwh":200,"price":910}"#)?;
            let end = fields.get("up_to_kwh").map(|node| node.kilowatthours());
            let step = Self {
                up_to_kwh: end.transpose()?,
                price: fields.need("price", "910")?.price()?,
            };
            let is_last = index + 1 == nodes.len();
            if is_last != step.up_to_kwh.is_none() {
                return Err(node.refused(format_args!(
                    "up_to_kwh in each step but the last, such as {EXAMPLE}"
                )));
            }
            let before = steps.last().and_then(|before| before.up_to_kwh);
            if step.up_to_kwh.is_some() && step.up_to_kwh <= before {
                return Err(node.refused(format_args!(
                    "more kWh than in the step before, such as {EXAMPLE}"
                )));
            }
            steps.push(step);
        }
        Ok(steps)
    }

    pub(super) fn write_list(steps: &[Self]) -> String {
        list(steps.iter().map(|step| {
            object([
                ("up_to_kwh", step.up_to_kwh.map(|end| end.to_string())),
                ("price", Some(step.price.to_string())),
            ])
        }))
    }
}

impl EnergySteps {
    /// The place of the step of a period with so much energy: its end belongs to it.
    fn step(&self, energy: MicroWh) -> usize {
        let is_in = |step: &EnergyStep| {
            let end = step.up_to_kwh.map(MicroWh::of_kilowatthours);
            end.is_none_or(|end| energy <= end)
        };
        self.all.iter().position(is_in).unwrap_or(0)
    }
}

impl StepCharge {
    pub(super) fn new(
        steps: &EnergySteps,
        (per, shares): (Period, DayShares),
        periods: Periods,
    ) -> Self {
        let count = steps.all.len();
        Self {
            steps: steps.clone(),
            per,
            shares,
            energy: EnergyLimit::unlimited(periods),
            so_far: vec![Amount::ZERO; count],
            time: Amount::ZERO,
            billed: vec![(Amount::ZERO, Amount::ZERO); count],
            step: 0,
        }
    }

    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        self.shares.until(time).min(self.energy.period(time).1)
    }

    /// Goes on where the same charge of the contract before ended at `time`: its energy counts on.
    pub(super) fn continue_from(&mut self, before: &Self, time: Timestamp) {
        self.energy.continue_from(&before.energy, time);
        self.step = self.steps.step(self.energy.counted());
    }

    pub(super) fn add(&mut self, from: Timestamp, to: Timestamp, flow: Flow) {
        if self.energy.is_over(from) {
            self.energy.begin(from);
            self.so_far.fill(Amount::ZERO);
            (self.time, self.step) = (Amount::ZERO, self.steps.step(MicroWh::ZERO));
        }
        self.energy.add(match self.steps.by {
            StepEnergy::Import => flow.imported,
            StepEnergy::Export => flow.exported,
        });
        self.book(-1);
        for (sum, step) in self.so_far.iter_mut().zip(&self.steps.all) {
            *sum = *sum + self.shares.between(step.price, from, to);
        }
        self.time = self.time + self.shares.between(Decimal::ONE, from, to);
        self.step = self.steps.step(self.energy.counted());
        self.book(1);
    }

    /// Adds the period so far to the step in force, or takes it away.
    fn book(&mut self, sign: i8) {
        let so_far = self.so_far.get(self.step).copied().unwrap_or_default();
        let signed = |amount: Amount| if sign < 0 { -amount } else { amount };
        let (so_far, time) = (signed(so_far), signed(self.time));
        if let Some((amount, whole)) = self.billed.get_mut(self.step) {
            (*amount, *whole) = (*amount + so_far, *whole + time);
        }
    }

    pub(super) fn amount(&self) -> Amount {
        self.billed.iter().map(|(amount, _)| *amount).sum()
    }

    /// Starts the bill: the time so far costs nothing, but a period that changes its step still
    /// changes all of it.
    pub(super) fn start_bill(&mut self) {
        self.billed.fill((Amount::ZERO, Amount::ZERO));
    }

    /// Its lines: of the steps with an amount or a time, or of the first.
    pub(super) fn lines(&self) -> Vec<ChargeLine> {
        let ends: Vec<Option<Decimal>> = self.steps.all.iter().map(|it| it.up_to_kwh).collect();
        let line = |index: usize, (amount, time): (Amount, Amount)| ChargeLine {
            kind: LineKind::Fixed,
            part: LinePart::of_step(&ends, index, false),
            quantity: BilledQuantity::Time(time.rounded(), self.per),
            price: self.steps.all.get(index).map(|step| step.price),
            amount,
        };
        let all = self.billed.iter().copied().enumerate();
        let used = all.filter(|(_, it)| *it != (Amount::ZERO, Amount::ZERO));
        let lines: Vec<ChargeLine> = used.map(|(index, it)| line(index, it)).collect();
        if lines.is_empty() {
            return vec![line(0, (Amount::ZERO, Amount::ZERO))];
        }
        lines
    }
}
