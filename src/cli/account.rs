//! `wattkeeper account`: add, list, change, remove accounts.

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use super::args::Global;
use super::output::TableRow;
use crate::admin::{AccountRow, NewAccount, Request};
use crate::domain::{Phases, Plan};
use crate::store::OpenMode;

/// Accounts, which own sensors and keys
#[derive(Subcommand)]
pub(super) enum AccountCommand {
    /// Add an account; creates the store if there is none
    Add {
        /// Its name
        name: String,
        /// Its plan: net consumption is for paid accounts only
        #[arg(long, default_value = "paid", value_name = "free|paid")]
        plan: Plan,
        /// Its time zone, by IANA name
        #[arg(long, default_value = "UTC", value_name = "ZONE")]
        tz: String,
        /// How its `grid` sensors count: each by itself, or as the phases of one meter
        #[arg(long, default_value = "separate", value_name = "separate|balanced")]
        phases: Phases,
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
    /// Change an account's settings; for its tariffs, see `wattkeeper contract`
    Set {
        /// The account
        name: String,
        /// Its time zone, by IANA name: its days begin at midnight there
        #[arg(long, value_name = "ZONE", required_unless_present = "phases")]
        tz: Option<String>,
        /// How its `grid` sensors count: each by itself, or as the phases of one meter
        #[arg(long, value_name = "separate|balanced")]
        phases: Option<Phases>,
    },
    /// Remove an account without sensors, and its keys
    Remove {
        /// The account
        name: String,
    },
}

impl AccountCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let request = match self {
            Self::Add {
                name,
                plan,
                tz: zone,
                phases,
            } => {
                let request = Request::AddAccount(NewAccount {
                    name: name.clone(),
                    plan,
                    zone,
                    phases,
                });
                return add(global, &name, request);
            }
            Self::List => {
                let hint = "There are no accounts yet: `wattkeeper account add NAME` adds one.";
                return global.list::<AccountRow>(Request::ListAccounts, hint);
            }
            Self::Remove { name } => {
                let text = format!("removed account {name}");
                let json = json!({"account": name, "removed": true});
                let () = global.ask(Request::RemoveAccount { name })?;
                return global.print(&json, &text);
            }
            Self::Plan { name, plan } => Request::SetPlan { name, plan },
            Self::Set {
                name,
                tz: zone,
                phases,
            } => Request::SetAccount { name, zone, phases },
        };
        global.print_changed(&global.ask::<Vec<AccountRow>>(request)?)
    }
}

fn add(global: &Global, name: &str, request: Request) -> Result<()> {
    let next = format!(
        "Next: `wattkeeper key add {name}` and `wattkeeper sensor add SENSOR_ID --account {name} --role ROLE`."
    );
    let rows: Vec<AccountRow> =
        global.with_store(OpenMode::CreateIfMissing, |store| store.ask(request))?;
    global.print_changed(&rows)?;
    global.note(&next);
    Ok(())
}

impl TableRow for AccountRow {
    const HEADER: &[&str] = &["account", "plan", "time zone", "phases", "created"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.account.clone(),
            self.plan.as_str().to_owned(),
            self.tz.clone(),
            self.phases.as_str().to_owned(),
            self.created.clone(),
        ]
    }
}
