//! One connection, from its first packet to its last.
//!
//! A message with quality of service 1 is acknowledged once its readings are durable, so the broker
//! resends messages that are lost on the way or in a crash. While [`MAX_IN_FLIGHT`] messages are
//! being stored nothing is read, and the broker waits.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{
    ConnAck, Connect, ConnectReturnCode, LastWill, Packet, PubAck, Publish, Subscribe,
    SubscribeFilter, SubscribeReasonCode,
};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::error::ClientError;
use super::link::{Link, LinkEvent, SUBSCRIBE_ID};
use super::monitor::BrokerMonitor;
use super::publisher::{Publisher, every, packet};
use crate::domain::Moment;
use crate::ingest::IngestError;
use crate::mqtt::home_assistant::DiscoverySettings;
use crate::mqtt::intake::{BrokerMessage, Intake};
use crate::store::Store;

/// The most messages being stored at once.
const MAX_IN_FLIGHT: usize = 32;
/// The broker closes the connection after one and a half times this long without a packet. Pings
/// are sent twice as often.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(40);
/// How long the broker may take to answer a ping, or to send anything else.
const ANSWER_PING_WITHIN: Duration = KEEP_ALIVE;
/// How long the broker may take to accept the connection.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// The interval at which devices are checked for due requests.
const REQUESTS_EVERY: Duration = Duration::from_secs(1);
/// How long a stop waits for messages that are being stored.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// The parts that a session uses.
pub(super) struct Parts<'p> {
    pub(super) intake: Arc<Intake>,
    pub(super) store: Arc<Store>,
    pub(super) clock: &'p (dyn Fn() -> Moment + Send + Sync),
    pub(super) monitor: &'p BrokerMonitor,
    pub(super) stop: watch::Receiver<bool>,
}

/// The packet id of a message, and whether its readings are durable.
type StoreOutcome = (u16, Result<(), IngestError>);
// Ordered, because MQTT 3.1.1 (4.6) demands acknowledgements in the order of the messages.
type InFlight = FuturesOrdered<Pin<Box<dyn Future<Output = StoreOutcome> + Send>>>;

/// Connects, subscribes, and serves until stopped. `connect` contains this client's name and login.
pub(super) async fn run(
    mut link: Link,
    connect: Connect,
    discovery: Option<DiscoverySettings>,
    mut parts: Parts<'_>,
) -> Result<(), ClientError> {
    let is_resumed = tokio::select! {
        connected = log_in(&mut link, connect, discovery.as_ref()) => connected?,
        _ = parts.stop.changed() => return Ok(()),
    };
    log::info!("mqtt: connected to the broker");
    if is_resumed {
        parts.intake.resumed((parts.clock)());
    }
    let mut filters = parts.intake.filters();
    filters.extend(discovery.iter().flat_map(DiscoverySettings::filters));
    subscribe(&mut link, &filters, QoS::AtLeastOnce).await?;
    let mut awaited = Some(filters).filter(|filters| !filters.is_empty());
    parts.monitor.connected((parts.clock)().time);
    let mut publisher = Publisher::new(discovery);
    let mut in_flight = InFlight::new();
    let mut pings = every(KEEP_ALIVE / 2);
    let mut requests = every(REQUESTS_EVERY);
    // The time of the first ping that no packet has followed yet.
    let mut asked: Option<Instant> = None;
    loop {
        tokio::select! {
            // The broker slows down because nothing is read.
            received = receive_within(&mut link, asked), if in_flight.len() < MAX_IN_FLIGHT => {
                asked = None;
                match received? {
                    LinkEvent::Packet(Packet::Publish(publish)) => {
                        receive(&publish, &parts, &mut publisher, &mut in_flight);
                    }
                    LinkEvent::TooLarge { topic, packet_id, .. } => {
                        // Without a payload it is never stored, so its retain flag does not matter.
                        let message = BrokerMessage { topic: &topic, payload: None, is_retained: false };
                        take(&message, packet_id, &parts, &mut in_flight);
                    }
                    LinkEvent::Packet(Packet::PubAck(ack)) => publisher.acknowledged(ack.pkid),
                    LinkEvent::Packet(Packet::SubAck(ack)) => {
                        subscribed(&mut awaited, &ack.return_codes)?;
                        parts.intake.subscribed();
                    }
                    LinkEvent::Packet(Packet::PingResp) => {}
                    LinkEvent::Packet(_) => return Err(ClientError::OutOfPlace),
                }
            }
            Some((packet_id, stored)) = in_flight.next(), if !in_flight.is_empty() => {
                // Ends the connection without an acknowledgement, so that the broker sends the
                // message again.
                stored?;
                acknowledge(&mut link, packet_id).await?;
            }
            () = publisher.step(&parts.store, || (parts.clock)().time) => {}
            _ = pings.tick() => {
                link.send(&Packet::PingReq).await?;
                asked.get_or_insert_with(Instant::now);
            }
            _ = requests.tick() => ask(&mut link, &parts).await?,
            _ = parts.stop.changed() => {
                return stop(&mut link, &mut in_flight, &publisher).await;
            }
        }
        // After every event, because an acknowledgement frees space, and an update brings more
        // publications.
        publisher.publish(&mut link).await?;
    }
}

