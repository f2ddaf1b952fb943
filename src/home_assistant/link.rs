//! The connection to Home Assistant's WebSocket API: it connects, signs in, and asks one question
//! after another. Blocks, each time for a bounded time.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};
use serde_json::{Value, json};
use tungstenite::error::ProtocolError;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, HandshakeError, Message, Utf8Bytes, WebSocket};

use super::error::HomeAssistantError;
use super::message::{HomeAssistantMessage, authentication};
use super::settings::LinkSettings;
use super::stream::{Deadline, DeadlineStream};
use crate::domain::Secret;
use crate::trust;

/// The time for a connection with its sign-in, and for each command.
const WITHIN: Duration = Duration::from_secs(30);
/// The longest message: the sums of two months of eight statistics have 1 MB.
const MAX_BYTES: usize = 4 << 20;
/// The longest one before the other side has accepted the token. Its own have some 50 bytes.
const MAX_GREETING_BYTES: usize = 16 << 10;

trait LinkStream: Read + Write + Send {}
impl<S: Read + Write + Send> LinkStream for S {}

/// A connection that is signed in.
pub(super) struct HomeAssistantLink {
    socket: WebSocket<Box<dyn LinkStream>>,
    deadline: Deadline,
    /// The id of the last command.
    last_id: u64,
    /// The version of the other side.
    version: String,
    /// The longest message that is read.
    most_bytes: usize,
    /// The id of the subscription.
    subscription: u64,
}

/// While nothing happens, the other side is asked so often whether it is there.
const PING_EVERY: Duration = Duration::from_secs(30);
/// The pause after a message that nobody wants.
const UNWANTED: Duration = Duration::from_millis(10);

