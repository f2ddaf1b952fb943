//! The components of a contract: costs and credits.

use super::Label;
use super::demand_terms::DemandTerms;
use super::energy_terms::{EnergyTerms, ExportTerms, read_sensors, write_sensors};
use super::holidays::Holidays;
use super::json::{ContractError, Fields, Node, list, members, object, quoted};
use super::percent::Percent;
use super::period::Period;
use crate::domain::words::words;
use crate::domain::{Decimal, SensorId};

/// The base of a tax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaxBase {
    /// The costs before it less the credits before it.
    Net,
    /// The costs before it alone.
    Costs,
}

words! { TaxBase: Net "net", Costs "costs"; "\"net\" or \"costs\"" }

/// A part of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Component {
    pub(super) name: Option<Label>,
    /// Whether its amounts of a period go on from the contract before; `None` as the contract says.
    pub(super) continues: Option<bool>,
    pub(super) terms: Terms,
}

/// The kind of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Terms {
    /// Energy that is drawn.
    Energy(EnergyTerms),
    /// Energy that is fed in, a credit.
    Export(ExportTerms),
    /// The highest mean power of a period, per kilowatt.
    Demand(DemandTerms),
    /// Time.
    Fixed {
        price: Decimal,
        per: Period,
        /// The sensors that it is for, shown on its line.
        of: Vec<SensorId>,
    },
    /// The lowest cost of earlier components.
    Minimum {
        price: Decimal,
        per: Period,
        of: TaxBase,
        on: Vec<Label>,
    },
    /// A share of the components before it.
    Tax {
        percent: Percent,
        of: TaxBase,
        /// The names of these components; empty for all.
        on: Vec<Label>,
    },
}

const KINDS: &[&str] = &["energy", "demand", "fixed", "minimum", "export", "tax"];
const EXAMPLE: &str = r#"{"energy":{"price":0.3215}}"#;
const FIXED_EXAMPLE: &str = r#"{"name":"standing charge","price":0.42,"per":"day"}"#;
const MINIMUM_EXAMPLE: &str = r#"{"name":"minimum charge","price":10,"per":"month"}"#;
const TAX_EXAMPLE: &str = r#"{"name":"VAT","percent":19}"#;
const MOST_NAMES: usize = 64;

impl Component {
    /// Reads a component, after components with these names.
    pub(super) fn read(
        node: &Node<'_>,
        before: &[Self],
        holidays: &Holidays,
    ) -> Result<Self, ContractError> {
        let outer = node.fields(KINDS, EXAMPLE)?;
        let mut names = outer.names();
        let (Some(kind), None) = (names.next(), names.next()) else {
            return Err(node.refused(format_args!(
                "one of {}, such as {EXAMPLE}",
                KINDS.join(", ")
            )));
        };
        let node = outer.need(kind, EXAMPLE)?;
        let (terms, (name, continues)) = match kind {
            "energy" => {
                let (terms, heading) = EnergyTerms::read(&node, holidays)?;
                (Terms::Energy(terms), heading)
            }
            "export" => {
                let (terms, heading) = ExportTerms::read(&node, holidays)?;
                (Terms::Export(terms), heading)
            }
            "demand" => {
                let (terms, heading) = DemandTerms::read(&node)?;
                (Terms::Demand(terms), heading)
            }
            "fixed" => {
                let fields =
                    node.fields(&["name", "continues", "price", "per", "of"], FIXED_EXAMPLE)?;
                let price = fields.need("price", "0.42")?.price()?;
                let per = fields.need("per", "\"day\"")?.word()?;
                let of = read_sensors(&fields)?;
                fields.need("name", "\"standing charge\"")?;
                (Terms::Fixed { price, per, of }, fields.heading()?)
            }
            "minimum" => {
                let known = ["name", "continues", "price", "per", "of", "on"];
                let fields = node.fields(&known, MINIMUM_EXAMPLE)?;
                let expected =
                    "an amount from 0 to 999999.999999 with up to six decimals, such as 10";
                let price = fields.need("price", "10")?.not_negative(expected)?;
                let per = fields.need("per", "\"month\"")?.word()?;
                let of = fields.get("of").map(|node| node.word()).transpose()?;
                let of = of.unwrap_or(TaxBase::Costs);
                let on = read_names(&fields, before)?;
                fields.need("name", "\"minimum charge\"")?;
                (Terms::Minimum { price, per, of, on }, fields.heading()?)
            }
            _ => {
                let fields =
                    node.fields(&["name", "continues", "percent", "of", "on"], TAX_EXAMPLE)?;
                let percent = fields.need("percent", "19")?.percent()?;
                let of = fields.get("of").map(|node| node.word()).transpose()?;
                let of = of.unwrap_or(TaxBase::Net);
                let on = read_names(&fields, before)?;
                fields.need("name", "\"VAT\"")?;
                (Terms::Tax { percent, of, on }, fields.heading()?)
            }
        };
        Ok(Self {
            name,
            continues,
            terms,
        })
    }

