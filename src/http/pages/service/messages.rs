//! `/settings/messages`: the webhook for messages about notices, and a test message.

use actix_web::web::Data;
use askama::Template;

use super::fields::{SettingField, ShownSettings, save_settings};
use super::trials::Trials;
use crate::domain::{Role, ServiceSetting};
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::http::pages::settings::parts::layout;
use crate::notices::{MonthlyStatement, WebhookProblem, try_webhook};
use crate::texts::Language;

/// The fields of the form. Messages have the language of its page.
static FIELDS: [SettingField; 8] = [
    SettingField::labelled(
        "messages-address",
        "webhook",
        ServiceSetting::NoticesWebhook,
    )
    .mistake("messages-wrong-address"),
    SettingField::labelled("messages-format", "format", ServiceSetting::NoticesFormat),
    SettingField::hidden(ServiceSetting::NoticesLanguage)
        .typed(|visit, _| Ok(visit.language().tag().to_owned())),
    SettingField::labelled("messages-token", "token", ServiceSetting::NoticesToken)
        .mistake("messages-wrong-token"),
    SettingField::labelled("messages-mail-to", "mail_to", ServiceSetting::NoticesMailTo)
        .mistake("messages-wrong-mail"),
    SettingField::labelled(
        "messages-mail-from",
        "mail_from",
        ServiceSetting::NoticesMailFrom,
    )
    .mistake("messages-wrong-mail"),
    SettingField::labelled("messages-weekly", "weekly", ServiceSetting::NoticesWeekly)
        .mistake("messages-wrong-report")
        .typed(|_, text| Ok(chosen(text))),
    SettingField::labelled(
        "messages-statement",
        "statement",
        ServiceSetting::NoticesStatement,
    )
    .mistake("messages-wrong-report")
    .typed(|_, text| Ok(chosen(text))),
];

/// A chosen report: a form without a choice has none.
fn chosen(text: &str) -> String {
    let text = if text.is_empty() { "off" } else { text };
    text.to_owned()
}

/// The most sub-meters that are offered for a statement.
const MOST_OFFERED: usize = 200;

#[derive(Template)]
#[template(path = "service/messages.html")]
struct MessagesPage {
    layout: Layout,
    settings: ShownSettings,
    /// The sub-meters that a statement can be of: as typed, and their names.
    sub_meters: Vec<(String, String)>,
    /// Whether the test succeeded, and its result in words.
    trial: Option<(bool, String)>,
}

impl MessagesPage {
    fn new(visit: &Visit) -> Result<Self, PageError> {
        let settings = ShownSettings::new(visit, &FIELDS)?;
        Ok(Self {
            layout: layout(visit)?,
            sub_meters: sub_meters(visit, settings.fields.text("statement")),
            settings,
            trial: None,
        })
    }
}

/// The sub-meters, and the chosen one in any case.
fn sub_meters(visit: &Visit, chosen: &str) -> Vec<(String, String)> {
    let registry = visit.app.store.registry();
    let sub_meters = registry.sensors().filter(|it| it.role == Role::SubMeter);
    let offered = sub_meters.map(|it| {
        (
            MonthlyStatement::Sensor(it.id.clone()).text(),
            it.name.clone(),
        )
    });
    let mut offered: Vec<_> = offered.take(MOST_OFFERED).collect();
    let is_there = offered.iter().any(|(text, _)| text == chosen);
    if !is_there && let Ok(MonthlyStatement::Sensor(id)) = chosen.parse() {
        offered.push((chosen.to_owned(), id.to_string()));
    }
    offered
}

/// `GET /settings/messages`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&MessagesPage::new(&visit)?))
}

/// `POST /settings/messages`
pub(crate) async fn save(visit: Visit) -> PageResult {
    save_settings(&visit, &FIELDS, "settings/messages").await
}

/// `POST /settings/messages/test`: posts a message by the settings in force, so a test reveals no
/// more than saving the settings would, and sends no secret elsewhere.
pub(crate) async fn test(visit: Visit, trials: Data<Trials>) -> PageResult {
    let language = visit.language();
    let webhook = visit
        .app
        .settings
        .in_force()
        .config
        .notices
        .webhook_settings();
    let trial = match webhook {
        None => Err(language.say("messages-test-none")),
        Some(settings) => match trials.run(move || try_webhook(&settings)).await? {
            None => Err(language.say("trial-busy")),
            Some(tried) => tried.map_err(|problem| text_of(&problem, language)),
        },
    };
    Ok(ok(&MessagesPage {
        trial: Some(match trial {
            Ok(()) => (true, language.say("messages-test-fine")),
            Err(text) => (false, text),
        }),
        ..MessagesPage::new(&visit)?
    }))
}

/// The problem, and its remedy.
fn text_of(problem: &WebhookProblem, language: &Language) -> String {
    match problem {
        WebhookProblem::HostUnknown => language.say("messages-test-name"),
        WebhookProblem::NoAnswer => language.say("messages-test-silent"),
        WebhookProblem::Refused(status) => language.fill(
            "messages-test-refused",
            [("status", status.to_string().into())],
        ),
        WebhookProblem::Other(why) => {
            language.fill("messages-test-other", [("why", why.to_owned().into())])
        }
    }
}
