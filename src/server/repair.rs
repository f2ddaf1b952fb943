//! A service whose store is not open: the page that repairs it.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use actix_web::{rt, web};
use tokio::sync::Notify;

use super::error::advice;
use super::{
    Clock, ServerError, Signals, check_descriptors, listen, reachable, supervisor, url_at,
};
use crate::config::Config;
use crate::http::gate::hosts::address_for_others;
use crate::http::gate::{Certificate, Connections};
use crate::http::pages::SetupToken;
use crate::http::pages::repair::{RepairDesk, RepairPlace, RepairSwitch, app};
use crate::store::{OpenMode, StoreError};

/// The time between two tries to open a store after an error of the disk.
const TRY_EVERY: Duration = Duration::from_mins(1);

/// How a repair ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairEnd {
    /// The store is to be opened again.
    Open,
    /// The service is to stop.
    Stop,
}

/// Why a store is not open.
#[derive(Debug)]
pub struct StoreClosed {
    /// The error of opening it; `None` if the administrator closed it.
    error: Option<StoreError>,
    /// The secret of the page and the folder with backups, if the administrator closed it.
    asked: Option<(SetupToken, Option<PathBuf>)>,
}

/// As a line of the log.
impl fmt::Display for StoreClosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            Some(error) => write!(f, "cannot open the store: {error}"),
            None => f.write_str("the administrator closed the store"),
        }
    }
}

/// Knows after a server has stopped whether that was for a repair.
pub struct RepairAsked(pub(super) Arc<RepairSwitch>);

impl RepairAsked {
    /// `None` if it was not.
    #[must_use]
    pub fn taken(&self) -> Option<StoreClosed> {
        let asked = self.0.taken();
        asked
            .is_some()
            .then_some(StoreClosed { error: None, asked })
    }
}

impl StoreClosed {
    /// The reason why this error keeps the service from running, if the page can help: the store is
    /// in a data dir, and damaged or of another version.
    ///
    /// # Errors
    /// The error, if it cannot.
    pub fn of(error: ServerError, config: &Config) -> Result<Self, ServerError> {
        match error {
            ServerError::Open(
                error @ (StoreError::Damaged(_)
                | StoreError::Io { .. }
                | StoreError::OlderFormat { .. }
                | StoreError::NewerFormat { .. }),
            ) if config.store.engine.is_none() => Ok(Self {
                error: Some(error),
                asked: None,
            }),
            other => Err(other),
        }
    }

    /// Serves the page until the store is to be opened again, or a signal stops the service. Calls
    /// `when_ready` once it serves: with the address of the page, unless the browser of the
    /// administrator who closed the store has it. Blocks.
    ///
    /// # Errors
    /// [`ServerError`] if it cannot listen; [`ServerError::Open`] if it stops without having
    /// opened a store that could not be opened.
    pub fn repair(
        self,
        config: &Config,
        clock: &Clock,
        when_ready: impl FnOnce(Option<&str>),
    ) -> Result<RepairEnd, ServerError> {
        let certificate = Certificate::load(&config.http.tls)?;
        let wanted = config.http.listen;
        let (listener, address) = listen::bind(wanted).map_err(|source| ServerError::Listen {
            address: wanted,
            advice: advice(source.kind()),
            source,
        })?;
        check_descriptors(&listener, config.http.workers)?;
        let of_config = || config.backup.settings().map(|settings| settings.dir);
        let is_known = self.asked.is_some();
        let (token, backups) = match self.asked {
            Some(asked) => asked,
            None => (SetupToken::new().map_err(ServerError::Run)?, of_config()),
        };
        let end = Arc::new(Notify::new());
        let place = RepairPlace {
            data_dir: config.data_dir.clone(),
            settings: config.store.settings(),
            backups,
            ingress: config.supervisor.as_ref().map(|it| it.ingress),
            why: self.error.as_ref().map(ToString::to_string),
            clock: Arc::clone(clock),
        };
        let desk = web::Data::new(RepairDesk::new(place, token, Arc::clone(&end)));
        rt::System::new().block_on(async {
            // A service manager may ask for the certificate again: there is nothing to reload here.
            let mut signals = Signals::new(supervisor::is_present()).map_err(ServerError::Run)?;
            let connections = Arc::new(Connections::new(&config.http));
            let routes = desk.clone();
            let app = (move || app(routes.clone()), None);
            let server = listen::serve(
                &config.http,
                app,
                listener,
                certificate.as_ref(),
                &connections,
            )?;
            let (handle, running) = (server.handle(), rt::spawn(server));
            let others = address_for_others(address.ip());
            let others = others.map(|ip| SocketAddr::new(ip, address.port()));
            let url = url_at(others.unwrap_or(reachable(address)), certificate.is_some());
            let page = (!is_known).then(|| format!("{url}{}", desk.address()));
            when_ready(page.as_deref());
            supervisor::ready();
            let watch = rt::spawn(connections.watch());
            let alive = rt::spawn(supervisor::keep_alive_without_store());
            let heals = matches!(self.error, Some(StoreError::Io { .. }));
            let opened = tokio::select! {
                () = end.notified() => false,
                () = signals.stop() => false,
                () = until_opened(config, &desk, TRY_EVERY), if heals => true,
            };
            watch.abort();
            alive.abort();
            handle.stop(true).await;
            // It was asked to end, so its result does not matter.
            let _ = running.await;
            match self.error {
                _ if opened || desk.is_over() => Ok(RepairEnd::Open),
                Some(error) => Err(ServerError::Open(error)),
                None => Ok(RepairEnd::Stop),
            }
        })
    }
}

/// Tries to open the store from time to time, as long as nobody repairs it: the cause of an error of
/// the disk, such as a missing mount, may go by itself, and nobody may be there.
async fn until_opened(config: &Config, desk: &RepairDesk, every: Duration) {
    loop {
        rt::time::sleep(every).await;
        if !desk.is_untouched() {
            continue;
        }
        let (store, dir) = (config.store.clone(), config.data_dir.clone());
        let open = move || {
            let opened = store.open(&dir, OpenMode::Existing);
            opened.and_then(|store| store.close())
        };
        if matches!(web::block(open).await, Ok(Ok(()))) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::system_clock;
    use crate::store::{Store, StoreSettings};

    #[test]
    fn a_store_that_can_be_opened_again_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let config = Config {
            data_dir: dir.path().join("data"),
            ..Config::default()
        };
        let place = RepairPlace {
            data_dir: config.data_dir.clone(),
            settings: StoreSettings::default(),
            backups: None,
            ingress: None,
            why: None,
            clock: system_clock(),
        };
        let desk = RepairDesk::new(place, SetupToken::new().unwrap(), Arc::default());
        let soon = Duration::from_millis(20);
        rt::System::new().block_on(async {
            let opened = until_opened(&config, &desk, soon);
            // There is none yet.
            assert!(rt::time::timeout(10 * soon, opened).await.is_err());
        });
        let settings = StoreSettings::default();
        let store = Store::open(&config.data_dir, settings, OpenMode::CreateIfMissing).unwrap();
        store.close().unwrap();
        drop(store);
        rt::System::new().block_on(until_opened(&config, &desk, soon));
    }
}
