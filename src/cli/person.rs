//! `wattkeeper person`: people besides the administrator.

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use serde_json::json;

use super::args::Global;
use super::output::TableRow;
use super::password::{hashed, typed};
use crate::admin::{ADMINISTRATOR, LinkedUserRow, Memberships, PeopleRequest, PersonRow, Request};
use crate::domain::Membership;

/// People who sign in to the pages by name, and see some accounts
#[derive(Subcommand)]
pub(super) enum PersonCommand {
    /// Add a person
    ///
    /// Asks for their password twice on a terminal; otherwise reads it from the first line of
    /// standard input: `wattkeeper person add Anna --member home < file-with-the-password`. They
    /// can
    /// change it on the page "Me".
    #[command(verbatim_doc_comment)]
    Add {
        /// Their name, with which they sign in
        name: String,
        #[command(flatten)]
        accounts: AccountArgs,
    },
    /// List the people and their rights
    List,
    /// Replace the accounts of a person; without flags, remove all
    Set {
        /// Their name
        name: String,
        #[command(flatten)]
        accounts: AccountArgs,
    },
    /// Set the password of a person who forgot it; all of their browsers are signed out
    Password {
        /// Their name
        name: String,
    },
    /// Remove a person, and sign out all of their browsers
    Remove {
        /// Their name
        name: String,
    },
    /// List the users of Home Assistant who open the pages without a password
    Linked,
    /// Let a user of Home Assistant open the pages by password alone, and sign out the browsers
    /// that they opened without one
    Unlink {
        /// The user's id, as `wattkeeper person linked` shows it
        user: String,
    },
}

/// The rights of a person.
#[derive(Args)]
pub(super) struct AccountArgs {
    /// An account that they see, whose readings they correct, and whose contracts and bills they
    /// change; can be repeated
    #[arg(long, value_name = "ACCOUNT")]
    member: Vec<String>,
    /// An account that they see; can be repeated
    #[arg(long, value_name = "ACCOUNT")]
    viewer: Vec<String>,
    /// An account whose tenancies name them: they see these sub-meters, and nothing else of it; can
    /// be repeated
    #[arg(long, value_name = "ACCOUNT")]
    tenant: Vec<String>,
}

impl AccountArgs {
    fn memberships(self) -> Memberships {
        let members = self.member.into_iter().map(|it| (it, Membership::Member));
        let viewers = self.viewer.into_iter().map(|it| (it, Membership::Viewer));
        let tenants = self.tenant.into_iter().map(|it| (it, Membership::Tenant));
        members.chain(viewers).chain(tenants).collect()
    }
}

impl PersonCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::Add { name, accounts } => {
                let hash = hashed(&typed(&format!("New password of {name}: "))?)?;
                let accounts = accounts.memberships();
                let add = PeopleRequest::Add {
                    name,
                    hash,
                    accounts,
                };
                show(global, add, "added")
            }
            Self::List => {
                let hint = "There are no people but the administrator: `wattkeeper person add NAME` adds one.";
                global.list::<PersonRow>(Request::People(PeopleRequest::List), hint)
            }
            Self::Set { name, accounts } => {
                let accounts = accounts.memberships();
                show(global, PeopleRequest::SetAccounts { name, accounts }, "set")
            }
            Self::Password { name } => {
                let hash = hashed(&typed(&format!("New password of {name}: "))?)?;
                let text = format!("set the password of {name}; their browsers are signed out");
                let json = json!({"name": name, "password_set": true});
                let set = PeopleRequest::SetPassword { name, hash };
                let () = global.ask(Request::People(set))?;
                global.print(&json, &text)
            }
            Self::Remove { name } => {
                let text = format!("removed {name}; their browsers are signed out");
                let json = json!({"name": name, "removed": true});
                let () = global.ask(Request::People(PeopleRequest::Remove { name }))?;
                global.print(&json, &text)
            }
            Self::Linked => {
                let hint = "No user of Home Assistant is linked: people check a box when they sign in through its ingress.";
                let list = Request::People(PeopleRequest::ListLinked);
                global.list::<LinkedUserRow>(list, hint)
            }
            Self::Unlink { user } => {
                let text = format!("unlinked {user}; they sign in by password from now on");
                let json = json!({"user": user, "unlinked": true});
                let unlink = PeopleRequest::Unlink { user, name: None };
                let () = global.ask(Request::People(unlink))?;
                global.print(&json, &text)
            }
        }
    }
}

fn show(global: &Global, request: PeopleRequest, done: &str) -> Result<()> {
    let rows: Vec<PersonRow> = global.ask(Request::People(request))?;
    let row = rows.first().context("the answer is empty")?;
    let accounts = match accounts_text(row) {
        none if none.is_empty() => "sees no account".to_owned(),
        some => some,
    };
    global.print(row, &format!("{done} {}: {accounts}", row.name))
}

/// Accounts with the person's rights, as in `home (member), shop (viewer)`.
fn accounts_text(row: &PersonRow) -> String {
    let each = row.accounts.iter();
    let each = each.map(|(name, it)| format!("{name} ({})", it.as_str()));
    each.collect::<Vec<_>>().join(", ")
}

impl TableRow for PersonRow {
    const HEADER: &[&str] = &["name", "accounts", "added"];

    fn cells(&self) -> Vec<String> {
        vec![self.name.clone(), accounts_text(self), self.created.clone()]
    }
}

impl TableRow for LinkedUserRow {
    const HEADER: &[&str] = &["user", "name there", "signed in as", "linked"];

    fn cells(&self) -> Vec<String> {
        let person = self.person.as_deref().unwrap_or(ADMINISTRATOR);
        let cells = [&self.user, &self.user_name, person, &self.linked];
        cells.map(str::to_owned).to_vec()
    }
}
