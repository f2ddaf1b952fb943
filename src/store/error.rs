//! Errors of the store.

use std::fmt::{Debug, Display};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::domain::{EntryKind, SensorId};
use crate::ledger::contract::ContractError;

/// Reasons why an operation of the store failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreError {
    /// Another process has the store open.
    #[error("the store in {dir} is in use by another wattkeeper process{}", .pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default())]
    Locked {
        /// The data dir.
        dir: PathBuf,
        /// The process that holds it, if its lock file says so.
        pid: Option<u32>,
    },
    /// A file of the store belongs to another user, and may not be opened.
    #[error("{path} belongs to {owner}, and wattkeeper runs as {user}: {remedy}")]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// The name of its owner.
        owner: String,
        /// The name of the user of this process.
        user: String,
        /// The remedy, as a sentence.
        remedy: String,
    },
    /// There is no store.
    #[error(
        "there is no store in {0}: create one with `wattkeeper serve` or `wattkeeper account add`, or name another folder with --data-dir"
    )]
    NoStore(PathBuf),
    /// A store is to be created in a folder that is not empty.
    #[error("a new store needs an empty data dir, and {dir} holds {holds}: name another folder")]
    NotEmpty {
        /// The folder.
        dir: PathBuf,
        /// The name of one of its entries.
        holds: String,
    },
    /// The store was written by an earlier version, in a format that this one does not read.
    #[error(
        "the store in {dir} has an older format, and wattkeeper {} keeps format {known}: run `wattkeeper backup FILE` with the version that wrote it, then `wattkeeper restore FILE` with this one, into another data dir",
        env!("CARGO_PKG_VERSION")
    )]
    OlderFormat {
        /// The data dir.
        dir: PathBuf,
        /// The format of this version.
        known: u32,
    },
    /// The store was written by a newer version, or by something else.
    #[error(
        "the store has format {found}, and wattkeeper {} reads up to format {newest}: install the version that wrote it or a newer one, or \
         restore a backup from before the upgrade into another data dir",
        env!("CARGO_PKG_VERSION")
    )]
    NewerFormat {
        /// The format of the store.
        found: u32,
        /// The newest format that this version knows.
        newest: u32,
    },
    /// The files differ from how they were written.
    #[error(
        "the store is damaged: {0}; keep the folder: `wattkeeper check --salvage NEW_DIR` copies all readable data into a new store, `wattkeeper restore` turns a backup into a store"
    )]
    Damaged(String),
    /// A file could not be read or written.
    #[error("{what}: {cause}")]
    Io {
        /// The operation.
        what: String,
        /// The error of the system.
        cause: String,
    },
    /// A write or sync failed earlier. Nothing is written until the store is opened again.
    #[error(
        "the store accepts no more changes, because a write failed: {0}; restart wattkeeper once the cause is fixed"
    )]
    Poisoned(String),
    /// Readings could not be written, for lack of space for example, but may be later. The reason
    /// is in the log.
    #[error("the store is not available for now: {0}")]
    NotForNow(String),
    /// A sensor has very many unsealed readings in memory, because they come at scattered times
    /// faster than they can be sealed.
    #[error(
        "readings of sensor {0:?} come at scattered times, faster than they can be put in order"
    )]
    SensorBehind(String),
    /// PostgreSQL refuses to keep readings, or does not understand a request. The text says what to
    /// do.
    #[error("{0}")]
    Postgres(String),
    /// The client has left, so nothing more is read.
    #[error("the client has disconnected")]
    Unasked,
    /// The store is closed or closing.
    #[error("the store is closed")]
    Closed,
    /// There already is an administrator.
    #[error("there already is an administrator")]
    AdministratorExists,
    /// A session was requested with a password that is no longer the administrator's.
    #[error("the password was changed in the meantime")]
    PasswordChanged,
    /// No such person.
    #[error("there is no person {0:?}")]
    UnknownPerson(String),
    /// The limit of people is reached.
    #[error(
        "there are {} people, the maximum: remove one first",
        crate::domain::Person::MOST
    )]
    TooManyPeople,
    /// No such wall tablet.
    #[error("there is no wall tablet {0:?}")]
    UnknownTablet(String),
    /// The limit of wall tablets is reached.
    #[error(
        "there are {} wall tablets, the maximum: revoke one first",
        crate::domain::WallTablet::MOST
    )]
    TooManyTablets,
    /// No such linked user of Home Assistant.
    #[error("there is no linked user {0:?} of Home Assistant")]
    UnknownLinkedUser(String),
    /// The person has reached the limit of linked users of Home Assistant.
    #[error(
        "{} users of Home Assistant are linked to the same person, the maximum: remove one first",
        crate::domain::LinkedUser::MOST
    )]
    TooManyLinkedUsers,
    /// The service has reached the limit of Home Assistants.
    #[error(
        "the service has {} Home Assistants, the maximum: remove one first",
        crate::domain::HomeAssistantEntry::MOST_IN_ALL
    )]
    TooManyHomeAssistants,
    /// No such account.
    #[error("there is no account {0:?}")]
    UnknownAccount(String),
    /// No such credential.
    #[error("there is no credential {0:?}")]
    UnknownCredential(String),
    /// No such sensor.
    #[error("there is no sensor {0:?}")]
    UnknownSensor(String),
    /// A name or a label is too long.
    #[error("{what} may have at most {longest} bytes")]
    TextTooLong {
        /// The text.
        what: &'static str,
        /// The limit, in bytes.
        longest: usize,
    },
    /// The account still has sensors.
    #[error("the account {0:?} still has sensors: remove them first")]
    AccountHasSensors(String),
    /// The account has reached the limit of a kind of entries.
    #[error("the account {account:?} has {}", kind.too_many())]
    TooManyEntries {
        /// The kind.
        kind: EntryKind,
        /// The account.
        account: String,
    },
    /// No such entry.
    #[error("there is no {} {name}: `wattkeeper {}` shows them", kind.as_str(), kind.command())]
    UnknownEntry {
        /// The kind.
        kind: EntryKind,
        /// The name in quotes, or the number.
        name: String,
    },
    /// The account still has price series.
    #[error("the account {0:?} still has prices: remove them first, by `wattkeeper prices remove`")]
    AccountHasPrices(String),
    /// The account has reached the limit of price series.
    #[error("the account {0:?} has 16 price series, the maximum: remove one first")]
    TooManySeries(String),
    /// The account has reached the limit of prices.
    #[error(
        "with {0:?}, the account would exceed 2,000,000 prices in all its series: remove old ones first"
    )]
    TooManyPrices(String),
    /// Prices in another currency than those of their series.
    #[error(
        "the prices are in {found}, and those of the series {series:?} in {expected}; expected one currency: choose another series, or remove this one first"
    )]
    SeriesCurrency {
        /// The series.
        series: String,
        /// The currency of the new prices.
        found: String,
        /// That of the series.
        expected: String,
    },
    /// No such price series.
    #[error("there is no price series {0:?}; expected one of the list, such as day-ahead")]
    UnknownSeries(String),
    /// The account has reached the limit of day lists.
    #[error("the account {0:?} has 16 day lists, the maximum: remove one first")]
    TooManyDayLists(String),
    /// The account has reached the limit of days in lists.
    #[error(
        "with {0:?}, the account would exceed 10,000 days in all its lists: remove old ones first"
    )]
    TooManyDays(String),
    /// A year of a day list has reached the limit of types.
    #[error("the day list {0:?} would have more than 16 types of days in a year: use fewer")]
    TooManyDayTypes(String),
    /// No such day list.
    #[error("there is no day list {0:?}; expected one of the list, such as tempo")]
    UnknownDayList(String),
    /// An offer is not in the currency of the contracts.
    #[error(
        "the contracts and offers of the account are in {expected}, this offer in {found}; expected one currency"
    )]
    OfferCurrency {
        /// The currency of the offer.
        found: String,
        /// That of the contracts.
        expected: String,
    },
    /// A tenancy is of another sensor than a sub-meter of the account.
    #[error("{0} is no sub-meter of the account; expected one, such as that of the flat")]
    NoSubMeter(SensorId),
    /// Two tenancies have a sub-meter on the same day.
    #[error(
        "the tenancy {other:?} has {sensor} on some of these days, and a sub-meter has one tenancy a day: end that one first, or choose other days"
    )]
    TenancyCollides {
        /// The sub-meter.
        sensor: SensorId,
        /// The name of the other one.
        other: String,
    },
    /// The account has reached the limit of corrections.
    #[error(
        "the account {0:?} has 10,000 corrections, the maximum: removing a sensor removes its corrections"
    )]
    TooManyCorrections(String),
    /// The notes of the account's corrections have reached their total limit.
    #[error(
        "the notes of all corrections of the account {0:?} would exceed 1,048,576 bytes: leave the note out, or shorten it"
    )]
    TooManyNotes(String),
    /// The sensor has reached the limit of calibrations in effect.
    #[error("a sensor has at most 100 calibrations; revoke one, such as the oldest")]
    TooManyCalibrations,
    /// No such notice, or it has ended.
    #[error("there is no open notice {0:?}: `wattkeeper notices` shows them")]
    UnknownNotice(String),
    /// No such correction, or it is revoked already.
    #[error(
        "there is no correction {0} in effect in the account {1:?}: `wattkeeper correct list` shows them"
    )]
    NotInEffect(u32, String),
    /// Contracts that conflict, or no such contract.
    #[error("{0}")]
    Contract(ContractError),
    /// A sensor was to be part of one that its account does not have.
    #[error("the account has no sensor {0:?}; name one of its sensors, such as house, or none")]
    UnknownWhole(String),
    /// A sensor was to be part of itself, through these sensors.
    #[error("a sensor cannot be part of itself: {0}; clear one of these links with none")]
    PartOfItself(String),
    /// A sensor of another account has this id.
    #[error("the sensor {0:?} belongs to another account")]
    SensorTaken(String),
}

