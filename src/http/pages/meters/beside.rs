//! What was typed in of a meter, beside the ledger.

use crate::chart::Wording;
use crate::domain::{Sensor, Timestamp};
use crate::house::{CalibrationRow, PeriodRow, UtilitySensor, utility_of_sensor};
use crate::store::{Store, StoreError};

/// What was typed in of a sensor's meter, beside the ledger.
pub(super) struct BesideView {
    /// The newest first.
    pub(super) periods: Vec<BesidePeriod>,
    pub(super) has_more: bool,
    /// Over all periods.
    pub(super) drift: String,
    pub(super) drift_percent: String,
    pub(super) calibration: Option<CalibrationOffer>,
}

/// A factor that can be accepted.
pub(super) struct CalibrationOffer {
    /// What it does, in words.
    pub(super) text: String,
    /// From when on.
    pub(super) from: String,
    pub(super) factor: String,
}

/// The time between two readings.
pub(super) struct BesidePeriod {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) utility: String,
    pub(super) ledger: String,
    pub(super) drift: String,
    pub(super) drift_percent: String,
}

/// The most periods that the page lists.
const MOST_LISTED: usize = 24;

impl BesideView {
    /// That of `sensor`; `None` with less than two readings. Blocks on the disk.
    pub(super) fn of(
        store: &Store,
        sensor: &Sensor,
        wording: Wording<'_>,
        now: Timestamp,
    ) -> Result<Option<Self>, StoreError> {
        let found = utility_of_sensor(store, sensor, now)?;
        Ok(found.map(|found| Self::new(&found, wording)))
    }

    fn new(found: &UtilitySensor, wording: Wording<'_>) -> Self {
        let newest_first = found.periods.iter().rev().take(MOST_LISTED);
        let calibration = found.calibration.as_ref();
        Self {
            periods: newest_first
                .map(|it| BesidePeriod::new(it, wording))
                .collect(),
            has_more: found.periods.len() > MOST_LISTED,
            drift: wording.watthours(found.drift),
            drift_percent: wording.percent(found.drift_percent.as_deref()),
            calibration: calibration.map(|offered| CalibrationOffer {
                text: offered_text(offered, wording),
                from: offered.correction.from.clone(),
                factor: offered.correction.factor.clone(),
            }),
        }
    }
}

fn offered_text(offered: &CalibrationRow, wording: Wording<'_>) -> String {
    let values = [
        (
            "factor",
            wording.language.number(&offered.correction.factor).into(),
        ),
        ("from", wording.date_of(&offered.correction.from).into()),
        ("periods", offered.periods.into()),
    ];
    wording.language.fill("meter-calibration", values)
}

impl BesidePeriod {
    fn new(period: &PeriodRow, wording: Wording<'_>) -> Self {
        Self {
            from: wording.date_of(&period.from),
            to: wording.date_of(&period.to),
            utility: wording.watthours(period.utility),
            ledger: wording.watthours(period.ledger),
            drift: wording.watthours(period.drift),
            drift_percent: wording.percent(period.drift_percent.as_deref()),
        }
    }
}
