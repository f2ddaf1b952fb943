//! `wattkeeper backup`: everything that the store holds, as one verified file.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;

use super::Global;
use super::connection::Connection;
use super::output::{print_json, print_line, progress, seconds_since};
use crate::admin::Request;
use crate::server::system_clock;
use crate::store::{OpenMode, WrittenBackup, write_backup};

/// Copy everything the store holds into one file, verified, while the service goes on
///
/// Whatever was stored before it began is in it. The file appears once it is complete and was read
/// back; there must be none of that name yet. It holds the readings, and of keys their hashes only.
#[derive(Args)]
pub(super) struct Backup {
    /// The file to write
    file: PathBuf,
}

impl Backup {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let begun = Instant::now();
        let written = global.with_store(OpenMode::Existing, |store| self.write(store, global))?;
        let (counts, seconds) = (written.counts, seconds_since(begun));
        if global.json {
            return print_json(&json!({
                "file": self.file.display().to_string(), "bytes": written.bytes, "accounts": counts.accounts,
                "sensors": counts.sensors, "readings": counts.readings, "seconds": seconds,
            }));
        }
        print_line(&format!(
            "copied {} readings of {} sensors into {}, {} bytes, and verified it, in {seconds:.1} s",
            counts.readings,
            counts.sensors,
            self.file.display(),
            written.bytes
        ))
    }

    fn write(&self, store: &Connection, global: &Global) -> Result<WrittenBackup> {
        let bar = progress(
            ProgressBar::new_spinner(),
            "copying and verifying {decimal_bytes}",
            global.quiet,
        );
        write_backup(
            &self.file,
            system_clock()().time,
            |cursor| store.backup_page(Request::BackupPage(cursor)),
            |bytes| {
                bar.set_position(bytes);
                Ok(())
            },
        )
    }
}
