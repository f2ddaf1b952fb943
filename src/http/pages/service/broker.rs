//! `/settings/broker`: the MQTT broker, Home Assistant, and a test of the connection.

use actix_web::web::Data;
use askama::Template;

use super::connection::{BrokerStateView, ServiceClock, problem_text};
use super::fields::SettingsForm;
use super::subscriptions::{SubscriptionView, views};
use super::trials::Trials;
use crate::config::SettingInForce;
use crate::domain::ServiceSetting;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::visit::or_again;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::http::pages::settings::parts::layout;
use crate::mqtt::client::try_connection;

#[derive(Template)]
#[template(path = "service/broker.html")]
struct BrokerPage {
    layout: Layout,
    /// Without the scheme.
    address: SettingInForce,
    has_tls: bool,
    user: SettingInForce,
    password: SettingInForce,
    ca_file: SettingInForce,
    discovery: SettingInForce,
    /// Whether the service is connected; `None` without a broker.
    state: Option<BrokerStateView>,
    subscriptions: Vec<SubscriptionView>,
    /// Whether the test went well, and what came of it.
    trial: Option<(bool, String)>,
}

impl BrokerPage {
    fn new(visit: &Visit) -> Result<Self, PageError> {
        let in_force = visit.app.settings.in_force();
        let broker = in_force.of(ServiceSetting::MqttBroker);
        let (has_tls, host) = parts(&broker.value);
        let has_broker = in_force.config.mqtt.broker.is_some();
        let clocks = ServiceClock::of(&visit.app, visit.language());
        Ok(Self {
            layout: layout(visit)?,
            address: SettingInForce {
                value: host.to_owned(),
                ..broker
            },
            has_tls,
            user: in_force.of(ServiceSetting::MqttUser),
            password: in_force.of(ServiceSetting::MqttPassword),
            ca_file: in_force.of(ServiceSetting::MqttCaFile),
            discovery: in_force.of(ServiceSetting::HomeAssistantDiscovery),
            state: has_broker.then(|| BrokerStateView::of(&visit.app, &clocks)),
            subscriptions: views(&in_force, visit.language()),
            trial: None,
        })
    }
}

/// Whether an address asks for TLS, and what follows its scheme.
fn parts(address: &str) -> (bool, &str) {
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
    let mut form = SettingsForm::new(&visit);
    let typed = visit.field("address")?;
    let (asks_for_tls, host) = parts(typed.trim());
    // Whichever asks for it: a password must not travel in the open by mistake.
    let has_tls = asks_for_tls || !visit.field("tls")?.is_empty();
    let scheme = if has_tls { "mqtts" } else { "mqtt" };
    let whole = match host {
        "" => String::new(),
        host => format!("{scheme}://{host}"),
    };
    let before = BrokerPage::new(&visit)?;
    let address = form.put(ServiceSetting::MqttBroker, &whole);
    let discovery = visit.field("discovery")?;
    let discovery = if discovery.is_empty() {
        "false"
    } else {
        "true"
    };
    let page = BrokerPage {
        has_tls: if address.held_by.is_some() {
            before.has_tls
        } else {
            has_tls
        },
        address: SettingInForce {
            value: parts(&address.value).1.to_owned(),
            ..address
        },
        user: form.text(ServiceSetting::MqttUser)?,
        password: form.secret(ServiceSetting::MqttPassword)?,
        ca_file: form.text(ServiceSetting::MqttCaFile)?,
        discovery: form.put(ServiceSetting::HomeAssistantDiscovery, discovery),
        ..before
    };
    let saved = form.save("settings/broker?done=saved").await;
    or_again(saved, page, |page| &mut page.layout)
}

/// `POST /settings/broker/test`: connects with the settings in force. So nobody learns more by it than by saving them, and no secret
/// is sent elsewhere.
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

/// What is wrong with the connection, in words.
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
