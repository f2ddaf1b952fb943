//! The credentials of a request to the "elec" API, and their permissions.

use std::sync::Arc;

use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use actix_web::{HttpRequest, web};
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::domain::{Account, ApiId, ApiKey, NameError, Scope};
use crate::http::gate::failed::SignInTarget;
use crate::http::gate::peer::client_address;
use crate::http::gate::state::AppState;
use crate::http::wire::ApiError;
use crate::http::wire::params::param;
use crate::store::Grant;

/// The names of the two fields in a body or a query string.
pub(crate) const API_ID: &str = "api_id";
pub(crate) const API_KEY: &str = "api_key";

/// An api id and its key.
pub(crate) struct Credentials {
    pub(super) api_id: ApiId,
    pub(super) api_key: ApiKey,
}

impl Credentials {
    /// Takes the credentials of a request from the body or query. HTTP Basic fills in the missing
    /// half.
    ///
    /// # Errors
    /// [`ApiError::MissingField`] if one is missing or empty in both places,
    /// [`ApiError::InvalidField`] if one is not a valid id or key.
    pub(crate) fn new(
        api_id: Option<String>,
        api_key: Option<String>,
        headers: &HeaderMap,
    ) -> Result<Self, ApiError> {
        let mut api_id = api_id.filter(|text| !text.is_empty());
        let mut api_key = api_key.filter(|text| !text.is_empty());
        // The header is read only if it is needed, so a broken header next to complete credentials
        // does no harm.
        if api_id.is_none() || api_key.is_none() {
            let (user, password) = basic(headers)?.unzip();
            api_id = api_id.or(user).filter(|text| !text.is_empty());
            api_key = api_key.or(password).filter(|text| !text.is_empty());
        }
        let api_id = api_id.ok_or_else(|| ApiError::MissingField(API_ID.into()))?;
        let api_key = api_key.ok_or_else(|| ApiError::MissingField(API_KEY.into()))?;
        // The received value is not shown: id and key may have been swapped.
        let invalid = |name| move |error: NameError| ApiError::unfit(name, error.to_string());
        Ok(Self {
            api_id: ApiId::new(&api_id).map_err(invalid(API_ID))?,
            api_key: ApiKey::new(&api_key).map_err(invalid(API_KEY))?,
        })
    }

    /// The api id.
    pub(crate) const fn id(&self) -> &ApiId {
        &self.api_id
    }

    /// The credentials of a request without a body.
    ///
    /// # Errors
    /// As [`Self::new`] and [`param`].
    pub(crate) fn of_query(request: &HttpRequest) -> Result<Self, ApiError> {
        let query = request.query_string();
        let (api_id, api_key) = (param(query, API_ID)?, param(query, API_KEY)?);
        Self::new(api_id, api_key, request.headers())
    }

    /// Returns the permissions of the credentials. Valid credentials always pass. Wrong ones are
    /// counted by client address and api id together, so that one misconfigured script locks nobody
    /// else out.
    ///
    /// # Errors
    /// [`ApiError::BadCredentials`], [`ApiError::TooManyFailures`].
    pub(crate) fn sign_in(&self, app: &AppState, request: &HttpRequest) -> Result<Grant, ApiError> {
        let registry = app.store.registry();
        let Some(grant) = registry.sign_in(&self.api_id, &self.api_key) else {
            return Err(refusal(app, request, SignInTarget::Api, Some(&self.api_id)));
        };
        app.note_use(&self.api_id);
        Ok(grant)
    }

    /// Whether the head of a request has valid credentials, in HTTP Basic or in the query. Invalid
    /// ones are not counted, because the body may have the ones that apply.
    pub(crate) fn are_in_head(app: &AppState, request: &HttpRequest) -> bool {
        let in_basic = Self::new(None, None, request.headers());
        let mut found = [in_basic, Self::of_query(request)].into_iter().flatten();
        let registry = app.store.registry();
        found.any(|it| registry.sign_in(&it.api_id, &it.api_key).is_some())
    }

    /// `id:key`, for tests.
    #[cfg(test)]
    pub(crate) fn reveal(&self) -> String {
        format!("{}:{}", self.api_id, self.api_key.reveal())
    }
}

/// Signs in a client that reads, by a request without a body.
///
/// # Errors
/// As [`Credentials::of_query`], [`Credentials::sign_in`] and [`check_read`].
pub(crate) fn reader(app: &AppState, request: &HttpRequest) -> Result<Grant, ApiError> {
    let grant = Credentials::of_query(request)?.sign_in(app, request)?;
    check_read(&grant)?;
    Ok(grant)
}

/// The account of a client that reads, by a request without a body.
///
/// # Errors
/// As [`reader`]; [`ApiError::BadCredentials`] if the account is gone.
pub(crate) fn reading_account(app: &AppState, request: &HttpRequest) -> Result<Account, ApiError> {
    let grant = reader(app, request)?;
    let account = app.store.registry().account(&grant.account).cloned();
    account.ok_or(ApiError::BadCredentials)
}

/// Signs in a client that makes a change, by a request with its credentials in the head or in the
/// query; `what` names it.
///
/// # Errors
/// As [`Credentials::of_query`], [`Credentials::sign_in`] and [`check_full`].
pub(crate) fn changer(
    app: &AppState,
    request: &HttpRequest,
    what: &'static str,
) -> Result<Grant, ApiError> {
    let grant = Credentials::of_query(request)?.sign_in(app, request)?;
    check_full(&grant, what)?;
    Ok(grant)
}

/// Checks that the credentials allow everything; `what` names the action that needs it.
///
/// # Errors
/// [`ApiError::ScopeInsufficient`].
pub(crate) fn check_full(grant: &Grant, what: &'static str) -> Result<(), ApiError> {
    let is_allowed = (grant.scope == Scope::Full).then_some(());
    is_allowed.ok_or(ApiError::ScopeInsufficient(what))
}

