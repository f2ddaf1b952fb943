//! A device of the house, as described in the settings.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::channel::LONGEST_SUFFIX_BYTES;
use super::error::PollError;
use crate::domain::{Secret, SensorId, host_and_port};
use crate::ingest::DeviceAccount;
use crate::ingest::devices::PollPreset;
use crate::store::explain_denied;

/// A device of the house.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PollSettings {
    /// The kind of the device.
    pub preset: &'static PollPreset,
    /// Its address.
    pub address: DeviceAddress,
    /// The time between two polls.
    pub every: Duration,
    /// The sensor of its first channel. Its id leaves space for the suffixes of the others.
    pub sensor: SensorId,
    /// The account of its readings.
    pub account: DeviceAccount,
    /// The login, if it requires one.
    pub login: Option<PollLogin>,
    /// The number of the device behind its address.
    pub unit: u8,
}

impl PollSettings {
    /// The longest id of a first sensor, in bytes: others have the same id with a suffix, up to
    /// `-16-export`.
    pub const LONGEST_SENSOR_BYTES: usize = SensorId::MAX_BYTES - LONGEST_SUFFIX_BYTES;
}

impl PollSettings {
    /// The same device with a password from the browser; the same login with an empty one.
    #[must_use]
    pub fn with_password(self, password: &Secret) -> Self {
        let typed = password.is_set().then(|| PollLogin {
            user: PollLogin::USUAL_USER.to_owned(),
            password: PasswordPlace::Typed(password.clone()),
        });
        Self {
            login: typed.or(self.login),
            ..self
        }
    }
}

impl PollLogin {
    /// The user of devices without another one.
    pub const USUAL_USER: &str = "admin";
}

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceAddress {
    pub(super) host: String,
    pub(super) port: u16,
}

/// The error for a text that is not the address of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a host, optionally with a port, such as 192.168.1.20 or meter.lan:8080")]
pub struct NotDeviceAddress;

impl DeviceAddress {
    /// The host with the preset's port.
    #[must_use]
    pub fn with_port(self, preset: &PollPreset) -> Self {
        let port = match self.port {
            0 => preset.terms.port(),
            port => port,
        };
        Self { port, ..self }
    }
}

/// Without a port, the port is 0 until [`DeviceAddress::with_port`].
impl FromStr for DeviceAddress {
    type Err = NotDeviceAddress;

    fn from_str(text: &str) -> Result<Self, NotDeviceAddress> {
        let (host, port) = host_and_port(text).ok_or(NotDeviceAddress)?;
        Ok(Self {
            host: host.into(),
            port: port.unwrap_or(0),
        })
    }
}

impl fmt::Display for DeviceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// A user, and the place of the password. The password itself is looked up for each request, and
/// not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PollLogin {
    /// The user.
    pub user: String,
    /// The place of the password.
    pub password: PasswordPlace,
}

/// The place of a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PasswordPlace {
    /// The first line of this file.
    File(PathBuf),
    /// This variable of the environment.
    Variable(String),
    /// Typed in the browser, and kept in the store.
    Typed(Secret),
}

impl PasswordPlace {
    /// The file, if the password is in one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Variable(_) | Self::Typed(_) => None,
        }
    }

    /// The password. Blocks.
    pub(crate) fn password(&self) -> Result<String, PollError> {
        let unreadable = |path: &Path, cause| PollError::PasswordFile {
            path: path.to_owned(),
            cause,
        };
        let text = match self {
            Self::File(path) => {
                let denied = |error| explain_denied(path, error).to_string();
                fs::read_to_string(path).map_err(|error| unreadable(path, denied(error)))?
            }
            Self::Variable(name) => env::var(name).unwrap_or_default(),
            Self::Typed(password) => password.reveal().to_owned(),
        };
        let line = text.lines().next().unwrap_or_default().trim();
        if line.is_empty() {
            return Err(match self {
                Self::File(path) => unreadable(path, "its first line is empty".into()),
                Self::Variable(name) => PollError::PasswordVariable(name.clone()),
                Self::Typed(_) => PollError::WrongPassword,
            });
        }
        Ok(line.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_get_the_port_of_the_preset() {
        let full = |text: &str| {
            let address: DeviceAddress = text.parse().unwrap();
            let shelly = PollPreset::with_id("shelly").unwrap();
            address.with_port(shelly).to_string()
        };
        assert_eq!(full("192.168.1.20"), "192.168.1.20:80");
        assert_eq!(full("meter.lan:8080"), "meter.lan:8080");
        assert_eq!(full("[fd00::1]"), "[fd00::1]:80");
        for text in ["", "http://meter.lan", "me:secret@meter.lan", "meter.lan/x"] {
            assert_eq!(text.parse::<DeviceAddress>(), Err(NotDeviceAddress));
        }
    }

    #[test]
    fn a_password_is_the_first_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("password");
        let place = PasswordPlace::File(path.clone());
        let missing = place.password().unwrap_err().to_string();
        assert!(missing.contains(path.to_str().unwrap()), "{missing}");
        fs::write(&path, "hunter2\nnot this\n").unwrap();
        assert_eq!(place.password().unwrap(), "hunter2");
        fs::write(&path, "\n").unwrap();
        assert!(place.password().is_err());
        let unset = PasswordPlace::Variable("NO_SUCH_VARIABLE_OF_A_TEST".into());
        let error = unset.password().unwrap_err().to_string();
        assert!(error.contains("NO_SUCH_VARIABLE_OF_A_TEST"), "{error}");
    }
}
