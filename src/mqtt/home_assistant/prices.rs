//! The price of a kilowatt-hour in each account's house: now, when it is cheapest, and whether it is
//! cheap.

use std::collections::BTreeMap;

use super::message::{PriceEntity, UNKNOWN_STATE};
use super::objects::{HouseObject, HouseObjects};
use super::topics::{DiscoverySettings, Publication};
use crate::domain::{Account, Timestamp};
use crate::house::DayPrices;
use crate::store::{Store, StoreError};

/// How often contracts and prices are read again.
const EVERY_MS: i64 = 60_000;

/// The state published by one connection.
#[derive(Default)]
pub(super) struct Prices {
    published: HouseObjects,
    looked: Option<Timestamp>,
    /// When the first price that was published ends.
    until: Option<Timestamp>,
}

impl Prices {
    /// Returns the publications since the last update, when a price ends and otherwise at most once
    /// a minute, and the removed objects. May block on disk reads.
    pub(super) fn update(
        &mut self,
        store: &Store,
        settings: &DiscoverySettings,
        now: Timestamp,
    ) -> (Vec<Publication>, Vec<String>) {
        let age_ms = self.looked.map(|looked| now.millis() - looked.millis());
        // The clock may have been set back.
        let is_fresh = age_ms.is_some_and(|age_ms| (0..EVERY_MS).contains(&age_ms));
        if is_fresh && self.until.is_none_or(|until| now < until) {
            return (Vec::new(), Vec::new());
        }
        (self.looked, self.until) = (Some(now), None);
        let registry = store.registry();
        let mut found = BTreeMap::new();
        for account in registry.accounts() {
            let contracts = registry.contracts(&account.name);
            let Some(currency) = contracts.and_then(|all| all.currency()) else {
                continue;
            };
            let Ok(present) = present(store, account, now) else {
                // The store logs a failed read; the published values stay.
                let objects = ALL.map(|entity| entity.object(&account.name));
                found.extend(self.published.kept(objects.into_iter()));
                continue;
            };
            self.until = self.until.into_iter().chain(present.until).min();
            found.extend(present.states.into_iter().map(|(entity, state)| {
                let config = entity.announcement(settings, &account.name, currency);
                (entity.object(&account.name), HouseObject { config, state })
            }));
        }
        self.published.replace(settings, found)
    }

    /// Whether this object is announced.
    pub(super) fn has(&self, object: &str) -> bool {
        self.published.has(object)
    }
}

const ALL: [PriceEntity; 3] = [PriceEntity::Now, PriceEntity::Cheapest, PriceEntity::Cheap];

/// The states of an account.
struct PresentPrices {
    states: [(PriceEntity, String); 3],
    /// When the price ends.
    until: Option<Timestamp>,
}

fn present(store: &Store, account: &Account, now: Timestamp) -> Result<PresentPrices, StoreError> {
    let known = DayPrices::of_two_days(store, account, now)?;
    let step = known.as_ref().and_then(|known| known.at(now));
    // From the beginning of the running price, so that the time stays while that lasts.
    let from = step.map_or(now, |step| step.from);
    let zone = &account.zone;
    let cheapest = known.as_ref().and_then(|it| it.usual_cheapest(from, zone));
    let cheapest = cheapest.and_then(|time| time.start());
    let is_cheap = known.as_ref().and_then(|it| it.is_cheap(now, zone));
    let is_cheap = is_cheap.map(|is_cheap| if is_cheap { "ON" } else { "OFF" });
    let text = |known: Option<String>| known.unwrap_or_else(|| UNKNOWN_STATE.to_owned());
    Ok(PresentPrices {
        states: [
            (
                PriceEntity::Now,
                text(step.map(|step| step.price.to_string())),
            ),
            (
                PriceEntity::Cheapest,
                text(cheapest.map(|time| time.to_string())),
            ),
            (PriceEntity::Cheap, text(is_cheap.map(str::to_owned))),
        ],
        until: step.map(|step| step.to),
    })
}
