//! The peak guard of each account's house whose contract prices the demand: the peak so far, the likely
//! end of the running span, and the power that is left.

use serde_json::{Value, json};

use super::message::{ProblemOf, VALUE, slug_of_text};
use super::objects::{HouseObject, HouseObjects, LastLook};
use super::topics::{DiscoverySettings, Publication};
use crate::domain::{Account, AccountName, MicroWh, Timestamp};
use crate::house::{PeakGuard, PeakNow, PeaksNow};
use crate::ledger::contract::Contract;
use crate::store::{Store, StoreError};

/// How often it looks.
const EVERY_MS: i64 = 60_000;

/// The attributes of the likely end.
const SPAN: &str = "{{ {'energy': value_json.energy, 'level': value_json.level, 'until': value_json.until, 'new_peak': value_json.new_peak, 'kilowatt': value_json.kilowatt, 'currency': value_json.currency} | tojson if value_json is defined else '{}' }}";

/// The state published by one connection.
#[derive(Default)]
pub(super) struct Peaks {
    published: HouseObjects,
    guard: PeakGuard,
    looked: LastLook,
}

impl Peaks {
    /// Returns the publications since the last update, at most once a minute, and the removed objects.
    /// May block on disk reads.
    pub(super) fn update(
        &mut self,
        store: &Store,
        settings: &DiscoverySettings,
        now: Timestamp,
    ) -> (Vec<Publication>, Vec<String>) {
        if !self.looked.is_due(EVERY_MS, now) {
            return (Vec::new(), Vec::new());
        }
        let Self {
            published, guard, ..
        } = self;
        published.renew(
            (store, settings),
            |account| of_account((store, guard), settings, account, now),
            |account| PeakEntity::ALL.map(|it| it.object(account)).into(),
        )
    }

    /// Whether this object is announced.
    pub(super) fn has(&self, object: &str) -> bool {
        self.published.has(object)
    }
}

/// The objects of an account, if its contract prices the demand.
fn of_account(
    (store, guard): (&Store, &PeakGuard),
    settings: &DiscoverySettings,
    account: &Account,
    now: Timestamp,
) -> Result<Vec<(String, HouseObject)>, StoreError> {
    let registry = store.registry();
    let contracts = registry.contracts(&account.name);
    let mut contracts = contracts.iter().flat_map(|it| it.all());
    if !contracts.any(Contract::has_demand) {
        return Ok(Vec::new());
    }
    let found = guard.look(store, account, now)?;
    let shown = found
        .as_ref()
        .and_then(|found| Some((found, found.shown()?)));
    let objects = PeakEntity::ALL.map(|entity| {
        let object = HouseObject {
            config: entity.announcement(settings, &account.name),
            state: entity.state(shown?).to_string(),
        };
        Some((entity.object(&account.name), object))
    });
    Ok(objects.into_iter().flatten().collect())
}

/// A power of an account's house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PeakEntity {
    /// The peak of the running period so far.
    Peak,
    /// The likely mean power of the running span.
    Expected,
    /// The power that is left until its end.
    Left,
}

impl PeakEntity {
    const ALL: [Self; 3] = [Self::Peak, Self::Expected, Self::Left];

    fn object(self, account: &AccountName) -> String {
        let suffix = match self {
            Self::Peak => "peak",
            Self::Expected => "expected",
            Self::Left => "left",
        };
        // As for problems, no slug of a sensor begins like this.
        format!("__{}_{suffix}", slug_of_text(account.as_str()))
    }

    fn announcement(self, settings: &DiscoverySettings, account: &AccountName) -> Publication {
        let object = self.object(account);
        let name = match self {
            Self::Peak => "Peak of the month",
            Self::Expected => "Likely mean power",
            Self::Left => "Power left below the peak",
        };
        let mut own = json!({
            "name": name,
            "device_class": "power",
            "state_class": "measurement",
            "unit_of_measurement": "W",
            "suggested_display_precision": 0,
            "value_template": VALUE,
        });
        if let (Self::Expected, Some(members)) = (self, own.as_object_mut()) {
            let topic = settings.state_topic(&object);
            members.insert("json_attributes_topic".to_owned(), topic.into());
            members.insert("json_attributes_template".to_owned(), SPAN.into());
        }
        ProblemOf::House(account).announced(settings, &object, own)
    }

