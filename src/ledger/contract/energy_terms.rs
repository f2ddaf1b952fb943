//! The terms of drawn and fed-in energy: the sensors that count, and the price.

use super::holidays::Holidays;
use super::json::{ContractError, Fields, Heading, Node, list, members, object, quoted};
use super::period::{Billing, DemandSpan, Period, Periods};
use super::rate::{Rate, Tiers};
use crate::domain::words::words;
use crate::domain::{Decimal, MicroWh, SensorId, Zone};

/// Energy that is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EnergyTerms {
    pub(super) rate: Rate,
    /// The sensors whose energy it counts; empty for all energy that no component names.
    pub(super) of: Vec<SensorId>,
    pub(super) netting: Option<Netting>,
    pub(super) cap: Option<PriceCap>,
}

/// Energy that is fed in, a credit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExportTerms {
    pub(super) rate: Rate,
    pub(super) netting: Option<DemandSpan>,
    pub(super) at_most: Option<CreditLimit>,
}

/// The limit of a credit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CreditLimit {
    /// The cost of energy.
    Energy,
}

words! { CreditLimit: Energy "energy"; "\"energy\"" }

/// Netting: fed-in energy is subtracted from drawn energy in each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Netting {
    pub(super) period: NettingPeriod,
    /// Whether each zone nets for itself.
    pub(super) by_zone: bool,
    /// The credit for each kilowatt-hour fed in beyond the drawn energy.
    pub(super) surplus: Decimal,
}

/// The period of netting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NettingPeriod {
    /// An hour.
    Hour,
    /// A quarter of an hour.
    Quarter,
    /// A month of the calendar.
    Month,
    /// A year of the calendar.
    Year,
    /// A billing period of the contract.
    Billing,
}

words! {
    NettingPeriod: Hour "hour", Quarter "quarter", Month "month", Year "year", Billing "billing";
    "\"hour\", \"quarter\" (of an hour), \"month\", \"year\" or \"billing\""
}

/// The highest price of the first energy of each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PriceCap {
    pub(super) price: Decimal,
    /// The capped energy of each period; `None` for all energy.
    pub(super) allowance: Option<(Decimal, Period)>,
}

const EXAMPLE: &str = r#"{"price":0.3215}"#;
const EXPORT_EXAMPLE: &str = r#"{"price":0.08}"#;
const CAP_EXAMPLE: &str = r#"{"price":0.4,"up_to_kwh":2900,"period":"year"}"#;
const MOST_SENSORS: usize = 16;

/// Reads ids of sensors among the fields of a component.
pub(super) fn read_sensors(fields: &Fields<'_>) -> Result<Vec<SensorId>, ContractError> {
    let Some(node) = fields.get("of") else {
        return Ok(Vec::new());
    };
    let mut sensors = Vec::new();
    for node in node.list(MOST_SENSORS, r#"["night"]"#)? {
        let id = SensorId::new(&node.text("\"night\"")?);
        let id = id.map_err(|_| node.refused("the id of a sensor, such as \"night\""))?;
        if sensors.contains(&id) {
            return Err(node.refused("each sensor once"));
        }
        sensors.push(id);
    }
    Ok(sensors)
}

/// Writes ids of sensors as JSON; `None` without any.
pub(super) fn write_sensors(sensors: &[SensorId]) -> Option<String> {
    let ids = sensors.iter().map(|id| quoted(id.as_str()));
    (!sensors.is_empty()).then(|| list(ids))
}

impl EnergyTerms {
    /// Energy at this rate, without other terms.
    pub(super) const fn plain(rate: Rate) -> Self {
        Self {
            rate,
            of: Vec::new(),
            netting: None,
            cap: None,
        }
    }

    /// The rate, if there are no other terms.
    pub(super) fn as_plain(&self) -> Option<&Rate> {
        let is_plain = self.of.is_empty() && self.netting.is_none() && self.cap.is_none();
        is_plain.then_some(&self.rate)
    }

    pub(super) fn read(
        node: &Node<'_>,
        holidays: &Holidays,
    ) -> Result<(Self, Heading), ContractError> {
        let own = ["continues", "of", "netting", "by_zone", "surplus", "cap"];
        let known = [Rate::FIELDS, &own].concat();
        let fields = node.fields(&known, EXAMPLE)?;
        let rate = Rate::read(node, &fields, &own, holidays)?;
        let terms = Self {
            of: read_sensors(&fields)?,
            netting: Netting::read(&fields, &rate)?,
            cap: fields
                .get("cap")
                .map(|node| PriceCap::read(&node))
                .transpose()?,
            rate,
        };
        Ok((terms, fields.heading()?))
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&'static str, Option<String>)> {
        let netting = self.netting.as_ref();
        let surplus = netting.map(|it| it.surplus);
        let surplus = surplus.filter(|surplus| *surplus != Decimal::ZERO);
        let price = |price: Decimal| object([("price", Some(price.to_string()))]);
        let own = [
            ("of", write_sensors(&self.of)),
            ("netting", netting.map(|it| quoted(it.period.as_str()))),
            (
                "by_zone",
                netting.filter(|it| it.by_zone).map(|_| "true".to_owned()),
            ),
            ("surplus", surplus.map(price)),
            ("cap", self.cap.as_ref().map(PriceCap::write)),
        ];
        self.rate.members().into_iter().chain(own)
    }

