//! A proposal of sensors, from what Home Assistant knows of the house.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::dashboard::{DashboardPart, dashboard_parts};
use super::error::HomeAssistantError;
use super::guess::guessed_parts;
use super::identity::{HomeAssistantIdentity, identity};
use super::link::HomeAssistantLink;
use super::metadata::{StatisticMetadata, list_statistics, metadata_of};
use super::prices::{GridPrices, currency, grid_prices};
use super::settings::LinkSettings;
use super::values::{StatisticValues, ValuePeriod};
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::words::words;
use crate::domain::{EntityId, FedSensor, Role, SensorId, Timestamp};

/// The most sensors of a proposal.
pub const MOST_PROPOSED: usize = 200;
/// How far history goes back, at most.
pub(super) const OLDEST_MS: i64 = 20 * 366 * MS_PER_DAY;

/// A sensor of the house, as it is added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeSensor {
    /// Its id, and its entities.
    pub feeds: FedSensor,
    /// Its name for people.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The sensor that contains it.
    pub inside: Option<SensorId>,
}

/// A sensor that Home Assistant could feed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposedSensor {
    /// The sensor; nobody else has its id.
    pub sensor: HomeSensor,
    /// The unit of its energy there, or else of its power.
    pub unit: Option<String>,
    /// Its newest register, in watt-hours.
    pub newest_energy: Option<f64>,
    /// Its newest power, in watts.
    pub newest_power: Option<f64>,
    /// The first hour that Home Assistant has, or the beginning of its month.
    pub since: Option<Timestamp>,
    /// Whether it is proposed, or only to choose from.
    pub is_proposed: bool,
}

/// An entity that is not proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutEntity {
    /// The entity.
    pub entity: EntityId,
    /// The reason.
    pub why: WhyLeftOut,
}

/// Why an entity is not proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyLeftOut {
    /// Home Assistant has no statistics of it.
    Unknown,
    /// Its unit is none of energy, or none of power.
    OtherUnit,
    /// It belongs to no entity: another program sends its statistic.
    NoEntity,
    /// There are too many.
    TooMany,
}

words! {
    WhyLeftOut: Unknown "unknown", OtherUnit "other-unit", NoEntity "no-entity", TooMany "too-many";
    "unknown, other-unit, no-entity or too-many"
}

/// What Home Assistant knows of the house.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HouseProposal {
    /// Who answered.
    pub identity: HomeAssistantIdentity,
    /// Whether its Energy dashboard says so; else roles are guessed from names.
    pub is_of_dashboard: bool,
    /// The sensors.
    pub sensors: Vec<ProposedSensor>,
    /// Entities of the dashboard that cannot feed one.
    pub left_out: Vec<LeftOutEntity>,
    /// The prices of its energy at the grid; `None` without any.
    pub prices: Option<GridPrices>,
}

/// The sensors of the account: those that are fed, those with other sources, and ids in use.
#[derive(Clone, Debug, Default)]
pub struct KnownSensors {
    /// Those that Home Assistant feeds.
    pub fed: Vec<FedSensor>,
    /// The roles of the account's other sensors.
    pub roles: BTreeSet<&'static str>,
    /// All ids in use, also of other accounts.
    pub ids: BTreeSet<SensorId>,
}

/// Asks Home Assistant about the house. Blocks, for minutes if it is slow.
///
/// # Errors
/// The reason why it does not answer.
pub fn propose(
    settings: &LinkSettings,
    known: &KnownSensors,
    now: Timestamp,
) -> Result<HouseProposal, HomeAssistantError> {
    let mut link = HomeAssistantLink::open(settings, &settings.token()?)?;
    let identity = identity(&mut link)?;
    let (parts, prices) = dashboard(&mut link)?;
    let (parts, metadata, is_of_dashboard) = match parts {
        parts if parts.is_empty() => {
            let metadata = list_statistics(&mut link)?;
            (guessed_parts(&metadata), metadata, false)
        }
        parts => {
            let ids: Vec<EntityId> = parts.iter().flat_map(entities_of).collect();
            (parts, metadata_of(&mut link, &ids)?, true)
        }
    };
    let mut left_out = Vec::new();
    let mut sensors = sensors_of(parts, &metadata, known, &mut left_out);
    if !is_of_dashboard {
        left_out.clear();
    }
    look(&mut link, &mut sensors, now)?;
    Ok(HouseProposal {
        identity,
        is_of_dashboard,
        sensors,
        left_out,
        prices,
    })
}

