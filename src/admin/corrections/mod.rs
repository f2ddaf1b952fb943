//! Corrections: from a form to a correction, checked against the readings that it is about.
//!
//! - `meter_change`: when the meter was changed

mod meter_change;

use std::slice;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use self::meter_change::new_beginning;
use self::meter_change::{check_change, placed};
use crate::admin::error::{AdminError, wrong};
use crate::admin::names::{owner, sensor_id};
use crate::admin::rows::CorrectionRow;
use crate::domain::{AccountName, Decimal, MicroWh, Sensor, SensorId, TimeRange, Timestamp};
use crate::house::reading_doubt;
use crate::ledger::utility::{ReadingDoubt, UtilityReading};
use crate::ledger::{
    Author, CalibratedRange, CalibrationFactor, Correction, Corrections, Fact, FactRange,
    KnownEnergy, Made, MeterChange, Spread,
};
use crate::query::first_reading;
use crate::store::{Registry, Store, StoreError};

/// The maximum number of a sensor's ranges in effect with the spread `like-weekday`.
const MOST_PROFILES: usize = 100;

/// A correction as typed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrectionForm {
    /// The sensor whose readings it is about.
    pub sensor_id: String,
    /// The fact it states.
    pub fact: FactForm,
    /// The reason, in people's words.
    pub note: String,
}

/// The fact of a correction: times as people type them, energies in watt-hours. Ends of ranges are
/// exclusive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FactForm {
    /// The last register of the old meter, and the first one of the new meter.
    MeterChanged {
        at: String,
        old_end: f64,
        new_start: f64,
    },
    /// Whether the event at this time counts.
    Event { at: String, counts: bool },
    /// The energy of a range.
    Energy {
        from: String,
        to: String,
        energy: f64,
        spread: Spread,
    },
    /// The readings of a range are wrong.
    Wrong { from: String, to: String },
    /// The register of the utility's meter.
    Utility { at: String, shown: f64 },
    /// The factor to multiply the energy by: a decimal as text, so that no digit is lost.
    Calibrate {
        from: String,
        to: Option<String>,
        factor: String,
    },
}

impl CorrectionForm {
    /// The correction, made at `at` by `by`, without a number yet.
    ///
    /// # Errors
    /// [`AdminError::Field`].
    pub fn correction(&self, at: Timestamp, by: Author) -> Result<Correction, AdminError> {
        let sensor = sensor_id(&self.sensor_id)?;
        let made = Made::new(at, by, &self.note)?;
        Ok(Correction::new(1, sensor, made, self.fact.fact()?)?)
    }
}

impl FactForm {
    fn fact(&self) -> Result<Fact, AdminError> {
        Ok(match self {
            Self::MeterChanged {
                at,
                old_end,
                new_start,
            } => {
                let change = MeterChange {
                    old_end: Fact::watthours("old_end", *old_end)?,
                    new_start: Fact::watthours("new_start", *new_start)?,
                };
                Fact::MeterChanged(time("at", at)?, change)
            }
            Self::Event { at, counts } => Fact::Event(time("at", at)?, *counts),
            Self::Energy {
                from,
                to,
                energy,
                spread,
            } => {
                let energy = Fact::watthours("energy", *energy)?;
                Fact::Energy(range(from, to)?, energy, *spread)
            }
            Self::Wrong { from, to } => Fact::Wrong(range(from, to)?),
            Self::Utility { at, shown } => {
                let shown = Fact::watthours("shown", *shown)?;
                if shown < MicroWh::ZERO {
                    let problem = "expected the register of the meter, 0 or more";
                    return Err(wrong("shown", problem, "12345.6"));
                }
                Fact::Utility(time("at", at)?, shown)
            }
            Self::Calibrate { from, to, factor } => {
                let to = to.as_deref().map(|to| time("to", to)).transpose();
                let range = CalibratedRange::new(time("from", from)?, to?)?;
                // A number of another form is out of range too.
                let factor = CalibrationFactor::new(Decimal::parse(factor).unwrap_or_default());
                Fact::Calibrate(range, factor.map_err(|error| wrong("factor", error, None))?)
            }
        })
    }
}

fn time(field: &'static str, text: &str) -> Result<Timestamp, AdminError> {
    Timestamp::parse_or_date(text).map_err(|error| wrong(field, error, None))
}

fn range(from: &str, to: &str) -> Result<FactRange, AdminError> {
    Ok(FactRange::new(time("from", from)?, time("to", to)?)?)
}

/// Adds a correction of a sensor of the account, if it has readings. Blocks.
///
/// # Errors
/// [`AdminError`].
pub fn add_correction(
    store: &Store,
    account: &AccountName,
    correction: Correction,
) -> Result<Correction, AdminError> {
    let registry = store.registry();
    let sensor = registry.sensor(correction.sensor());
    let own = sensor.filter(|sensor| sensor.account == *account);
    let unknown = || StoreError::UnknownSensor(correction.sensor().to_string());
    let own = own.ok_or_else(unknown)?;
    let correction = placed(store, own, correction)?;
    check_readings(store, own, correction.fact())?;
    check_count(&registry, own, correction.fact())?;
    let account = account.clone();
    Ok(store.edit(move |edit| edit.add_correction(&account, correction))?)
}

