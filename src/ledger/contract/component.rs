//! The components of a contract: costs and credits.

use super::Label;
use super::charge_base::{EarlierComponents, TaxBase};
use super::conditions::Conditions;
use super::demand_terms::DemandTerms;
use super::energy_terms::{EnergyTerms, ExportTerms, read_sensors, write_sensors};
use super::holidays::Holidays;
use super::json::{ContractError, Heading, Node, members, object, quoted};
use super::percent::Percent;
use super::period::Period;
use super::rate::Rate;
use super::scope::EnergyScope;
use super::series_rate::SeriesSource;
use super::step_charge::{EnergyStep, EnergySteps, StepEnergy};
use crate::domain::{Decimal, SensorId};

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
    /// Time, by the energy of a period.
    Steps { steps: EnergySteps, per: Period },
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
        base: EarlierComponents,
    },
    /// The highest cost of earlier components, per kilowatt-hour drawn in each period.
    Maximum {
        price: Decimal,
        period: Period,
        base: EarlierComponents,
    },
    /// A reduction by a share of the components before it.
    Discount {
        percent: Percent,
        base: EarlierComponents,
    },
    /// A share of the components before it.
    Tax {
        percent: Percent,
        base: EarlierComponents,
    },
}

const KINDS: &[&str] = &[
    "energy", "demand", "fixed", "minimum", "maximum", "discount", "export", "tax",
];
const EXAMPLE: &str = r#"{"energy":{"price":0.3215}}"#;
const FIXED_EXAMPLE: &str = r#"{"name":"standing charge","price":0.42,"per":"day"}"#;
const MINIMUM_EXAMPLE: &str = r#"{"name":"minimum charge","price":10,"per":"month"}"#;
const MAXIMUM_EXAMPLE: &str =
    r#"{"name":"maximum tariff","price":0.25,"period":"year","on":["capacity"]}"#;
const DISCOUNT_EXAMPLE: &str = r#"{"name":"discount","percent":35,"on":["energy"]}"#;
const TAX_EXAMPLE: &str = r#"{"name":"VAT","percent":19}"#;

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
            "fixed" => read_fixed(&node)?,
            kind => read_after(kind, &node, before)?,
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
            Terms::Fixed { .. } | Terms::Steps { .. } => "fixed",
            Terms::Minimum { .. } => "minimum",
            Terms::Maximum { .. } => "maximum",
            Terms::Discount { .. } => "discount",
            Terms::Tax { .. } => "tax",
        }
    }

    pub(super) fn write(&self) -> String {
        let name = ("name", self.name.as_ref().map(|name| quoted(name.as_str())));
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
            Terms::Steps { steps, per } => {
                let period = (steps.period != *per).then(|| quoted(steps.period.as_str()));
                let by = (steps.by != StepEnergy::default()).then(|| quoted(steps.by.as_str()));
                members(named.chain([
                    ("steps", Some(EnergyStep::write_list(&steps.all))),
                    ("per", Some(quoted(per.as_str()))),
                    ("period", period),
                    ("by", by),
                ]))
            }
            Terms::Maximum {
                price,
                period,
                base,
            } => {
                let price = ("price", Some(price.to_string()));
                let own = [price, ("period", Some(quoted(period.as_str())))];
                members(named.chain(own).chain(base.members(TaxBase::Costs)))
            }
            Terms::Discount { percent, base } => {
                let percent = [("percent", Some(percent.to_string()))];
                members(named.chain(percent).chain(base.members(TaxBase::Costs)))
            }
            Terms::Minimum {
                price,
                per: of_time,
                base,
            } => {
                let base = base.members(TaxBase::Costs);
                members(named.chain(per(*price, *of_time)).chain(base))
            }
            Terms::Tax { percent, base } => {
                let percent = [("percent", Some(percent.to_string()))];
                members(named.chain(percent).chain(base.members(TaxBase::Net)))
            }
        };
        object([(self.kind(), Some(terms))])
    }

    /// Whether its amounts depend on periods, so that they can go on from the contract before.
    const fn has_periods(&self) -> bool {
        match &self.terms {
            Terms::Energy(terms) => {
                let tiers = terms.rate.tiers();
                let is_limited = terms.cap.is_some() || terms.scope.first.is_some();
                tiers.is_some() || terms.netting.is_some() || is_limited
            }
            Terms::Export(terms) => {
                let is_limited = terms.at_most.is_some() || terms.scope.first.is_some();
                terms.rate.tiers().is_some() || is_limited
            }
            Terms::Minimum { .. } | Terms::Maximum { .. } | Terms::Steps { .. } => true,
            Terms::Demand(_) | Terms::Fixed { .. } | Terms::Discount { .. } | Terms::Tax { .. } => {
                false
            }
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
            Terms::Minimum { .. } | Terms::Maximum { .. } => true,
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
            Terms::Export(terms) => terms.periods().collect(),
            Terms::Demand(terms) => vec![terms.measure.period],
            Terms::Steps { steps, per } => vec![steps.period, *per],
            Terms::Fixed { per, .. } | Terms::Minimum { per, .. } => vec![*per],
            Terms::Maximum { period, .. } => vec![*period],
            Terms::Discount { .. } | Terms::Tax { .. } => Vec::new(),
        }
    }

    /// The rate of energy in one direction, and the energy that it counts.
    pub(super) const fn rate(&self) -> Option<(&Rate, &EnergyScope)> {
        match &self.terms {
            Terms::Energy(terms) => Some((&terms.rate, &terms.scope)),
            Terms::Export(terms) => Some((&terms.rate, &terms.scope)),
            _ => None,
        }
    }

    /// The series that it follows, or that decides which energy counts.
    pub(super) fn sources(&self) -> impl Iterator<Item = &SeriesSource> {
        let rate = self.rate().into_iter();
        rate.flat_map(|(rate, scope)| {
            let range = scope.only_if.as_ref().map(|range| &range.source);
            rate.source().into_iter().chain(range)
        })
    }

    /// Its conditions by the clock.
    pub(super) fn conditions(&self) -> Vec<&Conditions> {
        match &self.terms {
            Terms::Energy(terms) => {
                let cap = terms.cap.iter().map(|cap| &cap.when);
                let own = [&terms.scope.when].into_iter().chain(cap);
                terms.rate.conditions().into_iter().chain(own).collect()
            }
            Terms::Export(terms) => {
                let own = [&terms.scope.when].into_iter();
                terms.rate.conditions().into_iter().chain(own).collect()
            }
            Terms::Demand(terms) => terms.measure.conditions().collect(),
            _ => Vec::new(),
        }
    }
}