/// The parts and the prices on the Energy dashboard; none if nobody set it up.
fn dashboard(
    link: &mut HomeAssistantLink,
) -> Result<(Vec<DashboardPart>, Option<GridPrices>), HomeAssistantError> {
    match link.ask(json!({"type": "energy/get_prefs"}), "get_prefs") {
        Ok(answer) => {
            let parts = dashboard_parts(answer.as_str())?;
            let [import, export] = grid_prices(answer.as_str())?;
            if import.is_none() && export.is_none() {
                return Ok((parts, None));
            }
            let config = link.ask(json!({"type": "get_config"}), "get_config")?;
            let prices = GridPrices {
                currency: currency(config.as_str()),
                import,
                export,
            };
            Ok((parts, Some(prices)))
        }
        Err(HomeAssistantError::Refused { code, .. })
            if ["not_found", "unknown_command"].contains(&code.as_str()) =>
        {
            Ok((Vec::new(), None))
        }
        Err(error) => Err(error),
    }
}

fn entities_of(part: &DashboardPart) -> impl Iterator<Item = EntityId> {
    let power = part.rate.as_ref().map(|power| power.entity.clone());
    part.register.clone().into_iter().chain(power)
}

/// The sensors of parts whose entities have statistics of energy and of power.
fn sensors_of(
    parts: Vec<DashboardPart>,
    metadata: &BTreeMap<EntityId, StatisticMetadata>,
    known: &KnownSensors,
    left_out: &mut Vec<LeftOutEntity>,
) -> Vec<ProposedSensor> {
    let mut ids = known.ids.clone();
    let mut sensors = Vec::new();
    let mut insides = Vec::new();
    for part in parts {
        let is_full = sensors.len() >= MOST_PROPOSED;
        let mut usable = |entity: &EntityId, is_energy: bool| {
            let why = why_left_out(metadata.get(entity), is_energy, is_full);
            let entity = entity.clone();
            left_out.extend(why.map(|why| LeftOutEntity { entity, why }));
            why.is_none()
        };
        let energy = part.register.filter(|entity| usable(entity, true));
        let power = part.rate.filter(|power| usable(&power.entity, false));
        let Some(first) = energy
            .as_ref()
            .or(power.as_ref().map(|power| &power.entity))
        else {
            continue;
        };
        let of = metadata.get(first);
        let fed = known.fed.iter().find(|it| {
            it.energy == energy
                && it.power.as_ref().map(|it| &it.entity) == power.as_ref().map(|it| &it.entity)
        });
        let sensor = match fed {
            Some(fed) => fed.sensor.clone(),
            None => free_id(&usual_id(part.role, first), &mut ids),
        };
        let is_taken = part.role != Role::SubMeter && known.roles.contains(part.role.as_str());
        let name = part.given_name.filter(|name| !name.is_empty());
        let name = name.or_else(|| of.and_then(|of| of.name.clone()));
        insides.push(part.inside_of);
        let sensor = HomeSensor {
            name: name.unwrap_or_else(|| sensor.to_string()),
            role: part.role,
            inside: None,
            feeds: FedSensor {
                sensor,
                energy,
                power,
            },
        };
        sensors.push(ProposedSensor {
            sensor,
            unit: of.and_then(|of| of.unit.clone()),
            newest_energy: None,
            newest_power: None,
            since: None,
            is_proposed: fed.is_some() || part.is_certain && !is_taken,
        });
    }
    place_inside(&mut sensors, &insides);
    sensors
}

/// Why an entity cannot feed a sensor; `None` if it can.
fn why_left_out(
    of: Option<&StatisticMetadata>,
    is_energy: bool,
    is_full: bool,
) -> Option<WhyLeftOut> {
    match of {
        _ if is_full => Some(WhyLeftOut::TooMany),
        None => Some(WhyLeftOut::Unknown),
        Some(it) if !it.is_recorded => Some(WhyLeftOut::NoEntity),
        Some(it) if is_energy && it.is_energy() || !is_energy && it.is_power() => None,
        Some(_) => Some(WhyLeftOut::OtherUnit),
    }
}

