//! The rules of docs/DECIDE.md, word by word, and their consequences.

use std::ops::Range;

use proptest::prelude::*;

use super::tested::measured;
use crate::ledger::forecast::*;

const FIRST: ForecastMethod = ForecastMethod::LastDaysAndLastYear;

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-6 * one.abs().max(1.0)
}

/// The days of `range` by the method that months of 30 days choose.
fn rest(days: &[DaySum], range: Range<usize>) -> Option<LikelyRange> {
    let sums = DailySums::new(days.to_vec());
    let months = (0..range.start / 30).map(|month| month * 30..month * 30 + 30);
    let (forecast, _) = BackTest::of(&sums, months).choose(range.start, 5)?;
    let likely = range.clone().map(|day| forecast.day(day)).sum();
    Some(LikelyRange::within(likely, forecast.bounds(range.end)))
}

fn mean(energies: &[f64]) -> Option<f64> {
    let count = u32::try_from(energies.len()).unwrap();
    (count > 0).then(|| energies.iter().sum::<f64>() / f64::from(count))
}

/// A day by a method, as the document says; `None` if too little is known for the method.
fn by_the_book(
    days: &[DaySum],
    (today, month_days): (usize, usize),
    day: usize,
    method: ForecastMethod,
) -> Option<f64> {
    let known = |day: usize| match days.get(day) {
        Some(DaySum::Measured(energy)) => Some(*energy),
        _ => None,
    };
    let recent: Vec<usize> = (today.saturating_sub(56)..today).collect();
    let of_week = |day: usize| {
        let alike = recent.iter().filter(|it| **it % 7 == day % 7);
        let alike: Vec<f64> = alike.filter_map(|it| known(*it)).collect();
        let all: Vec<f64> = recent.iter().filter_map(|it| known(*it)).collect();
        mean(&alike).or_else(|| mean(&all))
    };
    if recent.iter().filter(|it| known(**it).is_some()).count() < 14 {
        return None;
    }
    let weight = |past: usize| 0.5_f64.powf(f64::from(u32::try_from(today - past).unwrap()) / 3.5);
    let last = recent
        .iter()
        .filter_map(|it| Some((weight(*it), known(*it)?, of_week(*it)?)));
    let energy: f64 = last
        .clone()
        .map(|(weight, energy, _)| weight * energy)
        .sum();
    let usual: f64 = last.map(|(weight, _, usual)| weight * usual).sum();
    let level = if usual > 0.0 { energy / usual } else { 1.0 };
    let so_far = today.saturating_sub(month_days.max(9))..today;
    let so_far = mean(&so_far.filter_map(known).collect::<Vec<f64>>());
    let pairs = (today.saturating_sub(112)..today)
        .filter_map(|it| known(it).zip(known(it.checked_sub(364)?)));
    let (now, before): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let before_sum = before.iter().sum::<f64>();
    let ratio = (now.len() >= 28 && before_sum > 0.0).then(|| now.iter().sum::<f64>() / before_sum);
    let ratio = ratio.map(|it| it.clamp(0.5, 2.0));
    let coming = (today..today + 31).filter_map(|it| known(it.checked_sub(364)?));
    let has_last_year = today >= 364 && coming.count() >= 28;
    let year_ago = day.checked_sub(364).filter(|it| *it < today);
    let year_ago = year_ago.and_then(known);
    let days_alike = of_week(day)? * level;
    let scaled = year_ago.map(|it| it * ratio.unwrap_or(1.0));
    let both = |near: f64, year: Option<f64>| year.map_or(near, |year| f64::midpoint(near, year));
    let (needs_year, needs_ratio, needs_so_far, near) = match method {
        ForecastMethod::LastDaysAndLastYear => (true, false, false, both(days_alike, year_ago)),
        ForecastMethod::LastDays => (false, false, false, days_alike),
        ForecastMethod::MonthSoFar => (false, false, true, so_far.unwrap_or(0.0)),
        ForecastMethod::LastWeeks => (false, false, false, of_week(day)?),
        ForecastMethod::LastYear => (true, false, false, year_ago.unwrap_or(days_alike)),
        ForecastMethod::LastYearScaled => (true, true, false, scaled.unwrap_or(days_alike)),
        ForecastMethod::MonthSoFarAndLastYear => {
            (true, false, true, both(so_far.unwrap_or(0.0), year_ago))
        }
        ForecastMethod::LastDaysAndLastYearScaled => (true, true, false, both(days_alike, scaled)),
    };
    if needs_year && !has_last_year
        || needs_ratio && ratio.is_none()
        || needs_so_far && so_far.is_none()
    {
        return None;
    }
    if day < today + 31 {
        return Some(near);
    }
    year_ago.map_or(of_week(day), |it| {
        Some(it * (1.0 + (ratio.unwrap_or(1.0) - 1.0) / 2.0))
    })
}