impl StoreError {
    /// Creates an error for a failure while doing `what`.
    pub(crate) fn io(what: impl Into<String>, cause: &(impl Display + ?Sized)) -> Self {
        Self::Io {
            what: what.into(),
            // Kept as text: `io::Error` cannot be cloned, and one failed group answers many
            // callers.
            cause: cause.to_string(),
        }
    }

    /// The error for an entry that is not there, by its name or its number.
    pub(crate) fn unknown(kind: EntryKind, name: &(impl Debug + ?Sized)) -> Self {
        let name = format!("{name:?}");
        Self::UnknownEntry { kind, name }
    }

    /// Whether the data is damaged, or the medium does not return it.
    pub(super) const fn is_unreadable(&self) -> bool {
        matches!(self, Self::Damaged(_) | Self::Io { .. })
    }

    /// The damage, without advice; any other error in full.
    pub(super) fn damage(&self) -> String {
        match self {
            Self::Damaged(what) => what.clone(),
            other => other.to_string(),
        }
    }
}

/// The result of opening or reading the file at `path`; `None` if there is no such file.
pub(super) fn unless_missing<T>(
    path: &Path,
    doing: &str,
    outcome: io::Result<T>,
) -> Result<Option<T>, StoreError> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(
            format!("{doing} {}", path.display()),
            &error,
        )),
        Ok(opened) => Ok(Some(opened)),
    }
}
