//! The service as a value: built, then run until it is stopped.

mod error;
mod signals;
mod supervisor;
mod tls;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use actix_web::dev::ServerHandle as ActixHandle;
use actix_web::{HttpServer, rt, web};
use tokio::sync::Notify;

use self::error::advice;
pub use self::error::{CertificateError, ServerError};
use self::signals::Signals;
use self::tls::{Tls, until_asked_to_stop};
use crate::admin::AdminFile;
use crate::backups::{Copying, Settings};
use crate::config::{Config, HttpConfig};
pub use crate::domain::clock::Clock;
use crate::domain::clock::Moment;
use crate::domain::time::Timestamp;
use crate::http::Service;
use crate::http::gate::connections::Connections;
use crate::http::gate::state::AppState;
use crate::http::operate::admin::AdminState;
use crate::http::pages::SetupToken;
use crate::ingest::Ingest;
use crate::mqtt::client::{Client, ClientSettings};
use crate::status::Watch;
use crate::store::{OpenMode, Store};

/// How long a stop waits for the requests in flight, in seconds.
const STOP_WITHIN_SECS: u64 = 10;
/// How long an answer may linger after an upload that was refused before it was read, and a
/// connection while it closes.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);
/// Threads of each worker that may block, on the disk mostly.
const BLOCKING_THREADS: usize = 8;

/// Descriptors that running takes before the first client comes, the store's files of blocks among them, and those that each
/// worker takes.
const DESCRIPTORS: usize = 24;
const DESCRIPTORS_OF_WORKER: usize = 4;

/// The service, ready to run: its store is open, its address is bound.
pub struct Server {
    config: Config,
    clock: Clock,
    store: Arc<Store>,
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<Tls>,
    stop: Arc<Notify>,
    backups: Option<Settings>,
    mqtt: Option<ClientSettings>,
    setup: Option<SetupToken>,
}

/// Stops a [`Server`] from anywhere.
#[derive(Clone)]
pub struct ServerHandle {
    stop: Arc<Notify>,
}

/// The clocks of the machine.
#[must_use]
pub fn system_clock() -> Clock {
    let started = Instant::now();
    Arc::new(move || {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that the server reads the clock"
        )]
        let now = SystemTime::now();
        let epoch = Timestamp::MIN.saturating_add_millis(-Timestamp::MIN.millis());
        let time = match now.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => epoch.saturating_add(after),
            Err(before) => epoch.saturating_sub(before.duration()),
        };
        let elapsed = started.elapsed();
        Moment { time, elapsed }
    })
}

