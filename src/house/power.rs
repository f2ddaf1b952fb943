//! Power now.

use super::sensors::{sensors_of, silence_of};
use crate::domain::number::finite;
use crate::domain::{AccountName, Role, Sensor, Timestamp};
use crate::ledger::notice::SilenceState;
use crate::store::{Store, StoreError};

/// The power of a house: of each sensor, and of its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct HousePower {
    /// The authorized sensors of the account, by id.
    pub sensors: Vec<(Sensor, PowerNow)>,
    /// Power from the grid less power fed back; `None` without sensors there.
    pub grid: Option<PowerNow>,
    /// The power of its panels; `None` without sensors there.
    pub solar: Option<PowerNow>,
    /// The charging less the discharging power of its batteries; `None` without sensors there.
    pub battery: Option<PowerNow>,
    /// Its own consumption: grid and panels together, less its batteries. `None` without sensors at
    /// the grid, and if these are all it has.
    pub used: Option<PowerNow>,
}

/// The power of one sensor, or of several together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerNow {
    /// In watts: the newest power, if something was uploaded in the last two hours. `None` if that
    /// of one sensor is not known.
    pub watts: Option<f64>,
    /// Whether all of them upload.
    pub presence: Presence,
}

/// Whether a sensor uploads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Its uploads keep arriving.
    Uploading,
    /// The next one is late; the last one came then.
    LateSince(Timestamp),
    /// They have stopped; the last one came then.
    SilentSince(Timestamp),
    /// It has uploaded nothing yet.
    Never,
}

impl HousePower {
    /// The power of the house of `account` at `now`. Blocks.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn at(store: &Store, account: &AccountName, now: Timestamp) -> Result<Self, StoreError> {
        let registry = store.registry();
        let sensors = sensors_of(&registry, account);
        let sensors = sensors.map(|it| Ok((it.clone(), PowerNow::of(store, it, now)?)));
        Ok(Self::of(sensors.collect::<Result<_, StoreError>>()?))
    }

    /// Sub-meters count nowhere: other sensors measure the same.
    fn of(sensors: Vec<(Sensor, PowerNow)>) -> Self {
        let sum = |counted: fn(Role, PowerNow) -> Option<PowerNow>| {
            let all = sensors.iter();
            let all = all.filter_map(|(it, power)| counted(it.role, *power));
            all.reduce(PowerNow::and)
        };
        let grid = sum(|role, power| match role {
            Role::Grid | Role::GridImport => Some(power),
            Role::GridExport => Some(power.negated()),
            _ => None,
        });
        let solar = sum(|role, power| (role == Role::Solar).then_some(power));
        let battery = sum(|role, power| match role {
            Role::Battery | Role::BatteryCharge => Some(power),
            Role::BatteryDischarge => Some(power.negated()),
            _ => None,
        });
        // A sensor that never uploaded does not exist yet.
        let others = [solar, battery.map(PowerNow::negated)];
        let others = others.into_iter().flatten().filter(|it| !it.is_never());
        let others = others.reduce(PowerNow::and);
        let at_grid = grid.filter(|it| !it.is_never());
        Self {
            used: at_grid.zip(others).map(|(grid, others)| grid.and(others)),
            grid,
            solar,
            battery,
            sensors,
        }
    }
}

