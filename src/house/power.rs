//! Power now, from memory.

use super::parts::{House, sensors_of};
use crate::domain::number::finite;
use crate::domain::{AccountName, SensorId, Timestamp};
use crate::store::Store;

/// The power of one sensor, or of several together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerNow {
    /// In watts: the newest power, if something was uploaded in the last two hours. `None` if that of one sensor is not known.
    pub watts: Option<f64>,
    /// Whether all of them upload.
    pub presence: Presence,
}

/// Whether a sensor uploads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Its uploads keep arriving.
    Active,
    /// They do not; the last one came then.
    SilentSince(Timestamp),
    /// It has uploaded nothing yet.
    Never,
}

impl House<PowerNow> {
    /// The power of the house of `account` at `now`. It does not block.
    #[must_use]
    pub fn power_at(store: &Store, account: &AccountName, now: Timestamp) -> Self {
        let registry = store.registry();
        let sensors = sensors_of(&registry, account)
            .map(|sensor| (sensor.clone(), PowerNow::of(store, &sensor.id, now)))
            .collect();
        Self::of(sensors, PowerNow::negated, PowerNow::and, PowerNow::and)
    }
}

impl PowerNow {
    fn of(store: &Store, sensor: &SensorId, now: Timestamp) -> Self {
        let activity = store.activity(sensor).unwrap_or_default();
        let Some(arrivals) = activity.arrivals else {
            return Self {
                watts: None,
                presence: Presence::Never,
            };
        };
        let power = activity.newest_power.filter(|_| arrivals.recent(now));
        Self {
            watts: power.map(|power| power.watts),
            presence: if arrivals.active(now) {
                Presence::Active
            } else {
                // Even if it lies after `now`, because the clock was set back: something was uploaded.
                Presence::SilentSince(arrivals.newest())
            },
        }
    }

    fn negated(self) -> Self {
        Self {
            watts: self.watts.map(|watts| -watts),
            ..self
        }
    }

    fn and(self, other: Self) -> Self {
        let watts = self.watts.zip(other.watts);
        let presence = match (self.presence, other.presence) {
            (Presence::Never, _) | (_, Presence::Never) => Presence::Never,
            // The longer silence: the sum has been incomplete since then.
            (Presence::SilentSince(a), Presence::SilentSince(b)) => Presence::SilentSince(a.min(b)),
            (silent @ Presence::SilentSince(_), _) | (_, silent) => silent,
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
        let active = power(Some(100.0), Presence::Active);
        let [silent, longer] = [late, early].map(|time| power(None, Presence::SilentSince(time)));
        assert_eq!(active.and(active), power(Some(200.0), Presence::Active));
        for (a, b) in [(active, silent), (silent, active)] {
            assert_eq!(a.and(b), power(None, Presence::SilentSince(late)));
        }
        assert_eq!(silent.and(longer).presence, Presence::SilentSince(early));
        let never = power(None, Presence::Never);
        assert_eq!(longer.and(never).presence, Presence::Never);
        let most = power(Some(f64::MAX), Presence::Active);
        assert_eq!(most.and(most).watts, Some(f64::MAX));
    }
}
