//! What Home Assistant says about its statistics: their units, and whether an entity has them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::error::HomeAssistantError;
use super::link::HomeAssistantLink;
use super::message::shown_text;
use crate::domain::EntityId;
use crate::ingest::wanted::{StoppedWalk, WantedPlaces};

/// The most statistics of energy or power that are kept.
const MOST_KEPT: usize = 2_000;
/// The most that are asked for at once.
const MOST_ASKED: usize = 200;

/// A statistic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StatisticMetadata {
    /// Its name; entities have none here.
    pub(super) name: Option<String>,
    /// The unit that it is shown in.
    pub(super) unit: Option<String>,
    /// The kind of its unit, such as `energy`.
    class: Option<String>,
    has_sum: bool,
    /// Whether Home Assistant itself records it, from an entity.
    pub(super) is_recorded: bool,
}

static STATISTIC: LazyLock<WantedPlaces> = LazyLock::new(|| {
    WantedPlaces::members([
        "statistic_id",
        "name",
        "source",
        "unit_class",
        "display_unit_of_measurement",
        "statistics_unit_of_measurement",
        "has_sum",
    ])
});

impl StatisticMetadata {
    pub(super) fn is_energy(&self) -> bool {
        self.has_sum && self.class.as_deref() == Some("energy")
    }

    pub(super) fn is_power(&self) -> bool {
        !self.has_sum && self.class.as_deref() == Some("power")
    }
}

/// Asks for these statistics.
pub(super) fn metadata_of(
    link: &mut HomeAssistantLink,
    ids: &[EntityId],
) -> Result<BTreeMap<EntityId, StatisticMetadata>, HomeAssistantError> {
    let mut all = BTreeMap::new();
    for ids in ids.chunks(MOST_ASKED) {
        let question = json!({"type": "recorder/get_statistics_metadata", "statistic_ids": ids});
        let answer = link.ask(question, "get_statistics_metadata")?;
        read(answer.as_str(), |_| true, &mut all)?;
    }
    Ok(all)
}

/// Asks for all statistics of energy and of power that belong to entities.
pub(super) fn list_statistics(
    link: &mut HomeAssistantLink,
) -> Result<BTreeMap<EntityId, StatisticMetadata>, HomeAssistantError> {
    let mut all = BTreeMap::new();
    for kind in ["sum", "mean"] {
        let question = json!({"type": "recorder/list_statistic_ids", "statistic_type": kind});
        let answer = link.ask(question, "list_statistic_ids")?;
        let is_wanted =
            |it: &StatisticMetadata| it.is_recorded && (it.is_energy() || it.is_power());
        read(answer.as_str(), is_wanted, &mut all)?;
    }
    Ok(all)
}

fn read(
    answer: &str,
    is_wanted: impl Fn(&StatisticMetadata) -> bool,
    all: &mut BTreeMap<EntityId, StatisticMetadata>,
) -> Result<(), HomeAssistantError> {
    let walked = STATISTIC.each(answer.as_bytes(), "/result", |_, value| {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let id = text("statistic_id").and_then(|id| EntityId::new(id).ok());
        if let Some(id) = id {
            let unit = text("display_unit_of_measurement");
            let unit = unit.or_else(|| text("statistics_unit_of_measurement"));
            let found = StatisticMetadata {
                name: text("name").map(shown_text),
                unit: unit.map(shown_text),
                class: text("unit_class").map(shown_text),
                has_sum: value.get("has_sum").and_then(Value::as_bool) == Some(true),
                is_recorded: text("source") == Some("recorder"),
            };
            if is_wanted(&found) && all.len() < MOST_KEPT {
                all.insert(id, found);
            }
        }
        Ok(())
    });
    let other = |_: StoppedWalk<()>| HomeAssistantError::OtherProtocol;
    walked.map_err(other).map(drop)
}

#[cfg(test)]
impl StatisticMetadata {
    /// A statistic of energy of an entity.
    pub(super) fn energy() -> Self {
        Self {
            name: None,
            unit: Some("kWh".to_owned()),
            class: Some("energy".to_owned()),
            has_sum: true,
            is_recorded: true,
        }
    }
}
