//! `wattkeeper serve`: the service itself.

use std::net::SocketAddr;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::args::Global;
use super::connection::retry_while_locked;
use super::output::print_line;
use crate::config::exposed_files;
use crate::server::{RepairEnd, Server, ServerError, StoreClosed, system_clock};
use crate::store::StoreError;

/// The place where Home Assistant's users set the password.
const ADDON_SETUP: &str = "Open wattkeeper in Home Assistant to set the password and add a sensor";

/// For people who read the log after the store was closed in a browser.
const CLOSED: &str = "The store is closed for a repair. Only the browser that closed it has the page for that; a restart opens the store again.";

/// Run the service
#[derive(Args)]
pub(super) struct Serve {
    /// The address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<SocketAddr>,
}

impl Serve {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let loaded = global.load_for_service(self.listen)?;
        for warning in exposed_files(&loaded) {
            log::warn!("{warning}");
        }
        let config = loaded.config;
        loop {
            // Waits for another command, which has the store open only for a moment, but fails at
            // once if a server has it.
            let server = retry_while_locked(
                &config.data_dir,
                || Server::build(&config, system_clock()),
                |error| matches!(error, ServerError::Open(StoreError::Locked { .. })),
            );
            let closed = match server {
                Ok(server) => match run(server, global)? {
                    Some(closed) => closed,
                    None => return Ok(()),
                },
                Err(error) => {
                    let closed = StoreClosed::of(error, &config)?;
                    log::error!("{closed}");
                    closed
                }
            };
            let mut announced = Ok(());
            let end = closed.repair(&config, &system_clock(), |address| {
                announced = announce_repair(global, address);
            })?;
            announced?;
            if end == RepairEnd::Stop {
                return Ok(());
            }
        }
    }
}

/// Runs the service until it stops; returns the store if it is to be repaired then.
fn run(server: Server, global: &Global) -> Result<Option<StoreClosed>> {
    let (url, address) = (server.url(), server.address());
    let has_account = server.store().registry().accounts().next().is_some();
    let network_url = server.network_url();
    let is_addon = server.is_addon();
    let repair = server.repair_asked();
    let setup = server.setup_address().map(|path| {
        if is_addon {
            // Its network has no address that a browser could open, and the page there needs
            // none.
            return ADDON_SETUP.to_owned();
        }
        format!("Open this once, here or on a phone, to set the password and add a sensor: {network_url}{path}")
    });
    let mut announced = Ok(());
    server.run_until_stopped(|| {
        // A closed stdout does not end the service: the error is returned once it has stopped.
        announced = announce(global, &url, address, has_account, setup);
    })?;
    announced?;
    Ok(repair.taken())
}

/// Prints the address of the page that repairs the store, which is a secret: a result, and no message
/// for the log. There is none if a browser has it already.
fn announce_repair(global: &Global, address: Option<&str>) -> Result<()> {
    let Some(address) = address else {
        global.note(CLOSED);
        return Ok(());
    };
    let text = format!("The store is not open. Open this to repair it: {address}");
    global.print(&json!({ "repair": address }), &text)
}

/// Prints the address, before all other output, and the next steps.
///
/// The set-up address is a result, not a message, so `--quiet` prints it too. A person who opens it
/// becomes the administrator, so it is never logged.
fn announce(
    global: &Global,
    url: &str,
    address: SocketAddr,
    has_account: bool,
    setup: Option<String>,
) -> Result<()> {
    let text = format!("wattkeeper is listening on {url}");
    global.print(&json!({ "listening": url }), &text)?;
    let is_first = setup.is_some();
    if let Some(setup) = setup {
        if global.json {
            global.note(&setup);
        } else {
            print_line(&setup)?;
        }
    }
    if address.ip().is_unspecified() {
        global.note("It answers on every address of this machine.");
    }
    // One next step is enough.
    if !has_account && !is_first {
        global.note("There is no account yet; create one: wattkeeper account add home");
    }
    Ok(())
}
