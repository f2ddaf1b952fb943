//! The one place that turns errors into statuses, with problem details (RFC 9457).
//!
//! The details name the invalid field, the expected value and the received one, but no secret and
//! nothing internal. Internal causes are logged once, when the response is made.

use std::fmt;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT_ENCODING, ALLOW, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use thiserror::Error;

use crate::admin::AdminError;
use crate::domain::Timestamp;
use crate::http::wire::problem::{ErrorCode, PROBLEM, problem_details};
use crate::http::wire::text;
use crate::ingest::{IngestError, TooManyReadings};
use crate::query::QueryError;
use crate::store::StoreError;

/// An error response; its `Display` is the text for the client.
#[derive(Debug, Error)]
pub(crate) enum ApiError {
    /// The body is not a JSON object; the reason.
    #[error("{0}")]
    MalformedJson(String),
    /// The client sent a malformed request; the reason.
    #[error("{0}")]
    MalformedRequest(&'static str),
    /// The same: this line of the head is not a header field.
    #[error("line {0}: expected NAME: VALUE, without a space before the colon")]
    MalformedLine(usize),
    /// The head of the request did not arrive in time.
    #[error("the head of the request was not complete in time")]
    HeadTimeout,
    /// The head of the request is too large.
    #[error("expected a head of less than 131072 bytes, with at most 96 header fields")]
    HeadTooLarge,
    /// A required field or parameter is missing or empty.
    #[error("{0} is required, but missing or empty")]
    MissingField(String),
    /// A field or parameter is invalid; its name and the reason.
    #[error("{name}: {problem}")]
    InvalidField { name: String, problem: String },
    /// The range ends before it starts.
    #[error("expected a start that is not after the end; got {start} to {end}")]
    InvalidRange { start: Timestamp, end: Timestamp },
    /// No result type has this name.
    #[error("type: expected rate, consumption, latest_rate or net_consumption; got {}", shown(.0))]
    UnknownType(String),
    /// Unknown api id or wrong key; the answer does not reveal which.
    #[error("unknown api id, or wrong key")]
    BadCredentials,
    /// Wrong token for the metrics.
    #[error("expected the metrics token in the header Authorization, as Bearer TOKEN")]
    BadToken,
    /// There are no credentials. InfluxDB's clients get a different text for missing credentials
    /// than for wrong ones.
    #[error("credentials are missing")]
    NoCredentials,
    /// The credentials do not allow this action.
    #[error("these credentials do not allow {0}")]
    ScopeInsufficient(&'static str),
    /// The sensor belongs to another account, is not authorized, or does not exist.
    #[error("the sensor does not exist or is not authorized for this account")]
    SensorNotAuthorized,
    /// The same for several sensors; the text names them.
    #[error("{0}")]
    SensorsNotAuthorized(String),
    /// An invalid, or partly invalid, request of another system's protocol; the reason, in that
    /// protocol's words.
    #[error("{0}")]
    Foreign(String),
    /// A browser sent credentials for a page of another site.
    #[error(
        "a page of another site sent this with credentials kept by the browser; to allow that site, add it to the setting http.cors_origins"
    )]
    CrossSite,
    /// The request names this host, which is not this service's.
    #[error(
        "this service is not known as {}: use its IP address, or add the name to the setting http.hosts",
        shown(.0)
    )]
    UnknownHost(String),
    /// The account's plan does not include this.
    #[error("net_consumption is for paid accounts only")]
    PaidAccountRequired,
    /// There is no recent power reading.
    #[error("the sensor has no power reading, or no upload in the last two hours")]
    NoRecentData,
    /// The account has no contract, so nothing has a price.
    #[error("the account has no contract, so nothing has a price: add one first")]
    NoContract,
    /// Prices that are needed are not known; which, and the remedy.
    #[error("{0}")]
    NoPrices(String),
    /// The Home Assistant of the account does not answer as it should; the reason.
    #[error("Home Assistant: {0}")]
    HomeAssistant(String),
    /// There is nothing at this path.
    #[error("there is nothing at this address")]
    NotFound,
    /// The path has other methods, listed here.
    #[error("expected {0}")]
    MethodNotAllowed(&'static str),
    /// The body did not arrive in time.
    #[error("the body was not complete after {} seconds", .0.as_secs_f64())]
    RequestTimeout(Duration),
    /// The body is larger than this.
    #[error("expected a body of at most {0} bytes, also after decompression")]
    BodyTooLarge(usize),
    /// An upload has more readings than `most`: at least this many.
    #[error(
        "expected at most {most} readings in one upload; got at least {came}: send them in several"
    )]
    TooManyReadings { most: usize, came: usize },
    /// The Content-Encoding is not supported.
    #[error("Content-Encoding: expected gzip, identity or none; got {}", shown(.0))]
    UnsupportedEncoding(String),
    /// Too many wrong credentials; the time to wait.
    #[error("too many wrong credentials; valid ones are always accepted")]
    TooManyFailures(Duration),
    /// Too many requests; the time to wait.
    #[error("too many requests from this address")]
    TooManyRequests(Duration),
    /// No memory is left for another large body.
    #[error("too many large bodies or reports at once; send it again later")]
    Overloaded,
    /// Readings of a sensor come at scattered times, faster than they can be sealed.
    #[error(
        "readings of sensor {0:?} come at scattered times, faster than they can be put in order; send them again later, if possible in the order of their times"
    )]
    SensorBehind(String),
    /// An operation of the store failed, and may succeed later.
    #[error("the store is not available; send it again later")]
    StorageUnavailable(StoreError),
    /// The store is damaged, or a write failed: no request succeeds until somebody acts.
    #[error(
        "the store failed and needs its administrator: the server's log says what to do; keep the data that was not accepted"
    )]
    StorageFailed(StoreError),
    /// A write failed earlier, so the store accepts nothing more.
    #[error("the store accepts nothing until wattkeeper is restarted; the log has the reason")]
    OutOfOrder,
    /// The server's clock cannot be right.
    #[error("the server's clock is not set, and nothing was stored; send it again later")]
    ClockNotSet,
    /// A bug or a failure of the system; the text is for the log.
    #[error("internal error; the server's log has the details")]
    Internal(&'static str),
}

