//! `wattkeeper completions`: shell scripts that complete command lines.

use std::io::{self, Write as _};

use anyhow::Result;
use clap::Args;
use clap_complete::Shell;

/// Print completions for a shell
#[derive(Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self, command: &mut clap::Command) -> Result<()> {
        // Into memory first, because clap_complete 4.6 panics if it cannot write, for instance into
        // a closed pipe.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "wattkeeper", &mut script);
        Ok(io::stdout().write_all(&script)?)
    }
}
