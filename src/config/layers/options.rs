//! The options of an add-on, as Home Assistant writes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use toml::Value;

use super::Layers;
use super::keys::DEFAULTS;
use crate::config::error::ConfigError;

/// The origin of settings in that file, in words for the people who set them.
const OPTIONS_ORIGIN: &str = "the add-on's options";

impl Layers<'_> {
    /// Applies the options of an add-on: `http_hosts` is `http.hosts`.
    pub(super) fn lay_options(&mut self, path: &Path) -> Result<(), ConfigError> {
        let text = fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let syntax = |error: serde_json::Error| ConfigError::Options {
            path: path.to_owned(),
            line: error.line(),
        };
        let options: BTreeMap<String, Option<Value>> =
            serde_json::from_str(&text).map_err(syntax)?;
        for (name, value) in options {
            let Some(key) = DEFAULTS.keys().find(|key| key.replace('.', "_") == name) else {
                let known = DEFAULTS.keys().map(|key| key.replace('.', "_"));
                return Err(ConfigError::unknown_key(OPTIONS_ORIGIN.into(), name, known));
            };
            // Home Assistant keeps a cleared option.
            if let Some(value) = value {
                self.lay(key, value, OPTIONS_ORIGIN);
            }
        }
        Ok(())
    }
}
