//! The state of charge of a battery.

/// How full a battery is, in percent: 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct StateOfCharge(f64);

impl StateOfCharge {
    /// `None` unless `percent` is from 0 to 100.
    #[must_use]
    pub fn new(percent: f64) -> Option<Self> {
        (0.0..=100.0).contains(&percent).then_some(Self(percent))
    }

    /// In percent.
    #[must_use]
    pub const fn percent(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_battery_is_between_empty_and_full() {
        let percent = |percent| StateOfCharge::new(percent).map(StateOfCharge::percent);
        assert_eq!(percent(0.0), Some(0.0));
        assert_eq!(percent(62.5), Some(62.5));
        assert_eq!(percent(100.0), Some(100.0));
        for wrong in [-0.1, 100.1, f64::NAN, f64::INFINITY] {
            assert_eq!(percent(wrong), None);
        }
    }
}
