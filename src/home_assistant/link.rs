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
use tungstenite::{Error, HandshakeError, Message, WebSocket};

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
}

impl HomeAssistantLink {
    /// Connects, and signs in with `token`.
    pub(super) fn open(settings: &HistorySettings, token: &Secret) -> Result<Self, HistoryError> {
        let deadline = Deadline::within(WITHIN);
        let stream = connect(settings, &deadline)?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_BYTES))
            .max_frame_size(Some(MAX_BYTES));
        let address = settings.address.websocket();
        let opened = tungstenite::client::client_with_config(address, stream, Some(config));
        let (socket, _) = opened.map_err(|error| match error {
            HandshakeError::Failure(error) => why(&error),
            // Only of streams that do not block.
            HandshakeError::Interrupted(_) => HistoryError::NoAnswer(WITHIN),
        })?;
        let mut link = Self {
            socket,
            deadline,
            last_id: 0,
            is_new: true,
        };
        link.sign_in(token)?;
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
                their_sums(HomeAssistantMessage::read(&text).and_then(|arrived| arrived.result))
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
    fn ask(&mut self, mut message: Value, command: &'static str) -> Result<String, HistoryError> {
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
        self.socket.send(message).map_err(|error| why(&error))
    }

    fn receive(&mut self) -> Result<String, HistoryError> {
        loop {
            match self.socket.read().map_err(|error| why(&error))? {
                Message::Text(text) => return Ok(text.as_str().to_owned()),
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

/// The cause of a failure, without any text of the other side.
fn why(error: &Error) -> HistoryError {
    match error {
        Error::Io(error) => why_not_connected(error),
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::HandshakeIncomplete,
        ) => HistoryError::Closed,
        Error::Capacity(_) => HistoryError::TooLong(MAX_BYTES),
        Error::Http(answer) => HistoryError::NoWebSocket(answer.status().as_u16()),
        _ => HistoryError::OtherProtocol,
    }
}
