//! The price of a kilowatt-hour: one price, by time of use, by tiers, or by a series of prices.

use super::bill::LinePart;
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
    /// By the energy counted so far in a period.
    Tiers(Tiers),
    /// By a series of prices.
    Series(SeriesRate),
}

/// Prices by the energy counted so far in the period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiers {
    /// Longer than a day.
    pub(super) period: Period,
    /// Whether their ends are energies of each day of the period.
    pub(super) per_day: bool,
    /// Ascending; the last one has no end.
    pub(super) all: Vec<Tier>,
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
const TOTAL: &str = "up_to_kwh";
const PER_DAY: &str = "up_to_kwh_per_day";
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

    /// Reads a rate from the fields of a component, whose other fields are `others`.
    pub(super) fn read(
        node: &Node<'_>,
        fields: &Fields<'_>,
        others: &[&str],
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
                fields.check_known(&[&["name", "price"], others].concat())?;
                Ok(Self::Flat(fields.need("price", "0.3215")?.price()?))
            }
            "zones" => {
                fields.check_known(&[&["name", "zones"], others].concat())?;
                let node = fields.need("zones", "[..]")?;
                PriceZones::read(&node, holidays).map(Self::Zones)
            }
            "tiers" => {
                fields.check_known(&[&["name", "period", "tiers"], others].concat())?;
                Tiers::read(fields).map(Self::Tiers)
            }
            _ => {
                fields
                    .check_known(&[&["name", "series", "factor", "surcharge"], others].concat())?;
                SeriesRate::read(fields).map(Self::Series)
            }
        }
    }

    /// The tiers, if the rate has any.
    pub(super) const fn tiers(&self) -> Option<&Tiers> {
        match self {
            Self::Tiers(tiers) => Some(tiers),
            _ => None,
        }
    }

    /// The fields of the component as JSON.
    pub(super) fn members(&self) -> Vec<(&'static str, Option<String>)> {
        match self {
            Self::Flat(price) => vec![("price", Some(price.to_string()))],
            Self::Zones(zones) => vec![("zones", Some(zones.write()))],
            Self::Tiers(tiers) => {
                let end = if tiers.per_day { PER_DAY } else { TOTAL };
                let all = super::json::list(tiers.all.iter().map(|tier| {
                    let up_to = tier.up_to_kwh.map(|end| end.to_string());
                    object([(end, up_to), ("price", Some(tier.price.to_string()))])
                }));
                let period = quoted(tiers.period.as_str());
                vec![("period", Some(period)), ("tiers", Some(all))]
            }
            Self::Series(rate) => {
                let other = |value: Decimal, usual| (value != usual).then(|| value.to_string());
                vec![
                    ("series", Some(quoted(rate.series.as_str()))),
                    ("factor", other(rate.factor, Decimal::ONE)),
                    ("surcharge", other(rate.surcharge, Decimal::ZERO)),
                ]
            }
        }
    }
}

impl Tiers {
    fn read(fields: &Fields<'_>) -> Result<Self, ContractError> {
        let list = fields.need("tiers", TIERS_EXAMPLE)?;
        let nodes = list.list(MOST_TIERS, TIERS_EXAMPLE)?;
        let mut tiers: Vec<Tier> = Vec::new();
        let mut end = None;
        for (index, node) in nodes.iter().enumerate() {
            let (tier, end_of_tier) = Tier::read(node)?;
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
            if end_of_tier.is_some_and(|it| *end.get_or_insert(it) != it) {
                return Err(node.refused(format_args!("{TOTAL} in all tiers or {PER_DAY} in all")));
            }
            tiers.push(tier);
        }
        Ok(Self {
            period: Self::read_period(&fields.need("period", "\"month\"")?)?,
            per_day: end == Some(PER_DAY),
            all: tiers,
        })
    }

    /// Reads a period that is longer than a day.
    pub(super) fn read_period(node: &Node<'_>) -> Result<Period, ContractError> {
        let period: Option<Period> = node.word().ok();
        let period = period.filter(|period| *period != Period::Day);
        period.ok_or_else(|| node.refused(r#""month", "quarter", "year" or "billing""#))
    }

    /// The end of each tier, in a period of so many days.
    pub(super) fn ends(&self, days: i64) -> Vec<MicroWh> {
        let times = if self.per_day { days } else { 1 };
        let end = |tier: &Tier| {
            tier.up_to_kwh.map_or(MicroWh::MAX, |kwh| {
                let end = MicroWh::of_kilowatthours(kwh).millionths();
                MicroWh::new(end.saturating_mul(times))
            })
        };
        self.all.iter().map(end).collect()
    }

    /// The name of a tier.
    pub(super) fn part(&self, index: usize) -> Option<LinePart> {
        let end = |index: usize| self.all.get(index)?.up_to_kwh;
        let before = index.checked_sub(1).and_then(end);
        let per_day = self.per_day;
        self.all.get(index)?;
        Some(match (end(index), before) {
            (Some(kwh), _) => LinePart::UpTo { kwh, per_day },
            (None, Some(kwh)) => LinePart::Over { kwh, per_day },
            (None, None) => LinePart::All,
        })
    }
}

impl Tier {
    /// Reads a tier, and the name of the field with its end.
    fn read(node: &Node<'_>) -> Result<(Self, Option<&'static str>), ContractError> {
        let fields = node.fields(
            &[TOTAL, PER_DAY, "price"],
            r#"{"up_to_kwh":200,"price":0.28}"#,
        )?;
        let mut ends = [TOTAL, PER_DAY].into_iter().filter(|name| fields.has(name));
        let end = ends.next();
        if ends.next().is_some() {
            return Err(node.refused(format_args!("one of {TOTAL} and {PER_DAY}")));
        }
        let up_to_kwh = end.and_then(|end| fields.get(end)).map(|node| {
            let expected =
                "more than 0 and at most 999999.999999 kWh, with up to six decimals, such as 200";
            let kwh = node.not_negative(expected)?;
            if kwh == Decimal::ZERO {
                return Err(node.refused(expected));
            }
            Ok(kwh)
        });
        let tier = Self {
            up_to_kwh: up_to_kwh.transpose()?,
            price: fields.need("price", "0.28")?.price()?,
        };
        Ok((tier, end))
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
