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
