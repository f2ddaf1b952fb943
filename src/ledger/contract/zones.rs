//! Time of use: zones of months, weekdays, hours and holidays, each with a price. The last zone that matches wins.

use super::Label;
use super::conditions::Conditions;
use super::coverage::{self, MOST_ZONES, NamedConditions};
use super::day::{DayKind, DayPart, day_parts};
use super::days::DayLists;
use super::holidays::Holidays;
use super::json::{ContractError, Node, members, quoted};
use super::wall::DayPiece;
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
    pub(super) fn read(node: &Node<'_>, holidays: &Holidays) -> Result<Self, ContractError> {
        let nodes = node.list(MOST_ZONES, &format!("[{EXAMPLE}]"))?;
        let zones = nodes
            .iter()
            .map(PriceZone::read)
            .collect::<Result<Vec<_>, _>>()?;
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
        super::json::list(self.zones.iter().map(PriceZone::write))
    }

    pub(super) fn all(&self) -> &[PriceZone] {
        &self.zones
    }

    /// Splits a piece of a day into parts, each with its winner.
    pub(super) fn parts(
        &self,
        piece: &DayPiece,
        lists: &DayLists,
        holidays: &Holidays,
    ) -> Vec<DayPart> {
        let kind = |date| DayKind::of(date, holidays, piece.is_summer());
        let zones = || self.zones.iter().enumerate();
        let ends = zones().flat_map(|(_, zone)| zone.when.ends(piece));
        day_parts(ends, |minute| {
            let matching =
                zones().filter(|(_, zone)| zone.when.contains(piece, minute, lists, kind));
            matching.map(|(index, _)| index).next_back()
        })
    }
}

impl PriceZone {
    fn read(node: &Node<'_>) -> Result<Self, ContractError> {
        let known = [&["name", "price"], Conditions::FIELDS].concat();
        let fields = node.fields(&known, EXAMPLE)?;
        Ok(Self {
            name: fields.need("name", "\"night\"")?.label()?,
            price: fields.need("price", "0.24")?.price()?,
            when: Conditions::read(&fields)?,
        })
    }

    pub(super) fn write(&self) -> String {
        let own = [
            ("name", Some(quoted(self.name.as_str()))),
            ("price", Some(self.price.to_string())),
        ];
        members(own.into_iter().chain(self.when.members()))
    }
}