/// Marks a response whose reason is logged once an hour anyway: its access log line would say less,
/// more often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoggedHourly;

/// The text of an error, as in a problem.
#[derive(Clone, Debug)]
pub(crate) struct ErrorDetail(pub(crate) String);

/// The time that a client should wait while the store is out of order.
const RETRY_SENSOR: Duration = Duration::from_secs(5);
const RETRY_STORE: Duration = Duration::from_secs(30);
/// The time that a client should wait while other large bodies are processed.
const RETRY_OVERLOAD: Duration = Duration::from_secs(5);

impl ApiError {
    /// An invalid field with the value `came` where `expected` was required.
    pub(crate) fn invalid(
        name: impl Into<String>,
        expected: impl fmt::Display,
        came: &str,
    ) -> Self {
        Self::unfit(name, format!("{expected}; got {}", shown(came)))
    }

    /// An invalid field, without its value: there is none, or it may be a secret.
    pub(crate) fn unfit(name: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::InvalidField {
            name: name.into(),
            problem: problem.into(),
        }
    }

    /// An invalid request of another system's protocol.
    pub(crate) fn foreign(reason: impl fmt::Display) -> Self {
        Self::Foreign(reason.to_string())
    }

    /// Status and code.
    const fn kind(&self) -> (StatusCode, &'static str) {
        use StatusCode as S;
        match self {
            Self::MalformedJson(_) => (S::BAD_REQUEST, "malformed_json"),
            Self::MalformedRequest(_) | Self::MalformedLine(_) => {
                (S::BAD_REQUEST, "malformed_request")
            }
            Self::HeadTooLarge => (S::REQUEST_HEADER_FIELDS_TOO_LARGE, "head_too_large"),
            Self::MissingField(_) => (S::BAD_REQUEST, "missing_field"),
            // Other protocols have no codes or their own, so this one is never sent for them.
            Self::InvalidField { .. } | Self::Foreign(_) => (S::BAD_REQUEST, "invalid_field"),
            Self::InvalidRange { .. } => (S::BAD_REQUEST, "invalid_range"),
            Self::UnknownType(_) => (S::BAD_REQUEST, "unknown_type"),
            Self::BadCredentials | Self::NoCredentials => (S::UNAUTHORIZED, "bad_credentials"),
            Self::BadToken => (S::UNAUTHORIZED, "bad_token"),
            Self::ScopeInsufficient(_) => (S::FORBIDDEN, "scope_insufficient"),
            Self::SensorNotAuthorized | Self::SensorsNotAuthorized(_) => {
                (S::FORBIDDEN, "sensor_not_authorized")
            }
            Self::PaidAccountRequired => (S::FORBIDDEN, "paid_account_required"),
            Self::CrossSite => (S::FORBIDDEN, "cross_site"),
            Self::UnknownHost(_) => (S::MISDIRECTED_REQUEST, "unknown_host"),
            Self::NoRecentData => (S::NOT_FOUND, "no_recent_data"),
            Self::NoContract => (S::NOT_FOUND, "no_contract"),
            Self::NoPrices(_) => (S::NOT_FOUND, "no_prices"),
            Self::HomeAssistant(_) => (S::BAD_GATEWAY, "home_assistant"),
            Self::NotFound => (S::NOT_FOUND, "not_found"),
            Self::MethodNotAllowed(_) => (S::METHOD_NOT_ALLOWED, "method_not_allowed"),
            Self::RequestTimeout(_) | Self::HeadTimeout => (S::REQUEST_TIMEOUT, "request_timeout"),
            Self::BodyTooLarge(_) => (S::PAYLOAD_TOO_LARGE, "body_too_large"),
            Self::TooManyReadings { .. } => (S::PAYLOAD_TOO_LARGE, "too_many_readings"),
            Self::UnsupportedEncoding(_) => (S::UNSUPPORTED_MEDIA_TYPE, "unsupported_encoding"),
            Self::TooManyFailures(_) => (S::TOO_MANY_REQUESTS, "too_many_failures"),
            Self::TooManyRequests(_) => (S::TOO_MANY_REQUESTS, "too_many_requests"),
            Self::Overloaded => (S::SERVICE_UNAVAILABLE, "overloaded"),
            Self::StorageUnavailable(_) | Self::OutOfOrder => {
                (S::SERVICE_UNAVAILABLE, "storage_unavailable")
            }
            Self::SensorBehind(_) => (S::SERVICE_UNAVAILABLE, "sensor_behind"),
            Self::ClockNotSet => (S::SERVICE_UNAVAILABLE, "clock_not_set"),
            Self::StorageFailed(_) => (S::INTERNAL_SERVER_ERROR, "storage_failed"),
            Self::Internal(_) => (S::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    /// The code of the response, which the access log reads from its extensions.
    pub(crate) const fn code(&self) -> ErrorCode {
        ErrorCode(self.kind().1)
    }

    /// The time to wait before the client tries again.
    const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::TooManyFailures(wait) | Self::TooManyRequests(wait) => Some(*wait),
            Self::Overloaded => Some(RETRY_OVERLOAD),
            Self::SensorBehind(_) => Some(RETRY_SENSOR),
            Self::StorageUnavailable(_) | Self::ClockNotSet => Some(RETRY_STORE),
            // Not for `OutOfOrder`: waiting does not help, only a restart does.
            _ => None,
        }
    }

    /// The same in seconds, rounded up, because a client that comes back a fraction of a second
    /// early is refused again.
    pub(crate) fn retry_after_secs(&self) -> Option<u64> {
        let secs = self.retry_after()?.as_millis().div_ceil(1000).max(1);
        Some(u64::try_from(secs).unwrap_or(u64::MAX))
    }

    /// Logs server errors, with their internal cause.
    pub(crate) fn log(&self) {
        match self {
            // The store logged the cause when the write failed, and clients repeat their uploads.
            // Nobody waits for the answer of a client that has left.
            Self::StorageFailed(StoreError::Poisoned(_))
            | Self::StorageUnavailable(StoreError::NotForNow(_) | StoreError::Unasked) => {}
            Self::StorageUnavailable(error) | Self::StorageFailed(error) => {
                log::error!("storage unavailable: {error}");
            }
            Self::Overloaded => log::warn!("too many large bodies or reports at once"),
            Self::Internal(what) => log::error!("internal error: {what}"),
            _ => {}
        }
    }

    /// The response, with a body in the client's protocol. Logs server errors.
    pub(crate) fn answer(&self, content_type: &str, body: String) -> HttpResponse {
        self.log();
        let mut response = HttpResponse::build(self.kind().0);
        if let Some(secs) = self.retry_after_secs() {
            response.insert_header((RETRY_AFTER, secs.to_string()));
        }
        if let Some(header) = self.hint() {
            response.insert_header(header);
        }
        let mut response = response.content_type(content_type).body(body);
        let mut extensions = response.extensions_mut();
        extensions.insert(self.code());
        extensions.insert(ErrorDetail(self.to_string()));
        drop(extensions);
        response
    }

    /// The header that tells the client which requests would be accepted.
    const fn hint(&self) -> Option<(HeaderName, &'static str)> {
        match self {
            Self::BadCredentials | Self::NoCredentials => {
                Some((WWW_AUTHENTICATE, "Basic realm=\"wattkeeper\""))
            }
            Self::BadToken => Some((WWW_AUTHENTICATE, "Bearer realm=\"wattkeeper\"")),
            Self::MethodNotAllowed(methods) => Some((ALLOW, methods)),
            Self::UnsupportedEncoding(_) => Some((ACCEPT_ENCODING, "gzip, identity")),
            _ => None,
        }
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.kind().0
    }

    fn error_response(&self) -> HttpResponse {
        let (status, code) = self.kind();
        let problem = problem_details(status, ErrorCode(code), &self.to_string());
        self.answer(PROBLEM, problem)
    }
}

impl From<TooManyReadings> for ApiError {
    fn from(TooManyReadings { most, came }: TooManyReadings) -> Self {
        Self::TooManyReadings { most, came }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            // The sensor was removed between the check and the write.
            StoreError::UnknownSensor(_) => Self::SensorNotAuthorized,
            StoreError::SensorBehind(sensor) => Self::SensorBehind(sensor),
            // No `Retry-After`: a client that repeats its request is refused until the store is
            // repaired or restarted.
            StoreError::Damaged(_) | StoreError::Poisoned(_) => Self::StorageFailed(error),
            error => Self::StorageUnavailable(error),
        }
    }
}

