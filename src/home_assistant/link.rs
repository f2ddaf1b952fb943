//! The connection to Home Assistant's WebSocket API: it connects, signs in, and carries out one
//! command after another. Blocks, each time for a bounded time.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};
use serde_json::Value;
use tungstenite::error::ProtocolError;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, HandshakeError, Message, Utf8Bytes, WebSocket};

use super::error::HistoryError;
use super::message::{
    HomeAssistantMessage, SumPeriod, TheirSums, ask_sums, authentication, clear, has_unit_classes,
    import, their_sums,
};
use super::settings::HistorySettings;
use super::statistic::{Statistic, SumHour};
use super::stream::{Deadline, DeadlineStream};
use crate::domain::{Secret, Timestamp};
use crate::trust;

/// The time for a connection with its sign-in, and for each command.
const WITHIN: Duration = Duration::from_secs(30);
/// The longest message: the sums of two months of eight statistics have 1 MB.
const MAX_BYTES: usize = 4 << 20;
/// The longest one before the other side has accepted the token. Its own have some 50 bytes.
const MAX_GREETING_BYTES: usize = 16 << 10;

trait LinkStream: Read + Write + Send {}
impl<S: Read + Write + Send> LinkStream for S {}

/// A command.
pub(super) enum LinkCommand {
    /// Asks for sums.
    Sums(Vec<String>, Range<Timestamp>, SumPeriod),
    /// Sends hours.
    Import(Statistic, Vec<SumHour>),
    /// Removes statistics.
    Clear(Vec<String>),
}

/// A connection that is signed in.
pub(super) struct HomeAssistantLink {
    socket: WebSocket<Box<dyn LinkStream>>,
    deadline: Deadline,
    /// The id of the last command.
    last_id: u64,
    /// Whether it wants kinds of means and units.
    is_new: bool,
    /// The longest message that is read.
    most_bytes: usize,
}

