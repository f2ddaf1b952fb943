//! Why Home Assistant is not read, or has no history, in words, with the remedy.

use crate::home_assistant::HomeAssistantError;
use crate::texts::Language;

/// The reason, and its remedy.
pub(super) fn home_problem_text(error: &HomeAssistantError, language: &Language) -> String {
    let say = |name: &str| language.say(name);
    match error {
        HomeAssistantError::Unreachable(why) => {
            language.fill("ha-unreachable", [("why", why.to_owned().into())])
        }
        HomeAssistantError::UnknownHost => say("ha-unknown-host"),
        HomeAssistantError::Certificate(why) => {
            language.fill("ha-certificate", [("why", why.to_owned().into())])
        }
        HomeAssistantError::NoTls => say("ha-no-tls"),
        HomeAssistantError::NoAnswer(within) => {
            let seconds = [("seconds", within.as_secs().into())];
            language.fill("ha-no-answer", seconds)
        }
        HomeAssistantError::Closed => say("ha-closed"),
        HomeAssistantError::NoWebSocket(status) => {
            let status = [("status", status.to_string().into())];
            language.fill("ha-no-websocket", status)
        }
        HomeAssistantError::OtherProtocol | HomeAssistantError::TooLong(_) => {
            say("ha-other-protocol")
        }
        HomeAssistantError::WrongToken => say("ha-wrong-token"),
        HomeAssistantError::NotAdministrator => say("ha-not-administrator"),
        HomeAssistantError::TokenFile { .. } | HomeAssistantError::NoToken => say("ha-no-token"),
        HomeAssistantError::Trust(_) => say("ha-trust"),
        HomeAssistantError::Refused { command, code } => {
            let values = [
                ("command", (*command).into()),
                ("code", code.clone().into()),
            ];
            language.fill("ha-refused", values)
        }
        HomeAssistantError::NotTaken(_) => say("ha-history-not-taken"),
        HomeAssistantError::UnknownHours { id, .. } => {
            language.fill("ha-history-unknown-hours", [("name", id.clone().into())])
        }
        HomeAssistantError::Disputed => say("ha-history-disputed"),
        HomeAssistantError::NoAccount(_) | HomeAssistantError::WhichAccount => {
            say("ha-history-no-account")
        }
        HomeAssistantError::Busy => say("ha-compare-busy"),
        HomeAssistantError::Store(_) | HomeAssistantError::Panic => say("ha-own-fault"),
    }
}

/// The field of the form that is to be changed.
pub(super) const fn field_of(error: &HomeAssistantError) -> &'static str {
    match error {
        HomeAssistantError::WrongToken
        | HomeAssistantError::TokenFile { .. }
        | HomeAssistantError::NoToken => "token",
        _ => "address",
    }
}
