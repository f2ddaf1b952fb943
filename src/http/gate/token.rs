//! Credentials in the forms that clients of other systems use: HTTP Basic, or one token, which is
//! `api_id:api_key` or a key alone.

use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, HeaderMap};

use crate::domain::{ApiId, ApiKey};
use crate::http::gate::auth::{Credentials, basic, refusal};
use crate::http::gate::failed::SignInTarget;
use crate::http::gate::state::AppState;
use crate::http::wire::ApiError;
use crate::store::Grant;

/// The credentials of such a client.
pub(crate) enum Token {
    /// An id and its key.
    Pair(Credentials),
    /// A key alone.
    Key(ApiKey),
}

impl Token {
    /// Whether the token is valid. Invalid tokens are not counted as failures here.
    pub(crate) fn is_known(&self, app: &AppState) -> bool {
        let registry = app.store.registry();
        match self {
            Self::Pair(pair) => registry.sign_in(&pair.api_id, &pair.api_key).is_some(),
            Self::Key(key) => registry.sign_in_by_key(key).is_some(),
        }
    }

    /// Parses a token.
    ///
    /// # Errors
    /// [`ApiError::NoCredentials`] if it is empty, [`ApiError::BadCredentials`] if it is invalid.
    pub(crate) fn new(text: &str) -> Result<Self, ApiError> {
        let text = text.trim();
        match text.split_once(':') {
            Some((id, key)) => Self::pair(id, key),
            None if text.is_empty() => Err(ApiError::NoCredentials),
            None => {
                let key = ApiKey::new(text).map_err(|_| ApiError::BadCredentials)?;
                Ok(Self::Key(key))
            }
        }
    }

    /// An id and its key.
    ///
    /// # Errors
    /// [`ApiError::BadCredentials`] if one is invalid.
    pub(crate) fn pair(api_id: &str, api_key: &str) -> Result<Self, ApiError> {
        // 401, although the "elec" API answers 400: clients of other systems expect no other status
        // for credentials.
        let api_id = ApiId::new(api_id).map_err(|_| ApiError::BadCredentials)?;
        let api_key = ApiKey::new(api_key).map_err(|_| ApiError::BadCredentials)?;
        Ok(Self::Pair(Credentials { api_id, api_key }))
    }

    /// The credentials in the `Authorization` header: `Basic`, `Token` or `Bearer`.
    ///
    /// # Errors
    /// [`ApiError::NoCredentials`] if there are none, [`ApiError::BadCredentials`] if they are
    /// invalid.
    pub(crate) fn of_header(headers: &HeaderMap) -> Result<Self, ApiError> {
        let value = headers.get(AUTHORIZATION).ok_or(ApiError::NoCredentials)?;
        let value = value.to_str().map_err(|_| ApiError::BadCredentials)?;
        let (scheme, token) = value.trim().split_once(' ').unwrap_or_default();
        if ["token", "bearer"].contains(&scheme.to_ascii_lowercase().as_str()) {
            return Self::new(token);
        }
        match basic(headers) {
            Ok(Some((id, key))) => Self::pair(&id, &key),
            Ok(None) => Err(ApiError::NoCredentials),
            Err(_) => Err(ApiError::BadCredentials),
        }
    }

    /// Returns the permissions of the credentials; see [`Credentials::sign_in`]. Wrong keys without
    /// an id are counted by address.
    ///
    /// # Errors
    /// [`ApiError::BadCredentials`], [`ApiError::TooManyFailures`].
    pub(crate) fn sign_in(&self, app: &AppState, request: &HttpRequest) -> Result<Grant, ApiError> {
        match self {
            Self::Pair(credentials) => credentials.sign_in(app, request),
            Self::Key(key) => {
                let registry = app.store.registry();
                let Some((id, grant)) = registry.sign_in_by_key(key) else {
                    return Err(refusal(app, request, SignInTarget::Api, None));
                };
                app.note_use(id);
                Ok(grant)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    /// `id:key`, the key alone, or the error's text.
    fn shown(token: Result<Token, ApiError>) -> String {
        match token {
            Ok(Token::Pair(pair)) => pair.reveal(),
            Ok(Token::Key(key)) => key.reveal().to_owned(),
            Err(error) => error.to_string(),
        }
    }

    fn header(value: &str) -> String {
        let request = TestRequest::get().insert_header(("Authorization", value));
        shown(Token::of_header(request.to_http_request().headers()))
    }

    #[test]
    fn a_text_is_both_or_the_key_alone() {
        assert_eq!(shown(Token::new("bob:s3:cret")), "bob:s3:cret");
        assert_eq!(shown(Token::new(" s3cret== ")), "s3cret==");
        for (text, expected) in [
            ("", ApiError::NoCredentials),
            (":key", ApiError::BadCredentials),
            ("id:", ApiError::BadCredentials),
            ("a\u{1}b", ApiError::BadCredentials),
        ] {
            assert_eq!(shown(Token::new(text)), expected.to_string(), "{text:?}");
        }
    }

    #[test]
    fn headers_have_three_schemes() {
        // base64 of "bob:s3:cret"
        assert_eq!(header("Basic Ym9iOnMzOmNyZXQ="), "bob:s3:cret");
        assert_eq!(header("Token bob:s3cret"), "bob:s3cret");
        assert_eq!(header("bearer  0123456789abcdef"), "0123456789abcdef");
        for (value, expected) in [
            ("Basic !!", ApiError::BadCredentials),
            ("Token ", ApiError::NoCredentials),
            ("Digest x", ApiError::NoCredentials),
        ] {
            assert_eq!(header(value), expected.to_string(), "{value:?}");
        }
    }
}
