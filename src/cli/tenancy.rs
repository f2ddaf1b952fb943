//! `wattkeeper tenancy`: who pays for sub-meters, and their statements.

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use super::args::Global;
use super::energy::ReportRange;
use super::entries::EntryColumn;
use super::output::{aligned, print_json, print_line};
use super::owned::OwnerArgs;
use crate::admin::{EntryForm, LedgerRequest, Request};
use crate::domain::EntryKind;
use crate::house::{ShareAnswer, TenanciesAnswer};

/// Tenancies: agreements that somebody pays for a sub-meter
#[derive(Subcommand)]
pub(super) enum TenancyCommand {
    /// List the tenancies of an account
    List {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Add a tenancy; it replaces the one of the same name
    ///
    /// For a new price, end the tenancy and add one that follows it. Amounts are in the currency of
    /// the account's contracts.
    Set {
        /// Its name: that of the flat, or of the tenant
        name: String,
        /// The sub-meter
        #[arg(long, value_name = "ID")]
        sensor: String,
        /// Its first day, YYYY-MM-DD
        #[arg(long, value_name = "DATE")]
        from: String,
        /// Its last day, YYYY-MM-DD [default: it goes on]
        #[arg(long, value_name = "DATE")]
        until: Option<String>,
        /// The person who sees it; `wattkeeper person add --tenant` lets them
        #[arg(long, value_name = "NAME")]
        person: Option<String>,
        /// The agreed price of a kilowatt-hour [default: the real cost]
        #[arg(long, value_name = "DECIMAL", allow_negative_numbers = true)]
        price: Option<String>,
        /// The base fee of a month
        #[arg(
            long,
            value_name = "DECIMAL",
            default_value = "0",
            allow_negative_numbers = true
        )]
        base_fee: String,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Remove a tenancy
    Remove {
        /// The name of the tenancy
        name: String,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Show the payments of all tenants for a range, and the rest of the house
    ///
    /// Without --from, from the beginning of this month. Times are as in `wattkeeper energy`.
    Statements {
        #[command(flatten)]
        range: ReportRange,
    },
}

/// The columns of tenancies, each with its member.
const COLUMNS: &[EntryColumn] = &[
    ("account", "account"),
    ("name", "name"),
    ("sub-meter", "sensor"),
    ("from", "from"),
    ("until", "until"),
    ("person", "person"),
    ("price", "price"),
    ("base fee", "base_fee"),
];

impl TenancyCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let entries = global.entries(EntryKind::Tenancy);
        let rows = match self {
            Self::List { of } => {
                let hint = "There are no tenancies: `wattkeeper tenancy set` adds one.";
                return entries.print(&entries.list(of)?, COLUMNS, hint);
            }
            Self::Set {
                name,
                sensor,
                from,
                until,
                person,
                price,
                base_fee,
                of,
            } => {
                let text = json!({
                    "name": name, "sensor": sensor, "from": from, "until": until,
                    "person": person, "price": price, "base_fee": base_fee,
                });
                entries.put(of, EntryForm::Tenancy(text.to_string()))?.1
            }
            Self::Remove { name, of } => entries.remove(of, name)?.1,
            Self::Statements { range } => return statements(global, range),
        };
        entries.print(&rows, COLUMNS, "The account has no tenancies now.")
    }
}

fn statements(global: &Global, range: ReportRange) -> Result<()> {
    let request = Request::Ledger(LedgerRequest::Tenancies(range.into()));
    let found: Box<TenanciesAnswer> = global.ask(request)?;
    if global.json {
        return print_json(&found);
    }
    let head = ["tenancy", "energy", "real cost", "to pay", "complete"].map(str::to_owned);
    let unknown = || "-".to_owned();
    let energy = |energy: Option<f64>| {
        energy.map_or_else(unknown, |energy| format!("{:.3}", energy / 1_000.0))
    };
    let amount = |amount: &Option<String>| amount.clone().unwrap_or_else(unknown);
    let each = found.statements.iter().map(|one| {
        vec![
            one.tenancy.clone().unwrap_or_default(),
            energy(one.energy),
            amount(&one.real_cost),
            amount(&one.total),
            if one.complete { "yes" } else { "no" }.to_owned(),
        ]
    });
    let share = |(name, share): (&str, &ShareAnswer)| {
        vec![
            name.to_owned(),
            energy(share.energy),
            amount(&share.real_cost),
            amount(&share.charged),
            String::new(),
        ]
    };
    let of_house = [
        ("left to the house", &found.rest),
        ("the house", &found.house),
    ];
    let currency = found.currency.as_deref().unwrap_or("no currency");
    print_line(&format!(
        "{} to {}, in kWh and {currency}",
        found.from, found.to
    ))?;
    print_line(&aligned(&head, each.chain(of_house.map(share)).collect()))?;
    if !found.complete {
        print_line(
            "Some energy of the house or of a tenant is unknown or has no price; the amounts leave it out.",
        )?;
    }
    for one in &found.refused {
        print_line(&format!("{}: {}", one.tenancy, one.reason))?;
    }
    Ok(())
}
