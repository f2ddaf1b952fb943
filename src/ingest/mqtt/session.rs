//! One connection, from its first packet to its last.
//!
//! A message of quality 1 is acknowledged once its readings are durable, so one that is lost on the way here, or in a fall of
//! this service, comes again. At most [`MOST_STORING`] messages are on their way to the store: while there are as many,
//! nothing is read, and the broker has to wait.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{
    ConnAck, Connect, ConnectReturnCode, LastWill, Login, Packet, PubAck, Publish, Subscribe,
    SubscribeFilter, SubscribeReasonCode,
};
use thiserror::Error;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, timeout};

use super::announcing::{Announcing, packet};
use super::intake::{Arrived, Intake, Unavailable};
use super::link::{Link, LinkError, Received};
use crate::domain::clock::Moment;
use crate::ingest::home_assistant::Settings;
use crate::store::Store;

/// The most messages on their way to the store at once.
const MOST_STORING: usize = 32;
/// How long the broker may hear nothing of us before it says that we are gone; it is asked twice as often.
const KEEP_ALIVE: Duration = Duration::from_secs(40);
/// How long the broker may take for its first answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// How long a stop waits for what is on its way to the store.
const STOP_WITHIN: Duration = Duration::from_secs(5);
/// The packet id of the subscriptions; those of publications are others.
pub(super) const SUBSCRIBE_ID: u16 = 1;

/// Why a connection ended that was not stopped.
#[derive(Debug, Error)]
pub(super) enum SessionError {
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error("the broker did not answer")]
    NoAnswer,
    #[error("the broker refused the connection: {0}")]
    Refused(&'static str),
    #[error("the broker sent a packet out of place")]
    OutOfPlace,
    #[error("nothing can be stored: {0}")]
    Unavailable(#[from] Unavailable),
}

/// Who we are to the broker.
pub(super) struct Identity {
    pub(super) client_id: String,
    pub(super) login: Option<(String, String)>,
}

/// What a connection works with.
pub(super) struct Parts<'p> {
    pub(super) intake: Arc<Intake>,
    pub(super) store: Arc<Store>,
    pub(super) clock: &'p (dyn Fn() -> Moment + Send + Sync),
    pub(super) stop: watch::Receiver<bool>,
}

/// A message's packet id, and whether its readings are durable.
type Stored = (u16, Result<(), Unavailable>);
type Storing = FuturesOrdered<Pin<Box<dyn Future<Output = Stored> + Send>>>;

/// Introduces us, subscribes, and works until it is stopped.
pub(super) async fn run(
    mut link: Link,
    identity: &Identity,
    announcing: Option<Settings>,
    mut parts: Parts<'_>,
) -> Result<(), SessionError> {
    tokio::select! {
        connected = connect(&mut link, identity, announcing.as_ref()) => connected?,
        _ = parts.stop.changed() => return Ok(()),
    }
    log::info!("mqtt: connected to the broker");
    let mut filters = parts.intake.filters();
    filters.extend(announcing.iter().flat_map(Settings::filters));
    subscribe(&mut link, &filters).await?;
    let mut announcing = Announcing::new(announcing);
    let mut storing = Storing::new();
    let mut watching = Watching::new();
    loop {
        tokio::select! {
            received = link.receive(), if storing.len() < MOST_STORING => {
                watching.heard = Instant::now();
                match received? {
                    Received::Packet(Packet::Publish(publish)) => {
                        receive(&publish, &parts, &mut announcing, &mut storing);
                    }
                    Received::TooLarge { topic, packet_id } => {
                        let arrived = Arrived { topic: &topic, payload: None, is_retained: false };
                        take(&arrived, packet_id, &parts, &mut storing);
                    }
                    Received::Packet(Packet::PubAck(ack)) => announcing.acknowledged(ack.pkid),
                    Received::Packet(Packet::SubAck(ack)) => tell_refused(&filters, &ack.return_codes),
                    Received::Packet(Packet::PingResp) => {}
                    Received::Packet(_) => return Err(SessionError::OutOfPlace),
                }
            }
            Some((packet_id, stored)) = storing.next(), if !storing.is_empty() => {
                stored?;
                acknowledge(&mut link, packet_id).await?;
            }
            () = announcing.step(&parts.store) => {}
            _ = watching.pings.tick() => {
                if storing.len() < MOST_STORING && watching.heard.elapsed() > KEEP_ALIVE {
                    return Err(SessionError::NoAnswer);
                }
                link.send(&Packet::PingReq).await?;
            }
            _ = parts.stop.changed() => {
                return stop(&mut link, &mut storing, &announcing).await;
            }
        }
        announcing.publish(&mut link).await?;
    }
}

