//! `wattkeeper man`: man pages.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;

/// Write man pages into a folder, one for each command
#[derive(Args)]
pub(super) struct ManPages {
    /// The folder, which must exist
    dir: PathBuf,
}

impl ManPages {
    pub(super) fn run(self, command: clap::Command) -> Result<()> {
        clap_mangen::generate_to(command, &self.dir)
            .with_context(|| format!("writing man pages into {}", self.dir.display()))
    }
}

#[cfg(test)]
mod tests;
