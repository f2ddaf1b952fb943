//! Whether the energies of a file look like those of the register that they go to.

/// How the values of a register change.
#[derive(Default)]
pub(super) struct RegisterCourse {
    last: Option<f64>,
    changes: u32,
    falls: u32,
    /// The falls that leave a tenth of the value, or more: unlike those to a new meter's zero.
    partial_falls: u32,
    /// The sum of all changes, and the largest value, without signs.
    moved: f64,
    largest: f64,
    /// How many energies were measured over a known time, and how many of them were too much for it.
    timed: u32,
    beyond: u32,
}

impl RegisterCourse {
    pub(super) fn see(&mut self, value: Option<f64>) {
        let Some(value) = value else { return };
        let last = self.last.replace(value).unwrap_or(value);
        let change = value - last;
        self.changes = self.changes.saturating_add(u32::from(change != 0.0));
        self.falls = self.falls.saturating_add(u32::from(change < 0.0));
        let is_partial = change < 0.0 && value > last / 10.0;
        self.partial_falls = self.partial_falls.saturating_add(u32::from(is_partial));
        self.moved += change.abs();
        self.largest = self.largest.max(value.abs());
    }

    /// Notes whether an energy is more than a sensor can measure in its time.
    pub(super) fn see_energy(&mut self, watthours: f64, ms: i64, plausible: u32) {
        #[expect(clippy::cast_precision_loss, reason = "a bound of doubtful values")]
        let most = f64::from(plausible) * ms as f64 / 3.6e6;
        self.timed = self.timed.saturating_add(1);
        self.beyond = self
            .beyond
            .saturating_add(u32::from(watthours.abs() > most));
    }

    /// Whether these are no energies of intervals, but what a meter shows: they never fall, and
    /// either most are beyond what can flow in their time, or they go on rising from a level that is
    /// higher than all their changes.
    pub(super) fn is_register(&self) -> bool {
        const RISES: u32 = 24;
        let never_falls = self.falls == 0 && self.changes > 0;
        // A gap may be long enough for the whole value of a register.
        let is_beyond = self.beyond > self.timed / 2;
        let is_level = self.changes >= RISES && self.largest - self.moved > self.moved;
        never_falls && (is_beyond || is_level)
    }

    /// A remark if these values are unusual as energies of intervals, or as a register.
    pub(super) fn doubt(&self, has_intervals: bool) -> Option<&'static str> {
        let lowest = self.largest - self.moved;
        if has_intervals && self.changes >= 8 && self.falls == 0 && lowest > self.moved {
            return Some(
                "its energies only rise, like a meter's register: if they are one, choose a sensor for registers",
            );
        }
        // A register that runs backwards moves by small parts of its value, and one that is
        // replaced falls once.
        let is_restless = if self.changes >= 8 {
            self.falls > self.changes / 4 && self.moved > 2.0 * self.largest
        } else {
            self.partial_falls > 0 && self.moved > self.largest / 8.0
        };
        (!has_intervals && is_restless).then_some(
            "its energies rise and fall, unlike a meter's register: if each belongs to an interval, add a sensor for them, with --register interval",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_meter_shows_is_no_energy_of_intervals() {
        let is_register = |values: &[f64], hours: i64| {
            let mut course = RegisterCourse::default();
            for value in values {
                course.see(Some(*value));
                course.see_energy(*value, hours * 3_600_000, 100_000);
            }
            course.is_register()
        };
        assert!(is_register(&[1e6, 1.000_5e6, 1.001e6], 1));
        assert!(is_register(&[1e6, 1e6, 1.001e6], 1));
        // The first ones are below what is plausible, as after a gap.
        assert!(is_register(&[90_000.0, 120_000.0, 120_000.0, 121_000.0], 1));
        let rising: Vec<_> = (0..25).map(|n| 50_000.0 + f64::from(n)).collect();
        assert!(is_register(&rising, 1));
        for (energies, hours) in [
            (&[500.0, 600.0, 700.0][..], 1),
            // A factory's days: much, but not in that time.
            (&[1e6, 1.1e6, 1.2e6], 24),
            // A glitch beside energies.
            (&[500.0, 600.0, 1e9], 1),
            // It falls, so it is no register.
            (&[1e6, 0.9e6, 1.1e6], 1),
            (&[1e6, 1e6], 1),
        ] {
            assert!(!is_register(energies, hours), "{energies:?}");
        }
        assert!(!is_register(&rising[..20], 1));
    }

    #[test]
    fn a_short_table_of_intervals_is_unlike_a_register() {
        let is_doubted = |values: &[f64]| {
            let mut course = RegisterCourse::default();
            for value in values {
                course.see(Some(*value));
            }
            course.doubt(false).is_some()
        };
        assert!(is_doubted(&[0.25, 0.5, 0.4]));
        assert!(is_doubted(&[0.9, 0.5]));
        for register in [
            &[][..],
            &[812.5],
            &[812.5, 813.0, 815.25],
            // It runs backwards while panels feed in.
            &[812.5, 813.0, 812.75, 812.5],
            // It is replaced, and the new one begins at zero.
            &[48_120.0, 48_125.5, 0.0, 6.25],
        ] {
            assert!(!is_doubted(register), "{register:?}");
        }
    }
}
