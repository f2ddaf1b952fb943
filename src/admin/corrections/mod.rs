//! Corrections: from a form to a correction, checked against the readings that it is about.

use std::slice;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::admin::error::{AdminError, wrong};
use crate::admin::names::{owner, sensor_id};
use crate::admin::rows::CorrectionRow;
use crate::domain::{
    AccountName, Decimal, MeterKind, MicroWh, Sensor, SensorId, TimeRange, Timestamp,
};
use crate::ledger::{
    Author, CalibratedRange, CalibrationFactor, Correction, Corrections, Fact, FactKind, FactRange,
    KnownEnergy, Made, MeterChange, Spread,
};
use crate::query::first_reading;
use crate::store::{Registry, Store, StoreError};

/// The most ranges of a sensor in effect that are spread like its weekdays.
const MOST_PROFILES: usize = 100;

/// A correction as somebody fills it in. Which fields it needs depends on its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrectionForm {
    /// The sensor whose readings it is about.
    pub sensor_id: String,
    /// What it says.
    pub kind: FactKind,
    /// Its time; of an event, the event's.
    #[serde(default)]
    pub at: Option<String>,
    /// The start of its range.
    #[serde(default)]
    pub from: Option<String>,
    /// The end of its range, which does not belong to it.
    #[serde(default)]
    pub to: Option<String>,
    /// What the old meter showed in the end, in watt-hours.
    #[serde(default)]
    pub old_end: Option<f64>,
    /// What the new meter showed in the beginning, in watt-hours.
    #[serde(default)]
    pub new_start: Option<f64>,
    /// The energy of the range, in watt-hours.
    #[serde(default)]
    pub energy: Option<f64>,
    /// What the utility's meter showed, in watt-hours.
    #[serde(default)]
    pub shown: Option<f64>,
    /// What the energy is multiplied by: a decimal as text, so that no digit is lost.
    #[serde(default)]
    pub factor: Option<String>,
    /// Whether the event counts.
    #[serde(default)]
    pub counts: Option<bool>,
    /// How energy is spread over its range; evenly if not given.
    #[serde(default)]
    pub spread: Option<Spread>,
    /// Why, in people's words.
    #[serde(default)]
    pub note: String,
}

impl CorrectionForm {
    /// A form of which only the sensor and the kind are filled in.
    #[must_use]
    pub const fn new(sensor_id: String, kind: FactKind) -> Self {
        Self {
            sensor_id,
            kind,
            at: None,
            from: None,
            to: None,
            old_end: None,
            new_start: None,
            energy: None,
            shown: None,
            factor: None,
            counts: None,
            spread: None,
            note: String::new(),
        }
    }

    /// The correction, made at `at` by `by`; not numbered yet.
    ///
    /// # Errors
    /// [`AdminError::Field`].
    pub fn correction(&self, at: Timestamp, by: Author) -> Result<Correction, AdminError> {
        let sensor = sensor_id(&self.sensor_id)?;
        let made = Made::new(at, by, &self.note)?;
        self.check_fields()?;
        Ok(Correction::new(1, sensor, made, self.fact()?)?)
    }

