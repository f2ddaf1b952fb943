//! `wattkeeper contract`: an account's tariffs.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Subcommand;
use serde_json::value::RawValue;

use super::args::Global;
use super::input::read_text;
use super::output::{TableRow, parsed};
use super::owned::{OwnerArgs, ShownContract};
use super::tariff::{NewTerms, TariffArgs, found};
use crate::admin::{ContractRequest, Request};
use crate::ledger::contract::{
    Contract, ContractTemplate, Country, FlatContract, FlatTerms, TariffAnswer, TemplateKind,
};
use crate::store::OpenMode;

/// The longest file of contracts, in bytes: 200 contracts of 16 KiB.
pub(super) const LONGEST: usize = 4 * 1024 * 1024;

/// Contracts: the tariffs that an account pays and is paid by, from a date on
///
/// Each contract is in force until the next one begins. Changing a contract changes past costs at
/// once.
#[derive(Subcommand)]
pub(super) enum ContractCommand {
    /// List the contracts
    List {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Print an account's contracts as JSON, in the format of `set`
    Show {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Add the contract in a file, or replace the one that begins on the same day; a list replaces
    /// all contracts
    Set {
        /// A JSON file, described in docs/MONEY.md; - is standard input
        file: PathBuf,
        /// Save it although a number is unusual
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Set a contract with one price, and optionally one for exported energy
    Flat {
        /// The price of a kilowatt-hour, such as 0.3215
        #[arg(long, value_name = "DECIMAL", allow_negative_numbers = true)]
        price: String,
        /// The credit for an exported kilowatt-hour, such as 0.08
        #[arg(long, value_name = "DECIMAL", allow_negative_numbers = true)]
        feed_in: Option<String>,
        /// The currency of the prices, such as EUR or €
        #[arg(long, value_name = "TEXT")]
        currency: String,
        /// Its first day, in the account's time zone [default: for all of the past]
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// Its name [default: Flat]
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
        /// Whether it has new prices of the contract before, whose amounts of a month or a year go
        /// on, or is one of a new supplier [default: as before, or true]
        #[arg(long, value_name = "true|false")]
        continues: Option<bool>,
        /// Save it although a number is unusual
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Add a contract from a tariff of a country, with your own values
    ///
    /// Its prices are fetched from now on if they are those of a source. Without the values that
    /// each household has for itself, it lists all of them.
    From(Box<TariffArgs>),
    /// List the tariffs of countries that a contract can start from
    Templates {
        /// Only tariffs of a country, such as DE
        #[arg(long, value_name = "CODE")]
        country: Option<Country>,
        /// Only tariffs of a kind: flat, time-of-use, tiers, series, demand, net-metering, export or
        /// other
        #[arg(long, value_name = "KIND")]
        kind: Option<TemplateKind>,
    },
    /// Print the contract of a tariff as JSON: change its prices, and pass it to `set`
    Template {
        /// Its name in `templates`, such as be-capacity
        name: String,
    },
    /// Remove the contract that begins on a day
    Remove {
        /// Its first day
        date: String,
        #[command(flatten)]
        of: OwnerArgs,
    },
}

impl ContractCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let (of, text) = match self {
            Self::List { of } => {
                let rows = list(global, of)?;
                let hint = "There are no contracts: `wattkeeper contract flat` sets a simple one.";
                return global.print_list(&rows, hint);
            }
            Self::Show { of } => {
                let rows = list(global, of)?;
                let mut accounts = rows.iter().map(|row| &row.account);
                if let Some(first) = accounts.next()
                    && accounts.any(|other| other != first)
                {
                    bail!("account: there are several; name one with --account NAME");
                }
                let rows: Vec<Box<RawValue>> = rows.into_iter().map(|row| row.contract).collect();
                return global.print(&rows, &serde_json::to_string_pretty(&rows)?);
            }
            Self::Set { file, yes, of } => return set(global, of, read_text(&file, LONGEST)?, yes),
            Self::From(tariff) => return tariff.run(global),
            Self::Flat {
                price,
                feed_in,
                currency,
                from,
                name,
                continues,
                yes,
                of,
            } => {
                let flat = FlatContract::new(FlatTerms {
                    from: from.as_deref(),
                    name: name.as_deref(),
                    currency: &currency,
                    price: &price,
                    feed_in: feed_in.as_deref(),
                })?;
                return set_flat(global, of, &flat, (continues, yes));
            }
            Self::Templates { country, kind } => {
                let all = ContractTemplate::all().iter();
                let asked = all.filter(|one| {
                    country.is_none_or(|it| it == one.country())
                        && kind.is_none_or(|it| it == one.kind())
                });
                let rows: Vec<TariffAnswer> = asked.map(TariffAnswer::of).collect();
                return global.print_list(&rows, "There is no such tariff.");
            }
            Self::Template { name } => {
                let template = found(&name)?;
                let text = template.contract().to_pretty();
                return global.print(&RawValue::from_string(text.clone())?, &text);
            }
            Self::Remove { date, of } => (of, serde_json::json!({"remove": date}).to_string()),
        };
        let account = of.account;
        let request = ContractRequest::Change { account, text };
        let rows: Vec<String> = global.ask(Request::Contracts(request))?;
        global.print_list(
            &parsed::<ShownContract>(&rows)?,
            "The account has no contracts now.",
        )
    }
}

/// Adds the contract in a text, or replaces all by those in it.
fn set(global: &Global, of: OwnerArgs, text: String, is_sure: bool) -> Result<()> {
    let terms = NewTerms {
        account: of.account,
        text,
        filled: Vec::new(),
        unusual: Vec::new(),
        is_sure,
        is_offer: false,
    };
    let rows = global.with_store(OpenMode::Existing, |store| terms.save(global, store))?;
    global.print_list(
        &parsed::<ShownContract>(&rows)?,
        "The account has no contracts now.",
    )
}

/// Sets a flat contract. Unless told, it continues the one before as the contract does that begins on
/// the same day now.
fn set_flat(
    global: &Global,
    of: OwnerArgs,
    flat: &FlatContract,
    (continues, is_sure): (Option<bool>, bool),
) -> Result<()> {
    let rows = global.with_store(OpenMode::Existing, |store| {
        let account = of.account.clone();
        let request = Request::Contracts(ContractRequest::List { account });
        let rows: Vec<String> = store.ask(request)?;
        let (from, rows) = (flat.from().to_string(), parsed::<ShownContract>(&rows)?);
        let old = rows.iter().find(|row| row.from == from);
        let old = old.and_then(|row| Contract::parse(row.contract.get()).ok());
        let kept = old.and_then(|old| old.stated_continues());
        let contract = flat.contract().stating_continues(continues.or(kept));
        let terms = NewTerms {
            account: of.account,
            text: contract.to_string(),
            filled: Vec::new(),
            unusual: Vec::new(),
            is_sure,
            is_offer: false,
        };
        terms.save(global, store)
    })?;
    global.print_list(
        &parsed::<ShownContract>(&rows)?,
        "The account has no contracts now.",
    )
}

fn list(global: &Global, of: OwnerArgs) -> Result<Vec<ShownContract>> {
    let account = of.account;
    let rows: Vec<String> = global.ask(Request::Contracts(ContractRequest::List { account }))?;
    parsed(&rows)
}

impl TableRow for TariffAnswer {
    const HEADER: &[&str] = &["template", "country", "kind", "name"];

    fn cells(&self) -> Vec<String> {
        self.title().map(str::to_owned).to_vec()
    }
}
