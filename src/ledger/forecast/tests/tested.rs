//! The back-test over many months of many houses, beside the two simplest methods.

use std::ops::Range;

use super::houses::{HouseKind, house};
use crate::domain::LocalDate;
use crate::domain::time::MS_PER_DAY;
use crate::ledger::forecast::*;

/// How far forecasts of the same months were off.
#[derive(Default)]
pub(super) struct Tested {
    within: usize,
    chosen: Vec<f64>,
    extrapolated: Vec<f64>,
    /// Of the months with a year before them: also by that year's days.
    chosen_after_a_year: Vec<f64>,
    last_year: Vec<f64>,
}

/// The months of a history that begins on this date, in days after it.
pub(super) fn months(first: LocalDate, days: usize) -> impl Iterator<Item = Range<usize>> {
    let begin = move |month: i32| {
        let nth = u8::try_from(month % 12 + 1).unwrap();
        let date = LocalDate::new(first.year() + month / 12, nth, 1).unwrap();
        let passed_ms = date.midnight().millis() - first.midnight().millis();
        usize::try_from(passed_ms / MS_PER_DAY).ok()
    };
    let all = (0..120).filter_map(move |month| Some(begin(month)?..begin(month + 1)?));
    all.take_while(move |month| month.end <= days)
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap())
}

impl Tested {
    /// Adds the months of a history.
    pub(super) fn add(&mut self, days: &[DaySum], first: LocalDate) {
        let sums = DailySums::new(days.to_vec());
        let test = BackTest::of(&sums, months(first, days.len()));
        let months: Vec<Range<usize>> = months(first, days.len()).collect();
        for tested in test.forecasts() {
            let month = months.iter().find(|it| it.start == tested.begin).unwrap();
            let tenth = month.start + 9;
            let error = |rest: f64| {
                let predicted = sums.sum(month.start..tenth).unwrap() + rest;
                (predicted - tested.actual).abs() / tested.actual
            };
            let so_far = sums.sum(month.start..tenth).unwrap();
            let rest = month.end - tenth;
            self.within += usize::from(tested.is_within());
            self.chosen.push(tested.error());
            self.extrapolated.push(error(so_far / 9.0 * count(rest)));
            let before = tenth.checked_sub(364).map(|begin| begin..begin + rest);
            if let Some(before) = before.and_then(|before| sums.sum(before)) {
                self.chosen_after_a_year.push(tested.error());
                self.last_year.push(error(before));
            }
        }
    }

    pub(super) fn months(&self) -> usize {
        self.chosen.len()
    }

    pub(super) fn held(&self) -> f64 {
        count(self.within) / count(self.months())
    }

    /// The median and the 90th percentile of the method against those of both simple ones.
    #[track_caller]
    pub(super) fn assert_not_worse(&self) {
        for (chosen, simple) in [
            (&self.chosen, &self.extrapolated),
            (&self.chosen_after_a_year, &self.last_year),
        ] {
            let [chosen, simple] = [chosen, simple].map(|it| ErrorSpread::of(it.iter().copied()));
            if let Some((chosen, simple)) = chosen.zip(simple) {
                assert!(
                    chosen.median_error <= simple.median_error,
                    "{chosen:?} {simple:?}"
                );
                assert!(
                    chosen.p90_error <= simple.p90_error,
                    "{chosen:?} {simple:?}"
                );
            }
        }
    }

    pub(super) fn print(&self, name: &str) {
        println!("{name}: range held in {} of {}", self.within, self.months());
        for (method, errors) in [
            ("chosen", &self.chosen),
            ("so far, extrapolated", &self.extrapolated),
            ("chosen, with a year before", &self.chosen_after_a_year),
            ("last year", &self.last_year),
        ] {
            if let Some(spread) = ErrorSpread::of(errors.iter().copied()) {
                let [median, p90] = [spread.median_error, spread.p90_error].map(|it| it * 100.0);
                println!("  {method}: {median:.1} % ({p90:.1} %) of {}", errors.len());
            }
        }
    }
}

pub(super) fn measured(energies: &[f64]) -> Vec<DaySum> {
    energies
        .iter()
        .map(|energy| DaySum::Measured(*energy))
        .collect()
}

#[test]
fn the_choice_beats_simple_methods_and_its_ranges_hold() {
    let mut all = Tested::default();
    let mut exports = Tested::default();
    let first = LocalDate::new(2023, 1, 1).unwrap();
    let no = HouseKind::default();
    let kinds = [
        no,
        HouseKind {
            heat_pump: true,
            ..no
        },
        HouseKind { panels: true, ..no },
        HouseKind { car: true, ..no },
        HouseKind {
            heat_pump: true,
            panels: true,
            ..no
        },
        HouseKind {
            heat_pump: true,
            car: true,
            ..no
        },
        HouseKind {
            heat_pump: true,
            panels: true,
            car: true,
        },
    ];
    for (kind, seed) in kinds.into_iter().cycle().zip(1..=21) {
        let house = house(kind, seed, 3);
        all.add(&measured(&house.imported), first);
        if kind.panels {
            exports.add(&measured(&house.exported), first);
        }
    }
    all.print("imported");
    exports.print("exported");
    assert!(all.months() >= 700);
    all.assert_not_worse();
    assert!((0.75..=0.85).contains(&all.held()), "{}", all.held());
}

#[test]
fn nine_of_ten_errors_are_at_most_the_tenth_of_eleven() {
    let spread = ErrorSpread::of((1..=11).rev().map(f64::from)).unwrap();
    assert_eq!((spread.median_error, spread.p90_error), (6.0, 10.0));
    let of_two = ErrorSpread::of([1.0, 2.0].into_iter()).unwrap();
    assert!((of_two.median_error - 1.5).abs() < 1e-9 && (of_two.p90_error - 1.9).abs() < 1e-9);
    assert_eq!(ErrorSpread::of(std::iter::empty()), None);
}
