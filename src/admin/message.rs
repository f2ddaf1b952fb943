//! Requests and answers, as a command and a server of the same version exchange them.

use serde::{Deserialize, Serialize};

use super::bills::BillRequest;
use super::contracts::ContractRequest;
use super::corrections::CorrectionForm;
use super::events::{EventPage, EventsAsked};
use super::ledger::LedgerRequest;
use super::money_rows::{BillRow, ContractRow, PricePageRow, SeriesRow};
use super::people_rows::{PeopleRequest, PersonRow, WallRequest, WallRow};
use super::prices::PriceRequest;
use super::rows::{
    AccountRow, CorrectionRow, FindingsRow, KeyRow, NoticeRow, ReadingRow, SensorRow,
};
use super::terms::SensorTerms;
use crate::domain::{KeyHash, Plan, Scope};
use crate::house::{StatementAnswer, UtilityAnswer};
use crate::store::{BackupCursor, BackupPage};

// bincode numbers the variants in this order. The path of a request names the version, so both sides have the same.
/// What a command asks for. It never holds a secret: only the hash of an `api_key` leaves the
/// command that made or read it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// All accounts, by name. Answer: [`Response::Accounts`].
    ListAccounts,
    /// A new account. Answer: [`Response::Accounts`], just this one.
    AddAccount {
        /// Its name, not in use yet.
        name: String,
        /// Its plan.
        plan: Plan,
        /// The IANA name of its time zone.
        zone: String,
    },
    /// Another plan for an account. Answer: [`Response::Accounts`], just this one.
    SetPlan {
        /// The account.
        name: String,
        /// Its plan.
        plan: Plan,
    },
    /// Another zone for an account. Answer: [`Response::Accounts`], just this one.
    SetZone {
        /// The account.
        name: String,
        /// The IANA name of its time zone.
        zone: String,
    },
    /// Removes an account without sensors, with its keys. Answer: [`Response::Done`].
    RemoveAccount {
        /// The account.
        name: String,
    },
    /// All credentials, by id. Answer: [`Response::Keys`].
    ListKeys,
    /// A new credential. Answer: [`Response::Keys`], just this one.
    AddKey(NewKey),
    /// Another key for a credential. Answer: [`Response::Keys`], just this one.
    RotateKey {
        /// The credential.
        api_id: String,
        /// The hash of the new key.
        key_hash: KeyHash,
    },
    /// Removes a credential. Answer: [`Response::Done`].
    RevokeKey {
        /// The credential.
        api_id: String,
    },
    /// All sensors, by id. Answer: [`Response::Sensors`].
    ListSensors,
    /// One sensor. Answer: [`Response::Sensors`], just this one.
    FindSensor {
        /// The sensor.
        id: String,
    },
    /// A new sensor, authorized. If the account has it already, it is authorized again and changes as
    /// `terms` say. Answer: [`Response::Sensors`], just this one.
    AddSensor {
        /// Its id on the wire.
        id: String,
        /// The account that owns it.
        account: String,
        /// Its terms. By default its id is its name, and it is a sub-meter with a net register.
        terms: SensorTerms,
    },
    /// Other terms for a sensor. Answer: [`Response::Sensors`], just this one.
    SetSensor {
        /// The sensor.
        id: String,
        /// The terms that change.
        terms: SensorTerms,
    },
    /// Allows or forbids uploads and downloads. Answer: [`Response::Sensors`], just this one.
    AuthorizeSensor {
        /// The sensor.
        id: String,
        /// Whether uploads and downloads are allowed.
        authorized: bool,
    },
    /// Removes a sensor and its readings. Answer: [`Response::Done`].
    RemoveSensor {
        /// The sensor.
        id: String,
    },
    /// The open notices of all accounts and of the service. Answer: [`Response::Notices`].
    ListNotices,
    /// Dismisses a notice. Answer: [`Response::Notices`], just this one.
    DismissNotice {
        /// Its account, if several have such a notice.
        account: Option<String>,
        /// Its id.
        id: String,
    },
    /// All corrections, or those of a sensor. Answer: [`Response::Corrections`].
    ListCorrections {
        /// The sensor.
        sensor: Option<String>,
    },
    /// A new correction. Answer: [`Response::Corrections`], just this one.
    Correct(CorrectionForm),
    /// Revokes a correction. Answer: [`Response::Corrections`], just this one.
    RevokeCorrection {
        /// The account; `None` if there is only one.
        account: Option<String>,
        /// Its number.
        number: u32,
        /// Why, in people's words.
        note: String,
    },
    /// About energy and what it cost. Answer: as [`LedgerRequest`] says.
    Ledger(LedgerRequest),
    /// About contracts. Answer: [`Response::Contracts`].
    Contracts(ContractRequest),
    /// About price series. It says what the answer is.
    Prices(PriceRequest),
    /// About bills of the utility. Answer: [`Response::Bills`].
    Bills(BillRequest),
    /// The first events of a range, of all sensors or of one. Answer: [`Response::Events`].
    ListEvents(Option<String>, EventsAsked),
    /// Stores history. Answer: [`Response::Count`].
    Import {
        /// The sensor.
        sensor: String,
        /// At most [`crate::store::Store::IMPORT_CHUNK`] of them.
        readings: Vec<ReadingRow>,
    },
    /// The first readings in a range, ascending; fewer than `limit` only if there are no more. Answer:
    /// [`Response::Readings`].
    ReadPage {
        /// Where they are.
        range: ReadingRange,
        /// The most readings to answer.
        limit: u32,
    },
    /// The piece of a backup at the cursor: about half a megabyte. Answer: [`Response::BackupPage`].
    BackupPage(BackupCursor),
    /// How many readings there are in a range. Answer: [`Response::Count`].
    CountReadings(ReadingRange),
    /// Deletes the readings in a range. Answer: [`Response::Count`].
    DeleteReadings(ReadingRange),
    /// How many sensors have arrivals after this time. Answer: [`Response::Count`].
    CountArrivalsAfter {
        /// Milliseconds since 1970.
        time_ms: i64,
    },
    /// Forgets the arrivals after this time. Answer: [`Response::Count`], of how many sensors.
    ForgetArrivalsAfter {
        /// Milliseconds since 1970.
        time_ms: i64,
    },
    /// Whether the store takes changes. Answer: [`Response::Done`], or the error that it stopped with.
    Health,
    /// Reads and verifies everything. Answer: [`Response::Findings`].
    Check,
    /// Forgets what was lost by damage, and lets those in again who were refused because of it. Answer: [`Response::Count`], of the
    /// notes that there were.
    ConfirmDamage,
    /// About people. Answer: [`Response::People`], or [`Response::Done`].
    People(PeopleRequest),
    /// About wall tablets. Answer: [`Response::Walls`], or [`Response::Done`].
    Walls(WallRequest),
    /// Sets the administrator's password. All of their sessions end. Answer: [`Response::Done`].
    SetPassword {
        /// Its argon2id hash as a PHC string.
        hash: String,
    },
}

