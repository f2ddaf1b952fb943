//! Chart data from the store: the only place where readings become the data of a chart.

use crate::domain::number::finite;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Interval, TimeRange};
use crate::house::{EnergyBar, Resets, SensorGroup};
use crate::query::PowerProfile;
use crate::store::StoreError;
use crate::texts::Language;

/// The quantity that a chart shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChartKind {
    /// Power, as a line.
    #[default]
    Power,
    /// Energy, as bars.
    Energy,
}

impl ChartKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Power, Self::Energy];

    /// Its word in addresses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Power => "power",
            Self::Energy => "energy",
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn title(self, language: &Language) -> String {
        match self {
            Self::Power => language.say("chart-power"),
            Self::Energy => language.say("chart-energy"),
        }
    }
}

/// The data of a chart.
#[derive(Clone, Debug, PartialEq)]
pub enum ChartData {
    /// A line, or a band.
    Power {
        /// `None` if there are no readings.
        power: Option<PowerProfile>,
        /// The energy of the range in watt-hours; `None` if it is not known.
        watthours: Option<f64>,
    },
    /// Bars.
    Energy {
        /// The length of a bar.
        interval: Interval,
        /// The buckets with known energy, ascending.
        bars: Vec<EnergyBar>,
        /// When counters were reset.
        resets: Resets,
    },
}

/// The most resets to mark: more marks overlap.
const MAX_RESETS: usize = 100;

impl ChartData {
    /// Power in `range`, both ends included, in at most so many columns, and the energy in
    /// `energy_range`. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn power(
        group: &SensorGroup<'_>,
        range: TimeRange,
        energy_range: TimeRange,
        columns: u32,
    ) -> Result<Self, StoreError> {
        Ok(Self::Power {
            power: group.power(range, columns)?,
            watthours: group.energy(energy_range)?,
        })
    }

    /// Energy in `range`, without its start, by `interval`. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn energy(
        group: &SensorGroup<'_>,
        range: TimeRange,
        interval: Interval,
    ) -> Result<Self, StoreError> {
        let (bars, resets) = group.energy_by(range, interval, MAX_RESETS)?;
        Ok(Self::Energy {
            interval,
            bars,
            resets,
        })
    }

    /// The interval that gives a readable number of energy bars for `range` on a picture of this
    /// width, in pixels.
    #[must_use]
    pub fn interval_for(range: TimeRange, width: u16) -> Interval {
        /// A bar and the space beside it.
        const ROOM_PX: i64 = 6;
        let max_bars = (i64::from(width) / ROOM_PX).max(1);
        let days = range.length_ms() / MS_PER_DAY;
        // Nearly four days are three days and many hours.
        let hours = range.length_ms() / Interval::Hour.length_ms();
        if days <= 3 && hours <= max_bars {
            Interval::Hour
        } else if days <= max_bars.min(100) {
            Interval::Day
        // By the shortest month, so that longer ones give fewer bars.
        } else if days / 28 <= max_bars {
            Interval::Month
        } else {
            Interval::Year
        }
    }
}

/// The sum of all bars; `None` without any.
pub(super) fn total(bars: &[EnergyBar]) -> Option<f64> {
    let bars = bars.iter().map(|bar| bar.watthours);
    bars.reduce(|sum, bar| finite(sum + bar))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Timestamp;

    #[test]
    fn a_picture_has_no_more_bars_than_room() {
        let interval = |hours: i64, width: u16| {
            let end = Timestamp::from_millis(hours * 3_600_000).unwrap();
            let range = TimeRange::new(Timestamp::from_millis(0).unwrap(), end);
            ChartData::interval_for(range.unwrap(), width)
        };
        // Room for 72 bars.
        assert_eq!(interval(72, 432), Interval::Hour);
        assert_eq!(interval(73, 432), Interval::Day);
        assert_eq!(interval(95, 432), Interval::Day);
        assert_eq!(interval(95, 600), Interval::Hour);
        assert_eq!(interval(24, 100), Interval::Day);
        assert_eq!(interval(24 * 365, 600), Interval::Month);
        assert_eq!(interval(24 * 365 * 100, 600), Interval::Year);
    }
}