/// Why a reading of the utility's meter looks wrong; `None` if it does not, and of other corrections.
/// Blocks.
///
/// # Errors
/// [`AdminError::Store`].
pub fn correction_doubt(
    store: &Store,
    account: &AccountName,
    correction: &Correction,
    now: Timestamp,
) -> Result<Option<ReadingDoubt>, AdminError> {
    let registry = store.registry();
    let sensor = registry.sensor(correction.sensor());
    let own = sensor.filter(|sensor| sensor.account == *account);
    match (own, correction.fact()) {
        (Some(sensor), &Fact::Utility(time, shown)) => {
            let reading = UtilityReading { time, shown };
            Ok(reading_doubt(store, sensor, reading, now)?)
        }
        _ => Ok(None),
    }
}

/// Refuses a fact that concerns no reading.
fn check_readings(store: &Store, sensor: &Sensor, fact: &Fact) -> Result<(), AdminError> {
    let (_, facts) = store.registry().metered(sensor);
    let (field, range) = match fact {
        // Readings of the utility's meter need no readings of the sensor.
        Fact::Utility(..) => return Ok(()),
        Fact::MeterChanged(at, change) => return check_change(store, sensor, *at, *change),
        Fact::Event(at, _) if facts.changes.contains_key(at) => return Ok(()),
        Fact::Event(at, _) => ("at", Some(TimeRange::at(*at))),
        // A range without readings may be the reason for the correction. A factor also applies to
        // future readings.
        Fact::Energy(..) | Fact::Calibrate(..)
            if first_reading(store, slice::from_ref(sensor))?.is_some() =>
        {
            return Ok(());
        }
        Fact::Energy(..) | Fact::Calibrate(..) => {
            let problem = "the sensor has no reading at all: expected one that has some, so that it is clear what is corrected";
            return Err(wrong("from", problem, None));
        }
        Fact::Wrong(range) => {
            let last = range.to().saturating_add_millis(-1);
            ("from", TimeRange::new(range.from(), last))
        }
    };
    let count = range.map_or(Ok(0), |range| store.count_readings(&sensor.id, range))?;
    if count > 0 {
        return Ok(());
    }
    Err(wrong(
        field,
        "the sensor has no reading there: a correction needs one",
        "at the time shown by an event or a download",
    ))
}

/// Refuses further ranges with the spread `like-weekday`, because each reads the weeks around it.
fn check_count(registry: &Registry, sensor: &Sensor, fact: &Fact) -> Result<(), AdminError> {
    let (_, facts) = registry.metered(sensor);
    let is_profile = |known: &&KnownEnergy| known.spread == Spread::LikeWeekday;
    let profiles = || facts.energies.iter().filter(is_profile).count();
    match fact {
        Fact::Energy(_, _, Spread::LikeWeekday) if profiles() >= MOST_PROFILES => {
            let problem = format!(
                "a sensor has at most {MOST_PROFILES} ranges like-weekday; expected even, or revoke one"
            );
            Err(wrong("spread", problem, None))
        }
        _ => Ok(()),
    }
}

/// Revokes a correction. Blocks.
///
/// # Errors
/// [`AdminError`].
pub fn revoke_correction(
    store: &Store,
    account: &AccountName,
    number: u32,
    by: Made,
) -> Result<Correction, AdminError> {
    let account = account.clone();
    Ok(store.edit(move |edit| edit.revoke_correction(&account, number, by))?)
}

pub(super) fn add(
    store: &Arc<Store>,
    (form, is_sure): (&CorrectionForm, bool),
    now: Timestamp,
) -> Result<CorrectionRow, AdminError> {
    let correction = form.correction(now, Author::CommandLine)?;
    let sensor = crate::admin::sensors::registered(store, &form.sensor_id)?;
    if !is_sure && let Some(doubt) = correction_doubt(store, &sensor.account, &correction, now)? {
        let text = format!("{doubt}\nNothing was saved. If it is right, add --yes.");
        return Err(AdminError::Refused(text));
    }
    let added = add_correction(store, &sensor.account, correction)?;
    Ok(CorrectionRow::new(&sensor.account, &added))
}

pub(super) fn revoke(
    store: &Store,
    account: Option<&str>,
    number: u32,
    (now, note): (Timestamp, &str),
) -> Result<CorrectionRow, AdminError> {
    let account = owner(&store.registry(), account)?;
    let made = Made::new(now, Author::CommandLine, note)?;
    let revoked = revoke_correction(store, &account, number, made)?;
    Ok(CorrectionRow::new(&account, &revoked))
}

pub(super) fn list(store: &Store, sensor: Option<&str>) -> Result<Vec<CorrectionRow>, AdminError> {
    let sensor = sensor.map(sensor_id).transpose()?;
    let registry = store.registry();
    let mut rows = Vec::new();
    for account in registry.accounts() {
        rows.extend(correction_rows(&registry, &account.name, sensor.as_ref()));
    }
    Ok(rows)
}

/// The corrections of an account, or of one of its sensors, by number.
fn correction_rows(
    registry: &Registry,
    account: &AccountName,
    sensor: Option<&SensorId>,
) -> Vec<CorrectionRow> {
    let all = registry.corrections(account).into_iter();
    let all = all.flat_map(Corrections::iter);
    all.filter(|one| sensor.is_none_or(|sensor| one.sensor() == sensor))
        .map(|one| CorrectionRow::new(account, one))
        .collect()
}

#[cfg(test)]
mod tests;
