//! Closes connections that are open without a request for too long.
//!
//! The web server limits the wait for the first request head of a connection and the pause between requests, but not the
//! time that a later head may take: a client could hold a connection for ever, byte by byte. So every connection is tracked
//! here, and closed once it had no request for longer than all these waits together.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use actix_tls::accept::rustls_0_23::TlsStream;
use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream;
use actix_web::rt::time::sleep;
use socket2::{SockRef, Socket};

use crate::config::HttpConfig;

/// Interval of the search for idle connections.
const LOOK_FOR_IDLE_EVERY: Duration = Duration::from_secs(1);

/// The connections that are open.
pub(crate) struct Connections {
    open: Mutex<Vec<Weak<Connection>>>,
    /// The longest time without a request.
    idle_at_most: Duration,
    /// The longest time that a client may leave sent data unread.
    stalled_at_most: Duration,
}

/// One connection.
pub(crate) struct Connection {
    /// A second handle to the socket, to shut it down.
    socket: Socket,
    state: Mutex<State>,
}

struct State {
    /// Requests in flight.
    in_flight: usize,
    /// When the last one ended.
    idle_since: Instant,
}

impl Connections {
    pub(crate) fn new(config: &HttpConfig) -> Self {
        Self {
            open: Mutex::default(),
            // A connection may pause, and then take its time for the next head.
            idle_at_most: config.idle_timeout + config.head_timeout,
            stalled_at_most: config.stall_timeout,
        }
    }

    /// Tracks a new connection. The kernel closes it if the client stops reading.
    pub(crate) fn opened(&self, stream: &dyn Any, extensions: &mut Extensions) {
        // actix-web passes the stream as `Any`: plain TCP, or a TLS stream around it.
        let by_tls = || Some(stream.downcast_ref::<TlsStream<TcpStream>>()?.get_ref().0);
        let Some(stream) = stream.downcast_ref::<TcpStream>().or_else(by_tls) else {
            return;
        };
        let socket = SockRef::from(stream);
        let limited = socket.set_tcp_user_timeout(Some(self.stalled_at_most));
        // Without a second handle it cannot be closed from here: then only the web server's own limits hold.
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
        // Weak: the data of the connection holds it, and is dropped with the connection.
        lock(&self.open).push(Arc::downgrade(&connection));
        extensions.insert(connection);
    }

    /// Closes idle connections, until it is dropped.
    pub(crate) async fn watch(self: Arc<Self>) {
        loop {
            sleep(LOOK_FOR_IDLE_EVERY).await;
            self.cut_idle();
        }
    }

    /// Also drops the entries of closed connections.
    fn cut_idle(&self) {
        // Takes the lock of each state while it holds that of the list. Nothing takes them in the other order.
        lock(&self.open).retain(|connection| {
            let open = connection.upgrade();
            open.inspect(|open| open.cut_if_idle(self.idle_at_most))
                .is_some()
        });
    }
}

impl Connection {
    /// A request has started.
    pub(crate) fn begin(&self) {
        lock(&self.state).in_flight += 1;
    }

    /// The response is sent, or the client has disconnected.
    pub(crate) fn end(&self) {
        let mut state = lock(&self.state);
        state.in_flight = state.in_flight.saturating_sub(1);
        state.idle_since = Instant::now();
    }

    fn cut_if_idle(&self, idle_at_most: Duration) {
        let state = lock(&self.state);
        if state.in_flight == 0 && state.idle_since.elapsed() > idle_at_most {
            // Ends the socket itself, which actix-web notices on its own handle. Dropping this handle would not.
            // An error means that the connection is closed already.
            let _ = self.socket.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// The data behind these mutexes is valid between any two statements, so a panic of another holder does no harm.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
