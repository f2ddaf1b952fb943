//! `wattkeeper health`: whether a running service is healthy, for monitoring.

use anyhow::Result;
use serde_json::json;

use super::args::Global;
use super::connection::check_health;

pub(super) fn run(global: &Global) -> Result<()> {
    check_health(&global.load()?.config.data_dir)?;
    global.print(&json!({ "status": "ok" }), "ok")
}
