//! Announced days: lists of dates with a type, such as the red days of a tariff, published the day
//! before.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Label;
use crate::domain::LocalDate;

/// A named list of days and their types. A copy shares the days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayList {
    name: Label,
    days: Arc<BTreeMap<LocalDate, Label>>,
}

impl DayList {
    /// A list with these days.
    #[must_use]
    pub fn new(name: Label, days: BTreeMap<LocalDate, Label>) -> Self {
        let days = Arc::new(days);
        Self { name, days }
    }

    /// It under another name.
    #[must_use]
    pub fn named(self, name: Label) -> Self {
        Self { name, ..self }
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &Label {
        &self.name
    }

    /// Its days, ascending.
    #[must_use]
    pub fn days(&self) -> &BTreeMap<LocalDate, Label> {
        &self.days
    }

    /// The days in a range.
    pub fn within(&self, dates: DateSpan) -> impl DoubleEndedIterator<Item = (LocalDate, &Label)> {
        let days = self.days.iter().map(|(date, kind)| (*date, kind));
        days.filter(move |(date, _)| dates.contains(*date))
    }
}

/// A range of dates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DateSpan {
    /// The first date; `None` for no limit.
    pub from: Option<LocalDate>,
    /// The end, exclusive; `None` for no limit.
    pub end: Option<LocalDate>,
}

impl DateSpan {
    fn contains(self, date: LocalDate) -> bool {
        self.from.is_none_or(|from| from <= date) && self.end.is_none_or(|end| date < end)
    }
}

/// The lists of an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DayLists(Arc<[DayList]>);

impl DayLists {
    /// Day lists of an account.
    #[must_use]
    pub fn new(lists: Vec<DayList>) -> Self {
        Self(lists.into())
    }

    /// The lists with further days, where they have none.
    #[must_use]
    pub fn with(&self, more: &[DayList]) -> Self {
        let mut lists = self.0.to_vec();
        for list in more {
            match lists.iter_mut().find(|one| one.name.is_same(&list.name)) {
                Some(known) => {
                    let mut days = BTreeMap::clone(&list.days);
                    let own = known.days.iter();
                    days.extend(own.map(|(day, label)| (*day, label.clone())));
                    known.days = Arc::new(days);
                }
                None => lists.push(list.clone()),
            }
        }
        Self::new(lists)
    }

    /// The type of a date in the named list; `None` if the date is not in it.
    #[must_use]
    pub fn day_type(&self, list: &Label, date: LocalDate) -> Option<&Label> {
        let known = list.same_of(self.0.iter().map(DayList::name))?;
        let list = self.0.iter().find(|one| one.name == *known)?;
        list.days.get(&date)
    }
}
