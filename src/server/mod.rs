//! The service as a value: built, then run until it is stopped. Its content is up to
//! [`crate::http`].
//!
//! - `error`: why the service does not run
//! - `clock`: the clocks of the machine
//! - `offered`: the broker that Home Assistant offers
//! - `parts`: the parts affected by settings of the browser, started and stopped
//! - `listen`: the servers for clients and for commands
//! - `supervisor`: notifications for systemd
//! - `signals`: SIGTERM, SIGINT, SIGHUP
//! - `summary`: counts of uploads, logged each hour
//! - `repair`: the page of a store that is not open
//! - `reload`: reading the certificate again at SIGHUP

mod clock;
mod error;
mod listen;
mod offered;
mod parts;
mod reload;
mod repair;
mod signals;
mod summary;
mod supervisor;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle as ActixHandle;
use actix_web::{rt, web};
use tokio::sync::Notify;

pub use self::clock::{Clock, system_clock};
pub use self::error::ServerError;
use self::error::advice;
use self::parts::{PartsBase, PartsThread};
pub use self::repair::{RepairAsked, RepairEnd, StoreClosed};
pub(crate) use self::signals::Signals;
use self::summary::UploadSummary;
use crate::admin::socket::{self, SocketFile};
use crate::config::{Config, LiveSettings};
use crate::http::Service;
use crate::http::gate::hosts::address_for_others;
use crate::http::gate::{AppState, Certificate, Connections};
use crate::http::pages::SetupToken;
use crate::http::pages::repair::RepairSwitch;
use crate::status::StatusMonitor;
use crate::store::{DataDirHold, OpenMode, Store};

/// The file descriptors that the service needs before the first client connects, including the
/// store's volumes.
const DESCRIPTORS: usize = 32;
/// The file descriptors that each worker needs.
const DESCRIPTORS_OF_WORKER: usize = 4;

/// The service, ready to run: its store is open, its address is bound.
pub struct Server {
    config: Config,
    clock: Clock,
    // Before the store, because the file must be removed while the store is locked.
    commands: (SocketFile, UnixListener),
    /// The data dir, which contains the socket for commands, if the store is elsewhere.
    hold: Option<DataDirHold>,
    store: Arc<Store>,
    listener: TcpListener,
    address: SocketAddr,
    certificate: Option<Arc<Certificate>>,
    stop: Arc<Notify>,
    repair: Arc<RepairSwitch>,
    settings: Arc<LiveSettings>,
    setup: Option<SetupToken>,
}

/// Stops a [`Server`] from anywhere.
#[derive(Clone)]
pub struct ServerHandle {
    stop: Arc<Notify>,
}

impl Server {
    /// Opens the store, creating it if there is none, and binds the address; port 0 picks a free
    /// one. From then on clients can connect; they are answered once it runs.
    ///
    /// # Errors
    /// [`ServerError::Certificate`], [`ServerError::Open`], [`ServerError::Listen`],
    /// [`ServerError::Descriptors`], [`ServerError::Socket`].
    pub fn build(config: &Config, clock: Clock) -> Result<Self, ServerError> {
        // Before the store, which may be created here, so that an unusable certificate leaves
        // nothing behind.
        let certificate = Certificate::load(&config.http.tls)?;
        // The store before the address: "the store is in use" is more helpful than "the port is
        // taken" if another server runs on it.
        let hold = config.store.engine.as_ref();
        // An embedded store holds the data dir itself.
        let hold = hold.map(|_| DataDirHold::take(&config.data_dir));
        let hold = hold.transpose().map_err(ServerError::Open)?;
        let open = || {
            config
                .store
                .open(&config.data_dir, OpenMode::CreateIfMissing)
        };
        let store = supervisor::while_starting(open).map_err(ServerError::Run)?;
        let store = store.map_err(ServerError::Open)?;
        store.keep_reserve();
        let wanted = config.http.listen;
        let (listener, address) = listen::bind(wanted).map_err(|source| ServerError::Listen {
            address: wanted,
            advice: advice(source.kind()),
            source,
        })?;
        // Before any thread of tokio or actix starts, because those panic if there is no descriptor
        // left for them.
        check_descriptors(&listener, config.http.workers)?;
        let commands = socket::listen(&config.data_dir).map_err(|source| ServerError::Socket {
            data_dir: config.data_dir.clone(),
            source,
        })?;
        let settings = LiveSettings::new(config, &store);
        let setup = match store.registry().administrator() {
            Some(_) => None,
            None => Some(SetupToken::new().map_err(ServerError::Run)?),
        };
        let stop = Arc::new(Notify::new());
        Ok(Self {
            config: config.clone(),
            clock,
            commands,
            hold,
            store: Arc::new(store),
            listener,
            address,
            certificate,
            repair: Arc::new(RepairSwitch::new(Arc::clone(&stop))),
            stop,
            settings: Arc::new(settings),
            setup,
        })
    }

