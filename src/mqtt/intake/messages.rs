//! From a broker's message to the store: its subscriptions, its readings, and log lines.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;

use super::announced::{self, AnnouncedUnits};
use super::backlog::{Backlog, Waited};
use super::keep_alive::KeepAlive;
use super::problem::{MessageProblem, log_silence};
use super::subscription::Subscription;
use crate::domain::{
    Measures, MeterKind, Moment, Sensor, SensorId, SentParts, Timestamp, UploadedReading,
};
use crate::ingest::devices::mapping::TopicMapping;
use crate::ingest::devices::parts::PartMemory;
use crate::ingest::devices::payload::{self, ArrivedMessage};
use crate::ingest::devices::readings::MessageReadings;
use crate::ingest::wanted::WantedPlaces;
use crate::ingest::{
    DeviceAccount, DeviceIngest, DeviceReading, IncomingMessage, Ingest, IngestError, LogLimit,
    Protocol,
};
use crate::ledger::notice::ClockFault;
use crate::locks::lock;
use crate::store::{Store, StoreError};

/// The usual name of a section in the settings.
const SECTION: &str = "subscription";
/// The maximum number of sensors with wrong clocks that are remembered.
const MAX_WRONG_CLOCKS: usize = 1_024;
/// The time within which a device gets its time from the network after it starts.
const CLOCK_IS_SET_WITHIN: Duration = Duration::from_mins(5);

pub(crate) struct BrokerMessage<'m> {
    pub(crate) topic: &'m str,
    /// `None` if it was too large to read.
    pub(crate) payload: Option<&'m [u8]>,
    /// Whether the broker had retained it, so that its age is unknown.
    pub(crate) is_retained: bool,
}

/// Brings messages to the store.
pub(crate) struct Intake {
    store: Arc<Store>,
    ingest: Ingest,
    subscriptions: Vec<Subscription>,
    /// The places of messages that any of them reads.
    wanted: WantedPlaces,
    /// The last values of the parts of sums, for each mapping in the order of the subscriptions.
    memories: Mutex<Vec<PartMemory>>,
    keep_alive: Mutex<KeepAlive>,
    /// The units announced by devices.
    units: Mutex<AnnouncedUnits>,
    /// `None` before the broker has resumed a session.
    backlog: Mutex<Option<Backlog>>,
    /// The sensors whose devices send wrong times, and the elapsed time of the first one.
    wrong_clocks: Mutex<HashMap<SensorId, Duration>>,
    log_limit: Mutex<LogLimit>,
    device_ingest: DeviceIngest,
}

#[derive(Default)]
struct MessageParts {
    /// Readings, and the account they belong to.
    readings: Vec<(DeviceAccount, Vec<DeviceReading>)>,
    /// The optional parts of registers that arrived for the first time.
    sent: Vec<(SensorId, SentParts)>,
}

impl Intake {
    pub(crate) fn new(store: Arc<Store>, ingest: Ingest, subscriptions: Vec<Subscription>) -> Self {
        let asked = subscriptions.iter().filter_map(Subscription::asked);
        let mappings = subscriptions.iter().flat_map(|one| &one.mappings);
        let registry = store.registry();
        let sensors = registry.sensors().filter(|it| !it.sent_parts.is_empty());
        let sent = sensors.map(|sensor| (sensor.id.to_string(), sensor.sent_parts));
        let sent: HashMap<_, _> = sent.collect();
        drop(registry);
        let mut wanted = WantedPlaces::default();
        for mapping in mappings.clone() {
            wanted.add_all(&mapping.places());
        }
        Self {
            wanted,
            device_ingest: DeviceIngest::new(
                Arc::clone(&store),
                ingest.clone(),
                Protocol::Mqtt,
                SECTION,
            ),
            store,
            ingest,
            keep_alive: Mutex::new(KeepAlive::new(asked)),
            memories: Mutex::new(mappings.map(|_| PartMemory::new(sent.clone())).collect()),
            subscriptions,
            units: Mutex::default(),
            backlog: Mutex::default(),
            wrong_clocks: Mutex::default(),
            log_limit: Mutex::default(),
        }
    }

    /// Topics to subscribe to. Announced units come first, as retained messages come in this order.
    pub(crate) fn filters(&self) -> Vec<String> {
        let filters = self.mappings().flat_map(TopicMapping::filters);
        let filters = filters.map(|filter| filter.as_str().to_owned());
        let mut filters: Vec<String> = filters.collect();
        filters.extend(lock(&self.keep_alive).filters());
        filters.sort_unstable();
        filters.dedup();
        let are_announced = self.mappings().any(TopicMapping::has_announced_units);
        let announcements = announced::FILTERS.iter().filter(|_| are_announced);
        let announcements = announcements.map(|filter| (*filter).to_owned());
        announcements.chain(filters).collect()
    }

    fn mappings(&self) -> impl Iterator<Item = &TopicMapping> {
        let subscriptions = self.subscriptions.iter();
        subscriptions.flat_map(|subscription| &subscription.mappings)
    }