/// Returns the next packet. Fails if the broker sends none for too long after a ping, which was
/// sent at `asked`.
async fn receive_within(link: &mut Link, asked: Option<Instant>) -> Result<LinkEvent, ClientError> {
    let Some(asked) = asked else {
        return link.receive().await;
    };
    // `timeout_at` tries to read before it checks the time, so an answer still counts if it arrived
    // while a stalled disk, or the whole machine, kept this thread from reading.
    match timeout_at(asked + ANSWER_PING_WITHIN, link.receive()).await {
        Ok(received) => Ok(received?),
        Err(_) => Err(ClientError::NoAnswer),
    }
}

/// Returns whether the broker has resumed the session.
async fn log_in(
    link: &mut Link,
    mut connect: Connect,
    discovery: Option<&DiscoverySettings>,
) -> Result<bool, ClientError> {
    // The broker keeps the subscriptions, and messages for them, while this client is away.
    connect.clean_session = false;
    connect.last_will = discovery.map(|discovery| {
        let offline = discovery.offline();
        LastWill::new(offline.topic, offline.payload, QoS::AtLeastOnce, true)
    });
    greet(link, connect).await
}

/// Introduces this client, and waits until the broker accepts it. Returns whether the broker has
/// resumed its session.
pub(super) async fn greet(link: &mut Link, mut connect: Connect) -> Result<bool, ClientError> {
    connect.keep_alive = u16::try_from(KEEP_ALIVE.as_secs()).unwrap_or(u16::MAX);
    link.send(&Packet::Connect(connect)).await?;
    let answer = timeout(ANSWER_WITHIN, link.receive()).await;
    let answer = answer.map_err(|_| ClientError::NoAnswer)??;
    let LinkEvent::Packet(Packet::ConnAck(ConnAck {
        code,
        session_present,
    })) = answer
    else {
        return Err(ClientError::OutOfPlace);
    };
    Err(ClientError::Refused(match code {
        ConnectReturnCode::Success => return Ok(session_present),
        ConnectReturnCode::RefusedProtocolVersion => "it does not speak MQTT 3.1.1",
        ConnectReturnCode::BadClientId => "it does not accept mqtt.client_id",
        ConnectReturnCode::ServiceUnavailable => "it is not available",
        ConnectReturnCode::BadUserNamePassword | ConnectReturnCode::NotAuthorized => {
            return Err(ClientError::Login);
        }
    }))
}

/// Subscribes to topics.
pub(super) async fn subscribe(
    link: &mut Link,
    filters: &[String],
    qos: QoS,
) -> Result<(), ClientError> {
    // On every connection, although the session is kept: settings may differ, and retained messages
    // are sent again.
    let all = filters.iter().map(|filter| SubscribeFilter {
        path: filter.clone(),
        qos,
    });
    // Subscriptions of earlier settings are left alone: their messages are ignored.
    let mut subscribe = Subscribe::new_many(all);
    subscribe.pkid = SUBSCRIBE_ID;
    // MQTT 3.1.1 (3.8.3) forbids a subscription without topics.
    if !filters.is_empty() {
        link.send(&Packet::Subscribe(subscribe)).await?;
    }
    Ok(())
}

/// Handles the broker's answer to the subscription, which comes once.
fn subscribed(
    awaited: &mut Option<Vec<String>>,
    answers: &[SubscribeReasonCode],
) -> Result<(), ClientError> {
    let filters = awaited.take().ok_or(ClientError::OutOfPlace)?;
    for (filter, answer) in filters.iter().zip(answers) {
        if *answer == SubscribeReasonCode::Failure {
            log::error!("mqtt: the broker refuses the subscription to {filter:?}");
        }
    }
    Ok(())
}

