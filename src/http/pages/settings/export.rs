//! `/settings/export`: everything, or all of an account, as an archive; docs/LEAVING.md describes it.
//!
//! A thread of its own makes the archive, and waits while the browser does not read. The pace of connections
//! bounds that wait, and each account has one archive at a time.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::web::{Bytes, Data};
use futures_util::stream;
use tokio::sync::mpsc;

use crate::admin::{self, PriceSourceRequest, Request, Response};
use crate::domain::{AccountName, Membership, Rights};
use crate::export::{ExportArchive, ExportResult, ExportSource, Wanted, export};
use crate::http::gate::AppState;
use crate::http::operate::price_sources::{self, SourcesOf};
use crate::http::pages::frame::account_scope::named;
use crate::http::pages::frame::response::attached;
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::http::wire::ApiError;
use crate::http::wire::stream::{BrokenOff, without_chunks};
use crate::locks::lock;

/// The most archives at a time: each has a thread, and reads whole histories.
const MOST: usize = 4;
/// The bytes that are sent at once.
const CHUNK: usize = 64 * 1024;
/// The chunks that wait for a browser.
const CHUNKS: usize = 2;

/// The archives being made, by their accounts; `None` is that of everything.
#[derive(Clone, Default)]
pub(crate) struct Exports(Arc<Mutex<BTreeSet<Option<AccountName>>>>);

/// The place of an archive, free again when this is dropped.
struct ExportPlace {
    of: Option<AccountName>,
    all: Exports,
}

impl Exports {
    /// Takes the place of an account; `None` if it has one, or all are taken.
    fn place(&self, of: Option<AccountName>) -> Option<ExportPlace> {
        let mut taken = lock(&self.0);
        if taken.len() >= MOST || !taken.insert(of.clone()) {
            return None;
        }
        let all = self.clone();
        Some(ExportPlace { of, all })
    }
}

impl Drop for ExportPlace {
    fn drop(&mut self) {
        lock(&self.all.0).remove(&self.of);
    }
}

/// The running service, as an export asks it.
struct Served(Data<AppState>);

impl ExportSource for Served {
    fn answer(&self, request: Request) -> ExportResult<Response> {
        let app = &self.0;
        let now = app.now().time;
        Ok(match request {
            Request::PriceSources(request) => {
                let of = SourcesOf {
                    store: &app.store,
                    settings: &app.settings,
                    asked: &app.price_sources,
                };
                price_sources::run(&of, request, now)?
            }
            request => admin::run(&app.store, request, now)?,
        })
    }
}

/// The way of an archive to the browser. Writing waits until the browser has read.
struct ChunkSender {
    /// `None` is the end of a whole archive.
    chunks: mpsc::Sender<Option<Bytes>>,
    /// Set after a failure: an archive that is dropped writes its end.
    is_off: Arc<AtomicBool>,
}

impl Write for ChunkSender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = || io::Error::new(io::ErrorKind::BrokenPipe, "the browser is gone");
        if self.is_off.load(Ordering::Relaxed) {
            return Err(gone());
        }
        let chunk = Some(Bytes::copy_from_slice(bytes));
        self.chunks.blocking_send(chunk).map_err(|_| gone())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `GET /settings/export`
pub(crate) async fn download(visit: Visit, exports: Data<Exports>) -> PageResult {
    let account = named(visit.query())?;
    let rights = &visit.visitor.rights;
    let is_allowed = account
        .as_ref()
        .map_or(*rights == Rights::Everything, |name| {
            rights.allow(name, Membership::Member)
        });
    let registry = visit.app.store.registry();
    let is_known = |name| registry.account(name).is_some();
    if !is_allowed || !account.as_ref().is_none_or(is_known) {
        return Err(PageError::NotFound);
    }
    let place = exports.place(account.clone()).ok_or(PageError::Busy)?;
    let name = archive_name(&visit);
    let (sender, chunks) = mpsc::channel(CHUNKS);
    let (served, folder) = (Served(visit.app.clone()), name.clone());
    let work = move || {
        let _place = place;
        send(&served, account.as_ref(), folder, &sender);
    };
    let begun = thread::Builder::new().name("export".into()).spawn(work);
    begun.map_err(|_| ApiError::Internal("the system has no thread left"))?;
    let chunks = stream::unfold(Some(chunks), async |chunks| {
        let mut chunks = chunks?;
        match chunks.recv().await {
            Some(Some(chunk)) => Some((Ok(chunk), Some(chunks))),
            Some(None) => None,
            // So that nobody takes a part for the whole.
            None => Some((Err(BrokenOff), None)),
        }
    });
    let mut response = HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "application/zip"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .streaming(chunks);
    without_chunks(&visit.request, &mut response);
    Ok(attached(response, &format!("{name}.zip"))?)
}

/// The name of the archive, and of the folder in it.
fn archive_name(visit: &Visit) -> String {
    let today = visit.app.counted_now().to_string();
    let date = today.split('T').next().unwrap_or_default();
    format!("wattkeeper-{date}")
}

/// Makes the archive.
fn send(
    served: &Served,
    account: Option<&AccountName>,
    folder: String,
    chunks: &mpsc::Sender<Option<Bytes>>,
) {
    let is_off = Arc::<AtomicBool>::default();
    let sender = ChunkSender {
        chunks: chunks.clone(),
        is_off: Arc::clone(&is_off),
    };
    let mut archive = ExportArchive::new(folder, BufWriter::with_capacity(CHUNK, sender));
    let write = || {
        let list = Request::PriceSources(PriceSourceRequest::List);
        let wanted = Wanted {
            account,
            price_sources: served.answer(list)?.try_into()?,
            now: served.0.counted_now(),
        };
        export(served, wanted, &mut archive, &|_| ())?;
        archive.finish()
    };
    match write() {
        // Nobody waits for it any more if this fails.
        Ok(()) => drop(chunks.blocking_send(None)),
        Err(error) => {
            is_off.store(true, Ordering::Relaxed);
            if !chunks.is_closed() {
                log::error!("an export broke off: {error:#}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_account_has_one_place() {
        let exports = Exports::default();
        let of = |name: &str| Some(AccountName::new(name).unwrap());
        let first = exports.place(of("home")).unwrap();
        assert!(exports.place(of("home")).is_none());
        let all = exports.place(None).unwrap();
        assert!(exports.place(None).is_none());
        let others = ["a", "b"].map(|name| exports.place(of(name)).unwrap());
        assert!(exports.place(of("c")).is_none());
        drop(first);
        assert!(exports.place(of("c")).is_some());
        assert!(exports.place(of("home")).is_some());
        drop((all, others));
        assert!(lock(&exports.0).is_empty());
    }

    #[test]
    fn a_part_does_not_end_as_a_whole() {
        let (sender, mut chunks) = mpsc::channel(CHUNKS);
        let is_off = Arc::<AtomicBool>::default();
        let mut sender = ChunkSender {
            chunks: sender,
            is_off: Arc::clone(&is_off),
        };
        sender.write_all(b"PK").unwrap();
        assert_eq!(chunks.blocking_recv(), Some(Some(Bytes::from("PK"))));
        is_off.store(true, Ordering::Relaxed);
        let error = sender.write_all(b"the end").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        drop(sender);
        assert_eq!(chunks.blocking_recv(), None);
    }
}
