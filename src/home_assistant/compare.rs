//! The sums of the ledger beside those of Home Assistant.

use std::collections::{BTreeMap, BTreeSet};

use super::statistic::{Statistic, SumHour};
use crate::domain::Timestamp;

/// Sums that differ by less are the same: a millionth of a kilowatt-hour, or of a currency's unit.
/// A database may round.
const SAME_WITHIN: f64 = 1e-6;

/// What Home Assistant lacks of a statistic in a stretch of time.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lacking {
    /// Nothing: it has the sums of the ledger.
    Nothing,
    /// These hours, or it has other sums of them.
    Hours(Vec<SumHour>),
    /// It has hours that the ledger does not know, from this one on. Only all of a statistic can be
    /// removed.
    Removal(Timestamp),
}

/// Compares the hours of one stretch of time. Zeros before the first energy are not worth a row.
pub(super) fn compare(
    statistic: &Statistic,
    ours: &[SumHour],
    theirs: &BTreeMap<Timestamp, Option<f64>>,
) -> Lacking {
    let known: BTreeSet<Timestamp> = ours.iter().map(|hour| hour.start).collect();
    if let Some(start) = theirs.keys().find(|start| !known.contains(start)) {
        return Lacking::Removal(*start);
    }
    let is_lacking = |hour: &&SumHour| match theirs.get(&hour.start) {
        None => !hour.is_leading,
        Some(None) => true,
        Some(Some(sum)) => {
            let difference = statistic.shown(hour.sum) - sum;
            difference.is_nan() || difference.abs() >= SAME_WITHIN
        }
    };
    let lacking: Vec<SumHour> = ours.iter().filter(is_lacking).copied().collect();
    if lacking.is_empty() {
        Lacking::Nothing
    } else {
        Lacking::Hours(lacking)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::MS_PER_HOUR;
    use crate::home_assistant::statistic::SumColumn;

    fn hour(number: i64, sum: i64, is_leading: bool) -> SumHour {
        let start = Timestamp::from_millis(number * MS_PER_HOUR).unwrap();
        SumHour {
            start,
            sum: sum * 1_000_000_000,
            is_leading,
        }
    }

    #[test]
    fn hours_that_differ_are_lacking() {
        let statistic = Statistic::new("a", "a", SumColumn::Energy, None);
        let ours = [
            hour(0, 0, true),
            hour(1, 5, false),
            hour(3, 7, false),
            hour(4, 7, false),
        ];
        let lacking = |theirs: &[(i64, Option<f64>)]| {
            let theirs = theirs
                .iter()
                .map(|(number, sum)| (hour(*number, 0, false).start, *sum));
            compare(&statistic, &ours, &theirs.collect())
        };
        let hours = |places: &[usize]| Lacking::Hours(places.iter().map(|at| ours[*at]).collect());
        let same = [(1, Some(5.0)), (3, Some(7.000_000_1)), (4, Some(7.0))];
        assert_eq!(lacking(&same), Lacking::Nothing);
        assert_eq!(lacking(&[]), hours(&[1, 2, 3]));
        assert_eq!(
            lacking(&[(1, Some(5.0)), (3, Some(6.9)), (4, None)]),
            hours(&[2, 3])
        );
        assert_eq!(
            lacking(&[
                (0, Some(1.0)),
                (1, Some(5.0)),
                (3, Some(7.0)),
                (4, Some(f64::NAN))
            ]),
            hours(&[0, 3])
        );
        let removal = |number| Lacking::Removal(hour(number, 0, false).start);
        assert_eq!(lacking(&[(1, Some(5.0)), (2, Some(5.0))]), removal(2));
        assert_eq!(lacking(&[(-1, Some(0.0))]), removal(-1));
    }
}