impl From<AdminError> for ApiError {
    fn from(error: AdminError) -> Self {
        match error {
            AdminError::Store(error) | AdminError::Unfit(error @ StoreError::UnknownSensor(_)) => {
                error.into()
            }
            // The account was removed since the client signed in.
            AdminError::Unfit(StoreError::UnknownAccount(_)) => Self::BadCredentials,
            error => {
                let field = Some(error.at()).filter(|field| !field.is_empty());
                Self::unfit(field.unwrap_or("body"), error.problem())
            }
        }
    }
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::NoRecentData => Self::NoRecentData,
            QueryError::Store(error) => error.into(),
        }
    }
}

/// For errors about a whole upload. [`IngestError::AheadOfClock`] is about one field, whose name
/// only the protocol knows, so the protocol maps that error itself.
impl From<IngestError> for ApiError {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::AheadOfClock { index, .. } => {
                Self::unfit(format!("reading {index}"), error.to_string())
            }
            IngestError::ClockNotSet { .. } => Self::ClockNotSet,
            IngestError::ScopeInsufficient => Self::ScopeInsufficient("uploads"),
            IngestError::SensorNotAuthorized => Self::SensorNotAuthorized,
            IngestError::Store(error) => error.into(),
        }
    }
}

/// A received value, shortened and escaped for an error text.
fn shown(came: &str) -> String {
    text::shown(came, 40)
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;

    use super::*;

    async fn answer(error: ApiError) -> (HttpResponse, serde_json::Value) {
        let (head, body) = error.error_response().into_parts();
        let body = to_bytes(body).await.unwrap();
        (
            head.set_body(actix_web::body::BoxBody::new(())),
            serde_json::from_slice(&body).unwrap(),
        )
    }

    #[tokio::test]
    async fn a_problem_has_the_five_members() {
        let (head, body) = answer(ApiError::invalid("watts", "expected a number", "true")).await;
        assert_eq!(head.status(), 400);
        assert_eq!(
            head.headers().get("content-type").unwrap(),
            "application/problem+json"
        );
        assert_eq!(
            body,
            serde_json::json!({
                "type": "urn:wattkeeper:problem:invalid_field",
                "title": "Invalid field",
                "status": 400,
                "detail": "watts: expected a number; got true",
                "code": "invalid_field",
            })
        );
    }

    #[tokio::test]
    async fn the_inside_of_a_failure_stays_inside() {
        let error = StoreError::io("reading /var/secret", "no such file");
        let (head, body) = answer(error.into()).await;
        assert_eq!(head.status(), 503);
        assert_eq!(head.headers().get("retry-after").unwrap(), "30");
        assert_eq!(body["code"], "storage_unavailable");
        assert!(!body.to_string().contains("secret"), "{body}");
    }

    #[tokio::test]
    async fn a_sensor_that_is_behind_is_to_send_again_soon() {
        let (head, body) = answer(StoreError::SensorBehind("house".into()).into()).await;
        assert_eq!(head.status(), 503);
        assert_eq!(head.headers().get("retry-after").unwrap(), "5");
        assert_eq!(body["code"], "sensor_behind");
        assert!(body["detail"].to_string().contains("house"), "{body}");
    }

    #[tokio::test]
    async fn a_store_that_stays_broken_is_no_reason_to_try_again() {
        for error in [
            StoreError::Damaged("block 17 of /var/secret".into()),
            StoreError::Poisoned("writing /var/secret: no space".into()),
        ] {
            let (head, body) = answer(error.into()).await;
            assert_eq!(head.status(), 500);
            assert_eq!(head.headers().get("retry-after"), None);
            assert_eq!(body["code"], "storage_failed");
            let text = body.to_string();
            assert!(
                !text.contains("secret") && !text.contains("again"),
                "{text}"
            );
        }
    }

    #[tokio::test]
    async fn a_wait_is_rounded_up() {
        let (head, _) = answer(ApiError::TooManyFailures(Duration::from_millis(2001))).await;
        assert_eq!(head.status(), 429);
        assert_eq!(head.headers().get("retry-after").unwrap(), "3");
        let (head, _) = answer(ApiError::TooManyRequests(Duration::ZERO)).await;
        assert_eq!(head.headers().get("retry-after").unwrap(), "1");
    }
}
