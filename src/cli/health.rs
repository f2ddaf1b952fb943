//! `wattkeeper health`: whether a running service is well, for what watches over it.

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::Global;
use super::connection::ask_health;
use super::output::{print_json, print_line};

/// Ask the running service whether it is well
///
/// The exit status is 0 where its store takes readings, 1 where it does not, or no service runs on the
/// data dir.
#[derive(Args)]
pub(super) struct Health {}

impl Health {
    #[expect(clippy::unused_self, reason = "commands are run alike")]
    pub(super) fn run(self, global: &Global) -> Result<()> {
        ask_health(&global.load(None)?.config.data_dir)?;
        if global.json {
            return print_json(&json!({ "status": "ok" }));
        }
        print_line("ok")
    }
}
