//! The tools of a reader: the store, the connection, its progress.

use std::sync::Arc;

use tokio::runtime::Runtime;

use super::progress::ReadHome;
use crate::domain::Clock;
use crate::ingest::DeviceIngest;
use crate::store::Store;

/// The tools of a reader.
pub(super) struct HomeBase {
    pub(super) store: Arc<Store>,
    /// The way in for new states.
    pub(super) device_ingest: DeviceIngest,
    /// It waits for that.
    pub(super) runtime: Runtime,
    pub(super) clock: Clock,
    pub(super) home: Arc<ReadHome>,
}

impl HomeBase {
    /// Tells a problem on the pages, and once in the log.
    pub(super) fn note(&self, problem: &str) {
        let account = &self.home.settings().account;
        if self.home.note(problem.to_owned()) {
            log::warn!("home_assistant: {account}: {problem}");
        }
    }
}
