//! What Home Assistant is told in one connection, at the broker's pace: it is looked again for what is new once all that was
//! found is published.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Packet, Publish};
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::link::{Link, LinkError};
use super::session::SUBSCRIBE_ID;
use crate::ingest::home_assistant::{Announcer, Heard, Publication, Settings};
use crate::store::Store;

/// The most publications that the broker has not acknowledged.
const MOST_UNACKNOWLEDGED: usize = 16;
/// How often it is looked whether there is something new.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The most that is remembered of what was heard between two looks; what is more was sent by nobody who means well.
const MOST_HEARD: usize = 2_048;

/// What is published, and what is heard for it.
pub(super) struct Announcing {
    /// None where nothing is announced.
    settings: Option<Settings>,
    /// None while it looks.
    announcer: Option<Announcer>,
    looking: Option<JoinHandle<(Announcer, Vec<Publication>)>>,
    looks: Interval,
    heard: Vec<Heard>,
    queue: VecDeque<Publication>,
    unacknowledged: HashSet<u16>,
    last_id: u16,
}

impl Announcing {
    pub(super) fn new(settings: Option<Settings>) -> Self {
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            announcer: settings.clone().map(Announcer::new),
            settings,
            looking: None,
            looks,
            heard: Vec::new(),
            queue: VecDeque::new(),
            unacknowledged: HashSet::new(),
            last_id: SUBSCRIBE_ID,
        }
    }

    /// What is said at the end.
    pub(super) fn gone(&self) -> Option<Publication> {
        self.settings.as_ref().map(Settings::gone)
    }

    /// Whether a message is meant for this.
    pub(super) fn hear(&mut self, topic: &str, payload: &[u8]) -> bool {
        let settings = self.settings.as_ref();
        let Some(heard) = settings.and_then(|settings| settings.hear(topic, payload)) else {
            return false;
        };
        if self.heard.len() < MOST_HEARD {
            self.heard.extend(heard);
        }
        true
    }

    /// Waits until a look is due, and begins it; or, where one is under way, until it has ended. For ever, while there is still
    /// something to publish. Where the caller stops waiting nothing is lost.
    pub(super) async fn step(&mut self, store: &Arc<Store>) {
        if let Some(looking) = &mut self.looking {
            let looked = looking.await;
            self.looking = None;
            // Where it ended by a panic nothing is announced until the next connection.
            if let Ok((announcer, found)) = looked {
                self.announcer = Some(announcer);
                self.queue.extend(found);
            }
        } else if self.announcer.is_some() && self.queue.is_empty() {
            self.looks.tick().await;
            self.look(store);
        } else {
            std::future::pending::<()>().await;
        }
    }

    /// Begins to look, where others are not held up by it.
    fn look(&mut self, store: &Arc<Store>) {
        let store = Arc::clone(store);
        let heard = std::mem::take(&mut self.heard);
        self.looking = self.announcer.take().map(|mut announcer| {
            tokio::task::spawn_blocking(move || {
                let found = announcer.look(&store, heard);
                (announcer, found)
            })
        });
    }

    /// Takes note that a publication is the broker's now.
    pub(super) fn acknowledged(&mut self, packet_id: u16) {
        self.unacknowledged.remove(&packet_id);
    }

    /// Publishes as much as the broker takes.
    pub(super) async fn publish(&mut self, link: &mut Link) -> Result<(), LinkError> {
        while self.unacknowledged.len() < MOST_UNACKNOWLEDGED
            && let Some(publication) = self.queue.pop_front()
        {
            let packet_id = self.next_id();
            self.unacknowledged.insert(packet_id);
            let publish = packet(publication, QoS::AtLeastOnce, packet_id);
            link.send(&Packet::Publish(publish)).await?;
        }
        Ok(())
    }

    /// A packet id that is not in use: there are far more of them than [`MOST_UNACKNOWLEDGED`].
    fn next_id(&mut self) -> u16 {
        loop {
            self.last_id = self.last_id.checked_add(1).unwrap_or(SUBSCRIBE_ID + 1);
            if !self.unacknowledged.contains(&self.last_id) {
                return self.last_id;
            }
        }
    }
}

/// A publication as a packet.
pub(super) fn packet(publication: Publication, quality: QoS, packet_id: u16) -> Publish {
    let mut publish = Publish::new(publication.topic, quality, publication.payload);
    publish.pkid = packet_id;
    publish.retain = true;
    publish
}