    /// The address it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// An address that clients on this machine can connect to.
    #[must_use]
    pub fn local_address(&self) -> SocketAddr {
        reachable(self.address)
    }

    /// The URL of [`Self::local_address`].
    #[must_use]
    pub fn url(&self) -> String {
        self.url_at(self.local_address())
    }

    /// The URL that other machines in the network, such as a phone, can connect to; [`Self::url`]
    /// if it listens on this machine only.
    #[must_use]
    pub fn network_url(&self) -> String {
        self.pages_for_others().unwrap_or_else(|| self.url())
    }

    /// The same; `None` if it listens on this machine only, or if the address is unknown, as in the
    /// network of Home Assistant's add-ons.
    fn pages_for_others(&self) -> Option<String> {
        if self.is_addon() {
            return None;
        }
        let ip = address_for_others(self.address.ip());
        ip.map(|ip| self.url_at(SocketAddr::new(ip, self.address.port())))
    }

    fn url_at(&self, address: SocketAddr) -> String {
        url_at(address, self.certificate.is_some())
    }

    /// The path and query of the page that sets the administrator's password, if there is no
    /// administrator. It works once, until the service stops. Anyone who knows it can become the
    /// administrator: show it on the screen, and never log it.
    #[must_use]
    pub fn setup_address(&self) -> Option<String> {
        self.setup.as_ref().map(SetupToken::address)
    }

    /// Whether Home Assistant runs it as an add-on.
    #[must_use]
    pub const fn is_addon(&self) -> bool {
        self.config.supervisor.is_some()
    }

    /// Knows, once it has stopped, whether that was for a repair.
    #[must_use]
    pub fn repair_asked(&self) -> RepairAsked {
        RepairAsked(Arc::clone(&self.repair))
    }

    /// Its store.
    #[must_use]
    pub fn store(&self) -> Arc<Store> {
        Arc::clone(&self.store)
    }

    /// A handle to stop it.
    #[must_use]
    pub fn handle(&self) -> ServerHandle {
        ServerHandle {
            stop: Arc::clone(&self.stop),
        }
    }

    /// Serves until SIGTERM, SIGINT or [`ServerHandle::stop`]; then finishes the requests in
    /// flight, for at most ten seconds or until a second signal, and closes the store. Calls
    /// `when_ready` once it serves and handles signals. Blocks; must not be called in an async
    /// runtime.
    ///
    /// # Errors
    /// [`ServerError::Run`], [`ServerError::Close`].
    pub fn run_until_stopped(self, when_ready: impl FnOnce()) -> Result<(), ServerError> {
        rt::System::new().block_on(self.run(when_ready))
    }

