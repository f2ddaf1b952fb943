//! The state that only the pages share.

use std::sync::Arc;

use actix_web::web;

use super::frame::once::FormTurns;
use super::overview::api_reference::ReferenceTexts;
use super::overview::live::LiveStreams;
use super::overview::month::MonthsAhead;
use super::repair::RepairSwitch;
use super::service::Trials;
use super::settings::export::Exports;
use super::sign_in::password::Hashing;
use super::sign_in::setup::{Setup, SetupToken};

/// The state that only the pages share.
#[derive(Clone)]
pub(in crate::http) struct PagesState {
    hashing: web::Data<Hashing>,
    setup: web::Data<Setup>,
    turns: web::Data<FormTurns>,
    repair: web::Data<RepairSwitch>,
    streams: web::Data<LiveStreams>,
    months: web::Data<MonthsAhead>,
    reference: web::Data<ReferenceTexts>,
    trials: web::Data<Trials>,
    exports: web::Data<Exports>,
}

impl PagesState {
    pub(in crate::http) fn new((setup, repair): (Option<SetupToken>, Arc<RepairSwitch>)) -> Self {
        Self {
            hashing: web::Data::new(Hashing::new()),
            setup: web::Data::new(Setup(setup)),
            turns: web::Data::new(FormTurns::default()),
            repair: web::Data::from(repair),
            streams: web::Data::new(LiveStreams::new()),
            months: web::Data::new(MonthsAhead::default()),
            reference: web::Data::new(ReferenceTexts::new()),
            trials: web::Data::new(Trials::new()),
            exports: web::Data::new(Exports::default()),
        }
    }

    /// Ends the streams of [`LiveStreams`], which would otherwise keep the service from stopping.
    pub(in crate::http) fn end_streams(&self) {
        self.streams.end();
    }

    /// Gives it to the handlers.
    pub(in crate::http) fn configure(&self, cfg: &mut web::ServiceConfig) {
        cfg.app_data(self.hashing.clone())
            .app_data(self.setup.clone())
            .app_data(self.turns.clone())
            .app_data(self.repair.clone())
            .app_data(self.streams.clone())
            .app_data(self.months.clone())
            .app_data(self.reference.clone())
            .app_data(self.trials.clone())
            .app_data(self.exports.clone());
    }
}
