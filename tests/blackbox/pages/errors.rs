//! Errors in the form that the client reads: a page in its language for a browser, problem details
//! for everything else.

use serde_json::json;

use crate::pages::browser::Browser;
use crate::support::{ELEC, Response, Service, with_house};

/// The `Accept` of browsers when a person opens an address.
const BY_BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
/// The `Accept` of everything else, such as curl and the scripts of pages.
const BY_OTHERS: [&str; 3] = ["*/*", "application/json", "text/event-stream"];

/// Method, address, status and code of errors of all rooms, for the administrator.
#[rustfmt::skip] // A table: one request per line.
const ERRORS: &[(&str, &str, u16, &str)] = &[
    ("GET",    "/nothing",                   404, "not_found"),
    ("GET",    "/nothing/at/all.html",       404, "not_found"),
    ("POST",   "/nothing",                   404, "not_found"),
    ("GET",    "/api/v0.2/electric",         404, "not_found"),
    ("GET",    "/api/v9/elec",               404, "not_found"),
    ("GET",    "/static/0/none.css",         404, "not_found"),
    ("GET",    "/static/none",               404, "not_found"),
    ("GET",    "/chart?account=none",        404, "not_found"),
    ("GET",    "/settings/key?id=none",      404, "not_found"),
    ("GET",    "/api/v0.2/elec",             400, "missing_field"),
    ("POST",   "/api/v0.2/elec",             400, "malformed_json"),
    ("GET",    "/api/v0.2/sensors",          400, "missing_field"),
    ("GET",    "/api/v0.2/sensors?api_id=a&api_key=b", 401, "bad_credentials"),
    ("PUT",    "/api/v0.2/elec",             405, "method_not_allowed"),
    ("DELETE", "/api/v0.2/energy",           405, "method_not_allowed"),
    ("POST",   "/healthz",                   405, "method_not_allowed"),
    ("POST",   "/openapi.json",              405, "method_not_allowed"),
    ("POST",   "/chart.svg",                 405, "method_not_allowed"),
    ("POST",   "/metrics",                   405, "method_not_allowed"),
    ("PUT",    "/static/0/style.css",        405, "method_not_allowed"),
    ("DELETE", "/",                          405, "method_not_allowed"),
    ("PUT",    "/status",                    405, "method_not_allowed"),
    ("GET",    "/sign-out",                  405, "method_not_allowed"),
    ("PATCH",  "/settings/sensor",           405, "method_not_allowed"),
    ("POST",   "/sign-out",                  403, "form_expired"),
    ("GET",    "/setup",                     403, "setup_closed"),
    ("GET",    "/wall",                      403, "link_revoked"),
    ("GET",    "/chart?sensor=a&sensor=b",   400, "invalid_field"),
];

/// Fails if an answer has another form than this.
fn problem_of(
    answer: &Response,
    accept: &str,
    language: &str,
    expected: (u16, &str),
) -> Option<String> {
    let header = |name| answer.head.header(name).unwrap_or_default();
    let (status, code) = expected;
    let is_right = if accept == BY_BROWSER {
        let (lang, home) = match language {
            "de" => ("<html lang=\"de\">", "Übersicht"),
            _ => ("<html lang=\"en\">", "Open dashboard"),
        };
        header("content-type") == "text/html; charset=utf-8"
            && header("content-language") == language
            && header("content-security-policy").contains("default-src 'none'")
            && header("cache-control") == "no-store"
            && answer.text().contains(lang)
            && answer.text().contains("<h1>")
            && answer.text().contains(home)
            && answer.text().contains("href=\"/\"")
    } else {
        header("content-type") == "application/problem+json"
            && answer.json()["code"] == code
            && answer.json()["status"] == status
            && header("content-language").is_empty()
    };
    let varies = header("vary").to_ascii_lowercase().contains("accept");
    let says_methods = status != 405 || !header("allow").is_empty();
    let says_when = !matches!(status, 429 | 503) || !header("retry-after").is_empty();
    let is_right = is_right && varies && says_methods && says_when && answer.status() == status;
    (!is_right).then(|| {
        let text: String = answer.text().chars().take(300).collect();
        format!("{} {:?} {text}", answer.status(), answer.head)
    })
}

/// Sends a request as all clients would; what is wrong with the answers.
fn wrong_answers(
    browser: &Browser<'_>,
    (method, address, body): (&str, &str, &[u8]),
    expected: (u16, &str),
) -> Vec<String> {
    let by_browser = ["de", "en"].map(|language| (BY_BROWSER, language));
    let others = BY_OTHERS.map(|accept| (accept, "de"));
    let mut wrong = Vec::new();
    for (accept, language) in by_browser.into_iter().chain(others) {
        let headers = [("Accept", accept), ("Accept-Language", language)];
        let answer = browser.send(method, address, &headers, body);
        let problem = problem_of(&answer, accept, language, expected);
        wrong.extend(problem.map(|it| format!("{method} {address}, {accept}, {language}: {it}")));
    }
    wrong
}

#[track_caller]
fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn browsers_get_pages_and_everything_else_problems() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let errors = ERRORS.iter().flat_map(|(method, address, status, code)| {
        wrong_answers(&browser, (method, address, b""), (*status, code))
    });
    assert_none(&errors.collect::<Vec<_>>());
    assert!(browser.is_signed_in());
}

#[test]
fn too_large_bodies_are_refused_in_the_same_way() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let huge = vec![b'x'; 4 * 1_024 * 1_024];
    let wrong = [ELEC, "/sign-out", "/bills"]
        .map(|address| wrong_answers(&browser, ("POST", address, &huge), (413, "body_too_large")));
    assert_none(&wrong.concat());
}

#[test]
fn a_service_that_cannot_answer_says_so_in_the_same_way() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    service.store().close().unwrap();
    let upload = with_house(&json!({"watts": 1})).to_string();
    let expected = (503, "storage_unavailable");
    let upload = wrong_answers(&browser, ("POST", ELEC, upload.as_bytes()), expected);
    assert_none(&upload);
    let service = Service::start_with(|config| config.http.requests_per_minute = 3);
    let stranger = Browser::new(&service);
    for _ in 0..3 {
        stranger.get("/nothing");
    }
    let wrong = ["/nothing", "/sign-in", "/api/v0.2/sensors", "/openapi.json"]
        .map(|address| wrong_answers(&stranger, ("GET", address, b""), (429, "too_many_requests")));
    assert_none(&wrong.concat());
}

/// Their clients know no other.
#[test]
fn other_protocols_keep_their_own_errors() {
    let service = Service::start();
    let browser = Browser::new(&service);
    let by = |accept| browser.send("POST", "/api/v2/write", &[("Accept", accept)], b"x");
    let (own, page) = (by("*/*"), by(BY_BROWSER));
    assert_eq!((own.status(), page.status()), (401, 401));
    assert_eq!(own.json()["code"], "unauthorized");
    assert!(page.text().contains("<h1>"), "{}", page.text());
}