/// Passes a message to the publisher or to the store.
fn receive(
    publish: &Publish,
    parts: &Parts<'_>,
    publisher: &mut Publisher,
    in_flight: &mut InFlight,
) {
    if publisher.take(&publish.topic, &publish.payload) {
        // Queued too, because acknowledgements must follow the order of the messages.
        in_flight.push_back(Box::pin(std::future::ready((publish.pkid, Ok(())))));
        return;
    }
    let message = BrokerMessage {
        topic: &publish.topic,
        payload: Some(&publish.payload),
        is_retained: publish.retain,
    };
    take(&message, publish.pkid, parts, in_flight);
}

fn take(message: &BrokerMessage<'_>, packet_id: u16, parts: &Parts<'_>, in_flight: &mut InFlight) {
    let storing = parts.intake.take(message, (parts.clock)());
    let storing = async move { (packet_id, storing.await) };
    // Unconstrained: if the runtime makes many tasks yield, it wakes the last of them first. But
    // readings at the same time must reach the store in the order of their messages.
    in_flight.push_back(Box::pin(tokio::task::unconstrained(storing)));
}

/// Asks devices to keep sending. No acknowledgement is needed, because they are asked again.
async fn ask(link: &mut Link, parts: &Parts<'_>) -> Result<(), ClientError> {
    for (topic, payload) in parts.intake.requests((parts.clock)().elapsed) {
        let publish = Publish::new(topic, QoS::AtMostOnce, payload);
        link.send(&Packet::Publish(publish)).await?;
    }
    Ok(())
}

/// Acknowledges a message. A message with quality of service 0 has no packet id and expects no
/// answer.
async fn acknowledge(link: &mut Link, packet_id: u16) -> Result<(), ClientError> {
    if packet_id == 0 {
        return Ok(());
    }
    link.send(&Packet::PubAck(PubAck::new(packet_id))).await
}

/// Finishes storing, then disconnects. The broker keeps the subscriptions, and messages that arrive
/// meanwhile.
async fn stop(
    link: &mut Link,
    in_flight: &mut InFlight,
    publisher: &Publisher,
) -> Result<(), ClientError> {
    let finishing = async {
        while let Some((packet_id, stored)) = in_flight.next().await {
            stored?;
            acknowledge(link, packet_id).await?;
        }
        // A regular disconnect discards the last will, so it is published here. There is no time to
        // wait for its acknowledgement.
        if let Some(offline) = publisher.offline() {
            link.send(&Packet::Publish(packet(offline, QoS::AtMostOnce, 0)))
                .await?;
        }
        link.send(&Packet::Disconnect).await
    };
    // Messages not stored by then are not acknowledged, so they are not lost.
    timeout(STOP_WITHIN, finishing).await.unwrap_or(Ok(()))
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[test]
    fn a_subscription_is_answered_once() {
        let mut awaited = Some(vec!["a/#".to_owned()]);
        let answer = [SubscribeReasonCode::Failure];
        assert!(subscribed(&mut awaited, &answer).is_ok());
        let again = subscribed(&mut awaited, &answer);
        assert!(matches!(again, Err(ClientError::OutOfPlace)), "{again:?}");
    }

    #[test]
    fn an_answer_that_waited_unread_counts() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let (mut broker, ours) = tokio::io::duplex(64);
            let mut link = Link::new(Box::new(ours));
            // The ping was sent so long ago that an answer would be too late now.
            let long_ago = Instant::now().checked_sub(ANSWER_PING_WITHIN * 2);
            let asked = Some(long_ago.unwrap());
            let ping_response = [0xd0, 0];
            broker.write_all(&ping_response).await.unwrap();
            // Repeated often, so that a wrong random choice would show.
            for _ in 0..100 {
                let received = receive_within(&mut link, asked).await.unwrap();
                assert_eq!(received, LinkEvent::Packet(Packet::PingResp));
                broker.write_all(&ping_response).await.unwrap();
            }
            receive_within(&mut link, asked).await.unwrap();
            let silent = receive_within(&mut link, asked).await;
            assert!(matches!(silent, Err(ClientError::NoAnswer)));
        });
    }
}
