//! Parts of a house without an Energy dashboard: roles are guessed from the words of entities.

use std::collections::{BTreeMap, BTreeSet};

use super::dashboard::DashboardPart;
use super::metadata::StatisticMetadata;
use crate::domain::{EntityId, FedPower, PowerPart, Role};

/// Words of roles, in the order of the search: words that an entity of another role may contain
/// come later.
const WORDS: [(Role, &[&str]); 5] = [
    (
        Role::BatteryDischarge,
        &["discharg", "entlad", "from_battery", "battery_out"],
    ),
    (
        Role::BatteryCharge,
        &[
            "battery_charg",
            "charged",
            "laden",
            "to_battery",
            "battery_in",
        ],
    ),
    (
        Role::GridExport,
        &[
            "export", "return", "feed_in", "feedin", "einspeis", "to_grid", "grid_out",
        ],
    ),
    (
        Role::Solar,
        &[
            "solar",
            "pv_",
            "_pv",
            "photovolt",
            "inverter",
            "wechselrichter",
            "produc",
            "yield",
        ],
    ),
    (
        Role::GridImport,
        &[
            "import",
            "grid",
            "from_grid",
            "bezug",
            "netz",
            "smart_meter",
            "utility",
            "hauptz",
        ],
    ),
];

/// The parts: entities of energy with a guessed role first, each role once, then all others to
/// choose from.
pub(super) fn guessed_parts(
    metadata: &BTreeMap<EntityId, StatisticMetadata>,
) -> Vec<DashboardPart> {
    let mut known = BTreeSet::new();
    let (mut certain, mut others) = (Vec::new(), Vec::new());
    for (entity, of) in metadata {
        let guessed = guess(entity, of).filter(|_| of.is_energy());
        let role = guessed.filter(|role| known.insert(role.as_str()));
        let rate = of.is_power().then(|| FedPower {
            entity: entity.clone(),
            part: PowerPart::Whole,
        });
        let part = DashboardPart {
            role: role.unwrap_or_default(),
            register: of.is_energy().then(|| entity.clone()),
            rate,
            given_name: None,
            inside_of: None,
            is_certain: role.is_some(),
        };
        if role.is_some() {
            certain.push(part);
        } else {
            others.push(part);
        }
    }
    certain.extend(others);
    certain
}

fn guess(entity: &EntityId, of: &StatisticMetadata) -> Option<Role> {
    let name = of.name.as_deref().unwrap_or_default();
    let text = format!("{entity} {name}").to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let mut all = WORDS.iter();
    all.find(|(_, words)| has(words)).map(|(role, _)| *role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_guessed_from_words() {
        let of = StatisticMetadata::energy();
        for (entity, role) in [
            ("sensor.grid_import_total", Some(Role::GridImport)),
            ("sensor.zaehler_bezug", Some(Role::GridImport)),
            ("sensor.grid_export_total", Some(Role::GridExport)),
            ("sensor.netz_einspeisung", Some(Role::GridExport)),
            ("sensor.pv_yield", Some(Role::Solar)),
            ("sensor.battery_discharge", Some(Role::BatteryDischarge)),
            ("sensor.battery_charge", Some(Role::BatteryCharge)),
            ("sensor.dryer", None),
        ] {
            let entity = EntityId::new(entity).unwrap();
            assert_eq!(guess(&entity, &of), role, "{entity}");
        }
        let ids = ["sensor.dryer", "sensor.grid_a", "sensor.grid_b"];
        let all = ids.map(|id| (EntityId::new(id).unwrap(), of.clone()));
        let parts = guessed_parts(&all.into());
        let shown: Vec<_> = parts.iter().map(|it| (it.role, it.is_certain)).collect();
        assert_eq!(
            shown,
            [
                (Role::GridImport, true),
                (Role::SubMeter, false),
                (Role::SubMeter, false)
            ]
        );
    }
}
