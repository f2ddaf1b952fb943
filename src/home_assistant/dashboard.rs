//! The house as the Energy dashboard of Home Assistant describes it: `energy/get_prefs`.
//!
//! A source at the grid has one of two forms: lists `flow_from`, `flow_to` and `power` until 2025, and
//! the pair `stat_energy_from` and `stat_energy_to` beside `stat_rate` from 2026 on. Power may be
//! described by `power_config`: one entity, one of the other direction, or two. At the grid it is
//! positive for import, of a battery for discharge. Gas and water are left out.

use std::sync::LazyLock;

use serde_json::Value;

use super::error::HomeAssistantError;
use super::message::shown_text;
use crate::domain::{EntityId, FedPower, PowerPart, Role};
use crate::ingest::wanted::{StoppedWalk, WantedPlaces};

/// The most parts that are kept, and the most entries of a list in a source.
const MOST_PARTS: usize = 2_000;
pub(super) const MOST_FLOWS: usize = 16;

/// A part of the house on the dashboard.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DashboardPart {
    pub(super) role: Role,
    /// The statistic of its energy.
    pub(super) register: Option<EntityId>,
    pub(super) rate: Option<FedPower>,
    /// The name that people gave a device there.
    pub(super) given_name: Option<String>,
    /// The statistic of the device that contains it.
    pub(super) inside_of: Option<EntityId>,
    /// Whether Home Assistant, or a name that says so, gives it this role.
    pub(super) is_certain: bool,
}

/// The entities of a power: from a source, and to it.
type PowerPair = [Option<FedPower>; 2];

static SOURCE: LazyLock<WantedPlaces> = LazyLock::new(|| {
    let plain = ["type", "stat_energy_from", "stat_energy_to", "stat_rate"];
    let power = [
        "stat_rate",
        "stat_rate_inverted",
        "stat_rate_from",
        "stat_rate_to",
    ];
    let mut places = WantedPlaces::members(plain);
    for name in power {
        places.add(&format!("/power_config/{name}"));
    }
    for position in 0..MOST_FLOWS {
        places.add(&format!("/flow_from/{position}/stat_energy_from"));
        places.add(&format!("/flow_to/{position}/stat_energy_to"));
        places.add(&format!("/power/{position}/stat_rate"));
        for name in power {
            places.add(&format!("/power/{position}/power_config/{name}"));
        }
    }
    places
});
static DEVICE: LazyLock<WantedPlaces> = LazyLock::new(|| {
    WantedPlaces::members(["stat_consumption", "stat_rate", "name", "included_in_stat"])
});

/// The parts of the house in the answer to `energy/get_prefs`.
pub(super) fn dashboard_parts(answer: &str) -> Result<Vec<DashboardPart>, HomeAssistantError> {
    let mut parts = Vec::new();
    let other = |_: StoppedWalk<()>| HomeAssistantError::OtherProtocol;
    let sources = SOURCE.each(answer.as_bytes(), "/result/energy_sources", |_, source| {
        if parts.len() < MOST_PARTS {
            parts.extend(source_parts(&source));
        }
        Ok(())
    });
    sources.map_err(other)?;
    let devices = DEVICE.each(
        answer.as_bytes(),
        "/result/device_consumption",
        |_, device| {
            let energy = entity(&device, "/stat_consumption");
            let power = entity(&device, "/stat_rate").map(|entity| FedPower {
                entity,
                part: PowerPart::Whole,
            });
            if parts.len() < MOST_PARTS && (energy.is_some() || power.is_some()) {
                parts.push(DashboardPart {
                    role: Role::SubMeter,
                    register: energy,
                    rate: power,
                    given_name: text(&device, "/name").map(shown_text),
                    inside_of: entity(&device, "/included_in_stat"),
                    is_certain: true,
                });
            }
            Ok(())
        },
    );
    devices.map_err(other)?;
    Ok(parts)
}