    /// Refuses a field that this kind does not have: what somebody wanted to say with it would be lost.
    fn check_fields(&self) -> Result<(), AdminError> {
        let given = [
            ("at", self.at.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("old_end", self.old_end.is_some()),
            ("new_start", self.new_start.is_some()),
            ("energy", self.energy.is_some()),
            ("shown", self.shown.is_some()),
            ("factor", self.factor.is_some()),
            ("counts", self.counts.is_some()),
            ("spread", self.spread.is_some()),
        ];
        let own: &[&str] = match self.kind {
            FactKind::MeterChanged => &["at", "old_end", "new_start"],
            FactKind::Event => &["at", "counts"],
            FactKind::Energy => &["from", "to", "energy", "spread"],
            FactKind::Wrong => &["from", "to"],
            FactKind::Utility => &["at", "shown"],
            FactKind::Calibrate => &["from", "to", "factor"],
        };
        let mut others = given.into_iter().filter(|(name, _)| !own.contains(name));
        let Some((name, _)) = others.find(|(_, is_given)| *is_given) else {
            return Ok(());
        };
        let (kind, own) = (self.kind.as_str(), own.join(", "));
        let problem = format!("{kind} has no such field; expected {own}");
        Err(wrong(name, problem, None))
    }

    fn fact(&self) -> Result<Fact, AdminError> {
        let at = || self.time("at", self.at.as_deref());
        Ok(match self.kind {
            FactKind::MeterChanged => {
                let change = MeterChange {
                    old_end: self.energy("old_end", self.old_end)?,
                    new_start: self.energy("new_start", self.new_start)?,
                };
                Fact::MeterChanged(at()?, change)
            }
            FactKind::Event => {
                let counts = self.given("counts", self.counts, ": true or false", None);
                Fact::Event(at()?, counts?)
            }
            FactKind::Energy => {
                let energy = self.energy("energy", self.energy)?;
                Fact::Energy(self.range()?, energy, self.spread.unwrap_or_default())
            }
            FactKind::Wrong => Fact::Wrong(self.range()?),
            FactKind::Utility => {
                let shown = self.energy("shown", self.shown)?;
                if shown < MicroWh::ZERO {
                    let problem = "expected what the meter shows, from 0 on";
                    return Err(wrong("shown", problem, "12345.6"));
                }
                Fact::Utility(at()?, shown)
            }
            FactKind::Calibrate => {
                let from = self.time("from", self.from.as_deref())?;
                let to = self.to.as_deref();
                let to = to.map(|to| self.time("to", Some(to))).transpose()?;
                Fact::Calibrate(CalibratedRange::new(from, to)?, self.factor()?)
            }
        })
    }

    /// What a field has, which this kind needs.
    fn given<T>(
        &self,
        field: &'static str,
        value: Option<T>,
        what: &str,
        example: impl Into<Option<&'static str>>,
    ) -> Result<T, AdminError> {
        value.ok_or_else(|| {
            let problem = format!("{} needs it{what}", self.kind.as_str());
            wrong(field, problem, example)
        })
    }

    fn time(&self, field: &'static str, text: Option<&str>) -> Result<Timestamp, AdminError> {
        let text = self.given(field, text, "", "2026-01-05T10:30:00")?;
        Timestamp::parse_or_date(text).map_err(|error| wrong(field, error, None))
    }

    fn range(&self) -> Result<FactRange, AdminError> {
        let from = self.time("from", self.from.as_deref())?;
        let to = self.time("to", self.to.as_deref())?;
        Ok(FactRange::new(from, to)?)
    }

    fn factor(&self) -> Result<CalibrationFactor, AdminError> {
        let text = self.given("factor", self.factor.as_deref(), "", "1.020408")?;
        // A number of another form is not in the range either.
        let factor = CalibrationFactor::new(Decimal::parse(text).unwrap_or_default());
        factor.map_err(|error| wrong("factor", error, None))
    }

    fn energy(&self, field: &'static str, given: Option<f64>) -> Result<MicroWh, AdminError> {
        let watthours = self.given(field, given, ", in watt-hours", "12345.6")?;
        Ok(Fact::watthours(field, watthours)?)
    }
}

/// Adds a correction of a sensor of the account, if there are readings that it is about. Blocks.
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
    check_readings(store, own, correction.fact())?;
    check_count(&registry, own, correction.fact())?;
    let account = account.clone();
    Ok(store.edit(move |edit| edit.add_correction(&account, correction))?)
}

/// Refuses a fact that is about no reading.
fn check_readings(store: &Store, sensor: &Sensor, fact: &Fact) -> Result<(), AdminError> {
    let refuse = |field, problem: String| Err(wrong(field, problem, None));
    let (field, range) = match fact {
        // Of the utility's meter there need not be any.
        Fact::Utility(..) => return Ok(()),
        Fact::MeterChanged(at, change) => {
            let before = at.saturating_add_millis(-1);
            let Some(last) = store.register_at(&sensor.id, before)? else {
                let problem = "the sensor has no register before";
                return refuse(
                    "at",
                    format!("{problem} {at}; expected a time after its first one"),
                );
            };
            let meter = &sensor.meter;
            let is_counter = meter.kind == MeterKind::Counter && !meter.register_sign.is_inverted();
            if is_counter && change.old_end.watthours() < last.watthours {
                let problem = format!(
                    "expected at least {} Wh, what the counter showed at {}; got {} Wh",
                    last.watthours,
                    last.time,
                    change.old_end.watthours()
                );
                return refuse("old_end", problem);
            }
            return Ok(());
        }
        Fact::Event(at, _) => ("at", Some(TimeRange::at(*at))),
        // That there is none in the range may be why somebody fills it in. A factor holds for readings to come, too.
        Fact::Energy(..) | Fact::Calibrate(..)
            if first_reading(store, slice::from_ref(sensor))?.is_some() =>
        {
            return Ok(());
        }
        Fact::Energy(..) | Fact::Calibrate(..) => {
            let problem = "the sensor has no reading at all: expected one that has some, so that it is clear what is corrected";
            return refuse("from", problem.into());
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
        "at the time that an event or a download shows",
    ))
}

/// Refuses to spread more ranges of a sensor like its weekdays, as each takes a look at the weeks around it.
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
    form: &CorrectionForm,
    now: Timestamp,
) -> Result<CorrectionRow, AdminError> {
    let correction = form.correction(now, Author::CommandLine)?;
    let sensor = crate::admin::sensors::registered(store, &form.sensor_id)?;
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
