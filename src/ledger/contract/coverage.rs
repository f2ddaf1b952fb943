//! Whether zones leave no hole, and whether each of them can win.

use super::Label;
use super::day::{DayKind, DayPart};
use super::holidays::Holidays;
use super::sets::{MONTHS, clock, weekday_word};

/// Looks at every kind of day that can come. A fault names a zone by its index, or all of them.
pub(super) fn check(
    names: &[&Label],
    holidays: &Holidays,
    day: impl Fn(DayKind) -> Vec<DayPart>,
) -> Result<(), (Option<usize>, String)> {
    let mut winners = 0_u32;
    for kind in DayKind::all(holidays) {
        let mut from = 0;
        for part in day(kind) {
            let Some(winner) = part.winner() else {
                let problem = format!(
                    "no zone matches {} at {}; expected a price at all times, such as by a first zone without conditions",
                    told(kind),
                    clock(from)
                );
                return Err((None, problem));
            };
            winners |= 1 << winner;
            from = part.until;
        }
    }
    let Some(hidden) = (0..names.len()).find(|zone| winners >> zone & 1 == 0) else {
        return Ok(());
    };
    let parts = DayKind::all(holidays).flat_map(day);
    let matching = parts.filter(|part| part.matching >> hidden & 1 == 1);
    let by = matching
        .filter_map(DayPart::winner)
        .fold(0_u32, |by, winner| by | 1 << winner);
    let by: Vec<&str> = (0..names.len())
        .filter(|zone| by >> zone & 1 == 1)
        .filter_map(|zone| names.get(zone).map(|name| name.as_str()))
        .collect();
    let problem = if by.is_empty() {
        "this zone never matches, as no holiday of the contract comes then; expected \"holidays\" in the contract, such as [\"12-25\"]".to_owned()
    } else {
        format!(
            "this zone never wins, as later ones match whenever it does: {}; expected it behind them, as the last one that matches wins",
            by.join(", ")
        )
    };
    Err((Some(hidden), problem))
}

fn told(kind: DayKind) -> String {
    let holiday = if kind.is_holiday {
        " that is a holiday"
    } else {
        ""
    };
    let month = MONTHS
        .get(usize::from(kind.month))
        .copied()
        .unwrap_or_default();
    format!("a {} in {month}{holiday}", weekday_word(kind.weekday))
}