impl Server {
    /// Opens the store, creating it where there is none, and binds the address; port 0 picks a free
    /// one. From here on clients can connect; they are answered once it runs.
    ///
    /// # Errors
    /// [`ServerError::Certificate`], [`ServerError::Open`], [`ServerError::Listen`], [`ServerError::Descriptors`].
    pub fn build(config: &Config, clock: Clock) -> Result<Self, ServerError> {
        // The store before the address: where another server runs on it, that is what is to be told, not that its
        // port is taken.
        let tls = Tls::new(&config.http)?;
        let settings = config.store.settings();
        let store = Store::open(&config.data_dir, settings, OpenMode::CreateIfMissing)
            .map_err(ServerError::Open)?;
        let wanted = config.http.listen;
        let bound = TcpListener::bind(wanted)
            .and_then(|listener| listener.local_addr().map(|address| (listener, address)));
        let (listener, address) = bound.map_err(|source| ServerError::Listen {
            address: wanted,
            advice: advice(source.kind()),
            source,
        })?;
        check_descriptors(&listener, config.http.workers)?;
        let setup = match store.registry().administrator() {
            Some(_) => None,
            None => Some(SetupToken::new().map_err(ServerError::Run)?),
        };
        Ok(Self {
            config: config.clone(),
            clock,
            store: Arc::new(store),
            listener,
            address,
            tls,
            stop: Arc::default(),
            backups: config.backup.settings(),
            mqtt: config.mqtt.settings(&config.home_assistant),
            setup,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The scheme of its addresses: `https` where it serves by TLS.
    #[must_use]
    pub const fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Where the administrator's password is set, path and query: good once, until the service stops. None where there is
    /// one. Who knows it becomes the administrator, so it belongs on the screen and in no log.
    #[must_use]
    pub fn setup_address(&self) -> Option<String> {
        self.setup.as_ref().map(SetupToken::address)
    }

    /// Its store.
    #[must_use]
    pub fn store(&self) -> Arc<Store> {
        Arc::clone(&self.store)
    }

    /// What stops it.
    #[must_use]
    pub fn handle(&self) -> ServerHandle {
        ServerHandle {
            stop: Arc::clone(&self.stop),
        }
    }

    /// Serves until SIGTERM, SIGINT or [`ServerHandle::stop`]; then finishes the requests in flight, for
    /// ten seconds at most or until a second signal, and closes the store. Calls `when_ready` once it
    /// serves and a signal stops it as it should. Blocks; not to be called in an async runtime.
    ///
    /// # Errors
    /// [`ServerError::AdminFile`], [`ServerError::Run`], [`ServerError::Close`].
    pub fn run_until_stopped(self, when_ready: impl FnOnce()) -> Result<(), ServerError> {
        rt::System::new().block_on(self.run(when_ready))
    }

    async fn run(self, when_ready: impl FnOnce()) -> Result<(), ServerError> {
        let Self {
            config,
            clock,
            store,
            listener,
            address,
            tls,
            stop,
            backups,
            mqtt,
            setup,
        } = self;
        let data_dir = config.data_dir.clone();
        let certificate = tls.as_ref().map(|tls| Arc::clone(&tls.certificate));
        let can_reload = certificate.is_some() || supervisor::is_there();
        let mut signals = Signals::new(can_reload).map_err(ServerError::Run)?;
        let commands_address = tls.as_ref().map_or(address, |tls| tls.commands_address);
        let admin_file = write_admin_file(commands_address, &data_dir)?;
        let admin_state = web::Data::new(AdminState {
            store: Arc::clone(&store),
            token: admin_file.token,
            clock: Arc::clone(&clock),
        });
        let watch = Watch::start(clock(), backups.clone());
        let copying = start_copying(backups, &store, &clock)?;
        let state = AppState::new(Arc::clone(&store), Arc::clone(&clock), &config, watch);
        let mqtt = start_mqtt(mqtt, &store, state.ingest.clone(), clock)?;
        let service = Service::new(state, &config, setup);
        let connections = Arc::new(Connections::new(&config.http));
        let server = serve(
            &config.http,
            (service.clone(), admin_state.clone()),
            (listener, tls),
            Arc::clone(&connections),
        )?;
        let handle = server.handle();
        let watch = rt::spawn(connections.watch());
        let mut running = rt::spawn(server);
        let alive = rt::spawn(supervisor::keep_alive(Arc::clone(&store)));
        when_ready();
        supervisor::ready();
        let failed = tokio::select! {
            () = stop.notified() => None,
            () = until_asked_to_stop(&mut signals, certificate.as_deref()) => None,
            ended = &mut running => Some(ended.map_err(io::Error::other)),
        };
        supervisor::stopping();
        alive.abort();
        if failed.is_none() {
            log::info!("stopping");
            service.end_streams();
            finish(&handle, running, &mut signals).await;
        }
        watch.abort();
        let closed = close(&data_dir, store, (mqtt, copying)).await;
        let_go(service.into_state()).await;
        let_go(admin_state).await;
        if let Some(ended) = failed {
            ended.flatten().map_err(ServerError::Run)?;
        }
        closed
    }
}

impl ServerHandle {
    /// Stops the service as a signal does. Returns at once.
    pub fn stop(&self) {
        self.stop.notify_one();
    }
}

/// Checks that there are descriptors for running: where one is missing then, the libraries below panic.
fn check_descriptors(listener: &TcpListener, workers: usize) -> Result<(), ServerError> {
    let needed = DESCRIPTORS.saturating_add(workers.saturating_mul(DESCRIPTORS_OF_WORKER));
    let taken: io::Result<Vec<TcpListener>> = (0..needed).map(|_| listener.try_clone()).collect();
    taken
        .map(drop)
        .map_err(|source| ServerError::Descriptors { needed, source })
}

/// The web server, within the limits of `config`.
fn serve(
    config: &HttpConfig,
    (service, admin_state): (Service, web::Data<AdminState>),
    (listener, tls): (TcpListener, Option<Tls>),
    connections: Arc<Connections>,
) -> Result<actix_web::dev::Server, ServerError> {
    let server = HttpServer::new(move || service.app(admin_state.clone()))
        .workers(config.workers)
        .max_connections(config.max_connections.div_ceil(config.workers))
        .worker_max_blocking_threads(BLOCKING_THREADS)
        .client_request_timeout(config.head_timeout.0)
        .client_disconnect_timeout(CLOSE_WITHIN)
        .tls_handshake_timeout(config.head_timeout.0)
        .keep_alive(config.idle_timeout.0)
        .tcp_nodelay(true)
        .on_connect(move |stream, extensions| connections.opened(stream, extensions))
        .shutdown_timeout(STOP_WITHIN_SECS)
        .disable_signals();
    let listening = match tls {
        None => server.listen(listener),
        Some(tls) => {
            let config = tls.certificate.server_config()?;
            let server = server.listen_rustls_0_23(listener, config);
            server.and_then(|server| server.listen(tls.commands))
        }
    };
    Ok(listening.map_err(ServerError::Run)?.run())
}

/// Takes copies on the schedule, where there is one.
fn start_copying(
    settings: Option<Settings>,
    store: &Arc<Store>,
    clock: &Clock,
) -> Result<Option<Copying>, ServerError> {
    let start = |settings| Copying::start(Arc::clone(store), settings, Arc::clone(clock));
    settings.map(start).transpose().map_err(ServerError::Run)
}

/// Becomes the client of the broker, where there is one.
fn start_mqtt(
    settings: Option<ClientSettings>,
    store: &Arc<Store>,
    ingest: Ingest,
    clock: Clock,
) -> Result<Option<Client>, ServerError> {
    let start = |settings| Client::start(Arc::clone(store), ingest, settings, clock);
    settings.map(start).transpose().map_err(ServerError::Run)
}

/// Tells the commands where the service is, and what to show there.
fn write_admin_file(address: SocketAddr, data_dir: &Path) -> Result<AdminFile, ServerError> {
    let written = AdminFile::new(address).and_then(|file| {
        file.write(data_dir)?;
        Ok(file)
    });
    written.map_err(|source| ServerError::AdminFile {
        data_dir: data_dir.to_owned(),
        source,
    })
}

/// Finishes the requests in flight, but does not wait for them after another signal.
async fn finish(
    handle: &ActixHandle,
    running: rt::task::JoinHandle<io::Result<()>>,
    signals: &mut Signals,
) {
    let finished = async {
        handle.stop(true).await;
        let _ = running.await;
    };
    tokio::select! {
        () = finished => {}
        () = signals.stop() => log::warn!("another signal came: requests in flight are cut off"),
    }
}

/// Ends the way of the commands in, and the store.
async fn close(
    data_dir: &Path,
    store: Arc<Store>,
    (mqtt, copying): (Option<Client>, Option<Copying>),
) -> Result<(), ServerError> {
    // As long as the store is locked the file cannot be another server's.
    if let Err(error) = AdminFile::remove(data_dir) {
        log::warn!("admin.json could not be removed: {error}");
    }
    let closed = web::block(move || {
        drop((mqtt, copying));
        store.close()
    });
    let closed = closed.await;
    let closed = closed.map_err(|error| ServerError::Run(io::Error::other(error)))?;
    closed.map_err(ServerError::Close)
}

/// Waits until the workers, whose threads end in their own time, have let go of the store: so that it
/// can be opened again by then, in this process too.
async fn let_go<T>(state: web::Data<T>) {
    let state = state.into_inner();
    for _ in 0..100 {
        if Arc::strong_count(&state) == 1 {
            return;
        }
        rt::time::sleep(Duration::from_millis(10)).await;
    }
}
