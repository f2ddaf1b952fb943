//! The content of a message.

use serde_json::json;

use super::WebhookFormat;
use crate::chart::Wording;
use crate::domain::AccountName;
use crate::ledger::notice::{KnownNotice, NoticeKey, NoticeKind};
use crate::notices::sentence::{advice, happened, name_of, of_account, zone_of};
use crate::store::Registry;
use crate::texts::Language;

/// A message to post: headers and body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WebhookMessage {
    /// The path after the address.
    pub(super) path: &'static str,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
    /// The same as a page, for e-mail.
    pub(super) html: Option<String>,
}

/// The message due for a notice: that it is open, or that it ended.
pub(super) fn message(
    format: WebhookFormat,
    key: &NoticeKey,
    known: &KnownNotice,
    text: String,
) -> WebhookMessage {
    match format {
        WebhookFormat::Json => json_message(key, known),
        WebhookFormat::Ntfy => {
            let tags = if known.is_open() {
                "warning"
            } else {
                "white_check_mark"
            };
            let headers = vec![
                ("Title", title(known)),
                ("Priority", priority(known, ["3", "4"]).to_owned()),
                ("Tags", tags.to_owned()),
            ];
            WebhookMessage {
                headers,
                body: text,
                ..WebhookMessage::default()
            }
        }
        WebhookFormat::Email => mail(title(known), text),
        WebhookFormat::HomeAssistant => {
            let account = key.account.as_ref().map_or("", AccountName::as_str);
            let id = format!("wattkeeper {account} {}", key.id);
            if known.is_open() {
                notification(&id, &text)
            } else {
                // A notice that has ended leaves the list there.
                let message = json!({"notification_id": id});
                WebhookMessage {
                    path: "/api/services/persistent_notification/dismiss",
                    ..of_json(&message)
                }
            }
        }
        WebhookFormat::Gotify => {
            let message = json!({
                "title": title(known),
                "message": text,
                "priority": priority(known, [5, 8]),
            });
            of_json(&message)
        }
    }
}

/// A message that identifies itself as a test.
pub(super) fn test_message(format: WebhookFormat, language: &Language) -> WebhookMessage {
    const TITLE: &str = "wattkeeper: test";
    let text = |language: &Language| language.say("messages-test-text");
    match format {
        // It is English, like the API.
        WebhookFormat::Json => {
            of_json(&json!({"state": "test", "happened": text(Language::english())}))
        }
        WebhookFormat::Ntfy => WebhookMessage {
            headers: vec![("Title", TITLE.to_owned())],
            body: text(language),
            ..WebhookMessage::default()
        },
        WebhookFormat::Email => mail(TITLE.to_owned(), text(language)),
        WebhookFormat::HomeAssistant => notification("wattkeeper test", &text(language)),
        WebhookFormat::Gotify => {
            of_json(&json!({"title": TITLE, "message": text(language), "priority": 5}))
        }
    }
}

fn json_message(key: &NoticeKey, known: &KnownNotice) -> WebhookMessage {
    let notice = &known.notice;
    let message = json!({
        "state": if known.is_open() { "open" } else { "ended" },
        "id": key.id,
        "account": key.account.as_ref().map(ToString::to_string),
        "kind": notice.kind.as_str(),
        "subject": notice.subject,
        "since": notice.since.to_string(),
        "happened": notice.happened,
        "advice": advice(notice, Language::english()),
        "opened": known.opened.to_string(),
        "ended": known.ended.map(|ended| ended.to_string()),
    });
    of_json(&message)
}

/// An e-mail.
fn mail(subject: String, body: String) -> WebhookMessage {
    WebhookMessage {
        headers: vec![("Subject", subject)],
        body,
        ..WebhookMessage::default()
    }
}

/// A notification that stays in Home Assistant until it is dismissed.
pub(super) fn notification(id: &str, text: &str) -> WebhookMessage {
    let message = json!({"title": "wattkeeper", "message": text, "notification_id": id});
    WebhookMessage {
        path: "/api/services/persistent_notification/create",
        ..of_json(&message)
    }
}

pub(super) fn of_json(message: &serde_json::Value) -> WebhookMessage {
    WebhookMessage {
        headers: vec![("Content-Type", "application/json".to_owned())],
        body: message.to_string(),
        ..WebhookMessage::default()
    }
}

/// The title in ASCII, because it may be a header.
fn title(known: &KnownNotice) -> String {
    let kind = known.notice.kind.as_str();
    let over = if known.is_open() { "" } else { " is over" };
    format!("wattkeeper: {kind}{over}")
}

