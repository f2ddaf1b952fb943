//! Whether enough is known to say something about a year: the rule of paybacks and of *what if*
//! (docs/DECIDE.md).

use std::ops::Range;

use super::priced_part::PricedPart;
use super::sensors::{HouseSensor, HouseSensors};
use crate::domain::time::MS_PER_DAY;
use crate::domain::words::words;
use crate::domain::{Role, Timestamp, YearStep, Zone};
use crate::ledger::Flow;
use crate::store::{Store, StoreError};

/// So much of the time, or of the drawn energy, may be unknown: one part of so many.
const UNKNOWN_PART: i64 = 20;

/// A year in milliseconds.
pub(super) const YEAR_MS: i64 = 365 * MS_PER_DAY;

/// Why no day is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaybackReason {
    /// They have paid for themselves.
    PaidBack,
    /// No sensor measures them.
    NoSensor,
    /// Fewer than twelve months are known.
    FewMonths,
    /// In the last twelve months, more than a twentieth is missing, or energy has no price.
    Incomplete,
    /// They save less than they cost.
    NoSavings,
}

words! {
    PaybackReason: PaidBack "paid-back", NoSensor "no-sensor", FewMonths "few-months",
        Incomplete "incomplete", NoSavings "no-savings";
    "paid-back, no-sensor, few-months, incomplete or no-savings"
}

/// The unknown part of a time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UnknownPart {
    /// For how long it is not measured, in milliseconds.
    pub(super) left_out_ms: i64,
    /// The drawn energy, and the part of it without a price, in millionths of a watt-hour.
    pub(super) drawn: i64,
    pub(super) unpriced: i64,
}

impl UnknownPart {
    /// That of some parts of a range.
    pub(super) fn of<'a>(parts: impl Iterator<Item = &'a PricedPart>) -> Self {
        let drawn = |flow: Flow| flow.imported.millionths();
        parts.fold(Self::default(), |sum, part| Self {
            left_out_ms: sum.left_out_ms.saturating_add(part.left_out_ms),
            drawn: sum.drawn.saturating_add(part.known.flow.map_or(0, drawn)),
            unpriced: sum.unpriced.saturating_add(drawn(part.cost.unpriced)),
        })
    }
}

/// Where the twelve months of `range` begin that tell about a year: the last ones.
pub(super) fn year_start(range: &Range<Timestamp>, zone: &Zone) -> Timestamp {
    let shortest = range.end.saturating_add_millis(-YEAR_MS);
    YearStep::Date.back(range.end, zone).max(shortest)
}

/// Refuses what tells nothing about a year: fewer than twelve months that are known, from
/// `known_from` on, or a larger part of these months that is not.
pub(super) fn check_year(
    year: &Range<Timestamp>,
    known_from: Timestamp,
    unknown: UnknownPart,
) -> Result<(), PaybackReason> {
    if year.start < known_from {
        return Err(PaybackReason::FewMonths);
    }
    let length_ms = year.end.millis() - year.start.millis();
    let UnknownPart {
        left_out_ms,
        drawn,
        unpriced,
    } = unknown;
    if left_out_ms > length_ms / UNKNOWN_PART || unpriced > drawn / UNKNOWN_PART {
        return Err(PaybackReason::Incomplete);
    }
    Ok(())
}

/// From when on readings tell about all parts of a house, if prices are known from a time on; `None`
/// if nothing measures what it draws. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub(super) fn whole_from(
    store: &Store,
    house: &HouseSensors,
    priced_from: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    let (mut found, mut has_import) = (priced_from, false);
    let parts: [fn(Role) -> bool; 4] = [
        |role| matches!(role, Role::Grid | Role::GridImport),
        |role| matches!(role, Role::Grid | Role::GridExport),
        |role| role == Role::Solar,
        Role::is_battery,
    ];
    for is_part in parts {
        let sensors = house.sensors.iter().filter(|it| is_part(it.sensor.role));
        let begins = sensors.map(|it| it.begin(store));
        let begins = begins.collect::<Result<Vec<Option<Timestamp>>, StoreError>>()?;
        let Some(begin) = begins.into_iter().flatten().min() else {
            continue;
        };
        has_import |= is_part(Role::GridImport);
        found = found.max(begin);
    }
    Ok(has_import.then_some(found))
}

/// The first reading of some sensors.
pub(super) fn begin_of(
    house: &HouseSensors,
    is_it: impl Fn(&HouseSensor) -> bool,
) -> Option<Timestamp> {
    let sensors = house.sensors.iter();
    let known = sensors.filter(|it| it.has_data() && is_it(it));
    known.map(|it| it.expected.start).min()
}
