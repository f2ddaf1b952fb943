//! A service whose store is not open: the page that repairs it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use actix_web::{rt, web};
use tokio::sync::Notify;

use super::error::advice;
use super::{Clock, ServerError, Signals, listen, reachable, supervisor, url_at};
use crate::config::Config;
use crate::http::gate::hosts::address_for_others;
use crate::http::gate::{Certificate, Connections};
use crate::http::pages::SetupToken;
use crate::http::pages::repair::{RepairDesk, RepairPlace, RepairSwitch, app};
use crate::store::StoreError;

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
    /// `when_ready` with the address of the page once it serves. Blocks.
    ///
    /// # Errors
    /// [`ServerError`] if it cannot listen; [`ServerError::Open`] if it stops without having
    /// opened a store that could not be opened.
    pub fn repair(
        self,
        config: &Config,
        clock: &Clock,
        when_ready: impl FnOnce(&str),
    ) -> Result<RepairEnd, ServerError> {
        let certificate = Certificate::load(&config.http.tls)?;
        let wanted = config.http.listen;
        let (listener, address) = listen::bind(wanted).map_err(|source| ServerError::Listen {
            address: wanted,
            advice: advice(source.kind()),
            source,
        })?;
        let of_config = || config.backup.settings().map(|settings| settings.dir);
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
            let mut signals = Signals::new(false).map_err(ServerError::Run)?;
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
            when_ready(&format!("{url}{}", desk.address()));
            supervisor::ready();
            tokio::select! {
                () = end.notified() => {}
                () = signals.stop() => {}
            }
            handle.stop(true).await;
            // It was asked to end, so its result does not matter.
            let _ = running.await;
            match self.error {
                _ if desk.is_over() => Ok(RepairEnd::Open),
                Some(error) => Err(ServerError::Open(error)),
                None => Ok(RepairEnd::Stop),
            }
        })
    }
}
