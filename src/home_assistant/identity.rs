//! Who answers at an address, to test an entry before it is kept.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::HomeAssistantError;
use super::link::HomeAssistantLink;
use super::message::shown_text;
use super::settings::LinkSettings;
use crate::ingest::wanted::WantedPlaces;

/// Who answers, and what its token may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeAssistantIdentity {
    /// The name of the place, as its people chose it.
    pub location: String,
    /// The version of Home Assistant.
    pub version: String,
    /// The person there who made the token.
    pub person: String,
    /// Whether that person is an administrator there. Reading needs none; sending history does.
    pub is_administrator: bool,
}

static CONFIG: LazyLock<WantedPlaces> =
    LazyLock::new(|| WantedPlaces::at(["/result/location_name", "/result/version"]));
static USER: LazyLock<WantedPlaces> =
    LazyLock::new(|| WantedPlaces::at(["/result/name", "/result/is_admin"]));

/// Connects, and asks who answers. Blocks.
///
/// # Errors
/// The reason why nobody does.
pub fn who_answers(settings: &LinkSettings) -> Result<HomeAssistantIdentity, HomeAssistantError> {
    identity(&mut HomeAssistantLink::open(settings, &settings.token()?)?)
}

/// Asks who answers.
pub(super) fn identity(
    link: &mut HomeAssistantLink,
) -> Result<HomeAssistantIdentity, HomeAssistantError> {
    let other = |_| HomeAssistantError::OtherProtocol;
    let config = link.ask(json!({"type": "get_config"}), "get_config")?;
    let config = CONFIG.read(config.as_bytes()).map_err(other)?;
    let user = link.ask(json!({"type": "auth/current_user"}), "current_user")?;
    let user = USER.read(user.as_bytes()).map_err(other)?;
    let text = |of: &Value, place| {
        let text = of.pointer(place).and_then(Value::as_str);
        shown_text(text.unwrap_or_default())
    };
    let is_admin = user.pointer("/result/is_admin").and_then(Value::as_bool);
    Ok(HomeAssistantIdentity {
        location: text(&config, "/result/location_name"),
        version: text(&config, "/result/version"),
        person: text(&user, "/result/name"),
        is_administrator: is_admin.ok_or(HomeAssistantError::OtherProtocol)?,
    })
}
