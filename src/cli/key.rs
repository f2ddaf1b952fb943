//! `wattkeeper key`: add, list, rotate, revoke credentials.

use std::io::{self, IsTerminal as _};

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use serde_json::json;

use super::args::Global;
use super::input::first_line;
use super::output::{TableRow, note};
use crate::admin::{KeyRow, NewKey, Request, new_api_id, new_api_key};
use crate::domain::{ApiKey, Scope};

/// Keys: the credentials of sensors and clients
#[derive(Subcommand)]
pub(super) enum KeyCommand {
    /// Add a key to an account and print it, only this once
    ///
    /// To keep sensors working that have their credentials built in, pass their api_id with
    /// --api-id and their api_key on standard input, where other users of this machine cannot see
    /// it: `wattkeeper key add home --api-id 0123abcd < file-with-the-key`
    #[command(verbatim_doc_comment)]
    Add {
        /// The account
        account: String,
        /// Its permissions: uploads and downloads, downloads only, or uploads only
        #[arg(long, default_value = "full", value_name = "full|read|write")]
        scope: Scope,
        /// A label for people
        #[arg(
            long,
            default_value = "",
            hide_default_value = true,
            value_name = "TEXT"
        )]
        label: String,
        /// Take this api_id instead of a random one, and the api_key from standard input
        #[arg(long, value_name = "ID")]
        api_id: Option<String>,
    },
    /// List the keys, without their secrets, which are stored only as hashes
    List,
    /// Give an api_id a new api_key and print it, only this once; the old one stops working
    Rotate {
        /// The api_id
        api_id: String,
    },
    /// Remove a key, and lock out its users
    Revoke {
        /// The api_id
        api_id: String,
    },
}

impl KeyCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::Add {
                account,
                scope,
                label,
                api_id,
            } => {
                let (api_id, key) = match api_id {
                    None => {
                        let api_id = new_api_id().context("making an api_id")?;
                        (api_id.to_string(), new_key()?)
                    }
                    Some(api_id) => (api_id, read_key()?),
                };
                let request = Request::AddKey(NewKey {
                    account,
                    api_id,
                    key_hash: key.hash(),
                    scope,
                    label,
                });
                show_once(global, request, &key)
            }
            Self::List => {
                let hint = "There are no keys yet: `wattkeeper key add ACCOUNT` adds one.";
                global.list::<KeyRow>(Request::ListKeys, hint)
            }
            Self::Rotate { api_id } => {
                let key = new_key()?;
                let key_hash = key.hash();
                show_once(global, Request::RotateKey { api_id, key_hash }, &key)
            }
            Self::Revoke { api_id } => {
                let text = format!("revoked key {api_id}");
                let json = json!({"api_id": api_id, "revoked": true});
                let () = global.ask(Request::RevokeKey { api_id })?;
                global.print(&json, &text)
            }
        }
    }
}

/// A random api_key.
fn new_key() -> Result<ApiKey> {
    new_api_key().context("making an api_key")
}

/// The api_key on the first line of standard input.
fn read_key() -> Result<ApiKey> {
    if io::stdin().is_terminal() {
        note("api_key, then Enter:");
    }
    let reading = "reading the api_key from standard input";
    let line = first_line(ApiKey::MAX_BYTES).context(reading)?;
    if line.is_empty() {
        bail!("--api-id reads the api_key from standard input, which is empty");
    }
    let text = String::from_utf8(line).context(reading)?;
    ApiKey::new(&text).context("the api_key on standard input")
}

/// Stores a new key and prints it: only its hash is kept.
fn show_once(global: &Global, request: Request, key: &ApiKey) -> Result<()> {
    let rows: Vec<KeyRow> = global.ask(request)?;
    let row = rows.first().context("the answer is empty")?;
    let (api_id, api_key) = (&row.api_id, key.reveal());
    global.print(
        &json!({
            "account": row.account, "api_id": api_id, "api_key": api_key,
            "scope": row.scope, "label": row.label,
        }),
        &format!("api_id   {api_id}\napi_key  {api_key}"),
    )?;
    // With JSON, the caller is a script, not a person.
    if !global.json {
        global.note("The api_key is shown only this once: only its hash is kept.");
    }
    Ok(())
}

impl TableRow for KeyRow {
    const HEADER: &[&str] = &[
        "api_id",
        "account",
        "scope",
        "label",
        "created",
        "last used",
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.api_id.clone(),
            self.account.clone(),
            self.scope.as_str().to_owned(),
            self.label.clone(),
            self.created.clone(),
            self.last_used.clone().unwrap_or_default(),
        ]
    }
}