/// Places sensors inside those with the statistics that contain them.
fn place_inside(sensors: &mut [ProposedSensor], insides: &[Option<EntityId>]) {
    let by_energy = |entity: &EntityId| {
        let all = sensors.iter().map(|it| &it.sensor.feeds);
        let mut found = all.filter(|it| it.energy.as_ref() == Some(entity));
        found.next().map(|it| it.sensor.clone())
    };
    let wholes: Vec<_> = insides
        .iter()
        .map(|inside| inside.as_ref().and_then(by_energy))
        .collect();
    for (sensor, whole) in sensors.iter_mut().zip(wholes) {
        let own = &sensor.sensor.feeds.sensor;
        sensor.sensor.inside = whole.filter(|whole| whole != own);
    }
}

/// The usual id of a sensor.
fn usual_id(role: Role, entity: &EntityId) -> String {
    match role {
        Role::SubMeter => {
            let text = entity.as_str();
            let text = text.split_once('.').map_or(text, |(_, name)| name);
            let endings = ["_energy", "_power", "_total", "_consumption"];
            let text = endings.iter().fold(text, |text, ending| {
                text.strip_suffix(ending)
                    .filter(|it| !it.is_empty())
                    .unwrap_or(text)
            });
            let text: String = text.chars().take(SensorId::MAX_BYTES / 4).collect();
            text.replace('_', "-")
        }
        role => role.as_str().to_owned(),
    }
}

/// This id, or the first one with a number behind it that nobody has.
fn free_id(text: &str, ids: &mut BTreeSet<SensorId>) -> SensorId {
    let numbered = (2_u32..).map(|number| format!("{text}-{number}"));
    let mut all = std::iter::once(text.to_owned()).chain(numbered);
    let free = all.find_map(|text| {
        let id = SensorId::new(&text).ok()?;
        (!ids.contains(&id)).then_some(id)
    });
    // Some number is free.
    #[expect(
        clippy::unwrap_used,
        reason = "the numbers do not end before the ids do"
    )]
    let id = free.unwrap();
    ids.insert(id.clone());
    id
}

/// Asks for the newest values, and since when there are some.
fn look(
    link: &mut HomeAssistantLink,
    sensors: &mut [ProposedSensor],
    now: Timestamp,
) -> Result<(), HomeAssistantError> {
    let ids: BTreeSet<EntityId> = sensors
        .iter()
        .filter(|it| it.is_proposed)
        .flat_map(|it| it.sensor.feeds.entities().cloned())
        .collect();
    let ids: Vec<EntityId> = ids.into_iter().collect();
    let (mut newest, mut since) = (BTreeMap::new(), BTreeMap::new());
    let hour = now.saturating_add_millis(-MS_PER_HOUR)..now;
    let years = now.saturating_add_millis(-OLDEST_MS)..now;
    for ids in ids.chunks(StatisticValues::MOST_IDS) {
        let question = StatisticValues::ask(ids, &hour, ValuePeriod::FiveMinutes);
        let answer = link.ask(question, "statistics_during_period")?;
        for (id, rows) in StatisticValues::read(answer.as_str(), ids)? {
            newest.extend(rows.last().map(|row| (id, *row)));
        }
        let question = StatisticValues::ask(ids, &years, ValuePeriod::Month);
        let answer = link.ask(question, "statistics_during_period")?;
        for (id, rows) in StatisticValues::read(answer.as_str(), ids)? {
            since.extend(rows.first().map(|row| (id, row.start)));
        }
    }
    for sensor in sensors {
        let feeds = &sensor.sensor.feeds;
        let energy = feeds.energy.as_ref();
        sensor.newest_energy = energy.and_then(|id| newest.get(id)?.state);
        let power = feeds.power.as_ref();
        sensor.newest_power = power.and_then(|it| Some(it.part.of(newest.get(&it.entity)?.mean?)));
        let firsts = feeds.entities().filter_map(|id| since.get(id).copied());
        sensor.since = firsts.min();
    }
    Ok(())
}
