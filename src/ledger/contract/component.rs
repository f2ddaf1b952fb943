//! The components of a contract: costs and credits.

use super::Label;
use super::holidays::Holidays;
use super::json::{ContractError, Node, object, quoted};
use super::rate::Rate;
use crate::domain::words::words;
use crate::domain::{Decimal, Interval};

/// The period of a fixed charge, or of tiers, which start again at zero with each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// A day.
    Day,
    /// A month of the calendar.
    Month,
    /// A year of the calendar.
    Year,
}

words! { Period: Day "day", Month "month", Year "year"; "\"day\", \"month\" or \"year\"" }

/// The time over which a demand is the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemandSpan {
    /// An hour of the clock.
    Hour,
    /// A quarter of an hour of the clock.
    Quarter,
}

words! { DemandSpan: Hour "hour", Quarter "quarter"; "\"hour\" or \"quarter\"" }

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
    pub(super) terms: Terms,
}

/// The kind of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Terms {
    /// Energy that is drawn.
    Energy(Rate),
    /// Energy that is fed back, a credit. Never by tiers.
    Export(Rate),
    /// The highest mean power of a month, per kilowatt.
    Demand { price: Decimal, per: DemandSpan },
    /// Time.
    Fixed { price: Decimal, per: Period },
    /// A share of the components before it.
    Tax { percent: Decimal, of: TaxBase },
}

const KINDS: &[&str] = &["energy", "demand", "fixed", "export", "tax"];
const EXAMPLE: &str = r#"{"energy":{"price":0.3215}}"#;

impl Component {
    pub(super) fn read(node: &Node<'_>, holidays: &Holidays) -> Result<Self, ContractError> {
        let outer = node.fields(KINDS, EXAMPLE)?;
        let mut names = outer.names();
        let (Some(kind), None) = (names.next(), names.next()) else {
            return Err(node.refused(format_args!(
                "one of {}, such as {EXAMPLE}",
                KINDS.join(", ")
            )));
        };
        let node = outer.need(kind, EXAMPLE)?;
        match kind {
            "energy" => {
                let fields = node.fields(Rate::FIELDS, r#"{"price":0.3215}"#)?;
                Ok(Self {
                    name: fields.label()?,
                    terms: Terms::Energy(Rate::read(&node, &fields, holidays)?),
                })
            }
            "export" => {
                let fields = node.fields(Rate::FIELDS, r#"{"price":0.08}"#)?;
                if let Some(tiers) = fields.get("tiers") {
                    return Err(tiers
                        .refused(r#"price, zones or series for export, such as {"price":0.08}"#));
                }
                Ok(Self {
                    name: fields.label()?,
                    terms: Terms::Export(Rate::read(&node, &fields, holidays)?),
                })
            }
            "demand" => {
                let fields =
                    node.fields(&["name", "price", "per"], r#"{"price":4.5,"per":"hour"}"#)?;
                let price = fields.need("price", "4.5")?.price()?;
                let per = fields.need("per", "\"hour\"")?.word()?;
                Ok(Self {
                    name: fields.label()?,
                    terms: Terms::Demand { price, per },
                })
            }
            "fixed" => {
                let fields = node.fields(
                    &["name", "price", "per"],
                    r#"{"name":"standing charge","price":0.42,"per":"day"}"#,
                )?;
                let price = fields.need("price", "0.42")?.price()?;
                let per = fields.need("per", "\"day\"")?.word()?;
                Ok(Self {
                    name: Some(fields.need("name", "\"standing charge\"")?.label()?),
                    terms: Terms::Fixed { price, per },
                })
            }
            _ => {
                let fields =
                    node.fields(&["name", "percent", "of"], r#"{"name":"VAT","percent":19}"#)?;
                let expected =
                    "a percentage from 0 to 999999.999999 with up to six decimals, such as 19";
                let percent = fields.need("percent", "19")?.not_negative(expected)?;
                let of = fields.get("of").map(|node| node.word()).transpose()?;
                Ok(Self {
                    name: Some(fields.need("name", "\"VAT\"")?.label()?),
                    terms: Terms::Tax {
                        percent,
                        of: of.unwrap_or(TaxBase::Net),
                    },
                })
            }
        }
    }

    /// Its kind, as JSON names it.
    pub(super) const fn kind(&self) -> &'static str {
        match self.terms {
            Terms::Energy(_) => "energy",
            Terms::Export(_) => "export",
            Terms::Demand { .. } => "demand",
            Terms::Fixed { .. } => "fixed",
            Terms::Tax { .. } => "tax",
        }
    }

    pub(super) fn write(&self) -> String {
        let name = ("name", self.name.as_ref().map(|name| quoted(name.as_str())));
        let with_price = |price: Decimal, per: &str| {
            object([
                name.clone(),
                ("price", Some(price.to_string())),
                ("per", Some(quoted(per))),
            ])
        };
        match &self.terms {
            Terms::Energy(rate) => object([("energy", Some(rate.write(self.name.as_ref())))]),
            Terms::Export(rate) => object([("export", Some(rate.write(self.name.as_ref())))]),
            Terms::Demand { price, per } => {
                object([("demand", Some(with_price(*price, per.as_str())))])
            }
            Terms::Fixed { price, per } => {
                object([("fixed", Some(with_price(*price, per.as_str())))])
            }
            Terms::Tax { percent, of } => {
                let of = (*of != TaxBase::Net).then(|| quoted(of.as_str()));
                let tax = object([name, ("percent", Some(percent.to_string())), ("of", of)]);
                object([("tax", Some(tax))])
            }
        }
    }
}

impl Period {
    pub(super) const fn interval(self) -> Interval {
        match self {
            Self::Day => Interval::Day,
            Self::Month => Interval::Month,
            Self::Year => Interval::Year,
        }
    }
}

impl DemandSpan {
    pub(super) const fn interval(self) -> Interval {
        match self {
            Self::Hour => Interval::Hour,
            Self::Quarter => Interval::QuarterHour,
        }
    }
}