fn source_parts(source: &Value) -> Vec<DashboardPart> {
    let roles = match text(source, "/type") {
        Some("grid") => [Role::GridImport, Role::GridExport],
        Some("battery") => [Role::BatteryDischarge, Role::BatteryCharge],
        Some("solar") => {
            let power = entity(source, "/stat_rate").map(|entity| FedPower {
                entity,
                part: PowerPart::Whole,
            });
            let energy = entity(source, "/stat_energy_from");
            return part(Role::Solar, energy, power).into_iter().collect();
        }
        _ => return Vec::new(),
    };
    let energies = |list: &str, name: &str| {
        let single = entity(source, &format!("/{name}"));
        let listed = (0..MOST_FLOWS)
            .filter_map(|position| entity(source, &format!("/{list}/{position}/{name}")));
        single.into_iter().chain(listed).collect::<Vec<_>>()
    };
    let from = energies("flow_from", "stat_energy_from");
    let to = energies("flow_to", "stat_energy_to");
    let listed =
        (0..MOST_FLOWS).filter_map(|position| source.pointer(&format!("/power/{position}")));
    let mut powers: Vec<PowerPair> = [source].into_iter().chain(listed).map(power).collect();
    powers.retain(|pair| pair.iter().any(Option::is_some));
    // A power of both directions belongs to the first meter of each.
    let [first_from, first_to] = powers.into_iter().next().unwrap_or_default();
    let of = |role, energies: Vec<EntityId>, mut power: Option<FedPower>| {
        if energies.is_empty() {
            return part(role, None, power).into_iter().collect::<Vec<_>>();
        }
        let parts = energies.into_iter();
        parts
            .filter_map(|energy| part(role, Some(energy), power.take()))
            .collect()
    };
    let [role_from, role_to] = roles;
    let mut parts = of(role_from, from, first_from);
    parts.extend(of(role_to, to, first_to));
    parts
}

/// The power of a source. Its configuration takes precedence over the entity that Home Assistant
/// makes from it.
fn power(source: &Value) -> PowerPair {
    let both = |entity: EntityId, from: PowerPart| {
        let to = from.reversed();
        let fed = |part| FedPower {
            entity: entity.clone(),
            part,
        };
        [Some(fed(from)), Some(fed(to))]
    };
    let whole = |place: &str| {
        let entity = entity(source, place);
        entity.map(|entity| FedPower {
            entity,
            part: PowerPart::Whole,
        })
    };
    if let Some(entity) = entity(source, "/power_config/stat_rate") {
        return both(entity, PowerPart::Positive);
    }
    if let Some(entity) = entity(source, "/power_config/stat_rate_inverted") {
        return both(entity, PowerPart::Negative);
    }
    let two = ["from", "to"].map(|way| whole(&format!("/power_config/stat_rate_{way}")));
    if two.iter().any(Option::is_some) {
        return two;
    }
    entity(source, "/stat_rate").map_or([None, None], |entity| both(entity, PowerPart::Positive))
}

fn part(role: Role, energy: Option<EntityId>, power: Option<FedPower>) -> Option<DashboardPart> {
    let is_something = energy.is_some() || power.is_some();
    is_something.then_some(DashboardPart {
        role,
        register: energy,
        rate: power,
        given_name: None,
        inside_of: None,
        is_certain: true,
    })
}

fn text<'v>(of: &'v Value, place: &str) -> Option<&'v str> {
    of.pointer(place)?.as_str()
}

