//! `/offline`: the page that `web/static/offline-worker.js` keeps, and shows while the server can't
//! be reached. It names nobody and shows nothing that could be out of date.

use askama::Template;

use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageResult, Visit};

#[derive(Template)]
#[template(path = "offline.html")]
struct OfflinePage {
    layout: Layout,
}

/// `GET /offline`
pub(crate) async fn show(visit: Visit) -> PageResult {
    // Without forms, because the page outlives the session.
    let layout = Layout::alone(&visit.request);
    Ok(ok(&OfflinePage { layout }))
}
