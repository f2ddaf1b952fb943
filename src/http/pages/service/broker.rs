//! `/settings/broker`: the MQTT broker, Home Assistant, and a test of the connection.

use actix_web::web::Data;
use askama::Template;

use super::connection::{BrokerStateView, ServiceClock, problem_text};
use super::fields::{address_parts, save_settings, seen_settings, shown};
use super::history::{self, HistoryView};
use super::subscriptions::{SubscriptionView, views};
use super::trials::Trials;
use crate::config::SettingInForce;
use crate::domain::ServiceSetting;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::http::pages::settings::parts::layout;
use crate::mqtt::client::try_connection;

/// The settings of the form.
const SETTINGS: [ServiceSetting; 5] = [
    ServiceSetting::MqttBroker,
    ServiceSetting::MqttUser,
    ServiceSetting::MqttPassword,
    ServiceSetting::MqttCaFile,
    ServiceSetting::HomeAssistantDiscovery,
];

#[derive(Template)]
#[template(path = "service/broker.html")]
struct BrokerPage {
    layout: Layout,
    /// The digest of the values in force.
    seen: String,
    /// The address, without the scheme.
    address: SettingInForce,
    has_tls: bool,
    user: SettingInForce,
    password: SettingInForce,
    ca_file: SettingInForce,
    discovery: SettingInForce,
    /// Whether the service is connected; `None` without a broker.
    state: Option<BrokerStateView>,
    subscriptions: Vec<SubscriptionView>,
    /// The history that Home Assistant gets; `None` if it gets none.
    history: Option<HistoryView>,
    /// Whether the test succeeded, and its result in words.
    trial: Option<(bool, String)>,
}

impl BrokerPage {
    fn new(visit: &Visit) -> Result<Self, PageError> {
        let in_force = visit.app.settings.in_force();
        let broker = shown(visit, ServiceSetting::MqttBroker)?;
        let (has_tls, host) = address_parts(&broker.value);
        // Without an address, only the box tells.
        let has_tls = has_tls || (broker.held_by.is_none() && !visit.field("tls")?.is_empty());
        let has_broker = in_force.config.mqtt.broker.is_some();
        let clocks = ServiceClock::of(&visit.app, visit.language());
        Ok(Self {
            layout: layout(visit)?,
            seen: seen_settings(visit, &SETTINGS),
            address: SettingInForce {
                value: host.to_owned(),
                ..broker
            },
            has_tls,
            user: shown(visit, ServiceSetting::MqttUser)?,
            password: shown(visit, ServiceSetting::MqttPassword)?,
            ca_file: shown(visit, ServiceSetting::MqttCaFile)?,
            discovery: shown(visit, ServiceSetting::HomeAssistantDiscovery)?,
            state: has_broker.then(|| BrokerStateView::of(&visit.app, &clocks)),
            subscriptions: views(&in_force, visit.language()),
            history: history::view(&visit.app, visit.language()),
            trial: None,
        })
    }
}

/// `GET /settings/broker`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&BrokerPage::new(&visit)?))
}

/// `POST /settings/broker`
pub(crate) async fn save(visit: Visit) -> PageResult {
    save_settings(&visit, &SETTINGS, "settings/broker").await
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
