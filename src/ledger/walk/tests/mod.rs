//! Histories that a reader can check by head, and random ones against a plain model.
//!
//! - `cases`: the worked cases of docs/ENERGY.md; `edges`: cases at the edges of the rules; `odd_values`: values that are none;
//!   `facts`: with corrections; `power`: of power
//! - `model`, `random`: the rules once more, and random histories
//! - `beginning`: walks that begin in the middle
//! - `beside`: the ledger beside the rule of another system

mod beginning;
mod beside;
mod cases;
mod edges;
mod facts;
mod model;
mod odd_values;
mod power;
mod random;

use super::{Beginning, DailyRestart, Entry, Event, EventKind, Facts, RegisterRun, RegisterWalk};
use crate::domain::time::at;
use crate::domain::{Between, Meter, MeterKind, Sign};
use crate::domain::{MicroWh, Register, Timestamp};
use crate::ledger::stretch::{Flow, Stretch};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

fn restarting(restart: DailyRestart) -> Facts {
    Facts {
        restart,
        ..Facts::default()
    }
}

fn wh(watthours: f64) -> MicroWh {
    MicroWh::from_watthours(watthours)
}

/// Registers at these times in milliseconds.
fn registers(shown: &[(i64, f64)]) -> Vec<Register> {
    let register = |&(ms, watthours)| Register {
        time: at(ms),
        watthours,
    };
    shown.iter().map(register).collect()
}

/// Registers that follow each other every `spacing_ms`.
fn every(spacing_ms: i64, shown: &[f64]) -> Vec<(i64, f64)> {
    (0..)
        .map(|index| index * spacing_ms)
        .zip(shown.iter().copied())
        .collect()
}

/// The output of a walk, one register after the other.
fn walked(meter: Meter, facts: &Facts, registers: &[Register]) -> Vec<Entry> {
    let (mut walk, mut all) = (RegisterWalk::new(meter, facts.clone()), Vec::new());
    for &register in registers {
        walk.add(register, &mut |entry| all.push(entry));
    }
    walk.finish(&mut |entry| all.push(entry));
    all
}

/// The output of a walk that takes runs of these lengths where it accepts them, and the number of
/// runs taken.
fn walked_in_runs(
    meter: Meter,
    facts: &Facts,
    registers: &[Register],
    lengths: &[usize],
) -> (Vec<Entry>, usize) {
    let (mut walk, mut all, mut taken) = (RegisterWalk::new(meter, facts.clone()), Vec::new(), 0);
    for part in parts(registers, lengths) {
        let run = RegisterRun::of(part.iter().copied()).unwrap();
        if walk.accepts(&run) {
            walk.add_run(&run, &mut |entry| all.push(entry));
            taken += 1;
        } else {
            for &register in part {
                walk.add(register, &mut |entry| all.push(entry));
            }
        }
    }
    walk.finish(&mut |entry| all.push(entry));
    (all, taken)
}

/// Cuts into parts of these lengths; the rest is one more.
fn parts<'a, T>(all: &'a [T], lengths: &[usize]) -> Vec<&'a [T]> {
    let (mut rest, mut parts) = (all, Vec::new());
    for &length in lengths {
        let (part, later) = rest.split_at(length.min(rest.len()));
        parts.push(part);
        rest = later;
    }
    parts.push(rest);
    parts.retain(|part| !part.is_empty());
    parts
}

fn stretches(entries: &[Entry]) -> Vec<Stretch> {
    let stretch = |entry: &Entry| match entry {
        Entry::Stretch(stretch) => Some(*stretch),
        Entry::Event(_) => None,
    };
    entries.iter().filter_map(stretch).collect()
}

fn events(entries: &[Entry]) -> Vec<Event> {
    let event = |entry: &Entry| match entry {
        Entry::Event(event) => Some(*event),
        Entry::Stretch(_) => None,
    };
    entries.iter().filter_map(event).collect()
}

/// The energy between two times.
fn flow_between(stretches: &[Stretch], from: Timestamp, to: Timestamp) -> Flow {
    stretches
        .iter()
        .map(|stretch| stretch.flow_between(from, to))
        .sum()
}

fn total(stretches: &[Stretch]) -> Flow {
    stretches.iter().map(|stretch| stretch.flow).sum()
}
