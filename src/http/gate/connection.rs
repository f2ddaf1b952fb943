//! One connection: what it is busy with, and whether the next bytes of its client may be read.

use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use super::head::RefusedHead;
use crate::locks::lock;

/// One connection.
pub(crate) struct Connection {
    /// Whose share it counts to; `None` for a trusted proxy.
    client: Option<IpAddr>,
    is_tls: bool,
    state: Mutex<State>,
}

struct State {
    /// Requests in flight.
    in_flight: usize,
    /// When the last one ended.
    idle_since: Instant,
    /// Whether bytes wait until the client reads.
    is_stuck: bool,
    is_closing: bool,
    head: LastHead,
    refused: Option<RefusedHead>,
    /// So many bytes behind the last empty line were read with what is before it: of a body, if that is a head.
    read_early: usize,
    /// The body of the request in flight, once its handler has waited for it.
    body: Option<AwaitedBody>,
    /// The task that reads.
    reader: Option<Waker>,
    /// Whether it may not read, and is to be woken once it may.
    is_waiting: bool,
}

/// The head that was handed over last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastHead {
    /// The first one, as far as it came.
    First,
    /// The web server took it for a request.
    Taken,
    /// It comes after one that was taken.
    Later,
}

struct AwaitedBody {
    /// Whether the handler is waiting now.
    is_wanted: bool,
    /// The bytes still to be read; `None` if the body comes in chunks.
    left: Option<usize>,
}

/// How much of what a client sent may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MayRead {
    /// Nothing, until the task is woken.
    Nothing,
    /// One part: it may be a request.
    Part,
    /// So many bytes of a body.
    Body(usize),
    /// Nothing any more: the connection is to be closed.
    End,
}

/// The place of the next head in its connection.
pub(super) struct NextHead {
    pub(super) is_first: bool,
    /// Whether nothing of it came before.
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

    /// A request has started.
    pub(super) fn begin(&self) {
        let mut state = lock(&self.state);
        state.in_flight += 1;
        state.head = LastHead::Taken;
        state.body = None;
    }

    /// The response is sent, or the client has disconnected.
    pub(super) fn end(&self) {
        let mut state = lock(&self.state);
        state.in_flight = state.in_flight.saturating_sub(1);
        state.idle_since = Instant::now();
        state.body = None;
        state.wake();
    }

    /// The place of the head that may come next. `None` during a request.
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

    /// Whether the web server did not take what came last for a request.
    pub(super) fn is_last_refused(&self) -> bool {
        lock(&self.state).head != LastHead::Taken
    }

    /// It was answered with this refusal.
    pub(super) fn refuse(&self, refused: RefusedHead) {
        lock(&self.state).refused = Some(refused);
    }

    /// The refusal that ended it.
    pub(crate) fn take_refused(&self) -> Option<RefusedHead> {
        lock(&self.state).refused.take()
    }

    /// A part was read that may end a head, and so many bytes behind it.
    pub(super) fn part_read(&self, early: usize) {
        lock(&self.state).read_early = early;
    }

    /// The handler waits for more of the body, which has `length` bytes if that is known.
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

    /// The handler has what it waited for.
    pub(super) fn body_came(&self) {
        if let Some(body) = &mut lock(&self.state).body {
            body.is_wanted = false;
        }
    }

    /// Whether bytes wait until the client reads.
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
        // Always, so that `close` can wake it.
        state.set_reader(context);
        may_read
    }

    /// Has the reading task woken once it may read.
    pub(super) fn wait(&self) {
        lock(&self.state).is_waiting = true;
    }

    /// Waits until it is to be closed.
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

    /// So many bytes of the body were read.
    pub(super) fn body_read(&self, count: usize) {
        let mut state = lock(&self.state);
        if let Some(left) = state.body.as_mut().and_then(|body| body.left.as_mut()) {
            *left = left.saturating_sub(count);
        }
    }

    /// For how long it had no request; `None` if it has one, or a response to send.
    pub(super) fn idle_for(&self) -> Option<Duration> {
        let state = lock(&self.state);
        let is_idle = state.in_flight == 0 && !state.is_stuck && !state.is_closing;
        is_idle.then(|| state.idle_since.elapsed())
    }

    pub(super) fn is_closing(&self) -> bool {
        lock(&self.state).is_closing
    }

    /// Has the reading task close it.
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
