//! From a broker's message to the store: which subscriptions it belongs to, which of its readings can be stored, and what the
//! log says of the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use thiserror::Error;

use super::announced::{self, AnnouncedUnits};
use super::backlog::{Backlog, Waited};
use super::keep_alive::KeepAlive;
use super::mapping::TopicMapping;
use super::parts::PartMemory;
use super::payload::{self, ArrivedMessage, PayloadError};
use super::subscription::Subscription;
use super::topic::TopicFilter;
use crate::domain::{
    Measures, MeterKind, Moment, Sensor, SensorId, SentParts, Timestamp, UploadedReading,
};
use crate::ingest::{
    DeviceAccount, DeviceDoor, DeviceProblem, DeviceReading, IncomingMessage, Ingest, IngestError,
    LogLimit, Protocol,
};
use crate::ledger::notice::ClockFault;
use crate::locks::lock;
use crate::store::{Store, StoreError};

/// What people call a section of the settings.
const SECTION: &str = "subscription";
/// Topics are cut to this many characters in the log.
const MAX_LOGGED_CHARS: usize = 120;
/// The most sensors with wrong clocks that are remembered.
const MAX_WRONG_CLOCKS: usize = 1_024;
/// A device gets its time from the network within so long after it starts.
const CLOCK_IS_SET_WITHIN: Duration = Duration::from_mins(5);

/// A message from the broker.
pub(crate) struct BrokerMessage<'m> {
    pub(crate) topic: &'m str,
    /// `None` if it was too large to read.
    pub(crate) payload: Option<&'m [u8]>,
    /// Whether the broker had retained it, so that its age is unknown.
    pub(crate) is_retained: bool,
}

/// Why a message, or a part of it, is not used.
#[derive(Debug, Error)]
enum MessageProblem {
    #[error("it is longer than 64 KiB")]
    TooLarge,
    #[error(transparent)]
    Payload(#[from] PayloadError),
    #[error(transparent)]
    Device(#[from] DeviceProblem),
}

/// The way from messages to the store.
pub(crate) struct Intake {
    store: Arc<Store>,
    ingest: Ingest,
    subscriptions: Vec<Subscription>,
    /// Of each mapping, in the order of the subscriptions, what its parts said.
    memories: Mutex<Vec<PartMemory>>,
    keep_alive: Mutex<KeepAlive>,
    /// The units that devices announce.
    units: Mutex<AnnouncedUnits>,
    /// `None` before the broker has resumed a session.
    backlog: Mutex<Option<Backlog>>,
    /// The sensors whose devices send wrong times, and since when, counted from the start of this run.
    wrong_clocks: Mutex<HashMap<SensorId, Duration>>,
    log_limit: Mutex<LogLimit>,
    door: DeviceDoor,
}

/// The parts of a message to store.
#[derive(Default)]
struct MessageParts {
    /// Readings, and whose they are.
    readings: Vec<(DeviceAccount, Vec<DeviceReading>)>,
    /// The optional parts of registers that came for the first time.
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
        Self {
            door: DeviceDoor::new(Arc::clone(&store), ingest.clone(), Protocol::Mqtt, SECTION),
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

    /// The topics to subscribe to, each once. A broker sends what it has retained in their order, so announced units come first.
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

    /// The broker has resumed the session `now`: messages may have waited there.
    pub(crate) fn resumed(&self, now: Moment) {
        *lock(&self.backlog) = Some(Backlog::new(now));
    }

    /// What to publish at `elapsed` since the start of this run, so that devices keep sending: topics with payloads.
    pub(crate) fn requests(&self, elapsed: Duration) -> Vec<(String, &'static str)> {
        lock(&self.keep_alive).due(elapsed)
    }

    /// The broker has answered the subscription.
    pub(crate) fn subscribed(&self) {
        if let Some(backlog) = &mut *lock(&self.backlog) {
            backlog.subscribed();
        }
    }

    /// Whether readings can be stored `now`.
    pub(crate) fn check_ready(&self, now: Moment) -> Result<(), IngestError> {
        if let Some(error) = self.store.unready() {
            return Err(error.into());
        }
        self.ingest.check_ready(now)
    }

    /// Reads a message at once; the future stores its readings durably. Problems with the message or with single readings are
    /// logged, and do not fail it.
    ///
    /// # Errors
    /// An [`IngestError`] if readings cannot be stored now. They may be when the message is sent again.
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
            // First: without it, the next start would take a sum without the part for the whole one.
            intake.keep_in_mind(parts.sent).await?;
            let incoming = IncomingMessage::new(Protocol::Mqtt, bytes);
            let stored = parts.readings.into_iter().map(async |(whose, readings)| {
                intake.door.store(&whose, readings, &incoming, now).await
            });
            let mut result = Ok(());
            for problem in join_all(stored).await.into_iter().flatten() {
                match problem.passing() {
                    Ok(error) => result = Err(error),
                    // Sent again, it would fail again and again, so the message is acknowledged and only logged.
                    Err(problem) => intake.log_problem(&topic, &problem.into(), now.elapsed),
                }
            }
            result
        }
    }

    /// Keeps in mind durably that devices have sent optional parts of registers.
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

    /// The parts of a message to store, by each subscription that reads it. Problems with single readings are logged.
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
        // The session is persistent, so the broker still sends what earlier settings subscribed to.
        if mappings.is_empty() {
            self.learn_unit(message);
            return Ok(MessageParts::default());
        }
        let payload = message.payload.ok_or(MessageProblem::TooLarge)?;
        let json = payload::parse(payload)?;
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
            // Never `None`: there is one for each.
            let Some(memory) = memories.get_mut(index) else {
                continue;
            };
            let found = mapping.read(&arrival, memory);
            for (sensor, part) in mapping.silent(&found) {
                self.log_silence(sensor, part, now.elapsed);
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
                    // Until there is one.
                    None => memory.forget_sent(&id),
                }
            }
        }
        Ok(parts)
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

    /// Whether the time of a reading is believed.
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
            // It may be older than the clock is wrong.
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

    /// The reading, with this time, as often as it counts.
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

    fn log_silence(&self, sensor: &str, part: &TopicFilter, elapsed: Duration) {
        let shown: String = sensor.chars().take(MAX_LOGGED_CHARS).collect();
        let text = format!(
            "there is no sum, because a part under {:?} has not come; a part that the device never sends ends with \"?\"",
            part.as_str()
        );
        if lock(&self.log_limit).allows(&shown, &text, elapsed) {
            log::warn!("mqtt: for the sensor {shown:?} {text}");
        }
    }

    fn log_problem(&self, topic: &str, problem: &MessageProblem, elapsed: Duration) {
        // Always counted; only the log is limited.
        self.ingest.count_unused(Protocol::Mqtt, 1);
        if matches!(problem, MessageProblem::Payload(PayloadError::NoNumber(_))) {
            return;
        }
        let shown: String = topic.chars().take(MAX_LOGGED_CHARS).collect();
        let problem = problem.to_string();
        if lock(&self.log_limit).allows(&shown, &problem, elapsed) {
            log::warn!("mqtt: a message under {shown:?} is not used: {problem}");
        }
    }
}
