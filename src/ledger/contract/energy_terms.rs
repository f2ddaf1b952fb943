//! The terms of drawn and fed-in energy: the sensors that count, and the price.

use super::conditions::Conditions;
use super::holidays::Holidays;
use super::json::{ContractError, Fields, Heading, Node, list, members, object, quoted};
use super::period::{Billing, DemandSpan, Period, Periods};
use super::rate::Rate;
use super::scope::{EnergyScope, read_when, write_when};
use super::tiers::Tiers;
use crate::domain::words::words;
use crate::domain::{Decimal, MicroWh, SensorId, Zone};

/// Energy that is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EnergyTerms {
    pub(super) rate: Rate,
    /// The sensors whose energy it counts; empty for all energy that no component names.
    pub(super) of: Vec<SensorId>,
    pub(super) scope: EnergyScope,
    pub(super) netting: Option<Netting>,
    pub(super) cap: Option<PriceCap>,
}

/// Energy that is fed in, a credit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExportTerms {
    pub(super) rate: Rate,
    pub(super) scope: EnergyScope,
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
    /// The part of the fed-in energy that is subtracted: 1 for all.
    pub(super) factor: Decimal,
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PriceCap {
    pub(super) price: Decimal,
    /// When it applies.
    pub(super) when: Conditions,
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
            scope: EnergyScope::ALL,
            netting: None,
            cap: None,
        }
    }

    /// The rate, if there are no other terms.
    pub(super) fn as_plain(&self) -> Option<&Rate> {
        let is_plain = self.of.is_empty() && self.netting.is_none() && self.cap.is_none();
        (is_plain && self.scope == EnergyScope::ALL).then_some(&self.rate)
    }

    pub(super) fn read(
        node: &Node<'_>,
        holidays: &Holidays,
    ) -> Result<(Self, Heading), ContractError> {
        let own = [
            "continues",
            "of",
            "netting",
            "by_zone",
            "netting_factor",
            "surplus",
            "cap",
        ];
        let own = [&own, EnergyScope::FIELDS].concat();
        let known = [Rate::fields(), own.clone()].concat();
        let fields = node.fields(&known, EXAMPLE)?;
        let rate = Rate::read(node, &fields, &own, holidays)?;
        let scope = EnergyScope::read(&fields)?;
        let netting = Netting::read(&fields, &rate)?;
        if scope.first.is_some() && netting.is_some() {
            return Err(fields.refused("first", "no netting beside it"));
        }
        let is_bracket = rate.tiers().is_some_and(|tiers| tiers.is_bracket);
        if is_bracket && fields.has("cap") {
            return Err(fields.refused("cap", "no bracket beside it"));
        }
        let terms = Self {
            of: read_sensors(&fields)?,
            scope,
            netting,
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
            (
                "netting_factor",
                netting
                    .map(|it| it.factor)
                    .filter(|factor| *factor != Decimal::ONE)
                    .map(|factor| factor.to_string()),
            ),
            ("surplus", surplus.map(price)),
            ("cap", self.cap.as_ref().map(PriceCap::write)),
        ];
        let rate = self.rate.members().into_iter();
        rate.chain(self.scope.members()).chain(own)
    }

    /// The periods whose beginning the amount depends on, besides short ones of netting.
    pub(super) fn periods(&self) -> impl Iterator<Item = Period> {
        let netting = self.netting.and_then(|it| it.period.as_period());
        let cap = self.cap.as_ref().and_then(|cap| cap.allowance);
        let tiers = self.rate.tiers().map(|tiers| tiers.period);
        let cap = cap.map(|(_, period)| period);
        let first = self.scope.first.map(|first| first.period);
        [netting, cap, tiers, first].into_iter().flatten()
    }
}

impl ExportTerms {
    /// Export at this rate, without other terms.
    pub(super) const fn plain(rate: Rate) -> Self {
        Self {
            rate,
            scope: EnergyScope::ALL,
            netting: None,
            at_most: None,
        }
    }

    /// The rate, if there are no other terms.
    pub(super) fn as_plain(&self) -> Option<&Rate> {
        let is_plain = self.netting.is_none() && self.at_most.is_none();
        (is_plain && self.scope == EnergyScope::ALL).then_some(&self.rate)
    }

    pub(super) fn read(
        node: &Node<'_>,
        holidays: &Holidays,
    ) -> Result<(Self, Heading), ContractError> {
        let own = [&["continues", "netting", "at_most"], EnergyScope::FIELDS].concat();
        let known = [Rate::fields(), own.clone()].concat();
        let fields = node.fields(&known, EXPORT_EXAMPLE)?;
        let terms = Self {
            scope: EnergyScope::read(&fields)?,
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
        let rate = self.rate.members().into_iter();
        rate.chain(self.scope.members()).chain(own)
    }

    /// The periods whose beginning the amount depends on, besides short ones of netting.
    pub(super) fn periods(&self) -> impl Iterator<Item = Period> {
        let tiers = self.rate.tiers().map(|tiers| tiers.period);
        let first = self.scope.first.map(|first| first.period);
        [tiers, first].into_iter().flatten()
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
        let factor = fields.get("netting_factor").map(|node| {
            let expected = "the part of the fed-in energy that counts, from 0 to 1, such as 0.8";
            let factor = node.not_negative(expected)?;
            if factor > Decimal::ONE {
                return Err(node.refused(expected));
            }
            Ok(factor)
        });
        let factor = factor.transpose()?;
        if factor.is_some() && !is_long {
            let expected = "only together with netting by month, year or billing";
            return Err(fields.refused("netting_factor", expected));
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
            factor: factor.unwrap_or(Decimal::ONE),
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
        let fields = node.fields(&["price", "up_to_kwh", "period", "when"], CAP_EXAMPLE)?;
        let up_to = fields.get("up_to_kwh").map(|node| {
            node.not_negative("up to 999999.999999 kWh, with up to six decimals, such as 2900")
        });
        let period = fields.get("period").map(|node| node.word());
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
            when: read_when(&fields)?,
            allowance,
        })
    }

    fn write(&self) -> String {
        let (kwh, period) = self.allowance.unzip();
        members(
            [
                ("price", Some(self.price.to_string())),
                ("up_to_kwh", kwh.map(|kwh| kwh.to_string())),
                (
                    "period",
                    period.map(|period: Period| quoted(period.as_str())),
                ),
                ("when", write_when(&self.when)),
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
