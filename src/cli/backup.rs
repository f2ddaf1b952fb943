//! `wattkeeper backup`: everything in the store, as one verified file.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::args::Global;
use super::output::{progress, seconds_since};
use crate::admin::Request;
use crate::server::system_clock;
use crate::store::{OpenMode, write_backup};

/// Copy everything in the store into one verified file, while the service keeps running
///
/// The file contains everything stored before it began; of keys, only hashes. It appears once it is
/// complete and verified. It never replaces an existing file.
#[derive(Args)]
pub(super) struct Backup {
    /// The file to write
    file: PathBuf,
}

impl Backup {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let begun = Instant::now();
        // A count, not a bar, because the number of pages is known only at the end.
        let bar = progress(None, "copying and verifying {decimal_bytes}", global.quiet);
        let written = global.with_store(OpenMode::Existing, |store| {
            // The file is written here and not by the server, because the path belongs to this
            // process and its user.
            write_backup(
                &self.file,
                system_clock()().time,
                |cursor| store.ask(Request::BackupPage(cursor)),
                |bytes| {
                    bar.set_position(bytes);
                    Ok(())
                },
            )
        })?;
        bar.finish_and_clear();
        let (file, bytes) = (self.file.display().to_string(), written.bytes);
        let (sensors, readings) = (written.counts.sensors, written.counts.readings);
        let seconds = seconds_since(begun);
        global.print(
            &json!({
                "file": file, "bytes": bytes, "accounts": written.counts.accounts,
                "sensors": sensors, "readings": readings, "seconds": seconds,
            }),
            &format!(
                "copied {readings} readings of {sensors} sensors into {file}, {bytes} bytes, and verified it, in {seconds:.1} s"
            ),
        )
    }
}
