//! The difference between the ledger and the utility's meter, and the factor that corrects it.

use super::meter::UtilityPeriod;
use crate::domain::{Decimal, MicroWh, Timestamp};
use crate::ledger::calibration::CalibrationFactor;

/// Periods with less are not used for calibration: a typed reading may lack its decimals.
const LEAST_ENERGY: MicroWh = MicroWh::new(100_000_000_000);
/// Nor are periods in which the ledger lacks more than one part in so many.
const MISSING_PART: i64 = 100;
/// Drifts agree if they are this close: a percentage point, in millionths.
const SPREAD: i64 = 1_000_000;
/// A smaller drift is within the tolerance of meters: half a percent, in millionths.
const LEAST_DRIFT: i64 = 500_000;
/// The number of periods that must agree.
const LEAST_PERIODS: usize = 3;

/// How far the ledger is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The ledger's energy less the utility's.
    pub energy: MicroWh,
    /// The same in percent of the utility's, to a millionth; `None` if that is 0.
    pub percent: Option<Decimal>,
}

/// A period of the utility's meter beside the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparedPeriod {
    /// The utility's energy.
    pub utility: UtilityPeriod,
    /// The ledger's energy; `None` if it knows nothing of the period.
    pub ledger: Option<MicroWh>,
    /// The time with nothing but energy that people entered, in milliseconds.
    pub missing_ms: i64,
    /// The factor of the ledger's energy so far; `None` if it changes within the period.
    pub factor: Option<Decimal>,
}

/// A factor that makes the ledger's energy the utility's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// The factor for the energy of readings, to a millionth.
    pub factor: CalibrationFactor,
    /// The beginning of the first period that agrees.
    pub from: Timestamp,
    /// The number of agreeing periods.
    pub periods: usize,
}

impl Drift {
    /// How far `ledger` is off from `utility`.
    #[must_use]
    pub fn of(ledger: MicroWh, utility: MicroWh) -> Self {
        let energy = ledger - utility;
        Self {
            energy,
            percent: quotient(100, energy, utility),
        }
    }

    /// The difference over all periods known to both; `None` if there are none.
    #[must_use]
    pub fn overall(periods: &[ComparedPeriod]) -> Option<Self> {
        let known: Vec<_> = periods.iter().filter_map(ComparedPeriod::both).collect();
        let ledger = known.iter().map(|(ledger, _)| *ledger).sum();
        let utility = known.iter().map(|(_, utility)| *utility).sum();
        (!known.is_empty()).then(|| Self::of(ledger, utility))
    }
}

impl ComparedPeriod {
    /// How far the ledger is off; `None` if either knows nothing.
    #[must_use]
    pub fn drift(&self) -> Option<Drift> {
        self.both()
            .map(|(ledger, utility)| Drift::of(ledger, utility))
    }

    /// The ledger's energy, if it knows nearly all of the period.
    #[must_use]
    pub fn measured(&self) -> Option<MicroWh> {
        let length_ms = self.utility.to.millis() - self.utility.from.millis();
        let is_known = self.missing_ms <= length_ms / 10;
        self.ledger
            .filter(|ledger| is_known && *ledger > MicroWh::ZERO)
    }

    fn both(&self) -> Option<(MicroWh, MicroWh)> {
        Some((self.ledger?, self.utility.energy?))
    }

    /// Its drift in millionths of a percent, if it says something about the meters.
    fn telling_drift(&self) -> Option<i64> {
        let (ledger, utility) = self.both()?;
        let length_ms = self.utility.to.millis() - self.utility.from.millis();
        let is_telling = self.missing_ms <= length_ms / MISSING_PART
            && utility >= LEAST_ENERGY
            && ledger > MicroWh::ZERO;
        let percent = Drift::of(ledger, utility).percent?;
        is_telling.then_some(percent.millionths())
    }
}

impl Calibration {
    /// The factor that the newest of `periods` (in time order) agree on, if there is one: see
    /// docs/HOUSE.md. Periods before a factor was accepted say nothing about the remaining drift.
    #[must_use]
    pub fn offered(periods: &[ComparedPeriod]) -> Option<Self> {
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        let telling = periods
            .iter()
            .rev()
            .filter_map(|period| Some((period, period.telling_drift()?)));
        let mut factors = telling.clone().map(|(period, _)| period.factor);
        let factor = factors.next()??;
        let agreeing: Vec<_> = telling
            .take_while(|(_, drift)| {
                least = least.min(*drift);
                most = most.max(*drift);
                most.saturating_sub(least) <= SPREAD
            })
            .take_while(|(period, _)| period.factor == Some(factor))
            .map(|(period, _)| *period)
            .collect();
        let first = agreeing.last()?;
        let overall = Drift::overall(&agreeing)?.percent?.millionths();
        if agreeing.len() < LEAST_PERIODS || overall.abs() < LEAST_DRIFT {
            return None;
        }
        let both = || agreeing.iter().filter_map(ComparedPeriod::both);
        let ledger = both().map(|(ledger, _)| ledger).sum();
        let utility = both().map(|(_, utility)| utility).sum();
        let further = quotient(1, utility, ledger)?;
        Some(Self {
            factor: CalibrationFactor::new(product(factor, further)).ok()?,
            from: first.utility.from,
            periods: agreeing.len(),
        })
    }
}

/// `times * part / whole` to the nearest millionth, half of one away from zero; `None` if `whole`
/// is not positive.
fn quotient(times: i128, part: MicroWh, whole: MicroWh) -> Option<Decimal> {
    let [part, whole] = [part, whole].map(|energy| i128::from(energy.millionths()));
    if whole <= 0 {
        return None;
    }
    let product = part * times * 1_000_000;
    let half = if product < 0 { -whole } else { whole } / 2;
    let millionths = (product + half) / whole;
    let end = if millionths < 0 { i64::MIN } else { i64::MAX };
    Some(Decimal::from_millionths(
        i64::try_from(millionths).unwrap_or(end),
    ))
}

/// The product to the nearest millionth; neither is negative.
fn product(one: Decimal, other: Decimal) -> Decimal {
    let product = i128::from(one.millionths()) * i128::from(other.millionths());
    let millionths = (product + 500_000) / 1_000_000;
    Decimal::from_millionths(i64::try_from(millionths).unwrap_or(i64::MAX))
}
