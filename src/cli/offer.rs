//! `wattkeeper offer`: contracts that are not in force, to compare with those that are.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use super::args::Global;
use super::contract::LONGEST;
use super::input::read_text;
use super::output::parsed;
use super::owned::{OwnerArgs, ShownContract};
use super::tariff::NewTerms;
use crate::admin::EntryForm;
use crate::domain::EntryKind;
use crate::ledger::contract::Contract;
use crate::store::OpenMode;

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
        /// Save it although a number is unusual
        #[arg(long)]
        yes: bool,
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
        let entries = global.entries(EntryKind::Offer);
        let (rows, hint) = match self {
            Self::List { of } => {
                let hint = "There are no offers: `wattkeeper offer set` adds one.";
                (entries.list(of)?, hint)
            }
            Self::Show { name, of } => {
                let row: ShownContract = entries.named(of, &name)?;
                let text = Contract::parse(row.contract.get())?.to_pretty();
                return global.print(&row.contract, &text);
            }
            Self::Set { file, yes, of } => {
                let text = read_text(&file, LONGEST)?;
                let terms = NewTerms {
                    account: of.account.clone(),
                    text: text.clone(),
                    filled: Vec::new(),
                    unusual: Vec::new(),
                    is_sure: yes,
                    is_offer: true,
                };
                global.with_store(OpenMode::Existing, |store| terms.check(global, store))?;
                (entries.put(of, EntryForm::Offer(text))?.1, "")
            }
            Self::Remove { name, of } => {
                let hint = "The account has no offers now.";
                (entries.remove(of, name)?.1, hint)
            }
        };
        global.print_list(&parsed::<ShownContract>(&rows)?, hint)
    }
}
