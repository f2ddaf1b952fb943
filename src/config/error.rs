//! Why there are no settings.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why the settings cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A variable of the environment is not UTF-8.
    #[error("environment: {0} is not UTF-8: set it again")]
    NotUtf8(String),
    /// The file is not TOML.
    #[error("{place} is not valid TOML: {message}")]
    Syntax {
        /// The file and the line.
        place: String,
        /// The error there.
        message: String,
    },
    /// The options of the add-on are not JSON. The text is not shown, because it may contain a
    /// secret.
    #[error("{}, line {line}: expected an object of JSON with settings, such as {{\"log_level\": \"info\"}}", .path.display())]
    Options {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// No setting has this name.
    #[error("{place}: there is no setting {key}; the closest one is {closest}")]
    UnknownKey {
        /// The file and the line, or the environment.
        place: String,
        /// The name.
        key: String,
        /// The most similar setting.
        closest: String,
    },
    /// A setting has an unusable value.
    #[error("{place}: {key} is {value}, expected {expected}")]
    Invalid {
        /// The file and the line, the environment variable or the flag.
        place: String,
        /// The setting.
        key: String,
        /// Its value.
        value: String,
        /// The values that are accepted.
        expected: String,
    },
}

impl ConfigError {
    /// The error for the unknown setting `key`, with the closest of the known ones.
    pub(super) fn unknown_key(
        place: String,
        key: String,
        known: impl IntoIterator<Item = String>,
    ) -> Self {
        // The last part counts twice, because a forgotten section is a common mistake.
        let last_part = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
        let likeness = |other: &String| {
            strsim::jaro_winkler(other, &key)
                + strsim::jaro_winkler(&last_part(other), &last_part(&key))
        };
        let closest = known
            .into_iter()
            .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        Self::UnknownKey {
            place,
            closest: closest.unwrap_or_default(),
            key,
        }
    }
}
