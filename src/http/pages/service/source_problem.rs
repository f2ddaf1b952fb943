//! Why a source has no prices, in words, with the remedy.

use crate::price_sources::SourceError;
use crate::texts::Language;

/// The reason why a source has no usable answer, and its remedy.
pub(in crate::http::pages) fn source_problem_text(
    error: &SourceError,
    language: &Language,
) -> String {
    let say = |name: &str| language.say(name);
    match error {
        SourceError::Unreachable(_) => say("source-unreachable"),
        SourceError::Private => say("source-private"),
        SourceError::NoAnswer(within) => {
            let seconds = [("seconds", within.as_secs().into())];
            language.fill("source-no-answer", seconds)
        }
        SourceError::Redirect => say("source-redirect"),
        SourceError::Busy(..) => say("source-busy"),
        SourceError::Status(status) => {
            let status = [("status", status.to_string().into())];
            language.fill("source-status", status)
        }
        SourceError::WrongKey | SourceError::KeyPlace(_) | SourceError::NoToken => {
            say("source-key")
        }
        SourceError::NotHttp | SourceError::Html(_) | SourceError::Format(_) => {
            say("source-other-answer")
        }
        SourceError::TooLong(_) | SourceError::TooMany(_) => say("source-too-long"),
        SourceError::Missing(place) => {
            language.fill("source-missing", [("place", place.to_owned().into())])
        }
        SourceError::Entry(number, what) => {
            let what = match *what {
                "time" => say("source-entry-time"),
                "end" => say("source-entry-end"),
                "type of day" => say("source-entry-type"),
                _ => say("source-entry-price"),
            };
            let values = [("number", number.to_string().into()), ("what", what.into())];
            language.fill("source-entry", values)
        }
        SourceError::Twice(time) => {
            language.fill("source-twice", [("time", time.to_string().into())])
        }
        SourceError::Refused(reason) => {
            language.fill("source-refused", [("reason", reason.to_string().into())])
        }
        SourceError::Currency { found, expected } => {
            let values = [
                ("found", found.as_str().into()),
                ("expected", expected.as_str().into()),
            ];
            language.fill("source-currency", values)
        }
        SourceError::NoAccount(_) | SourceError::WhichAccount => say("source-no-account"),
        SourceError::Store(_) => say("source-not-stored"),
        SourceError::Panic => say("source-own-fault"),
    }
}
