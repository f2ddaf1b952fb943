//! The terms of a demand charge.

use super::conditions::Conditions;
use super::json::{ContractError, Fields, Heading, Node, list, members, object, quoted};
use super::period::{DemandSpan, Period};
use super::scope::{read_when, write_when};
use crate::domain::Decimal;

/// The price of a demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DemandPrice {
    /// Per kilowatt and day, month or year.
    PerKilowatt { price: Decimal, per: Period },
    /// By steps: a fixed amount for each period.
    Steps(Vec<DemandStep>),
}

/// The amount for a demand of up to `up_to_kw` kilowatts; the last step has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DemandStep {
    pub(super) up_to_kw: Option<Decimal>,
    pub(super) price: Decimal,
}

/// How a demand is measured. Components that measure alike share a meter: a new contract continues
/// its peaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DemandMeasure {
    pub(super) per: DemandSpan,
    /// The period of a peak: a month or a billing period.
    pub(super) period: Period,
    /// The number of highest spans in the mean that is the peak.
    pub(super) peaks: u8,
    /// Whether those spans are on different days.
    pub(super) distinct_days: bool,
    /// The spans that count.
    pub(super) when: Conditions,
    /// Only a part of the power counts in these spans; the last weight that holds applies.
    pub(super) weights: Vec<DemandWeight>,
}

/// The part of the power that counts in some spans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DemandWeight {
    /// 1 for all of it.
    pub(super) factor: Decimal,
    pub(super) when: Conditions,
}

/// A demand charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DemandTerms {
    pub(super) price: DemandPrice,
    pub(super) measure: DemandMeasure,
    /// Limits of each period's peak, in kilowatts.
    pub(super) at_least_kw: Option<Decimal>,
    pub(super) at_most_kw: Option<Decimal>,
    /// The number of periods whose mean peak is billed, the running one included.
    pub(super) months: u8,
}

const EXAMPLE: &str = r#"{"price":4.5,"per":"hour"}"#;
const STEPS: &str = r#"[{"up_to_kw":2,"price":110},{"price":180}]"#;
const MOST_STEPS: usize = 32;
const WEIGHTS: &str = r#"[{"factor":0.5,"hours":"22:00-06:00"}]"#;
const MOST_WEIGHTS: usize = 8;
const FIELDS: &[&str] = &[
    "name",
    "continues",
    "price",
    "price_per",
    "steps",
    "per",
    "period",
    "peaks",
    "distinct_days",
    "at_least_kw",
    "at_most_kw",
    "months",
    "when",
    "weights",
];

impl DemandTerms {
    pub(super) fn read(node: &Node<'_>) -> Result<(Self, Heading), ContractError> {
        let fields = node.fields(FIELDS, EXAMPLE)?;
        let heading = fields.heading()?;
        if heading.1 == Some(false) {
            let expected = "true or nothing: a demand always goes on, because the meter stays";
            return Err(fields.refused("continues", expected));
        }
        let whole = |name: &str, most: u8| match fields.get(name) {
            Some(node) => node.whole(1, most),
            None => Ok(1),
        };
        let period = match fields.get("period") {
            Some(node) => {
                let period: Option<Period> = node.word().ok();
                let period = period.filter(|it| matches!(it, Period::Month | Period::Billing));
                period.ok_or_else(|| node.refused("\"month\" or \"billing\""))?
            }
            None => Period::Month,
        };
        let weights = fields.get("weights").map(|node| {
            let nodes = node.list(MOST_WEIGHTS, WEIGHTS)?;
            nodes.iter().map(DemandWeight::read).collect()
        });
        let distinct = fields.get("distinct_days").map(|node| node.flag());
        let kilowatts = |name: &str| {
            let expected = "kilowatts from 0 to 999999.999999 with up to six decimals, such as 2.5";
            let read = |node: Node<'_>| node.not_negative(expected);
            fields.get(name).map(read).transpose()
        };
        let (at_least_kw, at_most_kw) = (kilowatts("at_least_kw")?, kilowatts("at_most_kw")?);
        if at_most_kw
            .zip(at_least_kw)
            .is_some_and(|(most, least)| most < least)
        {
            return Err(fields.refused("at_most_kw", "no less than at_least_kw"));
        }
        let terms = Self {
            price: DemandPrice::read(node, &fields)?,
            measure: DemandMeasure {
                per: fields.need("per", "\"hour\"")?.word()?,
                period,
                peaks: whole("peaks", 10)?,
                distinct_days: distinct.transpose()?.unwrap_or(false),
                when: read_when(&fields)?,
                weights: weights.transpose()?.unwrap_or_default(),
            },
            at_least_kw,
            at_most_kw,
            months: whole("months", 24)?,
        };
        Ok((terms, heading))
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&'static str, Option<String>)> {
        let (price, per, steps) = match &self.price {
            DemandPrice::PerKilowatt { price, per } => {
                let per = (*per != Period::Month).then(|| quoted(per.as_str()));
                (Some(price.to_string()), per, None)
            }
            DemandPrice::Steps(steps) => {
                (None, None, Some(list(steps.iter().map(DemandStep::write))))
            }
        };
        let more_than_one = |number: u8| (number > 1).then(|| number.to_string());
        let measure = &self.measure;
        let kilowatts = |kw: Option<Decimal>| kw.map(|kw| kw.to_string());
        let weights = &measure.weights;
        [
            ("price", price),
            ("price_per", per),
            ("steps", steps),
            ("per", Some(quoted(measure.per.as_str()))),
            (
                "period",
                (measure.period != Period::Month).then(|| quoted(measure.period.as_str())),
            ),
            ("peaks", more_than_one(measure.peaks)),
            (
                "distinct_days",
                measure.distinct_days.then(|| "true".to_owned()),
            ),
            ("at_least_kw", kilowatts(self.at_least_kw)),
            ("at_most_kw", kilowatts(self.at_most_kw)),
            ("months", more_than_one(self.months)),
            ("when", write_when(&measure.when)),
            (
                "weights",
                (!weights.is_empty()).then(|| list(weights.iter().map(DemandWeight::write))),
            ),
        ]
        .into_iter()
    }
}

