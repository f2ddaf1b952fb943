//! `/live`: the power on the dashboard as server-sent events, one whenever it changes.
//!
//! A stream looks once a second at values in memory, which takes microseconds. If nothing changes for some seconds, it sends a
//! comment: only a failed write shows that a client is gone. The request is in progress as long as its stream lasts, so the limit
//! for idle connections does not apply.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::HeaderName;
use actix_web::rt::time::{Interval, interval};
use actix_web::web::{Bytes, Data};
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::domain::{Account, SessionId};
use crate::http::gate::AppState;
use crate::http::pages::charts::AccountScope;
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::http::pages::overview::power_text::{PowerTexts, power_texts};
use crate::http::wire::stream::without_chunks;

/// The most streams at a time.
// Each holds a connection while its dashboard is open. Uploads need the rest of `http.max_connections`, 256 by default.
const MAX_STREAMS: usize = 32;
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The most looks in a row without sending anything.
const MAX_QUIET_LOOKS: u32 = 15;

/// Stops nginx, as a proxy, from buffering the events.
const ACCEL: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The open streams.
pub(crate) struct LiveStreams {
    free: Arc<Semaphore>,
    is_stopping: watch::Sender<bool>,
}

impl LiveStreams {
    pub(crate) fn new() -> Self {
        Self {
            free: Arc::new(Semaphore::new(MAX_STREAMS)),
            is_stopping: watch::Sender::new(false),
        }
    }

    /// Ends all streams, and every later one immediately, so that the service can stop.
    pub(crate) fn end(&self) {
        self.is_stopping.send_replace(true);
    }
}

/// `GET /live`
pub(crate) async fn show(visit: Visit, streams: Data<LiveStreams>) -> PageResult {
    let scope = AccountScope::read(&visit.app, visit.query())?;
    let account = scope.account.ok_or(PageError::NotFound)?;
    // The guard lets nobody in without a session.
    let session = visit.visitor.session.ok_or(PageError::NotFound)?.id;
    let Ok(permit) = Arc::clone(&streams.free).try_acquire_owned() else {
        return Err(PageError::Busy);
    };
    let stream = LiveStream {
        is_stopping: streams.is_stopping.subscribe(),
        app: visit.app,
        account,
        session,
        last_sent: None,
        quiet_looks: 0,
        looks: interval(LOOK_EVERY),
        has_ended: false,
        _permit: permit,
    };
    // The permit is part of the stream, so a client that goes away frees its place.
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
    session: SessionId,
    last_sent: Option<PowerTexts>,
    /// The looks since anything was sent.
    quiet_looks: u32,
    looks: Interval,
    is_stopping: watch::Receiver<bool>,
    has_ended: bool,
    _permit: OwnedSemaphorePermit,
}

impl LiveStream {
    /// Waits for the next event; `None` after the last one.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if self.has_ended {
            return None;
        }
        let text = loop {
            // Before the first wait, so that a new stream begins with an event.
            if let Some(text) = self.look() {
                break text;
            }
            tokio::select! {
                _ = self.looks.tick() => {}
                // Only cuts the wait short; `look` reads the flag.
                _ = self.is_stopping.changed() => {}
            }
        };
        self.quiet_looks = 0;
        Some((Ok(Bytes::from(text)), self))
    }

    /// The text to send now, if any.
    fn look(&mut self) -> Option<String> {
        let (store, time) = (&self.app.store, self.app.now().time);
        // Signing out in one window must end the streams of all others.
        let is_signed_out = || store.registry().session(&self.session, time).is_none();
        let end = if *self.is_stopping.borrow() {
            Some("stopping")
        } else {
            is_signed_out().then_some("signed out")
        };
        if let Some(why) = end {
            self.has_ended = true;
            return Some(format!("event: end\ndata: {why}\n\n"));
        }
        let now = self.app.counted_now();
        let texts = power_texts(store, &self.account.name, &self.account.zone, now);
        // The texts, not the numbers: what looks the same need not be sent.
        if self.last_sent.as_ref() != Some(&texts)
            && let Ok(json) = serde_json::to_string(&texts)
        {
            self.last_sent = Some(texts);
            return Some(format!("event: now\ndata: {json}\n\n"));
        }
        self.quiet_looks += 1;
        (self.quiet_looks > MAX_QUIET_LOOKS).then(|| ": keep-alive\n\n".into())
    }
}
