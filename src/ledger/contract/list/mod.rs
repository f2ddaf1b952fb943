//! A contract, and the contracts of an account: each from a date on.
//!
//! - `continuing`: contracts that change the prices of the one before

mod continuing;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::Label;
use super::advances::Advance;
use super::amount::Amount;
use super::component::{Component, Terms};
use super::demand_terms::DemandTerms;
use super::energy_terms::EnergyTerms;
use super::holidays::{Holiday, Holidays, NoHoliday};
use super::json::{ContractError, Node, list, object, quoted};
use super::peaks::PeakMeasure;
use super::period::{Billing, DemandSpan, Period};
use super::series::MeanPeriod;
use super::series_rate::SeriesSource;
use crate::domain::{Currency, LocalDate, SensorId, Timestamp, Zone};

/// The prices of an account from a date on, until the next contract begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    pub(super) from: LocalDate,
    pub(super) name: Label,
    pub(super) currency: Currency,
    /// Whether it changes the prices of the contract before; `None` if it does not say it.
    pub(super) continues: Option<bool>,
    pub(super) holidays: Holidays,
    pub(super) billing: Option<Billing>,
    pub(super) advances: Vec<Advance>,
    pub(super) components: Vec<Component>,
}

/// The contracts of an account, in order of their dates. Before the first one nothing has a price.
/// A copy shares them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contracts(Arc<[Contract]>);

