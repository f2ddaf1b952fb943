//! Bulks compressed with zlib: as the body itself (`cb`), or in hexadecimal digits as the field
//! `data` (`c`).

use actix_web::HttpRequest;

use crate::http::gate::AppState;
use crate::http::wire::{ApiError, Body, Packing};

/// Decompresses the items of a bulk, within the limits of bodies.
///
/// # Errors
/// As [`AppState::unpack_body`]; [`ApiError::Foreign`] if they are not compressed with zlib.
pub(super) async fn unpack(
    app: &AppState,
    request: &HttpRequest,
    body: Body,
) -> Result<Body, ApiError> {
    let unpacked = app.unpack_body(request, body, Packing::Zlib).await;
    unpacked.map_err(|error| match error {
        ApiError::MalformedJson(text) => ApiError::foreign(format!("Format error, {text}")),
        other => other,
    })
}

/// Decodes pairs of hexadecimal digits.
///
/// # Errors
/// [`ApiError::Foreign`].
pub(super) fn from_hex(text: &str) -> Result<Vec<u8>, ApiError> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| u8::try_from(16 * digit(*high)? + digit(*low)?).ok();
    let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    bytes.filter(|_| rest.is_empty()).ok_or_else(|| {
        ApiError::foreign("Format error, expected compressed data in pairs of hexadecimal digits")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_digits_are_bytes() {
        assert_eq!(from_hex("").unwrap(), b"");
        assert_eq!(from_hex("789CfF00").unwrap(), [0x78, 0x9c, 0xff, 0]);
        for text in ["7", "789", "zz", "+1", "ää"] {
            assert!(from_hex(text).is_err(), "{text}");
        }
    }
}
