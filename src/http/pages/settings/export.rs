//! `/settings/export`: everything, or all of an account, as an archive; docs/LEAVING.md describes it.
//!
//! A thread of its own makes the archive, and waits while the browser does not read. `http.stall_timeout` ends the
//! connection of a browser that stops. Each account has one archive at a time, and each report in it a turn.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex};
use std::thread;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::web::{Bytes, Data};
use futures_util::stream;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::admin::{self, LedgerRequest, PriceSourceRequest, Request, Response};
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
use crate::store::Store;

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
struct Served {
    app: Data<AppState>,
    /// Where turns of reports are waited for.
    runtime: Handle,
    chunks: mpsc::Sender<Option<Bytes>>,
}

impl Served {
    /// Carries out a request in a turn of the account's reports, and waits for it as long as the browser does.
    fn in_turn(&self, account: &AccountName, request: &Request) -> ExportResult<Response> {
        // Nothing is begun for a browser that is gone: the service may be ending, and this runtime with it.
        while !self.chunks.is_closed() {
            let (store, request) = (Arc::clone(&self.app.store), request.clone());
            let now = self.app.now().time;
            let report = move |_: &Store| admin::run(&store, request, now);
            match self.runtime.block_on(self.app.report(account, report)) {
                Err(ApiError::Overloaded) => {}
                answer => return Ok(answer??),
            }
        }
        Err(gone().into())
    }
}

/// The account of a report.
fn reported(request: &Request) -> Option<AccountName> {
    let account = match request {
        Request::Ledger(LedgerRequest::Energy(form)) => form.account.as_deref(),
        Request::Ledger(LedgerRequest::Statement(form, _)) => form.account.as_deref(),
        _ => None,
    };
    AccountName::new(account?).ok()
}

impl ExportSource for Served {
    fn answer(&self, request: Request) -> ExportResult<Response> {
        let app = &self.app;
        let now = app.now().time;
        if let Some(account) = reported(&request) {
            return self.in_turn(&account, &request);
        }
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

/// The way of an archive to the browser, which ends with `None`. Writing waits until the browser has read.
struct ChunkSender(mpsc::Sender<Option<Bytes>>);

impl Write for ChunkSender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Some(Bytes::copy_from_slice(bytes)));
        sent.map_err(|_| gone())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the browser is gone")
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
    let served = Served {
        app: visit.app.clone(),
        runtime: Handle::current(),
        chunks: sender,
    };
    let folder = name.clone();
    let work = move || send(&served, account.as_ref(), folder, place);
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
fn send(served: &Served, account: Option<&AccountName>, folder: String, place: ExportPlace) {
    let sender = ChunkSender(served.chunks.clone());
    let write = || {
        let mut archive = ExportArchive::new(folder, BufWriter::with_capacity(CHUNK, sender));
        let list = Request::PriceSources(PriceSourceRequest::List);
        let wanted = Wanted {
            account,
            price_sources: served.answer(list)?.try_into()?,
            now: served.app.counted_now(),
        };
        export(served, wanted, &mut archive, &|_| ())?;
        archive.finish()
    };
    match write() {
        Ok(()) => {
            drop(place);
            // Nobody waits for it any more if this fails.
            drop(served.chunks.blocking_send(None));
        }
        Err(error) if !served.chunks.is_closed() => {
            log::error!("an export broke off: {error:#}");
        }
        Err(_) => {}
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
}
