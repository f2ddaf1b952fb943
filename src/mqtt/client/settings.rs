//! The settings of the client.

use std::path::PathBuf;
use std::time::Duration;

use rumqttc::mqttbytes::v4::Login;

use super::broker::BrokerAddress;
use super::error::ClientError;
use crate::mqtt::home_assistant::DiscoverySettings;
use crate::mqtt::intake::Subscription;
use crate::store::explain_denied;

/// How long connecting may take.
pub(super) const CONNECT_WITHIN: Duration = Duration::from_secs(20);

/// The settings of the client. They have no `Debug`, because they contain the password.
#[derive(Clone, PartialEq)]
pub struct ClientSettings {
    /// The address of the broker.
    pub broker: BrokerAddress,
    /// The user name there, if any.
    pub user: Option<String>,
    /// The password.
    pub password: Option<String>,
    /// The file with the password in its first line; read for each connection.
    pub password_file: Option<PathBuf>,
    /// The name of the session that the broker keeps for this client. Two clients with the same
    /// name disconnect each other.
    pub client_id: String,
    /// The trusted certificates, in PEM; `None` for the system's certificates.
    pub ca_file: Option<PathBuf>,
    /// The subscriptions.
    pub subscriptions: Vec<Subscription>,
    /// The settings for announcing sensors to Home Assistant; `None` to announce nothing.
    pub home_assistant: Option<DiscoverySettings>,
}

impl ClientSettings {
    pub(super) fn login(&self) -> Result<Option<Login>, ClientError> {
        // MQTT 3.1.1 allows no password without a user name.
        let Some(user) = self.user.clone() else {
            return Ok(None);
        };
        let password = match &self.password_file {
            Some(path) => {
                // Blocks this thread, which has nothing else to do while there is no connection.
                let text = std::fs::read_to_string(path)
                    .map_err(|error| explain_denied(path, error))
                    .map_err(|error| ClientError::PasswordFile(path.clone(), error))?;
                text.lines().next().unwrap_or_default().to_owned()
            }
            None => self.password.clone().unwrap_or_default(),
        };
        Ok(Some(Login::new(user, password)))
    }
}
