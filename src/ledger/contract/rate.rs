//! The price of a kilowatt-hour: one price, by time of use, by tiers, or by a series of prices.

use super::holidays::Holidays;
use super::json::{ContractError, Fields, Node, object, quoted};
use super::zones::PriceZones;
use super::{Label, Period};
use crate::domain::{Decimal, MicroWh};

/// How the price of a kilowatt-hour is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rate {
    /// Always the same.
    Flat(Decimal),
    /// By the clock and the calendar.
    Zones(PriceZones),
    /// By the energy drawn so far in the month or year.
    Tiers(Tiers),
    /// By a series of prices.
    Series(SeriesRate),
}

/// Prices by the energy drawn so far in the month or year.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiers {
    /// A month or a year.
    pub(super) period: Period,
    /// Ascending; the last one has no end.
    pub(super) tiers: Vec<Tier>,
}

/// A price up to so much energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tier {
    pub(super) up_to_kwh: Option<Decimal>,
    pub(super) price: Decimal,
}

/// A price of a series, times a factor, plus a surcharge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeriesRate {
    pub(super) series: Label,
    pub(super) factor: Decimal,
    pub(super) surcharge: Decimal,
}

const MOST_TIERS: usize = 16;
const TIERS_EXAMPLE: &str = r#"[{"up_to_kwh":200,"price":0.28},{"price":0.35}]"#;
const KINDS: [&str; 4] = ["price", "zones", "tiers", "series"];

impl Rate {
    pub(super) const FIELDS: &'static [&'static str] = &[
        "name",
        "price",
        "zones",
        "period",
        "tiers",
        "series",
        "factor",
        "surcharge",
    ];

    /// The rate among the fields of a component.
    pub(super) fn read(
        node: &Node<'_>,
        fields: &Fields<'_>,
        holidays: &Holidays,
    ) -> Result<Self, ContractError> {
        let mut kinds = KINDS.iter().filter(|kind| fields.has(kind));
        let (kind, another) = (kinds.next(), kinds.next());
        let Some(kind) = kind.filter(|_| another.is_none()) else {
            return Err(
                node.refused(r#"one of price, zones, tiers and series, such as {"price":0.3215}"#)
            );
        };
        match *kind {
            "price" => {
                fields.check_known(&["name", "price"])?;
                Ok(Self::Flat(fields.need("price", "0.3215")?.price()?))
            }
            "zones" => {
                fields.check_known(&["name", "zones"])?;
                let node = fields.need("zones", "[..]")?;
                PriceZones::read(&node, holidays).map(Self::Zones)
            }
            "tiers" => {
                fields.check_known(&["name", "period", "tiers"])?;
                Tiers::read(fields).map(Self::Tiers)
            }
            _ => {
                fields.check_known(&["name", "series", "factor", "surcharge"])?;
                SeriesRate::read(fields).map(Self::Series)
            }
        }
    }

    /// The fields of the component as JSON.
    pub(super) fn write(&self, name: Option<&Label>) -> String {
        let name = ("name", name.map(|name| quoted(name.as_str())));
        match self {
            Self::Flat(price) => object([name, ("price", Some(price.to_string()))]),
            Self::Zones(zones) => object([name, ("zones", Some(zones.write()))]),
            Self::Tiers(tiers) => {
                let all = super::json::list(tiers.tiers.iter().map(|tier| {
                    let end = tier.up_to_kwh.map(|end| end.to_string());
                    object([("up_to_kwh", end), ("price", Some(tier.price.to_string()))])
                }));
                let period = quoted(tiers.period.as_str());
                object([name, ("period", Some(period)), ("tiers", Some(all))])
            }
            Self::Series(rate) => {
                let other = |value: Decimal, usual| (value != usual).then(|| value.to_string());
                object([
                    name,
                    ("series", Some(quoted(rate.series.as_str()))),
                    ("factor", other(rate.factor, Decimal::ONE)),
                    ("surcharge", other(rate.surcharge, Decimal::ZERO)),
                ])
            }
        }
    }
}