/// A history with gaps.
fn any_history() -> impl Strategy<Value = Vec<DaySum>> {
    let day = prop_oneof![
        18 => (0.0..40_000.0_f64).prop_map(DaySum::Measured),
        1 => Just(DaySum::Unknown),
        1 => (0.0..40_000.0_f64).prop_map(DaySum::Estimated),
    ];
    prop::collection::vec(day, 0..900)
}

proptest! {
    // Each looks at hundreds of forecasts.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn days_follow_the_rules(days in any_history(), ahead in 0..400_usize, month_days in 0..31_usize) {
        let today = days.len();
        let sums = DailySums::new(days.clone());
        let basis = DayBasis::new(&sums, today, month_days);
        for method in ForecastMethod::ALL {
            let known = basis.as_ref().filter(|it| it.offers(method));
            let forecast = known.map(|it| it.parts(today + ahead).by(method));
            match (forecast, by_the_book(&days, (today, month_days), today + ahead, method)) {
                (Some(forecast), Some(expected)) => {
                    prop_assert!(is_near(forecast, expected), "{method:?}: {forecast} {expected}");
                }
                (forecast, expected) => prop_assert_eq!(forecast, expected, "{:?}", method),
            }
        }
    }

    #[test]
    fn ranges_contain_their_value_and_are_not_negative(days in any_history(), length in 1..366_usize) {
        let today = days.len();
        if let Some(LikelyRange { low, likely, high }) = rest(&days, today..today + length) {
            prop_assert!(0.0 <= low && low <= likely && likely <= high && high.is_finite());
        }
    }

    #[test]
    fn nobody_knows_the_future(days in any_history(), later in any_history(), length in 1..60_usize) {
        let rest_of = days.len()..days.len() + length;
        let alone = rest(&days, rest_of.clone());
        let all: Vec<DaySum> = days.into_iter().chain(later).collect();
        prop_assert_eq!(rest(&all, rest_of), alone);
    }

    #[test]
    fn twice_the_energy_is_forecast_twice(days in any_history(), length in 1..60_usize) {
        let rest_of = days.len()..days.len() + length;
        let twice = days.iter().map(|day| match day {
            DaySum::Measured(energy) => DaySum::Measured(energy * 2.0),
            DaySum::Estimated(energy) => DaySum::Estimated(energy * 2.0),
            DaySum::Unknown => DaySum::Unknown,
        });
        let twice: Vec<DaySum> = twice.collect();
        match (rest(&days, rest_of.clone()), rest(&twice, rest_of)) {
            (Some(once), Some(twice)) => {
                for (one, two) in [(once.low, twice.low), (once.likely, twice.likely), (once.high, twice.high)] {
                    prop_assert!(is_near(one * 2.0, two), "{one} {two}");
                }
            }
            (once, twice) => prop_assert!(once.is_none() && twice.is_none()),
        }
    }
}

#[test]
fn a_house_that_repeats_itself_is_forecast_exactly() {
    // The same each week, for two years and for ten weeks.
    let energy = |day: usize| f64::from(u8::try_from(day % 7).unwrap()) * 1_000.0 + 500.0;
    for length in [730, 70] {
        let days: Vec<f64> = (0..length).map(energy).collect();
        let rest_of = length..length + 21;
        let found = rest(&measured(&days), rest_of.clone()).unwrap();
        let expected: f64 = rest_of.map(energy).sum();
        assert!(is_near(found.likely, expected), "{found:?} {expected}");
    }
}

