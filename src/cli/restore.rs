//! `wattkeeper restore`: a backup made a store again.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;

use super::Global;
use super::logging::start_log;
use super::output::{print_json, print_line, progress, seconds_since};
use crate::store::restore;

/// Make a backup the store of an empty data dir
///
/// All of the file is verified before anything is touched, and the finished store is checked before
/// it takes its place.
#[derive(Args)]
pub(super) struct Restore {
    /// The file that `wattkeeper backup` wrote
    file: PathBuf,
}

impl Restore {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        start_log(global.log_level().unwrap_or("warn"));
        let begun = Instant::now();
        let config = global.load(None)?.config;
        let named = || format!("restoring {}", self.file.display());
        let length = std::fs::metadata(&self.file).with_context(named)?.len();
        let bar = progress(
            ProgressBar::new(length.saturating_mul(2)),
            "restoring {wide_bar} {percent}% {eta}",
            global.quiet,
        );
        let settings = config.store.settings();
        let restored = restore(&self.file, &config.data_dir, settings, |bytes| {
            bar.set_position(bytes);
        })
        .with_context(named)?;
        bar.finish_and_clear();
        let (backup, seconds) = (restored.backup, seconds_since(begun));
        if global.json {
            return print_json(&json!({
                "data_dir": config.data_dir.display().to_string(), "taken": backup.taken.to_string(),
                "accounts": backup.counts.accounts, "sensors": backup.counts.sensors,
                "readings": restored.readings, "seconds": seconds,
            }));
        }
        print_line(&format!(
            "restored {} readings of {} sensors into {} as of {}, and checked them, in {seconds:.1} s",
            restored.readings,
            backup.counts.sensors,
            config.data_dir.display(),
            backup.taken
        ))
    }
}
