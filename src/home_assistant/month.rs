//! Months in UTC, the pieces that history is compared and sent in.

use std::ops::Range;

use crate::domain::{LocalDate, Timestamp};

/// A month in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UtcMonth {
    year: i32,
    month: u8,
}

impl UtcMonth {
    /// The earliest one that is sent: a time before that comes from a clock that was never set.
    pub(super) const FIRST: Self = Self {
        year: 2000,
        month: 1,
    };

    pub(super) fn of(time: Timestamp) -> Self {
        let (year, month, _) = time.civil_date();
        Self { year, month }
    }

    pub(super) const fn next(self) -> Self {
        match self.month {
            12 => Self {
                year: self.year + 1,
                month: 1,
            },
            month => Self {
                month: month + 1,
                ..self
            },
        }
    }

    pub(super) const fn before(self) -> Self {
        match self.month {
            1 => Self {
                year: self.year - 1,
                month: 12,
            },
            month => Self {
                month: month - 1,
                ..self
            },
        }
    }

    pub(super) fn start(self) -> Timestamp {
        let date = LocalDate::new(self.year, self.month, 1);
        date.map_or(Timestamp::MAX, LocalDate::midnight)
    }

    /// Its time before `until`, if there is any.
    pub(super) fn range(self, until: Timestamp) -> Option<Range<Timestamp>> {
        let range = self.start()..self.next().start().min(until);
        (!range.is_empty()).then_some(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    #[test]
    fn months_follow_each_other() {
        let december = UtcMonth::of(at("2025-12-31T23:59:59"));
        assert_eq!(december.start(), at("2025-12-01T00:00:00"));
        let january = december.next();
        assert_eq!(january, UtcMonth::of(at("2026-01-01T00:00:00")));
        assert_eq!(january.before(), december);
        let until = at("2026-01-05T10:00:00");
        assert_eq!(january.range(until), Some(january.start()..until));
        assert_eq!(
            december.range(until),
            Some(december.start()..january.start())
        );
        assert_eq!(january.range(january.start()), None);
        assert_eq!(january.next().range(until), None);
    }
}
