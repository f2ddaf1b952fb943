//! Where the stores of tests live: each in a folder of its own or, with `WATTKEEPER_TEST_BACKEND=postgres`, at PostgreSQL. So the
//! same tests hold for both backends. The tests that are about one of them alone are listed in `embedded_only`.
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

/// Decides where the stores of tests live.
const VARIABLE: &str = "WATTKEEPER_TEST_BACKEND";
/// The most connections of each store, besides the one that listens.
const CONNECTIONS: usize = 4;

/// Where a test's store lives.
pub(crate) struct TestBackend {
    /// The address of PostgreSQL; `None` for a folder.
    postgres: Option<String>,
    /// Of [`Self::postgres`].
    schema: Option<String>,
}

impl TestBackend {
    /// As [`VARIABLE`] says.
    pub(crate) fn new() -> Self {
        if Self::is_postgres() {
            Self::postgres()
        } else {
            Self::in_folder()
        }
    }

    /// Whether [`VARIABLE`] asks for PostgreSQL.
    pub(crate) fn is_postgres() -> bool {
        match std::env::var(VARIABLE) {
            Ok(backend) if backend == "postgres" => true,
            Ok(backend) if backend != "embedded" => panic!("{VARIABLE} is {backend:?}"),
            _ => false,
        }
    }

    /// In a folder.
    pub(crate) const fn in_folder() -> Self {
        Self {
            postgres: None,
            schema: None,
        }
    }

    /// At PostgreSQL of all tests of this process, where there is no store yet.
    pub(crate) fn postgres() -> Self {
        let (role, url) = PostgresServer::shared().create_schema();
        Self {
            postgres: Some(url),
            schema: Some(role),
        }
    }

    /// At PostgreSQL of this address.
    pub(crate) const fn at(url: String) -> Self {
        Self {
            postgres: Some(url),
            schema: None,
        }
    }

    /// The same place once more, for another front-end.
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

    /// The address of PostgreSQL, if the store is not in a folder.
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

    /// Opens the store, which is in `dir` if it is in a folder.
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

    /// Makes the settings of a service those of this place.
    pub(crate) fn configure(&self, config: &mut StoreConfig) {
        if let Some(postgres) = self.settings() {
            config.engine = Some(postgres.url);
            config.allow_async = postgres.allow_async;
            config.engine_connections = postgres.connections;
        }
    }

    /// Tells a command of this place.
    pub(crate) fn tell(&self, command: &mut Command) {
        // It is no setting.
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