    /// Notes that the broker has resumed the session `now`: messages may have waited there.
    pub(crate) fn resumed(&self, now: Moment) {
        *lock(&self.backlog) = Some(Backlog::new(now));
    }

    /// The publications due at `elapsed` that make devices keep sending: topics with payloads.
    pub(crate) fn requests(&self, elapsed: Duration) -> Vec<(String, &'static str)> {
        lock(&self.keep_alive).due(elapsed)
    }

    /// Notes that the broker has answered the subscription.
    pub(crate) fn subscribed(&self) {
        if let Some(backlog) = &mut *lock(&self.backlog) {
            backlog.subscribed();
        }
    }

    pub(crate) fn check_ready(&self, now: Moment) -> Result<(), IngestError> {
        if let Some(error) = self.store.unready() {
            return Err(error.into());
        }
        self.ingest.check_ready(now)
    }

    /// Reads a message at once; the future stores its readings durably. Problems are only logged.
    ///
    /// # Errors
    /// An [`IngestError`] if readings cannot be stored now, but perhaps when it is sent again.
    pub(crate) fn take(
        self: &Arc<Self>,
        message: &BrokerMessage<'_>,
        now: Moment,
    ) -> impl Future<Output = Result<(), IngestError>> + Send + use<> {
        let parts = self.read(message, now).unwrap_or_else(|problem| {
            self.log_problem(message.topic, &problem, now.elapsed);
            MessageParts::default()
        });
        let (intake, topic) = (Arc::clone(self), message.topic.to_owned());
        let bytes = message.payload.map_or(0, <[u8]>::len);
        async move {
            // First, or the next start would take a sum without the part for the complete one.
            intake.keep_in_mind(parts.sent).await?;
            let incoming = IncomingMessage::new(Protocol::Mqtt, bytes);
            let stored = parts.readings.into_iter().map(async |(whose, readings)| {
                intake
                    .device_ingest
                    .store(&whose, readings, &incoming, now)
                    .await
            });
            let mut result = Ok(());
            for problem in join_all(stored).await.into_iter().flatten() {
                match problem.passing() {
                    Ok(error) => result = Err(error),
                    // It would fail every time, so it is acknowledged and only logged.
                    Err(problem) => intake.log_problem(&topic, &problem.into(), now.elapsed),
                }
            }
            result
        }
    }

