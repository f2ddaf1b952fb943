//! Today's energy and cost of each account's house, for Home Assistant's Energy dashboard.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::message::HouseEntity;
use super::objects::LastLook;
use super::topics::{DiscoverySettings, Publication};
use crate::domain::{Account, Calendar, Interval, Timestamp};
use crate::house::{EnergyColumn, EnergyQuestion, EnergyReport};
use crate::store::{Registry, Store, StoreError};

/// The interval at which today is computed again.
const EVERY_MS: i64 = 60_000;

/// The state published by one connection, by object.
#[derive(Default)]
pub(super) struct Houses {
    published: BTreeMap<String, PublishedSum>,
    looked: LastLook,
}

#[derive(PartialEq, Eq)]
struct PublishedSum {
    /// The announcement.
    config: String,
    state: String,
}

impl Houses {
    /// Returns the publications since the last update, at most once a minute, and the removed
    /// objects. May block on disk reads.
    pub(super) fn update(
        &mut self,
        store: &Arc<Store>,
        settings: &DiscoverySettings,
        now: Timestamp,
    ) -> (Vec<Publication>, Vec<String>) {
        if !self.looked.is_due(EVERY_MS, now) {
            return (Vec::new(), Vec::new());
        }
        let mut found = Vec::new();
        for account in store.registry().accounts() {
            // A failed read is logged by the store; the published values stay.
            let Ok(Some(sums)) = today(store, account, now) else {
                continue;
            };
            for (entity, value) in sums.values {
                let config = entity.announcement(settings, account, sums.currency.as_deref());
                let sum = PublishedSum {
                    state: entity.state(value, sums.since),
                    config: config.payload.clone(),
                };
                let object = entity.object(&account.name);
                let before = self.published.get(&object);
                if before.is_none_or(|before| before.config != sum.config) {
                    found.push(config);
                }
                if before.is_none_or(|before| before.state != sum.state) {
                    found.push(Publication {
                        topic: settings.state_topic(&object),
                        payload: sum.state.clone(),
                    });
                }
                self.published.insert(object, sum);
            }
        }
        let registry = store.registry();
        let gone = self
            .published
            .extract_if(.., |object, _| !is_of_account(&registry, object));
        let gone = gone.map(|(object, _)| object).collect();
        (found, gone)
    }
}

/// Whether an object belongs to a house. After midnight its value may be unknown for a while, but
/// it stays announced.
pub(super) fn is_of_account(registry: &Registry, object: &str) -> bool {
    let mut accounts = registry.accounts();
    accounts.any(|it| {
        HouseEntity::ALL
            .iter()
            .any(|entity| entity.object(&it.name) == object)
    })
}

/// The known sums of a house today.
struct TodaysSums {
    /// Its midnight.
    since: Timestamp,
    currency: Option<String>,
    values: Vec<(HouseEntity, f64)>,
}

fn today(
    store: &Arc<Store>,
    account: &Account,
    now: Timestamp,
) -> Result<Option<TodaysSums>, StoreError> {
    let mut days = Calendar::new(account.zone.clone(), Interval::Day);
    let since = days.bucket(now).start();
    let question = EnergyQuestion {
        of: None,
        range: since..now,
        interval: None,
        zone: account.zone.clone(),
        with_sources: false,
    };
    let Some(mut report) = EnergyReport::open(store, account, question, now)? else {
        return Ok(None);
    };
    let mut rows = Vec::new();
    while report.next_run(&mut rows)? {}
    let all: Vec<(EnergyColumn, f64)> = rows.into_iter().flat_map(|row| row.values).collect();
    let of = |column| {
        all.iter()
            .find(|(it, _)| *it == column)
            .map(|(_, value)| *value)
    };
    let values = HouseEntity::ALL.into_iter().filter_map(|entity| {
        let value = match entity {
            HouseEntity::Import => of(EnergyColumn::Imported),
            HouseEntity::Export => of(EnergyColumn::Exported),
            HouseEntity::Produced => of(EnergyColumn::Produced),
            HouseEntity::Used => of(EnergyColumn::Used),
            HouseEntity::Cost => {
                let credit = of(EnergyColumn::Credit).unwrap_or(0.0);
                of(EnergyColumn::Cost).map(|cost| cost - credit)
            }
        };
        Some((entity, value?))
    });
    Ok(Some(TodaysSums {
        since,
        currency: report
            .currency()
            .map(|currency| currency.as_str().to_owned()),
        values: values.collect(),
    }))
}