impl Request {
    /// Whether it holds a hash of a password or of a key, which lets its reader try out guesses.
    #[must_use]
    pub const fn holds_hash(&self) -> bool {
        matches!(
            self,
            Self::SetPassword { .. }
                | Self::AddKey(_)
                | Self::RotateKey { .. }
                | Self::People(PeopleRequest::Add { .. } | PeopleRequest::SetPassword { .. })
                | Self::Walls(WallRequest::Add { .. })
        )
    }
}

/// The readings of a sensor from one time to another, both included.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadingRange {
    /// The sensor.
    pub sensor: String,
    /// Milliseconds since 1970.
    pub start_ms: i64,
    /// Milliseconds since 1970.
    pub end_ms: i64,
}

/// A new credential.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewKey {
    /// Its account.
    pub account: String,
    /// Its id, not in use yet.
    pub api_id: String,
    /// The hash of its key.
    pub key_hash: KeyHash,
    /// What it allows.
    pub scope: Scope,
    /// Its label, for people; may be empty.
    pub label: String,
}

/// What a store answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// Accounts.
    Accounts(Vec<AccountRow>),
    /// Credentials.
    Keys(Vec<KeyRow>),
    /// Sensors.
    Sensors(Vec<SensorRow>),
    /// Corrections.
    Corrections(Vec<CorrectionRow>),
    /// Contracts.
    Contracts(Vec<ContractRow>),
    /// Price series.
    Series(Vec<SeriesRow>),
    /// Prices.
    Prices(PricePageRow),
    /// Bills.
    Bills(Vec<BillRow>),
    /// Events.
    Events(EventPage),
    /// Notices.
    Notices(Vec<NoticeRow>),
    /// People.
    People(Vec<PersonRow>),
    /// Wall tablets.
    Walls(Vec<WallRow>),
    /// Readings.
    Readings(Vec<ReadingRow>),
    /// A piece of a backup, and the cursor of the next.
    BackupPage(BackupPage),
    /// JSON.
    Text(String),
    /// What the utility says beside the ledger.
    Utility(UtilityAnswer),
    /// A statement.
    Statement(Box<StatementAnswer>),
    /// A number of readings or sensors.
    Count(u64),
    /// What a check found.
    Findings(FindingsRow),
    /// Done; there is nothing to show.
    Done,
}

/// An answer of another kind than the request asks for.
#[derive(Debug, thiserror::Error)]
#[error("the server's answer does not fit the request")]
pub struct UnexpectedResponse;

macro_rules! answers {
    ($($answer:ty: $pattern:pat => $value:expr;)*) => {$(
        impl TryFrom<Response> for $answer {
            type Error = UnexpectedResponse;

            fn try_from(response: Response) -> Result<Self, UnexpectedResponse> {
                match response {
                    $pattern => Ok($value),
                    _ => Err(UnexpectedResponse),
                }
            }
        }
    )*};
}

answers! {
    Vec<AccountRow>: Response::Accounts(rows) => rows;
    Vec<KeyRow>: Response::Keys(rows) => rows;
    Vec<SensorRow>: Response::Sensors(rows) => rows;
    Vec<CorrectionRow>: Response::Corrections(rows) => rows;
    Vec<ContractRow>: Response::Contracts(rows) => rows;
    Vec<SeriesRow>: Response::Series(rows) => rows;
    PricePageRow: Response::Prices(page) => page;
    Vec<BillRow>: Response::Bills(rows) => rows;
    EventPage: Response::Events(page) => page;
    Vec<NoticeRow>: Response::Notices(rows) => rows;
    Vec<PersonRow>: Response::People(rows) => rows;
    Vec<WallRow>: Response::Walls(rows) => rows;
    Vec<ReadingRow>: Response::Readings(rows) => rows;
    BackupPage: Response::BackupPage(page) => page;
    String: Response::Text(text) => text;
    UtilityAnswer: Response::Utility(answer) => answer;
    Box<StatementAnswer>: Response::Statement(statement) => statement;
    u64: Response::Count(count) => count;
    FindingsRow: Response::Findings(findings) => findings;
    (): Response::Done => ();
}