impl PowerNow {
    /// The power of a sensor at `now`. May block on disk reads.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn of(store: &Store, sensor: &Sensor, now: Timestamp) -> Result<Self, StoreError> {
        let activity = store.activity(&sensor.id)?.unwrap_or_default();
        let Some(arrivals) = activity.arrivals else {
            return Ok(Self {
                watts: None,
                presence: Presence::Never,
            });
        };
        let power = activity.newest_power.filter(|_| arrivals.recent(now));
        Ok(Self {
            watts: power.map(|power| sensor.meter.power_sign.of(power.watts)),
            presence: match silence_of(store, sensor, Some(arrivals), now) {
                Some(SilenceState::Uploading) => Presence::Uploading,
                Some(SilenceState::Late) => Presence::LateSince(arrivals.newest()),
                // A single upload gives no limit of silence; but without a shown power, the page
                // names its time.
                None if arrivals.recent(now) => Presence::Uploading,
                Some(SilenceState::Silent) | None => Presence::SilentSince(arrivals.newest()),
            },
        })
    }

    fn negated(self) -> Self {
        Self {
            watts: self.watts.map(|watts| -watts),
            ..self
        }
    }

    fn is_never(&self) -> bool {
        self.presence == Presence::Never
    }

    fn and(self, other: Self) -> Self {
        let watts = self.watts.zip(other.watts);
        // A sensor that never uploaded does not count beside one that did.
        match (self.is_never(), other.is_never()) {
            (true, _) => return other,
            (_, true) => return self,
            _ => {}
        }
        let presence = match (self.presence, other.presence) {
            // The longer silence: the sum has been incomplete since then.
            (Presence::SilentSince(a), Presence::SilentSince(b)) => Presence::SilentSince(a.min(b)),
            (silent @ Presence::SilentSince(_), _) | (_, silent @ Presence::SilentSince(_)) => {
                silent
            }
            (Presence::LateSince(a), Presence::LateSince(b)) => Presence::LateSince(a.min(b)),
            (late @ Presence::LateSince(_), _) | (_, late) => late,
        };
        Self {
            watts: watts.map(|(a, b)| finite(a + b)),
            presence,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power(watts: Option<f64>, presence: Presence) -> PowerNow {
        PowerNow { watts, presence }
    }

    #[test]
    fn one_silent_sensor_makes_the_sum_silent() {
        let [early, late] = [1, 2].map(|ms| Timestamp::from_millis(ms).unwrap());
        let active = power(Some(100.0), Presence::Uploading);
        let [silent, longer] = [late, early].map(|time| power(None, Presence::SilentSince(time)));
        assert_eq!(active.and(active), power(Some(200.0), Presence::Uploading));
        for (a, b) in [(active, silent), (silent, active)] {
            assert_eq!(a.and(b), power(None, Presence::SilentSince(late)));
        }
        assert_eq!(silent.and(longer).presence, Presence::SilentSince(early));
        let tardy = power(Some(1.0), Presence::LateSince(early));
        assert_eq!(tardy.and(active).presence, Presence::LateSince(early));
        assert_eq!(tardy.and(silent).presence, Presence::SilentSince(late));
        let never = power(None, Presence::Never);
        for (one, other) in [(longer, never), (never, longer), (active, never)] {
            let known = if one == never { other } else { one };
            assert_eq!(one.and(other), known);
        }
        assert_eq!(never.and(never), never);
        let most = power(Some(f64::MAX), Presence::Uploading);
        assert_eq!(most.and(most).watts, Some(f64::MAX));
    }
    #[test]
    fn a_sensor_that_never_uploaded_hides_nothing() {
        use crate::domain::SensorId;
        let time = Timestamp::from_millis(1).unwrap();
        let account = AccountName::new("home").unwrap();
        let sensor = |role| Sensor {
            role,
            ..Sensor::new(SensorId::new("a").unwrap(), account.clone(), time)
        };
        let (active, never) = (
            power(Some(100.0), Presence::Uploading),
            power(None, Presence::Never),
        );
        let of = |all: &[(Role, PowerNow)]| {
            HousePower::of(
                all.iter()
                    .map(|(role, power)| (sensor(*role), *power))
                    .collect(),
            )
        };
        let house = of(&[
            (Role::Grid, active),
            (Role::Grid, never),
            (Role::Solar, active),
            (Role::Battery, never),
        ]);
        assert_eq!(
            (house.grid, house.solar, house.battery),
            (Some(active), Some(active), Some(never))
        );
        assert_eq!(house.used, Some(power(Some(200.0), Presence::Uploading)));
        let house = of(&[(Role::Grid, active), (Role::Solar, never)]);
        assert_eq!((house.grid, house.used), (Some(active), None));
    }
}
