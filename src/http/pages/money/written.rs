//! What reports share: a page becomes a report, and names its account.

use askama::Template;

use crate::domain::Account;
use crate::notices::WrittenReport;
use crate::store::Store;
use crate::texts::Language;

/// A page as a report.
pub(super) fn report(title: String, text: String, page: &impl Template) -> Option<WrittenReport> {
    // Writing to memory does not fail.
    let html = page.render().ok()?;
    Some(WrittenReport { title, text, html })
}

/// The account, if there are others.
pub(super) fn account_note(
    store: &Store,
    account: &Account,
    language: &Language,
) -> Option<String> {
    let has_others = store.registry().accounts().nth(1).is_some();
    let values = [("name", account.name.as_str().into())];
    has_others.then(|| language.fill("notice-of-account", values))
}
