//! Reasons to refuse PostgreSQL. Each is a sentence that says what to do.

use thiserror::Error;

/// The oldest PostgreSQL that works: it has all features that the migrations need, and a
/// distribution still maintains it.
pub(crate) const OLDEST_VERSION: i32 = 14;

/// Reasons to refuse PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PostgresRefusal {
    /// The password's file cannot be read.
    #[error("store.engine_password_file: {0}")]
    PasswordFile(String),
    /// Nobody answers.
    #[error(
        "PostgreSQL does not answer at {at}: {cause}; start it, or correct the host and port in store.engine"
    )]
    Unreachable {
        /// The server.
        at: String,
        /// The error.
        cause: String,
    },
    /// It asks for a password, and none is set.
    #[error(
        "PostgreSQL asks {user:?} for a password: put it into a file, and set store.engine_password_file to that file"
    )]
    PasswordMissing {
        /// The role.
        user: String,
    },
    /// It asks for the password itself, and could be anybody.
    #[error(
        "PostgreSQL asks {user:?} for the password in clear text, and the connection is not encrypted: set up scram-sha-256 there (pg_hba.conf, password_encryption), or TLS without sslmode=disable, or accept that others may read the password with store.allow_clear_text_password = true"
    )]
    ClearText {
        /// The role.
        user: String,
    },
    /// It rejects this password.
    #[error(
        "PostgreSQL rejects the password of {user:?}: correct the password, or the user in store.engine"
    )]
    WrongPassword {
        /// The role.
        user: String,
    },
    /// It does not admit the role from here.
    #[error(
        "PostgreSQL rejects {user:?}: {cause}; create the role, grant it CONNECT on the database, or admit it in pg_hba.conf"
    )]
    NotLetIn {
        /// The role.
        user: String,
        /// PostgreSQL's message.
        cause: String,
    },
    /// There is no such database.
    #[error(
        "PostgreSQL has no database {0:?}: create it with `CREATE DATABASE`, or correct its name in store.engine"
    )]
    NoDatabase(String),
    /// The connection cannot be encrypted.
    #[error(
        "no encrypted connection to PostgreSQL: {0}; set up TLS there (ssl = on, a certificate for its name), name the certificates to trust by sslrootcert in store.engine, or set sslmode=disable in a trusted network"
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
        "PostgreSQL is a replica, which accepts no readings: name the primary in store.engine, or all servers separated by commas, or promote this one"
    )]
    Replica,
    /// It may only be read.
    #[error(
        "the role may not write to the database: {0}; make the role the owner of the database, or name another one in store.engine"
    )]
    ReadOnly(String),
    /// It may lose acknowledged data.
    #[error(
        "PostgreSQL runs with fsync = off, and loses readings in a power cut: set fsync = on, and restore it from a backup if it ever stopped uncleanly"
    )]
    NoFsync,
    /// Acknowledged data is on one server only, or not even there.
    #[error(
        "PostgreSQL acknowledges before a second server has a reading ({0}): set up a synchronous standby (synchronous_standby_names, synchronous_commit = on), or accept the loss with store.allow_async = true"
    )]
    Asynchronous(String),
    /// A commit there waits for a standby that is not connected.
    #[error(
        "PostgreSQL waits for a standby that is not connected (synchronous_standby_names is {waits_for:?}, connected: {connected:?}): start that standby or name another one; or, if another server was promoted, make this one its standby"
    )]
    StandbyAway {
        /// The setting's value.
        waits_for: String,
        /// The connected standbys.
        connected: Vec<String>,
    },
    /// It was the primary before another server was promoted.
    #[error(
        "PostgreSQL is a primary on timeline {timeline}, and another server was promoted to timeline {newest} since: stop this server, and make it a standby of the new primary"
    )]
    OldPrimary {
        /// The timeline of this server.
        timeline: u32,
        /// The newest timeline seen.
        newest: u32,
    },
    /// The database is used for something else.
    #[error(
        "the database is used for something else (its schema has {0:?}, and no tables of wattkeeper): create an empty database, or name the right one in store.engine"
    )]
    SomethingElse(String),
    /// There is no store, and none is to be created.
    #[error(
        "there is no store in the database of store.engine: create one with `wattkeeper serve` or `wattkeeper account add`, or name another database"
    )]
    NoStore,
    /// The database to restore into contains a store.
    #[error(
        "the database of store.engine holds a store already, and a restore needs an empty one: create one with `CREATE DATABASE`, and name it in store.engine"
    )]
    NotEmpty,
    /// A restore is running, or was interrupted.
    #[error(
        "a backup is being restored into the database of store.engine, or a restore was interrupted: wait for it, or repeat `wattkeeper restore`"
    )]
    Restoring,
    /// A restore would disturb other processes.
    #[error("another wattkeeper runs on the database of store.engine: stop it before a restore")]
    InUse,
    /// Commits at intervals are impossible.
    #[error(
        "store.durability is an interval, but PostgreSQL commits each upload: set store.durability to always"
    )]
    Interval,
    /// The service has not migrated the schema yet.
    #[error(
        "the database has schema {found}, and this command needs schema {newest}: start the service of version {} first, which migrates it",
        env!("CARGO_PKG_VERSION")
    )]
    OlderSchema {
        /// The version of the schema.
        found: i32,
        /// The newest known version.
        newest: i32,
    },
    /// A newer version migrated the schema.
    #[error(
        "the database has schema {found}, and wattkeeper {} knows up to schema {newest}: install the version that made it or a newer one, or \
         restore a backup from before the upgrade into another database",
        env!("CARGO_PKG_VERSION")
    )]
    NewerSchema {
        /// The version of the schema.
        found: i32,
        /// The newest known version.
        newest: i32,
    },
}
