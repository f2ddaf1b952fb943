//! HTTP requests to the addresses in the settings, without redirects and proxies, and bounded in
//! size and time.

use std::io::Read as _;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ureq::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body, Error};

use super::digest::DigestChallenge;
use super::error::PollError;
use super::settings::{PollLogin, PollSettings};
use crate::ingest::devices::LoginKind;

/// The time that a device has for its answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The longest answer. The largest Shelly sends some ten thousand bytes.
const MAX_BYTES: u64 = 256 << 10;

/// The client for all devices. Each request uses a new connection, because Shellys keep none open.
pub(super) fn agent() -> Agent {
    let config = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .max_idle_connections(0)
        .max_redirects(0)
        .http_status_as_error(false)
        .proxy(None)
        .user_agent(concat!("wattkeeper/", env!("CARGO_PKG_VERSION")))
        .build();
    config.into()
}

/// Returns the answer of a device. Blocks.
pub(super) fn get(agent: &Agent, device: &PollSettings, path: &str) -> Result<Vec<u8>, PollError> {
    let kind = device.preset.terms.login;
    let login = device.login.as_ref().zip(kind);
    let authorization = match login {
        Some((login, LoginKind::Basic)) => Some(basic(login)?),
        // The device must ask first.
        Some((_, LoginKind::Digest)) | None => None,
    };
    let answer = ask(agent, device, path, authorization.as_deref())?;
    let answer = match login {
        Some((login, LoginKind::Digest)) if answer.status() == 401 => {
            let authorization = digest(answer.headers(), login, path)?;
            ask(agent, device, path, Some(&authorization))?
        }
        _ => answer,
    };
    read(device, answer)
}

fn ask(
    agent: &Agent,
    device: &PollSettings,
    path: &str,
    authorization: Option<&str>,
) -> Result<Response<Body>, PollError> {
    let mut request = agent.get(format!("http://{}{path}", device.address));
    if let Some(authorization) = authorization {
        request = request.header(AUTHORIZATION, authorization);
    }
    request.call().map_err(|error| why(&error))
}

fn read(device: &PollSettings, mut answer: Response<Body>) -> Result<Vec<u8>, PollError> {
    match answer.status().as_u16() {
        200 => {}
        // With a login, the sent password is wrong.
        401 if device.login.is_some() => return Err(PollError::WrongPassword),
        status => {
            return Err(PollError::Status(
                status,
                device.preset.terms.advice(status),
            ));
        }
    }
    // At its full size from the beginning: one that grows would be there twice.
    let mut bytes = Vec::with_capacity(usize::try_from(MAX_BYTES).unwrap_or_default());
    let body = answer.body_mut().with_config().limit(MAX_BYTES);
    let read = body.reader().read_to_end(&mut bytes);
    read.map_err(|error| why(&error.into()))?;
    Ok(bytes)
}

fn basic(login: &PollLogin) -> Result<String, PollError> {
    let password = login.password.password()?;
    let both = STANDARD.encode(format!("{}:{password}", login.user));
    Ok(format!("Basic {both}"))
}

fn digest(headers: &HeaderMap, login: &PollLogin, path: &str) -> Result<String, PollError> {
    let challenges = headers.get_all(WWW_AUTHENTICATE).iter();
    let mut challenges = challenges.filter_map(|header| header.to_str().ok());
    let challenge = challenges.find_map(DigestChallenge::parse);
    let challenge = challenge.ok_or(PollError::UnknownLogin)?;
    let mut random = [0; 24];
    getrandom::fill(&mut random).map_err(|error| PollError::Unreachable(error.to_string()))?;
    let password = login.password.password()?;
    Ok(challenge.answer(&login.user, &password, path, &STANDARD.encode(random)))
}

fn why(error: &Error) -> PollError {
    match error {
        Error::Timeout(_) => PollError::NoAnswer(TIMEOUT),
        Error::HostNotFound => PollError::Unreachable("its host name is unknown".into()),
        Error::Io(error) => PollError::Unreachable(error.to_string()),
        Error::ConnectionFailed => PollError::Unreachable("no connection".into()),
        Error::BodyExceedsLimit(_) => PollError::TooLong(MAX_BYTES),
        _ => PollError::NotHttp,
    }
}
