//! The total of the range that a statement is compared with.

use super::bill_words::{AmountText, BillWords};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, Against, Decimal, Timestamp};
use crate::house::statement;
use crate::http::pages::frame::range::{
    AgainstSwitch, AskedAgainst, RangeCalendar, RangeChoice, ShownRange,
};
use crate::http::pages::frame::{PercentChange, figures};
use crate::ledger::CostStatement;
use crate::store::{Store, StoreError};

/// The statement of the range that another one is compared with.
pub(super) struct ComparedStatement {
    /// Its total; `None` unless all of it is known and has a price.
    total: Option<Decimal>,
    /// The comparison in force, unless both are the same.
    against: Option<Against>,
}

/// The same in words.
pub(super) struct ComparedView {
    /// The range, as a sentence.
    pub(super) range: String,
    /// Its total.
    pub(super) total: Option<AmountText>,
    pub(super) change: Option<PercentChange>,
    pub(super) switch: Option<AgainstSwitch>,
}

/// A longer statement takes long enough by itself.
const LONGEST_MS: i64 = 367 * MS_PER_DAY;

impl ComparedStatement {
    /// The statement that the one of a range is compared with, and the range with that one beside
    /// it; `None` if it is longer than a year. Blocks on the disk.
    pub(super) fn of(
        store: &Store,
        account: &Account,
        (days, asked): (ShownRange, (RangeChoice, AskedAgainst)),
        now: Timestamp,
    ) -> Result<(ShownRange, Option<Self>), StoreError> {
        if days
            .range
            .end
            .millis()
            .saturating_sub(days.range.start.millis())
            > LONGEST_MS
        {
            return Ok((days, None));
        }
        let (days, against) = days.compared(asked, &account.zone, (store, &account.name))?;
        let before = days.so_far.before;
        let found = statement(store, account, before.start()..before.end(), now)?;
        // A year with readings for five weeks is no year to compare with.
        let total = found.total().filter(|_| found.is_complete());
        let compared = Self { total, against };
        Ok((days, Some(compared)))
    }

    /// It beside the statement `found`; `to` makes the address of the other comparison.
    pub(super) fn view(
        &self,
        found: &CostStatement,
        (days, calendar): (&ShownRange, &RangeCalendar),
        words: &BillWords<'_>,
        to: impl FnOnce(AskedAgainst) -> String,
    ) -> ComparedView {
        let language = words.language;
        // A range with gaps cannot be compared with one without.
        let both = found.total().zip(self.total);
        let both = both.filter(|_| found.is_complete());
        ComparedView {
            range: days.compared_words(calendar),
            total: self.total.map(|total| words.amount(total)),
            change: both.and_then(|(now, before)| {
                figures::percent_of_money(now.to_f64(), before.to_f64(), language)
            }),
            switch: self
                .against
                .map(|against| AgainstSwitch::from(against, language, to)),
        }
    }
}
