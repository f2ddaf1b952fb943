//! Prices by the energy counted so far in a period.

use super::bill::LinePart;
use super::conditions::Conditions;
use super::day::DayKind;
use super::holidays::Holidays;
use super::json::{ContractError, Fields, Node, list, members, object, quoted};
use super::{Label, Period};
use crate::domain::{Decimal, LocalDate, MicroWh};

/// Prices by the energy counted so far in the period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiers {
    pub(super) period: Period,
    /// Whether all energy of a period has the price of the tier in which the period ends.
    pub(super) is_bracket: bool,
    /// The tiers of the rest of the year, then those of seasons; the last season with a date wins.
    pub(super) seasons: Vec<TierSeason>,
}

/// Tiers of a part of the year.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TierSeason {
    /// `None` for the rest of the year.
    name: Option<Label>,
    /// Its months and dates.
    when: Conditions,
    /// Whether the ends are energies of each day of the period.
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

const MOST_TIERS: usize = 16;
const MOST_SEASONS: usize = 8;
const TIERS_EXAMPLE: &str = r#"[{"up_to_kwh":200,"price":0.28},{"price":0.35}]"#;
const SEASON_EXAMPLE: &str =
    r#"[{"name":"summer","months":"7-8","tiers":[{"up_to_kwh":300,"price":0.28},{"price":0.35}]}]"#;
const TOTAL: &str = "up_to_kwh";
const PER_DAY: &str = "up_to_kwh_per_day";

impl Tiers {
    /// The fields of a component that belong to tiers.
    pub(super) const FIELDS: &'static [&'static str] = &["period", "tiers", "bracket", "seasons"];

    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, ContractError> {
        let (per_day, all) = read_tiers(&fields.need("tiers", TIERS_EXAMPLE)?)?;
        let usual = TierSeason {
            name: None,
            when: Conditions::ALWAYS,
            per_day,
            all,
        };
        let mut seasons = vec![usual];
        if let Some(list) = fields.get("seasons") {
            for node in list.list(MOST_SEASONS, SEASON_EXAMPLE)? {
                let season = TierSeason::read(&node)?;
                if seasons.iter().any(|other| other.name == season.name) {
                    return Err(node.refused("a name of its own for each season"));
                }
                seasons.push(season);
            }
        }
        let is_bracket = fields.get("bracket").map(|node| node.flag());
        Ok(Self {
            period: fields.need("period", "\"month\"")?.word()?,
            is_bracket: is_bracket.transpose()?.unwrap_or(false),
            seasons,
        })
    }

    /// The tiers, if they are the same in all of the year and each unit of energy has the price of its
    /// own tier.
    pub(super) fn as_plain(&self) -> Option<&[Tier]> {
        match self.seasons.as_slice() {
            [season] if !season.per_day && !self.is_bracket => Some(&season.all),
            _ => None,
        }
    }

    /// The tiers of all seasons.
    pub(super) fn all(&self) -> impl Iterator<Item = &Tier> {
        self.seasons.iter().flat_map(|season| &season.all)
    }

    /// The fields of the component as JSON.
    pub(super) fn members(&self) -> Vec<(&'static str, Option<String>)> {
        let mut seasons = self.seasons.iter();
        let tiers = seasons.next().map(TierSeason::write_tiers);
        let seasons: Vec<String> = seasons.map(TierSeason::write).collect();
        vec![
            ("period", Some(quoted(self.period.as_str()))),
            ("tiers", tiers),
            ("bracket", self.is_bracket.then(|| "true".to_owned())),
            (
                "seasons",
                (!seasons.is_empty()).then(|| list(seasons.into_iter())),
            ),
        ]
    }

    /// The name of a tier by its place among all.
    pub(super) fn part(&self, place: usize) -> Option<LinePart> {
        let mut first = 0;
        for season in &self.seasons {
            if let Some(part) = season.part(place.checked_sub(first)?) {
                return Some(match &season.name {
                    Some(name) => LinePart::OfSeason(name.to_string(), Box::new(part)),
                    None => part,
                });
            }
            first += season.all.len();
        }
        None
    }

    /// The place of the season of a date.
    pub(super) fn season(&self, date: LocalDate) -> usize {
        let kind = DayKind::of(date, &Holidays::default(), false);
        let mut seasons = self.seasons.iter();
        seasons
            .rposition(|season| season.when.has_day(kind))
            .unwrap_or(0)
    }
}

impl TierSeason {
    fn read(node: &Node<'_>) -> Result<Self, ContractError> {
        let fields = node.fields(&["name", "months", "dates", "tiers"], SEASON_EXAMPLE)?;
        if !fields.has("months") && !fields.has("dates") {
            return Err(node.refused(format_args!("months or dates, such as {SEASON_EXAMPLE}")));
        }
        let (per_day, all) = read_tiers(&fields.need("tiers", TIERS_EXAMPLE)?)?;
        Ok(Self {
            name: Some(fields.need("name", "\"summer\"")?.label()?),
            when: Conditions::read(&fields)?,
            per_day,
            all,
        })
    }

    fn write(&self) -> String {
        let name = self.name.as_ref().map(|name| quoted(name.as_str()));
        let when = self.when.members().into_iter();
        let tiers = [("tiers", Some(self.write_tiers()))];
        members([("name", name)].into_iter().chain(when).chain(tiers))
    }

    fn write_tiers(&self) -> String {
        let end = if self.per_day { PER_DAY } else { TOTAL };
        list(self.all.iter().map(|tier| {
            let up_to = tier.up_to_kwh.map(|end| end.to_string());
            object([(end, up_to), ("price", Some(tier.price.to_string()))])
        }))
    }

    fn part(&self, index: usize) -> Option<LinePart> {
        let ends: Vec<Option<Decimal>> = self.all.iter().map(|tier| tier.up_to_kwh).collect();
        LinePart::of_step(&ends, index, self.per_day)
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
}

/// Reads tiers, and whether their ends are energies of each day.
fn read_tiers(list: &Node<'_>) -> Result<(bool, Vec<Tier>), ContractError> {
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
    Ok((end == Some(PER_DAY), tiers))
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
        let up_to_kwh = end
            .and_then(|end| fields.get(end))
            .map(|node| node.kilowatthours());
        let tier = Self {
            up_to_kwh: up_to_kwh.transpose()?,
            price: fields.need("price", "0.28")?.price()?,
        };
        Ok((tier, end))
    }
}
