//! The days that a page of costs shows, and the links to others.

use super::contracts::day;
use crate::domain::{Account, LocalDate, Timestamp};
use crate::http::pages::frame::range::{
    PeriodLinks, RangeCalendar, RangeChoice, RangeRules, ShownRange,
};
use crate::texts::Language;

/// The days of an account that a page shows.
pub(crate) struct BilledDays {
    pub(crate) account: String,
    pub(crate) dates: String,
    /// The end of the period so far, if it is not over.
    pub(crate) until: Option<String>,
    /// The first and the last day, in the form of addresses.
    pub(crate) ends: [String; 2],
    pub(crate) period: PeriodLinks,
}

/// The answer about the days that somebody asked for.
pub(super) struct AskedDays<T> {
    pub(super) account: Account,
    pub(super) choice: RangeChoice,
    pub(super) calendar: RangeCalendar,
    pub(super) days: ShownRange,
    pub(super) found: T,
}

impl<T> AskedDays<T> {
    /// The days as a page shows them; readings are known until `known`.
    pub(super) fn shown(
        &self,
        known: Timestamp,
        page: impl Fn(RangeChoice) -> String,
    ) -> BilledDays {
        let rules = (RangeRules::BILLED, self.choice, &self.calendar);
        BilledDays::of(&self.account, rules, (&self.days, Some(known)), page)
    }
}

impl BilledDays {
    /// The days of `range`; readings are known until `known`. `page` makes the address of a range.
    pub(crate) fn of(
        account: &Account,
        (rules, choice, calendar): (RangeRules, RangeChoice, &RangeCalendar),
        (range, known): (&ShownRange, Option<Timestamp>),
        page: impl Fn(RangeChoice) -> String,
    ) -> Self {
        let wording = calendar.wording();
        let language = wording.language;
        let [first, last] = calendar.dates(&range.range);
        let [from, to] = [first, last].map(|date| day(date, language));
        let dates = if first == last {
            from
        } else {
            let dates = [("from", from.into()), ("to", to.into())];
            language.fill("contract-from-to", dates)
        };
        let known = known.filter(|known| *known < range.range.end);
        let until = known.map(|known| {
            let end = wording.date_and_clock(known);
            language.fill("statement-so-far", [("time", end.into())])
        });
        Self {
            account: account.name.to_string(),
            dates,
            until,
            ends: [first, last].map(|date| date.to_string()),
            period: PeriodLinks::of(rules, (choice, range), calendar, &page),
        }
    }
}

/// The days from the first until the last one.
pub(crate) fn span(from: LocalDate, until: Option<LocalDate>, language: &Language) -> String {
    let from = day(from, language);
    match until {
        None => language.fill("contract-from", [("from", from.into())]),
        Some(until) => {
            let to = day(until, language);
            language.fill(
                "contract-from-to",
                [("from", from.into()), ("to", to.into())],
            )
        }
    }
}
