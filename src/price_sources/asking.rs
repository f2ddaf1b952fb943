//! Requests on threads of their own, so that a stop does not wait for an answer. The thread that asks
//! also changes the store, which blocks: no runtime can do that.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::answer::{SourceAnswer, read};
use super::error::SourceError;
use super::form::SourceForm;
use super::get::get;
use super::settings::PriceSourceSettings;
use crate::domain::{TimeRange, Timestamp};

/// The statuses of HTTP of a source that has nothing for these times.
const NO_CONTENT: u16 = 204;
const NOT_FOUND: u16 = 404;

/// The event that the fetching thread waits for.
pub(super) enum FetcherEvent {
    /// It is to end.
    Stop,
    /// The answer of the source that it asked.
    Answer(Result<SourceAnswer, SourceError>),
}

/// Both ends of the fetching thread's events.
pub(super) struct FetcherEvents {
    pub(super) sender: Sender<FetcherEvent>,
    pub(super) receiver: Receiver<FetcherEvent>,
}

/// Asks for a range with `ask`; `tomorrow` begins then. Some sources refuse a request with a day that
/// is not published yet: then the days before it are asked for alone. `None` if nothing more is to
/// be asked.
pub(super) fn ask_published(
    form: &SourceForm,
    (range, tomorrow): (TimeRange, Timestamp),
    ask: impl Fn(TimeRange) -> Option<Result<SourceAnswer, SourceError>>,
) -> Option<Result<SourceAnswer, SourceError>> {
    let no_content = |answer: Result<SourceAnswer, SourceError>| match answer {
        Err(SourceError::Status(NO_CONTENT)) => Ok(SourceAnswer::nothing(form)),
        answer => answer,
    };
    match ask(range)? {
        Err(SourceError::Status(NOT_FOUND)) if tomorrow < range.end() => {
            match TimeRange::new(range.start(), tomorrow).filter(|_| range.start() < tomorrow) {
                Some(published) => ask(published).map(no_content),
                None => Some(Ok(SourceAnswer::nothing(form))),
            }
        }
        answer => Some(no_content(answer)),
    }
}

impl FetcherEvents {
    /// The answer of a source; `None` if the thread is to end. A request under way holds no part of
    /// the store, so nobody waits for it then.
    pub(super) fn ask(
        &self,
        settings: PriceSourceSettings,
        range: TimeRange,
    ) -> Option<Result<SourceAnswer, SourceError>> {
        let sender = self.sender.clone();
        let asking = move || {
            let answer = || {
                let body = get(&settings, range)?;
                read(&settings.form.of_zone(settings.asked_zone()), &body, range)
            };
            // The panic hook has already logged a panic.
            let answer = catch_unwind(AssertUnwindSafe(answer));
            let answer = answer.unwrap_or(Err(SourceError::Panic));
            // Nobody may wait any more.
            let _ = sender.send(FetcherEvent::Answer(answer));
        };
        let started = thread::Builder::new().name("price-request".into());
        if let Err(error) = started.spawn(asking) {
            return Some(Err(SourceError::Unreachable(error.to_string())));
        }
        match self.receiver.recv() {
            Ok(FetcherEvent::Answer(answer)) => Some(answer),
            Ok(FetcherEvent::Stop) | Err(_) => None,
        }
    }

    /// Waits this long; returns whether the thread goes on.
    pub(super) fn wait(&self, time: Duration) -> bool {
        matches!(
            self.receiver.recv_timeout(time),
            Err(RecvTimeoutError::Timeout)
        )
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use toml::Table;

    use super::*;
    use crate::domain::time::at;
    use crate::price_sources::answer::AnswerTerms;
    use crate::price_sources::known::KnownSource;

    /// The answer to a request for two days of a source that answers each range as `answers` says,
    /// and the ranges that it was asked for.
    fn asked(
        source: &str,
        range: (i64, i64),
        answers: impl Fn(i64) -> Result<SourceAnswer, SourceError>,
    ) -> (Result<SourceAnswer, SourceError>, Vec<(i64, i64)>) {
        let known = KnownSource::with_id(source).unwrap();
        let form = known.form_with(&Table::new()).unwrap();
        let ranges = RefCell::new(Vec::new());
        let ask = |range: TimeRange| {
            let range = (range.start().millis(), range.end().millis());
            ranges.borrow_mut().push(range);
            Some(answers(range.1))
        };
        let range = TimeRange::new(at(range.0), at(range.1)).unwrap();
        let answer = ask_published(&form, (range, at(10)), ask).unwrap();
        (answer, ranges.into_inner())
    }

    #[test]
    fn a_day_that_is_not_published_is_no_failure() {
        let nothing = || SourceAnswer::Prices(Vec::new(), AnswerTerms::default());
        let gone = |_| Err(SourceError::Status(NOT_FOUND));
        // Tomorrow alone, from 10 to 20.
        assert_eq!(
            asked("awattar-de", (10, 20), gone),
            (Ok(nothing()), vec![(10, 20)])
        );
        // Today is asked for alone then, and must be there.
        let (answer, ranges) = asked("awattar-de", (0, 20), gone);
        assert_eq!((answer, ranges), (gone(0), vec![(0, 20), (0, 10)]));
        let there = |end| if end > 10 { gone(end) } else { Ok(nothing()) };
        assert_eq!(asked("awattar-de", (0, 20), there).0, Ok(nothing()));
        assert_eq!(asked("awattar-de", (0, 10), gone), (gone(0), vec![(0, 10)]));
        let empty = |_| Err(SourceError::Status(NO_CONTENT));
        for range in [(0, 10), (0, 20), (10, 20)] {
            assert_eq!(
                asked("awattar-de", range, empty),
                (Ok(nothing()), vec![range])
            );
        }
        let days = asked("rte-tempo", (10, 20), gone).0;
        assert!(matches!(days, Ok(SourceAnswer::Days(days)) if days.is_empty()));
        let other = |_| Err(SourceError::Status(500));
        assert_eq!(
            asked("awattar-de", (10, 20), other),
            (other(0), vec![(10, 20)])
        );
    }
}