/// Reads a component that depends on those before it.
fn read_after(
    kind: &str,
    node: &Node<'_>,
    before: &[Component],
) -> Result<(Terms, Heading), ContractError> {
    let before: Vec<&Label> = before.iter().filter_map(|it| it.name.as_ref()).collect();
    let before = before.as_slice();
    Ok(match kind {
        "minimum" => {
            let known = ["name", "continues", "price", "per", "of", "on"];
            let fields = node.fields(&known, MINIMUM_EXAMPLE)?;
            let expected = "an amount from 0 to 999999.999999 with up to six decimals, such as 10";
            let price = fields.need("price", "10")?.not_negative(expected)?;
            let per = fields.need("per", "\"month\"")?.word()?;
            let base = EarlierComponents::read(&fields, before, TaxBase::Costs)?;
            fields.need("name", "\"minimum charge\"")?;
            (Terms::Minimum { price, per, base }, fields.heading()?)
        }
        "maximum" => {
            let known = ["name", "continues", "price", "period", "of", "on"];
            let fields = node.fields(&known, MAXIMUM_EXAMPLE)?;
            let expected = "a price from 0 to 999999.999999 with up to six decimals, such as 0.25";
            let price = fields.need("price", "0.25")?.not_negative(expected)?;
            let period = fields.need("period", "\"year\"")?.word()?;
            let base = EarlierComponents::read(&fields, before, TaxBase::Costs)?;
            fields.need("name", "\"maximum tariff\"")?;
            let terms = Terms::Maximum {
                price,
                period,
                base,
            };
            (terms, fields.heading()?)
        }
        kind => {
            let is_tax = kind == "tax";
            let example = if is_tax {
                TAX_EXAMPLE
            } else {
                DISCOUNT_EXAMPLE
            };
            let known = ["name", "continues", "percent", "of", "on"];
            let fields = node.fields(&known, example)?;
            let percent = fields.need("percent", "19")?.percent()?;
            let usual = if is_tax { TaxBase::Net } else { TaxBase::Costs };
            let base = EarlierComponents::read(&fields, before, usual)?;
            fields.need("name", "\"VAT\"")?;
            let terms = if is_tax {
                Terms::Tax { percent, base }
            } else {
                Terms::Discount { percent, base }
            };
            (terms, fields.heading()?)
        }
    })
}

/// Reads a charge for time.
fn read_fixed(node: &Node<'_>) -> Result<(Terms, Heading), ContractError> {
    let known = [
        "name",
        "continues",
        "price",
        "per",
        "of",
        "steps",
        "by",
        "period",
    ];
    let fields = node.fields(&known, FIXED_EXAMPLE)?;
    fields.need("name", "\"standing charge\"")?;
    let per = fields.need("per", "\"day\"")?.word()?;
    let terms = if let Some(steps) = fields.get("steps") {
        fields.check_known(&["name", "continues", "per", "steps", "by", "period"])?;
        let by = fields.get("by").map(|node| node.word()).transpose()?;
        let period = fields.get("period").map(|node| node.word()).transpose()?;
        let steps = EnergySteps {
            all: EnergyStep::read_list(&steps)?,
            by: by.unwrap_or_default(),
            period: period.unwrap_or(per),
        };
        Terms::Steps { steps, per }
    } else {
        fields.check_known(&["name", "continues", "price", "per", "of"])?;
        let price = fields.need("price", "0.42")?.price()?;
        let of = read_sensors(&fields)?;
        Terms::Fixed { price, per, of }
    };
    Ok((terms, fields.heading()?))
}
