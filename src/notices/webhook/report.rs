//! Reports as messages, in each format.

use serde_json::json;

use super::WebhookFormat;
use super::message::{WebhookMessage, notification, of_json};
use crate::domain::AccountName;
use crate::notices::reports::{DueReport, WrittenReport};

/// The message of a report.
pub(super) fn report_message(
    format: WebhookFormat,
    due: &DueReport,
    written: WrittenReport,
) -> WebhookMessage {
    let DueReport {
        account,
        kind,
        period,
    } = due;
    let kind = kind.as_str();
    let WrittenReport { title, text, html } = written;
    // A title may be a header, so it is in ASCII.
    let plain_title = format!("wattkeeper: {kind}");
    match format {
        WebhookFormat::Json => of_json(&json!({
            "state": kind,
            "account": account.as_str(),
            "from": period.range.start.to_string(),
            "to": period.range.end.to_string(),
            "title": title,
            "text": text,
        })),
        WebhookFormat::Ntfy => WebhookMessage {
            headers: vec![
                ("Title", plain_title),
                ("Priority", "2".to_owned()),
                ("Tags", "bar_chart".to_owned()),
            ],
            body: text,
            ..WebhookMessage::default()
        },
        WebhookFormat::Gotify => of_json(&json!({
            "title": plain_title,
            "message": text,
            "priority": 2,
        })),
        // The next one takes its place.
        WebhookFormat::HomeAssistant => {
            let id = format!("wattkeeper {} {kind}", AccountName::as_str(account));
            notification(&id, &text)
        }
        WebhookFormat::Email => WebhookMessage {
            headers: vec![("Subject", title)],
            body: text,
            html: Some(html),
            ..WebhookMessage::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::domain::{LocalDate, ReportKind};
    use crate::notices::reports::ReportPeriod;

    fn sent(format: WebhookFormat) -> WebhookMessage {
        let due = DueReport {
            account: AccountName::new("home").unwrap(),
            kind: ReportKind::Weekly,
            period: ReportPeriod {
                first: LocalDate::parse("2026-11-23").unwrap(),
                range: at("2026-11-22T23:00:00")..at("2026-11-29T23:00:00"),
            },
        };
        let written = WrittenReport {
            title: "Woche".into(),
            text: "Diese Woche.".into(),
            html: "<p>Diese Woche.</p>".into(),
        };
        report_message(format, &due, written)
    }

    #[test]
    fn each_format_has_the_text_and_mail_a_page() {
        assert_eq!(
            sent(WebhookFormat::Json).body,
            r#"{"state":"weekly","account":"home","from":"2026-11-22T23:00:00.000Z","to":"2026-11-29T23:00:00.000Z","title":"Woche","text":"Diese Woche."}"#
        );
        let ntfy = sent(WebhookFormat::Ntfy);
        assert_eq!(ntfy.body, "Diese Woche.");
        assert_eq!(ntfy.headers[0], ("Title", "wattkeeper: weekly".to_owned()));
        assert_eq!(
            sent(WebhookFormat::Gotify).body,
            r#"{"title":"wattkeeper: weekly","message":"Diese Woche.","priority":2}"#
        );
        let there = sent(WebhookFormat::HomeAssistant).body;
        assert!(
            there.contains(r#""notification_id":"wattkeeper home weekly""#),
            "{there}"
        );
        let mail = sent(WebhookFormat::Email);
        assert_eq!(mail.headers, [("Subject", "Woche".to_owned())]);
        assert_eq!(mail.html.as_deref(), Some("<p>Diese Woche.</p>"));
    }
}
