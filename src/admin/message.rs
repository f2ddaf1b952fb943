//! The requests and answers as they travel between a command and a server of the same version.

use serde::{Deserialize, Serialize};

use crate::domain::account::{Account, Credential, KeyHash, Plan, Scope};
use crate::domain::price::Price;
use crate::domain::reading::{Measures, Reading};
use crate::domain::role::{RegisterKind, Role};
use crate::domain::time::Timestamp;
use crate::store::{BackupCursor, BackupPage, Findings, Problem};

/// What a command asks for. A secret is never part of it: of an `api_key` only the hash leaves the
/// command that made or read it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// All accounts, by name. Answer: [`Response::Accounts`].
    ListAccounts,
    /// A new account. Answer: [`Response::Accounts`], just this one.
    AddAccount {
        /// Its name, not taken yet.
        name: String,
        /// What it has paid for.
        plan: Plan,
        /// The IANA name of its time zone.
        zone: String,
    },
    /// Another plan for an account. Answer: [`Response::Accounts`], just this one.
    SetPlan {
        /// The account.
        name: String,
        /// What it has paid for.
        plan: Plan,
    },
    /// Another zone or price for an account. Answer: [`Response::Accounts`], just this one.
    SetAccount {
        /// The account.
        name: String,
        /// The IANA name of its time zone, where it changes.
        zone: Option<String>,
        /// Its price, where it changes.
        price: Option<PriceRow>,
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
    /// A new sensor, authorized. One that its account has already is authorized again and keeps its
    /// name unless there is another. Answer: [`Response::Sensors`], just this one.
    AddSensor {
        /// Its id on the wire.
        id: String,
        /// The account it is to belong to.
        account: String,
        /// Its terms; where they are not given its id is its name, and it measures net at the grid.
        terms: SensorTerms,
    },
    /// What is known of a sensor, as far as it is given. Answer: [`Response::Sensors`], just this one.
    SetSensor {
        /// The sensor.
        id: String,
        /// Those that change.
        terms: SensorTerms,
    },
    /// Allows or forbids uploads and downloads. Answer: [`Response::Sensors`], just this one.
    AuthorizeSensor {
        /// The sensor.
        id: String,
        /// Whether they are allowed.
        authorized: bool,
    },
    /// Removes a sensor and its readings. Answer: [`Response::Done`].
    RemoveSensor {
        /// The sensor.
        id: String,
    },
    /// Stores history. Answer: [`Response::Count`].
    Import {
        /// The sensor.
        sensor: String,
        /// At most [`crate::store::Store::IMPORT_CHUNK`] of them.
        readings: Vec<ReadingRow>,
    },
    /// The first readings from `start_ms` to `end_ms`, both included, ascending; fewer than `limit`
    /// only where there are no more. Answer: [`Response::Readings`].
    ReadPage {
        /// The sensor.
        sensor: String,
        /// Milliseconds since 1970.
        start_ms: i64,
        /// Milliseconds since 1970.
        end_ms: i64,
        /// The most readings to answer.
        limit: u32,
    },
    /// The piece of a backup that begins there: about half a megabyte. Answer: [`Response::BackupPage`].
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
    /// Reads everything, to prove it. Answer: [`Response::Findings`].
    Check,
    /// Another password for the administrator, or its first. All sessions end. Answer: [`Response::Done`].
    SetPassword {
        /// Its argon2id hash as a PHC string.
        hash: String,
    },
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

/// What is said of a sensor, as far as it is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensorTerms {
    /// What people call it.
    pub name: Option<String>,
    /// Which part of the house it measures.
    pub role: Option<Role>,
    /// What it means when its register falls.
    pub register: Option<RegisterKind>,
}

/// What a kilowatt-hour is to cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PriceRow {
    /// That is not known.
    None,
    /// So much.
    Per {
        /// A decimal such as `0.3215`.
        kwh: String,
        /// The currency, such as `EUR`.
        currency: String,
    },
}

/// A credential to be added.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewKey {
    /// The account it is to speak for.
    pub account: String,
    /// Its id, not taken yet.
    pub api_id: String,
    /// The hash of its key.
    pub key_hash: KeyHash,
    /// What it allows.
    pub scope: Scope,
    /// What people call it; may be empty.
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
    /// Readings.
    Readings(Vec<ReadingRow>),
    /// A piece of a backup, and where it goes on.
    BackupPage(BackupPage),
    /// How many readings are or were concerned.
    Count(u64),
    /// What a check found.
    Findings(FindingsRow),
    /// It was done.
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
    Vec<ReadingRow>: Response::Readings(rows) => rows;
    BackupPage: Response::BackupPage(page) => page;
    u64: Response::Count(count) => count;
    FindingsRow: Response::Findings(findings) => findings;
    (): Response::Done => ();
}