impl HomeAssistantLink {
    /// Connects, and signs in with `token`.
    pub(super) fn open(
        settings: &LinkSettings,
        token: &Secret,
    ) -> Result<Self, HomeAssistantError> {
        let deadline = Deadline::within(WITHIN);
        let stream = connect(settings, &deadline)?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_GREETING_BYTES))
            .max_frame_size(Some(MAX_GREETING_BYTES));
        let address = settings.address.websocket();
        let opened = tungstenite::client::client_with_config(address, stream, Some(config));
        let (socket, _) = opened.map_err(|error| match error {
            HandshakeError::Failure(error) => why(&error, MAX_GREETING_BYTES),
            // Only of streams that do not block.
            HandshakeError::Interrupted(_) => HomeAssistantError::NoAnswer(WITHIN),
        })?;
        let mut link = Self {
            socket,
            deadline,
            last_id: 0,
            version: String::new(),
            most_bytes: MAX_GREETING_BYTES,
            subscription: 0,
        };
        link.sign_in(token)?;
        link.most_bytes = MAX_BYTES;
        link.socket.set_config(|config| {
            config.max_message_size = Some(MAX_BYTES);
            config.max_frame_size = Some(MAX_BYTES);
        });
        Ok(link)
    }

    fn sign_in(&mut self, token: &Secret) -> Result<(), HomeAssistantError> {
        let kind = |text: &str| HomeAssistantMessage::read(text).map(|arrived| arrived.kind);
        if kind(&self.receive()?).as_deref() != Some("auth_required") {
            return Err(HomeAssistantError::OtherProtocol);
        }
        self.send(&authentication(token))?;
        let text = self.receive()?;
        let arrived = HomeAssistantMessage::read(&text).ok_or(HomeAssistantError::OtherProtocol)?;
        match arrived.kind.as_str() {
            "auth_ok" => {
                self.version = arrived.ha_version.unwrap_or_default();
                Ok(())
            }
            "auth_invalid" => Err(HomeAssistantError::WrongToken),
            _ => Err(HomeAssistantError::OtherProtocol),
        }
    }

    /// The version of the other side; empty if it did not say so.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Sends a command; returns the message with its result.
    pub(super) fn ask(
        &mut self,
        mut message: Value,
        command: &'static str,
    ) -> Result<Utf8Bytes, HomeAssistantError> {
        self.deadline.extend(WITHIN);
        self.last_id += 1;
        if let Some(members) = message.as_object_mut() {
            members.insert("id".to_owned(), self.last_id.into());
        }
        self.send(&message)?;
        loop {
            let text = self.receive()?;
            let arrived =
                HomeAssistantMessage::read(&text).ok_or(HomeAssistantError::OtherProtocol)?;
            if arrived.kind == "result" && arrived.id == Some(self.last_id) {
                arrived.outcome(command)?;
                return Ok(text);
            }
        }
    }

    /// Subscribes to events; [`Self::next_event`] has them.
    pub(super) fn subscribe(
        &mut self,
        message: Value,
        command: &'static str,
    ) -> Result<Utf8Bytes, HomeAssistantError> {
        let answer = self.ask(message, command)?;
        self.subscription = self.last_id;
        Ok(answer)
    }

    /// The next message with an event; an empty text if nothing happened for a while, and the other
    /// side is still there.
    pub(super) fn next_event(&mut self) -> Result<Utf8Bytes, HomeAssistantError> {
        let mut is_asked = false;
        loop {
            self.deadline.extend(PING_EVERY);
            let text = match self.receive() {
                Err(HomeAssistantError::NoAnswer(_)) if !is_asked => {
                    self.last_id += 1;
                    let ping = json!({"id": self.last_id, "type": "ping"});
                    self.deadline.extend(WITHIN);
                    self.send(&ping)?;
                    is_asked = true;
                    continue;
                }
                received => received?,
            };
            let arrived =
                HomeAssistantMessage::read(&text).ok_or(HomeAssistantError::OtherProtocol)?;
            match arrived.kind.as_str() {
                "event" if arrived.id == Some(self.subscription) => return Ok(text),
                "pong" if is_asked => return Ok(Utf8Bytes::default()),
                _ => thread::sleep(UNWANTED),
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), HomeAssistantError> {
        let message = Message::text(message.to_string());
        let sent = self.socket.send(message);
        sent.map_err(|error| why(&error, self.most_bytes))
    }

    fn receive(&mut self) -> Result<Utf8Bytes, HomeAssistantError> {
        loop {
            let received = self.socket.read();
            match received.map_err(|error| why(&error, self.most_bytes))? {
                Message::Text(text) => return Ok(text),
                Message::Close(_) => return Err(HomeAssistantError::Closed),
                Message::Binary(_) => return Err(HomeAssistantError::OtherProtocol),
                // Answered by the library.
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }
}

fn connect(
    settings: &LinkSettings,
    deadline: &Deadline,
) -> Result<Box<dyn LinkStream>, HomeAssistantError> {
    let address = &settings.address;
    let stream = DeadlineStream::connect(address.host(), address.port(), deadline.clone());
    let stream = stream.map_err(|error| why_not_connected(&error))?;
    if !address.is_encrypted() {
        return Ok(Box::new(stream));
    }
    let trusted = trust::client_config(settings.ca_file.as_deref());
    let trusted = trusted.map_err(|error| HomeAssistantError::Trust(error.to_string()))?;
    let name = ServerName::try_from(address.host().to_owned());
    let name = name.map_err(|error| HomeAssistantError::Unreachable(error.to_string()))?;
    let client = ClientConnection::new(Arc::new(trusted), name);
    let client = client.map_err(|error| HomeAssistantError::Unreachable(error.to_string()))?;
    Ok(Box::new(StreamOwned::new(client, stream)))
}

fn why_not_connected(error: &io::Error) -> HomeAssistantError {
    match error.kind() {
        ErrorKind::TimedOut => HomeAssistantError::NoAnswer(WITHIN),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            HomeAssistantError::Closed
        }
        ErrorKind::NotFound => HomeAssistantError::UnknownHost,
        ErrorKind::InvalidData => match tls_fault(error) {
            Some(rustls::Error::InvalidCertificate(why)) => {
                HomeAssistantError::Certificate(why.to_string())
            }
            Some(_) => HomeAssistantError::NoTls,
            None => HomeAssistantError::OtherProtocol,
        },
        _ => HomeAssistantError::Unreachable(error.to_string()),
    }
}

fn tls_fault(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}

/// The cause of a failure, without any text of the other side, whose messages may have so many
/// bytes.
fn why(error: &Error, most_bytes: usize) -> HomeAssistantError {
    match error {
        Error::Io(error) => why_not_connected(error),
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::HandshakeIncomplete,
        ) => HomeAssistantError::Closed,
        Error::Capacity(_) => HomeAssistantError::TooLong(most_bytes),
        Error::Http(answer) => HomeAssistantError::NoWebSocket(answer.status().as_u16()),
        _ => HomeAssistantError::OtherProtocol,
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::domain::time::at;
    use crate::home_assistant::LinkToken;
    use crate::home_assistant::message::{SumPeriod, ask_sums, their_sums};
    use crate::ingest::wanted::tests::{held_by, hostile};

    /// The address of one that sends these messages, whatever it gets.
    fn sending(messages: Vec<String>) -> LinkSettings {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut socket = tungstenite::accept(stream).unwrap();
            for message in messages {
                // The service may leave at any time.
                let _ = socket.send(Message::text(message));
            }
            let _ = socket.flush();
            while socket.read().is_ok() {}
        });
        LinkSettings {
            address: format!("http://{address}").parse().unwrap(),
            token: LinkToken::Typed(Secret::new("t".to_owned())),
            ca_file: None,
        }
    }

    const GREETING: &str = "{\"type\":\"auth_required\"}";
    const WELCOME: &str = "{\"type\":\"auth_ok\",\"ha_version\":\"2026.1.0\"}";

    #[test]
    fn a_long_message_before_the_sign_in_is_not_read() {
        let value = hostile(MAX_BYTES - 100).swap_remove(0);
        let error = format!("{{\"type\":\"auth_required\",\"error\":{{\"code\":{value}}}}}");
        for messages in [vec![error.clone()], vec![GREETING.to_owned(), error]] {
            let settings = sending(messages);
            let mut opened = Ok(());
            let held = held_by(|| {
                opened = HomeAssistantLink::open(&settings, &settings.token().unwrap()).map(drop);
            });
            assert_eq!(opened, Err(HomeAssistantError::TooLong(MAX_GREETING_BYTES)));
            assert!(held < 1 << 20, "{held}");
        }
    }

    #[test]
    fn no_message_takes_more_than_a_few_times_its_length() {
        let ids = vec!["wattkeeper:a".to_owned(), "wattkeeper:b".to_owned()];
        let range = at("2026-01-05T00:00:00")..at("2026-01-06T00:00:00");
        let mut answers = Vec::new();
        for value in hostile(MAX_BYTES - 200) {
            for around in [
                "{\"id\":1,\"type\":\"result\",\"success\":true,\"result\":{\"wattkeeper:a\":@}}",
                "{\"id\":1,\"type\":\"result\",\"success\":false,\"error\":{\"code\":@}}",
            ] {
                answers.push(around.replace('@', &value));
            }
        }
        let hours = (0..200_000).map(|hour| format!("{{\"start\":{hour}}}"));
        let hours: Vec<String> = hours.collect();
        answers.push(format!(
            "{{\"id\":1,\"type\":\"result\",\"success\":true,\"result\":{{\"wattkeeper:a\":[{}]}}}}",
            hours.join(",")
        ));
        for answer in answers {
            let shown = answer[..80].to_owned();
            let settings = sending(vec![GREETING.to_owned(), WELCOME.to_owned(), answer]);
            let question = ask_sums(&ids, &range, SumPeriod::Hour);
            let held = held_by(|| {
                let mut link =
                    HomeAssistantLink::open(&settings, &settings.token().unwrap()).unwrap();
                let answer = link.ask(question.clone(), "test");
                let _ = answer.map(|answer| their_sums(answer.as_str(), &ids));
            });
            assert!(held < 24 << 20, "{held} for {shown}");
        }
    }
}
