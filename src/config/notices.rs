//! The settings of messages about notices.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::values;
use crate::backups::BackupSettings;
use crate::domain::Secret;
use crate::notices::{
    MonthlyStatement, NoticeSettings, ReportChoices, WebhookAddress, WebhookFormat,
    WebhookSettings, WeeklyReport,
};

/// The settings of messages about notices.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct NoticesConfig {
    /// The address they are posted to.
    #[serde(deserialize_with = "values::webhook")]
    pub webhook: Option<WebhookAddress>,
    /// Their format.
    #[serde(deserialize_with = "values::webhook_format")]
    pub format: WebhookFormat,
    /// The tag of their language.
    #[serde(deserialize_with = "values::language")]
    pub language: String,
    /// The token for that address; empty for none.
    #[serde(deserialize_with = "values::webhook_token")]
    pub token: Secret,
    /// A file with the token; empty for none.
    pub token_file: PathBuf,
    /// The recipient of e-mail; empty for none.
    #[serde(deserialize_with = "values::mail_address")]
    pub mail_to: String,
    /// The sender of e-mail; the recipient if it is empty.
    #[serde(deserialize_with = "values::mail_address")]
    pub mail_from: String,
    /// When the weekly message goes out.
    #[serde(deserialize_with = "values::weekly_report")]
    pub weekly: WeeklyReport,
    /// The subject of the monthly statement.
    #[serde(deserialize_with = "values::statement_of")]
    pub statement: MonthlyStatement,
}

impl NoticesConfig {
    /// The settings in the form that the notices thread takes.
    #[must_use]
    pub fn settings(&self, backups: Option<BackupSettings>) -> NoticeSettings {
        NoticeSettings {
            backups,
            webhook: self.webhook_settings(),
            reports: ReportChoices {
                weekly: self.weekly,
                statement: self.statement.clone(),
            },
        }
    }

    /// The address and format of messages; `None` if there is no address.
    #[must_use]
    pub fn webhook_settings(&self) -> Option<WebhookSettings> {
        self.webhook.clone().map(|address| WebhookSettings {
            format: match self.format {
                _ if address.is_mail() => WebhookFormat::Email,
                WebhookFormat::Email => WebhookFormat::default(),
                format => format,
            },
            address,
            language: self.language.clone(),
            token: self.token.is_set().then(|| self.token.reveal().to_owned()),
            token_file: path(&self.token_file),
            mail_to: self.mail_to.clone(),
            mail_from: self.mail_from.clone(),
        })
    }
}

/// The path of a file; `None` if it is empty.
pub(super) fn path(path: &Path) -> Option<PathBuf> {
    (!path.as_os_str().is_empty()).then(|| path.to_owned())
}
