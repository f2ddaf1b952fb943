//! Requests by which a client checks the server before it writes: whether it is up, and its
//! buckets.
//!
//! Shapes: github.com/influxdata/influxdb, branch 2.7, `http/health.go`, `http/ready.go`,
//! `tenant/http_server_bucket.go`.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::http::gate::AppState;
use crate::http::gate::auth::check_write;
use crate::http::protocols::influx::call::{respond, sign_in};
use crate::http::protocols::influx::error;
use crate::http::wire::ApiError;
use crate::http::wire::params::param;

/// `GET /ping`, `HEAD /ping`: the answer tells InfluxDB's clients that they are supported.
pub(super) async fn ping() -> HttpResponse {
    respond(Ok(HttpResponse::NoContent().finish()), error::of_v1)
}

/// `GET /health`: whether lines are stored. Needs no credentials and reveals nothing else.
pub(super) async fn health(app: web::Data<AppState>) -> HttpResponse {
    let (mut response, message, status) = match app.store.unready() {
        None => (HttpResponse::Ok(), "ready for queries and writes", "pass"),
        Some(_) => (
            HttpResponse::ServiceUnavailable(),
            "the store accepts no changes: restart the service",
            "fail",
        ),
    };
    let answer = json!({
        "name": "influxdb",
        "message": message,
        "status": status,
        "checks": [],
        "version": env!("CARGO_PKG_VERSION"),
        "commit": "",
    });
    respond(Ok(response.json(answer)), error::of_v2)
}

/// `GET /ready`: since when the service is up.
pub(super) async fn ready(app: web::Data<AppState>) -> HttpResponse {
    let now = app.now();
    let up_ms = i64::try_from(now.elapsed.as_millis()).unwrap_or(i64::MAX);
    let started = now.time.saturating_add_millis(up_ms.saturating_neg());
    let up = as_go(now.elapsed);
    let answer = json!({"status": "ready", "started": started.to_string(), "up": up});
    respond(Ok(HttpResponse::Ok().json(answer)), error::of_v2)
}

/// A span of time as Go writes it: `1h2m3.5s`.
fn as_go(span: Duration) -> String {
    let (minutes, seconds) = (span.as_secs() / 60, span.as_secs_f64() % 60.0);
    let seconds = (seconds * 1_000.0).trunc() / 1_000.0;
    match (minutes / 60, minutes % 60) {
        (0, 0) => format!("{seconds}s"),
        (0, minutes) => format!("{minutes}m{seconds}s"),
        (hours, minutes) => format!("{hours}h{minutes}m{seconds}s"),
    }
}

/// `GET /api/v2/buckets`: the bucket that a client looks for. There are none, so any name will do.
pub(super) async fn buckets(request: HttpRequest, app: web::Data<AppState>) -> HttpResponse {
    respond(listed_buckets(&request, &app), error::of_v2)
}

fn listed_buckets(request: &HttpRequest, app: &AppState) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let grant = sign_in(request, app)?;
    // Credentials without write access have no use for a bucket.
    check_write(&grant)?;
    let registry = app.store.registry();
    let account = registry.account(&grant.account);
    let account = account.ok_or(ApiError::BadCredentials)?;
    let is_first_page = param(query, "offset")?.is_none_or(|offset| offset == "0")
        && param(query, "after")?.is_none();
    let name = param(query, "name")?.unwrap_or_else(|| account.name.to_string());
    let org_id = id_of(&format!("organization {}", account.name));
    let id = id_of(&format!("bucket {} {name}", account.name));
    let is_known = param(query, "id")?.is_none_or(|asked| asked == id);
    let bucket = json!({
        "id": id,
        "orgID": org_id,
        "type": "user",
        "name": name,
        // Readings are kept forever.
        "retentionRules": [{"type": "expire", "everySeconds": 0}],
        "createdAt": account.created.to_string(),
        "updatedAt": account.created.to_string(),
        "links": {"self": format!("/api/v2/buckets/{id}"), "org": format!("/api/v2/orgs/{org_id}")},
        "labels": [],
    });
    let buckets = if is_first_page && is_known {
        vec![bucket]
    } else {
        Vec::new()
    };
    let answer = json!({"links": {"self": "/api/v2/buckets"}, "buckets": buckets});
    Ok(HttpResponse::Ok().json(answer))
}

/// An id in InfluxDB's form: 16 hexadecimal digits, the same for the same text.
fn id_of(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let digits = hash.iter().take(8).map(|byte| format!("{byte:02x}"));
    digits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_written_as_go_does() {
        for (ms, text) in [
            (0, "0s"),
            (1_500, "1.5s"),
            (59_999, "59.999s"),
            (60_000, "1m0s"),
            (3_723_400, "1h2m3.4s"),
            (360_000_000, "100h0m0s"),
        ] {
            assert_eq!(as_go(Duration::from_millis(ms)), text);
        }
    }
}
