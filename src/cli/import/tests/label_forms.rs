//! Each form of a table, on the days when clocks change, is read right.

use super::labels::*;
use crate::domain::{LocalDate, Zone};

/// All ways to write a file.
fn ways() -> Vec<ImportWay> {
    let days = [
        ("Europe/Berlin", (2025, 3, 30)),
        ("Europe/Berlin", (2025, 10, 26)),
        ("America/New_York", (2025, 3, 9)),
        ("America/New_York", (2025, 11, 2)),
        ("Australia/Lord_Howe", (2025, 10, 5)),
        ("Australia/Lord_Howe", (2025, 4, 6)),
    ];
    let forms = [
        LabelForm::Start,
        LabelForm::End,
        LabelForm::FromTo,
        LabelForm::DateFromTo,
        LabelForm::Cell,
        LabelForm::DayColumns,
        LabelForm::Hours,
    ];
    let mut all = Vec::new();
    for (zone, (year, month, day)) in days {
        for form in forms {
            for order in [FileOrder::Time, FileOrder::Clock, FileOrder::NewestFirst] {
                for minutes in [1, 15, 30, 60] {
                    for bits in 0..8 {
                        all.push(ImportWay {
                            form,
                            order,
                            minutes,
                            is_equal: bits & 1 != 0,
                            zone: Zone::parse(zone).unwrap(),
                            day: LocalDate::new(year, month, day).unwrap(),
                            is_24: bits & 2 != 0,
                            is_naive: bits & 4 != 0,
                            is_once: false,
                        });
                    }
                }
            }
        }
    }
    all.retain(ImportWay::is_possible);
    all
}

#[test]
fn every_form_is_read_right_on_the_days_when_clocks_change() {
    let (mut right, mut wrong, mut asked) = (0, Vec::new(), Vec::new());
    for way in ways() {
        match stored(&way.text(), &way.options()) {
            Ok((found, _)) if found == way.truth() => right += 1,
            Ok((found, remarks)) => {
                let truth = way.truth();
                let first = found.iter().zip(&truth).find(|(one, other)| one != other);
                wrong.push(format!("{way:?}: {first:?}, {remarks:?}"));
            }
            // Where clocks change by a part of an interval, nothing may decide.
            Err(why) => asked.push((way.is_uneven(), format!("{way:?}: {why}"))),
        }
    }
    let needless: Vec<_> = asked.iter().filter(|(is_uneven, _)| !is_uneven).collect();
    println!(
        "{right} right, {} wrong, {} asked",
        wrong.len(),
        asked.len()
    );
    for line in wrong
        .iter()
        .chain(needless.iter().map(|(_, line)| line))
        .take(40)
    {
        println!("{line}");
    }
    assert!(wrong.is_empty() && needless.is_empty());
}

/// As a device writes it whose clock was set back, or whose second pass is lost.
#[test]
fn an_hour_that_is_there_once_is_the_first_pass() {
    let (mut right, mut wrong) = (0, Vec::new());
    let has_change = |way: &ImportWay| {
        way.truth().len()
            < ImportWay {
                is_once: false,
                ..way.clone()
            }
            .truth()
            .len()
    };
    for mut way in ways() {
        way.is_once = true;
        // Ends as the device's clock shows them; numbers of hours by the clock.
        let is_clock = way.form != LabelForm::Hours || way.order == FileOrder::Clock;
        let is_end = way.form == LabelForm::End;
        // Without columns of its own, a day's columns have the energy of both passes.
        if way.form == LabelForm::DayColumns {
            continue;
        }
        if way.is_uneven() || !is_clock || is_end && !way.is_naive || !has_change(&way) {
            continue;
        }
        match stored(&way.text(), &way.options()) {
            Ok((found, remarks))
                if found == way.truth()
                    && remarks
                        .iter()
                        .any(|remark| remark.contains("count for the first pass")) =>
            {
                right += 1;
            }
            other => wrong.push(format!(
                "{way:?}: {:?}",
                other.map(|(found, remarks)| {
                    let truth = way.truth();
                    (
                        found
                            .into_iter()
                            .zip(truth)
                            .find(|(one, other)| one != other),
                        remarks,
                    )
                })
            )),
        }
    }
    println!("{right} right, {} wrong", wrong.len());
    for line in wrong.iter().take(40) {
        println!("{line}");
    }
    assert!(wrong.is_empty() && right > 0);
}
