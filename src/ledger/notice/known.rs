//! The state of a notice while it is open: its beginning, its dismissal, and the messages sent.

use super::kind::{Notice, NoticeSubject};
use crate::domain::{AccountName, SensorId, Timestamp};
use crate::ledger::correction::Made;

/// The identity of a notice among those of all accounts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoticeKey {
    /// Whose notice it is; `None` for the service's own.
    pub account: Option<AccountName>,
    /// See [`Notice::id`].
    pub id: String,
}

/// A notice that is open, or whose end is still to be announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownNotice {
    /// Its content.
    pub notice: Notice,
    /// When it was opened.
    pub opened: Timestamp,
    /// The time and author of its dismissal, which hides it until it ends.
    pub dismissed: Option<Made>,
    /// Whether a message that it opened was sent.
    pub is_sent: bool,
    /// When it ended; only of one whose opening was sent, until its end is sent.
    pub ended: Option<Timestamp>,
}

/// A change of a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeChange {
    /// Its fact is found, at this time.
    Opened(Notice, Timestamp),
    /// A person dismisses it.
    Dismissed(Made),
    /// The message that is due was sent.
    Sent,
    /// Its fact is over, at this time.
    Ended(Timestamp),
    /// Its end needs no message any more.
    Forgotten,
}

impl NoticeKey {
    /// The most notices of an account. More are not opened until others end.
    pub const MOST: usize = 1_000;

    /// The key of a notice of this account.
    #[must_use]
    pub fn of(account: Option<AccountName>, notice: &Notice) -> Self {
        let id = notice.id();
        Self { account, id }
    }
}

impl Notice {
    /// The sensor that it concerns, if it is about one.
    #[must_use]
    pub const fn sensor(&self) -> Option<&SensorId> {
        match &self.subject {
            NoticeSubject::Sensor(sensor)
            | NoticeSubject::Clock(sensor, _)
            | NoticeSubject::Field(sensor, _)
            | NoticeSubject::Twin(sensor, _) => Some(sensor),
            _ => None,
        }
    }
}

impl KnownNotice {
    /// A notice that was just opened.
    #[must_use]
    pub const fn new(notice: Notice, opened: Timestamp) -> Self {
        Self {
            notice,
            opened,
            dismissed: None,
            is_sent: false,
            ended: None,
        }
    }

    /// Whether its fact lasts.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether it is open and nobody dismissed it.
    #[must_use]
    pub const fn is_shown(&self) -> bool {
        self.is_open() && self.dismissed.is_none()
    }

    /// Since when a message about it is due; `None` if none is.
    #[must_use]
    pub const fn due_since(&self) -> Option<Timestamp> {
        match self.ended {
            Some(ended) => Some(ended),
            None if self.is_shown() && !self.is_sent => Some(self.opened),
            None => None,
        }
    }
}

impl NoticeChange {
    /// The state after this change; `None` if the notice is gone.
    #[must_use]
    pub fn apply(self, known: Option<KnownNotice>) -> Option<KnownNotice> {
        let Some(known) = known else {
            let Self::Opened(notice, at) = self else {
                return None;
            };
            return Some(KnownNotice::new(notice, at));
        };
        let is_open = known.is_open();
        match self {
            // The last message said that it is open, which is true again: no message is due.
            Self::Opened(notice, at) if !is_open => Some(KnownNotice {
                is_sent: true,
                ..KnownNotice::new(notice, at)
            }),
            // An ended notice cannot be dismissed, and ends once.
            Self::Dismissed(_) | Self::Ended(_) if !is_open => Some(known),
            Self::Opened(..) => Some(known),
            Self::Dismissed(made) => Some(KnownNotice {
                dismissed: known.dismissed.or(Some(made)),
                ..known
            }),
            Self::Sent => is_open.then_some(KnownNotice {
                is_sent: true,
                ..known
            }),
            // If no message announced it, or it was dismissed, its end needs no message.
            Self::Ended(at) => (known.is_sent && known.is_shown()).then_some(KnownNotice {
                ended: Some(at),
                ..known
            }),
            Self::Forgotten => is_open.then_some(known),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::ledger::correction::Author;
    use crate::ledger::notice::{NoticeKind, NoticeSubject};

    fn opened(ms: i64) -> NoticeChange {
        let notice = Notice {
            kind: NoticeKind::BaseLoadRose,
            subject: NoticeSubject::House,
            since: at(ms),
            happened: "It happened.".into(),
        };
        NoticeChange::Opened(notice, at(ms))
    }

    fn dismissed(ms: i64) -> NoticeChange {
        NoticeChange::Dismissed(Made::new(at(ms), Author::CommandLine, "").unwrap())
    }

    fn after(changes: impl IntoIterator<Item = NoticeChange>) -> Option<KnownNotice> {
        let all = changes.into_iter();
        all.fold(None, |known, change| change.apply(known))
    }

    #[test]
    fn a_notice_is_told_once_and_its_end_once() {
        use NoticeChange::{Ended, Sent};
        let due = |changes: Vec<NoticeChange>| after(changes)?.due_since();
        assert_eq!(due(vec![opened(5)]), Some(at(5)));
        assert_eq!(due(vec![opened(5), opened(6)]), Some(at(5)));
        assert_eq!(due(vec![opened(5), Sent]), None);
        assert_eq!(due(vec![opened(5), Sent, Ended(at(9))]), Some(at(9)));
        let twice = vec![opened(5), Sent, Ended(at(9)), Ended(at(10)), dismissed(11)];
        assert_eq!(due(twice), Some(at(9)));
        assert_eq!(after([opened(5), Sent, Ended(at(9)), Sent]), None);
        // Never told, so there is no end to tell.
        assert_eq!(after([opened(5), Ended(at(9))]), None);
        let forgotten = after([opened(5), Sent, Ended(at(9)), NoticeChange::Forgotten]);
        assert_eq!(forgotten, None);
    }

    #[test]
    fn a_notice_that_opens_again_before_its_end_was_told_is_as_it_was_told() {
        let again = after([
            opened(5),
            NoticeChange::Sent,
            NoticeChange::Ended(at(9)),
            opened(12),
        ]);
        let again = again.unwrap();
        assert!(again.is_shown() && again.is_sent);
        assert_eq!((again.opened, again.notice.since), (at(12), at(12)));
        assert_eq!(again.due_since(), None);
    }

    #[test]
    fn a_dismissed_notice_is_hidden_until_it_ends() {
        let known = after([opened(5), dismissed(6), dismissed(7), opened(8)]).unwrap();
        assert!(known.is_open() && !known.is_shown());
        assert_eq!(known.dismissed.as_ref().unwrap().at(), at(6));
        assert_eq!(known.due_since(), None);
        let told = [opened(5), NoticeChange::Sent, dismissed(6)];
        let ended = [NoticeChange::Ended(at(9))];
        assert_eq!(after(told.clone().into_iter().chain(ended.clone())), None);
        let anew = told.into_iter().chain(ended).chain([opened(10)]);
        assert!(after(anew).unwrap().is_shown());
        for change in [NoticeChange::Sent, dismissed(6), NoticeChange::Ended(at(9))] {
            assert_eq!(after([change]), None);
        }
    }
}
