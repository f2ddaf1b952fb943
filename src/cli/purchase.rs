//! `wattkeeper purchase`: what a household bought, and how far it has paid for itself.

use anyhow::Result;
use clap::Subcommand;

use super::args::Global;
use super::entries::EntryColumn;
use super::output::{TableRow, print_json, print_line, print_table};
use super::owned::OwnerArgs;
use crate::admin::{EntryForm, LedgerRequest, PurchaseForm, Request};
use crate::domain::EntryKind;
use crate::house::{PaybackAnswer, PaybackRow};

/// Purchases of a household, and how far they have paid for themselves
#[derive(Subcommand)]
pub(super) enum PurchaseCommand {
    /// List the purchases of an account
    List {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Add a purchase; it replaces the one of the same name
    ///
    /// Amounts are in the currency of the account's contracts.
    Set {
        /// Its name
        name: String,
        /// Its kind: panels, battery or other
        #[arg(long, value_name = "KIND")]
        kind: String,
        /// Its first day in use, YYYY-MM-DD
        #[arg(long, value_name = "DATE")]
        date: String,
        /// The amount paid
        #[arg(long, value_name = "DECIMAL", allow_negative_numbers = true)]
        amount: String,
        /// The part of the amount that somebody else gave
        #[arg(
            long,
            value_name = "DECIMAL",
            default_value = "0",
            allow_negative_numbers = true
        )]
        subsidy: String,
        /// Its costs in each year, such as an insurance
        #[arg(
            long,
            value_name = "DECIMAL",
            default_value = "0",
            allow_negative_numbers = true
        )]
        costs_per_year: String,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Remove a purchase
    Remove {
        /// The name of the purchase
        name: String,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Show how far the purchases have paid for themselves, and when they will have
    Payback {
        #[command(flatten)]
        of: OwnerArgs,
    },
}

/// The columns of purchases, each with its member.
const COLUMNS: &[EntryColumn] = &[
    ("account", "account"),
    ("name", "name"),
    ("kind", "kind"),
    ("date", "date"),
    ("amount", "amount"),
    ("subsidy", "subsidy"),
    ("costs a year", "costs_per_year"),
];

impl PurchaseCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let entries = global.entries(EntryKind::Purchase);
        let rows = match self {
            Self::List { of } => {
                let hint = "There are no purchases: `wattkeeper purchase set` adds one.";
                return entries.print(&entries.list(of)?, COLUMNS, hint);
            }
            Self::Set {
                name,
                kind,
                date,
                amount,
                subsidy,
                costs_per_year,
                of,
            } => {
                let form = PurchaseForm {
                    name,
                    kind,
                    date,
                    amount,
                    subsidy,
                    costs_per_year,
                };
                entries.put(of, EntryForm::Purchase(form))?.1
            }
            Self::Remove { name, of } => entries.remove(of, name)?.1,
            Self::Payback { of } => return payback(global, of.account),
        };
        entries.print(&rows, COLUMNS, "The account has no purchases now.")
    }
}

fn payback(global: &Global, account: Option<String>) -> Result<()> {
    let request = Request::Ledger(LedgerRequest::Payback(account));
    let found: PaybackAnswer = global.ask(request)?;
    if global.json {
        return print_json(&found);
    }
    if found.rows.is_empty() {
        global.note("There are no purchases: `wattkeeper purchase set` adds one.");
        return Ok(());
    }
    print_line(&format!("in {}", found.currency))?;
    print_table(&found.rows)?;
    print_line(&found.assumes)
}

impl TableRow for PaybackRow {
    const HEADER: &[&str] = &[
        "by",
        "price",
        "since",
        "saved",
        "assumed",
        "costs",
        "paid back",
        "a year",
        "expected",
    ];

    fn cells(&self) -> Vec<String> {
        let text = |amount: &Option<String>| amount.clone().unwrap_or_else(|| "-".to_owned());
        let share = self.paid_back.map(super::output::percent);
        let expected = self.expected.clone().or_else(|| self.reason.clone());
        vec![
            self.by.clone(),
            self.price.clone(),
            self.since.clone(),
            text(&self.saved),
            text(&self.assumed),
            self.costs.clone(),
            text(&share),
            text(&self.per_year),
            text(&expected),
        ]
    }
}
