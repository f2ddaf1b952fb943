//! Stores for unit tests, in the backend that `WATTKEEPER_TEST_BACKEND` selects: the same tests run
//! with both backends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::PostgresSettings;
use super::test_server::PostgresServer;
use crate::locks::lock;
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::settings::{OpenMode, StoreSettings};

/// The address of the database of each folder.
static PLACES: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

impl Store {
    /// As [`Self::open`] or, with `WATTKEEPER_TEST_BACKEND=postgres`, opens the store in the
    /// PostgreSQL schema that belongs to this folder.
    pub(crate) fn open_anywhere(
        dir: &Path,
        settings: StoreSettings,
        mode: OpenMode,
    ) -> Result<Self, StoreError> {
        if std::env::var("WATTKEEPER_TEST_BACKEND").as_deref() != Ok("postgres") {
            return Self::open(dir, settings, mode);
        }
        let mut places = lock(&PLACES);
        let place = places.entry(dir.to_owned());
        let url = place.or_insert_with(|| PostgresServer::shared().create_schema().1);
        let postgres = PostgresSettings {
            url: url.parse().unwrap(),
            password_file: None,
            allow_async: true,
            allow_clear_text_password: false,
            connections: 4,
        };
        drop(places);
        Self::open_in_postgres(postgres, settings, mode)
    }
}