impl Tiers {
    fn read(fields: &Fields<'_>) -> Result<Self, ContractError> {
        let period = fields.need("period", "\"month\"")?;
        let of_tiers: Option<Period> = period.word().ok().filter(|period| *period != Period::Day);
        let list = fields.need("tiers", TIERS_EXAMPLE)?;
        let nodes = list.list(MOST_TIERS, TIERS_EXAMPLE)?;
        let mut tiers: Vec<Tier> = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let tier = Tier::read(node)?;
            let is_last = index + 1 == nodes.len();
            let ascends = tiers
                .last()
                .is_none_or(|before| before.up_to_kwh < tier.up_to_kwh);
            if is_last != tier.up_to_kwh.is_none() {
                return Err(node.refused(format_args!(
                    "up_to_kwh in each tier but the last, such as {TIERS_EXAMPLE}"
                )));
            }
            if !is_last && !ascends {
                return Err(node.refused(format_args!(
                    "more kWh than in the tier before, such as {TIERS_EXAMPLE}"
                )));
            }
            tiers.push(tier);
        }
        Ok(Self {
            period: of_tiers.ok_or_else(|| period.refused("\"month\" or \"year\""))?,
            tiers,
        })
    }

    /// The index of the tier of the next energy after so much.
    pub(super) fn at(&self, counted: MicroWh) -> Option<usize> {
        self.tiers.iter().position(|tier| counted < tier.end())
    }
}

impl Tier {
    fn read(node: &Node<'_>) -> Result<Self, ContractError> {
        let fields = node.fields(&["up_to_kwh", "price"], r#"{"up_to_kwh":200,"price":0.28}"#)?;
        let up_to_kwh = fields.get("up_to_kwh").map(|node| {
            let expected =
                "more than 0 and at most 999999.999999 kWh, with up to six decimals, such as 200";
            let kwh = node.not_negative(expected)?;
            if kwh == Decimal::ZERO {
                return Err(node.refused(expected));
            }
            Ok(kwh)
        });
        Ok(Self {
            up_to_kwh: up_to_kwh.transpose()?,
            price: fields.need("price", "0.28")?.price()?,
        })
    }

    /// Its end, in energy.
    pub(super) fn end(&self) -> MicroWh {
        // A millionth of a kilowatt-hour is a thousand millionths of a watt-hour.
        self.up_to_kwh.map_or(MicroWh::MAX, |kwh| {
            MicroWh::new(kwh.millionths().saturating_mul(1_000))
        })
    }

    /// Its name.
    pub(super) fn told(&self, before: Option<&Self>) -> String {
        match (self.up_to_kwh, before.and_then(|before| before.up_to_kwh)) {
            (Some(end), _) => format!("up to {end} kWh"),
            (None, Some(end)) => format!("over {end} kWh"),
            (None, None) => "all".to_owned(),
        }
    }
}

impl SeriesRate {
    fn read(fields: &Fields<'_>) -> Result<Self, ContractError> {
        let factor = fields.get("factor").map(|node| node.factor());
        let surcharge = fields.get("surcharge").map(|node| node.price());
        Ok(Self {
            series: fields.need("series", "\"day-ahead\"")?.label()?,
            factor: factor.transpose()?.unwrap_or(Decimal::ONE),
            surcharge: surcharge.transpose()?.unwrap_or(Decimal::ZERO),
        })
    }

    /// The price of a kilowatt-hour where the series has `price`: to a millionth, as a statement
    /// shows it.
    pub(super) fn of(&self, price: Decimal) -> Decimal {
        // Half a millionth is rounded away from zero.
        const ONE: i128 = 1_000_000;
        let product = i128::from(price.millionths()) * i128::from(self.factor.millionths());
        let rounded = (product + product.signum() * ONE / 2) / ONE;
        // Beyond a trillion of the currency a price stays where it is.
        let millionths = i64::try_from(rounded).unwrap_or(i64::MAX);
        Decimal::from_millionths(millionths).saturating_add(self.surcharge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_of_a_series_are_rounded_to_a_millionth() {
        let rate = |factor, surcharge| SeriesRate {
            series: Label::new("day-ahead").unwrap(),
            factor: Decimal::from_millionths(factor),
            surcharge: Decimal::from_millionths(surcharge),
        };
        for (price, factor, surcharge, rounded) in [
            (3, 500_000, 0, 2),
            (-3, 500_000, 0, -2),
            (3, 400_000, 10, 11),
            (999_999_999_999, 999_999_999_999, 0, 999_999_999_998_000_000),
        ] {
            let price = Decimal::from_millionths(price);
            let found = rate(factor, surcharge).of(price).millionths();
            assert_eq!(found, rounded, "{price} {factor}");
        }
    }
}