/// When the broker was heard last, and when it is asked whether it is there.
struct Watching {
    heard: Instant,
    pings: Interval,
}

impl Watching {
    fn new() -> Self {
        let mut pings = interval(KEEP_ALIVE / 2);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            heard: Instant::now(),
            pings,
        }
    }
}

async fn connect(
    link: &mut Link,
    identity: &Identity,
    announcing: Option<&Settings>,
) -> Result<(), SessionError> {
    let mut connect = Connect::new(identity.client_id.clone());
    connect.keep_alive = u16::try_from(KEEP_ALIVE.as_secs()).unwrap_or(u16::MAX);
    connect.clean_session = false;
    connect.login = identity
        .login
        .as_ref()
        .map(|(user, password)| Login::new(user, password));
    connect.last_will = announcing.map(|announcing| {
        let gone = announcing.gone();
        LastWill::new(gone.topic, gone.payload, QoS::AtLeastOnce, true)
    });
    link.send(&Packet::Connect(connect)).await?;
    let answer = timeout(ANSWER_WITHIN, link.receive()).await;
    match answer.map_err(|_| SessionError::NoAnswer)?? {
        Received::Packet(Packet::ConnAck(ConnAck { code, .. })) => match code {
            ConnectReturnCode::Success => Ok(()),
            ConnectReturnCode::RefusedProtocolVersion => {
                Err(SessionError::Refused("it does not speak MQTT 3.1.1"))
            }
            ConnectReturnCode::BadClientId => {
                Err(SessionError::Refused("it does not take mqtt.client_id"))
            }
            ConnectReturnCode::ServiceUnavailable => {
                Err(SessionError::Refused("it is not available"))
            }
            ConnectReturnCode::BadUserNamePassword | ConnectReturnCode::NotAuthorized => Err(
                SessionError::Refused("mqtt.user and the password are not right there"),
            ),
        },
        _ => Err(SessionError::OutOfPlace),
    }
}

async fn subscribe(link: &mut Link, filters: &[String]) -> Result<(), SessionError> {
    let all = filters.iter().map(|filter| SubscribeFilter {
        path: filter.clone(),
        qos: QoS::AtLeastOnce,
    });
    let mut subscribe = Subscribe::new_many(all);
    subscribe.pkid = SUBSCRIBE_ID;
    if !filters.is_empty() {
        link.send(&Packet::Subscribe(subscribe)).await?;
    }
    Ok(())
}

fn tell_refused(filters: &[String], answers: &[SubscribeReasonCode]) {
    for (filter, answer) in filters.iter().zip(answers) {
        if *answer == SubscribeReasonCode::Failure {
            log::error!("mqtt: the broker refuses the subscription to {filter:?}");
        }
    }
}

/// A message: for the announcer, or on its way to the store.
fn receive(
    publish: &Publish,
    parts: &Parts<'_>,
    announcing: &mut Announcing,
    storing: &mut Storing,
) {
    if announcing.hear(&publish.topic, &publish.payload) {
        storing.push_back(Box::pin(std::future::ready((publish.pkid, Ok(())))));
        return;
    }
    let arrived = Arrived {
        topic: &publish.topic,
        payload: Some(&publish.payload),
        is_retained: publish.retain,
    };
    take(&arrived, publish.pkid, parts, storing);
}

fn take(arrived: &Arrived<'_>, packet_id: u16, parts: &Parts<'_>, storing: &mut Storing) {
    let readings = parts.intake.read(arrived, (parts.clock)());
    storing.push_back(Box::pin(
        async move { (packet_id, readings.finish().await) },
    ));
}

/// Tells the broker that a message is ours now. One of quality 0 has no packet id, and wants no answer.
async fn acknowledge(link: &mut Link, packet_id: u16) -> Result<(), LinkError> {
    if packet_id == 0 {
        return Ok(());
    }
    link.send(&Packet::PubAck(PubAck::new(packet_id))).await
}

/// Finishes what is on its way to the store, and takes leave. The broker keeps the subscriptions, and what comes meanwhile.
async fn stop(
    link: &mut Link,
    storing: &mut Storing,
    announcing: &Announcing,
) -> Result<(), SessionError> {
    let finishing = async {
        while let Some((packet_id, stored)) = storing.next().await {
            stored?;
            acknowledge(link, packet_id).await?;
        }
        if let Some(gone) = announcing.gone() {
            link.send(&Packet::Publish(packet(gone, QoS::AtMostOnce, 0)))
                .await?;
        }
        Ok(link.send(&Packet::Disconnect).await?)
    };
    timeout(STOP_WITHIN, finishing).await.unwrap_or(Ok(()))
}
