//! Readings typed in from a meter, compared with the ledger.

use crate::chart::Wording;
use crate::domain::{Sensor, Timestamp};
use crate::house::{CalibrationRow, PeriodRow, UtilitySensor, utility_of_sensor};
use crate::store::{Store, StoreError};

/// The readings typed in from a sensor's meter, compared with the ledger.
pub(super) struct BesideView {
    /// The newest first.
    pub(super) periods: Vec<BesidePeriod>,
    pub(super) has_more: bool,
    /// The drift over all periods.
    pub(super) drift: String,
    pub(super) drift_percent: String,
    pub(super) calibration: Option<CalibrationOffer>,
}

/// A factor that can be accepted.
pub(super) struct CalibrationOffer {
    /// Its effect, in words.
    pub(super) text: String,
    /// The time from which it applies.
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

/// The maximum number of periods on the page.
const MOST_LISTED: usize = 24;

impl BesideView {
    /// The comparison for `sensor`; `None` with fewer than two readings. May block on disk reads.
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
