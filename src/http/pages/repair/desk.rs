//! The repair under way, and its result.

use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use actix_web::dev::RequestHead;
use tokio::sync::{Notify, Semaphore};

use crate::domain::Moment;
use crate::http::gate::peer::came_from;
use crate::http::pages::sign_in::setup::SetupToken;
use crate::locks::lock;
use crate::store::{Lost, StoreSettings, restore_in_place, salvage_in_place};

/// The number of losses that the page lists.
const MOST_LOSSES: usize = 200;

/// Closes the store of the running service, so that it can be repaired.
pub(crate) struct RepairSwitch {
    closed: Mutex<Option<(SetupToken, Option<PathBuf>)>>,
    stop: Arc<Notify>,
}

impl RepairSwitch {
    /// `stop` stops the service.
    pub(crate) fn new(stop: Arc<Notify>) -> Self {
        Self {
            closed: Mutex::default(),
            stop,
        }
    }

    /// Stops the service for a repair; `backups` is the folder with backups, if there is one.
    /// Returns the path and query of the page that will be there.
    pub(crate) fn close(&self, backups: Option<PathBuf>) -> io::Result<String> {
        let token = SetupToken::new()?;
        let address = token.address_of("repair");
        *lock(&self.closed) = Some((token, backups));
        self.stop.notify_one();
        Ok(address)
    }

    /// The secret of the page and the folder with backups, if it was closed.
    pub(crate) fn taken(&self) -> Option<(SetupToken, Option<PathBuf>)> {
        lock(&self.closed).take()
    }
}

/// The store to be repaired, its settings and its backups.
pub(crate) struct RepairPlace {
    pub(crate) data_dir: PathBuf,
    pub(crate) settings: StoreSettings,
    /// The folder with backups, if one is known.
    pub(crate) backups: Option<PathBuf>,
    /// The address of Home Assistant's proxy, whose visitors are administrators.
    pub(crate) ingress: Option<IpAddr>,
    /// Why the store is not open; `None` if the administrator asked for that.
    pub(crate) why: Option<String>,
    pub(crate) clock: Arc<dyn Fn() -> Moment + Send + Sync>,
}

/// The repair of a store: one at a time.
pub(crate) struct RepairDesk {
    pub(super) place: RepairPlace,
    token: SetupToken,
    /// One upload at a time. Its permit is released, too, if the browser leaves.
    pub(super) uploading: Semaphore,
    state: Arc<Mutex<RepairState>>,
    end: Arc<Notify>,
}

/// The state of a repair, for the page.
#[derive(Clone, Debug, Default)]
pub(super) struct RepairState {
    /// The readings or bytes that the repair under way has read.
    pub(super) running: Option<(RepairKind, Arc<AtomicU64>)>,
    /// The result of the last one.
    pub(super) ended: Option<Result<RepairOutcome, String>>,
    /// Whether the store is being opened again.
    pub(super) is_over: bool,
}

/// A kind of repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepairKind {
    Salvage,
    Restore,
}

/// The result of a repair.
#[derive(Clone, Debug)]
pub(super) struct RepairOutcome {
    pub(super) kind: RepairKind,
    pub(super) readings: u64,
    pub(super) losses: Vec<Lost>,
    /// The number of losses beyond those.
    pub(super) not_listed: usize,
}

impl RepairDesk {
    pub(crate) fn new(place: RepairPlace, token: SetupToken, end: Arc<Notify>) -> Self {
        Self {
            place,
            token,
            uploading: Semaphore::new(1),
            state: Arc::default(),
            end,
        }
    }

    /// The path and query of the page.
    pub(crate) fn address(&self) -> String {
        self.token.address_of("repair")
    }

    /// Whether the store is to be opened again.
    pub(crate) fn is_over(&self) -> bool {
        lock(&self.state).is_over
    }

    /// Whether a visitor comes through Home Assistant, which lets administrators through alone.
    pub(super) fn is_ingress(&self, head: &RequestHead) -> bool {
        self.place.ingress.is_some() && came_from(head, self.place.ingress)
    }

