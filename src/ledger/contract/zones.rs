//! Time of use: zones of months, weekdays, hours and holidays, each with a price. The last zone that matches wins.

use super::Label;
use super::conditions::Conditions;
use super::coverage::{self, MOST_ZONES, NamedConditions};
use super::holidays::Holidays;
use super::json::{ContractError, Node, members, quoted};
use crate::domain::Decimal;

/// The zones of a component: each moment has exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PriceZones {
    zones: Vec<PriceZone>,
}

/// A name and a price for some of the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PriceZone {
    pub(super) name: Label,
    pub(super) price: Decimal,
    pub(super) when: Conditions,
}

const EXAMPLE: &str = r#"{"name":"night","price":0.24,"hours":"22:00-06:00"}"#;

impl PriceZones {
    /// Zones with prices.
    pub(super) fn read(node: &Node<'_>, holidays: &Holidays) -> Result<Self, ContractError> {
        Self::read_all(node, holidays, |node| PriceZone::read(node, "price"))
    }

    /// Zones with surcharges on another price.
    pub(super) fn read_surcharges(
        node: &Node<'_>,
        holidays: &Holidays,
    ) -> Result<Self, ContractError> {
        Self::read_all(node, holidays, |node| PriceZone::read(node, "surcharge"))
    }

    fn read_all(
        node: &Node<'_>,
        holidays: &Holidays,
        read: impl Fn(&Node<'_>) -> Result<PriceZone, ContractError>,
    ) -> Result<Self, ContractError> {
        let nodes = node.list(MOST_ZONES, &format!("[{EXAMPLE}]"))?;
        let zones = nodes.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        for (index, (zone, place)) in zones.iter().zip(&nodes).enumerate() {
            if zones
                .iter()
                .take(index)
                .any(|earlier| earlier.name == zone.name)
            {
                let problem = format!(
                    "two zones are called {}; expected a name of its own",
                    zone.name
                );
                return Err(ContractError::new(
                    format!("{}.name", place.place()),
                    problem,
                ));
            }
        }
        let named: Vec<NamedConditions<'_>> = zones.iter().map(|it| (&it.name, &it.when)).collect();
        coverage::check(&named, holidays).map_err(|(zone, problem)| {
            let place = zone.and_then(|zone| nodes.get(zone)).unwrap_or(node);
            ContractError::new(place.place(), problem)
        })?;
        Ok(Self { zones })
    }

    pub(super) fn write(&self) -> String {
        super::json::list(self.zones.iter().map(|zone| zone.write("price")))
    }

    pub(super) fn write_surcharges(&self) -> String {
        super::json::list(self.zones.iter().map(|zone| zone.write("surcharge")))
    }

    pub(super) fn all(&self) -> &[PriceZone] {
        &self.zones
    }

    /// The conditions of its zones.
    pub(super) fn conditions(&self) -> Vec<Conditions> {
        self.zones.iter().map(|zone| zone.when.clone()).collect()
    }
}

impl PriceZone {
    /// Reads a zone whose price is in the field `price`; a surcharge may be missing.
    fn read(node: &Node<'_>, price: &'static str) -> Result<Self, ContractError> {
        let known = [&["name", price], Conditions::FIELDS].concat();
        let fields = node.fields(&known, &EXAMPLE.replace("price", price))?;
        let is_price = price == "price";
        Ok(Self {
            name: fields.need("name", "\"night\"")?.label()?,
            price: match fields.get(price) {
                None if !is_price => Decimal::ZERO,
                _ => fields.need(price, "0.24")?.price()?,
            },
            when: Conditions::read(&fields)?,
        })
    }

    /// Writes it, with its price in the field `price`.
    pub(super) fn write(&self, price: &str) -> String {
        let own = [
            ("name", Some(quoted(self.name.as_str()))),
            (price, Some(self.price.to_string())),
        ];
        members(own.into_iter().chain(self.when.members()))
    }
}
