//! `wattkeeper serve`: the service itself.

use std::net::SocketAddr;
use std::thread;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::Global;
use super::connection::{PATIENCE, PAUSE, is_served, reachable};
use super::logging::start_log;
use super::output::{print_json, print_line};
use crate::config::Config;
use crate::server::{Server, ServerError, system_clock};
use crate::store::StoreError;

/// Run the service
#[derive(Args)]
pub(super) struct Serve {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<SocketAddr>,
}

impl Serve {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let config = global.load(self.listen)?.config;
        start_log(&config.log.filter());
        let server = build(&config)?;
        let address = (server.scheme(), server.address());
        let has_account = server.store().registry().accounts().next().is_some();
        let setup = server.setup_address();
        let mut told = Ok(());
        server.run_until_stopped(|| told = tell(global, address, has_account, setup))?;
        told
    }
}

/// Says where the service is, first of all output, and what is to be done next.
///
/// The set-up address is no message but a result: `--quiet` prints it too. It makes who opens it the administrator, so it is
/// not logged.
fn tell(
    global: &Global,
    (scheme, address): (&str, SocketAddr),
    has_account: bool,
    setup: Option<String>,
) -> Result<()> {
    let url = format!("{scheme}://{}", reachable(address));
    if global.json {
        print_json(&json!({ "listening": url }))?;
    } else {
        print_line(&format!("wattkeeper is listening on {url}"))?;
    }
    if let Some(setup) = setup {
        let text = format!("Set the administrator's password, this once: {url}{setup}");
        if global.json {
            global.note(&text);
        } else {
            print_line(&text)?;
        }
    }
    if address.ip().is_unspecified() {
        global.note("It answers on every address of this machine.");
    }
    if !has_account {
        global.note("There is no account yet; create one: wattkeeper account add home");
    }
    Ok(())
}

/// Builds the server. A store that another command has open for a moment is waited for; not one that
/// another server has.
fn build(config: &Config) -> Result<Server, ServerError> {
    let given_up = Instant::now() + PATIENCE;
    loop {
        let built = Server::build(config, system_clock());
        let is_locked = matches!(&built, Err(ServerError::Open(StoreError::Locked { .. })));
        if !is_locked || Instant::now() > given_up || is_served(&config.data_dir) {
            return built;
        }
        thread::sleep(PAUSE);
    }
}