impl DemandPrice {
    fn read(node: &Node<'_>, fields: &Fields<'_>) -> Result<Self, ContractError> {
        let per = fields.get("price_per").map(|node| {
            let per: Option<Period> = node.word().ok();
            let per = per.filter(|it| matches!(it, Period::Day | Period::Month | Period::Year));
            per.ok_or_else(|| node.refused("\"day\", \"month\" or \"year\""))
        });
        let per = per.transpose()?;
        match (fields.get("price"), fields.get("steps")) {
            (Some(price), None) => Ok(Self::PerKilowatt {
                price: price.price()?,
                per: per.unwrap_or(Period::Month),
            }),
            (None, Some(_)) if per.is_some() => {
                Err(fields.refused("price_per", "only together with price"))
            }
            (None, Some(steps)) => DemandStep::read_list(&steps).map(Self::Steps),
            _ => Err(node.refused(format_args!("one of price and steps, such as {EXAMPLE}"))),
        }
    }
}

impl DemandMeasure {
    /// The conditions of its spans.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &Conditions> {
        let weights = self.weights.iter().map(|weight| &weight.when);
        std::iter::once(&self.when).chain(weights)
    }
}

impl DemandWeight {
    fn read(node: &Node<'_>) -> Result<Self, ContractError> {
        let known = [&["factor"], Conditions::FIELDS].concat();
        let fields = node.fields(&known, WEIGHTS)?;
        let factor = fields.need("factor", "0.5")?;
        let expected = "a factor from 0 to 1 with up to six decimals, such as 0.5";
        Ok(Self {
            factor: Some(factor.not_negative(expected)?)
                .filter(|it| *it <= Decimal::ONE)
                .ok_or_else(|| factor.refused(expected))?,
            when: Conditions::read(&fields)?,
        })
    }

    fn write(&self) -> String {
        let factor = ("factor", Some(self.factor.to_string()));
        members(std::iter::once(factor).chain(self.when.members()))
    }
}

impl DemandStep {
    fn read_list(node: &Node<'_>) -> Result<Vec<Self>, ContractError> {
        let nodes = node.list(MOST_STEPS, STEPS)?;
        let mut steps: Vec<Self> = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let fields = node.fields(&["up_to_kw", "price"], r#"{"up_to_kw":2,"price":110}"#)?;
            let end = fields.get("up_to_kw").map(|node| {
                node.not_negative("kilowatts above 0 with up to six decimals, such as 2")
            });
            let step = Self {
                up_to_kw: end.transpose()?,
                price: fields.need("price", "110")?.price()?,
            };
            let is_last = index + 1 == nodes.len();
            if is_last != step.up_to_kw.is_none() {
                return Err(node.refused(format_args!(
                    "up_to_kw in each step but the last, such as {STEPS}"
                )));
            }
            let before = steps.last().and_then(|before| before.up_to_kw);
            let before = before.unwrap_or(Decimal::ZERO);
            if step.up_to_kw.is_some_and(|end| end <= before) {
                return Err(node.refused(format_args!(
                    "more kW than in the step before, such as {STEPS}"
                )));
            }
            steps.push(step);
        }
        Ok(steps)
    }

    fn write(&self) -> String {
        object([
            ("up_to_kw", self.up_to_kw.map(|end| end.to_string())),
            ("price", Some(self.price.to_string())),
        ])
    }
}
