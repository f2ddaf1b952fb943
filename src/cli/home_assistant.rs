//! `wattkeeper ha`: the Home Assistant of an account.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use super::args::Global;
use super::connection::StoreConnection;
use super::contract::OwnerArgs;
use super::output::TableRow;
use crate::admin::{
    HomeAssistantRequest, HomeAssistantRow, HomeAssistantTrial, Request, Response, TokenPlace,
    UnexpectedResponse,
};
use crate::config::LiveSettings;
use crate::http::operate::home_assistant::{self, HomeAssistantsOf};
use crate::store::OpenMode;

/// The Home Assistant of an account, which the service reads
///
/// docs/HOME-ASSISTANT.md describes it. An account has one at most.
#[derive(Subcommand)]
pub(super) enum HomeAssistantCommand {
    /// Show the Home Assistant of an account, or without one those of all accounts
    Show {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Ask it who it is, and what its token may do; nothing is stored
    Test {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Add a Home Assistant that answers, or change the one of the account
    Add {
        /// Its address, as in a browser
        address: String,
        /// A file that the service can read, whose first line is a long-lived token [default: the
        /// token that was entered for this address on the page]
        #[arg(long, value_name = "FILE")]
        token_file: Option<PathBuf>,
        /// Add it without asking it first
        #[arg(long)]
        unasked: bool,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Stop reading it, and forget its token; sensors and readings stay
    Remove {
        #[command(flatten)]
        of: OwnerArgs,
    },
}

impl HomeAssistantCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::Show { of } => {
                let account = of.account;
                let request = HomeAssistantRequest::Show { account };
                let rows: Vec<HomeAssistantRow> = ask(global, request)?;
                let hint = "There is no Home Assistant: `wattkeeper ha add` adds one.";
                global.print_list(&rows, hint)
            }
            Self::Test { of } => {
                let account = of.account;
                let trial: HomeAssistantTrial =
                    ask(global, HomeAssistantRequest::Test { account })?;
                global.print(&trial, &trial_text(&trial))
            }
            Self::Add {
                address,
                token_file,
                unasked,
                of,
            } => {
                // The service has another working directory.
                let token_file = token_file.map(std::path::absolute).transpose()?;
                let request = HomeAssistantRequest::Add {
                    account: of.account,
                    address,
                    token_file: token_file.map(|path| path.display().to_string()),
                    unasked,
                };
                global.print_changed(&ask::<Vec<HomeAssistantRow>>(global, request)?)
            }
            Self::Remove { of } => {
                let account = of.account;
                ask::<()>(global, HomeAssistantRequest::Remove { account })?;
                let removed = serde_json::json!({ "removed": true });
                global.print(&removed, "It is no longer read. Its token is forgotten.")
            }
        }
    }
}

/// Has the running service carry out a request, or this process if there is none.
fn ask<T>(global: &Global, request: HomeAssistantRequest) -> Result<T>
where
    T: TryFrom<Response, Error = UnexpectedResponse>,
{
    global.start_log();
    let config = global.load()?.config;
    let connection = StoreConnection::running_or_opened(&config, OpenMode::Existing)?;
    let answer = match &connection {
        StoreConnection::Server(_) => connection.ask(Request::HomeAssistant(request))?,
        StoreConnection::Direct(store) => {
            let of = HomeAssistantsOf {
                store,
                settings: &LiveSettings::new(&config, store),
            };
            home_assistant::run(&of, request)?.try_into()?
        }
    };
    connection.close()?;
    Ok(answer)
}

fn trial_text(trial: &HomeAssistantTrial) -> String {
    let identity = &trial.identity;
    let rights = if identity.is_administrator {
        "an administrator there: it may also send history"
    } else {
        "not an administrator there: it may read, and not send history"
    };
    format!(
        "{:?} answers, Home Assistant {}.\nThe token belongs to {:?}, who is {rights}.",
        identity.location, identity.version, identity.person
    )
}

impl TableRow for HomeAssistantRow {
    const HEADER: &[&str] = &["account", "address", "token"];

    fn cells(&self) -> Vec<String> {
        let home = &self.home_assistant;
        let token = match (&home.token_file, self.token) {
            (Some(path), _) => path.clone(),
            (None, TokenPlace::Missing) => "missing".to_owned(),
            (None, _) => "entered on the page".to_owned(),
        };
        vec![self.account.to_string(), home.address.text(), token]
    }
}
