//! The forecast of each account's house for the running month: its import and its cost.

use serde_json::json;

use super::message::{ProblemOf, VALUE, slug_of_text};
use super::objects::{HouseObject, HouseObjects, LastLook};
use super::topics::{DiscoverySettings, Publication};
use crate::domain::{Account, AccountName, Timestamp};
use crate::house::forecast;
use crate::store::{Store, StoreError};

/// How often it is computed again: it looks at years of history, and changes slowly.
const EVERY_MS: i64 = 3_600_000;

/// The attributes of a forecast.
const RANGE: &str = "{{ {'low': value_json.low, 'high': value_json.high} | tojson if value_json is defined else '{}' }}";

/// The state published by one connection.
#[derive(Default)]
pub(super) struct Forecasts {
    published: HouseObjects,
    looked: LastLook,
}

impl Forecasts {
    /// Returns the publications since the last update, at most once an hour, and the removed
    /// objects. May block on disk reads.
    pub(super) fn update(
        &mut self,
        store: &Store,
        settings: &DiscoverySettings,
        now: Timestamp,
    ) -> (Vec<Publication>, Vec<String>) {
        if !self.looked.is_due(EVERY_MS, now) {
            return (Vec::new(), Vec::new());
        }
        self.published.renew(
            (store, settings),
            |account| of_month(store, settings, account, now),
            |account| ForecastEntity::ALL.map(|it| it.object(account)).into(),
        )
    }

    /// Whether this object is announced.
    pub(super) fn has(&self, object: &str) -> bool {
        self.published.has(object)
    }
}

/// The objects of an account, as far as their forecast is known.
fn of_month(
    store: &Store,
    settings: &DiscoverySettings,
    account: &Account,
    now: Timestamp,
) -> Result<Vec<(String, HouseObject)>, StoreError> {
    let answer = forecast(store, account, now)?;
    let currency = answer.currency.unwrap_or_default();
    let Some(month) = answer.periods.iter().find(|it| it.period == "month") else {
        return Ok(Vec::new());
    };
    let import = month.imported.map(|it| {
        let ends = [it.likely, it.low, it.high];
        ends.map(|watthours| format!("{watthours:.0}"))
    });
    let total = month.total.as_ref();
    let total = total.map(|it| [it.likely.clone(), it.low.clone(), it.high.clone()]);
    let known = [
        (ForecastEntity::Import, import),
        (ForecastEntity::Cost, total),
    ];
    let objects = known.into_iter().filter_map(|(entity, known)| {
        let object = HouseObject {
            config: entity.announcement(settings, &account.name, &currency),
            state: ForecastEntity::state(&known?),
        };
        Some((entity.object(&account.name), object))
    });
    Ok(objects.collect())
}

/// A forecast of an account's house for the running month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ForecastEntity {
    /// The energy from the grid.
    Import,
    /// The costs less the credits.
    Cost,
}

impl ForecastEntity {
    const ALL: [Self; 2] = [Self::Import, Self::Cost];

    fn object(self, account: &AccountName) -> String {
        let suffix = match self {
            Self::Import => "import",
            Self::Cost => "cost",
        };
        // As for problems, no slug of a sensor begins like this.
        format!("__{}_month_{suffix}", slug_of_text(account.as_str()))
    }

    /// The announcement for an account with amounts in this currency.
    fn announcement(
        self,
        settings: &DiscoverySettings,
        account: &AccountName,
        currency: &str,
    ) -> Publication {
        let object = self.object(account);
        let (name, class, unit, digits) = match self {
            Self::Import => ("Import forecast of the month", "energy", "Wh", 0),
            Self::Cost => ("Cost forecast of the month", "monetary", currency, 2),
        };
        let own = json!({
            "name": name,
            "device_class": class,
            "unit_of_measurement": unit,
            "suggested_display_precision": digits,
            "value_template": VALUE,
            "json_attributes_topic": settings.state_topic(&object),
            "json_attributes_template": RANGE,
        });
        ProblemOf::House(account).announced(settings, &object, own)
    }

    /// The message of a likely value with the lower and the upper end of its range, all in decimals.
    fn state([value, low, high]: &[String; 3]) -> String {
        json!({"value": value, "low": low, "high": high}).to_string()
    }
}
