//! Static files.

use std::io::Read as _;

use crate::pages::browser::Browser;
use crate::support::Service;

/// The addresses of the static files that a page loads.
pub(crate) fn files(page: &str) -> Vec<String> {
    let mut files: Vec<String> = page
        .split('"')
        .filter(|text| text.starts_with("/static/"))
        .map(str::to_owned)
        .collect();
    files.sort();
    files.dedup();
    files
}

#[test]
fn browsers_can_cache_files() {
    let service = Service::start();
    let browser = Browser::new(&service);
    let files = files(&browser.page("/sign-in"));
    assert!(files.len() >= 2, "{files:?}");
    for file in files {
        let answer = browser.get(&file);
        assert_eq!(answer.status(), 200, "{file}");
        let header = |name| answer.head.header(name).unwrap_or_default();
        assert_eq!(
            header("cache-control"),
            "public, max-age=31536000, immutable"
        );
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("set-cookie"), "");
        let known = [("If-None-Match", header("etag"))];
        let again = browser.send("GET", &file, &known, b"");
        assert_eq!((again.status(), again.body.len()), (304, 0), "{file}");

        let packed = browser.send("GET", &file, &[("Accept-Encoding", "gzip")], b"");
        if packed.head.header("content-encoding") == Some("gzip") {
            assert_ne!(packed.head.header("etag"), Some(header("etag")));
            let mut unpacked = Vec::new();
            let mut decoder = flate2::read::GzDecoder::new(packed.body.as_slice());
            decoder.read_to_end(&mut unpacked).unwrap();
            assert_eq!(unpacked, answer.body);
        }
        // A page of another version gets the current file, and must not cache it.
        let name = file.rsplit('/').next().unwrap();
        let other = browser.get(&format!("/static/0/{name}"));
        assert_eq!((other.status(), &other.body), (200, &answer.body));
        assert_eq!(other.head.header("cache-control"), Some("no-cache"));
    }
}

#[test]
fn other_files_are_not_found() {
    let service = Service::start();
    let browser = Browser::new(&service);
    for address in [
        "/static/",
        "/static/0/none.css",
        "/static/0/..%2f..%2fCargo.toml",
        "/static/0/%2e%2e",
    ] {
        assert_eq!(browser.get(address).status(), 404, "{address}");
    }
}