/// The text for people.
pub(super) fn text(
    registry: &Registry,
    (key, known): (&NoticeKey, &KnownNotice),
    language: &'static Language,
) -> String {
    let notice = &known.notice;
    // In English that of the API, which has more details than a page needs.
    let happened = if language.tag() == Language::english().tag() {
        notice.happened.clone()
    } else {
        let zone = zone_of(registry, key.account.as_ref());
        let wording = Wording::new(&zone, language);
        happened(notice, name_of(registry, notice), wording)
    };
    let text = if known.is_open() {
        format!("{happened} {}", advice(notice, language))
    } else {
        language.fill("notice-over", [("happened", happened.into())])
    };
    let account = key.account.as_ref();
    match account.filter(|_| registry.accounts().nth(1).is_some()) {
        Some(account) => format!("{text} {}", of_account(account.as_str(), language)),
        None => text,
    }
}

/// The higher priority if readings may be lost until somebody acts, or minutes count.
fn priority<T>(known: &KnownNotice, [usual, high]: [T; 2]) -> T {
    let is_urgent = matches!(
        known.notice.kind,
        NoticeKind::SensorSilent
            | NoticeKind::DiskNearlyFull
            | NoticeKind::WrongClock
            | NoticeKind::StoreDamaged
            | NoticeKind::PeakAhead
    );
    if is_urgent && known.is_open() {
        high
    } else {
        usual
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{SensorId, Timestamp};
    use crate::ledger::notice::{Notice, NoticeSubject};

    fn known(ended: Option<i64>) -> (NoticeKey, KnownNotice) {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let notice = Notice {
            kind: NoticeKind::SensorSilent,
            subject: NoticeSubject::Sensor(SensorId::new("Zähler").unwrap()),
            since: at(0),
            happened: "It is silent.".into(),
        };
        let key = NoticeKey::of(Some(AccountName::new("home").unwrap()), &notice);
        let known = KnownNotice {
            ended: ended.map(at),
            ..KnownNotice::new(notice, at(60_000))
        };
        (key, known)
    }

    fn told(key: &NoticeKey, known: &KnownNotice) -> String {
        text(&Registry::default(), (key, known), Language::english())
    }

    #[test]
    fn people_read_their_language() {
        let german = Language::of_tag("de").unwrap();
        for (ended, expected) in [
            (None, "Der Sensor Zähler sendet nichts mehr."),
            (
                Some(5),
                "Das ist vorbei: Der Sensor Zähler sendet nichts mehr.",
            ),
        ] {
            let (key, known) = known(ended);
            let told = text(&Registry::default(), (&key, &known), german);
            assert!(told.starts_with(expected), "{told}");
        }
        let test = test_message(WebhookFormat::Ntfy, german);
        assert!(test.body.starts_with("Das ist ein Test."), "{}", test.body);
    }

    fn body(format: WebhookFormat, ended: Option<i64>) -> String {
        let (key, known) = known(ended);
        message(format, &key, &known, told(&key, &known)).body
    }

    #[test]
    fn json_has_what_the_api_has() {
        assert_eq!(
            body(WebhookFormat::Json, None),
            "{\"state\":\"open\",\"id\":\"sensor-silent:Zähler\",\"account\":\"home\",\"kind\":\"sensor-silent\",\
             \"subject\":{\"sensor\":\"Zähler\"},\"since\":\"1970-01-01T00:00:00.000Z\",\"happened\":\"It is silent.\",\
             \"advice\":\"Check its power supply, its network and the program that uploads for it.\",\
             \"opened\":\"1970-01-01T00:01:00.000Z\",\"ended\":null}"
        );
        let ended = body(WebhookFormat::Json, Some(120_000));
        assert!(ended.starts_with("{\"state\":\"ended\""), "{ended}");
        assert!(
            ended.ends_with("\"ended\":\"1970-01-01T00:02:00.000Z\"}"),
            "{ended}"
        );
    }

    #[test]
    fn ntfy_and_gotify_take_a_title_a_text_and_a_priority() {
        let (key, open) = known(None);
        let sent = message(WebhookFormat::Ntfy, &key, &open, told(&key, &open));
        let headers = [
            ("Title", "wattkeeper: sensor-silent"),
            ("Priority", "4"),
            ("Tags", "warning"),
        ];
        assert_eq!(
            sent.headers,
            headers.map(|(name, text)| (name, text.to_owned()))
        );
        assert_eq!(
            sent.body,
            "It is silent. Check its power supply, its network and the program that uploads for it."
        );
        assert_eq!(
            body(WebhookFormat::Ntfy, Some(5)),
            "This is over: It is silent."
        );
        assert_eq!(
            body(WebhookFormat::Gotify, Some(5)),
            "{\"title\":\"wattkeeper: sensor-silent is over\",\"message\":\"This is over: It is silent.\",\"priority\":5}"
        );
    }
}