    pub(super) fn is_token(&self, token: &str) -> bool {
        self.token.is(token)
    }

    /// The secret, for the forms of the page.
    pub(super) fn token(&self) -> &str {
        self.token.reveal()
    }

    /// Whether nothing was repaired, and nothing is under way.
    pub(crate) fn is_untouched(&self) -> bool {
        let state = lock(&self.state);
        state.running.is_none() && state.ended.is_none()
    }

    pub(super) fn state(&self) -> RepairState {
        lock(&self.state).clone()
    }

    /// Ends the repair, so that the store is opened again. Not while one is under way:
    /// returns whether it ends.
    pub(super) fn open(&self) -> bool {
        let mut state = lock(&self.state);
        if state.running.is_some() {
            return false;
        }
        state.is_over = true;
        self.end.notify_one();
        true
    }

    pub(super) fn salvage(&self) -> io::Result<()> {
        let (dir, settings) = (self.place.data_dir.clone(), self.place.settings);
        let clock = Arc::clone(&self.place.clock);
        self.start(RepairKind::Salvage, move |count| {
            let watch = move |readings| count.store(readings, Ordering::Relaxed);
            let salvaged = salvage_in_place(&dir, settings, clock().time, watch);
            let salvaged = salvaged.map_err(|error| error.to_string())?;
            let mut losses = salvaged.lost;
            let not_listed = losses.len().saturating_sub(MOST_LOSSES);
            losses.truncate(MOST_LOSSES);
            Ok((salvaged.counts.readings, losses, not_listed))
        })
    }

    pub(super) fn restore(&self, file: &Path) -> io::Result<()> {
        let (dir, settings) = (self.place.data_dir.clone(), self.place.settings);
        let (clock, file) = (Arc::clone(&self.place.clock), file.to_owned());
        self.start(RepairKind::Restore, move |count| {
            let watch = |bytes| count.store(bytes, Ordering::Relaxed);
            let restored = restore_in_place(&file, &dir, settings, clock().time, watch);
            let restored = restored.map_err(|error| error.to_string())?;
            Ok((restored.backup.counts.readings, Vec::new(), 0))
        })
    }

    /// Starts a repair, unless one is under way.
    fn start(
        &self,
        kind: RepairKind,
        work: impl FnOnce(Arc<AtomicU64>) -> Result<(u64, Vec<Lost>, usize), String> + Send + 'static,
    ) -> io::Result<()> {
        let count = Arc::new(AtomicU64::new(0));
        let mut state = lock(&self.state);
        if state.running.is_some() || state.is_over {
            return Ok(());
        }
        let (shared, counted) = (Arc::clone(&self.state), Arc::clone(&count));
        let job = thread::Builder::new().name("repair".into());
        job.spawn(move || {
            let done = Finished { shared, kind };
            let result = work(counted);
            match &result {
                Ok((readings, losses, _)) => log::warn!(
                    "the store was repaired: {readings} readings, {} losses",
                    losses.len()
                ),
                Err(error) => log::error!("the store was not repaired: {error}"),
            }
            done.with(result);
        })?;
        state.running = Some((kind, count));
        state.ended = None;
        Ok(())
    }
}

/// Notes the end of a repair, even if it panics.
struct Finished {
    shared: Arc<Mutex<RepairState>>,
    kind: RepairKind,
}

impl Finished {
    fn with(self, result: Result<(u64, Vec<Lost>, usize), String>) {
        let kind = self.kind;
        let ended = result.map(|(readings, losses, not_listed)| RepairOutcome {
            kind,
            readings,
            losses,
            not_listed,
        });
        lock(&self.shared).ended = Some(ended);
    }
}

impl Drop for Finished {
    fn drop(&mut self) {
        let mut state = lock(&self.shared);
        state.running = None;
        let stopped = || Err("it stopped with an error: see the log".to_owned());
        state.ended.get_or_insert_with(stopped);
    }
}
