//! `wattkeeper wall`: links for wall tablets.

use anyhow::{Context as _, Result};
use clap::Subcommand;
use serde_json::json;

use super::args::Global;
use super::output::TableRow;
use crate::admin::{Request, WallRequest, WallRow, random};
use crate::domain::SessionToken;

/// Links for tablets on a wall, which show one account to everybody in front of them
#[derive(Subcommand)]
pub(super) enum WallCommand {
    /// Make a link and print its path, only this once
    ///
    /// Open it in the browser of the tablet, after the address of the service, as in
    /// `http://192.168.1.5:8080/wall/open?..`.
    Add {
        /// A name for the tablet, such as hall
        name: String,
        /// The account that it shows
        account: String,
    },
    /// List the links, without their secrets, which are stored only as hashes
    List,
    /// Revoke a link: tablets that use it no longer show anything
    Revoke {
        /// The name of the tablet
        name: String,
    },
}

impl WallCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::Add { name, account } => {
                let token = random().context("making a token")?;
                let token = SessionToken::from_random(token);
                let add = WallRequest::Add {
                    name,
                    account,
                    session: token.id().0,
                };
                let rows: Vec<WallRow> = global.ask(Request::Walls(add))?;
                let row = rows.first().context("the answer is empty")?;
                let path = token.wall_path();
                let json = json!({"name": row.name, "account": row.account, "path": path});
                global.print(&json, &path)?;
                if !global.json {
                    global.note("The link is shown only this once: only its hash is kept.");
                }
                Ok(())
            }
            Self::List => {
                let hint =
                    "There are no wall tablets: `wattkeeper wall add NAME ACCOUNT` makes a link.";
                global.list::<WallRow>(Request::Walls(WallRequest::List), hint)
            }
            Self::Revoke { name } => {
                let text = format!("revoked the link of wall tablet {name}");
                let json = json!({"name": name, "revoked": true});
                let () = global.ask(Request::Walls(WallRequest::Revoke { name }))?;
                global.print(&json, &text)
            }
        }
    }
}

impl TableRow for WallRow {
    const HEADER: &[&str] = &["name", "account", "made", "last used"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            self.account.clone(),
            self.created.clone(),
            self.last_used.clone().unwrap_or_default(),
        ]
    }
}
