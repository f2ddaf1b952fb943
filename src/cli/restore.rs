//! `wattkeeper restore`: creates a store from a backup.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::json;

use super::args::Global;
use super::output::{progress, seconds_since};
use super::owner;
use crate::domain::ServiceSetting;
use crate::store::{restore, restore_into_postgres};

/// Turn a backup into the store of an empty data dir, or of an empty database of store.engine
///
/// The whole file is verified before anything changes, and the finished store is checked before it
/// appears.
#[derive(Args)]
pub(super) struct Restore {
    /// The file written by `wattkeeper backup`
    file: PathBuf,
}

impl Restore {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        global.start_log();
        let begun = Instant::now();
        let config = global.load()?.config;
        let named = || format!("restoring {}", self.file.display());
        let length = std::fs::metadata(&self.file).with_context(named)?.len();
        // The file is read twice: verified as a whole first, then stored.
        let bar = progress(
            Some(length.saturating_mul(2)),
            "restoring {wide_bar} {percent}% {eta}",
            global.quiet,
        );
        let settings = config.store.settings();
        let watch = |bytes| bar.set_position(bytes);
        let (restored, place) = match config.store.postgres_settings() {
            Some(engine) => {
                let place = engine.url.to_string();
                let restored = restore_into_postgres(&self.file, engine, settings, watch);
                (restored, ("engine", place))
            }
            None => (
                restore(&self.file, &config.data_dir, settings, watch),
                ("data_dir", config.data_dir.display().to_string()),
            ),
        };
        let restored = restored.with_context(named)?;
        if place.0 == "data_dir" && owner::is_of_root(&config.data_dir) {
            global.note(&format!(
                "{0} belongs to root now. If another user runs the service, give it the folder: `chown -R wattkeeper: {0}`",
                place.1
            ));
        }
        let backup = restored.backup;
        bar.finish_and_clear();
        let seconds = seconds_since(begun);
        let (home, place) = place;
        let taken = backup.taken.to_string();
        let (sensors, readings) = (backup.counts.sensors, backup.counts.readings);
        let missing = restored.missing.into_iter();
        let missing: Vec<_> = missing.map(ServiceSetting::as_str).collect();
        if !missing.is_empty() {
            global.note(&format!(
                "Backups contain no secrets, so {} is missing: set it in the settings of the pages.",
                missing.join(" and ")
            ));
        }
        global.print(
            &json!({
                home: place, "taken": taken, "accounts": backup.counts.accounts,
                "sensors": sensors, "readings": readings, "seconds": seconds, "missing": missing,
            }),
            &format!(
                "restored {readings} readings of {sensors} sensors into {place} as of {taken}, and checked them, in {seconds:.1} s"
            ),
        )
    }
}