fn entity(of: &Value, place: &str) -> Option<EntityId> {
    EntityId::new(text(of, place)?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `role energy power inside` of each part.
    fn shown(prefs: &Value) -> Vec<String> {
        let answer = json!({"id": 1, "type": "result", "success": true, "result": prefs});
        let parts = dashboard_parts(&answer.to_string()).unwrap();
        let or_dash = |id: Option<&EntityId>| id.map_or("-".to_owned(), ToString::to_string);
        let parts = parts.iter().map(|it| {
            let power = it.rate.as_ref();
            let power = power.map_or("-".to_owned(), |power| {
                format!("{}:{}", power.entity, power.part.as_str())
            });
            let (energy, inside) = (
                or_dash(it.register.as_ref()),
                or_dash(it.inside_of.as_ref()),
            );
            format!("{} {energy} {power} {inside}", it.role.as_str())
        });
        parts.collect()
    }

    #[test]
    fn both_forms_of_the_grid_are_read() {
        let old = json!({"energy_sources": [
            {"type": "grid", "cost_adjustment_day": 0,
             "flow_from": [{"stat_energy_from": "sensor.day", "number_energy_price": 0.3}, {"stat_energy_from": "sensor.night"}],
             "flow_to": [{"stat_energy_to": "sensor.back"}],
             "power": [{"stat_rate": "sensor.p"}]},
            {"type": "gas", "stat_energy_from": "sensor.gas"},
            {"type": "water", "stat_energy_from": "sensor.water"},
        ], "device_consumption": []});
        assert_eq!(
            shown(&old),
            [
                "grid-import sensor.day sensor.p:positive -",
                "grid-import sensor.night - -",
                "grid-export sensor.back sensor.p:negative -",
            ]
        );
        let new = json!({"energy_sources": [
            {"type": "grid", "stat_energy_from": "sensor.in", "stat_energy_to": "sensor.out", "stat_rate": "sensor.made",
             "power_config": {"stat_rate_inverted": "sensor.p"}},
            {"type": "grid", "stat_energy_from": "sensor.heat", "stat_energy_to": null},
        ]});
        assert_eq!(
            shown(&new),
            [
                "grid-import sensor.in sensor.p:negative -",
                "grid-export sensor.out sensor.p:positive -",
                "grid-import sensor.heat - -",
            ]
        );
    }

    #[test]
    fn panels_batteries_and_devices_are_read() {
        let prefs = json!({"energy_sources": [
            {"type": "solar", "stat_energy_from": "sensor.sun", "stat_rate": "sensor.sun_w", "config_entry_solar_forecast": null},
            {"type": "battery", "stat_energy_from": "sensor.b_out", "stat_energy_to": "sensor.b_in",
             "power_config": {"stat_rate_from": "sensor.b_from", "stat_rate_to": "sensor.b_to"}},
            {"type": "battery", "stat_energy_from": "sensor.c_out", "stat_energy_to": "sensor.c_in", "stat_rate": "sensor.c"},
        ], "device_consumption": [
            {"stat_consumption": "sensor.car", "name": "Car\n", "included_in_stat": "sensor.garage"},
            {"stat_consumption": "sensor.garage", "stat_rate": "sensor.garage_w"},
            {"stat_consumption": 5},
        ]});
        assert_eq!(
            shown(&prefs),
            [
                "solar sensor.sun sensor.sun_w:whole -",
                "battery-discharge sensor.b_out sensor.b_from:whole -",
                "battery-charge sensor.b_in sensor.b_to:whole -",
                "battery-discharge sensor.c_out sensor.c:positive -",
                "battery-charge sensor.c_in sensor.c:negative -",
                "sub-meter sensor.car - sensor.garage",
                "sub-meter sensor.garage sensor.garage_w:whole -",
            ]
        );
    }

    #[test]
    fn strange_answers_are_nothing_or_refused() {
        for strange in [
            json!(null),
            json!([]),
            json!({"energy_sources": 5}),
            json!({"energy_sources": [[], 1, {"type": []}]}),
        ] {
            assert_eq!(shown(&strange), Vec::<String>::new());
        }
        let devices = vec![json!({"stat_consumption": "sensor.a"}); MOST_PARTS + 1];
        let answer = json!({"result": {"device_consumption": devices}}).to_string();
        assert_eq!(dashboard_parts(&answer).unwrap().len(), MOST_PARTS);
        assert_eq!(
            dashboard_parts("<html>"),
            Err(HomeAssistantError::OtherProtocol)
        );
    }
}