    /// Its kind, as JSON names it.
    pub(super) const fn kind(&self) -> &'static str {
        match self.terms {
            Terms::Energy(_) => "energy",
            Terms::Export(_) => "export",
            Terms::Demand(_) => "demand",
            Terms::Fixed { .. } => "fixed",
            Terms::Minimum { .. } => "minimum",
            Terms::Tax { .. } => "tax",
        }
    }

    pub(super) fn write(&self) -> String {
        let name = ("name", self.name.as_ref().map(|name| quoted(name.as_str())));
        let base = |of: TaxBase, usual: TaxBase, on: &[Label]| {
            let names = list(on.iter().map(|name| quoted(name.as_str())));
            let of = (of != usual).then(|| quoted(of.as_str()));
            [("of", of), ("on", (!on.is_empty()).then_some(names))]
        };
        let per = |price: Decimal, per: Period| {
            let price = ("price", Some(price.to_string()));
            [price, ("per", Some(quoted(per.as_str())))]
        };
        let continues = self.continues.map(|continues| continues.to_string());
        let named = [name, ("continues", continues)].into_iter();
        let terms = match &self.terms {
            Terms::Energy(terms) => members(named.chain(terms.members())),
            Terms::Export(terms) => members(named.chain(terms.members())),
            Terms::Demand(terms) => members(named.chain(terms.members())),
            Terms::Fixed {
                price,
                per: of_time,
                of,
            } => {
                let of = [("of", write_sensors(of))];
                members(named.chain(per(*price, *of_time)).chain(of))
            }
            Terms::Minimum {
                price,
                per: of_time,
                of,
                on,
            } => {
                let base = base(*of, TaxBase::Costs, on);
                members(named.chain(per(*price, *of_time)).chain(base))
            }
            Terms::Tax { percent, of, on } => {
                let percent = [("percent", Some(percent.to_string()))];
                let base = base(*of, TaxBase::Net, on);
                members(named.chain(percent).chain(base))
            }
        };
        object([(self.kind(), Some(terms))])
    }

    /// Whether its amounts depend on periods, so that they can go on from the contract before.
    const fn has_periods(&self) -> bool {
        match &self.terms {
            Terms::Energy(terms) => {
                let tiers = terms.rate.tiers();
                tiers.is_some() || terms.netting.is_some() || terms.cap.is_some()
            }
            Terms::Export(terms) => terms.rate.tiers().is_some() || terms.at_most.is_some(),
            Terms::Minimum { .. } => true,
            Terms::Demand(_) | Terms::Fixed { .. } | Terms::Tax { .. } => false,
        }
    }

    /// Whether it can go on from a component of the contract before: both have one kind and one
    /// name, and count the same sensors.
    pub(super) fn is_same(&self, before: &Self) -> bool {
        self.has_periods()
            && before.has_periods()
            && self.kind() == before.kind()
            && self.name == before.name
            && self.sensors() == before.sensors()
    }

    /// Whether its amount depends on other components of the period.
    pub(super) const fn looks_at_others(&self) -> bool {
        match &self.terms {
            Terms::Export(terms) => terms.at_most.is_some(),
            Terms::Minimum { .. } => true,
            _ => false,
        }
    }

    /// The sensors whose energy it counts.
    pub(super) fn sensors(&self) -> &[SensorId] {
        match &self.terms {
            Terms::Energy(terms) => &terms.of,
            _ => &[],
        }
    }

    /// The periods of the contract that it names.
    pub(super) fn named_periods(&self) -> Vec<Period> {
        match &self.terms {
            Terms::Energy(terms) => terms.periods().collect(),
            Terms::Export(terms) => terms.rate.tiers().map(|it| it.period).into_iter().collect(),
            Terms::Demand(terms) => vec![terms.measure.period],
            Terms::Fixed { per, .. } | Terms::Minimum { per, .. } => vec![*per],
            Terms::Tax { .. } => Vec::new(),
        }
    }
}

/// Reads names of earlier components.
fn read_names(fields: &Fields<'_>, before: &[Component]) -> Result<Vec<Label>, ContractError> {
    let Some(node) = fields.get("on") else {
        return Ok(Vec::new());
    };
    let mut names = Vec::new();
    for node in node.list(MOST_NAMES, r#"["grid"]"#)? {
        let name = node.label()?;
        if !before.iter().any(|one| one.name.as_ref() == Some(&name)) {
            return Err(node.refused("the name of a component before this one"));
        }
        if names.contains(&name) {
            return Err(node.refused("each name once"));
        }
        names.push(name);
    }
    Ok(names)
}
