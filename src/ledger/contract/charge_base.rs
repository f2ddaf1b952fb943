//! The amounts of charges, and those that a tax or minimum depends on.

use super::amount::Amount;
use super::component::TaxBase;

/// The earlier components that a tax or minimum depends on.
#[derive(Clone, Debug)]
pub(super) struct ChargeBase {
    pub(super) of: TaxBase,
    /// Their places; `None` for all.
    pub(super) on: Option<Vec<usize>>,
}

/// The amounts of charges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChargeSums {
    /// Costs and taxes.
    pub(super) costs: Amount,
    pub(super) credits: Amount,
}

impl std::iter::Sum for ChargeSums {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            costs: sum.costs + one.costs,
            credits: sum.credits + one.credits,
        })
    }
}

impl ChargeBase {
    /// The amount of these charges, which precede the tax or minimum.
    pub(super) fn amount(&self, before: &[ChargeSums]) -> Amount {
        let sums: ChargeSums = match &self.on {
            Some(on) => on
                .iter()
                .filter_map(|place| before.get(*place))
                .copied()
                .sum(),
            None => before.iter().copied().sum(),
        };
        match self.of {
            TaxBase::Net => sums.costs - sums.credits,
            TaxBase::Costs => sums.costs,
        }
    }
}
