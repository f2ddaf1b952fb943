//! `/live`: the power on the dashboard as server-sent events, one whenever it changes.
//!
//! A stream looks once a second at values in memory, which takes microseconds. If nothing changes
//! for some seconds, it sends a comment, because only a failed write shows that a client is gone.
//! The request is in progress as long as its stream lasts, so the limit for idle connections does
//! not apply.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::HeaderName;
use actix_web::rt::time::{Interval, interval};
use actix_web::web::{Bytes, Data};
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::chart::Wording;
use crate::domain::{Account, SessionId, SessionOwner};
use crate::http::gate::AppState;
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::session::Visitor;
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::http::pages::overview::power_text::{PowerOf, PowerTexts, PowerWords, power_texts};
use crate::http::wire::body::in_background;
use crate::http::wire::stream::without_chunks;
use crate::locks::lock;
use crate::texts::Language;

/// The most streams at a time.
// Each holds a connection while its dashboard is open. Uploads need the rest of
// `http.max_connections`, 256 by default.
const MAX_STREAMS: usize = 32;
/// The most streams of one person, in all of their browsers, or of one wall tablet.
const MAX_OF_ONE: usize = 8;
/// Places reserved for visitors who have no stream, so that a few visitors with many streams cannot
/// take all places.
const FOR_THE_FIRST: usize = 16;
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The most looks in a row that send nothing.
const MAX_QUIET_LOOKS: u32 = 15;

/// Stops nginx, as a proxy, from buffering the events.
const ACCEL: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The number of streams of each watcher.
type Shares = Mutex<BTreeMap<Watcher, usize>>;

/// A visitor who watches a stream.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Watcher {
    Person(SessionOwner),
    Tablet(SessionId),
}

impl Watcher {
    /// `None` for a stranger.
    fn of(visitor: &Visitor) -> Option<Self> {
        let tablet = visitor.tablet.as_ref();
        let tablet = tablet.map(|tablet| Self::Tablet(tablet.session));
        tablet.or_else(|| visitor.owner().cloned().map(Self::Person))
    }
}

/// The open streams.
pub(crate) struct LiveStreams {
    free: Arc<Semaphore>,
    shares: Arc<Shares>,
    is_stopping: watch::Sender<bool>,
}

/// The place of a stream, freed when this is dropped.
struct StreamPlace {
    shares: Arc<Shares>,
    of: Watcher,
    _permit: OwnedSemaphorePermit,
}

impl LiveStreams {
    pub(crate) fn new() -> Self {
        Self {
            free: Arc::new(Semaphore::new(MAX_STREAMS)),
            shares: Arc::default(),
            is_stopping: watch::Sender::new(false),
        }
    }

    /// Takes a place for a stream; `None` if the watcher has its share, or if all are taken.
    fn place(&self, of: Watcher) -> Option<StreamPlace> {
        let permit = Arc::clone(&self.free).try_acquire_owned().ok()?;
        let mut shares = lock(&self.shares);
        let has = shares.get(&of).copied().unwrap_or_default();
        let is_one_too_many = has >= MAX_OF_ONE || self.free.available_permits() < FOR_THE_FIRST;
        if has > 0 && is_one_too_many {
            return None;
        }
        shares.insert(of.clone(), has + 1);
        Some(StreamPlace {
            shares: Arc::clone(&self.shares),
            of,
            _permit: permit,
        })
    }

    /// Ends all streams, and every later one immediately, so that the service can stop.
    pub(crate) fn end(&self) {
        self.is_stopping.send_replace(true);
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut shares = lock(&self.shares);
        let has = shares.get_mut(&self.of);
        let left = has.map_or(0, |has| {
            *has -= 1;
            *has
        });
        if left == 0 {
            shares.remove(&self.of);
        }
    }
}

/// `GET /live`
pub(crate) async fn show(visit: Visit, streams: Data<LiveStreams>) -> PageResult {
    let scope = AccountScope::read(&visit)?;
    let account = scope.account.ok_or(PageError::NotFound)?;
    let of = Watcher::of(&visit.visitor).ok_or(PageError::NotFound)?;
    let place = streams.place(of).ok_or(PageError::Busy)?;
    let language = visit.language();
    let stream = LiveStream {
        is_stopping: streams.is_stopping.subscribe(),
        app: visit.app,
        account,
        language,
        visitor: visit.visitor,
        last_sent: None,
        quiet_looks: 0,
        looks: interval(LOOK_EVERY),
        has_ended: false,
        _place: place,
    };
    // The place is part of the stream, so a client that disconnects frees its place.
    let events = stream::unfold(stream, LiveStream::next);
    let mut response = HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((ACCEL, "no"))
        .streaming(events);
    without_chunks(&visit.request, &mut response);
    Ok(response)
}

struct LiveStream {
    app: Data<AppState>,
    account: Account,
    language: &'static Language,
    visitor: Visitor,
    last_sent: Option<PowerTexts>,
    /// The number of looks since anything was sent.
    quiet_looks: u32,
    looks: Interval,
    is_stopping: watch::Receiver<bool>,
    has_ended: bool,
    _place: StreamPlace,
}

impl LiveStream {
    /// Waits for the next event; `None` after the last one.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if self.has_ended {
            return None;
        }
        let text = loop {
            // Before the first wait, so that a new stream begins with an event.
            if let Some(text) = self.look().await {
                break text;
            }
            tokio::select! {
                _ = self.looks.tick() => {}
                // This only cuts the wait short; `look` reads the flag.
                _ = self.is_stopping.changed() => {}
            }
        };
        self.quiet_looks = 0;
        Some((Ok(Bytes::from(text)), self))
    }

    /// The text to send now, if any.
    async fn look(&mut self) -> Option<String> {
        // Signing out in one window must end the streams of all others, and so must any other loss
        // of the account.
        let is_signed_out = || !self.visitor.still_sees(&self.app, &self.account.name);
        let end = if *self.is_stopping.borrow() {
            Some("stopping")
        } else {
            is_signed_out().then_some("signed out")
        };
        if let Some(why) = end {
            self.has_ended = true;
            return Some(format!("event: end\ndata: {why}\n\n"));
        }
        let (store, now) = (Arc::clone(&self.app.store), self.app.counted_now());
        let (account, language) = (self.account.clone(), self.language);
        let charges = self.app.ingest.charges();
        // A tablet receives only the values of its page.
        let of = match self.visitor.tablet {
            Some(_) => PowerOf::House,
            None => PowerOf::HouseAndSensors,
        };
        let looking = move || {
            let words = PowerWords {
                wording: Wording::new(&account.zone, language),
                charges: &charges,
                now,
            };
            power_texts(&store, (&account.name, of), words)
        };
        // Values that cannot be read are looked at again later.
        let texts = in_background(looking).await.ok().and_then(Result::ok);
        // The texts are compared, not the numbers, because a change that is not visible need not be
        // sent.
        if let Some(texts) = texts
            && self.last_sent.as_ref() != Some(&texts)
            && let Ok(json) = serde_json::to_string(&texts)
        {
            self.last_sent = Some(texts);
            return Some(format!("event: now\ndata: {json}\n\n"));
        }
        self.quiet_looks += 1;
        (self.quiet_looks > MAX_QUIET_LOOKS).then(|| ": keep-alive\n\n".into())
    }
}
