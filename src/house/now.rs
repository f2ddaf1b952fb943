//! What a house takes and makes at this moment, from memory.

use super::{Live, Presence, live, sensors_of};
use crate::domain::account::AccountName;
use crate::domain::role::Role;
use crate::domain::sensor::Sensor;
use crate::domain::time::Timestamp;
use crate::store::Store;

/// The power of a house at one moment. As [`House`](super::House), nothing is added twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Now {
    /// The authorized sensors of the account, by id.
    pub sensors: Vec<(Sensor, Live)>,
    /// The sensors at the grid; `None` where there are none.
    pub grid: Option<PowerNow>,
    /// The sensors at the panels; `None` where there are none.
    pub solar: Option<PowerNow>,
    /// What the house uses itself: the grid and the panels together. `None` where one of them has no sensors.
    pub used: Option<PowerNow>,
}

/// The power of some sensors together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerNow {
    /// Their sum in watts; `None` where that of one of them is not known.
    pub watts: Option<f64>,
    /// Whether all of them upload; else since when one does not.
    pub presence: Presence,
}

impl Now {
    /// The house of `account` at `now`. It does not block.
    #[must_use]
    pub fn at(store: &Store, account: &AccountName, now: Timestamp) -> Self {
        let registry = store.registry();
        let sensors: Vec<(Sensor, Live)> = sensors_of(&registry, account)
            .map(|sensor| (sensor.clone(), live(store, &sensor.id, now)))
            .collect();
        let total = |role| {
            let of_role = sensors.iter().filter(|(sensor, _)| sensor.role == role);
            let powers = of_role.map(|(_, live)| PowerNow::of(*live));
            powers.reduce(PowerNow::and)
        };
        let (grid, solar) = (total(Role::Grid), total(Role::Solar));
        let used = grid.zip(solar).map(|(grid, solar)| grid.and(solar));
        Self {
            sensors,
            grid,
            solar,
            used,
        }
    }
}

impl PowerNow {
    /// One sensor by itself.
    #[must_use]
    pub fn of(live: Live) -> Self {
        Self {
            watts: live.power.map(|power| power.watts),
            presence: live.presence,
        }
    }

    fn and(self, other: Self) -> Self {
        let watts = self.watts.zip(other.watts);
        let presence = match (self.presence, other.presence) {
            (Presence::Never, _) | (_, Presence::Never) => Presence::Never,
            (Presence::SilentSince(a), Presence::SilentSince(b)) => Presence::SilentSince(a.min(b)),
            (silent @ Presence::SilentSince(_), _) | (_, silent) => silent,
        };
        Self {
            watts: watts.map(|(a, b)| (a + b).clamp(f64::MIN, f64::MAX)),
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
    fn one_that_is_silent_makes_all_of_them_silent() {
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
