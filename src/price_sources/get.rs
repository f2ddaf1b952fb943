//! Requests over HTTP, bounded in size and time. They go to public addresses only, unless the
//! settings allow others, and no redirect leaves the server.

use std::fmt;
use std::time::Duration;

use ureq::config::Config;
use ureq::http::header::{AUTHORIZATION, LOCATION, RETRY_AFTER};
use ureq::http::{HeaderMap, Response};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body, Error};

use super::error::SourceError;
use super::question::{SourceRequest, question};
use super::settings::PriceSourceSettings;
use crate::domain::{TimeRange, is_public};
use crate::ingest::wanted::WantedPlaces;
use crate::poll::{PasswordPlace, PollError};
use crate::trust;

/// The time for one answer, with its redirects.
const WITHIN: Duration = Duration::from_secs(30);
/// The longest answer: a month of quarters of an hour in XML has 0.5 MB.
const MAX_BYTES: u64 = 2 << 20;
const MAX_TOKEN_BYTES: u64 = 16 << 10;
/// The most redirects within the server.
const MOST_REDIRECTS: usize = 3;
/// The longest wait that a source can ask for.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// Resolves names to public addresses. The connection goes to the addresses that were checked here,
/// so a name that leads elsewhere a moment later makes no difference.
#[derive(Debug)]
struct SourceResolver {
    allow_private: bool,
    names: DefaultResolver,
}

/// Why a name is not used: it leads to an address that is not public.
#[derive(Debug)]
struct NotPublic;

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the address is not public")
    }
}

impl std::error::Error for NotPublic {}

impl Resolver for SourceResolver {
    fn resolve(
        &self,
        uri: &ureq::http::Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.names.resolve(uri, config, timeout)?;
        let is_free = |ip| self.allow_private || is_public(ip);
        if found.iter().all(|address| is_free(address.ip())) {
            Ok(found)
        } else {
            Err(Error::Other(Box::new(NotPublic)))
        }
    }
}

/// Returns the answer of a source for a range. Blocks.
pub(super) fn get(
    settings: &PriceSourceSettings,
    range: TimeRange,
) -> Result<Vec<u8>, SourceError> {
    let key = settings.key.as_ref().map(PasswordPlace::password);
    let key = key.transpose();
    let mut key = key.map_err(|error| SourceError::KeyPlace(key_problem(&error)))?;
    if settings.needs_key() && key.is_none() {
        return Err(SourceError::KeyPlace("there is none; set key_file".into()));
    }
    let agent = agent(settings.allow_private);
    if let (Some(url), Some(basic)) = (&settings.form.token_url, &key) {
        key = Some(token(&agent, &url.fill(&[]), basic)?);
    }
    let SourceRequest {
        mut address,
        header,
        body,
    } = question(settings, range, key.as_deref());
    if let Some(body) = body {
        let mut request = agent.post(&address).content_type("application/json");
        if let Some((name, value)) = &header {
            request = request.header(name.as_str(), value.as_str());
        }
        let answer = request.send(&body).map_err(|error| why(&error))?;
        if answer.status().is_redirection() {
            // A body is sent once, to the address that was entered.
            return Err(SourceError::Redirect);
        }
        return read(answer, MAX_BYTES);
    }
    for _ in 0..=MOST_REDIRECTS {
        let mut request = agent.get(&address);
        if let Some((name, value)) = &header {
            request = request.header(name.as_str(), value.as_str());
        }
        let answer = request.call().map_err(|error| why(&error))?;
        if !answer.status().is_redirection() {
            return read(answer, MAX_BYTES);
        }
        let to = answer.headers().get(LOCATION);
        let to = to.and_then(|to| to.to_str().ok()).unwrap_or_default();
        address = within_server(settings.server(), to).ok_or(SourceError::Redirect)?;
    }
    Err(SourceError::Redirect)
}

fn key_problem(error: &PollError) -> String {
    match error {
        PollError::PasswordFile { path, cause } => {
            format!("cannot read {}: {cause}", path.display())
        }
        PollError::PasswordVariable(name) => format!("the variable {name} is not set, or empty"),
        other => other.to_string(),
    }
}

/// Made for each request, because there are few, and the system's certificates may change.
fn agent(allow_private: bool) -> Agent {
    let resolver = SourceResolver {
        allow_private,
        names: DefaultResolver::default(),
    };
    Agent::with_parts(
        trust::https_client(WITHIN),
        DefaultConnector::default(),
        resolver,
    )
}

