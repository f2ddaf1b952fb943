//! `GET /live`: what the dashboard says of power, told again whenever it changes, as server-sent events.
//!
//! A stream looks once a second at what is kept in memory; that costs some microseconds. Between two events of some seconds it
//! sends a comment, so that a client that went away is noticed. As long as a stream lasts its request is being answered, so
//! its connection does not count as idle.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::HeaderName;
use actix_web::rt::time::{Interval, interval};
use actix_web::web::{Bytes, Data, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::domain::account::Account;
use crate::domain::session::SessionId;
use crate::http::gate::state::AppState;
use crate::http::pages::charts::account_scope::AccountScope;
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::session::Visitor;
use crate::http::pages::overview::now::{SaidOf, said};
use crate::http::wire::stream::without_chunks;

/// More streams than this are refused.
const MOST: usize = 32;
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// After so many looks without an event a comment is sent.
const QUIET_AT_MOST: u32 = 15;

/// Keeps a proxy from holding events back (nginx has it so).
const ACCEL: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The streams that are open.
pub(crate) struct Streams {
    free: Arc<Semaphore>,
    is_stopping: watch::Sender<bool>,
}

impl Streams {
    pub(crate) fn new() -> Self {
        Self {
            free: Arc::new(Semaphore::new(MOST)),
            is_stopping: watch::Sender::new(false),
        }
    }

    /// Ends them, and those that would be opened later: the service stops.
    pub(crate) fn end(&self) {
        self.is_stopping.send_replace(true);
    }
}

/// `GET /live`
pub(crate) async fn show(
    app: Data<AppState>,
    streams: Data<Streams>,
    visitor: ReqData<Visitor>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let scope = AccountScope::read(&app, request.query_string())?;
    let account = scope.account.ok_or(PageError::NotFound)?;
    let session = visitor.session().ok_or(PageError::NotFound)?.id;
    let free = Arc::clone(&streams.free);
    let Ok(permit) = free.try_acquire_owned() else {
        return Err(PageError::Busy);
    };
    let stream = Stream {
        is_stopping: streams.is_stopping.subscribe(),
        app,
        account,
        session,
        told: None,
        quiet: 0,
        looks: interval(LOOK_EVERY),
        has_ended: false,
        _permit: permit,
    };
    let events = stream::unfold(stream, Stream::next);
    let mut response = HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((ACCEL, "no"))
        .streaming(events);
    without_chunks(&request, &mut response);
    Ok(response)
}

struct Stream {
    app: Data<AppState>,
    account: Account,
    session: SessionId,
    /// What was said last.
    told: Option<SaidOf>,
    /// How many looks ago anything was sent.
    quiet: u32,
    looks: Interval,
    is_stopping: watch::Receiver<bool>,
    has_ended: bool,
    _permit: OwnedSemaphorePermit,
}

impl Stream {
    /// The next event, when there is one.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if self.has_ended {
            return None;
        }
        let text = loop {
            if let Some(text) = self.look() {
                break text;
            }
            tokio::select! {
                _ = self.looks.tick() => {}
                _ = self.is_stopping.changed() => {}
            }
        };
        self.quiet = 0;
        Some((Ok(Bytes::from(text)), self))
    }

    /// What is to be sent, if anything.
    fn look(&mut self) -> Option<String> {
        let end = |why: &str| Some(format!("event: end\ndata: {why}\n\n"));
        if *self.is_stopping.borrow() {
            self.has_ended = true;
            return end("stopping");
        }
        let (store, time) = (&self.app.store, self.app.now().time);
        if store.registry().session(&self.session, time).is_none() {
            self.has_ended = true;
            return end("signed out");
        }
        let now = self.app.counted_now();
        let said = said(store, &self.account.name, &self.account.zone, now);
        if self.told.as_ref() != Some(&said)
            && let Ok(json) = serde_json::to_string(&said)
        {
            self.told = Some(said);
            return Some(format!("event: now\ndata: {json}\n\n"));
        }
        self.quiet += 1;
        (self.quiet > QUIET_AT_MOST).then(|| ": still here\n\n".into())
    }
}
