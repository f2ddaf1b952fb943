//! Open connections: each client has a share of them, and idle ones make room for new ones.
//!
//! The web server limits the wait for the first request head of a connection and the pause between
//! requests, but not the time that a later head may take: a client could hold a connection forever,
//! byte by byte. So every connection is tracked here, and closed once it has had no request for
//! longer than all these waits together.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use actix_web::rt::time::sleep;
use ipnet::IpNet;
use socket2::SockRef;

use super::connection::Connection;
use super::limits::network;
use crate::config::HttpConfig;
use crate::locks::lock;

/// The fewest connections that a client may have, even if the total allows fewer: a browser opens
/// six.
const LEAST_SHARE: usize = 8;
/// Interval of the search for idle connections.
const LOOK_FOR_IDLE_EVERY: Duration = Duration::from_secs(1);
/// A connection without a request for this long may be closed to make room. By then, a response
/// that just ended has been sent, or is known to be stuck.
const GIVES_WAY_AFTER: Duration = Duration::from_millis(100);

/// The open connections.
pub(crate) struct Connections {
    open: Mutex<Vec<Weak<Connection>>>,
    /// The maximum number of open connections.
    most: usize,
    /// The maximum number for one client.
    share: usize,
    /// Whether a client that wanted more has been logged.
    has_warned: AtomicBool,
    /// Proxies speak for many clients, so they have no share.
    trusted_proxies: Vec<IpNet>,
    /// The longest time without a request.
    idle_at_most: Duration,
    /// The longest time that a client may leave sent data unread.
    stalled_at_most: Duration,
}

impl Connections {
    pub(crate) fn new(config: &HttpConfig) -> Self {
        Self {
            open: Mutex::default(),
            most: config.max_connections,
            share: (config.max_connections / 2).max(LEAST_SHARE),
            has_warned: AtomicBool::new(false),
            trusted_proxies: config.trusted_proxies.clone(),
            // A connection may pause, and then take its time for the next head.
            idle_at_most: config.idle_timeout + config.head_timeout,
            stalled_at_most: config.stall_timeout,
        }
    }

    /// Tracks a new connection. If there are too many, the one that has been idle longest is
    /// closed. Returns `None` if the client already has its share, and all of it is in use.
    ///
    /// The kernel closes the connection if the client stops reading.
    pub(crate) fn admit(&self, stream: &TcpStream, is_tls: bool) -> Option<Arc<Connection>> {
        let peer = stream.peer_addr().ok()?.ip().to_canonical();
        let is_proxy = self.trusted_proxies.iter().any(|own| own.contains(&peer));
        let client = (!is_proxy).then(|| network(peer));
        let socket = SockRef::from(stream);
        socket
            .set_tcp_user_timeout(Some(self.stalled_at_most))
            .ok()?;
        let connection = Arc::new(Connection::new(client, is_tls));
        let mut open = lock(&self.open);
        let all = alive(&mut open);
        if client.is_some() {
            let own = || all.iter().filter(|open| open.client() == client);
            if own().count() >= self.share && !close_longest_idle(own()) {
                self.warn(peer);
                return None;
            }
        }
        if all.len() >= self.most {
            close_longest_idle(all.iter());
        }
        open.push(Arc::downgrade(&connection));
        Some(connection)
    }

    fn warn(&self, peer: IpAddr) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            log::warn!(
                "{peer} has {} connections in use, its share of http.max_connections: closing further ones (this is logged once). \
                 A reverse proxy belongs in http.trusted_proxies",
                self.share
            );
        }
    }

    /// Closes idle connections, until it is dropped.
    pub(crate) async fn watch(self: Arc<Self>) {
        loop {
            sleep(LOOK_FOR_IDLE_EVERY).await;
            self.close_idle();
        }
    }

    fn close_idle(&self) {
        let all = alive(&mut lock(&self.open));
        for connection in &all {
            if connection
                .idle_for()
                .is_some_and(|idle| idle > self.idle_at_most)
            {
                connection.close();
            }
        }
        // While no connection was idle, each worker may have accepted one too many.
        for _ in self.most..alive(&mut lock(&self.open)).len() {
            close_longest_idle(all.iter());
        }
    }
}

/// Returns the connections that are not being closed, and drops the entries of closed ones.
fn alive(open: &mut Vec<Weak<Connection>>) -> Vec<Arc<Connection>> {
    open.retain(|connection| connection.strong_count() > 0);
    let open = open.iter().filter_map(Weak::upgrade);
    open.filter(|connection| !connection.is_closing()).collect()
}

/// Closes the connection that has been idle longest; returns false if none is idle.
fn close_longest_idle<'a>(connections: impl Iterator<Item = &'a Arc<Connection>>) -> bool {
    let idle = connections
        .filter_map(|connection| Some((connection.idle_for()?, connection)))
        .filter(|(idle, _)| *idle > GIVES_WAY_AFTER);
    let longest = idle.max_by_key(|(idle, _)| *idle);
    longest
        .inspect(|(_, connection)| connection.close())
        .is_some()
}
