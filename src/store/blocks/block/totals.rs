//! Converts the totals of a page between the directory's form and the ledger's.
//!
//! The directory counts in steps, because they are short. Totals are restored exactly, or not at
//! all: no household has a register beyond two billion watt-hours, and f64 cannot represent each
//! millionth of it.

use crate::domain::{MicroWh, Reading, Register, Timestamp};
use crate::ledger::{Flow, LOWEST_LIMIT, PowerAt, PowerRun, RegisterRun, Spacings};
use crate::store::blocks::block::columns::EncodedColumn;
use crate::store::blocks::block::directory::{Described, PageEntry};
use crate::store::blocks::block::format::PAGE;
use crate::store::blocks::block::presence::MeasurePresence;
use crate::store::blocks::block::steps::Scale;
use crate::store::blocks::block::timing::PageTiming;
use crate::store::blocks::summary::{power_of, registers_of};

/// In millionths of a watt-hour.
const MOST_EXACT: i128 = 1 << 51;

/// Completes the entries of pages whose columns are encoded. Returns the parts that they describe.
pub(crate) fn describe<'a>(
    readings: &'a [Reading],
    times: &EncodedColumn,
    [watts, watthours]: [&'a EncodedColumn; 2],
    entries: &mut [PageEntry],
) -> impl Fn(usize) -> Described + use<'a> {
    let described = move |page: usize| {
        let start = PAGE * page;
        let of = start..(start + PAGE).min(readings.len());
        let count = |column: &EncodedColumn| {
            let steps = column.scale.map(|_| column.presence.count(of.clone()));
            steps.unwrap_or_default()
        };
        Described {
            count: of.len(),
            has_power: count(watts) > 0,
            registers: count(watthours),
            is_block_of_registers: !matches!(watthours.presence, MeasurePresence::None),
        }
    };
    let step = |time: Timestamp| times.scale.map_or(0, |scale| scale.step(time.millis()));
    for (page, (entry, readings)) in entries.iter_mut().zip(readings.chunks(PAGE)).enumerate() {
        let described = described(page);
        let counts =
            |reading: &&Reading| described.registers == 0 || reading.measures.watthours().is_some();
        if described.timed().is_some() {
            let counted = readings.iter().filter(counts);
            let steps = counted.map(|reading| step(reading.time).wrapping_sub(entry.time));
            entry.timing = PageTiming::of(&steps.collect::<Vec<_>>());
        }
        if let (Some(registers), Some(run)) = (
            &mut entry.watthours,
            RegisterRun::of(registers_of(readings)),
        ) {
            registers.steepest_rise = run.steepest_rise;
            registers.steepest_fall = run.steepest_fall;
            registers.unchanged = step(run.last.time).wrapping_sub(step(run.unchanged_since));
        }
        if let (Some(power), Some(run)) = (&mut entry.watts, PowerRun::of(power_of(readings))) {
            power.energy = power.energy.filter(|_| !described.is_block_of_registers);
            if let Some(energy) = &mut power.energy {
                energy.imported = run.flow.imported.millionths().unsigned_abs();
                energy.exported = run.flow.exported.millionths().unsigned_abs();
            }
        }
    }
    described
}

/// The times of the readings of some totals.
struct Timed {
    first: Timestamp,
    last: Timestamp,
    longest_ms: i64,
    spacings: Spacings,
}

impl Timed {
    /// `None` in forged blocks.
    fn of(entry: &PageEntry, count: usize, times: Scale) -> Option<Self> {
        let timing = entry.timing;
        let time = |step: i64| Timestamp::from_millis(times.whole(entry.time.wrapping_add(step)));
        let spacing = |least, steps| (count >= least).then(|| times.distance(steps));
        let (first, last) = (time(timing.first)?, time(timing.last)?);
        (first <= last).then(|| Self {
            first,
            last,
            longest_ms: times.distance(timing.longest),
            spacings: Spacings {
                before_ms: spacing(3, timing.spacing_before),
                last_ms: spacing(2, timing.spacing),
            },
        })
    }
}

/// The totals of the `count` registers of a page; `None` if it has none, or they are too large.
pub(crate) fn register_run(
    entry: &PageEntry,
    count: usize,
    [times, watthours]: [Scale; 2],
) -> Option<RegisterRun> {
    let registers = entry.watthours?;
    let taken = Timed::of(entry, count, times)?;
    let first = watthours.millionths(registers.first);
    let [rises, falls] =
        [registers.rises(), registers.falls].map(|steps| watthours.millionths_between(steps));
    // No register is further from the first one.
    let farthest = first.abs() + rises + falls;
    let is_exact = rises >= 0 && falls >= 0 && farthest <= MOST_EXACT;
    let unchanged_ms = times.distance(registers.unchanged);
    let register = |time, step| Register {
        time,
        watthours: watthours.number(step),
    };
    is_exact.then_some(RegisterRun {
        first: register(taken.first, registers.first),
        last: register(taken.last, registers.last),
        count: count as u64,
        flow: Flow {
            imported: MicroWh::new(i64::try_from(rises).ok()?),
            exported: MicroWh::new(i64::try_from(falls).ok()?),
        },
        steepest_rise: registers.steepest_rise,
        steepest_fall: registers.steepest_fall,
        longest_ms: taken.longest_ms,
        spacings: taken.spacings,
        unchanged_since: taken
            .last
            .saturating_add_millis(unchanged_ms.checked_neg()?),
    })
}

/// The totals of the `count` readings of power of a page; `None` if the directory lacks them.
pub(crate) fn power_run(
    entry: &PageEntry,
    count: usize,
    [times, watts]: [Scale; 2],
) -> Option<PowerRun> {
    let power = entry.watts?;
    let energy = power.energy?;
    let taken = Timed::of(entry, count, times)?;
    let at = |time, step| PowerAt {
        time,
        watts: watts.number(step),
    };
    let [min, max] = [power.min, power.max].map(|step| watts.number(step).abs());
    Some(PowerRun {
        first: at(taken.first, power.first),
        last: at(taken.last, energy.last),
        count: count as u64,
        flow: Flow {
            imported: MicroWh::new(i64::try_from(energy.imported).ok()?),
            exported: MicroWh::new(i64::try_from(energy.exported).ok()?),
        },
        highest_watts: min.max(max),
        may_have_limit: min.max(max) >= LOWEST_LIMIT,
        longest_ms: taken.longest_ms,
        spacings: taken.spacings,
    })
}
