//! Why a source has no prices.

use std::time::Duration;

use thiserror::Error;

use crate::domain::Timestamp;

/// Why a request brought no prices. Contains no text of the source, and no key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SourceError {
    /// Nothing listens there, for this reason of the system.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// Its name leads to a private network.
    #[error(
        "its address is in a private network, which no source on the Internet is; set allow_private = true if it is your own"
    )]
    Private,
    /// No whole answer within this time.
    #[error("it did not answer within {} s", .0.as_secs())]
    NoAnswer(Duration),
    /// It leads to another server.
    #[error("it redirects to another server, which is not followed; check url")]
    Redirect,
    /// Another status of HTTP than 200.
    #[error("it answered with status {0}; check zone and url")]
    Status(u16),
    /// It is asked too often, or busy, and says how long to wait.
    #[error("it answered with status {0}: it is busy, or asked too often")]
    Busy(u16, Option<Duration>),
    /// It refuses the key, or wants one.
    #[error("it refuses the key, or wants one; check key_file")]
    WrongKey,
    /// The key cannot be read.
    #[error("its key: {0}")]
    KeyPlace(String),
    /// There is no token for the key.
    #[error("the answer of token_url has no access_token; check token_url and the key")]
    NoToken,
    /// The answer is not HTTP.
    #[error("its answer is not valid HTTP; check url")]
    NotHttp,
    /// The answer is longer than this, in bytes.
    #[error("its answer is longer than {0} bytes; set a smaller most_days")]
    TooLong(u64),
    /// The answer has more prices than this.
    #[error("its answer has more than {0} prices; set a smaller most_days")]
    TooMany(usize),
    /// The answer is a web page.
    #[error("its answer is a web page, not {0}; check url")]
    Html(&'static str),
    /// The answer has another format.
    #[error("its answer is not {0}; check url and format")]
    Format(&'static str),
    /// A place or a column is not in the answer.
    #[error("its answer has no {0:?}; check items, time, end and price")]
    Missing(String),
    /// An entry cannot be read.
    #[error("entry {0} of its answer has no usable {1}")]
    Entry(usize, &'static str),
    /// The answer has two prices for one time.
    #[error(
        "its answer has two prices for {0}; if it has several rates, choose one with where, such as where = {{ \"/payment_method\" = \"DIRECT_DEBIT\" }}"
    )]
    Twice(Timestamp),
    /// ENTSO-E's reason for refusing a request.
    #[error("it refuses the request, with the reason {0}; check zone")]
    Refused(u16),
    /// Its prices have another currency than the contracts of the account.
    #[error(
        "its prices are in {found}, and the contracts in {expected}; choose a source in {expected}, because none are converted"
    )]
    Currency {
        /// That of the prices.
        found: String,
        /// That of the contracts.
        expected: String,
    },
    /// The account is unknown.
    #[error("there is no account {0:?}; set account to one that exists")]
    NoAccount(String),
    /// No account is named, and there is not exactly one.
    #[error("there is more than one account, or none; set account")]
    WhichAccount,
    /// The store refuses the prices, for this reason.
    #[error("its prices cannot be stored: {0}")]
    Store(String),
    /// A fault of wattkeeper.
    #[error("asking it failed; the log has the reason")]
    Panic,
}
