//! `wattkeeper key`: add, list, rotate, revoke credentials.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use super::Global;
use super::output::{note, print_json, print_line, print_table};
use crate::admin::{KeyRow, NewKey, Request, new_api_id, new_api_key};
use crate::domain::account::{ApiKey, Scope};
use crate::store::OpenMode;

/// Keys: what sensors and clients sign in with
#[derive(Subcommand)]
pub(super) enum KeyCommand {
    /// Add a key to an account and print it, this once
    ///
    /// Sensors that are out in the field have their credentials burnt in. To keep them working, name
    /// their api_id with --api-id and give their api_key on standard input, where other users of this
    /// machine do not see it: `wattkeeper key add home --api-id 0123abcd < file-with-the-key`
    #[command(verbatim_doc_comment)]
    Add {
        /// The account that the key is to speak for
        account: String,
        /// What it allows: upload and download, download only, upload only
        #[arg(long, default_value = "full", value_name = "full|read|write")]
        scope: Scope,
        /// What you want to call it
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
    /// List the keys, without their secret part, which is not kept
    List,
    /// Give an api_id a new api_key and print it, this once; the old one stops working
    Rotate {
        /// The api_id
        api_id: String,
    },
    /// Remove a key: who uses it is locked out
    Revoke {
        /// The api_id
        api_id: String,
    },
}

/// A key as it is shown, the once.
#[derive(Serialize)]
struct ShownKey<'a> {
    account: &'a str,
    api_id: &'a str,
    api_key: &'a str,
    scope: Scope,
    label: &'a str,
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
                let rows = global.with_store(OpenMode::Existing, |store| store.keys(request))?;
                show_once(global, &rows, &key)
            }
            Self::List => {
                let rows =
                    global.with_store(OpenMode::Existing, |store| store.keys(Request::ListKeys))?;
                if rows.is_empty() {
                    global.note("There are no keys yet: `wattkeeper key add ACCOUNT` adds one.");
                }
                list(global, &rows)
            }
            Self::Rotate { api_id } => {
                let key = new_key()?;
                let request = Request::RotateKey {
                    api_id,
                    key_hash: key.hash(),
                };
                let rows = global.with_store(OpenMode::Existing, |store| store.keys(request))?;
                show_once(global, &rows, &key)
            }
            Self::Revoke { api_id } => {
                let request = Request::RevokeKey {
                    api_id: api_id.clone(),
                };
                global.with_store(OpenMode::Existing, |store| store.ask(request))?;
                if global.json {
                    print_json(&json!({"api_id": api_id, "revoked": true}))
                } else {
                    print_line(&format!("revoked key {api_id}"))
                }
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
    let longest = u64::try_from(ApiKey::MAX_BYTES).unwrap_or(u64::MAX) + 2;
    let mut line = String::new();
    io::stdin()
        .lock()
        .take(longest)
        .read_line(&mut line)
        .context("reading the api_key from standard input")?;
    let text = line.trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        bail!("--api-id takes the api_key from standard input, and there is none");
    }
    ApiKey::new(text).context("the api_key on standard input")
}

fn show_once(global: &Global, rows: &[KeyRow], key: &ApiKey) -> Result<()> {
    let row = rows.first().context("the answer is empty")?;
    if global.json {
        return print_json(&ShownKey {
            account: &row.account,
            api_id: &row.api_id,
            api_key: key.reveal(),
            scope: row.scope,
            label: &row.label,
        });
    }
    print_line(&format!("api_id   {}", row.api_id))?;
    print_line(&format!("api_key  {}", key.reveal()))?;
    global.note("The api_key is shown this once: only its hash is kept.");
    Ok(())
}

fn list(global: &Global, rows: &[KeyRow]) -> Result<()> {
    if global.json {
        return print_json(&rows);
    }
    let lines: Vec<_> = rows
        .iter()
        .map(|row| {
            [
                row.api_id.clone(),
                row.account.clone(),
                row.scope.as_str().to_owned(),
                row.label.clone(),
                row.created.clone(),
                row.last_used.clone().unwrap_or_default(),
            ]
        })
        .collect();
    let header = [
        "api_id",
        "account",
        "scope",
        "label",
        "created",
        "last used",
    ];
    print_table(header, &lines)
}
