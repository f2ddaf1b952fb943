//! The files of `web/static`, built into the binary. Their address contains a hash of their
//! content, so a browser loads each once, and never combines an old file with a new page.
//!
//! All files share one hash, as a folder of the path, so that scripts can import each other by
//! plain names.

use std::io::Write as _;
use std::sync::LazyLock;

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, EntityTag, Header as _, IfNoneMatch, VARY,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use crate::http::wire::stream::accepts_gzip;

const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const MANIFEST: &str = "application/manifest+json";
const PNG: &str = "image/png";
const SVG: &str = "image/svg+xml";

macro_rules! file {
    ($name:literal, $content_type:expr) => {
        (
            $name,
            $content_type,
            include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/static/", $name)),
        )
    };
}

/// Name, type, and content of each file.
const FILES: &[(&str, &str, &[u8])] = &[
    file!("app.webmanifest", MANIFEST),
    file!("chart.js", JAVASCRIPT),
    file!("copy.js", JAVASCRIPT),
    file!("dashboard.css", CSS),
    file!("first-reading.js", JAVASCRIPT),
    file!("fresh.js", JAVASCRIPT),
    file!("icon-large.png", PNG),
    file!("icon-small.png", PNG),
    file!("icon.svg", SVG),
    file!("import.js", JAVASCRIPT),
    file!("live.js", JAVASCRIPT),
    file!("money.css", CSS),
    file!("offline-worker.js", JAVASCRIPT),
    file!("offline.js", JAVASCRIPT),
    file!("prices.js", JAVASCRIPT),
    file!("repair.js", JAVASCRIPT),
    file!("style.css", CSS),
    file!("week.js", JAVASCRIPT),
    file!("zone.js", JAVASCRIPT),
];

/// The worker answers for all pages, although its file is in a folder below them. The header is
/// relative to that folder.
const WORKER: (&str, (&str, &str)) = ("offline-worker.js", ("Service-Worker-Allowed", "../../"));

/// The longest time that caches support.
const FOREVER: &str = "public, max-age=31536000, immutable";
/// For pages of another version, because the content at this address may change.
const REVALIDATE: &str = "no-cache";

/// The files and their common version.
pub(crate) struct Assets {
    version: String,
    files: Vec<AssetFile>,
}

struct AssetFile {
    name: &'static str,
    content_type: &'static str,
    plain: Bytes,
    /// Compressed with gzip; `None` if that is not shorter.
    packed: Option<Bytes>,
}

/// The files, compressed on first use.
pub(crate) static ASSETS: LazyLock<Assets> = LazyLock::new(Assets::new);

impl Assets {
    fn new() -> Self {
        let mut hash = Sha256::new();
        for (name, _, content) in FILES {
            hash.update(name);
            hash.update(content);
        }
        let version = hash.finalize();
        // Twelve digits are enough to tell versions apart.
        let digits = version.iter().take(6).map(|byte| format!("{byte:02x}"));
        Self {
            version: digits.collect(),
            files: FILES
                .iter()
                .map(|&(name, content_type, content)| AssetFile {
                    name,
                    content_type,
                    plain: Bytes::from_static(content),
                    packed: packed(content).map(Bytes::from),
                })
                .collect(),
        }
    }

    /// The address of the file `name`.
    pub(crate) fn address(&self, name: &str) -> String {
        format!("static/{}/{name}", self.version)
    }
}

fn packed(content: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).ok()?;
    let packed = encoder.finish().ok()?;
    (packed.len() < content.len()).then_some(packed)
}

/// The response to `GET /static/{version}/{name}`; `None` if there is no such file.
pub(crate) fn respond(request: &HttpRequest, version: &str, name: &str) -> Option<HttpResponse> {
    let assets = &*ASSETS;
    let file = assets.files.iter().find(|file| file.name == name)?;
    let packed = file.packed.as_ref().filter(|_| accepts_gzip(request));
    // A strong tag identifies the exact bytes, so the compressed ones need their own.
    let suffix = if packed.is_some() { "-gzip" } else { "" };
    let tag = EntityTag::new_strong(format!("{}{suffix}", assets.version));
    // A page loaded before an update still requests the old version. It gets the current file.
    let is_current = version == assets.version;
    // `If-None-Match` compares weakly (RFC 9110).
    let known = matches!(IfNoneMatch::parse(request),
        Ok(IfNoneMatch::Items(tags)) if tags.iter().any(|known| known.weak_eq(&tag)));
    let mut response = if known {
        HttpResponse::NotModified()
    } else {
        HttpResponse::Ok()
    };
    response
        .insert_header((CACHE_CONTROL, if is_current { FOREVER } else { REVALIDATE }))
        .insert_header((ETAG, tag))
        .insert_header((VARY, "Accept-Encoding"));
    // Without the body and its headers, because the browser has them.
    if known {
        return Some(response.finish());
    }
    response.insert_header((CONTENT_TYPE, file.content_type));
    let (worker, allowed) = WORKER;
    if name == worker {
        response.insert_header(allowed);
    }
    if packed.is_some() {
        response.insert_header((CONTENT_ENCODING, "gzip"));
    }
    Some(response.body(packed.unwrap_or(&file.plain).clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_load_nothing_from_other_hosts() {
        for (name, _, content) in FILES {
            let text = String::from_utf8_lossy(content);
            let rest = text.replace("http://www.w3.org/2000/svg", "");
            assert!(
                !rest.contains("http") && !rest.contains("@import"),
                "{name}"
            );
        }
    }
}
