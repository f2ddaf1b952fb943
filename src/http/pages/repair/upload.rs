//! A backup that a browser sends, kept in the data dir until it is restored.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use actix_web::http::header::CONTENT_LENGTH;
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::StreamExt as _;

use super::desk::RepairDesk;
use crate::http::wire::body::in_background;
use crate::store::{KEPT_FREE, free_bytes};

/// The header that opens the upload, as the secret of the page's address.
const TOKEN: &str = "x-repair-token";
/// The file of a complete upload, and of one under way.
const UPLOADED: &str = "uploaded.backup";
const PART: &str = "uploaded.part";
/// The number of bytes that are written at once.
const PIECE: usize = 1 << 20;

/// The uploaded backup, and its size in bytes.
pub(super) fn found(data_dir: &Path) -> Option<(PathBuf, u64)> {
    let path = data_dir.join(UPLOADED);
    let bytes = fs::metadata(&path).ok()?.len();
    Some((path, bytes))
}

/// Removes what was sent: the store is open again.
pub(super) fn remove(data_dir: &Path) {
    for name in [UPLOADED, PART] {
        // There may be none.
        let _ = fs::remove_file(data_dir.join(name));
    }
}

/// `POST /repair/upload`: the bytes of a backup. Answers with 204, or with a text.
pub(super) async fn take(
    request: HttpRequest,
    desk: web::Data<RepairDesk>,
    payload: web::Payload,
) -> HttpResponse {
    let header = |name| request.headers().get(name)?.to_str().ok();
    if !desk.is_token(header(TOKEN).unwrap_or_default()) {
        return HttpResponse::Forbidden().finish();
    }
    let length = header(CONTENT_LENGTH.as_str()).and_then(|length| length.parse().ok());
    let Ok(_turn) = desk.uploading.try_acquire() else {
        return HttpResponse::Conflict().body("another upload is under way");
    };
    match write(&desk.place.data_dir, length, payload).await {
        Ok(()) => HttpResponse::NoContent().finish(),
        Err(error) => HttpResponse::InternalServerError().body(error.to_string()),
    }
}

async fn write(data_dir: &Path, length: Option<u64>, mut payload: web::Payload) -> io::Result<()> {
    let part = data_dir.join(PART);
    let length = length.ok_or_else(|| io::Error::other("expected the header Content-Length"))?;
    let free = free_bytes(data_dir)?;
    if free < length.saturating_add(KEPT_FREE) {
        return Err(io::Error::other("the disk has too little free space"));
    }
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&part)?;
    let mut written = 0_u64;
    let mut piece = Vec::new();
    loop {
        let next = payload.next().await;
        let is_end = next.is_none();
        if let Some(bytes) = next {
            piece.extend_from_slice(&bytes.map_err(io::Error::other)?);
        }
        if piece.len() >= PIECE || is_end {
            written = written.saturating_add(piece.len() as u64);
            let full = std::mem::take(&mut piece);
            let write = move || file.write_all(&full).map(|()| file);
            file = in_background(write).await.map_err(io::Error::other)??;
        }
        if is_end {
            break;
        }
    }
    if written != length {
        return Err(io::Error::other("the upload ended early: send it again"));
    }
    let whole = data_dir.join(UPLOADED);
    let keep = move || file.sync_all().and_then(|()| fs::rename(part, whole));
    in_background(keep).await.map_err(io::Error::other)?
}
