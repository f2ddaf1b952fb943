//! Notices on the dashboard and on the status page: the event, its start, and the remedy.

use std::sync::Arc;

use crate::admin::{AdminError, dismiss_notice};
use crate::chart::Wording;
use crate::domain::{AccountName, LocalDate, Timestamp};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::see_other;
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::http::wire::body::in_background;
use crate::ledger::notice::{KnownNotice, NoticeKey, NoticeKind};
use crate::notices::sentence::{advice, happened, name_of, zone_of};
use crate::store::{Registry, StoreError};

/// A notice.
pub(super) struct NoticeView {
    /// The account that it concerns; empty for the service.
    pub(super) account: String,
    pub(super) id: String,
    pub(super) is_bad: bool,
    /// A sentence.
    pub(super) happened: String,
    /// A sentence.
    pub(super) advice: String,
    /// `None` for a past event.
    pub(super) since: Option<String>,
    /// The page with details: its address and its title.
    pub(super) link: Option<(String, String)>,
}

/// The newest notices that the visitor sees and nobody dismissed; and the number of those beyond
/// `most`.
pub(super) fn shown_notices(
    visit: &Visit,
    registry: &Registry,
    now: Timestamp,
    most: usize,
) -> (Vec<NoticeView>, usize) {
    let language = visit.language();
    let shown = registry
        .notices()
        .filter(|(key, known)| known.is_shown() && visit.is_shown(key.account.as_ref()));
    let mut shown: Vec<_> = shown.collect();
    shown.sort_by_key(|(_, known)| std::cmp::Reverse(known.opened));
    let more = shown.len().saturating_sub(most);
    let views = shown.into_iter().take(most).map(|(key, known)| {
        let zone = zone_of(registry, key.account.as_ref());
        let wording = Wording::new(&zone, language);
        NoticeView::of(registry, (key, known), wording, now)
    });
    (views.collect(), more)
}

impl NoticeView {
    fn of(
        registry: &Registry,
        (key, known): (&NoticeKey, &KnownNotice),
        wording: Wording<'_>,
        now: Timestamp,
    ) -> Self {
        let language = wording.language;
        let notice = &known.notice;
        let kind = notice.kind;
        let account = key.account.as_ref().map(ToString::to_string);
        let page = |path, query: &[(&str, &str)], words: String| {
            let own = [("account", account.as_deref()?)];
            let query = [&own[..], query].concat();
            Some((address(path, &query), words))
        };
        let day = LocalDate::at(notice.since, wording.zone).to_string();
        Self {
            id: key.id.clone(),
            is_bad: matches!(
                kind,
                NoticeKind::DiskNearlyFull | NoticeKind::BackupOverdue | NoticeKind::StoreDamaged
            ),
            happened: happened(notice, name_of(registry, notice), wording),
            advice: advice(notice, language),
            link: match kind {
                NoticeKind::EventOpen => page("events", &[], language.say("events-decide")),
                NoticeKind::UnusualDay => {
                    let query = [("range", "day"), ("at", day.as_str())];
                    page("energy", &query, language.say("notice-see-day"))
                }
                _ => None,
            },
            // A day in the past does not last.
            since: (kind != NoticeKind::UnusualDay).then(|| {
                let since = wording.when(notice.since, now);
                language.fill("notice-since", [("time", since.into())])
            }),
            account: account.unwrap_or_default(),
        }
    }
}

/// `POST /notices/dismiss`: hides a notice until it ends.
pub(crate) async fn dismiss(visit: Visit) -> PageResult {
    let account = visit.field("account")?;
    let account = match account.as_str() {
        // The guard has only checked the account of a sensor, if the request names one.
        "" if !visit.is_shown(None) => return Err(PageError::NotFound),
        "" => None,
        name => Some(AccountName::new(name).map_err(|_| PageError::NotFound)?),
    };
    let key = NoticeKey {
        account,
        id: visit.field("id")?,
    };
    let (store, now) = (Arc::clone(&visit.app.store), visit.app.counted_now());
    let by = visit.author();
    let dismissing = move || dismiss_notice(&store, &key, by, now);
    match in_background(dismissing).await? {
        // The notice may have ended meanwhile, which has the same result.
        Ok(_) | Err(AdminError::Unfit(StoreError::UnknownNotice(_))) => {
            Ok(see_other("./?done=dismissed"))
        }
        Err(error) => Err(PageError::of_admin(error, |_| "main")),
    }
}
