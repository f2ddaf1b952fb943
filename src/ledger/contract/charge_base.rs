//! The earlier components that a tax, discount or limit depends on, and the amounts of charges.

use super::Label;
use super::amount::Amount;
use super::json::{ContractError, Fields, list, quoted};
use crate::domain::words::words;

/// The base of a tax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaxBase {
    /// The costs before it less the credits before it.
    Net,
    /// The costs before it alone.
    Costs,
}

words! { TaxBase: Net "net", Costs "costs"; "\"net\" or \"costs\"" }

/// The components before a tax, discount or limit that it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EarlierComponents {
    pub(super) of: TaxBase,
    /// Their names; empty for all.
    pub(super) on: Vec<Label>,
}

const MOST_NAMES: usize = 64;

impl EarlierComponents {
    /// Reads those among `before`; without a word for the base, it is the `usual` one.
    pub(super) fn read(
        fields: &Fields<'_>,
        before: &[&Label],
        usual: TaxBase,
    ) -> Result<Self, ContractError> {
        let of = fields.get("of").map(|node| node.word()).transpose()?;
        Ok(Self {
            of: of.unwrap_or(usual),
            on: read_names(fields, before)?,
        })
    }

    pub(super) fn members(&self, usual: TaxBase) -> [(&'static str, Option<String>); 2] {
        let names = list(self.on.iter().map(|name| quoted(name.as_str())));
        let of = (self.of != usual).then(|| quoted(self.of.as_str()));
        [("of", of), ("on", (!self.on.is_empty()).then_some(names))]
    }
}

/// Reads names of earlier components.
fn read_names(fields: &Fields<'_>, before: &[&Label]) -> Result<Vec<Label>, ContractError> {
    let Some(node) = fields.get("on") else {
        return Ok(Vec::new());
    };
    let mut names = Vec::new();
    for node in node.list(MOST_NAMES, r#"["grid"]"#)? {
        let name = node.label()?;
        if !before.contains(&&name) {
            return Err(node.refused("the name of a component before this one"));
        }
        if names.contains(&name) {
            return Err(node.refused("each name once"));
        }
        names.push(name);
    }
    Ok(names)
}

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
