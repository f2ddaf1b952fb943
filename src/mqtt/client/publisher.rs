//! Publishes for Home Assistant, at the pace of the broker: the store is examined again only once
//! all earlier publications are sent.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Packet, Publish};
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::error::ClientError;
use super::link::{Link, SUBSCRIBE_ID};
use crate::domain::Timestamp;
use crate::mqtt::home_assistant::{Announcer, DiscoverySettings, Incoming, Publication};
use crate::store::Store;

/// The most unacknowledged publications.
const MAX_UNACKNOWLEDGED: usize = 16;
/// The time between two updates.
const UPDATE_EVERY: Duration = Duration::from_secs(1);
/// The most messages kept between two updates. No honest client sends more.
const MAX_INCOMING: usize = 2_048;

/// The publications of one connection, and the messages that arrived for it.
pub(super) struct Publisher {
    /// `None` if nothing is announced.
    settings: Option<DiscoverySettings>,
    /// `None` while `updating` owns it.
    announcer: Option<Announcer>,
    updating: Option<JoinHandle<(Announcer, Vec<Publication>)>>,
    updates: Interval,
    incoming: Vec<Incoming>,
    queue: VecDeque<Publication>,
    unacknowledged: HashSet<u16>,
    last_id: u16,
}

impl Publisher {
    pub(super) fn new(settings: Option<DiscoverySettings>) -> Self {
        Self {
            announcer: settings.clone().map(Announcer::new),
            settings,
            updating: None,
            updates: every(UPDATE_EVERY),
            incoming: Vec::new(),
            queue: VecDeque::new(),
            unacknowledged: HashSet::new(),
            last_id: SUBSCRIBE_ID,
        }
    }

    /// The publication to send at the end of the connection.
    pub(super) fn offline(&self) -> Option<Publication> {
        self.settings.as_ref().map(DiscoverySettings::offline)
    }

    /// Handles a message of discovery; returns whether it was one.
    pub(super) fn take(&mut self, topic: &str, payload: &[u8]) -> bool {
        let settings = self.settings.as_ref();
        let Some(incoming) = settings.and_then(|settings| settings.read(topic, payload)) else {
            return false;
        };
        // The next connection makes up for dropped messages: it receives retained messages again,
        // and announces everything.
        if self.incoming.len() < MAX_INCOMING {
            self.incoming.extend(incoming);
        }
        true
    }

    /// Waits until an update is due and starts it, or until the running one has ended. Waits
    /// forever while there are publications to send. Safe to cancel.
    pub(super) async fn step(&mut self, store: &Arc<Store>, now: impl Fn() -> Timestamp) {
        if let Some(updating) = &mut self.updating {
            // Awaited by reference, so a cancelled step does not lose the task.
            let updated = updating.await;
            self.updating = None;
            // After a panic, nothing is announced until the next connection.
            if let Ok((announcer, found)) = updated {
                self.announcer = Some(announcer);
                self.queue.extend(found);
            }
        } else if self.announcer.is_some() && self.queue.is_empty() {
            self.updates.tick().await;
            self.start_update(store, now());
        } else {
            std::future::pending::<()>().await;
        }
    }

    /// Starts an update on a blocking thread, because reading registers may take a while.
    fn start_update(&mut self, store: &Arc<Store>, now: Timestamp) {
        let store = Arc::clone(store);
        let incoming = std::mem::take(&mut self.incoming);
        self.updating = self.announcer.take().map(|mut announcer| {
            tokio::task::spawn_blocking(move || {
                let found = announcer.update(&store, incoming, now);
                (announcer, found)
            })
        });
    }

    /// Notes that the broker has acknowledged a publication.
    pub(super) fn acknowledged(&mut self, packet_id: u16) {
        self.unacknowledged.remove(&packet_id);
    }

    /// Publishes as much as the broker accepts.
    pub(super) async fn publish(&mut self, link: &mut Link) -> Result<(), ClientError> {
        while self.unacknowledged.len() < MAX_UNACKNOWLEDGED
            && let Some(publication) = self.queue.pop_front()
        {
            let packet_id = self.next_id();
            self.unacknowledged.insert(packet_id);
            let publish = packet(publication, QoS::AtLeastOnce, packet_id);
            link.send(&Packet::Publish(publish)).await?;
        }
        Ok(())
    }

    /// Returns an unused packet id. The loop ends, because there are far more ids than
    /// [`MAX_UNACKNOWLEDGED`].
    fn next_id(&mut self) -> u16 {
        loop {
            self.last_id = self.last_id.checked_add(1).unwrap_or(SUBSCRIBE_ID + 1);
            if !self.unacknowledged.contains(&self.last_id) {
                return self.last_id;
            }
        }
    }
}

/// Ticks at once and then every `period`. Missed ticks are skipped.
pub(super) fn every(period: Duration) -> Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// A publication as a packet.
pub(super) fn packet(publication: Publication, quality: QoS, packet_id: u16) -> Publish {
    let mut publish = Publish::new(publication.topic, quality, publication.payload);
    publish.pkid = packet_id;
    // Home Assistant also receives it after its own restart.
    publish.retain = true;
    publish
}
