//! One measured house, whose file is not a part of this repository.

use std::ops::Range;

use super::tested::{Tested, months};
use crate::domain::{LocalDate, Timestamp};
use crate::ledger::forecast::*;

/// The daily sums of a table `time,watts,watthours` with times in UTC, and their first date. The
/// first and the last day are not whole.
fn daily_sums(table: &str) -> (Vec<DaySum>, LocalDate) {
    let mut registers: Vec<(LocalDate, f64)> = Vec::new();
    for line in table.lines().skip(1) {
        let mut fields = line.split(',');
        let time = Timestamp::parse(fields.next().unwrap()).unwrap();
        let watthours = fields.nth(1).unwrap().parse().unwrap();
        let date = LocalDate::of_shown(time);
        match registers.last_mut() {
            Some(last) if last.0 == date => last.1 = watthours,
            _ => registers.push((date, watthours)),
        }
    }
    let whole = registers.windows(2).map(|pair| {
        assert_eq!(pair[0].0.plus_days(1), Some(pair[1].0));
        DaySum::Measured(pair[1].1 - pair[0].1)
    });
    let mut days: Vec<DaySum> = std::iter::once(DaySum::Unknown).chain(whole).collect();
    days.pop();
    (days, registers[0].0)
}

/// The median error of years at half time, one from each month on, and how many ended within the
/// range: those that have a year before them, or those without.
fn years(days: &[DaySum], first: LocalDate, has_last_year: bool) -> (usize, f64, usize) {
    let all: Vec<Range<usize>> = months(first, days.len()).collect();
    let (mut errors, mut held) = (Vec::new(), 0);
    for year in all.windows(12) {
        let period = year[0].start..year[11].end;
        let half = period.start + period.len() / 2;
        let begin = if has_last_year {
            0
        } else {
            period.start.saturating_sub(14)
        };
        let sums = DailySums::new(days[begin..].to_vec());
        let before = all
            .iter()
            .filter(|month| begin <= month.start && month.end <= half);
        let test = BackTest::of(
            &sums,
            before.map(|month| month.start - begin..month.end - begin),
        );
        let of_month = all
            .iter()
            .map(|month| half.wrapping_sub(month.start))
            .min()
            .unwrap();
        let Some((forecast, _)) = test.choose(half - begin, of_month) else {
            continue;
        };
        if forecast.has_last_year() != has_last_year {
            continue;
        }
        let end = period.end - begin;
        let so_far = sums.sum(period.start - begin..half - begin).unwrap();
        let actual = so_far + sums.sum(half - begin..end).unwrap();
        let rest = (half - begin..end).map(|day| forecast.day(day)).sum();
        let range = LikelyRange::within(rest, forecast.bounds(end)).plus(so_far);
        errors.push((range.likely - actual).abs() / actual);
        held += usize::from(range.low <= actual && actual <= range.high);
    }
    let count = errors.len();
    let spread = ErrorSpread::of(errors.into_iter()).unwrap();
    (count, spread.median_error, held)
}

/// `WATTKEEPER_BENCH_DATA` names the whole file (docs/BENCHMARKS.md).
#[test]
#[ignore = "needs measured_house"]
fn forecasts_of_the_measured_house() {
    let path = std::env::var_os("WATTKEEPER_BENCH_DATA").unwrap();
    let (days, first) = daily_sums(&std::fs::read_to_string(path).unwrap());
    let mut whole = Tested::default();
    whole.add(&days, first);
    whole.print("months on their 10th");
    let mut alone = Tested::default();
    for begin in (0..days.len() - 365).step_by(182) {
        let first = first.plus_days(i32::try_from(begin).unwrap()).unwrap();
        alone.add(&days[begin..begin + 365], first);
    }
    alone.print("first years, each alone");
    for tested in [&whole, &alone] {
        tested.assert_not_worse();
        assert!((0.75..=0.85).contains(&tested.held()), "{}", tested.held());
    }
    let sums = DailySums::new(days.clone());
    for score in BackTest::of(&sums, months(first, days.len())).scores() {
        println!("{score:?}");
    }
    for has_last_year in [true, false] {
        let (count, error, held) = years(&days, first, has_last_year);
        println!(
            "{count} years at half time, last year known: {has_last_year}: median error {:.1} %, range held {held}",
            100.0 * error
        );
        assert!(10 * held >= 7 * count);
        assert!(!has_last_year || error < 0.02);
    }
}
