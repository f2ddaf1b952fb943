//! The forecast of each account's house for the running month: its import and its cost.

use std::collections::BTreeMap;

use super::message::ForecastEntity;
use super::objects::{HouseObject, HouseObjects};
use super::topics::{DiscoverySettings, Publication};
use crate::domain::{Account, Timestamp};
use crate::house::forecast;
use crate::store::{Store, StoreError};

/// How often it is computed again: it looks at years of history, and changes slowly.
const EVERY_MS: i64 = 3_600_000;

/// The state published by one connection.
#[derive(Default)]
pub(super) struct Forecasts {
    published: HouseObjects,
    looked: Option<Timestamp>,
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
        let age_ms = self.looked.map(|looked| now.millis() - looked.millis());
        // The clock may have been set back.
        if age_ms.is_some_and(|age_ms| (0..EVERY_MS).contains(&age_ms)) {
            return (Vec::new(), Vec::new());
        }
        self.looked = Some(now);
        let mut found = BTreeMap::new();
        for account in store.registry().accounts() {
            if let Ok(objects) = of_month(store, settings, account, now) {
                found.extend(objects);
            } else {
                // The store logs a failed read; the published values stay.
                let objects = ForecastEntity::ALL.map(|entity| entity.object(&account.name));
                found.extend(self.published.kept(objects.into_iter()));
            }
        }
        self.published.replace(settings, found)
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
