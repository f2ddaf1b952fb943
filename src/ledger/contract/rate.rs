//! The price of a kilowatt-hour: one price, by time of use, by tiers, by a series of prices, or by a
//! table of months and hours.

use super::conditions::Conditions;
use super::holidays::Holidays;
use super::json::{ContractError, Fields, Node};
use super::price_table::PriceTable;
use super::series_rate::{SeriesRate, SeriesSource};
use super::tiers::Tiers;
use super::zones::PriceZones;
use crate::domain::Decimal;

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
    /// By months, kinds of day and hours.
    Table(PriceTable),
}

const KINDS: [&str; 5] = ["price", "zones", "tiers", "series", "table"];

impl Rate {
    /// Reads a rate from the fields of a component, whose other fields are `others`.
    pub(super) fn read(
        node: &Node<'_>,
        fields: &Fields<'_>,
        others: &[&str],
        holidays: &Holidays,
    ) -> Result<Self, ContractError> {
        // A series may have zones, too.
        let has_series = fields.has("series");
        let mut kinds = KINDS
            .into_iter()
            .filter(|kind| fields.has(kind) && !(has_series && *kind == "zones"));
        let (kind, another) = (kinds.next(), kinds.next());
        let Some(kind) = kind.filter(|_| another.is_none()) else {
            return Err(node.refused(
                r#"one of price, zones, tiers, series and table, such as {"price":0.3215}"#,
            ));
        };
        fields.check_known(&[&["name"], Self::fields_of(kind), others].concat())?;
        match kind {
            "price" => Ok(Self::Flat(fields.need("price", "0.3215")?.price()?)),
            "zones" => PriceZones::read(&fields.need("zones", "[..]")?, holidays).map(Self::Zones),
            "tiers" => Tiers::read(fields).map(Self::Tiers),
            "series" => SeriesRate::read(fields, holidays).map(Self::Series),
            _ => PriceTable::read(&fields.need("table", "[..]")?, holidays).map(Self::Table),
        }
    }

    /// The fields of all kinds of rates.
    pub(super) fn fields() -> Vec<&'static str> {
        let kinds = KINDS.into_iter().flat_map(Self::fields_of);
        ["name"].iter().chain(kinds).copied().collect()
    }

    const fn fields_of(kind: &str) -> &'static [&'static str] {
        match kind.as_bytes() {
            b"price" => &["price"],
            b"zones" => &["zones"],
            b"tiers" => Tiers::FIELDS,
            b"series" => SeriesRate::FIELDS,
            _ => &["table"],
        }
    }

    /// The series that it follows.
    pub(super) const fn source(&self) -> Option<&SeriesSource> {
        match self {
            Self::Series(rate) => Some(&rate.source),
            _ => None,
        }
    }

    /// The conditions of its zones or rows.
    pub(super) fn conditions(&self) -> Vec<&Conditions> {
        match self {
            Self::Zones(zones) => zones.all().iter().map(|zone| &zone.when).collect(),
            Self::Series(rate) => {
                let zones = rate.zones.iter().flat_map(PriceZones::all);
                zones.map(|zone| &zone.when).collect()
            }
            Self::Table(table) => table.conditions().collect(),
            Self::Flat(_) | Self::Tiers(_) => Vec::new(),
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
            Self::Tiers(tiers) => tiers.members(),
            Self::Series(rate) => rate.members(),
            Self::Table(table) => vec![("table", Some(table.write()))],
        }
    }
}
