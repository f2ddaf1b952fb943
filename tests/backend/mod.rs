//! The storage backend of tests: each store is in a folder of its own or, with
//! `WATTKEEPER_TEST_BACKEND=postgres`, in PostgreSQL. So the same tests run with both backends. The
//! tests of one of them alone are listed in `embedded_only`.
//!
//! Several test binaries include this.

#![allow(dead_code, reason = "each of them uses what it needs")]

#[path = "../../src/store/postgres/test_server.rs"]
mod test_server;

use std::path::Path;
use std::process::Command;

use wattkeeper::StoreConfig;
use wattkeeper::{OpenMode, PostgresSettings, Store, StoreError, StoreSettings};

pub(crate) use test_server::PostgresServer;

/// The environment variable that selects the backend of tests.
const VARIABLE: &str = "WATTKEEPER_TEST_BACKEND";
/// The maximum number of connections of each store, besides the listening one.
const CONNECTIONS: usize = 4;

/// The place of a test's store.
pub(crate) struct TestBackend {
    /// The address of the PostgreSQL database; `None` for a folder.
    postgres: Option<String>,
    /// The schema of [`Self::postgres`].
    schema: Option<String>,
}

impl TestBackend {
    /// The backend that [`VARIABLE`] selects.
    pub(crate) fn new() -> Self {
        if Self::is_postgres() {
            Self::postgres()
        } else {
            Self::in_folder()
        }
    }

    /// Whether [`VARIABLE`] selects PostgreSQL.
    pub(crate) fn is_postgres() -> bool {
        match std::env::var(VARIABLE) {
            Ok(backend) if backend == "postgres" => true,
            Ok(backend) if backend != "embedded" => panic!("{VARIABLE} is {backend:?}"),
            _ => false,
        }
    }

    /// A store in a folder.
    pub(crate) const fn in_folder() -> Self {
        Self {
            postgres: None,
            schema: None,
        }
    }

    /// An empty schema in the PostgreSQL server shared by all tests of this process.
    pub(crate) fn postgres() -> Self {
        let (role, url) = PostgresServer::shared().create_schema();
        Self {
            postgres: Some(url),
            schema: Some(role),
        }
    }

    /// A PostgreSQL database with this address.
    pub(crate) const fn at(url: String) -> Self {
        Self {
            postgres: Some(url),
            schema: None,
        }
    }

    /// The same place again, for another front-end.
    pub(crate) fn again(&self) -> Self {
        Self {
            postgres: self.postgres.clone(),
            schema: self.schema.clone(),
        }
    }

    /// The name of the schema of [`Self::postgres`], and of its role.
    pub(crate) fn schema(&self) -> &str {
        self.schema.as_deref().unwrap()
    }

    /// The address of the PostgreSQL database, if the store is not in a folder.
    pub(crate) fn url(&self) -> Option<&str> {
        self.postgres.as_deref()
    }

    /// The settings of PostgreSQL, if the store is not in a folder.
    pub(crate) fn settings(&self) -> Option<PostgresSettings> {
        Some(PostgresSettings {
            url: self.postgres.as_ref()?.parse().unwrap(),
            password_file: None,
            allow_async: true,
            allow_clear_text_password: false,
            connections: CONNECTIONS,
        })
    }

    /// Opens the store; `dir` is used if it is in a folder.
    pub(crate) fn open(
        &self,
        dir: &Path,
        settings: StoreSettings,
        mode: OpenMode,
    ) -> Result<Store, StoreError> {
        match self.settings() {
            Some(postgres) => Store::open_in_postgres(postgres, settings, mode),
            None => Store::open(dir, settings, mode),
        }
    }

    /// Configures a service to use this place.
    pub(crate) fn configure(&self, config: &mut StoreConfig) {
        if let Some(postgres) = self.settings() {
            config.engine = Some(postgres.url);
            config.allow_async = postgres.allow_async;
            config.engine_connections = postgres.connections;
        }
    }

    /// Configures a command to use this place.
    pub(crate) fn tell(&self, command: &mut Command) {
        // It is no setting of wattkeeper.
        command.env_remove(VARIABLE);
        if let Some(postgres) = &self.postgres {
            command
                .env("WATTKEEPER_STORE_ENGINE", postgres)
                .env("WATTKEEPER_STORE_ALLOW_ASYNC", "true")
                .env(
                    "WATTKEEPER_STORE_ENGINE_CONNECTIONS",
                    CONNECTIONS.to_string(),
                );
        }
    }
}