/// Checks that the credentials allow downloads.
///
/// # Errors
/// [`ApiError::ScopeInsufficient`].
pub(crate) fn check_read(grant: &Grant) -> Result<(), ApiError> {
    let is_allowed = grant.scope.may_read().then_some(());
    is_allowed.ok_or(ApiError::ScopeInsufficient("downloads"))
}

/// Checks that the credentials allow uploads.
///
/// # Errors
/// [`ApiError::ScopeInsufficient`].
pub(crate) fn check_write(grant: &Grant) -> Result<(), ApiError> {
    let is_allowed = grant.scope.may_write().then_some(());
    is_allowed.ok_or(ApiError::ScopeInsufficient("uploads"))
}

/// Counts wrong credentials; returns the error for their client.
pub(crate) fn refusal(
    app: &AppState,
    request: &HttpRequest,
    target: SignInTarget,
    api_id: Option<&ApiId>,
) -> ApiError {
    app.failed.count(target);
    // Without an id, keys and metrics tokens share one count per address. Sign-ins to the pages are
    // counted separately.
    let client = client_address(request.head(), &app.trusted_proxies);
    match app.failed_sign_ins.count(app.now().elapsed, client, api_id) {
        Ok(()) if target == SignInTarget::Metrics => ApiError::BadToken,
        Ok(()) => ApiError::BadCredentials,
        Err(wait) => ApiError::TooManyFailures(wait),
    }
}

impl AppState {
    /// Records the use of credentials. Writes all last uses if that is due, without waiting for it.
    pub(crate) fn note_use(&self, api_id: &ApiId) {
        // Recorded in memory and written at most once an hour, so a sign-in seldom leads to a
        // write.
        if !self.store.record_use(api_id, self.now().time) {
            return;
        }
        let store = Arc::clone(&self.store);
        // Dropping the future does not stop the work: `web::block` of actix-web 4 has queued it
        // already.
        drop(web::block(move || {
            if let Err(error) = store.write_last_uses_durably() {
                log::warn!("cannot write the last uses of credentials: {error}");
            }
        }));
    }
}

/// Base64 with or without padding: clients send both.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The user and password of HTTP Basic; `None` if the header is missing or has another scheme.
pub(crate) fn basic(headers: &HeaderMap) -> Result<Option<(String, String)>, ApiError> {
    let Some(value) = headers.get(AUTHORIZATION) else {
        return Ok(None);
    };
    let (scheme, encoded) = value
        .to_str()
        .ok()
        .and_then(|text| text.trim().split_once(' '))
        .unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("basic") {
        return Ok(None);
    }
    BASE64
        .decode(encoded.trim())
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .and_then(|text| {
            // Split at the first colon: a user name cannot contain one (RFC 7617), but a key can.
            let (user, password) = text.split_once(':')?;
            Some(Some((user.to_owned(), password.to_owned())))
        })
        .ok_or_else(|| {
            let expected = format!("expected Basic and the base64 of {API_ID}:{API_KEY}");
            ApiError::unfit("Authorization", expected)
        })
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    /// `id:key`, or the error's text.
    fn credentials(id: Option<&str>, key: Option<&str>, header: Option<&str>) -> String {
        let mut request = TestRequest::get();
        if let Some(header) = header {
            request = request.insert_header(("Authorization", header));
        }
        let request = request.to_http_request();
        let own = |text: &str| text.to_owned();
        match Credentials::new(id.map(own), key.map(own), request.headers()) {
            Ok(pair) => pair.reveal(),
            Err(error) => error.to_string(),
        }
    }

    // base64 of "bob:s3:cret"
    const BOB: &str = "Basic Ym9iOnMzOmNyZXQ=";

    #[test]
    fn body_or_query_wins_and_basic_fills_in() {
        assert_eq!(credentials(Some("a"), Some("k"), None), "a:k");
        assert_eq!(credentials(Some("a"), Some("k"), Some(BOB)), "a:k");
        assert_eq!(credentials(None, None, Some(BOB)), "bob:s3:cret");
        assert_eq!(credentials(Some(""), None, Some(BOB)), "bob:s3:cret");
        assert_eq!(credentials(Some("a"), None, Some(BOB)), "a:s3:cret");
        assert_eq!(
            credentials(None, None, Some("bAsIc  Ym9iOnMzOmNyZXQ")),
            "bob:s3:cret"
        );
    }

    #[test]
    fn a_missing_or_empty_one_is_named() {
        assert!(credentials(None, Some("k"), None).starts_with("api_id is required"));
        assert!(credentials(Some("a"), Some(""), None).starts_with("api_key is required"));
        assert!(credentials(None, None, Some("Bearer x")).starts_with("api_id is required"));
        // base64 of "bob:"
        assert!(credentials(None, None, Some("Basic Ym9iOg==")).starts_with("api_key is required"));
    }

    #[test]
    fn a_broken_header_matters_only_where_it_is_needed() {
        assert_eq!(credentials(Some("a"), Some("k"), Some("Basic !!")), "a:k");
        for broken in ["Basic !!", "Basic Ym9i", "Basic"] {
            let text = credentials(None, Some("k"), Some(broken));
            assert!(!text.contains("Ym9i"), "{text}");
        }
        assert!(credentials(None, None, Some("Basic !!")).starts_with("Authorization: expected"));
    }

    #[test]
    fn a_bad_key_is_not_shown() {
        let text = credentials(Some("a"), Some("s3cret\n"), None);
        assert!(
            text.starts_with("api_key: expected 1 to 256 bytes"),
            "{text}"
        );
        assert!(!text.contains("s3cret"), "{text}");
    }
}
