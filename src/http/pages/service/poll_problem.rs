//! Why a poll failed, in words, with the remedy.

use crate::poll::PollError;
use crate::texts::Language;

/// The reason why a device has no usable answer, and its remedy.
pub(super) fn poll_problem_text(error: &PollError, language: &Language) -> String {
    let say = |name: &str| language.say(name);
    match error {
        PollError::Unreachable(_) => say("poll-unreachable"),
        PollError::NoAnswer(within) => {
            let seconds = [("seconds", within.as_secs().into())];
            language.fill("poll-no-answer", seconds)
        }
        PollError::WrongPassword | PollError::Status(401, _) => say("poll-password"),
        PollError::Status(429, _) => say("poll-too-often"),
        PollError::Status(status, _) => {
            let status = [("status", status.to_string().into())];
            language.fill("poll-status", status)
        }
        PollError::UnknownLogin => say("poll-unknown-login"),
        PollError::PasswordFile { .. } | PollError::PasswordVariable(_) => {
            say("poll-password-place")
        }
        PollError::NotHttp | PollError::TooLong(_) | PollError::NotJson | PollError::NoNumbers => {
            say("poll-other-device")
        }
        PollError::SolarApi(code) => {
            language.fill("poll-solar-api", [("code", code.to_string().into())])
        }
        PollError::NotModbus | PollError::NoSunspec | PollError::NoModel => say("poll-no-sunspec"),
        PollError::Exception(code) => {
            language.fill("poll-exception", [("code", code.to_string().into())])
        }
        PollError::Panic => say("poll-own-fault"),
    }
}
