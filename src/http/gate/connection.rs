//! One connection: its requests in flight, and whether more bytes may be read from its client.

use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use super::head::RefusedHead;
use crate::locks::lock;

/// One connection.
pub(crate) struct Connection {
    /// The client whose share it counts towards; `None` for a trusted proxy.
    client: Option<IpAddr>,
    is_tls: bool,
    state: Mutex<State>,
}

struct State {
    /// Requests in flight.
    in_flight: usize,
    /// When the last request ended.
    idle_since: Instant,
    /// Whether unsent bytes wait because the client does not read.
    is_stuck: bool,
    is_closing: bool,
    head: LastHead,
    refused: Option<RefusedHead>,
    /// The number of bytes that were read together with the last empty line and follow it. They
    /// belong to the body if the empty line ended a head.
    read_early: usize,
    /// The body of the request in flight, once its handler has waited for it.
    body: Option<AwaitedBody>,
    /// The task that reads.
    reader: Option<Waker>,
    /// Whether the task may not read now and must be woken once it may.
    is_waiting: bool,
}

/// The head that was handed over last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastHead {
    /// The first head, as much of it as has arrived.
    First,
    /// A head that the web server accepted as a request.
    Taken,
    /// A head after an accepted one.
    Later,
}

struct AwaitedBody {
    /// Whether the handler is waiting now.
    is_wanted: bool,
    /// The bytes still to be read; `None` if the body comes in chunks.
    left: Option<usize>,
}

/// How many of the client's bytes may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MayRead {
    /// Nothing, until the task is woken.
    Nothing,
    /// One part: it may be a request.
    Part,
    /// This many bytes of a body.
    Body(usize),
    /// Nothing more: the connection is to be closed.
    End,
}

/// The position of the next head in its connection.
pub(super) struct NextHead {
    pub(super) is_first: bool,
    /// Whether no part of it has arrived yet.
    pub(super) begins: bool,
}

impl Connection {
    pub(super) fn new(client: Option<IpAddr>, is_tls: bool) -> Self {
        Self {
            client,
            is_tls,
            state: Mutex::new(State {
                in_flight: 0,
                idle_since: Instant::now(),
                is_stuck: false,
                is_closing: false,
                head: LastHead::First,
                refused: None,
                read_early: 0,
                body: None,
                reader: None,
                is_waiting: false,
            }),
        }
    }

    pub(super) const fn client(&self) -> Option<IpAddr> {
        self.client
    }

    /// Whether the client speaks TLS to this service.
    pub(super) const fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Notes that a request has started.
    pub(super) fn begin(&self) {
        let mut state = lock(&self.state);
        state.in_flight += 1;
        state.head = LastHead::Taken;
        state.body = None;
    }

    /// Notes that the response is sent, or that the client has disconnected.
    pub(super) fn end(&self) {
        let mut state = lock(&self.state);
        state.in_flight = state.in_flight.saturating_sub(1);
        state.idle_since = Instant::now();
        state.body = None;
        state.wake();
    }

    /// The position of the next head; `None` during a request.
    pub(super) fn next_head(&self) -> Option<NextHead> {
        let mut state = lock(&self.state);
        let last = state.head;
        (state.in_flight == 0).then(|| {
            let begins = last == LastHead::Taken;
            if begins {
                state.head = LastHead::Later;
            }
            NextHead {
                is_first: last == LastHead::First,
                begins,
            }
        })
    }

    /// Whether the web server rejected the last head.
    pub(super) fn is_last_refused(&self) -> bool {
        lock(&self.state).head != LastHead::Taken
    }

    /// Notes the refusal that the last head was answered with.
    pub(super) fn refuse(&self, refused: RefusedHead) {
        lock(&self.state).refused = Some(refused);
    }

    /// Takes the refusal that ended the connection.
    pub(crate) fn take_refused(&self) -> Option<RefusedHead> {
        lock(&self.state).refused.take()
    }

    /// Notes that a part was read that may end a head, and `early` bytes after it.
    pub(super) fn part_read(&self, early: usize) {
        lock(&self.state).read_early = early;
    }

    /// Notes that the handler waits for more of the body, which has `length` bytes if that is
    /// known.
    pub(super) fn body_wanted(&self, length: Option<usize>) {
        let mut state = lock(&self.state);
        let early = state.read_early;
        let body = state.body.get_or_insert(AwaitedBody {
            is_wanted: false,
            left: length.map(|length| length.saturating_sub(early)),
        });
        body.is_wanted = true;
        state.wake();
    }

    /// Notes that the handler has the bytes it waited for.
    pub(super) fn body_came(&self) {
        if let Some(body) = &mut lock(&self.state).body {
            body.is_wanted = false;
        }
    }

    /// Notes whether unsent bytes wait because the client does not read.
    pub(super) fn set_stuck(&self, is_stuck: bool) {
        let mut state = lock(&self.state);
        state.is_stuck = is_stuck;
        state.wake();
    }

    /// How much may be read now.
    pub(super) fn may_read(&self, context: &Context<'_>) -> MayRead {
        let mut state = lock(&self.state);
        let body = state.body.as_ref().filter(|body| body.is_wanted);
        let may_read = match body.map(|body| body.left) {
            _ if state.is_closing => MayRead::End,
            _ if state.is_stuck => MayRead::Nothing,
            _ if state.in_flight == 0 => MayRead::Part,
            None | Some(Some(0)) => MayRead::Nothing,
            Some(Some(left)) => MayRead::Body(left),
            Some(None) => MayRead::Part,
        };
        // Set on every call, so that `close` can wake the task.
        state.set_reader(context);
        may_read
    }

    /// Asks for the reading task to be woken once it may read.
    pub(super) fn wait(&self) {
        lock(&self.state).is_waiting = true;
    }

    /// Waits until the connection is to be closed.
    pub(crate) async fn closing(&self) {
        poll_fn(|context| {
            let mut state = lock(&self.state);
            state.set_reader(context);
            if state.is_closing {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    /// Notes that `count` bytes of the body were read.
    pub(super) fn body_read(&self, count: usize) {
        let mut state = lock(&self.state);
        if let Some(left) = state.body.as_mut().and_then(|body| body.left.as_mut()) {
            *left = left.saturating_sub(count);
        }
    }

    /// How long it has had no request; `None` if it has one, or a response to send.
    pub(super) fn idle_for(&self) -> Option<Duration> {
        let state = lock(&self.state);
        let is_idle = state.in_flight == 0 && !state.is_stuck && !state.is_closing;
        is_idle.then(|| state.idle_since.elapsed())
    }

    pub(super) fn is_closing(&self) -> bool {
        lock(&self.state).is_closing
    }

    /// Makes the reading task close the connection.
    pub(super) fn close(&self) {
        let mut state = lock(&self.state);
        state.is_closing = true;
        if let Some(reader) = &state.reader {
            reader.wake_by_ref();
        }
    }
}

impl State {
    fn set_reader(&mut self, context: &Context<'_>) {
        match &mut self.reader {
            Some(reader) => reader.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
    }

    /// Wakes the reading task if it waits.
    fn wake(&mut self) {
        if let Some(reader) = self.reader.as_ref().filter(|_| self.is_waiting) {
            reader.wake_by_ref();
            self.is_waiting = false;
        }
    }
}