    /// Records durably that devices have sent optional parts of registers.
    async fn keep_in_mind(&self, sent: Vec<(SensorId, SentParts)>) -> Result<(), IngestError> {
        for (sensor, part) in sent {
            let (store, id) = (Arc::clone(&self.store), sensor.clone());
            let update = move |sensor: &mut Sensor| sensor.sent_parts = sensor.sent_parts.and(part);
            let kept =
                tokio::task::spawn_blocking(move || store.update_sensor_durably(&id, update));
            // The thread is gone only when the service stops.
            let kept = kept.await.unwrap_or(Err(StoreError::Closed));
            if let Err(error) = kept {
                let mut memories = lock(&self.memories);
                memories
                    .iter_mut()
                    .for_each(|it| it.forget_sent(sensor.as_str()));
                if !matches!(error, StoreError::UnknownSensor(_)) {
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }

    /// The parts of a message to store, by subscription. Problems with single readings are logged.
    fn read(
        &self,
        message: &BrokerMessage<'_>,
        now: Moment,
    ) -> Result<MessageParts, MessageProblem> {
        let topic = message.topic;
        lock(&self.keep_alive).heard(topic);
        let subscriptions = self.subscriptions.iter();
        let mappings = subscriptions
            .flat_map(|subscription| {
                subscription
                    .mappings
                    .iter()
                    .map(move |it| (subscription, it))
            })
            .enumerate()
            .filter(|(_, (_, mapping))| mapping.takes(topic));
        let mappings: Vec<_> = mappings.collect();
        // The session is persistent, so the broker still sends messages for earlier subscriptions.
        if mappings.is_empty() {
            self.learn_unit(message);
            return Ok(MessageParts::default());
        }
        let payload = message.payload.ok_or(MessageProblem::TooLarge)?;
        let json = payload::parse(payload, &self.wanted)?;
        let waited = self.waited(message, now);
        let arrival = ArrivedMessage {
            topic,
            message: &json,
            is_new: !message.is_retained && !matches!(waited, Waited::Until(_)),
            elapsed: now.elapsed,
            unit: lock(&self.units).of(topic),
        };
        let mut parts = MessageParts::default();
        let mut memories = lock(&self.memories);
        for (index, (subscription, mapping)) in mappings {
            // Never `None`, because there is one for each mapping.
            let Some(memory) = memories.get_mut(index) else {
                continue;
            };
            let found = mapping.read(&arrival, memory);
            if arrival.is_new {
                self.note_charges(subscription, &found, now);
            }
            for (sensor, part) in mapping.silent(&found) {
                log_silence(&self.log_limit, sensor, part, now.elapsed);
            }
            for problem in found.problems {
                self.log_problem(topic, &problem.into(), now.elapsed);
            }
            let readings = found.readings.into_iter();
            let readings = readings.flat_map(|one| {
                let time = one.reading.time;
                let time = time
                    .filter(|time| self.believes(subscription, &one, *time, arrival.is_new, now));
                self.timed(&one, time, message.is_retained, waited)
            });
            let account = subscription.account.clone();
            parts.readings.push((account, readings.collect()));
            for (id, sent) in memory.take_new() {
                match self.fed_by(subscription, &id) {
                    Some(id) => parts.sent.push((id, sent)),
                    // Until there is such a sensor.
                    None => memory.forget_sent(&id),
                }
            }
        }
        Ok(parts)
    }

    fn note_charges(&self, subscription: &Subscription, found: &MessageReadings, now: Moment) {
        for (id, charge) in &found.charges {
            if let Some(sensor) = self.fed_by(subscription, id) {
                self.ingest.note_charge(&sensor, *charge, now.time);
            }
        }
    }

    /// The sensor with this id, if the subscription may feed it.
    fn fed_by(&self, subscription: &Subscription, id: &str) -> Option<SensorId> {
        let (registry, id) = (self.store.registry(), SensorId::new(id).ok()?);
        let account = subscription.account.find(&registry, SECTION).ok()?;
        registry.authorized_sensor(&account, &id)?;
        Some(id)
    }

    /// Learns the unit of another topic, if the message announces it.
    fn learn_unit(&self, message: &BrokerMessage<'_>) {
        if let Some(payload) = message.payload {
            let is_wanted = |state: &str| {
                let mut mappings = self.mappings();
                mappings.any(|it| it.has_announced_units() && it.takes(state))
            };
            lock(&self.units).learn(message.topic, payload, is_wanted);
        }
    }

    fn waited(&self, message: &BrokerMessage<'_>, now: Moment) -> Waited {
        let mut backlog = lock(&self.backlog);
        let backlog = backlog.as_mut().filter(|_| !message.is_retained);
        backlog.map_or(Waited::Not, |backlog| backlog.place(message.topic, now))
    }

    /// Whether the time of a reading is trusted.
    fn believes(
        &self,
        subscription: &Subscription,
        reading: &DeviceReading,
        time: Timestamp,
        is_new: bool,
        now: Moment,
    ) -> bool {
        let ahead_ms = match subscription.clock.check(time, now.time, !is_new) {
            Ok(()) => {
                lock(&self.wrong_clocks).remove(&reading.sensor);
                return true;
            }
            Err(None) => return false,
            // The message may be older than the clock's error.
            Err(_) if !is_new => return false,
            Err(Some(ahead_ms)) => ahead_ms,
        };
        let mut wrong = lock(&self.wrong_clocks);
        let has_room = wrong.len() < MAX_WRONG_CLOCKS;
        let since = wrong.get(&reading.sensor).copied();
        if since.is_none() && has_room {
            wrong.insert(reading.sensor.clone(), now.elapsed);
        }
        // Right after it starts, a device may not know the time yet.
        if since.is_some_and(|since| now.elapsed >= since.saturating_add(CLOCK_IS_SET_WITHIN)) {
            let fault = ClockFault::ahead(ahead_ms);
            self.ingest.remark_clock(&reading.sensor, fault, now.time);
        }
        false
    }

    /// The reading with this time, repeated as needed.
    fn timed(
        &self,
        one: &DeviceReading,
        time: Option<Timestamp>,
        is_retained: bool,
        waited: Waited,
    ) -> Vec<DeviceReading> {
        let at = |time, measures| DeviceReading {
            reading: UploadedReading { time, measures },
            ..one.clone()
        };
        let measures = one.reading.measures;
        if time.is_some() {
            return vec![at(time, measures)];
        }
        // Without a time of its own it would get the time of this connection, perhaps years late.
        if is_retained {
            return Vec::new();
        }
        let returned = match waited {
            Waited::Not => return vec![at(None, measures)],
            Waited::Until(returned) | Waited::FirstAfter(returned) => returned,
        };
        let registry = self.store.registry();
        let sensor = registry.sensor(&one.sensor);
        // Each energy of an interval counts.
        if sensor.is_some_and(|sensor| sensor.meter.kind == MeterKind::Interval) {
            return vec![at(None, measures)];
        }
        let register = Measures::new(None, measures.watthours());
        let register = register.ok().map(|register| at(Some(returned), register));
        let is_new = matches!(waited, Waited::FirstAfter(_));
        let now = is_new.then(|| at(None, measures));
        register.into_iter().chain(now).collect()
    }

    fn log_problem(&self, topic: &str, problem: &MessageProblem, elapsed: Duration) {
        // Always counted; only logging is limited.
        self.ingest.count_unused(Protocol::Mqtt, 1);
        problem.log(&self.log_limit, topic, elapsed);
    }
}
