//! Corrections: from a form to a correction, checked against the readings that it is about.

use std::slice;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::admin::error::AdminError;
use crate::admin::names::{owner, sensor_id};
use crate::admin::rows::CorrectionRow;
use crate::domain::{
    AccountName, Decimal, MeterKind, MicroWh, Sensor, SensorId, TimeRange, Timestamp,
};
use crate::ledger::{
    Author, CalibratedRange, CalibrationFactor, Correction, Corrections, Fact, FactError, FactKind,
    FactRange, KnownEnergy, Made, MeterChange, Spread,
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

/// Why a correction is not made or revoked.
#[derive(Clone, Debug)]
pub enum CorrectionProblem {
    /// What is wrong with it: the field, a colon, and what was expected.
    Refused(String),
    /// The store did not take it.
    Store(StoreError),
}

impl From<StoreError> for CorrectionProblem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::TooManyCalibrations => Self::Refused(format!("factor: {error}")),
            StoreError::TooManyNotes(_) => Self::Refused(error.to_string()),
            error => Self::Store(error),
        }
    }
}

impl From<CorrectionProblem> for AdminError {
    fn from(problem: CorrectionProblem) -> Self {
        match problem {
            CorrectionProblem::Refused(text) => Self(text),
            CorrectionProblem::Store(error) => error.into(),
        }
    }
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
    /// What is wrong: the field, a colon, what was expected, and an example.
    pub fn correction(&self, at: Timestamp, by: Author) -> Result<Correction, String> {
        let sensor =
            SensorId::new(&self.sensor_id).map_err(|error| format!("sensor_id: {error}"))?;
        let made = Made::new(at, by, &self.note).map_err(|error| error.to_string())?;
        self.check_fields()?;
        let correction = Correction::new(1, sensor, made, self.fact()?);
        correction.map_err(|error| error.to_string())
    }

    /// Refuses a field that this kind does not have: what somebody wanted to say with it would be lost.
    fn check_fields(&self) -> Result<(), String> {
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
        match others.find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((name, _)) => Err(format!(
                "{name}: {} has no such field; expected {}",
                self.kind.as_str(),
                own.join(", ")
            )),
        }
    }

    fn fact(&self) -> Result<Fact, String> {
        let at = || self.time("at", self.at.as_deref());
        let energy = |name, number| self.energy(name, number);
        Ok(match self.kind {
            FactKind::MeterChanged => {
                let change = MeterChange {
                    old_end: energy("old_end", self.old_end)?,
                    new_start: energy("new_start", self.new_start)?,
                };
                Fact::MeterChanged(at()?, change)
            }
            FactKind::Event => {
                let missing = || format!("counts: {} needs it: true or false", self.kind.as_str());
                Fact::Event(at()?, self.counts.ok_or_else(missing)?)
            }
            FactKind::Energy => {
                let energy = energy("energy", self.energy)?;
                Fact::Energy(self.range()?, energy, self.spread.unwrap_or_default())
            }
            FactKind::Wrong => Fact::Wrong(self.range()?),
            FactKind::Utility => {
                let shown = energy("shown", self.shown)?;
                if shown < MicroWh::ZERO {
                    let expected = "expected what the meter shows, from 0 on, such as 12345.6";
                    return Err(format!("shown: {expected}"));
                }
                Fact::Utility(at()?, shown)
            }
            FactKind::Calibrate => {
                let from = self.time("from", self.from.as_deref())?;
                let to = self.to.as_deref();
                let to = to.map(|to| self.time("to", Some(to))).transpose()?;
                let range = CalibratedRange::new(from, to).map_err(|error| error.to_string())?;
                Fact::Calibrate(range, self.factor()?)
            }
        })
    }

    fn time(&self, name: &str, text: Option<&str>) -> Result<Timestamp, String> {
        let kind = self.kind.as_str();
        let example = "such as 2026-01-05T10:30:00";
        let text = text.ok_or_else(|| format!("{name}: {kind} needs it, {example}"))?;
        Timestamp::parse_or_date(text).map_err(|error| format!("{name}: {error}"))
    }

    fn range(&self) -> Result<FactRange, String> {
        let from = self.time("from", self.from.as_deref())?;
        let to = self.time("to", self.to.as_deref())?;
        FactRange::new(from, to).map_err(|error| error.to_string())
    }

    fn factor(&self) -> Result<CalibrationFactor, String> {
        let missing = || "factor: calibrate needs it, such as 1.020408".to_owned();
        let text = self.factor.as_deref().ok_or_else(missing)?;
        // A number of another form is not in the range either.
        let factor = CalibrationFactor::new(Decimal::parse(text).unwrap_or_default());
        factor.map_err(|error| format!("factor: {error}"))
    }

    fn energy(&self, name: &'static str, watthours: Option<f64>) -> Result<MicroWh, String> {
        let kind = self.kind.as_str();
        let missing = || format!("{name}: {kind} needs it, in watt-hours, such as 12345.6");
        let watthours = watthours.ok_or_else(missing)?;
        Fact::watthours(name, watthours).map_err(|error: FactError| error.to_string())
    }
}

