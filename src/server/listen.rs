//! The servers for clients and for commands.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::body::MessageBody;
use actix_http::{HttpService, Request, Response};
use actix_service::{IntoServiceFactory, ServiceFactoryExt as _, map_config};
use actix_web::dev::{AppConfig, Server, Service as _, ServiceFactory, fn_factory, fn_service};
use actix_web::rt::net::TcpStream;
use actix_web::rt::time::timeout;
use actix_web::{Error, HttpServer, web};
use socket2::SockRef;
use tokio_rustls::TlsAcceptor;

use super::error::ServerError;
use crate::config::HttpConfig;
use crate::http::gate::access::log_refused;
use crate::http::gate::{AppState, Certificate, Connections, Paced};
use crate::http::operate::admin;

// Far below the 90 s of `TimeoutStopSec=` in the systemd unit, because the store is closed after
// this wait.
/// How long a stop waits for the requests in flight, in seconds.
const STOP_WITHIN_SECS: u64 = 10;
/// How long an answer may linger after an upload that was refused before it was read, and how long
/// a connection may take to close.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);
// actix-web's default is 512 divided by the number of cores: up to 256 threads for two workers on a
// machine with four cores.
/// The number of threads of each worker that may block, mostly on the disk.
const BLOCKING_THREADS: usize = 8;
/// The kernel's buffers of a connection, in bytes; it takes twice as much memory. Its default is
/// megabytes, which count towards the service's memory (`MemoryMax=` of systemd).
const UNREAD_BY_SERVICE: usize = 32 << 10;
const UNREAD_BY_CLIENT: usize = 64 << 10;

/// Listens for clients; port 0 picks a free one.
pub(super) fn bind(wanted: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(wanted)?;
    // Before any client is served, because each connection inherits these from it.
    let socket = SockRef::from(&listener);
    socket.set_recv_buffer_size(UNREAD_BY_SERVICE)?;
    socket.set_send_buffer_size(UNREAD_BY_CLIENT)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// The web server of `app`, within the limits of `config`. Heads that it refuses are logged as those
/// of `state`, if there is one.
pub(super) fn serve<F, I, S, B>(
    config: &HttpConfig,
    (app, state): (F, Option<web::Data<AppState>>),
    listener: TcpListener,
    certificate: Option<&Arc<Certificate>>,
    connections: &Arc<Connections>,
) -> Result<Server, ServerError>
where
    F: Fn() -> I + Clone + Send + 'static,
    I: IntoServiceFactory<S, Request>,
    S: ServiceFactory<Request, Config = AppConfig, Error = Error, InitError = ()> + 'static,
    S::Response: Into<Response<B>> + 'static,
    S::Service: 'static,
    B: MessageBody + 'static,
{
    let acceptor = Acceptor::new(config, certificate, connections)?;
    let (head_timeout, idle_timeout) = (config.head_timeout, config.idle_timeout);
    let builder = Server::build()
        .workers(config.workers)
        .max_concurrent_connections(most_connections(config))
        .worker_max_blocking_threads(BLOCKING_THREADS)
        .shutdown_timeout(STOP_WITHIN_SECS)
        // `run` handles signals, because it must also close the store.
        .disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let listening = builder.listen("clients", listener, move || {
        let stopping = stopping.clone();
        let app = app().into_factory();
        let app = app.map_err(|error: Error| error.error_response());
        let http = HttpService::build()
            // Limits only the first head of a connection; `Connections` limits the later ones.
            .client_request_timeout(head_timeout)
            .client_disconnect_timeout(CLOSE_WITHIN)
            .keep_alive(idle_timeout)
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .on_connect_ext(|stream: &Paced, data| {
                data.insert(stream.connection());
            })
            .h1(map_config(app, |()| AppConfig::default()));
        let (http, acceptor, state) = (Rc::new(http), acceptor.clone(), state.clone());
        fn_factory(move || {
            let (http, acceptor, state) = (Rc::clone(&http), acceptor.clone(), state.clone());
            async move {
                let http = Rc::new(http.new_service(()).await?);
                Ok::<_, ()>(fn_service(move |stream: TcpStream| {
                    let (http, acceptor) = (Rc::clone(&http), acceptor.clone());
                    let state = state.clone();
                    async move {
                        let peer = stream.peer_addr().ok();
                        if let Some(stream) = acceptor.open(stream).await {
                            let connection = stream.connection();
                            // Ends with an error when the client disconnects, which is harmless.
                            let _ = http.call((stream, peer)).await;
                            if let Some((state, refused)) =
                                state.as_ref().zip(connection.take_refused())
                            {
                                log_refused(state, peer.map(|peer| peer.ip()), &refused);
                            }
                        }
                        Ok::<_, ()>(())
                    }
                }))
            }
        })
    });
    Ok(listening.map_err(ServerError::Run)?.run())
}

/// The most connections of a worker.
fn most_connections(config: &HttpConfig) -> usize {
    // For each worker, at least one; and one more, which `Connections` makes room for. If it were
    // not accepted, it would wait until an idle connection times out.
    config.max_connections.div_ceil(config.workers) + 1
}

/// Turns an accepted connection into one for HTTP.
#[derive(Clone)]
struct Acceptor {
    connections: Arc<Connections>,
    tls: Option<TlsAcceptor>,
    handshake_within: Duration,
}

impl Acceptor {
    fn new(
        config: &HttpConfig,
        certificate: Option<&Arc<Certificate>>,
        connections: &Arc<Connections>,
    ) -> Result<Self, ServerError> {
        let tls = certificate.map(Certificate::server_config);
        Ok(Self {
            connections: Arc::clone(connections),
            tls: tls.transpose()?.map(|tls| TlsAcceptor::from(Arc::new(tls))),
            handshake_within: config.head_timeout,
        })
    }

    /// `None` if the connection is refused, or its client does not complete the handshake.
    async fn open(&self, stream: TcpStream) -> Option<Paced> {
        let connection = self.connections.admit(&stream, self.tls.is_some())?;
        // Otherwise the end of an answer may wait until the client acknowledges the part before it
        // (Nagle).
        stream.set_nodelay(true).ok()?;
        let Some(tls) = &self.tls else {
            return Some(Paced::new(stream, connection));
        };
        let own = Arc::clone(&connection);
        let handshake = async {
            // A request begins with the letters of its method, a handshake never does.
            let mut first = [0];
            stream.peek(&mut first).await.ok()?;
            if first[0].is_ascii_alphabetic() {
                return Some(Paced::misplaced(stream, own));
            }
            let stream = tls.accept(stream).await.ok()?;
            Some(Paced::new(stream, own))
        };
        tokio::select! {
            opened = timeout(self.handshake_within, handshake) => opened.ok()?,
            // Its place is needed for others.
            () = connection.closing() => None,
        }
    }
}

/// The server for commands. It has its own worker, because commands must work while clients take
/// all connections of the others.
pub(super) fn serve_commands(
    state: &web::Data<AppState>,
    listener: UnixListener,
) -> Result<Server, ServerError> {
    let state = state.clone();
    let server = HttpServer::new(move || admin::app(state.clone()))
        .workers(1)
        .worker_max_blocking_threads(BLOCKING_THREADS)
        .shutdown_timeout(STOP_WITHIN_SECS)
        .disable_signals();
    let listening = server.listen_uds(listener).map_err(ServerError::Run)?;
    Ok(listening.run())
}
