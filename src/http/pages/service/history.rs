//! The state of the history that Home Assistant gets, in words.

use super::connection::ServiceClock;
use super::home_problem::home_problem_text;
use crate::domain::AccountName;
use crate::home_assistant::{HistoryTally, LastPasses};
use crate::http::gate::AppState;
use crate::http::pages::frame::figures;
use crate::texts::Language;

/// The history that is sent.
pub(in crate::http::pages) struct HistoryView {
    /// The address of Home Assistant.
    pub(in crate::http::pages) address: String,
    pub(in crate::http::pages) is_bad: bool,
    /// Since when it is complete, or why it is not.
    pub(in crate::http::pages) state: String,
    /// The hours sent since the start.
    pub(in crate::http::pages) sent: String,
}

/// The histories that are sent.
pub(in crate::http::pages) fn views(
    app: &AppState,
    language: &'static Language,
) -> Vec<HistoryView> {
    let all = app.history.list();
    all.iter().map(|it| view(it, app, language)).collect()
}

/// The history of an account; `None` if it is not sent.
pub(super) fn view_of(
    app: &AppState,
    account: &AccountName,
    language: &'static Language,
) -> Option<HistoryView> {
    let registry = app.store.registry();
    let all = app.history.list();
    let mut own = all
        .iter()
        .filter(|it| it.settings().account(&registry).as_ref() == Ok(account));
    own.next().map(|it| view(it, app, language))
}

fn view(history: &HistoryTally, app: &AppState, language: &'static Language) -> HistoryView {
    let clocks = ServiceClock::of(app, language);
    let last = history.last();
    let hours = [("hours", figures::count(last.hours, language).into())];
    HistoryView {
        address: history.settings().link.address.to_string(),
        is_bad: last.failed.is_some(),
        state: state(&last, app.store.is_leader(), &clocks),
        sent: language.fill("ha-history-sent", hours),
    }
}

fn state(last: &LastPasses, is_leader: bool, clocks: &ServiceClock) -> String {
    let language = clocks.language;
    let complete = last.complete.map(|time| {
        let time = [("time", clocks.when(time).into())];
        language.fill("ha-history-complete", time)
    });
    let now = match &last.failed {
        Some((time, error)) => {
            let why = home_problem_text(error, language);
            let values = [("time", clocks.when(*time).into()), ("why", why.into())];
            Some(language.fill("polled-failed", values))
        }
        None if !is_leader => Some(language.say("ha-history-elsewhere")),
        None if last.is_under_way => Some(language.say("ha-history-under-way")),
        None => None,
    };
    let known: Vec<String> = now.into_iter().chain(complete).collect();
    if known.is_empty() {
        return language.say("ha-history-not-yet");
    }
    known.join(" ")
}