/// Adds a correction of a sensor of the account, if there are readings that it is about. Blocks.
///
/// # Errors
/// [`CorrectionProblem`].
pub fn add_correction(
    store: &Store,
    account: &AccountName,
    correction: Correction,
) -> Result<Correction, CorrectionProblem> {
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
fn check_readings(store: &Store, sensor: &Sensor, fact: &Fact) -> Result<(), CorrectionProblem> {
    let refuse = |text: String| Err(CorrectionProblem::Refused(text));
    let (name, range) = match fact {
        // Of the utility's meter there need not be any.
        Fact::Utility(..) => return Ok(()),
        Fact::MeterChanged(at, change) => {
            let before = at.saturating_add_millis(-1);
            let Some(last) = store.register_at(&sensor.id, before)? else {
                return refuse(format!(
                    "at: the sensor has no register before {at}; expected a time after its first one"
                ));
            };
            let meter = &sensor.meter;
            let is_counter = meter.kind == MeterKind::Counter && !meter.register_sign.is_inverted();
            if is_counter && change.old_end.watthours() < last.watthours {
                return refuse(format!(
                    "old_end: expected at least {} Wh, what the counter showed at {}; got {} Wh",
                    last.watthours,
                    last.time,
                    change.old_end.watthours()
                ));
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
            return refuse("from: the sensor has no reading at all: expected one that has some, so that it is clear what is corrected".into());
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
    refuse(format!(
        "{name}: the sensor has no reading there: a correction needs one, such as at the time that an event or a download shows"
    ))
}

/// Refuses to spread more ranges of a sensor like its weekdays, as each takes a look at the weeks around it.
fn check_count(registry: &Registry, sensor: &Sensor, fact: &Fact) -> Result<(), CorrectionProblem> {
    let (_, facts) = registry.metered(sensor);
    let is_profile = |known: &&KnownEnergy| known.spread == Spread::LikeWeekday;
    let profiles = || facts.energies.iter().filter(is_profile).count();
    let refused = match fact {
        Fact::Energy(_, _, Spread::LikeWeekday) if profiles() >= MOST_PROFILES => format!(
            "spread: a sensor has at most {MOST_PROFILES} ranges like-weekday; expected even, or revoke one"
        ),
        _ => return Ok(()),
    };
    Err(CorrectionProblem::Refused(refused))
}

pub(super) fn add(
    store: &Arc<Store>,
    form: &CorrectionForm,
    now: Timestamp,
) -> Result<CorrectionRow, AdminError> {
    let correction = form.correction(now, Author::CommandLine);
    let correction = correction.map_err(AdminError)?;
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
    let made = Made::new(now, Author::CommandLine, note);
    let made = made.map_err(|error| AdminError(error.to_string()))?;
    let of = account.clone();
    let revoked = store.edit(move |edit| edit.revoke_correction(&of, number, made))?;
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