    async fn run(self, when_ready: impl FnOnce()) -> Result<(), ServerError> {
        let pages = self.pages_for_others();
        let (config, store, clock) = (self.config, self.store, self.clock);
        let (socket_file, commands) = self.commands;
        let (listener, certificate) = (self.listener, self.certificate.as_ref());
        // A service manager waits for an answer to its SIGHUP, even with nothing to reload.
        let can_reload = certificate.is_some() || supervisor::is_present();
        // From here on signals are kept for the `select!` below, while the parts start.
        let mut signals = Signals::new(can_reload).map_err(ServerError::Run)?;
        let monitor = StatusMonitor::start(clock());
        let state = web::Data::new(AppState::new(
            Arc::clone(&store),
            Arc::clone(&clock),
            &config,
            (monitor, Arc::clone(&self.settings), Arc::default()),
        ));
        let summary = rt::spawn(UploadSummary::new(state.ingest.clone()).log_each_hour());
        let base = PartsBase::of(&state, (store.clone(), clock), pages, &config);
        let parts = PartsThread::start(base, self.settings).map_err(ServerError::Run)?;
        let once = (self.setup, self.repair);
        let service = Service::new(state.clone(), &config, once);
        let connections = Arc::new(Connections::new(&config.http));
        let routes = service.clone();
        let app = (move || routes.app(), Some(service.state()));
        let server = listen::serve(&config.http, app, listener, certificate, &connections)?;
        let commands = listen::serve_commands(&state, commands)?;
        let handles = [server.handle(), commands.handle()];
        let watch = rt::spawn(connections.watch());
        // `try_join!`, so that the service does not stay half alive if one of the two fails.
        let mut running = rt::spawn(async { tokio::try_join!(server, commands).map(drop) });
        let alive = rt::spawn(supervisor::keep_alive(Arc::clone(&store)));
        when_ready();
        supervisor::ready();
        let failed = tokio::select! {
            () = self.stop.notified() => None,
            () = reload::until_stopped(&mut signals, certificate.map(Arc::as_ref)) => None,
            // By reference, because `finish` still waits for it after a signal.
            ended = &mut running => Some(ended.map_err(io::Error::other)),
        };
        supervisor::stopping();
        // It also holds the store, and never ends by itself.
        alive.abort();
        if failed.is_none() {
            log::info!("stopping");
            // A stream of live values does not end by itself, so the stop would wait for it.
            service.end_streams();
            finish(&handles, running, &mut signals).await;
        }
        watch.abort();
        summary.abort();
        // It logs the rest, and releases the store. It can only have been aborted.
        let _ = summary.await;
        // While the data dir is still locked: see `SocketFile`.
        drop((socket_file, self.hold));
        // After the requests have ended, because uploads in flight are still stored.
        let closed = close(store, parts).await;
        // It holds a reference to `state`.
        drop(service);
        wait_until_unused(state).await;
        // A failed server takes precedence over an error of closing, which it may have caused.
        if let Some(ended) = failed {
            ended.flatten().map_err(ServerError::Run)?;
        }
        closed
    }
}

impl ServerHandle {
    /// Stops the service like a signal. Returns at once.
    pub fn stop(&self) {
        // Unlike `notify_waiters`, this is remembered: a stop is not lost even if `run` does not
        // wait for it yet.
        self.stop.notify_one();
    }
}

fn url_at(address: SocketAddr, has_tls: bool) -> String {
    let scheme = if has_tls { "https" } else { "http" };
    format!("{scheme}://{address}")
}

/// A listener on all addresses can also be reached by the loopback address.
fn reachable(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}

/// Checks that enough descriptors are left, because the libraries below panic when they run out of
/// them at the start.
fn check_descriptors(listener: &TcpListener, workers: usize) -> Result<(), ServerError> {
    let needed = DESCRIPTORS.saturating_add(workers.saturating_mul(DESCRIPTORS_OF_WORKER));
    // Duplicates of any descriptor will do. `collect` stops at the first one that the system
    // refuses.
    let taken: io::Result<Vec<TcpListener>> = (0..needed).map(|_| listener.try_clone()).collect();
    taken
        .map(drop)
        .map_err(|source| ServerError::Descriptors { needed, source })
}

/// Finishes the requests in flight; another signal cuts them off.
async fn finish(
    [clients, commands]: &[ActixHandle; 2],
    running: rt::task::JoinHandle<io::Result<()>>,
    signals: &mut Signals,
) {
    let finished = async {
        tokio::join!(clients.stop(true), commands.stop(true));
        // It was asked to end, so its result does not matter.
        let _ = running.await;
    };
    tokio::select! {
        () = finished => {}
        () = signals.stop() => log::warn!("second signal: requests in flight are cut off"),
    }
}

/// Ends the background users of the store, and closes the store.
async fn close(store: Arc<Store>, parts: PartsThread) -> Result<(), ServerError> {
    // All of this waits for threads and the disk, which a worker must not do.
    let closed = web::block(move || {
        drop(parts);
        store.close()
    });
    let closed = closed.await.map_err(io::Error::other);
    closed
        .map_err(ServerError::Run)?
        .map_err(ServerError::Close)
}

/// Waits at most a second until the workers have dropped `state`, and with it the store: their
/// threads end some time later, and this process may open the store again at once.
async fn wait_until_unused(state: web::Data<AppState>) {
    let state = state.into_inner();
    for _ in 0..100 {
        if Arc::strong_count(&state) == 1 {
            return;
        }
        rt::time::sleep(Duration::from_millis(10)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_addresses_are_reached_by_loopback() {
        for (listening, reached) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("192.168.1.2:80", "192.168.1.2:80"),
            ("127.0.0.1:1", "127.0.0.1:1"),
        ] {
            assert_eq!(reachable(listening.parse().unwrap()).to_string(), reached);
        }
    }
}
