//! `wattkeeper account`: add, list, change, remove accounts.

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use super::Global;
use super::output::{print_json, print_line, print_table};
use crate::admin::{AccountRow, PriceRow, Request};
use crate::domain::account::Plan;
use crate::store::OpenMode;

/// Accounts: they own sensors and keys
#[derive(Subcommand)]
pub(super) enum AccountCommand {
    /// Add an account; creates the store where there is none
    Add {
        /// Its name
        name: String,
        /// What it may ask for: net consumption is for paid accounts only
        #[arg(long, default_value = "paid", value_name = "free|paid")]
        plan: Plan,
        /// Its time zone, by IANA name
        #[arg(long, default_value = "UTC", value_name = "ZONE")]
        tz: String,
    },
    /// List the accounts
    List,
    /// Change an account's plan
    Plan {
        /// The account
        name: String,
        /// The new plan
        #[arg(value_name = "free|paid")]
        plan: Plan,
    },
    /// Change an account's time zone, or what it pays for a kilowatt-hour
    Set {
        /// The account
        name: String,
        /// The time zone whose days it lives by, by IANA name
        #[arg(long, value_name = "ZONE", required_unless_present_any = ["price", "no_price"])]
        tz: Option<String>,
        /// What a kilowatt-hour costs, such as 0.3215
        #[arg(long, value_name = "DECIMAL", requires = "currency")]
        price: Option<String>,
        /// The currency of the price, such as EUR or €
        #[arg(long, value_name = "TEXT", requires = "price")]
        currency: Option<String>,
        /// Forget the price
        #[arg(long, conflicts_with = "price")]
        no_price: bool,
    },
    /// Remove an account that has no sensors any more, with its keys
    Remove {
        /// The account
        name: String,
    },
}

impl AccountCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::Add { name, plan, tz } => {
                let request = Request::AddAccount {
                    name: name.clone(),
                    plan,
                    zone: tz,
                };
                let rows = global
                    .with_store(OpenMode::CreateIfMissing, |store| store.accounts(request))?;
                show_one(global, &rows)?;
                global.note(&format!(
                    "Next: `wattkeeper key add {name}` and `wattkeeper sensor add SENSOR_ID --account {name}`."
                ));
                Ok(())
            }
            Self::List => {
                let rows = global.with_store(OpenMode::Existing, |store| {
                    store.accounts(Request::ListAccounts)
                })?;
                if rows.is_empty() {
                    global
                        .note("There are no accounts yet: `wattkeeper account add NAME` adds one.");
                }
                show(global, &rows)
            }
            Self::Plan { name, plan } => {
                let request = Request::SetPlan { name, plan };
                let rows =
                    global.with_store(OpenMode::Existing, |store| store.accounts(request))?;
                show_one(global, &rows)
            }
            Self::Set {
                name,
                tz: zone,
                price,
                currency,
                no_price,
            } => {
                let price = price
                    .zip(currency)
                    .map(|(kwh, currency)| PriceRow::Per { kwh, currency })
                    .or(no_price.then_some(PriceRow::None));
                let request = Request::SetAccount { name, zone, price };
                let rows =
                    global.with_store(OpenMode::Existing, |store| store.accounts(request))?;
                show_one(global, &rows)
            }
            Self::Remove { name } => {
                let request = Request::RemoveAccount { name: name.clone() };
                global.with_store(OpenMode::Existing, |store| store.ask(request))?;
                if global.json {
                    print_json(&json!({"account": name, "removed": true}))
                } else {
                    print_line(&format!("removed account {name}"))
                }
            }
        }
    }
}

fn show_one(global: &Global, rows: &[AccountRow]) -> Result<()> {
    if global.json {
        rows.iter().try_for_each(print_json)
    } else {
        show(global, rows)
    }
}

fn show(global: &Global, rows: &[AccountRow]) -> Result<()> {
    if global.json {
        return print_json(&rows);
    }
    let lines: Vec<_> = rows
        .iter()
        .map(|row| {
            [
                row.account.clone(),
                row.plan.as_str().to_owned(),
                row.tz.clone(),
                price(row),
                row.created.clone(),
            ]
        })
        .collect();
    print_table(
        ["account", "plan", "time zone", "price per kWh", "created"],
        &lines,
    )
}

fn price(row: &AccountRow) -> String {
    let price = row.price.as_ref().zip(row.currency.as_ref());
    price.map_or_else(
        || "none".to_owned(),
        |(price, currency)| format!("{price} {currency}"),
    )
}
