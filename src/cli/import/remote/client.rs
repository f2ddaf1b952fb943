//! Requests to another server: one at a time, with a pause in between, and repeated if it is busy.
//! Its credentials are in the query, as the API requires, so no address is ever shown.

use std::io::Read as _;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use ureq::{Agent, Error};

use super::ElecAddress;
use super::answer::{ElecAnswer, ElecPoint};
use crate::cli::output::note;
use crate::domain::Timestamp;
use crate::notices::https_agent;

/// The time that a server has for a whole answer.
const TIMEOUT: Duration = Duration::from_mins(2);
/// The largest answer: some 700,000 points.
const ANSWER_BYTES: u64 = 32 * 1024 * 1024;
/// The maximum number of tries of one request.
const TRIES: u32 = 8;
/// The wait before the second try, if the server names none; it doubles for each further one.
const FIRST_WAIT: Duration = Duration::from_secs(15);
/// The longest wait, even if the server asks for more.
const LONGEST_WAIT: Duration = Duration::from_mins(30);

/// Credentials for the other server.
pub(super) struct ElecCredentials {
    pub(super) api_id: String,
    pub(super) api_key: String,
}

/// The connection to a sensor on another server.
pub(super) struct ElecClient {
    agent: Agent,
    address: String,
    credentials: ElecCredentials,
    sensor: String,
    pause: Duration,
    last: Option<Instant>,
    quiet: bool,
}

/// The result of a request.
pub(super) enum ElecReply {
    Points(Vec<ElecPoint>),
    /// The range is too long for the server, or its answer for this client.
    TooLong,
}

/// Why a try failed.
enum FailedTry {
    /// It may succeed later, after this time if the server named one.
    Busy(String, Option<Duration>),
    TooLong,
    Final(String),
}

impl ElecClient {
    pub(super) fn new(
        address: &ElecAddress,
        credentials: ElecCredentials,
        sensor: &str,
        pause: u16,
        quiet: bool,
    ) -> Self {
        Self {
            agent: https_agent(TIMEOUT),
            address: format!("{}/elec", address.0),
            credentials,
            sensor: sensor.to_owned(),
            pause: Duration::from_secs(pause.into()),
            last: None,
            quiet,
        }
    }

    /// Returns the points of a type, with its units, from `start` to `end`.
    ///
    /// # Errors
    /// If the server refuses, does not answer like the API, or is busy for long.
    pub(super) fn ask(
        &mut self,
        [kind, units]: [&str; 2],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<ElecReply> {
        let mut wait = FIRST_WAIT;
        for attempt in 1..=TRIES {
            if let Some(last) = self.last {
                thread::sleep(self.pause.saturating_sub(last.elapsed()));
            }
            let tried = self.try_once([kind, units], start, end);
            self.last = Some(Instant::now());
            match tried {
                Ok(points) => return Ok(ElecReply::Points(points)),
                Err(FailedTry::TooLong) => return Ok(ElecReply::TooLong),
                Err(FailedTry::Final(why)) => bail!("the server: {why}"),
                Err(FailedTry::Busy(why, _)) if attempt == TRIES => {
                    bail!(
                        "the server: {why}; copied readings are stored, and the same command continues from there later"
                    )
                }
                Err(FailedTry::Busy(why, asked)) => {
                    let asked = asked.unwrap_or(wait).min(LONGEST_WAIT);
                    if !self.quiet {
                        note(&format!(
                            "the server: {why}; trying again in {} s",
                            asked.as_secs()
                        ));
                    }
                    thread::sleep(asked);
                    wait *= 2;
                }
            }
        }
        Ok(ElecReply::TooLong)
    }

    fn try_once(
        &self,
        [kind, units]: [&str; 2],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Vec<ElecPoint>, FailedTry> {
        // Without zero milliseconds, as in the API's description.
        let text = |time: Timestamp| time.to_string().replace(".000Z", "").replace('Z', "");
        let request = self
            .agent
            .get(&self.address)
            .query("sensor_id", &self.sensor)
            .query("api_id", &self.credentials.api_id)
            .query("api_key", &self.credentials.api_key)
            .query("type", kind)
            .query("start_time", text(start))
            .query("end_time", text(end));
        let mut answer = request.call().map_err(|error| failure(&error))?;
        let status = answer.status().as_u16();
        match status {
            200 => {}
            413 | 414 => return Err(FailedTry::TooLong),
            408 | 425 | 429 | 500..=599 => {
                let header = answer.headers().get("retry-after");
                let seconds = header.and_then(|it| it.to_str().ok()?.trim().parse().ok());
                let why = format!("it answered with status {status}");
                return Err(FailedTry::Busy(why, seconds.map(Duration::from_secs)));
            }
            401 | 403 => {
                return Err(FailedTry::Final(format!(
                    "it refuses the credentials or the sensor, with status {status}"
                )));
            }
            _ => {
                return Err(FailedTry::Final(format!(
                    "it answered with status {status}; is the address its base address, and the sensor's id right?"
                )));
            }
        }
        let mut body = Vec::new();
        let reader = answer.body_mut().as_reader();
        reader
            .take(ANSWER_BYTES + 1)
            .read_to_end(&mut body)
            .map_err(|error| FailedTry::Busy(error.to_string(), None))?;
        if u64::try_from(body.len()).unwrap_or(u64::MAX) > ANSWER_BYTES {
            return Err(FailedTry::TooLong);
        }
        let answer: ElecAnswer = serde_json::from_slice(&body).map_err(|error| {
            FailedTry::Final(format!(
                "it does not answer as the \"elec\" API does: {error}"
            ))
        })?;
        if answer.units != units {
            return Err(FailedTry::Final(format!(
                "its answer to type={kind} is not in {units}"
            )));
        }
        Ok(answer.data)
    }
}

/// The reason why a request failed, without the address, which some errors quote.
fn failure(error: &Error) -> FailedTry {
    let busy = |why: String| FailedTry::Busy(why, None);
    match error {
        Error::Timeout(_) => FailedTry::TooLong,
        Error::HostNotFound => FailedTry::Final("its host name is unknown".to_owned()),
        Error::Io(error) => busy(error.to_string()),
        Error::ConnectionFailed => busy("no connection".to_owned()),
        Error::Rustls(error) => FailedTry::Final(error.to_string()),
        Error::Tls(what) => FailedTry::Final((*what).to_owned()),
        _ => FailedTry::Final("its answer is not valid HTTP".to_owned()),
    }
}