/// What is told of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountRow {
    /// Its name.
    pub account: String,
    /// What it has paid for.
    pub plan: Plan,
    /// The IANA name of its time zone.
    pub tz: String,
    /// What a kilowatt-hour costs, as a decimal.
    pub price: Option<String>,
    /// The price's currency.
    pub currency: Option<String>,
    /// When it was made, as the wire prints times.
    pub created: String,
}

impl From<&Account> for AccountRow {
    fn from(account: &Account) -> Self {
        Self {
            account: account.name.to_string(),
            plan: account.plan,
            tz: account.zone.name().to_owned(),
            price: account.price.as_ref().map(Price::amount),
            currency: account
                .price
                .as_ref()
                .map(|price| price.currency().to_owned()),
            created: account.created.to_string(),
        }
    }
}

/// What is told of a credential; its key is not kept, so it cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    /// The account it speaks for.
    pub account: String,
    /// Its id.
    pub api_id: String,
    /// What it allows.
    pub scope: Scope,
    /// What people call it; may be empty.
    pub label: String,
    /// When it was made, as the wire prints times.
    pub created: String,
    /// When it was used last, as the wire prints times; none where it never was.
    pub last_used: Option<String>,
}

impl KeyRow {
    pub(super) fn new(credential: &Credential, last_used: Option<Timestamp>) -> Self {
        Self {
            account: credential.account.to_string(),
            api_id: credential.api_id.to_string(),
            scope: credential.scope,
            label: credential.label.clone(),
            created: credential.created.to_string(),
            last_used: last_used.map(|time| time.to_string()),
        }
    }
}

/// What is told of a sensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensorRow {
    /// Its id on the wire.
    pub sensor_id: String,
    /// The account it belongs to.
    pub account: String,
    /// What people call it.
    pub name: String,
    /// Whether uploads and downloads are allowed.
    pub authorized: bool,
    /// Which part of the house it measures.
    pub role: Role,
    /// What it means when its register falls.
    pub register: RegisterKind,
    /// Whether its uploads keep arriving.
    pub active: bool,
    /// When the last one came, as the wire prints times.
    pub last_upload: Option<String>,
    /// How many readings it has.
    pub readings: u64,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingsRow {
    /// Readings that could be read.
    pub readings: u64,
    /// Blocks that are whole.
    pub blocks: u64,
    /// What is wrong, the first thousand of it.
    pub problems: Vec<ProblemRow>,
    /// How many more problems there are.
    pub not_listed: u64,
}

/// Something that is wrong in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemRow {
    /// What, in a sentence.
    pub what: String,
    /// The sensor it concerns, where it is known.
    pub sensor_id: Option<String>,
    /// From when on, as the wire prints times, where it is known.
    pub start: Option<String>,
    /// Until when.
    pub end: Option<String>,
}

impl From<Findings> for FindingsRow {
    fn from(findings: Findings) -> Self {
        let row = |problem: Problem| ProblemRow {
            what: problem.what,
            sensor_id: problem.sensor.map(|sensor| sensor.to_string()),
            start: problem.range.map(|range| range.start().to_string()),
            end: problem.range.map(|range| range.end().to_string()),
        };
        Self {
            readings: findings.readings,
            blocks: findings.blocks,
            problems: findings.problems.into_iter().map(row).collect(),
            not_listed: findings.not_listed,
        }
    }
}

/// A reading as plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadingRow {
    /// Milliseconds since 1970.
    pub time_ms: i64,
    /// Power in watts.
    pub watts: Option<f64>,
    /// The meter's register in watt-hours.
    pub watthours: Option<f64>,
}

impl From<Reading> for ReadingRow {
    fn from(reading: Reading) -> Self {
        Self {
            time_ms: reading.time.millis(),
            watts: reading.measures.watts(),
            watthours: reading.measures.watthours(),
        }
    }
}

impl ReadingRow {
    /// The reading that the numbers stand for.
    ///
    /// # Errors
    /// What is wrong with them: a time outside the supported years, no measure, one not finite.
    pub fn reading(self) -> Result<Reading, String> {
        let time = Timestamp::from_millis(self.time_ms)
            .ok_or_else(|| format!("time: {} ms is out of range", self.time_ms))?;
        let measures =
            Measures::new(self.watts, self.watthours).map_err(|error| error.to_string())?;
        Ok(Reading { time, measures })
    }
}
