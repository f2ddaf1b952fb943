//! Connections: that none is held open without a request.
//!
//! The web server limits the wait for the first head on a connection and the pause between requests,
//! but not the time in which a later head may come in: byte by byte, a client could hold a connection
//! for ever. So each is known here from when it is made, and cut off once it was without a request for
//! longer than any of that may take.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use actix_tls::accept::rustls_0_23::TlsStream;
use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream;
use actix_web::rt::time::sleep;
use socket2::{SockRef, Socket};

use crate::config::HttpConfig;

/// How often idle connections are looked for.
const LOOK_FOR_IDLE_EVERY: Duration = Duration::from_secs(1);

/// The connections that are open.
pub(crate) struct Connections {
    open: Mutex<Vec<Weak<Connection>>>,
    /// How long one may be without a request.
    idle_at_most: Duration,
    /// How long one may leave unread what was sent.
    stalled_at_most: Duration,
}

/// One connection.
pub(crate) struct Connection {
    /// A second handle on the socket, to shut it down by.
    socket: Socket,
    state: Mutex<State>,
}

struct State {
    /// Requests that are being answered.
    in_flight: usize,
    /// Since when there is none.
    idle_since: Instant,
}

impl Connections {
    pub(crate) fn new(config: &HttpConfig) -> Self {
        Self {
            open: Mutex::default(),
            idle_at_most: config.idle_timeout + config.head_timeout,
            stalled_at_most: config.stall_timeout,
        }
    }

    /// Takes note of a new connection. A client that stops reading is cut off by the system.
    pub(crate) fn opened(&self, stream: &dyn Any, extensions: &mut Extensions) {
        let by_tls = || Some(stream.downcast_ref::<TlsStream<TcpStream>>()?.get_ref().0);
        let Some(stream) = stream.downcast_ref::<TcpStream>().or_else(by_tls) else {
            return;
        };
        let socket = SockRef::from(stream);
        let limited = socket.set_tcp_user_timeout(Some(self.stalled_at_most));
        let Ok(socket) = limited.and_then(|()| socket.try_clone()) else {
            return;
        };
        let connection = Arc::new(Connection {
            socket,
            state: Mutex::new(State {
                in_flight: 0,
                idle_since: Instant::now(),
            }),
        });
        lock(&self.open).push(Arc::downgrade(&connection));
        extensions.insert(connection);
    }

    /// Cuts off those that were idle for too long, again and again.
    pub(crate) async fn watch(self: Arc<Self>) {
        loop {
            sleep(LOOK_FOR_IDLE_EVERY).await;
            self.cut_idle();
        }
    }

    /// Forgets those that are closed, too.
    fn cut_idle(&self) {
        lock(&self.open).retain(|connection| match connection.upgrade() {
            Some(connection) => {
                connection.cut_if_idle(self.idle_at_most);
                true
            }
            None => false,
        });
    }
}

impl Connection {
    /// A request has come.
    pub(crate) fn begin(&self) {
        lock(&self.state).in_flight += 1;
    }

    /// Its answer is out, or nobody waits for it any more.
    pub(crate) fn end(&self) {
        let mut state = lock(&self.state);
        state.in_flight = state.in_flight.saturating_sub(1);
        state.idle_since = Instant::now();
    }

    fn cut_if_idle(&self, idle_at_most: Duration) {
        let state = lock(&self.state);
        if state.in_flight == 0 && state.idle_since.elapsed() > idle_at_most {
            // Where it fails, the connection is gone already.
            let _ = self.socket.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// What the mutexes here guard is right between any two statements, so a panic elsewhere spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
