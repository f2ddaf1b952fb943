//! A contract, and the contracts of an account: each from a date on.

use std::fmt;
use std::sync::Arc;

use super::component::{Component, Terms};
use super::holidays::{Holiday, Holidays, NoHoliday};
use super::json::{ContractError, Node, list, object, quoted};
use super::rate::Rate;
use super::{Label, Period};
use crate::domain::{Currency, LocalDate, Timestamp, Zone};

/// The prices of an account from a date on, until the next contract begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    pub(super) from: LocalDate,
    pub(super) name: Label,
    pub(super) currency: Currency,
    pub(super) holidays: Holidays,
    pub(super) components: Vec<Component>,
}

/// The contracts of an account, in order of their dates. Before the first one nothing has a price.
/// A copy shares them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contracts(Arc<[Contract]>);

const MOST_CONTRACTS: usize = 200;
const MOST_COMPONENTS: usize = 64;
const MOST_HOLIDAYS: usize = 128;
const FIELDS: &[&str] = &["from", "name", "currency", "holidays", "components"];
const EXAMPLE: &str = r#"{"from":"2026-01-01","name":"Day and night","currency":"EUR","components":[{"energy":{"price":0.3215}}]}"#;

impl Contract {
    /// The contract that a JSON text describes (docs/MONEY.md).
    ///
    /// # Errors
    /// [`ContractError`] with the place of the fault and the expected form.
    pub fn parse(text: &str) -> Result<Self, ContractError> {
        Self::read(&Node::parse(text, "the contract")?)
    }

    fn read(node: &Node<'_>) -> Result<Self, ContractError> {
        let fields = node.fields(FIELDS, EXAMPLE)?;
        let from = fields.need("from", "\"2026-01-01\"")?;
        let from_date = LocalDate::parse(&from.text("\"2026-01-01\"")?);
        let currency = fields.need("currency", "\"EUR\"")?;
        let holidays = match fields.get("holidays") {
            Some(node) => read_holidays(&node)?,
            None => Holidays::default(),
        };
        let components = fields.need("components", r#"[{"energy":{"price":0.3215}}]"#)?;
        let components = components.list(MOST_COMPONENTS, r#"[{"energy":{"price":0.3215}}]"#)?;
        Ok(Self {
            from: from_date.map_err(|_| from.refused("a date such as \"2026-01-01\""))?,
            name: fields.need("name", "\"Day and night\"")?.label()?,
            currency: Currency::new(&currency.text("\"EUR\"")?).map_err(|_| {
                currency.refused("a currency of 1 to 8 characters, such as \"EUR\"")
            })?,
            components: components
                .iter()
                .map(|node| Component::read(node, &holidays))
                .collect::<Result<_, _>>()?,
            holidays,
        })
    }

    /// Its first day.
    #[must_use]
    pub const fn from(&self) -> LocalDate {
        self.from
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &Label {
        &self.name
    }

    /// The currency of its prices.
    #[must_use]
    pub const fn currency(&self) -> &Currency {
        &self.currency
    }

    /// The names of the price series that it needs.
    pub fn series(&self) -> impl Iterator<Item = &Label> {
        self.components
            .iter()
            .filter_map(|component| match &component.terms {
                Terms::Energy(Rate::Series(rate)) | Terms::Export(Rate::Series(rate)) => {
                    Some(&rate.series)
                }
                _ => None,
            })
    }

    /// The kinds of its components, such as `energy` and `fixed`.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> {
        self.components.iter().map(Component::kind)
    }

    /// The longest period whose energy counts for tiers; `None` without tiers.
    pub(super) fn tier_period(&self) -> Option<Period> {
        let periods = self
            .components
            .iter()
            .filter_map(|component| match &component.terms {
                Terms::Energy(Rate::Tiers(tiers)) => Some(tiers.period),
                _ => None,
            });
        periods.max_by_key(|period| period.interval().length_ms())
    }

    pub(super) const fn holidays(&self) -> &Holidays {
        &self.holidays
    }

    pub(super) fn components(&self) -> &[Component] {
        &self.components
    }
}

/// As JSON, in one line. [`Contract::parse`] makes the same contract of it.
impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let holidays = list(self.holidays.texts().map(|text| quoted(&text)));
        f.write_str(&object([
            ("from", Some(quoted(&self.from.to_string()))),
            ("name", Some(quoted(self.name.as_str()))),
            ("currency", Some(quoted(self.currency.as_str()))),
            ("holidays", (!self.holidays.is_empty()).then_some(holidays)),
            (
                "components",
                Some(list(self.components.iter().map(Component::write))),
            ),
        ]))
    }
}

