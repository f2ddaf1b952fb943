//! Whose contracts, prices and other entries a command is about, and contracts as it prints them.

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::output::TableRow;
use crate::ledger::contract::Contract;

/// The owner of the contracts
#[derive(Args)]
pub(super) struct OwnerArgs {
    /// The account, if there are several
    #[arg(long, value_name = "NAME")]
    pub(super) account: Option<String>,
}

/// A contract as printed.
#[derive(Serialize, Deserialize)]
pub(super) struct ShownContract {
    pub(super) account: String,
    pub(super) from: String,
    name: String,
    pub(super) currency: String,
    pub(super) contract: Box<RawValue>,
}

impl TableRow for ShownContract {
    const HEADER: &[&str] = &["account", "from", "name", "currency", "what"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.account.clone(),
            self.from.clone(),
            self.name.clone(),
            self.currency.clone(),
            what(self.contract.get()),
        ]
    }
}

/// A contract in a few words.
fn what(json: &str) -> String {
    let Ok(contract) = Contract::parse(json) else {
        return String::new();
    };
    match contract.flat() {
        Some(flat) => match flat.feed_in() {
            Some(feed_in) => format!("{}, feed-in {feed_in}", flat.price()),
            None => flat.price().to_string(),
        },
        None => contract.kinds().collect::<Vec<_>>().join(", "),
    }
}