/// The token for a key, by the client credentials of OAuth 2 (RFC 6749, 4.4).
fn token(agent: &Agent, address: &str, key: &str) -> Result<String, SourceError> {
    let answer = agent
        .post(address)
        .header(AUTHORIZATION, format!("Basic {key}"))
        .send_form([("grant_type", "client_credentials")])
        .map_err(|error| why(&error))?;
    if answer.status().is_redirection() {
        return Err(SourceError::Redirect);
    }
    let body = read(answer, MAX_TOKEN_BYTES)?;
    let answer = WantedPlaces::members(["access_token"]).read(&body).ok();
    let token = answer
        .as_ref()
        .and_then(|it| it.get("access_token")?.as_str());
    token.map(str::to_owned).ok_or(SourceError::NoToken)
}

fn read(mut answer: Response<Body>, most: u64) -> Result<Vec<u8>, SourceError> {
    match answer.status().as_u16() {
        200 => {}
        401 | 403 => return Err(SourceError::WrongKey),
        status @ (429 | 503) => {
            return Err(SourceError::Busy(status, retry_after(answer.headers())));
        }
        status => return Err(SourceError::Status(status)),
    }
    let body = answer.body_mut().with_config().limit(most);
    body.read_to_vec().map_err(|error| match error {
        Error::BodyExceedsLimit(_) => SourceError::TooLong(most),
        other => why(&other),
    })
}

/// How long a source asks to wait; a date instead of seconds is left out.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = Duration::from_secs(seconds.parse().ok()?);
    Some(wait.min(LONGEST_WAIT))
}

/// The address of a redirect, if it stays on the server.
fn within_server(server: &str, to: &str) -> Option<String> {
    if to.starts_with('/') && !to.starts_with("//") {
        return Some(format!("{server}{to}"));
    }
    let rest = to.strip_prefix(server)?;
    (rest.is_empty() || rest.starts_with(['/', '?', '#'])).then(|| to.to_owned())
}

/// The cause of a failure, without the address, which some errors quote.
fn why(error: &Error) -> SourceError {
    match error {
        Error::Timeout(_) => SourceError::NoAnswer(WITHIN),
        Error::HostNotFound => SourceError::Unreachable("its host name is unknown".into()),
        Error::Io(error) => SourceError::Unreachable(error.to_string()),
        Error::Rustls(error) => SourceError::Unreachable(error.to_string()),
        Error::Tls(what) => SourceError::Unreachable((*what).to_owned()),
        Error::ConnectionFailed => SourceError::Unreachable("no connection".into()),
        Error::Other(other) if other.is::<NotPublic>() => SourceError::Private,
        // For example, of a key with line breaks.
        Error::Http(_) => SourceError::KeyPlace("it cannot be sent; check key_file".into()),
        _ => SourceError::NotHttp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_on_the_server() {
        let server = "https://api.example";
        for (to, expected) in [
            ("/v2/prices?a=b", Some("https://api.example/v2/prices?a=b")),
            ("https://api.example/x", Some("https://api.example/x")),
            ("https://api.example", Some("https://api.example")),
            ("//evil.example/x", None),
            ("https://api.example.evil.example/x", None),
            ("https://api.example:8443/x", None),
            ("https://api.example@evil.example/x", None),
            ("http://api.example/x", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(within_server(server, to).as_deref(), expected, "{to}");
        }
    }

    #[test]
    fn a_wait_is_a_number_of_seconds_and_has_a_limit() {
        let wait = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, text.parse().unwrap());
            retry_after(&headers).map(|wait| wait.as_secs())
        };
        assert_eq!(wait("120"), Some(120));
        assert_eq!(wait("99999999"), Some(86_400));
        assert_eq!(wait("Wed, 21 Oct 2026 07:28:00 GMT"), None);
        assert_eq!(wait("-1"), None);
    }

    #[test]
    fn a_name_of_this_machine_is_refused_before_anything_is_sent() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
            let asked = agent(false).get(format!("http://{host}:{port}/")).call();
            let error = asked.map_err(|error| why(&error)).unwrap_err();
            assert_eq!(error, SourceError::Private, "{host}");
        }
        let nobody = listener.accept().unwrap_err();
        assert_eq!(nobody.kind(), std::io::ErrorKind::WouldBlock);
    }
}