impl HomeAssistantLink {
    /// Connects, and signs in with `token`.
    pub(super) fn open(settings: &HistorySettings, token: &Secret) -> Result<Self, HistoryError> {
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
            HandshakeError::Interrupted(_) => HistoryError::NoAnswer(WITHIN),
        })?;
        let mut link = Self {
            socket,
            deadline,
            last_id: 0,
            is_new: true,
            most_bytes: MAX_GREETING_BYTES,
        };
        link.sign_in(token)?;
        link.most_bytes = MAX_BYTES;
        link.socket.set_config(|config| {
            config.max_message_size = Some(MAX_BYTES);
            config.max_frame_size = Some(MAX_BYTES);
        });
        Ok(link)
    }

    fn sign_in(&mut self, token: &Secret) -> Result<(), HistoryError> {
        let kind = |text: &str| HomeAssistantMessage::read(text).map(|arrived| arrived.kind);
        if kind(&self.receive()?).as_deref() != Some("auth_required") {
            return Err(HistoryError::OtherProtocol);
        }
        self.send(&authentication(token))?;
        let text = self.receive()?;
        let arrived = HomeAssistantMessage::read(&text).ok_or(HistoryError::OtherProtocol)?;
        match arrived.kind.as_str() {
            "auth_ok" => {
                self.is_new = has_unit_classes(arrived.ha_version.as_deref().unwrap_or_default());
                Ok(())
            }
            "auth_invalid" => Err(HistoryError::WrongToken),
            _ => Err(HistoryError::OtherProtocol),
        }
    }

    /// Carries out a command; only [`LinkCommand::Sums`] has sums.
    pub(super) fn carry_out(&mut self, command: &LinkCommand) -> Result<TheirSums, HistoryError> {
        self.deadline.extend(WITHIN);
        match command {
            LinkCommand::Sums(ids, range, period) => {
                let text = self.ask(ask_sums(ids, range, *period), "statistics_during_period")?;
                their_sums(&text, ids)
            }
            LinkCommand::Import(statistic, hours) => {
                let message = import(statistic, hours, self.is_new);
                self.ask(message, "import_statistics")?;
                Ok(BTreeMap::new())
            }
            LinkCommand::Clear(ids) => {
                self.ask(clear(ids), "clear_statistics")?;
                Ok(BTreeMap::new())
            }
        }
    }

    /// Sends a command; returns the message with its result.
    fn ask(
        &mut self,
        mut message: Value,
        command: &'static str,
    ) -> Result<Utf8Bytes, HistoryError> {
        self.last_id += 1;
        if let Some(members) = message.as_object_mut() {
            members.insert("id".to_owned(), self.last_id.into());
        }
        self.send(&message)?;
        loop {
            let text = self.receive()?;
            let arrived = HomeAssistantMessage::read(&text).ok_or(HistoryError::OtherProtocol)?;
            if arrived.kind == "result" && arrived.id == Some(self.last_id) {
                arrived.outcome(command)?;
                return Ok(text);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), HistoryError> {
        let message = Message::text(message.to_string());
        let sent = self.socket.send(message);
        sent.map_err(|error| why(&error, self.most_bytes))
    }

    fn receive(&mut self) -> Result<Utf8Bytes, HistoryError> {
        loop {
            let received = self.socket.read();
            match received.map_err(|error| why(&error, self.most_bytes))? {
                Message::Text(text) => return Ok(text),
                Message::Close(_) => return Err(HistoryError::Closed),
                Message::Binary(_) => return Err(HistoryError::OtherProtocol),
                // Answered by the library.
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }
}

fn connect(
    settings: &HistorySettings,
    deadline: &Deadline,
) -> Result<Box<dyn LinkStream>, HistoryError> {
    let address = &settings.address;
    let stream = DeadlineStream::connect(address.host(), address.port(), deadline.clone());
    let stream = stream.map_err(|error| why_not_connected(&error))?;
    if !address.is_encrypted() {
        return Ok(Box::new(stream));
    }
    let trusted = trust::client_config(settings.ca_file.as_deref());
    let trusted = trusted.map_err(|error| HistoryError::Trust(error.to_string()))?;
    let name = ServerName::try_from(address.host().to_owned());
    let name = name.map_err(|error| HistoryError::Unreachable(error.to_string()))?;
    let client = ClientConnection::new(Arc::new(trusted), name);
    let client = client.map_err(|error| HistoryError::Unreachable(error.to_string()))?;
    Ok(Box::new(StreamOwned::new(client, stream)))
}

fn why_not_connected(error: &io::Error) -> HistoryError {
    match error.kind() {
        ErrorKind::TimedOut => HistoryError::NoAnswer(WITHIN),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            HistoryError::Closed
        }
        _ => HistoryError::Unreachable(error.to_string()),
    }
}

/// The cause of a failure, without any text of the other side, whose messages may have so many
/// bytes.
fn why(error: &Error, most_bytes: usize) -> HistoryError {
    match error {
        Error::Io(error) => why_not_connected(error),
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::HandshakeIncomplete,
        ) => HistoryError::Closed,
        Error::Capacity(_) => HistoryError::TooLong(most_bytes),
        Error::Http(answer) => HistoryError::NoWebSocket(answer.status().as_u16()),
        _ => HistoryError::OtherProtocol,
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;
    use crate::domain::time::at;
    use crate::ingest::wanted::tests::{held_by, hostile};

    /// The address of one that sends these messages, whatever it gets.
    fn sending(messages: Vec<String>) -> HistorySettings {
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
        HistorySettings {
            address: format!("http://{address}").parse().unwrap(),
            token: Secret::new("t".to_owned()),
            token_file: None,
            ca_file: None,
            account: None,
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
                opened = HomeAssistantLink::open(&settings, &settings.token).map(drop);
            });
            assert_eq!(opened, Err(HistoryError::TooLong(MAX_GREETING_BYTES)));
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
            let command = LinkCommand::Sums(ids.clone(), range.clone(), SumPeriod::Hour);
            let held = held_by(|| {
                let mut link = HomeAssistantLink::open(&settings, &settings.token).unwrap();
                let _ = link.carry_out(&command);
            });
            assert!(held < 24 << 20, "{held} for {shown}");
        }
    }
}