impl Contracts {
    /// The contracts of an account, given in any order.
    ///
    /// # Errors
    /// [`ContractError`] if there are too many, if two begin on one date, or if their currencies
    /// differ.
    pub fn new(mut contracts: Vec<Contract>) -> Result<Self, ContractError> {
        contracts.sort_by_key(Contract::from);
        let refused = |problem: String| Err(ContractError::new("the contracts", problem));
        if contracts.len() > MOST_CONTRACTS {
            return refused(format!(
                "expected {MOST_CONTRACTS} at most, not {}",
                contracts.len()
            ));
        }
        for (before, after) in contracts.iter().zip(contracts.iter().skip(1)) {
            if before.from == after.from {
                return refused(format!(
                    "{} and {} begin on one date, {}; expected a date of its own for each",
                    before.name, after.name, after.from
                ));
            }
            if before.currency != after.currency {
                return refused(format!(
                    "{} is in {} and {} in {}; expected one currency",
                    before.name,
                    before.currency.as_str(),
                    after.name,
                    after.currency.as_str()
                ));
            }
        }
        Ok(Self(contracts.into()))
    }

    /// The contracts that a JSON list describes.
    ///
    /// # Errors
    /// [`ContractError`] with the place of the fault and the expected form.
    pub fn parse(text: &str) -> Result<Self, ContractError> {
        let node = Node::parse(text, "the contracts")?;
        if node.is_empty_list() {
            return Ok(Self::default());
        }
        let nodes = node.list(MOST_CONTRACTS, &format!("[{EXAMPLE}]"))?;
        Self::new(nodes.iter().map(Contract::read).collect::<Result<_, _>>()?)
    }

    /// The currency of all of them; `None` if there are none.
    #[must_use]
    pub fn currency(&self) -> Option<&Currency> {
        self.0.first().map(Contract::currency)
    }

    /// All of them, the earliest first.
    #[must_use]
    pub fn all(&self) -> &[Contract] {
        &self.0
    }

    /// The place of the contract at a time, and when the next one begins.
    pub(super) fn at(&self, time: Timestamp, zone: &Zone) -> (Option<usize>, Timestamp) {
        let next = self
            .0
            .partition_point(|contract| contract.from.start(zone) <= time);
        let begun = next.checked_sub(1);
        (
            begun,
            self.0
                .get(next)
                .map_or(Timestamp::MAX, |contract| contract.from.start(zone)),
        )
    }
}

/// As a JSON list.
impl fmt::Display for Contracts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&list(self.0.iter().map(ToString::to_string)))
    }
}

fn read_holidays(node: &Node<'_>) -> Result<Holidays, ContractError> {
    if node.is_empty_list() {
        return Ok(Holidays::default());
    }
    let rules = node.list(MOST_HOLIDAYS, r#"["12-25","easter+1"]"#)?;
    let read = |node: &Node<'_>| {
        let text = node.text("\"12-25\"")?;
        text.parse::<Holiday>()
            .map_err(|expected: NoHoliday| node.refused(expected))
    };
    rules
        .iter()
        .map(read)
        .collect::<Result<_, _>>()
        .map(Holidays::new)
}

#[cfg(test)]
mod tests;
