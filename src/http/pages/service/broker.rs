//! `/settings/broker`: the MQTT broker, Home Assistant, and a test of the connection.

use actix_web::web::Data;
use askama::Template;

use super::connection::{BrokerStateView, ServiceClock, problem_text};
use super::fields::{SettingField, ShownSettings, save_settings};
use super::history::{self, HistoryView};
use super::subscriptions::{SubscriptionView, views};
use super::trials::Trials;
use crate::domain::ServiceSetting;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::http::pages::settings::parts::layout;
use crate::mqtt::client::try_connection;

/// The fields of the form.
static FIELDS: [SettingField; 5] = [
    SettingField::labelled("broker-address", "address", ServiceSetting::MqttBroker)
        .mistake("broker-wrong-address")
        .typed(typed_address),
    SettingField::labelled("broker-user", "user", ServiceSetting::MqttUser),
    SettingField::labelled("broker-password", "password", ServiceSetting::MqttPassword),
    SettingField::labelled("broker-ca-file", "ca_file", ServiceSetting::MqttCaFile),
    SettingField::labelled(
        "broker-discovery",
        "discovery",
        ServiceSetting::HomeAssistantDiscovery,
    )
    .typed(|_, text| Ok((!text.is_empty()).to_string())),
];

#[derive(Template)]
#[template(path = "service/broker.html")]
struct BrokerPage {
    layout: Layout,
    settings: ShownSettings,
    /// The address of the broker, without the scheme.
    host: String,
    has_tls: bool,
    /// Whether the service is connected; `None` without a broker.
    state: Option<BrokerStateView>,
    subscriptions: Vec<SubscriptionView>,
    /// The histories that are sent.
    histories: Vec<HistoryView>,
    /// Whether the test succeeded, and its result in words.
    trial: Option<(bool, String)>,
}

impl BrokerPage {
    fn new(visit: &Visit) -> Result<Self, PageError> {
        let in_force = visit.app.settings.in_force();
        let settings = ShownSettings::new(visit, &FIELDS)?;
        let (has_tls, host) = address_parts(settings.fields.text("address"));
        let host = host.to_owned();
        // Without an address, only the box tells.
        let is_held = settings.of("address").held_by.is_some();
        let has_tls = has_tls || (!is_held && !visit.field("tls")?.is_empty());
        let has_broker = in_force.config.mqtt.broker.is_some();
        let clocks = ServiceClock::of(&visit.app, visit.language());
        Ok(Self {
            layout: layout(visit)?,
            settings,
            host,
            has_tls,
            state: has_broker.then(|| BrokerStateView::of(&visit.app, &clocks)),
            subscriptions: views(&in_force, visit.language()),
            histories: history::views(&visit.app, visit.language()),
            trial: None,
        })
    }
}

/// The address of a typed text, with its scheme.
fn typed_address(visit: &Visit, text: &str) -> Result<String, PageError> {
    Ok(match address_parts(text) {
        (_, "") => String::new(),
        // If either asks for TLS, because a password must not be sent unencrypted by mistake.
        (true, host) => format!("mqtts://{host}"),
        (_, host) if !visit.field("tls")?.is_empty() => format!("mqtts://{host}"),
        (_, host) => format!("mqtt://{host}"),
    })
}

/// Whether an address asks for TLS, and its part after the scheme.
fn address_parts(address: &str) -> (bool, &str) {
    if let Some(host) = address.strip_prefix("mqtts://") {
        return (true, host);
    }
    (false, address.strip_prefix("mqtt://").unwrap_or(address))
}

/// `GET /settings/broker`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&BrokerPage::new(&visit)?))
}

/// `POST /settings/broker`
pub(crate) async fn save(visit: Visit) -> PageResult {
    save_settings(&visit, &FIELDS, "settings/broker").await
}

/// `POST /settings/broker/test`: connects with the settings in force, so a test reveals no more
/// than saving the settings would, and sends no secret elsewhere.
pub(crate) async fn test(visit: Visit, trials: Data<Trials>) -> PageResult {
    let language = visit.language();
    let trial = (tried(&visit, &trials).await)?.map_err(|text| (false, text));
    let trial = match trial {
        Ok(()) => (true, language.say("broker-test-fine")),
        Err(failed) => failed,
    };
    Ok(ok(&BrokerPage {
        trial: Some(trial),
        ..BrokerPage::new(&visit)?
    }))
}

/// The problem of the connection, in words.
async fn tried(visit: &Visit, trials: &Trials) -> Result<Result<(), String>, PageError> {
    let language = visit.language();
    let config = &visit.app.settings.in_force().config;
    let Some(settings) = config.mqtt.settings(&config.home_assistant) else {
        return Ok(Err(language.say("broker-test-none")));
    };
    let Some(tried) = trials.run(move || try_connection(&settings)).await? else {
        return Ok(Err(language.say("trial-busy")));
    };
    Ok(tried.map_err(|problem| problem_text(&problem, language)))
}
