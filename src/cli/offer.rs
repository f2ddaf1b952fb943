//! `wattkeeper offer`: contracts that are not in force, to compare with those that are.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;
use serde_json::value::RawValue;

use super::args::Global;
use super::contract::{LONGEST, OwnerArgs, shown};
use super::input::read_text;
use crate::admin::{ContractRow, OfferRequest, Request};
use crate::ledger::contract::Contract;
use crate::store::StoreError;

/// Offers: contracts that are not in force, which `wattkeeper compare` compares with those that are
///
/// An offer has the JSON of a contract. It changes no costs.
#[derive(Subcommand)]
pub(super) enum OfferCommand {
    /// List the offers of an account
    List {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Print an offer as JSON, in the format of `set`
    Show {
        /// The name of the offer
        name: String,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Add the offer in a file; it replaces the one of the same name
    Set {
        /// A JSON file, described in docs/MONEY.md; - is standard input
        file: PathBuf,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Remove an offer
    Remove {
        /// The name of the offer
        name: String,
        #[command(flatten)]
        of: OwnerArgs,
    },
}

impl OfferCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let (request, hint) = match self {
            Self::List { of } => {
                let account = of.account;
                let hint = "There are no offers: `wattkeeper offer set` adds one.";
                (OfferRequest::List { account }, hint)
            }
            Self::Show { name, of } => {
                let account = of.account;
                let rows = ask(global, OfferRequest::List { account })?;
                let row = rows.into_iter().find(|row| row.name == name);
                let row = row.ok_or(StoreError::UnknownOffer(name))?;
                let text = Contract::parse(&row.json)?.to_pretty();
                return global.print(&RawValue::from_string(row.json)?, &text);
            }
            Self::Set { file, of } => {
                let text = read_text(&file, LONGEST)?;
                let request = OfferRequest::Put {
                    account: of.account,
                    text,
                    old: None,
                };
                (request, "")
            }
            Self::Remove { name, of } => {
                let account = of.account;
                let request = OfferRequest::Remove { account, name };
                (request, "The account has no offers now.")
            }
        };
        global.print_list(&shown(ask(global, request)?)?, hint)
    }
}

fn ask(global: &Global, request: OfferRequest) -> Result<Vec<ContractRow>> {
    global.ask(Request::Offers(request))
}