const MOST_CONTRACTS: usize = 200;
const MOST_COMPONENTS: usize = 64;
const MOST_HOLIDAYS: usize = 128;
/// Each has a price of its own in each quarter of an hour.
const MOST_SENSORS: usize = 16;
const FIELDS: &[&str] = &[
    "from",
    "name",
    "currency",
    "continues",
    "holidays",
    "billing",
    "advances",
    "components",
];
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
        let continues = fields.get("continues").map(|node| node.flag());
        let holidays = match fields.get("holidays") {
            Some(node) => read_holidays(&node)?,
            None => Holidays::default(),
        };
        let billing = fields.get("billing").map(|node| Billing::read(&node));
        let billing = billing.transpose()?;
        let advances = fields.get("advances").map(|node| Advance::read_list(&node));
        let nodes = fields.need("components", r#"[{"energy":{"price":0.3215}}]"#)?;
        let nodes = nodes.list(MOST_COMPONENTS, r#"[{"energy":{"price":0.3215}}]"#)?;
        let mut components: Vec<Component> = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let component = Component::read(node, &components, &holidays)?;
            if billing.is_none() && component.named_periods().contains(&Period::Billing) {
                let expected = r#"the field "billing" in the contract, such as {"from":"2026-01-17","months":1}, because this component has billing periods"#;
                return Err(ContractError::new(
                    node.place(),
                    format!("expected {expected}"),
                ));
            }
            let is_limited = |one: &Component| matches!(&one.terms, Terms::Export(terms) if terms.at_most.is_some());
            if is_limited(&component) && components.iter().any(is_limited) {
                let expected = "at_most on one export only: an earlier one has it";
                return Err(ContractError::new(
                    node.place(),
                    format!("expected {expected}"),
                ));
            }
            components.push(component);
        }
        let named = components.iter().flat_map(Component::sensors);
        let named: BTreeSet<&SensorId> = named.collect();
        if named.len() > MOST_SENSORS {
            let problem = format!(
                "they name {} sensors in of; expected {MOST_SENSORS} at most",
                named.len()
            );
            return Err(ContractError::new("components", problem));
        }
        Ok(Self {
            from: from_date.map_err(|_| from.refused("a date such as \"2026-01-01\""))?,
            name: fields.need("name", "\"Day and night\"")?.label()?,
            currency: Currency::new(&currency.text("\"EUR\"")?).map_err(|_| {
                currency.refused("a currency of 1 to 8 characters, such as \"EUR\"")
            })?,
            continues: continues.transpose()?,
            advances: advances.transpose()?.unwrap_or_default(),
            billing,
            components,
            holidays,
        })
    }

    /// Formats it as JSON with a line for each component, zone and tier, for people to edit.
    #[must_use]
    pub fn to_pretty(&self) -> String {
        let value: Option<serde_json::Value> = serde_json::from_str(&self.to_string()).ok();
        let pretty = value.and_then(|value| serde_json::to_string_pretty(&value).ok());
        pretty.unwrap_or_else(|| self.to_string())
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
        self.sources().map(|source| &source.series)
    }

    /// The longest period whose mean price of a series it needs; `None` if it needs none.
    #[must_use]
    pub fn longest_mean(&self) -> Option<MeanPeriod> {
        self.sources().filter_map(|source| source.mean).max()
    }

    fn sources(&self) -> impl Iterator<Item = &SeriesSource> {
        self.components.iter().flat_map(Component::sources)
    }

    /// The names of the day lists that it uses.
    pub fn day_lists(&self) -> impl Iterator<Item = &Label> {
        let conditions = self.components.iter().flat_map(Component::conditions);
        let days = conditions.filter_map(|it| it.days.as_ref());
        days.map(|days| &days.list)
    }

    /// The sensors that it names.
    pub fn sensors(&self) -> impl Iterator<Item = &SensorId> {
        self.components.iter().flat_map(Component::sensors)
    }

    fn energies(&self) -> impl Iterator<Item = &EnergyTerms> {
        let components = self.components.iter();
        components.filter_map(|component| match &component.terms {
            Terms::Energy(terms) => Some(terms),
            _ => None,
        })
    }

    fn demands(&self) -> impl Iterator<Item = &DemandTerms> {
        let components = self.components.iter();
        components.filter_map(|component| match &component.terms {
            Terms::Demand(terms) => Some(terms),
            _ => None,
        })
    }

    /// The kinds of its components, such as `energy` and `fixed`.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> {
        self.components.iter().map(Component::kind)
    }

    /// The measures of demand charges that depend on earlier peaks, each with the number of
    /// periods, which is at least this one.
    pub(super) fn peak_histories(&self, least: u8) -> impl Iterator<Item = (PeakMeasure, u8)> {
        let demands = self
            .demands()
            .map(move |terms| (terms, terms.months.max(least)));
        let measure =
            |terms: &DemandTerms| PeakMeasure::new(&terms.measure, &self.holidays, self.billing);
        let long = demands.filter(|(_, months)| *months > 1);
        long.map(move |(terms, months)| (measure(terms), months))
    }

    /// Whether it prices the demand.
    #[must_use]
    pub fn has_demand(&self) -> bool {
        self.demands().next().is_some()
    }

    /// Whether a demand charge has its peak in a billing period.
    pub(super) fn bills_demand_by_period(&self) -> bool {
        self.demands()
            .any(|terms| terms.measure.period == Period::Billing)
    }

    /// The span of its netting, an hour or a quarter of one, and the sensors whose energy
    /// is netted.
    pub(super) fn netting_of_spans(&self) -> Option<(DemandSpan, &[SensorId])> {
        self.energies().find_map(|terms| {
            let span = terms.netting?.period.span()?;
            Some((span, terms.of.as_slice()))
        })
    }

    /// The places of the components with these names before a place.
    pub(super) fn places(&self, names: &[Label], before: usize) -> Vec<usize> {
        let components = self.components.iter().take(before).enumerate();
        let is_meant = |component: &Component| {
            let name = component.name.as_ref();
            name.is_some_and(|name| names.contains(name))
        };
        let meant = components.filter(|(_, component)| is_meant(component));
        meant.map(|(place, _)| place).collect()
    }

    /// The advances paid between two times; `None` without advances.
    pub(super) fn paid(&self, from: Timestamp, to: Timestamp, zone: &Zone) -> Option<Amount> {
        let paid = || Advance::paid(&self.advances, from, to, zone);
        (!self.advances.is_empty()).then(paid)
    }

    pub(super) const fn billing(&self) -> Option<Billing> {
        self.billing
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
            ("continues", self.continues.map(|it| it.to_string())),
            ("holidays", (!self.holidays.is_empty()).then_some(holidays)),
            ("billing", self.billing.map(Billing::write)),
            (
                "advances",
                (!self.advances.is_empty()).then(|| Advance::write_list(&self.advances)),
            ),
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
