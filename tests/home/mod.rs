//! Where the stores of tests live: each in a folder of its own or, with `WATTKEEPER_TEST_HOME=postgres`, at an engine. So the
//! same tests hold for both homes. The tests that are about one of them alone are listed in `embedded_only`.
//!
//! Several test binaries include this.

#![allow(dead_code, reason = "each of them uses what it needs")]

#[path = "../../src/store/postgres/test_server.rs"]
mod test_server;

use std::path::Path;
use std::process::Command;

use wattkeeper::StoreConfig;
use wattkeeper::{EngineSettings, OpenMode, Store, StoreError, StoreSettings};

pub(crate) use test_server::PostgresServer;

/// Decides where the stores of tests live.
const VARIABLE: &str = "WATTKEEPER_TEST_HOME";
/// The most connections of each store, besides the one that listens.
const CONNECTIONS: usize = 4;

/// Where a test's store lives.
pub(crate) struct TestHome {
    /// The address of an engine; `None` for a folder.
    engine: Option<String>,
    /// Of [`Self::at_engine`].
    schema: Option<String>,
}

impl TestHome {
    /// As [`VARIABLE`] says.
    pub(crate) fn new() -> Self {
        if Self::is_at_engine() {
            Self::at_engine()
        } else {
            Self::in_folder()
        }
    }

    /// Whether [`VARIABLE`] asks for an engine.
    pub(crate) fn is_at_engine() -> bool {
        match std::env::var(VARIABLE) {
            Ok(home) if home == "postgres" => true,
            Ok(home) if home != "embedded" => panic!("{VARIABLE} is {home:?}"),
            _ => false,
        }
    }

    /// In a folder.
    pub(crate) const fn in_folder() -> Self {
        Self {
            engine: None,
            schema: None,
        }
    }

    /// At the engine of all tests of this process, where there is no store yet.
    pub(crate) fn at_engine() -> Self {
        let (role, url) = PostgresServer::shared().create_schema();
        Self {
            engine: Some(url),
            schema: Some(role),
        }
    }

    /// At the engine of this address.
    pub(crate) const fn at(url: String) -> Self {
        Self {
            engine: Some(url),
            schema: None,
        }
    }

    /// The same place once more, for another front-end.
    pub(crate) fn again(&self) -> Self {
        Self {
            engine: self.engine.clone(),
            schema: self.schema.clone(),
        }
    }

    /// The name of the schema of [`Self::at_engine`], and of its role.
    pub(crate) fn schema(&self) -> &str {
        self.schema.as_deref().unwrap()
    }

    /// The address of the engine, if the store is not in a folder.
    pub(crate) fn url(&self) -> Option<&str> {
        self.engine.as_deref()
    }

    /// The settings of the engine, if the store is not in a folder.
    pub(crate) fn settings(&self) -> Option<EngineSettings> {
        Some(EngineSettings {
            url: self.engine.as_ref()?.parse().unwrap(),
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
            Some(engine) => Store::open_at_engine(engine, settings, mode),
            None => Store::open(dir, settings, mode),
        }
    }

    /// Makes the settings of a service those of this place.
    pub(crate) fn configure(&self, config: &mut StoreConfig) {
        if let Some(engine) = self.settings() {
            config.engine = Some(engine.url);
            config.allow_async = engine.allow_async;
            config.engine_connections = engine.connections;
        }
    }

    /// Tells a command of this place.
    pub(crate) fn tell(&self, command: &mut Command) {
        // It is no setting.
        command.env_remove(VARIABLE);
        if let Some(engine) = &self.engine {
            command
                .env("WATTKEEPER_STORE_ENGINE", engine)
                .env("WATTKEEPER_STORE_ALLOW_ASYNC", "true")
                .env(
                    "WATTKEEPER_STORE_ENGINE_CONNECTIONS",
                    CONNECTIONS.to_string(),
                );
        }
    }
}
