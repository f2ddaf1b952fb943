//! `wattkeeper check`: reads the whole store, to prove it.

use anyhow::{Result, bail};
use serde_json::json;

use super::Global;
use super::connection::Connection;
use super::output::{print_json, print_line};
use crate::admin::{FindingsRow, ProblemRow};
use crate::store::OpenMode;

pub(super) fn run(global: &Global) -> Result<()> {
    let FindingsRow {
        readings,
        blocks,
        problems,
        not_listed,
    } = global.with_store(OpenMode::Existing, Connection::check)?;
    let count = problems.len() as u64 + not_listed;
    if global.json {
        print_json(&json!({
            "ok": count == 0, "readings": readings, "blocks": blocks, "problems": problems,
        }))?;
    } else {
        for problem in &problems {
            print_line(&line(problem))?;
        }
        if not_listed > 0 {
            print_line(&format!("and {not_listed} more"))?;
        }
        print_line(&format!(
            "{readings} readings and {blocks} blocks were read"
        ))?;
    }
    if count > 0 {
        bail!(
            "the store has {count} problems: bring back what is lost from a copy or from the sensors"
        );
    }
    Ok(())
}

fn line(problem: &ProblemRow) -> String {
    let ProblemRow {
        what,
        sensor_id,
        start,
        end,
    } = problem;
    let sensor = sensor_id
        .as_ref()
        .map(|sensor| format!("; sensor {sensor}"));
    let range = start.as_ref().zip(end.as_ref());
    let range = range.map(|(start, end)| format!(", from {start} to {end}"));
    [
        what.clone(),
        sensor.unwrap_or_default(),
        range.unwrap_or_default(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_told_as_far_as_it_is_known() {
        let mut problem = ProblemRow {
            what: "the registry can't be read".into(),
            sensor_id: None,
            start: None,
            end: None,
        };
        assert_eq!(line(&problem), "the registry can't be read");
        problem.sensor_id = Some("house".into());
        problem.start = Some("a".into());
        problem.end = Some("b".into());
        assert_eq!(
            line(&problem),
            "the registry can't be read; sensor house, from a to b"
        );
    }
}