    /// The periods whose beginning the amount depends on, besides short ones of netting.
    pub(super) fn periods(&self) -> impl Iterator<Item = Period> {
        let netting = self.netting.and_then(|it| it.period.as_period());
        let cap = self.cap.and_then(|cap| cap.allowance);
        let tiers = self.rate.tiers().map(|tiers| tiers.period);
        let cap = cap.map(|(_, period)| period);
        [netting, cap, tiers].into_iter().flatten()
    }
}

impl ExportTerms {
    /// Export at this rate, without other terms.
    pub(super) const fn plain(rate: Rate) -> Self {
        Self {
            rate,
            netting: None,
            at_most: None,
        }
    }

    /// The rate, if there are no other terms.
    pub(super) fn as_plain(&self) -> Option<&Rate> {
        let is_plain = self.netting.is_none() && self.at_most.is_none();
        is_plain.then_some(&self.rate)
    }

    pub(super) fn read(
        node: &Node<'_>,
        holidays: &Holidays,
    ) -> Result<(Self, Heading), ContractError> {
        let own = ["continues", "netting", "at_most"];
        let known = [Rate::FIELDS, &own].concat();
        let fields = node.fields(&known, EXPORT_EXAMPLE)?;
        let terms = Self {
            rate: Rate::read(node, &fields, &own, holidays)?,
            netting: fields.get("netting").map(|node| node.word()).transpose()?,
            at_most: fields.get("at_most").map(|node| node.word()).transpose()?,
        };
        Ok((terms, fields.heading()?))
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&'static str, Option<String>)> {
        let own = [
            ("netting", self.netting.map(|it| quoted(it.as_str()))),
            ("at_most", self.at_most.map(|it| quoted(it.as_str()))),
        ];
        self.rate.members().into_iter().chain(own)
    }
}

impl Netting {
    fn read(fields: &Fields<'_>, rate: &Rate) -> Result<Option<Self>, ContractError> {
        let period = fields.get("netting").map(|node| node.word()).transpose()?;
        let by_zone = fields.get("by_zone").map(|node| node.flag()).transpose()?;
        let surplus = fields.get("surplus").map(|node| {
            let fields = node.fields(&["price"], r#"{"price":0.05}"#)?;
            fields.need("price", "0.05")?.price()
        });
        let surplus = surplus.transpose()?;
        let is_long = period.is_some_and(|period: NettingPeriod| period.span().is_none());
        if surplus.is_some() && !is_long {
            let expected = "only together with netting by month, year or billing";
            return Err(fields.refused("surplus", expected));
        }
        let by_zone = by_zone.unwrap_or(false);
        if by_zone && (!is_long || !matches!(rate, Rate::Zones(_))) {
            let expected = "only together with zones and netting by month, year or billing";
            return Err(fields.refused("by_zone", expected));
        }
        let Some(period) = period else {
            return Ok(None);
        };
        let netted = |tiers: &Tiers| period.as_period() == Some(tiers.period);
        if is_long && !rate.tiers().is_none_or(netted) {
            return Err(fields.refused("netting", "the period of the tiers"));
        }
        Ok(Some(Self {
            period,
            by_zone,
            surplus: surplus.unwrap_or(Decimal::ZERO),
        }))
    }
}

impl NettingPeriod {
    /// The span of an hour or a quarter of one; `None` for longer periods.
    pub(super) const fn span(self) -> Option<DemandSpan> {
        match self {
            Self::Hour => Some(DemandSpan::Hour),
            Self::Quarter => Some(DemandSpan::Quarter),
            Self::Month | Self::Year | Self::Billing => None,
        }
    }

    /// The period of a month or longer; `None` for shorter ones.
    pub(super) const fn as_period(self) -> Option<Period> {
        match self {
            Self::Hour | Self::Quarter => None,
            Self::Month => Some(Period::Month),
            Self::Year => Some(Period::Year),
            Self::Billing => Some(Period::Billing),
        }
    }

    pub(super) fn periods(self, billing: Option<Billing>, zone: &Zone) -> Periods {
        match (self.span(), self.as_period()) {
            (_, Some(period)) => Periods::new(period, billing, zone),
            (Some(span), None) => Periods::of_spans(span, zone),
            (None, None) => Periods::of_spans(DemandSpan::Hour, zone),
        }
    }
}

impl PriceCap {
    fn read(node: &Node<'_>) -> Result<Self, ContractError> {
        let fields = node.fields(&["price", "up_to_kwh", "period"], CAP_EXAMPLE)?;
        let up_to = fields.get("up_to_kwh").map(|node| {
            node.not_negative("up to 999999.999999 kWh, with up to six decimals, such as 2900")
        });
        let period = fields.get("period").map(|node| Tiers::read_period(&node));
        let allowance = match (up_to.transpose()?, period.transpose()?) {
            (Some(kwh), Some(period)) => Some((kwh, period)),
            (None, None) => None,
            _ => {
                let expected =
                    format!("both up_to_kwh and period, or neither, such as {CAP_EXAMPLE}");
                return Err(node.refused(expected));
            }
        };
        Ok(Self {
            price: fields.need("price", "0.4")?.price()?,
            allowance,
        })
    }

    fn write(&self) -> String {
        let (kwh, period) = self.allowance.unzip();
        members(
            [
                ("price", Some(self.price.to_string())),
                ("up_to_kwh", kwh.map(|kwh| kwh.to_string())),
                ("period", period.map(|period| quoted(period.as_str()))),
            ]
            .into_iter(),
        )
    }

    /// The capped energy of a period.
    pub(super) fn end(&self) -> MicroWh {
        self.allowance
            .map_or(MicroWh::MAX, |(kwh, _)| MicroWh::of_kilowatthours(kwh))
    }
}
