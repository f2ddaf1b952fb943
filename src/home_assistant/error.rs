//! Why Home Assistant is not read, or has no history.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::domain::Timestamp;

/// Why Home Assistant was not read, or the history, or a part of it, was not sent. Contains no token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HomeAssistantError {
    /// Nothing listens there, or the connection ended, for this reason of the system.
    #[error("it cannot be reached: {0}; check its address, and whether it is running")]
    Unreachable(String),
    /// Its host has no address.
    #[error(
        "its host name is unknown; check it, or use the address of IP, such as http://192.168.1.20:8123"
    )]
    UnknownHost,
    /// Its certificate is not trusted, for this reason.
    #[error(
        "its certificate is not trusted: {0}; name a file with one that is in home_assistant.ca_file"
    )]
    Certificate(String),
    /// It does not speak TLS.
    #[error(
        "it does not speak TLS there; check whether its address begins with http:// or https://"
    )]
    NoTls,
    /// No answer within this time.
    #[error("it did not answer within {} s", .0.as_secs())]
    NoAnswer(Duration),
    /// It ended the connection.
    #[error("it ended the connection")]
    Closed,
    /// It answers the upgrade to a WebSocket with this status of HTTP.
    #[error(
        "it answered with status {0} instead of a WebSocket; check its address: it is that of the front page"
    )]
    NoWebSocket(u16),
    /// It speaks something else.
    #[error("it does not speak the WebSocket API of Home Assistant; check its address")]
    OtherProtocol,
    /// A message is longer than this, in bytes.
    #[error("it sent a message of more than {0} bytes")]
    TooLong(usize),
    /// It refuses the token.
    #[error(
        "it refuses the token; make a long-lived one there (Profile, Security), and enter it, or write it into its file"
    )]
    WrongToken,
    /// The token belongs to a person who is no administrator there.
    #[error(
        "the token belongs to somebody who is not an administrator there; make one as an administrator"
    )]
    NotAdministrator,
    /// The token cannot be read.
    #[error("cannot read the token in {}: {cause}; write it into the first line", .path.display())]
    TokenFile {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: String,
    },
    /// There is no token.
    #[error(
        "there is no token; make a long-lived one there (Profile, Security), and enter it, or name its file"
    )]
    NoToken,
    /// The trusted certificates cannot be used.
    #[error("home_assistant.ca_file: {0}")]
    Trust(String),
    /// It refuses a command, with this code.
    #[error("it refuses {command}, with the code {code:?}")]
    Refused {
        /// The command.
        command: &'static str,
        /// Its code.
        code: String,
    },
    /// It accepts hours, and does not have them later.
    #[error("it accepted hours, and did not show them within {} s; its recorder may be busy, or off", .0.as_secs())]
    NotTaken(Duration),
    /// It has hours that the ledger does not know, and that were not sent since the start. They may be
    /// all that is left of readings, as after an older backup was restored.
    #[error(
        "it has hours of {id} that the ledger does not know, from {from} on; they may be a last copy, so they stay. If the ledger is right, delete that statistic there: it is sent again"
    )]
    UnknownHours {
        /// The statistic.
        id: String,
        /// The first of the hours, or the beginning of its month.
        from: Timestamp,
    },
    /// Hours come back again and again.
    #[error(
        "another program changes the statistics of wattkeeper there; let one service alone send to it"
    )]
    Disputed,
    /// The account is unknown.
    #[error("there is no account {0:?}; set home_assistant.account to one that exists")]
    NoAccount(String),
    /// No account is named, and there is not exactly one.
    #[error("there is more than one account, or none; set home_assistant.account")]
    WhichAccount,
    /// Another comparison is under way.
    #[error("another comparison with a Home Assistant is under way; try again in a minute")]
    Busy,
    /// The store cannot be read, for this reason.
    #[error("the history cannot be read: {0}")]
    Store(String),
    /// A fault of wattkeeper.
    #[error("sending failed; the log has the reason")]
    Panic,
}

impl HomeAssistantError {
    /// Whether only a person can end it: by another token.
    pub(super) const fn is_refusal(&self) -> bool {
        matches!(self, Self::WrongToken | Self::NotAdministrator)
    }

    /// Whether all else was compared, so that only the part that failed is tried again.
    pub(super) const fn is_partial(&self) -> bool {
        matches!(self, Self::UnknownHours { .. })
    }
}
