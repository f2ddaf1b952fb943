//! `wattkeeper notices`: conditions that need attention.

use anyhow::Result;
use clap::{Args, Subcommand};

use super::args::Global;
use super::output::TableRow;
use crate::admin::{NoticeRow, NoticeSubjectRow, Request};

/// Notices: conditions that need attention, their start, and the remedy
///
/// A notice is opened by a condition, such as a sensor that stopped uploading, and ends with it. A
/// dismissed notice is hidden on pages, in metrics and messages until then.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Notices {
    #[command(subcommand)]
    command: Option<NoticesCommand>,
}

#[derive(Subcommand)]
enum NoticesCommand {
    /// List the open notices of all accounts and of the service, dismissed ones included
    List,
    /// Hide a notice until its condition ends
    Dismiss {
        /// Its id, as in the list
        id: String,
        /// Its account, if several have such a notice
        #[arg(long, value_name = "NAME")]
        account: Option<String>,
    },
}

impl Notices {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self.command.unwrap_or(NoticesCommand::List) {
            NoticesCommand::List => {
                global.list::<NoticeRow>(Request::ListNotices, "There are no notices.")
            }
            NoticesCommand::Dismiss { id, account } => {
                let request = Request::DismissNotice { account, id };
                global.print_changed(&global.ask::<Vec<NoticeRow>>(request)?)
            }
        }
    }
}

impl TableRow for NoticeRow {
    const HEADER: &[&str] = &[
        "id",
        "account",
        "about",
        "since",
        "what happened",
        "what to do",
        "dismissed",
    ];

    fn cells(&self) -> Vec<String> {
        let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
        vec![
            self.id.clone(),
            or_dash(&self.account),
            match &self.subject {
                NoticeSubjectRow::Sensor(id) | NoticeSubjectRow::Series(id) => id.clone(),
                NoticeSubjectRow::House => "house".into(),
                NoticeSubjectRow::Service => "service".into(),
            },
            self.since.clone(),
            self.happened.clone(),
            self.advice.clone(),
            or_dash(&self.dismissed),
        ]
    }
}
