//! Several sensors taken together.

use super::SensorState;
use super::periods::{Comparison, Energies, Energy};

/// Several sensors together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// The sum of the sensors' power, in watts; `None` where that of one of them is not known.
    pub watts: Option<f64>,
    /// The sum of their energy. Where only some of them have readings it is of those, and partial.
    pub energies: Energies,
}

impl Total {
    /// One sensor by itself.
    pub(super) fn of(state: &SensorState) -> Self {
        Self {
            watts: state.live.power.map(|power| power.watts),
            energies: state.energies,
        }
    }

    /// The sum of both, of what there is of either.
    pub(super) fn and(self, other: Self) -> Self {
        self.joined(other, |a, b| match (a, b) {
            (Some(a), Some(b)) => Some(sum(a, b)),
            (one, other) => one.or(other).map(|energy| Energy {
                is_partial: true,
                ..energy
            }),
        })
    }

    /// The sum of both, where there are both: the grid without the panels says nothing of what is used.
    pub(super) fn with(self, other: Self) -> Self {
        self.joined(other, |a, b| a.zip(b).map(|(a, b)| sum(a, b)))
    }

    fn joined(
        self,
        other: Self,
        sum: impl Fn(Option<Energy>, Option<Energy>) -> Option<Energy>,
    ) -> Self {
        let both = |a: Comparison, b: Comparison| Comparison {
            now: sum(a.now, b.now),
            before: sum(a.before, b.before),
        };
        let (a, b) = (self.energies, other.energies);
        let watts = self.watts.zip(other.watts);
        Self {
            watts: watts.map(|(a, b)| finite(a + b)),
            energies: Energies {
                today: both(a.today, b.today),
                yesterday: both(a.yesterday, b.yesterday),
                week: both(a.week, b.week),
                month: both(a.month, b.month),
                year: both(a.year, b.year),
            },
        }
    }
}

fn sum(a: Energy, b: Energy) -> Energy {
    Energy {
        watthours: finite(a.watthours + b.watthours),
        cost: a.cost.zip(b.cost).map(|(a, b)| finite(a + b)),
        is_partial: a.is_partial || b.is_partial,
    }
}

fn finite(number: f64) -> f64 {
    number.clamp(f64::MIN, f64::MAX)
}
