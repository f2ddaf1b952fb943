//! Requests, as a command sends them to a server of the same version.

use serde::{Deserialize, Serialize};

use super::contracts::ContractRequest;
use super::corrections::CorrectionForm;
use super::days::DayRequest;
use super::entries::EntryRequest;
use super::events::EventsAsked;
use super::home_assistant::HomeAssistantRequest;
use super::ledger::LedgerRequest;
use super::people_rows::{PeopleRequest, WallRequest};
use super::price_sources::PriceSourceRequest;
use super::prices::PriceRequest;
use super::rows::ReadingRow;
use super::terms::SensorTerms;
use crate::domain::{KeyHash, Phases, Plan, Scope};
use crate::store::BackupCursor;

// bincode numbers the variants in this order. The path of a request contains the version, so both
// sides agree.
/// A request of a command. It never contains a secret: only the hash of an `api_key` leaves the
/// command that made or read it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// All accounts, by name. Answer: [`super::Response::Accounts`].
    ListAccounts,
    /// A new account. Answer: [`super::Response::Accounts`], just this one.
    AddAccount(NewAccount),
    /// Changes the plan of an account. Answer: [`super::Response::Accounts`], just this one.
    SetPlan {
        /// The account.
        name: String,
        /// Its plan.
        plan: Plan,
    },
    /// Changes the given settings of an account. Answer: [`super::Response::Accounts`], with this
    /// account alone.
    SetAccount {
        /// The account.
        name: String,
        /// The IANA name of its time zone.
        zone: Option<String>,
        /// How its sensors at the grid count together.
        phases: Option<Phases>,
    },
    /// Removes an account without sensors, with its keys. Answer: [`super::Response::Done`].
    RemoveAccount {
        /// The account.
        name: String,
    },
    /// All credentials, by id. Answer: [`super::Response::Keys`].
    ListKeys,
    /// A new credential. Answer: [`super::Response::Keys`], just this one.
    AddKey(NewKey),
    /// Replaces the key of a credential. Answer: [`super::Response::Keys`], just this one.
    RotateKey {
        /// The credential.
        api_id: String,
        /// The hash of the new key.
        key_hash: KeyHash,
    },
    /// Removes a credential. Answer: [`super::Response::Done`].
    RevokeKey {
        /// The credential.
        api_id: String,
    },
    /// All sensors, by id. Answer: [`super::Response::Sensors`].
    ListSensors,
    /// One sensor. Answer: [`super::Response::Sensors`], just this one.
    FindSensor {
        /// The sensor.
        id: String,
    },
    /// Adds a sensor, authorized. If the account already has it, it is authorized again and changed
    /// by `terms`. Answer: [`super::Response::Sensors`], just this one.
    AddSensor {
        /// Its id on the wire.
        id: String,
        /// The account that owns it.
        account: String,
        /// Its terms. By default its id is its name, and it is a sub-meter with a net register.
        terms: SensorTerms,
    },
    /// Changes the terms of a sensor. Answer: [`super::Response::Sensors`], just this one.
    SetSensor {
        /// The sensor.
        id: String,
        /// The terms that change.
        terms: SensorTerms,
    },
    /// Allows or forbids uploads and downloads. Answer: [`super::Response::Sensors`], just this
    /// one.
    AuthorizeSensor {
        /// The sensor.
        id: String,
        /// Whether uploads and downloads are allowed.
        authorized: bool,
    },
    /// Removes a sensor and its readings. Answer: [`super::Response::Done`].
    RemoveSensor {
        /// The sensor.
        id: String,
    },
    /// The open notices of all accounts and of the service. Answer: [`super::Response::Notices`].
    ListNotices,
    /// Dismisses a notice. Answer: [`super::Response::Notices`], just this one.
    DismissNotice {
        /// Its account, if several have such a notice.
        account: Option<String>,
        /// Its id.
        id: String,
    },
    /// All corrections, or those of a sensor. Answer: [`super::Response::Corrections`].
    ListCorrections {
        /// The sensor.
        sensor: Option<String>,
    },
    /// A new correction. Answer: [`super::Response::Corrections`], just this one.
    Correct {
        /// The correction.
        form: CorrectionForm,
        /// Whether an unlikely reading of the utility's meter is meant so.
        is_sure: bool,
    },
    /// Revokes a correction. Answer: [`super::Response::Corrections`], just this one.
    RevokeCorrection {
        /// The account; `None` if there is only one.
        account: Option<String>,
        /// Its number.
        number: u32,
        /// The reason, in people's words.
        note: String,
    },
    /// Energy and its cost. Answer: see [`LedgerRequest`].
    Ledger(LedgerRequest),
    /// Contracts. Answer: [`super::Response::Rows`].
    Contracts(ContractRequest),
    /// Price series. Answer: see [`PriceRequest`].
    Prices(PriceRequest),
    /// Price sources. Answer: see [`PriceSourceRequest`].
    PriceSources(PriceSourceRequest),
    /// Home Assistants. Answer: see [`HomeAssistantRequest`].
    HomeAssistant(HomeAssistantRequest),
    /// Day lists. Answer: see [`DayRequest`].
    Days(DayRequest),
    /// Bills, formats of files, offers, purchases. Answer: [`super::Response::Rows`].
    Entries(EntryRequest),
    /// The first events of a range, of all sensors or of one. Answer: [`super::Response::Events`].
    ListEvents(Option<String>, EventsAsked),
    /// Stores history. Answer: [`super::Response::Count`].
    Import {
        /// The sensor.
        sensor: String,
        /// At most [`crate::store::Store::IMPORT_CHUNK`] of them.
        rows: Vec<ReadingRow>,
        /// Whether to store or delete them.
        how: ImportHow,
    },
    /// The first readings in a range, ascending; fewer than `limit` only if there are no more.
    /// Answer: [`super::Response::Readings`].
    ReadPage {
        /// The range.
        range: ReadingRange,
        /// The maximum number of readings in the answer.
        limit: u32,
    },
    /// The piece of a backup at the cursor, about half a megabyte. Answer:
    /// [`super::Response::BackupPage`].
    BackupPage(BackupCursor),
    /// Counts the readings in a range. Answer: [`super::Response::Count`].
    CountReadings(ReadingRange),
    /// Deletes the readings in a range. Answer: [`super::Response::Count`].
    DeleteReadings(ReadingRange),
    /// Counts the sensors with arrivals after this time. Answer: [`super::Response::Count`].
    CountArrivalsAfter {
        /// Milliseconds since 1970.
        time_ms: i64,
    },
    /// Forgets the arrivals after this time. Answer: [`super::Response::Count`] of the sensors.
    ForgetArrivalsAfter {
        /// Milliseconds since 1970.
        time_ms: i64,
    },
    /// Whether the store accepts changes. Answer: [`super::Response::Done`], or the error that
    /// stopped it.
    Health,
    /// Reads and verifies everything. Answer: [`super::Response::Findings`].
    Check,
    /// Forgets the losses by damage, and allows credentials again that were refused because of it.
    /// Answer: [`super::Response::Count`] of the notes that there were.
    ConfirmDamage,
    /// People. Answer: [`super::Response::People`], [`super::Response::LinkedUsers`] or
    /// [`super::Response::Done`].
    People(PeopleRequest),
    /// Wall tablets. Answer: [`super::Response::Walls`], or [`super::Response::Done`].
    Walls(WallRequest),
    /// Sets the administrator's password, and ends all of their sessions. Answer:
    /// [`super::Response::Done`].
    SetPassword {
        /// Its argon2id hash as a PHC string.
        hash: String,
    },
}

impl Request {
    /// Whether it contains a hash of a password or of a key, which lets its reader try out guesses.
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

/// The treatment of the readings of a [`Request::Import`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportHow {
    /// Stores them, replacing readings at the same times.
    Store,
    /// Stores each start of an interval, unless a register is there: that register is then the end
    /// of an interval.
    Starts,
    /// Deletes those that are still stored with the same values.
    Undo,
}

/// The readings of a sensor from one time to another, both inclusive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadingRange {
    /// The sensor.
    pub sensor: String,
    /// Milliseconds since 1970.
    pub start_ms: i64,
    /// Milliseconds since 1970.
    pub end_ms: i64,
}

/// A new account.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewAccount {
    /// Its name, not in use yet.
    pub name: String,
    /// Its plan.
    pub plan: Plan,
    /// The IANA name of its time zone.
    pub zone: String,
    /// How its sensors at the grid count together.
    pub phases: Phases,
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
    /// Its permissions.
    pub scope: Scope,
    /// Its label, for people; may be empty.
    pub label: String,
}