#[test]
fn missing_days_are_not_zero() {
    let day = |day: usize| {
        let is_known = !day.is_multiple_of(5) && !(400..420).contains(&day);
        let known = DaySum::Measured(8_000.0);
        if is_known { known } else { DaySum::Unknown }
    };
    let days: Vec<DaySum> = (0..440).map(day).collect();
    let found = rest(&days, 440..450).unwrap();
    assert!(is_near(found.likely, 80_000.0), "{found:?}");
}

#[test]
fn estimated_days_count_in_sums_alone() {
    let mut days = vec![DaySum::Measured(8_000.0); 90];
    days[70..80].fill(DaySum::Estimated(1_000.0));
    let found = rest(&days, 90..100).unwrap();
    assert!(is_near(found.likely, 80_000.0), "{found:?}");
    let sums = DailySums::new(days);
    let months = BackTest::of(&sums, std::iter::once(60..90)).last_forecasts();
    assert!(is_near(months[0].actual, 170_000.0), "{months:?}");
    let estimated = vec![DaySum::Estimated(8_000.0); 90];
    assert_eq!(rest(&estimated, 90..100), None);
}

#[test]
fn less_than_two_weeks_is_no_history() {
    let days = |days: usize| measured(&vec![1.0; days]);
    assert_eq!(rest(&days(13), 13..20), None);
    assert!(rest(&days(14), 14..20).is_some());
    // A sensor that died seven weeks ago, too.
    assert_eq!(rest(&days(100), 149..160), None);
}

#[test]
fn less_than_a_year_has_a_wider_range() {
    let of = |length: usize| {
        let found = rest(&measured(&vec![8_000.0; length]), length..length + 180).unwrap();
        (found.high - found.low) / found.likely
    };
    assert!(of(300) > 2.0 * of(800), "{} {}", of(300), of(800));
}

#[test]
fn twelve_months_choose_another_method() {
    // The same each year, in an order that no month has: last year knows it.
    let energy = |day: usize| match day % 364 * 7_919 % 1_009 {
        0..500 => 4_000.0,
        _ => 9_000.0,
    };
    let chosen = |length: usize| {
        let days: Vec<f64> = (0..length).map(energy).collect();
        let sums = DailySums::new(measured(&days));
        let months = (0..length / 28).map(|month| month * 28..month * 28 + 28);
        let (forecast, reason) = BackTest::of(&sums, months).choose(length, 9).unwrap();
        (forecast.method(), reason)
    };
    assert_eq!(
        chosen(200),
        (ForecastMethod::LastDays, ChoiceReason::Untested)
    );
    assert_eq!(chosen(400), (FIRST, ChoiceReason::Untested));
    assert_eq!(
        chosen(364 + 13 * 28),
        (ForecastMethod::LastYear, ChoiceReason::Nearer)
    );
    // Where all are as near, the first choice stays.
    let sums = DailySums::new(measured(&vec![5_000.0; 800]));
    let months = (0..28).map(|month| month * 28..month * 28 + 28);
    let (forecast, reason) = BackTest::of(&sums, months).choose(800, 9).unwrap();
    assert_eq!(
        (forecast.method(), reason),
        (FIRST, ChoiceReason::FirstChoice)
    );
}

#[test]
fn the_worked_example_is_that_of_the_document() {
    let document = include_str!("../../../../docs/DECIDE.md");
    // 8 kWh a day a year ago, and 12 after that; now 10, and 11 in the last two weeks.
    let mut days = vec![12_000.0; 476];
    days[..112].fill(8_000.0);
    days[364..462].fill(10_000.0);
    days[462..].fill(11_000.0);
    let sums = DailySums::new(measured(&days));
    let basis = DayBasis::new(&sums, 476, 9).unwrap();
    for method in ForecastMethod::ALL {
        let [near, later] = [476, 530].map(|day| basis.parts(day).by(method) / 1_000.0);
        let name = serde_json::to_string(&method).unwrap().replace('"', "`");
        let row = format!("| {name} | {near:.2} kWh | {later:.2} kWh |");
        assert!(document.contains(&row), "{row}");
    }
}
