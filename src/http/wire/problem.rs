//! Problem details of RFC 9457.

use actix_web::http::StatusCode;
use serde_json::json;

/// The code of an error, as in a problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErrorCode(pub(crate) &'static str);

/// The type of problem details.
pub(crate) const PROBLEM: &str = "application/problem+json";

/// Problem details of RFC 9457.
pub(crate) fn problem_details(
    status: StatusCode,
    ErrorCode(code): ErrorCode,
    detail: &str,
) -> String {
    // The title is the code in words: `bad_credentials` becomes `Bad credentials`.
    let mut title = code.replace('_', " ");
    title.get_mut(..1).map(str::make_ascii_uppercase);
    let problem = json!({
        "type": format!("urn:wattkeeper:problem:{code}"),
        "title": title,
        "status": status.as_u16(),
        "detail": detail,
        "code": code,
    });
    problem.to_string()
}