    /// The message of its value; null, which Home Assistant shows as unknown, if that is not known.
    fn state(self, (found, it): (&PeaksNow, &PeakNow)) -> Value {
        let watts = |power: Option<MicroWh>| power.map(|power| power.watthours().round());
        match self {
            Self::Peak => json!({"value": watts(it.demand.peak())}),
            Self::Left => json!({"value": watts(it.left())}),
            Self::Expected => json!({
                "value": watts(it.likely()),
                "energy": watts(it.demand.energy()),
                "level": watts(Some(it.demand.level().power())),
                "until": it.demand.span().end.to_string(),
                "new_peak": it.is_new_peak(),
                "kilowatt": it.kilowatt.to_string(),
                "currency": found.currency.as_str(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::domain::{MeterKind, Role};
    use crate::house::tests::{import, open};
    use crate::ledger::contract::ContractChange;

    #[test]
    fn a_house_whose_contract_prices_the_demand_has_its_peaks() {
        let dir = tempfile::tempdir().unwrap();
        let sensors = [("grid", Role::GridImport, MeterKind::Counter)];
        let (store, account) = open(dir.path(), &sensors);
        let settings = DiscoverySettings {
            prefix: "homeassistant".to_owned(),
            node: "wattkeeper".to_owned(),
            pages: None,
        };
        let now = at("2026-02-10T18:05:00");
        let mut peaks = Peaks::default();
        let (found, gone) = peaks.update(&store, &settings, now);
        assert!(found.is_empty() && gone.is_empty());
        let contract = r#"{"from":"2024-01-01","name":"A","currency":"€","components":[{"demand":{"price":4.5,"per":"quarter"}}]}"#;
        let change = ContractChange::parse(contract).unwrap();
        let name = account.name.clone();
        let changed = store.edit(move |edit| edit.change_contracts(&name, change));
        changed.unwrap();
        // 2 kW, and 4 kW in the last five minutes.
        let registers = (0..=80_i32).map(|part| {
            let time = at("2026-02-10T11:25:00").saturating_add_millis(i64::from(part) * 300_000);
            let more = f64::from(i32::from(part == 80)) * 500.0 / 3.0;
            (time, f64::from(part) * 500.0 / 3.0 + more)
        });
        let registers: Vec<(Timestamp, f64)> = registers.collect();
        import(&store, "grid", &registers);
        let later = now.saturating_add_millis(EVERY_MS);
        assert_eq!(peaks.update(&store, &settings, now).0, []);
        let now = registers[80].0;
        peaks.looked = LastLook::default();
        let (found, _) = peaks.update(&store, &settings, now);
        let all: std::collections::BTreeMap<String, String> =
            found.into_iter().map(|it| (it.topic, it.payload)).collect();
        assert_eq!(all.len(), 6, "{all:?}");
        let of = |topic: &str| serde_json::from_str::<Value>(&all[topic]).unwrap();
        let config = of("homeassistant/sensor/wattkeeper/__home_left/config");
        assert_eq!(
            [&config["device_class"], &config["unit_of_measurement"]],
            ["power", "W"]
        );
        assert_eq!(
            of("wattkeeper/sensor/__home_peak"),
            json!({"value": 2_000.0})
        );
        let expected = of("wattkeeper/sensor/__home_expected");
        // Five minutes of the quarter at 4 kW, and ten more.
        assert_eq!(
            [&expected["value"], &expected["energy"], &expected["level"]],
            [&json!(4_000.0), &json!(333.0), &json!(2_000.0)]
        );
        assert_eq!(expected["until"], "2026-02-10T18:15:00.000Z");
        // 500 Wh in the quarter are already 167 too many for the ten minutes.
        let left = of("wattkeeper/sensor/__home_left");
        assert_eq!(left, json!({"value": 1_000.0}));
        assert!(peaks.has("__home_left"));
        // Without the contract they go.
        let remove = ContractChange::Remove(crate::domain::LocalDate::parse("2024-01-01").unwrap());
        let name = account.name.clone();
        store
            .edit(move |edit| edit.change_contracts(&name, remove))
            .unwrap();
        let (_, gone) = peaks.update(&store, &settings, later);
        assert_eq!(gone.len(), 3);
    }
}
