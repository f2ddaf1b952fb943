//! Problems by notices: of each sensor, of the house of each account, and of the service.

use std::collections::{BTreeMap, BTreeSet};

use super::message::ProblemOf;
use super::topics::{DiscoverySettings, Publication};
use crate::store::Registry;

/// The state published by one connection, by object.
#[derive(Default)]
pub(super) struct Problems(BTreeMap<String, PublishedProblem>);

#[derive(PartialEq, Eq)]
struct PublishedProblem {
    device: String,
    is_on: bool,
}

impl Problems {
    /// Returns the publications since the last update, and the removed objects.
    pub(super) fn update(
        &mut self,
        registry: &Registry,
        settings: &DiscoverySettings,
    ) -> (Vec<Publication>, Vec<String>) {
        let shown = registry.notices().filter(|(_, known)| known.is_shown());
        // By account, and by sensor for notices about one.
        let told: BTreeSet<_> = shown
            .map(|(key, known)| {
                let sensor = known.notice.sensor();
                (key.account.as_ref().filter(|_| sensor.is_none()), sensor)
            })
            .collect();
        let sensors = registry
            .sensors()
            .filter(|sensor| sensor.authorized && sensor.is_announced);
        let sensors = sensors.map(|it| (ProblemOf::Sensor(it), (None, Some(&it.id))));
        let houses = registry
            .accounts()
            .map(|it| (ProblemOf::House(&it.name), (Some(&it.name), None)));
        let service = [(ProblemOf::Service, (None, None))];
        let (mut now, mut found) = (BTreeMap::new(), Vec::new());
        for (of, place) in sensors.chain(houses).chain(service) {
            let object = of.object();
            let problem = PublishedProblem {
                device: of.device(),
                is_on: told.contains(&place),
            };
            let before = self.0.get(&object);
            if before.is_none_or(|before| before.device != problem.device) {
                found.push(of.announcement(settings));
            }
            if before.is_none_or(|before| before.is_on != problem.is_on) {
                found.push(Publication {
                    topic: settings.state_topic(&object),
                    payload: if problem.is_on { "ON" } else { "OFF" }.to_owned(),
                });
            }
            now.insert(object, problem);
        }
        let before = std::mem::replace(&mut self.0, now).into_keys();
        let gone = before.filter(|object| !self.has(object)).collect();
        (found, gone)
    }

    /// Whether this object is announced.
    pub(super) fn has(&self, object: &str) -> bool {
        self.0.contains_key(object)
    }
}
