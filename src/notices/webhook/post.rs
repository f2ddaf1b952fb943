//! The client of the webhook, and the thread that waits for its answers.

use std::fs;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::{self, Thread};
use std::time::Duration;

use ureq::Agent;

use super::mail;
use super::message::{WebhookMessage, test_message};
use super::problem::{TIMEOUT, WebhookProblem};
use super::{WebhookFormat, WebhookSettings};
use crate::store::explain_denied;
use crate::trust;

/// Posts a test message. Blocks for up to ten seconds.
///
/// # Errors
/// A [`WebhookProblem`] if the message was not accepted.
pub fn try_webhook(settings: &WebhookSettings) -> Result<(), WebhookProblem> {
    post(
        settings,
        &test_message(settings.format, settings.language()),
    )
}

/// The handle of the posting thread, which posts one message at a time. The thread ends when this
/// is dropped, after its current answer; nobody waits for it, because it holds no part of the
/// store.
pub(super) struct Poster {
    messages: SyncSender<(WebhookMessage, Thread)>,
    answers: Receiver<Result<(), WebhookProblem>>,
}

/// The outcome of the last message.
pub(super) enum WebhookAnswer {
    NotYet,
    Taken,
    /// The reason why it was not accepted.
    Failed(WebhookProblem),
}

impl Poster {
    pub(super) fn start(settings: WebhookSettings) -> io::Result<Self> {
        let (messages, received) = sync_channel::<(WebhookMessage, Thread)>(1);
        let (answer, answers) = sync_channel(1);
        thread::Builder::new()
            .name("webhook".into())
            .spawn(move || {
                for (message, waiting) in received {
                    let answered = post(&settings, &message);
                    if answer.send(answered).is_err() {
                        return;
                    }
                    waiting.unpark();
                }
            })?;
        Ok(Self { messages, answers })
    }

    /// Posts a message. The current thread is unparked when the answer comes. Returns false if the
    /// last message has no answer yet.
    pub(super) fn post(&self, message: WebhookMessage) -> bool {
        self.messages.try_send((message, thread::current())).is_ok()
    }

    pub(super) fn answer(&self) -> WebhookAnswer {
        match self.answers.try_recv() {
            Ok(Ok(())) => WebhookAnswer::Taken,
            Ok(Err(why)) => WebhookAnswer::Failed(why),
            Err(TryRecvError::Empty) => WebhookAnswer::NotYet,
            // The panic hook has logged the cause.
            Err(TryRecvError::Disconnected) => {
                WebhookAnswer::Failed(WebhookProblem::Other("its thread ended".into()))
            }
        }
    }
}

fn post(settings: &WebhookSettings, message: &WebhookMessage) -> Result<(), WebhookProblem> {
    let token = match &settings.token_file {
        Some(path) => {
            let text = fs::read_to_string(path).map_err(|error| {
                let error = explain_denied(path, error);
                WebhookProblem::Other(format!("cannot read {}: {error}", path.display()))
            })?;
            text.lines().next().map(|line| line.trim().to_owned())
        }
        None => settings.token.clone(),
    };
    if settings.address.is_mail() {
        return mail::send(settings, message, (token, &trust::of_system()), TIMEOUT);
    }
    // Made for each message, because there are few, and the system's certificates may change.
    let address = settings.address.reveal();
    let address = match message.path {
        "" => address.to_owned(),
        path => format!("{}{path}", address.trim_end_matches('/')),
    };
    let mut request = https_agent(TIMEOUT).post(address);
    for (name, value) in &message.headers {
        request = request.header(*name, value.as_str());
    }
    if let Some(token) = token.filter(|token| !token.is_empty()) {
        request = match settings.format {
            WebhookFormat::Gotify => request.header("X-Gotify-Key", token),
            _ => request.header("Authorization", format!("Bearer {token}")),
        };
    }
    let answer = request
        .send(message.body.as_str())
        .map_err(|error| why(&error))?;
    let status = answer.status();
    if status.is_success() {
        return Ok(());
    }
    Err(WebhookProblem::Refused(status.as_u16()))
}

/// A client that trusts the system's certificates, allows each request `within` in all, and follows
/// no redirect.
pub(crate) fn https_agent(within: Duration) -> Agent {
    trust::https_client(within).into()
}

/// The cause of a failure, without the address, which some errors quote.
fn why(error: &ureq::Error) -> WebhookProblem {
    use ureq::Error;
    let other = match error {
        Error::Timeout(_) => return WebhookProblem::NoAnswer,
        Error::HostNotFound => return WebhookProblem::HostUnknown,
        Error::Io(error) => error.to_string(),
        Error::Rustls(error) => error.to_string(),
        Error::Tls(what) => (*what).to_owned(),
        Error::ConnectionFailed => "no connection".to_owned(),
        // For example, for a token with line breaks.
        Error::Http(_) => "the request cannot be made; check the token".to_owned(),
        _ => "its answer is not valid HTTP".to_owned(),
    };
    WebhookProblem::Other(other)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;
    use crate::ingest::wanted::tests::{held_by, hostile};

    #[test]
    fn the_body_of_an_answer_is_not_read() {
        let mut answers: Vec<String> = hostile(4 << 20)
            .into_iter()
            .take(3)
            .map(|body| {
                format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                )
            })
            .collect();
        answers.push(format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(4 << 20)));
        answers.push(format!("HTTP/1.1 200 OK\r\n{}", "x: y\r\n".repeat(1 << 20)));
        for answer in answers {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = format!("http://{}", listener.local_addr().unwrap());
            thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 4_096]);
                // The client may leave at any time.
                let _ = stream.write_all(answer.as_bytes());
            });
            let settings = WebhookSettings {
                address: address.parse().unwrap(),
                format: WebhookFormat::Json,
                language: "en".to_owned(),
                token: None,
                token_file: None,
                mail_to: String::new(),
                mail_from: String::new(),
            };
            // Most of it are the system's certificates.
            let held = held_by(|| {
                let _ = try_webhook(&settings);
            });
            assert!(held < 4 << 20, "{held}");
        }
    }
}
