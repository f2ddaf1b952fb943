//! The range that a page compares its range with, and the switch to the other one. The address keeps
//! the choice, as `against`.

use super::calendar::{RangeCalendar, ShownRange};
use super::choice::{RangeChoice, RangeWord};
use crate::domain::{AccountName, Against, Interval, YearStep, Zone};
use crate::house::history_begins;
use crate::http::wire::ApiError;
use crate::http::wire::params::one_of;
use crate::store::{Store, StoreError};
use crate::texts::Language;

/// The comparison that an address asks for; `None` for the usual one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AskedAgainst(Option<Against>);

/// The other comparison of a page.
pub(crate) struct AgainstSwitch {
    pub(crate) name: String,
    pub(crate) address: String,
}

const NAME: &str = "against";

impl AskedAgainst {
    /// Reads the comparison in a query string.
    ///
    /// # Errors
    /// [`ApiError::InvalidField`] for an unknown one.
    pub(crate) fn read(query: &str) -> Result<Self, ApiError> {
        let known = Against::ALL.map(|it| (it.as_str(), it));
        one_of(query, NAME, &known).map(Self)
    }

    /// The comparison, if the address has one.
    pub(crate) const fn get(self) -> Option<Against> {
        self.0
    }

    /// Its parameter in an address, if it has one.
    pub(crate) fn parameter(self) -> Option<(&'static str, String)> {
        self.0.map(|it| (NAME, it.as_str().to_owned()))
    }

    /// The address with its parameter; the address has others already.
    pub(crate) fn added_to(self, address: String) -> String {
        match self.0 {
            Some(against) => format!("{address}&{NAME}={}", against.as_str()),
            None => address,
        }
    }
}

impl AgainstSwitch {
    /// The switch from the comparison in force; `to` makes the address of another one.
    pub(crate) fn from(
        against: Against,
        language: &Language,
        to: impl FnOnce(AskedAgainst) -> String,
    ) -> Self {
        let (name, other) = match against {
            Against::Year => (language.say("against-before"), Against::Before),
            Against::Before => (language.say("against-year"), Against::Year),
        };
        Self {
            name,
            address: to(AskedAgainst(Some(other))),
        }
    }
}

impl ShownRange {
    /// The range compared as asked or, by default, with last year if the history begins by then; and
    /// the comparison in force, unless both are the same. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(crate) fn compared(
        self,
        (choice, asked): (RangeChoice, AskedAgainst),
        zone: &Zone,
        (store, account): (&Store, &AccountName),
    ) -> Result<(Self, Option<Against>), StoreError> {
        let last_year = self.against_last_year(choice, zone);
        let is_year = matches!(choice.word(), Some(RangeWord::Year | RangeWord::Contract));
        if is_year || last_year.before == self.before {
            return Ok((self, None));
        }
        let against = if let Some(asked) = asked.get() {
            asked
        } else {
            let first = history_begins(store, account)?;
            let is_known = first.is_some_and(|first| first <= last_year.before.start);
            if is_known {
                Against::Year
            } else {
                Against::Before
            }
        };
        let compared = match against {
            Against::Year => last_year,
            Against::Before => self,
        };
        Ok((compared, Some(against)))
    }

    /// The range compared with the same a year earlier.
    pub(super) fn against_last_year(&self, choice: RangeChoice, zone: &Zone) -> Self {
        let step = self.year_step(choice, zone);
        let back = |time| step.back(time, zone);
        let (start, end) = (back(self.range.start), back(self.range.end));
        Self {
            before: start..end.max(start),
            so_far: step.compared(self.so_far.now, zone),
            ..self.clone()
        }
    }

    /// Months and years, also several, go by their dates; other ranges by weekdays.
    fn year_step(&self, choice: RangeChoice, zone: &Zone) -> YearStep {
        match choice {
            RangeChoice::Named(RangeWord::All, _) => YearStep::Date,
            RangeChoice::Named(word, _) => YearStep::of(word.unit().unwrap_or(Interval::Day)),
            RangeChoice::Between(_) => YearStep::of_range(&self.range, zone),
        }
    }

    /// The name of the range that it is compared with.
    pub(crate) fn before_title(&self, choice: RangeChoice, calendar: &RangeCalendar) -> String {
        let there = match choice {
            RangeChoice::Named(word, _) => Some(RangeChoice::Named(word, Some(self.before.start))),
            RangeChoice::Between(_) => RangeChoice::between(self.before.start, self.before.end),
        };
        there
            .map(|choice| calendar.in_bars(choice).title)
            .unwrap_or_default()
    }

    /// The range that the sums are compared with, in a sentence: whole days, or up to the current
    /// time of day.
    pub(crate) fn compared_words(&self, calendar: &RangeCalendar) -> String {
        let (wording, before) = (calendar.wording(), self.so_far.before);
        let (first, last) = (before.start(), before.end().saturating_add_millis(-1));
        let (from, to) = (wording.date(first), wording.date(last));
        let is_running = self.range.contains(&calendar.now());
        if from == to && is_running {
            let clock = wording.clock(before.end());
            let until = [("date", from.into()), ("clock", clock.into())];
            return wording.language.fill("energy-compared-until", until);
        }
        if from == to {
            let day = [("date", from.into())];
            return wording.language.fill("energy-compared-day", day);
        }
        let to = if is_running {
            wording.date_and_clock(before.end())
        } else {
            to
        };
        let ends = [("from", from.into()), ("to", to.into())];
        wording.language.fill("energy-compared", ends)
    }
}
