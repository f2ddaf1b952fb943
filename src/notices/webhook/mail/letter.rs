//! What an e-mail says: the text of a notice; or a report, as text and as a page, with the way to
//! unsubscribe.

use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart};

use crate::notices::webhook::WebhookSettings;
use crate::notices::webhook::message::WebhookMessage;
use crate::notices::webhook::problem::WebhookProblem;

/// Where mail programs unsubscribe (RFC 2369).
#[derive(Clone)]
struct ListUnsubscribe(String);

impl Header for ListUnsubscribe {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe")
    }

    fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self(text.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.clone())
    }
}

impl ListUnsubscribe {
    /// By a mail to the sender: a person there turns reports off. The service has no address in the
    /// internet that could be called.
    fn by_mail_to(sender: &Mailbox) -> Self {
        let address: String = sender
            .email
            .to_string()
            .bytes()
            .map(|byte| match byte {
                b'@' | b'.' | b'-' | b'_' | b'+' => char::from(byte).to_string(),
                byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
                byte => format!("%{byte:02X}"),
            })
            .collect();
        Self(format!("<mailto:{address}?subject=unsubscribe>"))
    }
}

/// The sender's address: the set one, or else the recipient's.
pub(super) fn sender(settings: &WebhookSettings) -> &str {
    match settings.mail_from.as_str() {
        "" => &settings.mail_to,
        from => from,
    }
}

pub(super) fn mail_of(
    settings: &WebhookSettings,
    message: &WebhookMessage,
) -> Result<Message, WebhookProblem> {
    let mailbox = |text: &str, key: &str| {
        let mailbox = text.parse::<Mailbox>();
        mailbox.map_err(|_| WebhookProblem::Other(format!("{key} is not an address")))
    };
    let from = mailbox(sender(settings), "notices.mail_from")?;
    let subject = message.headers.iter().find(|(name, _)| *name == "Subject");
    let mail = Message::builder()
        .from(from.clone())
        .to(mailbox(&settings.mail_to, "notices.mail_to")?)
        .subject(subject.map_or("wattkeeper", |(_, text)| text));
    let body = message.body.clone();
    let mail = match message.html.clone() {
        None => mail.header(ContentType::TEXT_PLAIN).body(body),
        Some(html) => mail
            .header(ListUnsubscribe::by_mail_to(&from))
            .multipart(MultiPart::alternative_plain_html(body, html)),
    };
    mail.map_err(|_| WebhookProblem::Other("the message cannot be written".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_is_written_so_that_it_cannot_leave_its_header() {
        for (sender, expected) in [
            (
                "Haus <home@example.org>",
                "<mailto:home@example.org?subject=unsubscribe>",
            ),
            (
                "a+b@example.org",
                "<mailto:a+b@example.org?subject=unsubscribe>",
            ),
            (
                "a?b&c@example.org",
                "<mailto:a%3Fb%26c@example.org?subject=unsubscribe>",
            ),
        ] {
            let ListUnsubscribe(text) = ListUnsubscribe::by_mail_to(&sender.parse().unwrap());
            assert_eq!(text, expected);
        }
    }
}
