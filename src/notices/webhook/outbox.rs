//! The next message, and its time. Sent messages are recorded with the notices, and sent reports in a
//! setting, so a restart loses no message, and repeats at most the one without an answer.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::message::{message, text};
use super::post::{Poster, WebhookAnswer};
use super::report::report_message;
use super::{WebhookAddress, WebhookFormat, WebhookSettings};
use crate::domain::Moment;
use crate::ledger::notice::{NoticeChange, NoticeKey, NoticeKind};
use crate::notices::reports::{DueReport, PendingReports};
use crate::store::{Store, StoreError};
use crate::texts::Language;

/// The waits after failures: the first, and the longest. Each is twice the one before.
const FIRST_WAIT: Duration = Duration::from_mins(1);
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// Sends due messages one by one, oldest first.
pub(in crate::notices) struct Outbox {
    store: Arc<Store>,
    webhook: Option<Webhook>,
}

struct Webhook {
    address: WebhookAddress,
    format: WebhookFormat,
    language: &'static Language,
    poster: Poster,
    reports: PendingReports,
    /// The message that has no answer yet.
    under_way: Option<UnderWay>,
    /// After a failure: the end of the wait, by the monotonic clock, and its length.
    waiting: Option<(Duration, Duration)>,
}

/// What a message is about.
enum UnderWay {
    Notice(NoticeKey),
    Report(DueReport),
}

impl UnderWay {
    const fn is_notice(&self) -> bool {
        matches!(self, Self::Notice(_))
    }
}

impl Outbox {
    /// An outbox with the reports in the language of its messages.
    ///
    /// # Errors
    /// The error of the operating system if it cannot start a thread.
    pub(in crate::notices) fn start(
        store: Arc<Store>,
        settings: Option<WebhookSettings>,
        reports: impl FnOnce(&'static Language) -> PendingReports,
    ) -> io::Result<Self> {
        let webhook = settings.map(|settings| {
            Ok::<Webhook, io::Error>(Webhook {
                address: settings.address.clone(),
                format: settings.format,
                language: settings.language(),
                reports: reports(settings.language()),
                poster: Poster::start(settings)?,
                under_way: None,
                waiting: None,
            })
        });
        let webhook = webhook.transpose()?;
        Ok(Self { store, webhook })
    }

    /// Whether the message of a notice has no answer yet. Until then its notice must not end, because the end of
    /// a notice is sent only if its start was.
    pub(in crate::notices) fn is_under_way(&self) -> bool {
        let webhook = self.webhook.as_ref();
        webhook.is_some_and(|it| it.under_way.as_ref().is_some_and(UnderWay::is_notice))
    }

    /// Handles the answer to the message under way, if there is one. May block on disk writes.
    pub(in crate::notices) fn take_answer(&mut self, now: Moment) -> Result<(), StoreError> {
        let Some(webhook) = &mut self.webhook else {
            return Ok(());
        };
        if webhook.under_way.is_none() {
            return Ok(());
        }
        match webhook.poster.answer() {
            WebhookAnswer::NotYet => Ok(()),
            WebhookAnswer::Taken => {
                let sent = webhook.under_way.take();
                webhook.waiting = None;
                if let Some(UnderWay::Report(_)) = sent {
                    *webhook.reports.waiting() = None;
                }
                self.store.edit(move |edit| match sent {
                    Some(UnderWay::Notice(key)) => {
                        edit.change_notices(vec![(key, NoticeChange::Sent)])
                    }
                    Some(UnderWay::Report(due)) => {
                        edit.note_report(&due.account, (due.kind, due.period.first))
                    }
                    None => Ok(()),
                })
            }
            WebhookAnswer::Failed(why) => {
                let failed = webhook.under_way.take();
                // A receiver may refuse reports alone: that does not delay notices.
                let waiting = match failed {
                    Some(UnderWay::Report(_)) => webhook.reports.waiting(),
                    _ => &mut webhook.waiting,
                };
                let before = waiting.map(|(_, wait)| wait.saturating_mul(2));
                let wait = before.unwrap_or(FIRST_WAIT).min(LONGEST_WAIT);
                *waiting = Some((now.elapsed.saturating_add(wait), wait));
                log::warn!(
                    "{:?} did not accept a message: {why}; trying again in {} min",
                    webhook.address,
                    wait.as_secs() / 60
                );
                Ok(())
            }
        }
    }

    /// Sends the next message, if none is under way. Without a webhook, forgets ended notices,
    /// which nobody needs to be informed about. May block on disk writes.
    pub(in crate::notices) fn send_next(&mut self, now: Moment) -> Result<(), StoreError> {
        let registry = self.store.registry();
        let Some(webhook) = &mut self.webhook else {
            let ended = registry.notices().filter(|(_, known)| !known.is_open());
            let forgotten: Vec<_> = ended
                .map(|(key, _)| (key.clone(), NoticeChange::Forgotten))
                .collect();
            if forgotten.is_empty() {
                return Ok(());
            }
            return self.store.edit(move |edit| edit.change_notices(forgotten));
        };
        // Before anything else, so that it does not wait for messages that fail.
        let needless = registry.notices().filter(|(_, known)| {
            let is_momentary = known.notice.kind == NoticeKind::PeakAhead;
            is_momentary && !known.is_open() && !webhook.format.shows_ends()
        });
        let forgotten: Vec<_> = needless
            .map(|(key, _)| (key.clone(), NoticeChange::Forgotten))
            .collect();
        if !forgotten.is_empty() {
            return self.store.edit(move |edit| edit.change_notices(forgotten));
        }
        let is_waiting = webhook
            .waiting
            .is_some_and(|(until, _)| now.elapsed < until);
        if webhook.under_way.is_some() || is_waiting {
            return Ok(());
        }
        let due = registry
            .notices()
            .filter_map(|(key, known)| Some((known.due_since()?, key, known)));
        // If several have the same time, the first by key: `min_by_key` takes the first.
        if let Some((_, key, known)) = due.min_by_key(|(since, ..)| *since) {
            let text = text(&registry, (key, known), webhook.language);
            let message = message(webhook.format, key, known, text);
            if webhook.poster.post(message) {
                webhook.under_way = Some(UnderWay::Notice(key.clone()));
            }
        } else if let Some((due, written)) = webhook.reports.next(&self.store, now) {
            // Reports come last: no notice waits for one.
            let message = report_message(webhook.format, &due, written);
            if webhook.poster.post(message) {
                webhook.under_way = Some(UnderWay::Report(due));
            }
        }
        Ok(())
    }
}
