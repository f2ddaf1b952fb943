//! Engines that the store does not work on. Each is a sentence that says what to do.

use thiserror::Error;

/// The oldest PostgreSQL that works: the first one with what the migrations need, still in the care of a distribution.
pub(crate) const OLDEST_VERSION: i32 = 14;

/// Why the store does not work on PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PostgresRefusal {
    /// The password's file cannot be read.
    #[error("store.engine_password_file: {0}")]
    PasswordFile(String),
    /// Nobody answers.
    #[error(
        "no PostgreSQL answers at {at}: {cause}; start it, or correct the host and port of store.engine"
    )]
    Unreachable {
        /// The server.
        at: String,
        /// What went wrong.
        cause: String,
    },
    /// It asks for a password, and there is none.
    #[error(
        "PostgreSQL asks {user:?} for a password: put it into a file and name that in store.engine_password_file"
    )]
    PasswordMissing {
        /// The role.
        user: String,
    },
    /// It wants to see the password, and anybody could be in its place.
    #[error(
        "PostgreSQL asks {user:?} for the password in clear text, and the connection is not encrypted: set up scram-sha-256 there (pg_hba.conf, password_encryption), or TLS without sslmode=disable, or accept that others may read the password with store.allow_clear_text_password = true"
    )]
    ClearText {
        /// The role.
        user: String,
    },
    /// It lets nobody in by this password.
    #[error(
        "PostgreSQL does not let {user:?} in with this password: correct the password, or the user in store.engine"
    )]
    WrongPassword {
        /// The role.
        user: String,
    },
    /// It does not let the role in from here.
    #[error(
        "PostgreSQL does not let {user:?} in: {cause}; create the role, grant it the right to connect to the database, or let it in by PostgreSQL's pg_hba.conf"
    )]
    NotLetIn {
        /// The role.
        user: String,
        /// What PostgreSQL says.
        cause: String,
    },
    /// There is no such database.
    #[error(
        "PostgreSQL has no database {0:?}: create it with `CREATE DATABASE`, or correct its name in store.engine"
    )]
    NoDatabase(String),
    /// The connection cannot be encrypted.
    #[error(
        "no encrypted connection to PostgreSQL: {0}; set up TLS there (ssl = on, a certificate for its name), name the certificates to trust by sslrootcert in store.engine, or, in a network that nobody listens in on, set sslmode=disable"
    )]
    Tls(String),
    /// It is too old.
    #[error(
        "PostgreSQL is {0:?}, and wattkeeper needs PostgreSQL {OLDEST_VERSION} or newer: update it"
    )]
    TooOld(String),
    /// It does not store texts as UTF-8.
    #[error(
        "the database stores texts as {0}: create one with `CREATE DATABASE .. ENCODING 'UTF8' TEMPLATE template0`"
    )]
    Encoding(String),
    /// It only follows another server.
    #[error(
        "PostgreSQL is a replica, which takes no readings: name the primary in store.engine, or all servers with commas between them, or promote this one"
    )]
    Replica,
    /// It may only be read.
    #[error(
        "the role may not write to the database: {0}; make the role the owner of the database, or name another one in store.engine"
    )]
    ReadOnly(String),
    /// It may lose what it acknowledged.
    #[error(
        "PostgreSQL runs with fsync = off, and loses readings at a power cut: set fsync = on, and restore it from a backup if it ever stopped without warning"
    )]
    NoFsync,
    /// What it acknowledges is on one server alone, or not even there.
    #[error(
        "PostgreSQL acknowledges before a second server has a reading ({0}): set up a synchronous standby (synchronous_standby_names, synchronous_commit = on), or accept the loss with store.allow_async = true"
    )]
    Asynchronous(String),
    /// A commit there waits for a standby that is not connected.
    #[error(
        "PostgreSQL waits for a standby that is not connected (synchronous_standby_names is {waits_for:?}, connected: {connected:?}): start that standby or name another one; or, if another server was promoted, make this one its standby"
    )]
    StandbyAway {
        /// What the setting has.
        waits_for: String,
        /// Who follows PostgreSQL.
        connected: Vec<String>,
    },
    /// It was the primary before another server was promoted.
    #[error(
        "PostgreSQL is a primary of timeline {timeline}, and timeline {newest} was begun by a promotion since then: stop it, and make it a standby of the new primary"
    )]
    OldPrimary {
        /// Its own.
        timeline: u32,
        /// The newest that was seen.
        newest: u32,
    },
    /// The database is used for something else.
    #[error(
        "the database is used for something else (its schema has {0:?}, and no tables of wattkeeper): create an empty database, or name the right one in store.engine"
    )]
    SomethingElse(String),
    /// There is no store, and none is to be made.
    #[error(
        "there is no store in the database of store.engine: create one with `wattkeeper serve` or `wattkeeper account add`, or name another database"
    )]
    NoStore,
    /// A store is to be restored into a database that has one.
    #[error(
        "the database of store.engine holds a store already, and a restore needs an empty one: create one with `CREATE DATABASE`, and name it in store.engine"
    )]
    NotEmpty,
    /// A restore is at work, or was broken off.
    #[error(
        "a backup is being restored into the database of store.engine, or that was broken off: wait for it, or repeat `wattkeeper restore`"
    )]
    Restoring,
    /// A restore would be in the way of others.
    #[error("another wattkeeper runs on the database of store.engine: stop it before a restore")]
    InUse,
    /// It knows no interval between commits.
    #[error(
        "store.durability is an interval, which store.engine does not have, as PostgreSQL keeps what it acknowledges: set it to always"
    )]
    Interval,
    /// A newer version was here.
    #[error(
        "the database has schema {found}, and wattkeeper {} knows up to schema {newest}: install the version that made it or a newer one, or \
         restore a backup from before the upgrade into another database",
        env!("CARGO_PKG_VERSION")
    )]
    NewerSchema {
        /// The version there.
        found: i32,
        /// The newest that is known.
        newest: i32,
    },
}
